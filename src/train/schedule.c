#include "train/schedule.h"
#include "softalign.h"

#include <math.h>

static double constant(double step, double warmup, double steps) {
    (void)step, (void)warmup, (void)steps;
    return 1;
}

/* Section 5.3 (Vaswani et al. 2017): d^-0.5 min(step^-0.5, step warmup^-1.5), relative to its
 * peak d^-0.5 warmup^-0.5. */
static double inverse_root(double step, double warmup, double steps) {
    (void)steps;
    return sqrt(warmup / step);
}

/* What is left of the updates after the warm-up: 1 with its last one, 0 after the last of all. */
static double linear(double step, double warmup, double steps) {
    return fmax(steps + 1 - step, 0) / fmax(steps + 1 - warmup, 1);
}

/* Section 3 (Loshchilov and Hutter 2017), without restarts and with a minimum of 0. */
static double cosine(double step, double warmup, double steps) {
    return (1 - cos(acos(-1) * linear(step, warmup, steps))) / 2;
}

const sa_schedule sa_schedules[] = {
    [SA_SCHEDULE_PLATEAU] = {"plateau", true, false, constant},
    [SA_SCHEDULE_CONSTANT] = {"constant", false, false, constant},
    [SA_SCHEDULE_INVERSE_SQRT] = {"inverse-sqrt", false, false, inverse_root},
    [SA_SCHEDULE_LINEAR] = {"linear", false, true, linear},
    [SA_SCHEDULE_COSINE] = {"cosine", false, true, cosine},
    {.name = NULL},
};

const char *sa_schedule_name(size_t row) {
    return row < sizeof sa_schedules / sizeof *sa_schedules ? sa_schedules[row].name : NULL;
}

const char *sa_criterion_name(size_t row) {
    static const char *const names[] = {
        [SA_CRITERION_LOSS] = "loss", [SA_CRITERION_BLEU] = "bleu", [SA_CRITERION_CHRF] = "chrf"};
    return row < sizeof names / sizeof *names ? names[row] : NULL;
}

const char *sa_average_name(size_t row) {
    static const char *const names[] = {[SA_AVERAGE_LAST] = "last", [SA_AVERAGE_BEST] = "best"};
    return row < sizeof names / sizeof *names ? names[row] : NULL;
}

double sa_schedule_factor(const sa_schedule *schedule, int64_t step, int64_t warmup,
                          int64_t steps) {
    if (step < warmup) return (double)step / (double)warmup;
    return schedule->after((double)step, (double)(warmup > 1 ? warmup : 1), (double)steps);
}
