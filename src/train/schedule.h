/* schedule: the learning rate over time, as rows of one table; names of what validation compares.
 */
#ifndef SA_TRAIN_SCHEDULE_H
#define SA_TRAIN_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sa_schedule {
    const char *name;
    bool decays;      /* validations that are not better (--criterion) multiply the learning rate by
                         --lr-decay */
    bool needs_steps; /* falls to zero with the last update: needs --steps */
    /* The factor of --lr from the end of the warm-up, 1 there: `step` and `warmup` are at least 1,
     * `steps` is the number of the last update (0: none is set). */
    double (*after)(double step, double warmup, double steps);
} sa_schedule;

extern const sa_schedule sa_schedules[]; /* ends with a NULL name */

/* For the option rows: the name of a schedule, NULL after the last. */
const char *sa_schedule_name(size_t row);

/* For the option rows: the name of a validation criterion, NULL after the last. */
const char *sa_criterion_name(size_t row);

/* For the option rows: the name of a choice of --average-of, NULL after the last. */
const char *sa_average_name(size_t row);

/* The factor of --lr for update number `step` (from 1) of `steps`: step / warmup during the
 * warm-up. */
double sa_schedule_factor(const sa_schedule *schedule, int64_t step, int64_t warmup, int64_t steps);

#endif
