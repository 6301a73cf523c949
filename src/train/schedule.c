#include "train/schedule.h"
#include "softalign.h"

#include <math.h>

static double constant(double step, double warmup) {
    (void)step, (void)warmup;
    return 1;
}

/* Section 5.3 (Vaswani et al. 2017): d^-0.5 min(step^-0.5, step warmup^-1.5), relative to its
 * peak d^-0.5 warmup^-0.5. */
static double inverse_root(double step, double warmup) {
    return sqrt((warmup > 1 ? warmup : 1) / step);
}

const sa_schedule sa_schedules[] = {
    [SA_SCHEDULE_PLATEAU] = {"plateau", true, constant},
    [SA_SCHEDULE_CONSTANT] = {"constant", false, constant},
    [SA_SCHEDULE_INVERSE_SQRT] = {"inverse-sqrt", false, inverse_root},
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

double sa_schedule_factor(const sa_schedule *schedule, int64_t step, int64_t warmup) {
    return step < warmup ? (double)step / (double)warmup
                         : schedule->after((double)step, (double)warmup);
}
