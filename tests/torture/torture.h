/* torture: the parts and their counters. */
#ifndef TORTURE_H
#define TORTURE_H

#include "torture/world.h"

/* Cases, and those that passed. */
struct goal {
    const char *name;
    long cases, good;
};

/* Counts a case; reports a failed one on standard error. */
bool goal_count(struct goal *goal, bool good, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Which cases are run: every `share`-th from number `begin`; unless NULL, only tasks with `only`
 * in their name. */
struct effort {
    int share, begin;
    bool longer; /* no limit of time */
    const char *only;
};

bool chosen(const struct effort *effort, const char *name);

/* The commands on tiny inputs, and the library calls; the last row has no name. */
extern const task task_commands[];
extern const task task_calls[];

/* The inputs of all tasks. */
void tasks_prepare(void);

/* Small trainings: four kinds of models, with all files that are saved beside a model. */
enum { KINDS = 4 };

/* A training of that kind into the folder `o`, with that number of updates, and a validation and
 * a save every `every` updates; the arguments stay valid for four calls. */
task kind_training(int kind, int steps, int every, bool resume);

/* An uninterrupted training, and all that it saved. */
typedef struct course {
    int kind, steps, every;
    contents end;
    char *log;
    int versions;
    content version[1024];
    tally *record; /* its calls, to be freed with free() */
    int microseconds;
} course;

bool course_open(course *it, int kind, int steps, int every, struct goal *goal);
void course_close(course *it);

/* What is wrong with the files that an interruption left in the run's folder, or NULL: each is
 * complete, and from one moment of the training. The log of a resumed training has other times. */
const char *course_interrupted(const course *it, bool resumed);

/* Resumes from the run's folder: in the end all must be as without interruption. Returns what is
 * wrong, or NULL. */
const char *course_finish(const course *it);

/* Every command but train that writes files, killed at every system call and run again. */
void sweep_kills(const struct effort *effort, struct goal *goal);

/* The parts; each counts into its goals. */
void torture_allocations(const struct effort *effort, struct goal *goal);
void torture_files(const struct effort *effort, struct goal *goal);
void torture_kills(const struct effort *effort, struct goal *goal);
void torture_power(const struct effort *effort, struct goal *goal);
void torture_resume(const struct effort *effort, struct goal *goal);

#endif
