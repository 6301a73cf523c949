/* Decoding word by word gives the results of a forward pass over the same words: every model, every
 * hypothesis of a branching tree, to 1e-12 in double. */
#include "inference/ensemble.h"
#include "support/numbers.h"
#include "support/suite.h"
#include "support/variants.h"
#include "tensor/vec.h"

#include <string.h>

enum { K = 7, SOURCES = 3, STEPS = 6, ROWS = 6 };

static sa_seq2seq w;
static sa_store store;
static sa_ensemble alone;
static sa_sentence sources[SOURCES];

typedef struct line {
    int sentence; /* in the order of the decoder's batch */
    int32_t read[STEPS + 1];
} line;

/* Random weights and sources of 4, 1 and 5 words. Memory begins as NaN, so that what is read before
 * it is written spoils the result. */
static void model_open(int number, const sa_override *override) {
    static const int32_t words[] = {3, 6, 4, SA_EOS, SA_EOS, 5, SA_UNK, 3, 5, SA_EOS};
    static sa_params plan;
    spoil(numbers.size);
    const sa_settings settings = variant_settings(number);
    const sa_sizes sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    sa_store_release(&store);
    store = (sa_store){.use = SA_STORE_INFERENCE, .rows = ROWS};
    ck_assert(sa_seq2seq_open_stored(&sizes, drawn(1, (int)plan.size).x, &store, &w, NULL));
    sources[0] = (sa_sentence){words, 4}, sources[1] = (sa_sentence){words + 4, 1};
    sources[2] = (sa_sentence){words + 5, 5};
    const sa_seq2seq *const model = &w;
    const sa_sentence *const from = sources;
    ck_assert(sa_ensemble_open(&alone, &model, 1, override, NULL));
    sa_ensemble_layout(&numbers, &alone, &from, SOURCES, ROWS, STEPS);
    sa_ensemble_begin(&alone);
}

/* ---- The pass over a hypothesis -------------------------------------------------------------- */

typedef struct whole {
    sa_batch batch;
    sa_pass pass;
    double log_p[K]; /* of every next word */
} whole;

/* K targets that differ in their last word, number i. */
static void pass_over(const line *written, int i, const sa_override *override, whole *found) {
    const sa_sentence source = sources[alone.states->batch.source.order[written->sentence]];
    int32_t ids[K][STEPS + 1];
    sa_sentence same[K], target[K];
    for (int32_t k = 0; k < K; k++) {
        memcpy(ids[k], written->read + 1, sizeof ids[k] - sizeof **ids);
        ids[k][i - 1] = k;
        same[k] = source, target[k] = (sa_sentence){ids[k], i};
    }
    found->batch = sa_batch_build(&numbers, same, target, K);
    sa_seq2seq replaced = w;
    if (override) sa_seq2seq_override(&replaced, override);
    sa_pass_layout(&numbers, &replaced, &found->batch, false, &found->pass);
    sa_seq2seq_loss(&replaced, &found->batch, (sa_regularizer){0}, &found->pass, NULL);
    for (int k = 0; k < K; k++) {
        const int row = found->batch.target.start[i - 1] + k;
        found->log_p[found->batch.target.order[k]] = found->pass.log_p[row];
    }
}

/* The attention weights of row l of the step. */
static sa_mat weights_of(int layer, int head, int l, int S) {
    return sa_attention_head(sa_decode_weights(&w, &alone.states->cache, layer), l,
                             sa_seq2seq_heads(&w), head, S);
}

static void expect_the_same(const line *written, int i, int l, int row,
                            const sa_override *override) {
    static whole all;
    const size_t used = numbers.used;
    const int S = alone.states->batch.source.len[written->sentence];
    pass_over(written, i, override, &all);
    sa_mat p = unset(1, K);
    sa_copy_mat(sa_rows(alone.states->logits, row, 1), p);
    sa_softmax(p);
    for (int k = 0; k < K; k++) ck_assert_double_eq_tol(log(p.x[k]), all.log_p[k], 1e-12);
    for (int layer = 0; layer < sa_seq2seq_layers(&w, SA_SITE_CROSS); layer++)
        for (int head = 0; head < sa_seq2seq_heads(&w); head++) {
            const sa_mat alpha =
                sa_pass_weights(&w, &all.pass, &all.batch, SA_SITE_CROSS, layer, head, 0, i - 1);
            ck_assert_double_le(farthest(weights_of(layer, head, l, S), alpha), 1e-12);
        }
    numbers.used = used;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

/* Row l of step i continues row from[i][l] of the step before; -1 after the last row. */
static const int forced[STEPS][ROWS + 1] = {{0, 1, 2, -1}, {0, 1, 2, -1}, {0, 1, 2, -1},
                                            {0, 1, -1},    {0, 1, -1},    {0, -1}};
static const int branching[STEPS][ROWS + 1] = {{0, 1, 2, -1}, {2, 0, 0, 1, 2, 0, -1},
                                               {5, 1, 4, -1}, {2, 2, 1, 0, 2, -1},
                                               {4, 0, -1},    {1, 0, 1, 1, 0, 1, -1}};

static void decode_and_compare(const int tree[STEPS][ROWS + 1], const sa_override *override) {
    line before[ROWS], now[ROWS];
    for (int sentence = 0; sentence < SOURCES; sentence++)
        before[sentence] = (line){.sentence = sentence};
    for (int i = 1; i <= STEPS; i++) {
        const int *from = tree[i - 1];
        int L = 0;
        for (; from[L] >= 0; L++) {
            now[L] = before[from[L]];
            const int32_t word = i == 1 ? SA_BOS : (int32_t)sa_rng_below(&dice, K);
            now[L].read[i - 1] = word;
            sa_ensemble_set(&alone, L, (sa_continuation){now[L].sentence, from[L], word});
        }
        sa_error error;
        ck_assert(sa_ensemble_step(&alone, i, L, &error));
        for (int l = 0; l < L; l++) {
            const int rows[] = {L - 1 - l, l}, count = l % 2 ? 1 : 2; /* alone, and after another */
            sa_ensemble_logits(&alone, rows + 2 - count, count);
            expect_the_same(&now[l], i, l, count - 1, override);
        }
        memcpy(before, now, sizeof before);
    }
    sa_ensemble_release(&alone);
}

START_TEST(a_forced_target) {
    model_open(_i, NULL);
    decode_and_compare(forced, NULL);
}
END_TEST

START_TEST(hypotheses_that_branch) {
    model_open(_i, NULL);
    decode_and_compare(branching, NULL);
}
END_TEST

START_TEST(an_override_of_the_weights) {
    const sa_override shifted = {.chosen = {SA_OVERRIDE_SHIFT, 1}};
    model_open(_i, &shifted);
    decode_and_compare(branching, &shifted);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("writing word by word", &tests);
    const int models = count_models();
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, a_forced_target, 0, models);
    tcase_add_loop_test(tests, hypotheses_that_branch, 0, models);
    tcase_add_loop_test(tests, an_override_of_the_weights, 0, models);
    return suite_run(suite);
}
