#include "train/optimizer.h"
#include "tensor/dispatch.h"
#include "tensor/vec.h"

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
    const sa_real rate =
        (sa_real)(u->lr / (1 - pow(u->beta1, step))); /* with the bias correction of m */
    const sa_real correct =
        (sa_real)(1 / sqrt(1 - pow(u->beta2, step))); /* bias correction of sqrt(v) */
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
    (void)b;
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

const char *sa_optimizer_name(size_t row) {
    return row < sizeof sa_optimizers / sizeof *sa_optimizers ? sa_optimizers[row].name : NULL;
}
