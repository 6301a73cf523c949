/* What a decoder-only model must be for any weights: what a row depends on, and which queries have
 * a gradient. (grad_model.c and others test it as every model.) */
#include "model/seq2seq.h"
#include "support/numbers.h"
#include "support/suite.h"
#include "support/variants.h"

#include <string.h>

enum { S = 5, T = 4, K = 9, ROWS = S + T - 1 };

static sa_settings settings;
static sa_params plan;
static sa_sizes sizes;
static sa_seq2seq w;
static sa_mat weights;

typedef struct result {
    sa_batch batch;
    sa_pass pass;
} result;

static void model_open(int prefix, int layers) {
    spoil(numbers.size);
    settings = small_of(SA_MODEL_DECODER_ONLY);
    settings.prefix = prefix, settings.layers = layers, settings.heads = 2;
    sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    weights = drawn(1, (int)plan.size);
    sa_seq2seq_bind_buffer(&sizes, weights.x, &w);
}

/* A pass over x_1 .. x_5 and y_1 .. y_4, of which one word is another: number `changed` from 0, the
 * source's first; negative: none. */
static result run(int changed, sa_mat *gradient) {
    int32_t ids[S + T] = {3, 4, 5, 6, SA_EOS, 7, 3, 8, SA_EOS};
    if (changed >= 0) ids[changed] = SA_UNK;
    const sa_sentence source = {ids, S}, target = {ids + S, T};
    sa_seq2seq dw;
    result r = {.batch = sa_batch_build(&numbers, &source, &target, 1)};
    sa_pass_layout(&numbers, &w, &r.batch, true, &r.pass);
    if (gradient) sa_seq2seq_bind_buffer(&sizes, gradient->x, &dw);
    sa_seq2seq_loss(&w, &r.batch, (sa_regularizer){0}, &r.pass, gradient ? &dw : NULL);
    return r;
}

static sa_mat out_of(const result *r) {
    return r->pass.transformer.decoder.out;
}

/* Whether row i (from 0) is the same, to the bit, and so are the weights of all layers. */
static bool is_same(const result *one, const result *other, int i) {
    const size_t width = sizeof(sa_real) * (size_t)settings.embed;
    bool same = memcmp(sa_row(out_of(one), i), sa_row(out_of(other), i), width) == 0;
    for (int layer = 0; layer < settings.layers; layer++) {
        const sa_mat a = one->pass.transformer.decoder.layer[layer].self.rows.alpha,
                     b = other->pass.transformer.decoder.layer[layer].self.rows.alpha;
        same = same && memcmp(sa_row(a, i), sa_row(b, i), sizeof(sa_real) * (size_t)a.cols) == 0;
    }
    return same;
}

/* A word changes its own row and those that see it: later ones and, of a full prefix, all. */
START_TEST(rows_depend_on_what_they_see) {
    const bool full = _i == SA_PREFIX_FULL;
    model_open(_i, 2);
    const result original = run(-1, NULL);
    ck_assert_int_eq(out_of(&original).rows, ROWS);
    for (int word = 0; word < ROWS; word++) {
        const result other = run(word, NULL);
        for (int i = 0; i < ROWS; i++)
            ck_assert_int_eq(is_same(&original, &other, i), word > i && (word >= S || !full));
    }
}
END_TEST

/* The last word is predicted, and never read. */
START_TEST(last_word_is_not_read) {
    model_open(_i, 2);
    const result original = run(-1, NULL), other = run(S + T - 1, NULL);
    for (int i = 0; i < ROWS; i++) ck_assert(is_same(&original, &other, i));
    ck_assert_double_ne(original.pass.log_p[T - 1], other.pass.log_p[T - 1]);
}
END_TEST

/* Rows before the last of the source predict nothing: in the last layer, here the only one, their
 * queries have no gradient, but their keys and values do. */
START_TEST(prefix_learns_through_keys_and_values) {
    model_open(_i, 1);
    sa_mat gradient = filled(1, (int)plan.size, 0);
    const result r = run(-1, &gradient);
    const sa_attention_workspace *own = r.pass.transformer.decoder.attention;
    const sa_mat dq = own->drows.q, dk = own->dmemory.keys, dv = own->dmemory.values;
    for (int i = 0; i < ROWS; i++) {
        double q = 0, k = 0, v = 0;
        for (int d = 0; d < dq.cols; d++) q += fabs(sa_row(dq, i)[d]);
        for (int d = 0; d < dk.cols; d++) k += fabs(sa_row(dk, i)[d]);
        for (int d = 0; d < dv.cols; d++) v += fabs(sa_row(dv, i)[d]);
        ck_assert_int_eq(q == 0, i < S - 1);
        ck_assert_double_gt(k, 0);
        ck_assert_double_gt(v, 0);
    }
}
END_TEST

/* The weights of target position t over the source and over what the decoder reads are parts of one
 * row, which share the source's EOS. */
START_TEST(sites_are_parts_of_one_row) {
    model_open(_i, 2);
    const result r = run(-1, NULL);
    for (int layer = 0; layer < 2; layer++)
        for (int k = 0; k < 2; k++)
            for (int t = 0; t < T; t++) {
                const sa_mat cross =
                    sa_pass_weights(&w, &r.pass, &r.batch, SA_SITE_CROSS, layer, k, 0, t);
                const sa_mat own =
                    sa_pass_weights(&w, &r.pass, &r.batch, SA_SITE_DECODER, layer, k, 0, t);
                double sum = 0;
                ck_assert_int_eq(cross.cols, S);
                ck_assert_int_eq(own.cols, T);
                ck_assert_double_eq(cross.x[S - 1], own.x[0]);
                for (int j = 0; j < S; j++) sum += cross.x[j];
                for (int j = 1; j < T; j++) sum += own.x[j];
                for (int j = t + 1; j < T; j++) ck_assert_double_eq(own.x[j], 0);
                ck_assert_double_eq_tol(sum, 1, 1e-15);
            }
}
END_TEST

/* Sets the log-probabilities of the target words with that attention and hybrid stack. */
static void log_p_of(int model, int attention, int hybrid, double log_p[T]) {
    settings = small_of(model);
    settings.layers = settings.heads = 2, settings.attn = 8;
    settings.attention = attention, settings.hybrid = hybrid;
    sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    numbers_open();
    sa_seq2seq_bind_buffer(&sizes, drawn(1, (int)plan.size).x, &w);
    const result r = run(-1, NULL);
    for (int t = 0; t < T; t++) log_p[t] = r.pass.log_p[t];
}

/* Full in every layer: softmax to the bit, whatever the score; in none, but for attention between
 * decoder and encoder: that score. */
START_TEST(the_ends_of_hybrid_stacks_are_plain) {
    static const int scores[] = {SA_ATTENTION_LINEAR, SA_ATTENTION_QK_NORM};
    double full[T], other[T];
    log_p_of(SA_MODEL_TRANSFORMER + _i, SA_ATTENTION_SCALED_DOT, 0, full);
    log_p_of(SA_MODEL_TRANSFORMER + _i, SA_ATTENTION_DELTANET, 1, other);
    ck_assert_mem_eq(full, other, sizeof full);
    log_p_of(SA_MODEL_TRANSFORMER + _i, SA_ATTENTION_LINEAR, 2, other);
    ck_assert_mem_ne(full, other, sizeof full);
    for (int k = 0; k < 2; k++) {
        log_p_of(SA_MODEL_DECODER_ONLY, scores[k], 0, full);
        log_p_of(SA_MODEL_DECODER_ONLY, scores[k], 3, other);
        ck_assert_mem_eq(full, other, sizeof full);
    }
}
END_TEST

/* One for each word that is read: both sides of up to max_len words and EOS of the source; in an
 * encoder or a decoder, one side and EOS. */
START_TEST(positions_are_learned_for_all_that_is_read) {
    settings = small_of(_i ? SA_MODEL_DECODER_ONLY : SA_MODEL_TRANSFORMER);
    settings.positions = SA_POSITIONS_LEARNED, settings.max_len = 8;
    sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    ck_assert_int_eq(sa_params_find(&plan, "target.P")->rows, _i ? 8 + 1 + 8 : 8 + 1);
    if (_i)
        ck_assert_ptr_null(sa_params_find(&plan, "source.P"));
    else
        ck_assert_int_eq(sa_params_find(&plan, "source.P")->rows, 8 + 1);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("decoder-only", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, rows_depend_on_what_they_see, 0, 2);
    tcase_add_loop_test(tests, last_word_is_not_read, 0, 2);
    tcase_add_loop_test(tests, prefix_learns_through_keys_and_values, 0, 2);
    tcase_add_loop_test(tests, sites_are_parts_of_one_row, 0, 2);
    tcase_add_loop_test(tests, the_ends_of_hybrid_stacks_are_plain, 0, 2);
    tcase_add_loop_test(tests, positions_are_learned_for_all_that_is_read, 0, 2);
    return suite_run(suite);
}
