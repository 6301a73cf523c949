/* The pointer-generator: what it mixes, what it does where it cannot copy, and its derivatives. */
#include "layers/loss.h"
#include "support/differences.h"

#include "support/suite.h"

static sa_mixture mixture_of(double z, bool known, bool in_source, double alpha, double rest) {
    return (sa_mixture){
        .z = z, .known = known, .in_source = in_source, .alpha = alpha, .rest = rest};
}

/* Words 1 to 3 with p = .2, .3, .5; the source is the second of them and an unknown word, which
 * attention gives .6 and .4; p_gen = 1/2. */
START_TEST(half_generated_half_copied) {
    static const struct {
        double p, alpha, P;
    } words[] = {{.2, 0, .1}, {.3, 0, .15}, {.5, .6, .55}, {0, .4, .2}};
    sa_mixture one = mixture_of(0, words[_i].p > 0, words[_i].alpha > 0, words[_i].alpha, 0);
    ck_assert_double_eq_tol(exp(sa_mixture_forward(&one, log(words[_i].p))), words[_i].P, 1e-15);
    ck_assert_double_eq_tol(one.generated, words[_i].p / 2 / words[_i].P, 1e-15);
    ck_assert_double_eq_tol(one.copied, words[_i].alpha / 2 / words[_i].P, 1e-15);
}
END_TEST

/* What the weights lack is generated: all words together have probability 1. */
START_TEST(nothing_is_lost) {
    static const double p[] = {.2, .3, .5, 0}, alpha[] = {0, .1, .3, .2};
    const double rest[] = {0, .4};
    for (int z = -40; z <= 40; z += 8) {
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            const double own = _i ? alpha[k] : alpha[k] / .6;
            sa_mixture one = mixture_of(z, p[k] > 0, own > 0, own, rest[_i]);
            sum += exp(sa_mixture_forward(&one, log(p[k])));
        }
        ck_assert_double_eq_tol(sum, 1, 1e-14);
    }
}
END_TEST

START_TEST(an_open_gate_leaves_the_softmax_alone) {
    const double log_p[] = {-1e-9, -0.7, -12.25, -300};
    for (int i = 0; i < 4; i++) {
        sa_mixture copied = mixture_of(800, true, true, .5, 0), absent = copied;
        absent.in_source = false;
        ck_assert_double_eq(sa_mixture_forward(&copied, log_p[i]), log_p[i]);
        ck_assert_double_eq(sa_mixture_forward(&absent, log_p[i]), log_p[i]);
        ck_assert_double_eq(copied.generated, 1);
        sa_mixture_backward(&copied, 1);
        ck_assert(fabs(copied.dz) < 1e-200 && fabs(copied.dalpha) < 1e-200);
    }
}
END_TEST

/* The golden values of a pointer network, PyTorch's in double: scores -1 .6 .1 .4 of the words 1,
 * 2, 1 and EOS; word 1 is right. */
START_TEST(a_pointer_network_has_the_weights_alone) {
    static const double e[] = {-1, .6, .1, .4}, de[] = {-.172890, .380639, -.519391, .311641};
    double alpha[4], sum = 0, G = 0;
    for (int j = 0; j < 4; j++) sum += exp(e[j]);
    for (int j = 0; j < 4; j++) alpha[j] = exp(e[j]) / sum;
    sa_mixture one = mixture_of(-INFINITY, false, true, alpha[0] + alpha[2], 0);
    ck_assert_double_eq_tol(-sa_mixture_forward(&one, 0), 1.178567, 1e-6);
    ck_assert_double_eq_tol(one.alpha, .307719, 1e-6);
    sa_mixture_backward(&one, 1);
    ck_assert_double_eq(one.dz, 0);
    ck_assert_double_eq(one.drest, 0);
    for (int j = 0; j < 4; j += 2) G += alpha[j] * one.dalpha;
    for (int j = 0; j < 4; j++)
        ck_assert_double_eq_tol(alpha[j] * ((j % 2 ? 0 : one.dalpha) - G), de[j], 1e-6);
}
END_TEST

/* Neither p_gen of 0 or 1 nor a weight of 0 makes a number that is not finite. */
START_TEST(extremes_are_finite) {
    static const double zs[] = {-1000, -40, 0, 40, 1000};
    for (int i = 0; i < 5 * 8; i++) {
        const bool known = i / 5 % 2, in_source = i / 10 % 2;
        sa_mixture one = mixture_of(zs[i % 5], known, in_source, i / 20 ? 0 : .5, 0);
        if (!known && !in_source) continue;
        ck_assert_double_le(sa_mixture_forward(&one, -900), 0);
        sa_mixture_backward(&one, 1);
        ck_assert(isfinite(sa_mixture_forward(&one, -900)) && isfinite(one.dz));
        ck_assert(isfinite(one.dalpha) && isfinite(one.drest));
        ck_assert_double_eq_tol(one.generated + one.copied, 1, 1e-12);
    }
}
END_TEST

static sa_mixture drawn_mixture;
static double drawn_log_p;

static double loss(void) {
    return -0.7 * sa_mixture_forward(&drawn_mixture, drawn_log_p);
}

START_TEST(mixture_backward) {
    const bool known = _i != 1, in_source = _i != 2;
    drawn_mixture = mixture_of(0.4 - 0.3 * _i, known, in_source, .3, _i == 3 ? .25 : 0);
    drawn_log_p = log(.15);
    loss();
    sa_mixture_backward(&drawn_mixture, 0.7);
    const sa_mixture found = drawn_mixture;
    ck_assert_double_eq_tol(found.dz, slope(loss, &drawn_mixture.z), 1e-10);
    if (in_source) ck_assert_double_eq_tol(found.dalpha, slope(loss, &drawn_mixture.alpha), 1e-9);
    if (_i == 3) ck_assert_double_eq_tol(found.drest, slope(loss, &drawn_mixture.rest), 1e-10);
    if (known) /* by log p(w): how much of the word is generated */
        ck_assert_double_eq_tol(-0.7 * found.generated, slope(loss, &drawn_log_p), 1e-10);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("pointer-generator", &tests);
    tcase_add_loop_test(tests, half_generated_half_copied, 0, 4);
    tcase_add_loop_test(tests, nothing_is_lost, 0, 2);
    tcase_add_test(tests, a_pointer_network_has_the_weights_alone);
    tcase_add_test(tests, an_open_gate_leaves_the_softmax_alone);
    tcase_add_test(tests, extremes_are_finite);
    tcase_add_loop_test(tests, mixture_backward, 0, 4);
    return suite_run(suite);
}
