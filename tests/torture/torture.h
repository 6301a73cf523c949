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

/* Whether the folder of runs, which holds `other`, holds what it held when `one` was listed: equal
 * files, of the log (then: `log`) all but its times. */
bool kind_same(const contents *one, const char *log, const contents *other);

/* The parts; each counts into the goals it is given. */
void torture_allocations(const struct effort *effort, struct goal *goal);
void torture_files(const struct effort *effort, struct goal *goal);
void torture_kills(const struct effort *effort, struct goal *goal);
void torture_power(const struct effort *effort, struct goal *goal);
void torture_resume(const struct effort *effort, struct goal *goal);

#endif
