/* Graves' window: weights of Gaussians whose centers move on, by hand. Gradients are in
 * grad_attention.c. */
#include "support/attending.h"
#include "support/suite.h"

/* Heights, sharpnesses and steps of three Gaussians. */
static const double given[] = {1, 2, .5, 1, .5, 2, 1, 2, .5};

/* The exponentials of W_a s + b_a are the given numbers. The centers begin at 0 and are at 1, 2 and
 * .5 for the first target word, at 2, 4 and 1 for the second; source words count from 1. */
START_TEST(centers_move_on) {
    enum { WORDS = 4 };
    attention_settings(SA_ATTENTION_GRAVES);
    ck_assert(decoder_open());
    const int part = sa_part_find(&w, &sa_graves_part);
    sa_attention_carry_begin(&w, rows.previous_carry);
    for (int i = 1; i <= 2; i++) {
        sa_head at = bare_head(WORDS);
        const sa_mat before = sa_part_carry(&w, part, at.rows.previous_carry, 0, 0),
                     centers = sa_part_carry(&w, part, at.rows.carry, 0, 0);
        for (int n = 0; n < 9; n++) {
            at.v_a.x[n] = .1 * (n + 1);
            at.q.x[n] = log(given[n]) - at.v_a.x[n];
        }
        sa_graves_part.forward[SA_PLACE_KEYS](&w, part, &at);
        sa_score_forward(&w, &at);
        for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(centers.x[k], i * given[6 + k], 1e-14);
        for (int j = 1; j <= WORDS; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += given[k] * exp(-given[3 + k] * pow(i * given[6 + k] - j, 2));
            ck_assert_double_eq_tol(at.alpha.x[j - 1], sum, 1e-14);
        }
        sa_copy_mat(centers, before);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("Graves' window", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, centers_move_on);
    return suite_run(suite);
}
