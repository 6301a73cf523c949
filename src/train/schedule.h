/* schedule: what becomes of the learning rate as training goes on, and what is good about it. */
#ifndef SA_TRAIN_SCHEDULE_H
#define SA_TRAIN_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sa_schedule {
    const char *name;
    bool decays; /* a validation without a better loss multiplies the rate by --lr-decay */
    double (*after)(double step, double warmup); /* its share after the warm-up */
} sa_schedule;

extern const sa_schedule sa_schedules[]; /* ends with a NULL name */

/* For the option rows: the name of a schedule, NULL after the last. */
const char *sa_schedule_name(size_t row);

/* For the option rows: the name of a figure that validations are compared by, NULL after the last.
 */
const char *sa_criterion_name(size_t row);

/* For the option rows: the name of a choice among validations, NULL after the last. */
const char *sa_average_name(size_t row);

/* The share of --lr that update number `step` (from 1) is made with: step / warmup up to there. */
double sa_schedule_factor(const sa_schedule *schedule, int64_t step, int64_t warmup);

#endif
