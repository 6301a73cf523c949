/* The optimizers against the formulas of their papers. */
#include "layers/optimizer.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { STEPS = 5 };
static const double gradients[STEPS] = {0.5, -0.25, 2, 0, -1e-3};

/* One weight after STEPS updates, with the gradient scaled to half. */
static double moved(const char *name, double lr, double momentum) {
    const sa_optimizer *row = sa_optimizers;
    while (strcmp(row->name, name) != 0) row++;
    float w = 1, a = 0, b = 0;
    for (int i = 0; i < STEPS; i++) {
        const sa_update update = {.lr = lr,
                                  .momentum = momentum,
                                  .beta1 = 0.8,
                                  .beta2 = 0.99,
                                  .epsilon = 0.05,
                                  .step = i + 1,
                                  .scale = 0.5f};
        const float g = (float)gradients[i];
        row->update(&update, &g, &w, &a, &b, 1);
    }
    return (double)w;
}

START_TEST(adadelta_follows_algorithm_1) {
    double w = 1, square = 0, move = 0;
    for (int i = 0; i < STEPS; i++) {
        const double g = gradients[i] / 2;
        square = 0.95 * square + 0.05 * g * g;
        const double dx = -sqrt(move + 1e-6) / sqrt(square + 1e-6) * g;
        move = 0.95 * move + 0.05 * dx * dx;
        w += 0.7 * dx;
    }
    ck_assert_double_eq_tol(moved("adadelta", 0.7, 0), w, 1e-7);
    ck_assert_double_gt(fabs(w - 1), 1e-4);
}
END_TEST

START_TEST(adam_follows_algorithm_1) {
    double w = 1, m = 0, v = 0;
    for (int i = 1; i <= STEPS; i++) {
        const double g = gradients[i - 1] / 2;
        m = 0.8 * m + 0.2 * g;
        v = 0.99 * v + 0.01 * g * g;
        w -= 0.01 * (m / (1 - pow(0.8, i))) / (sqrt(v / (1 - pow(0.99, i))) + 0.05);
    }
    ck_assert_double_eq_tol(moved("adam", 0.01, 0), w, 3e-7);
    ck_assert_double_gt(fabs(w - 1), 1e-3);
}
END_TEST

START_TEST(momentum_adds_the_last_updates) {
    double w = 1, velocity = 0;
    for (int i = 0; i < STEPS; i++) {
        velocity = 0.9 * velocity + gradients[i] / 2;
        w -= 0.1 * velocity;
    }
    ck_assert_double_eq_tol(moved("sgd", 0.1, 0.9), w, 3e-7);
}
END_TEST

/* As the help of --lr says. */
START_TEST(every_optimizer_has_its_rate) {
    static const struct {
        const char *name;
        double lr;
    } rates[] = {{"adadelta", 1}, {"adam", 0.002}, {"sgd", 0.1}};
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(sa_optimizers[i].name, rates[i].name);
        ck_assert_double_eq(sa_optimizers[i].lr, rates[i].lr);
    }
    ck_assert_ptr_null(sa_optimizers[3].name);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("optimizer", &tests);
    tcase_add_test(tests, adadelta_follows_algorithm_1);
    tcase_add_test(tests, adam_follows_algorithm_1);
    tcase_add_test(tests, momentum_adds_the_last_updates);
    tcase_add_test(tests, every_optimizer_has_its_rate);
    return suite_run(suite);
}
