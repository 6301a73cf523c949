/* Word aligners whose calls for memory fail, each alone and with all later ones. */
#include "support/memory_failures.h"

#include "aligner/aligner.h"
#include "support/suite.h"

enum { A = 3, B = 4, WORDS = 5 };

static const sa_sentence source[] = {{(int32_t[]){A, B, SA_EOS}, 3}, {(int32_t[]){B, SA_EOS}, 2}};
static const sa_sentence target[] = {{(int32_t[]){B, SA_EOS}, 2}, {(int32_t[]){A, B, SA_EOS}, 3}};
static const sa_aligner_pairs pairs = {source, target, 2};
static int which;

static bool learn(sa_error *why) {
    sa_aligner_model model;
    double weights[9], log_p[3];
    const sa_aligner_options options = {which, 2, 1, 0, .samplers = 2};
    const bool good = sa_aligner_learn(&model, &options, &pairs, WORDS, WORDS, NULL, NULL, why) &&
                      sa_aligner_weights(&model, &source[0], &target[1], weights, log_p, why);
    sa_aligner_model_release(&model);
    return good;
}

START_TEST(memory_runs_out) {
    which = _i;
    ck_assert_int_eq(fail_allocations(learn), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("aligner_memory", &tests);
    tcase_add_loop_test(tests, memory_runs_out, 0, SA_ALIGNER_FERTILITY + 1);
    return suite_run(suite);
}
