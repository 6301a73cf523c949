/* A model on a batch of sentences of different lengths gives the results of the sentences one by
 * one; what attention and gradients must be for any weights. */
#include "model/seq2seq.h"
#include "support/numbers.h"
#include "support/suite.h"
#include "support/variants.h"

#include <string.h>

enum { PAIRS = 6, WORDS = 12, ABSENT = 7, K = 9 };

static const struct {
    int source, target;
} lengths[PAIRS] = {{3, 4}, {8, 1}, {1, 7}, {5, 4}, {3, 2}, {2, 6}}; /* two ties */

static int32_t ids[2][PAIRS][WORDS];
static sa_sentence source[PAIRS], target[PAIRS];

static sa_settings settings;
static sa_sizes sizes;
static sa_params plan;
static sa_mat weights;
static sa_seq2seq w;

/* Without BOS and ABSENT; EOS last. */
static sa_sentence sentence_of(int32_t *words, int length) {
    for (int i = 0; i < length; i++) {
        do words[i] = (int32_t)sa_rng_below(&dice, K);
        while (words[i] == SA_BOS || words[i] == SA_EOS || words[i] == ABSENT);
    }
    words[length - 1] = SA_EOS;
    return (sa_sentence){words, length};
}

/* Memory begins as NaN: what is read too early spoils the result. A test leaves the rest alone, so
 * that only what the one before used must be made NaN again. */
static void memory_open(void) {
    const bool fresh = !numbers.base;
    numbers_open();
    if (fresh) spoil(numbers.size);
}

static void memory_close(void) {
    const size_t used = numbers.used;
    numbers_close();
    spoil(used);
}

/* Random weights and pairs. */
static void model_open(int number) {
    settings = variant_settings(number);
    settings.dropout = settings.dropout_state = settings.dropout_layers = 0.5; /* for masks */
    sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    weights = drawn(1, (int)plan.size);
    sa_seq2seq_bind_buffer(&sizes, weights.x, &w);
    for (int p = 0; p < PAIRS; p++) {
        source[p] = sentence_of(ids[0][p], lengths[p].source);
        target[p] = sentence_of(ids[1][p], lengths[p].target);
    }
}

typedef struct result {
    double loss;
    sa_batch batch;
    sa_pass pass;
} result;

/* Loss and activations of some pairs. Their gradient, as part of `whole` pairs, is added to
 * `gradient` unless that is NULL. */
static result run(const sa_sentence *from, const sa_sentence *to, int count, int whole,
                  sa_mat *gradient) {
    sa_seq2seq dw;
    result r = {.batch = sa_batch_build(&numbers, from, to, count)};
    if (gradient) sa_seq2seq_bind_buffer(&sizes, gradient->x, &dw);
    sa_pass_layout(&numbers, &w, &r.batch, true, &r.pass);
    r.batch.whole = whole;
    r.loss = sa_seq2seq_loss(&w, &r.batch, (sa_regularizer){0}, &r.pass, gradient ? &dw : NULL);
    return r;
}

static sa_mat zeros(void) {
    return filled(1, (int)plan.size, 0);
}

/* Tensor by tensor, against the larger of the two. */
static void expect_close(sa_mat a, sa_mat b) {
    for (int i = 0; i < plan.count; i++) {
        sa_mat ai = sa_param_mat(&plan.item[i], a.x), bi = sa_param_mat(&plan.item[i], b.x);
        const double size = farthest(ai, filled(ai.rows, ai.cols, 0));
        const double apart = farthest(ai, bi);
        ck_assert_msg(apart <= 1e-12 * size, "%s: %.3g apart, largest %.3g", plan.item[i].name,
                      apart, size);
    }
}

/* ---- Batches --------------------------------------------------------------------------------- */

START_TEST(batch_is_the_sum_of_its_pairs) {
    model_open(_i);
    sa_mat together = zeros(), summed = zeros();
    const result all = run(source, target, PAIRS, PAIRS, &together);
    double loss = 0;
    for (int p = 0; p < PAIRS; p++)
        loss += run(source + p, target + p, 1, PAIRS, &summed).loss; /* adds to summed */
    ck_assert_double_eq_tol(all.loss, loss, 1e-12 * loss);
    expect_close(together, summed);
    ck_assert_double_eq(run(source, target, PAIRS, PAIRS, NULL).loss, all.loss);
}
END_TEST

START_TEST(gradient_is_divided_by_the_whole_batch) {
    model_open(_i);
    sa_mat one = zeros(), many = zeros();
    run(source, target, PAIRS, 1, &one);
    for (int i = 0; i < 8; i++) run(source, target, PAIRS, 8, &many);
    expect_close(one, many);
}
END_TEST

/* The weights of head k in the last layer for target position t of sentence b. */
static sa_mat weights_of(const result *r, int b, int t, int k) {
    const int last = sa_seq2seq_layers(&w, SA_SITE_CROSS) - 1;
    return sa_pass_weights(&w, &r->pass, &r->batch, SA_SITE_CROSS, last, k, b, t);
}

/* They sum to 1, or to less with the Gaussian of local-p or a null key; others
 * may have any sum. */
static void expect_same_weights(sa_mat alpha, sa_mat alone) {
    const sa_score *score = &sa_scores[settings.attention];
    double sum = 0;
    ck_assert_double_le(farthest(alpha, alone), 1e-13);
    for (int j = 0; j < alpha.cols; j++) sum += alpha.x[j];
    if (sa_rare_of(score->part)->any_sum) return;
    if (sa_normalizers[settings.normalizer].any_sum) return;
    ck_assert_double_le(sum, 1 + 1e-15);
    if (settings.model == SA_MODEL_DECODER_ONLY) return; /* the rest is on target words */
    if (!sa_attention_lacks(sa_seq2seq_attention(&w))) ck_assert_double_ge(sum, 1 - 1e-15);
}

START_TEST(words_and_attention_do_not_see_the_batch) {
    model_open(_i);
    const result all = run(source, target, PAIRS, PAIRS, NULL);
    const sa_batch_side *side = &all.batch.target;
    for (int b = 0; b < PAIRS; b++) {
        const int p = side->order[b];
        const result one = run(source + p, target + p, 1, 1, NULL);
        for (int t = 0; t < target[p].len; t++) {
            const int row = side->start[t] + b;
            ck_assert_int_eq(side->ids[row], target[p].ids[t]);
            ck_assert_double_eq_tol(all.pass.log_p[row], one.pass.log_p[t], 1e-12);
            for (int k = 0; k < sa_seq2seq_heads(&w) && sa_seq2seq_attends(&w); k++)
                expect_same_weights(weights_of(&all, b, t, k), weights_of(&one, 0, t, k));
        }
    }
}
END_TEST

START_TEST(order_of_pairs_does_not_matter) {
    static const int order[PAIRS] = {4, 2, 5, 0, 3, 1};
    model_open(_i);
    sa_sentence from[PAIRS], to[PAIRS];
    for (int p = 0; p < PAIRS; p++) from[p] = source[order[p]], to[p] = target[order[p]];
    sa_mat one = zeros(), other = zeros();
    const double loss = run(source, target, PAIRS, PAIRS, &one).loss;
    ck_assert_double_eq_tol(run(from, to, PAIRS, PAIRS, &other).loss, loss, 1e-12 * loss);
    expect_close(one, other);
}
END_TEST

/* ---- Invariants ------------------------------------------------------------------------------ */

/* Where a pointer network can only point at EOS, no word that it reads matters. */
static bool occurs(const sa_sentence *sentences, int word, bool as_input) {
    const bool points = !sa_seq2seq_readout(&w)->W_o.mat.rows;
    for (int p = 0; p < PAIRS; p++)
        for (int i = 0; i < sentences[p].len - as_input && !(points && source[p].len == 1); i++)
            if (sentences[p].ids[i] == word) return true;
    return as_input && word == SA_BOS;
}

START_TEST(absent_word_has_no_gradient) {
    model_open(_i);
    sa_mat gradient = zeros();
    sa_seq2seq dw;
    run(source, target, PAIRS, PAIRS, &gradient);
    sa_seq2seq_bind_buffer(&sizes, gradient.x, &dw);
    const bool recurrent = dw.recurrent;
    const sa_mat nothing = filled(1, settings.embed, 0);
    const sa_mat source_E = recurrent ? dw.encoder.E : dw.transformer.source_E;
    const sa_mat target_E = recurrent ? dw.decoder.E : dw.transformer.target_E;
    for (int word = 0; word < K && settings.tie == SA_TIE_NONE; word++) {
        const double of_source = farthest(sa_rows(source_E, word, 1), nothing);
        const double of_target = farthest(sa_rows(target_E, word, 1), nothing);
        ck_assert_int_eq(of_source != 0, occurs(source, word, false));
        ck_assert_int_eq(of_target != 0, occurs(target, word, true));
    }
    ck_assert(!occurs(source, ABSENT, false) && !occurs(target, SA_EOS, true));
}
END_TEST

/* v_a is zero, so all scores are equal. */
START_TEST(attention_starts_uniform_in_the_paper) {
    model_open(0);
    ck_assert_str_eq(sa_scores[settings.attention].name, "additive");
    ck_assert(sa_params_init(&plan, weights.x, 1, (uint64_t)_i, NULL));
    const result all = run(source, target, PAIRS, PAIRS, NULL);
    for (int b = 0; b < PAIRS; b++) {
        const int p = all.batch.target.order[b], S = source[p].len;
        for (int t = 0; t < target[p].len; t++) {
            sa_mat alpha = weights_of(&all, b, t, 0);
            ck_assert_double_eq(farthest(alpha, filled(1, S, 1.0 / S)), 0);
        }
    }
}
END_TEST

/* How often a word occurs among those of a sentence. */
static double frequency(int32_t word, sa_sentence sentence) {
    double count = 0;
    for (int j = 0; j < sentence.len; j++) count += sentence.ids[j] == word;
    return count / sentence.len;
}

/* It generates every word equally and, where it copies, every other word from anywhere; a pointer
 * network generates none, and what the source lacks has 1e-30. */
START_TEST(model_of_zeros_knows_nothing) {
    model_open(_i);
    fill(weights, 0);
    const result all = run(source, target, PAIRS, PAIRS, NULL);
    for (int b = 0; b < PAIRS; b++) {
        const int p = all.batch.target.order[b];
        for (int t = 0; t < target[p].len; t++) {
            const double copied = frequency(target[p].ids[t], source[p]);
            const bool points = !sa_seq2seq_readout(&w)->W_o.mat.rows;
            ck_assert_double_eq_tol(all.pass.log_p[all.batch.target.start[t] + b],
                                    points          ? log(fmax(copied, 1e-30))
                                    : settings.copy ? log((1.0 / K + copied) / 2)
                                                    : -log(K),
                                    1e-15);
        }
    }
}
END_TEST

static double dropped(result *r, sa_dropout dropout, sa_rng *rng) {
    return sa_seq2seq_loss(&w, &r->batch, (sa_regularizer){.dropout = dropout, .rng = rng},
                           &r->pass, NULL);
}

/* Equal generators give equal masks, others give others, and the generator advances. Every kind of
 * dropout alone: one that the family does not have draws nothing. */
START_TEST(dropout_comes_from_the_generator) {
    static const struct {
        sa_dropout dropout;
        bool of[2]; /* which families have it */
    } kinds[] = {
        {{.words = 0.5}, {true, true}},
        {{.all = 0.5}, {true, true}},
        {{.state = 0.5}, {true, false}},
    };
    model_open(_i);
    result r = run(source, target, PAIRS, PAIRS, NULL);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const sa_dropout at = kinds[k].dropout;
        const sa_rng start = sa_rng_seed(3, 1);
        sa_rng one = start, same = start, other = sa_rng_seed(4, 1);
        const double first = dropped(&r, at, &one);
        ck_assert_double_eq(dropped(&r, at, &same), first);
        if (kinds[k].of[settings.model != SA_MODEL_RECURRENT]) {
            ck_assert_double_ne(dropped(&r, at, &other), first);
            ck_assert_double_ne(dropped(&r, at, &one), first);
        } else {
            ck_assert_double_eq(first, r.loss);
            ck_assert_uint_eq(one.state, start.state);
        }
        ck_assert_double_eq(dropped(&r, (sa_dropout){0}, NULL), r.loss);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("model in double", &tests);
    const int rows = count_models();
    tcase_add_checked_fixture(tests, memory_open, memory_close);
    tcase_add_loop_test(tests, batch_is_the_sum_of_its_pairs, 0, rows);
    tcase_add_loop_test(tests, gradient_is_divided_by_the_whole_batch, 0, rows);
    tcase_add_loop_test(tests, words_and_attention_do_not_see_the_batch, 0, rows);
    tcase_add_loop_test(tests, order_of_pairs_does_not_matter, 0, rows);
    tcase_add_loop_test(tests, absent_word_has_no_gradient, 0, rows);
    tcase_add_loop_test(tests, attention_starts_uniform_in_the_paper, 0, 3);
    tcase_add_loop_test(tests, model_of_zeros_knows_nothing, 0, rows);
    tcase_add_loop_test(tests, dropout_comes_from_the_generator, 0, rows);
    return suite_run(suite);
}
