#include "layers/optimizer.h"
#include "tensor/dispatch.h"
#include "tensor/vec.h"

#include <softalign/lab.h>

#include <math.h>

/* Zeiler 2012, algorithm 1; rho and epsilon of Bahdanau et al. 2015, B.2. a is E[g^2], b is
 * E[dx^2]. */
SA_DISPATCHED static void adadelta(const sa_update *u, const sa_real *g, sa_real *w, sa_real *a,
                                   sa_real *b, int size) {
    const sa_real rho = (sa_real)0.95, epsilon = (sa_real)1e-6, lr = (sa_real)u->lr;
    for (int i = 0; i < size; i++) {
        const sa_real gi = g[i] * u->scale;
        a[i] = rho * a[i] + (1 - rho) * gi * gi;
        const sa_real ratio = (b[i] + epsilon) / (a[i] + epsilon);
        const sa_real dx = -sa_sqrt(ratio) * gi;
        b[i] = rho * b[i] + (1 - rho) * dx * dx;
        w[i] += lr * dx;
    }
}

/* Kingma and Ba 2015, algorithm 1. a is m, b is v. */
SA_DISPATCHED static void adam(const sa_update *u, const sa_real *g, sa_real *w, sa_real *a,
                               sa_real *b, int size) {
    const sa_real beta1 = (sa_real)u->beta1, beta2 = (sa_real)u->beta2;
    const sa_real epsilon = (sa_real)u->epsilon;
    const double step = (double)u->step;
    /* with the bias corrections of m and of sqrt(v) */
    const sa_real rate = (sa_real)(u->lr / (1 - pow(u->beta1, step)));
    const sa_real correct = (sa_real)(1 / sqrt(1 - pow(u->beta2, step)));
    for (int i = 0; i < size; i++) {
        const sa_real gi = g[i] * u->scale;
        a[i] = beta1 * a[i] + (1 - beta1) * gi;
        b[i] = beta2 * b[i] + (1 - beta2) * gi * gi;
        w[i] -= rate * a[i] / (correct * sa_sqrt(b[i]) + epsilon);
    }
}

/* Stochastic gradient descent with momentum (Polyak 1964). a is the velocity; b is not used. */
SA_DISPATCHED static void sgd(const sa_update *u, const sa_real *g, sa_real *w, sa_real *a,
                              sa_real *b, int size) {
    const sa_real lr = (sa_real)u->lr, momentum = (sa_real)u->momentum;
    for (int i = 0; i < size; i++) {
        a[i] = momentum * a[i] + g[i] * u->scale;
        w[i] -= lr * a[i];
    }
}

const sa_optimizer sa_optimizers[] = {
    [SA_OPTIMIZER_ADADELTA] = {"adadelta", "Zeiler 2012", 1, adadelta},
    [SA_OPTIMIZER_ADAM] = {"adam", "Kingma and Ba 2015", 0.002, adam},
    [SA_OPTIMIZER_SGD] = {"sgd", "Polyak 1964", 0.1, sgd},
    {.name = NULL},
};

/* ---- Schedules ------------------------------------------------------------------------------- */

static double constant(double step, double warmup, double steps) {
    return 1;
}

/* Section 5.3 (Vaswani et al. 2017): d^-0.5 min(step^-0.5, step warmup^-1.5), relative to its
 * peak d^-0.5 warmup^-0.5. */
static double inverse_root(double step, double warmup, double steps) {
    return sqrt(warmup / step);
}

/* Returns the share of the updates after the warm-up that are left: 1 with the last of the warm-up,
 * 0 after the last of all. */
static double linear(double step, double warmup, double steps) {
    return fmax(steps + 1 - step, 0) / fmax(steps + 1 - warmup, 1);
}

/* Section 3 (Loshchilov and Hutter 2017), without restarts and with a minimum of 0. */
static double cosine(double step, double warmup, double steps) {
    return (1 - cos(acos(-1) * linear(step, warmup, steps))) / 2;
}

const sa_schedule sa_schedules[] = {
    [SA_SCHEDULE_PLATEAU] = {"plateau", .after = constant, .decays = true},
    [SA_SCHEDULE_CONSTANT] = {"constant", .after = constant},
    [SA_SCHEDULE_INVERSE_SQRT] = {"inverse-sqrt", .after = inverse_root},
    [SA_SCHEDULE_LINEAR] = {"linear", .after = linear, .needs_steps = true},
    [SA_SCHEDULE_COSINE] = {"cosine", .after = cosine, .needs_steps = true},
    {.name = NULL},
};

double sa_schedule_factor(const sa_schedule *schedule, int64_t step, int64_t warmup,
                          int64_t steps) {
    if (step < warmup) return (double)step / (double)warmup;
    return schedule->after((double)step, (double)(warmup > 1 ? warmup : 1), (double)steps);
}
