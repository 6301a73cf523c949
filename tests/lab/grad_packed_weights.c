/* Gradients of models and batches large enough for products with packed weights; those of the
 * other gradient tests are too small. The linker wraps the functions so that calls are counted. */
#include "lab/lab.h"
#include "support/suite.h"
#include "support/variants.h"
#include "tensor/packed.h"

#include <stdio.h>

enum { SENTENCES = 5, HIDDEN = 11 };

static struct counts {
    long transposed, straight; /* matrices packed for products forward and backward */
    long products;             /* of four rows or more */
    long crossing;             /* from one panel into another */
} counts;

__typeof__(sa_packed_of) __real_sa_packed_of_f64, __wrap_sa_packed_of_f64;
sa_packed __wrap_sa_packed_of_f64(sa_mat W, sa_mat buffer, bool transposed) {
    *(transposed ? &counts.transposed : &counts.straight) += buffer.x && W.x;
    return __real_sa_packed_of_f64(W, buffer, transposed);
}

__typeof__(sa_packed_multiply) __real_sa_packed_multiply_f64, __wrap_sa_packed_multiply_f64;
void __wrap_sa_packed_multiply_f64(bool transposed, sa_mat a, sa_packed W, sa_real beta, sa_mat c) {
    if (a.rows >= 4) {
        counts.products++;
        counts.crossing += W.offset % SA_PACKED_WIDTH + c.cols > SA_PACKED_WIDTH;
    }
    __real_sa_packed_multiply_f64(transposed, a, W, beta, c);
}

/* Steps of 5, 4 and 1 rows on both sides. */
static void check(const sa_settings *settings) {
    static const int32_t words[] = {4, 3, 5, SA_UNK, 4, 5, SA_EOS};
    enum { MOST = sizeof words / sizeof *words };
    static const int lengths[SENTENCES][2] = {{2, 2}, {3, 3}, {2, 2}, {1, 2}, {2, 1}};
    sa_sentence source[SENTENCES], target[SENTENCES];
    for (int b = 0; b < SENTENCES; b++) {
        source[b] = (sa_sentence){words + MOST - lengths[b][0], lengths[b][0]};
        target[b] = (sa_sentence){words + MOST - lengths[b][1], lengths[b][1]};
    }
    sa_error error;
    ck_assert_msg(sa_lab_check(&(sa_lab_job){.options.settings = settings,
                                             .pairs = {source, target, SENTENCES, 6, 6},
                                             .sample = TEST_SANITIZED ? 6 : 0},
                               &error),
                  "%s", error.text);
}

/* The gates of one unit fill more than one panel of packed weights. */
static void check_wide(sa_settings settings) {
    settings.hidden = HIDDEN, settings.embed = 2, settings.attn = 3;
    settings.max_len = 10;
    counts = (struct counts){0};
    check(&settings);
    ck_assert_int_gt(counts.transposed, 0);
    ck_assert_int_gt(counts.straight, 0);
    ck_assert_int_gt(counts.products, counts.straight);
    ck_assert(counts.crossing ||
              sa_cell_find(settings.cell, false, false)->blocks * HIDDEN <= SA_PACKED_WIDTH);
}

START_TEST(every_cell) {
    sa_settings settings = small_settings();
    settings.cell = _i;
    check_wide(settings);
}
END_TEST

/* Also the second cell of a step, and normalized products. */
START_TEST(conditional_unit_with_norms) {
    sa_settings settings = small_settings();
    while (!sa_decoder_kinds[settings.decoder].context_cell) settings.decoder++;
    settings.cell_norm = true;
    check_wide(settings);
}
END_TEST

int main(void) {
    if (!sa_packed_supported()) {
        puts("this processor has no kernel for packed weights: skipped");
        return 77;
    }
    TCase *tests;
    Suite *suite = suite_of("gradients through packed weights", &tests);
    tcase_add_loop_test(tests, every_cell, SA_CELL_GRU, SA_CELL_RNN + 1);
    tcase_add_test(tests, conditional_unit_with_norms);
    return suite_run(suite);
}
