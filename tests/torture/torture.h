/* torture: the parts, and how they count. */
#ifndef TORTURE_H
#define TORTURE_H

#include "torture/world.h"

/* A goal: cases gone through, and those that went as they must. */
struct goal {
    const char *name;
    long cases, good;
};

/* Counts a case; a bad one is told on standard error, with what it was. */
bool goal_count(struct goal *goal, bool good, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Which cases are tried: of `share` in a row one, beginning with number `begin`; of tasks those
 * with `only` in their name, if it is not NULL. */
struct effort {
    int share, begin;
    bool longer; /* there is time without end */
    const char *only;
};

bool chosen(const struct effort *effort, const char *name);

/* The commands on tiny inputs and the calls of the library, ended by a row without a name. */
extern const task task_commands[];
extern const task task_calls[];

/* The inputs of all tasks. */
void tasks_prepare(void);

/* Small trainings: four kinds of models, and all that is saved beside a model. */
enum { KINDS = 4 };

/* A training of that kind into the folder `o`, of so many updates in all, with a validation and a
 * save after every so many; the answer's words stay valid until the fourth call after. */
task kind_training(int kind, int steps, int every, bool resume);

/* A training that nothing interrupts, and all that was saved on its way. */
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

/* What is wrong with the files in the folder of runs as an interruption left them, or NULL: each is
 * whole, of some moment of the training. Of a resumed training the log has times of its own. */
const char *course_interrupted(const course *it, bool resumed);

/* Goes on where the folder of runs stands: at its end all must be as if nothing had happened. NULL,
 * or what is wrong. */
const char *course_finish(const course *it);

/* Every command that writes files, but train, killed at every call to the system and run again. */
void sweep_kills(const struct effort *effort, struct goal *goal);

/* The parts; each counts into the goals it is given. */
void torture_allocations(const struct effort *effort, struct goal *goal);
void torture_files(const struct effort *effort, struct goal *goal);
void torture_kills(const struct effort *effort, struct goal *goal);
void torture_power(const struct effort *effort, struct goal *goal);
void torture_resume(const struct effort *effort, struct goal *goal);

#endif
