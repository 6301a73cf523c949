/* What must hold of a sentence on its own: what its weights are, and what may move them. */
#include "base/memory.h"
#include "lab/invariance.h"
#include "tensor/vec.h"

#include <stdlib.h>
#include <string.h>

/* ---- Row sums -------------------------------------------------------------------------------- */

/* How far the weights of a row are from being shares of 1. A Gaussian takes from them, but inside
 * the window, two standard deviations wide, leaves exp(-2) of each. */
static double row_sum_error(sa_mat alpha, bool gaussian) {
    double sum = 0, off = 0;
    for (int j = 0; j < alpha.cols; j++) {
        sum += alpha.x[j];
        off = sa_lab_nan_max(off, -alpha.x[j]);
    }
    const double least = gaussian ? exp(-2) : 1;
    return sa_lab_nan_max(off, sa_lab_nan_max(sum - 1, least - sum));
}

/* Of all heads of a pair in one place; rows: those words that ask. */
static double row_sum_errors(const sa_lab_subject *subject, sa_lab_view view,
                             sa_attention_site site, int rows) {
    const sa_seq2seq *w = &subject->run.w;
    const bool gaussian = sa_lab_attention(subject)->window == SA_WINDOW_LOCAL_P;
    double worst = 0;
    for (int layer = 0; layer < sa_seq2seq_layers(w, site); layer++)
        for (int k = 0; k < sa_seq2seq_heads(w); k++)
            for (int t = 0; t < rows; t++)
                worst = sa_lab_nan_max(
                    worst, row_sum_error(sa_lab_weights(view, site, layer, k, t), gaussian));
    return worst;
}

bool sa_measure_row_sums(sa_lab_subject *subject, double *worst, sa_error *error) {
    sa_lab_trial all;
    const bool good = sa_lab_open_all(subject, &all, error);
    for (int p = 0; good && p < subject->pairs.count; p++) {
        const sa_lab_view view = {&all, p};
        const int S = subject->pairs.source[p].len, T = subject->pairs.target[p].len;
        *worst = sa_lab_nan_max(*worst, row_sum_errors(subject, view, SA_SITE_CROSS, T));
        *worst = sa_lab_nan_max(*worst, row_sum_errors(subject, view, SA_SITE_ENCODER, S));
        *worst = sa_lab_nan_max(*worst, row_sum_errors(subject, view, SA_SITE_DECODER, T));
    }
    sa_lab_trial_close(&all);
    return good;
}

/* ---- Annotations ----------------------------------------------------------------------------- */

static double largest(sa_mat x) {
    double most = 0;
    for (int i = 0; i < x.rows; i++)
        for (int k = 0; k < x.cols; k++) most = sa_lab_nan_max(most, fabs(sa_row(x, i)[k]));
    return most;
}

/* What a decoder attends to when its annotations are random numbers of the same size. */
static void draw_memory(sa_arena *arena, sa_rng *rng, const sa_attention *w, const sa_memory *seen,
                        sa_memory *memory) {
    const sa_mat h = sa_mat_alloc(arena, seen->annotations.rows, seen->annotations.cols);
    sa_memory_layout(arena, w, seen->first, h, memory);
    if (!arena->base) return;
    const double size = largest(seen->annotations);
    for (int i = 0; i < h.rows; i++)
        for (int k = 0; k < h.cols; k++)
            sa_row(h, i)[k] = (sa_real)(size * (2 * sa_rng_uniform(rng) - 1));
    sa_memory_forward(w, memory);
}

/* Queries ask about a random memory, one by one or at once as they did before, so that rounding is
 * the same; while the arena counts, nothing is computed. */
static sa_attention_rows attend_random_memory(sa_arena *arena, sa_rng *rng, const sa_attention *w,
                                              sa_mat s, const sa_memory *seen, bool at_once) {
    const int steps = s.rows, S = seen->annotations.rows, first[] = {0, steps};
    const sa_queries queries = {1, first, false};
    sa_memory memory;
    draw_memory(arena, rng, w, seen, &memory);
    sa_attention_rows rows = sa_attention_rows_layout(arena, w, steps, S, true);
    const sa_attention_scratch scratch = sa_attention_scratch_layout(arena, w, steps, S, false);
    const sa_mat c = sa_mat_alloc(arena, steps, seen->annotations.cols);
    if (arena->base && at_once)
        sa_attention_all_forward(w, &memory, &queries, s, NULL, rows, c, scratch);
    for (int t = 0; arena->base && !at_once && t < steps; t++)
        sa_attention_step_forward(w, &memory, NULL, t + 1, sa_rows(s, t, 1), NULL,
                                  sa_attention_rows_slice(rows, t, 1), sa_rows(c, t, 1), scratch);
    return rows;
}

/* The queries of a pass over one pair ask once more, of a random memory: how far the weights move.
 */
static double weights_moved(sa_lab_view view, sa_arena *arena, sa_rng *rng) {
    const sa_seq2seq *w = view.trial->w;
    sa_lab_trial again = *view.trial;
    sa_pass *pass = &again.pass;
    if (w->model == SA_MODEL_RECURRENT)
        pass->decoder.rows.attention = attend_random_memory(
            arena, rng, &w->decoder.attention, sa_decoder_query(&w->decoder, pass->decoder.rows),
            &pass->decoder.source.memory, false);
    for (int i = 0; w->model == SA_MODEL_TRANSFORMER && i < w->transformer.sizes.layers; i++) {
        sa_attention_sublayer_cache *cross = &pass->transformer.decoder.layer[i].cross;
        cross->rows =
            attend_random_memory(arena, rng, &w->transformer.decoder.layer[i].cross.attention,
                                 cross->residual.in, &cross->memory, true);
    }
    if (!arena->base) return 0;
    return sa_lab_weight_difference((sa_lab_view){&again, 0}, view, view.trial->batch.target.steps,
                                    NULL);
}

bool sa_measure_annotations(sa_lab_subject *subject, double *worst, sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < subject->pairs.count; p++) {
        if (subject->pairs.source[p].len < 2) continue; /* one weight, always 1 */
        sa_lab_trial alone;
        sa_arena arena = {0};
        const sa_lab_view view = {&alone, 0};
        good = sa_lab_open_single(subject, p, &alone, error);
        if (good) weights_moved(view, &arena, &subject->rng);
        good = good && sa_arena_init(&arena, arena.used, error);
        if (good) *worst = sa_lab_nan_max(*worst, weights_moved(view, &arena, &subject->rng));
        sa_arena_release(&arena);
        sa_lab_trial_close(&alone);
    }
    return good;
}

/* ---- Permutation ----------------------------------------------------------------------------- */

/* Every word moves to the place before, the first behind the last; the end mark stays. */
static void rotate(int len, int *from) {
    for (int j = 0; j < len - 1; j++) from[j] = (j + 1) % (len - 1);
    from[len - 1] = len - 1;
}

/* How far a pass over moved words is from the one over a pair as it is. */
typedef double compare_moved(sa_lab_view moved, sa_lab_view original, const int *from);

static bool permutation_of(const sa_lab_subject *subject, int p, compare_moved *apart, int *from,
                           int32_t *ids, double *worst, sa_error *error) {
    const sa_sentence source = subject->pairs.source[p], target = subject->pairs.target[p];
    const sa_sentence moved = {ids, source.len};
    sa_lab_trial alone, other = {0};
    rotate(source.len, from);
    for (int j = 0; j < source.len; j++) ids[j] = source.ids[from[j]];
    const bool good = sa_lab_open_single(subject, p, &alone, error) &&
                      sa_lab_trial_open(&other, &subject->run.w, &moved, &target, 1, error);
    if (good)
        *worst =
            sa_lab_nan_max(*worst, apart((sa_lab_view){&other, 0}, (sa_lab_view){&alone, 0}, from));
    sa_lab_trial_close(&alone), sa_lab_trial_close(&other);
    return good;
}

static bool permutations(const sa_lab_subject *subject, compare_moved *apart, double *worst,
                         sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < subject->pairs.count; p++) {
        const int len = subject->pairs.source[p].len;
        if (len < 3) continue; /* one word and the end mark */
        int *from = sa_new((size_t)len, sizeof *from, error);
        int32_t *ids = sa_new((size_t)len, sizeof *ids, error);
        good = from && ids && permutation_of(subject, p, apart, from, ids, worst, error);
        free(from), free(ids);
    }
    return good;
}

static double target_difference(sa_lab_view moved, sa_lab_view original, const int *from) {
    return sa_lab_view_difference(moved, original, original.trial->batch.target.steps, from);
}

bool sa_measure_permutation(sa_lab_subject *subject, double *worst, sa_error *error) {
    return permutations(subject, target_difference, worst, error);
}

/* Of a pair alone. */
static sa_mat annotations_of(const sa_lab_trial *alone) {
    return alone->w->model == SA_MODEL_RECURRENT ? alone->pass.encoder.annotations
                                                 : alone->pass.transformer.encoder.out;
}

static double encoding_difference(sa_lab_view moved, sa_lab_view original, const int *from) {
    const sa_mat one = annotations_of(moved.trial), other = annotations_of(original.trial);
    double most = sa_lab_site_difference(moved, original, SA_SITE_ENCODER, one.rows, from, from);
    for (int j = 0; j < one.rows; j++)
        most = sa_lab_nan_max(
            most, sa_lab_max_difference(sa_row(one, j), sa_row(other, from[j]), one.cols));
    return most;
}

bool sa_measure_encoder_permutation(sa_lab_subject *subject, double *worst, sa_error *error) {
    return permutations(subject, encoding_difference, worst, error);
}

/* ---- Causality ------------------------------------------------------------------------------- */

enum { CUTS = 16 }; /* copies of a pair in one pass */

/* The same target, but every word from position `cut` on another one. */
static sa_sentence changed_from(int cut, sa_sentence target, sa_lab_subject *subject,
                                int32_t *ids) {
    const uint32_t words = (uint32_t)subject->pairs.target_words;
    memcpy(ids, target.ids, sizeof *ids * (size_t)target.len);
    for (int t = cut; t < target.len; t++)
        ids[t] = (int32_t)(((uint32_t)ids[t] + 1 + sa_rng_below(&subject->rng, words - 1)) % words);
    return (sa_sentence){ids, target.len};
}

/* Up to position `cut`: the weights, log p of the words before it, and what the word there is
 * chosen by. */
static double prefix_difference(sa_lab_view changed, sa_lab_view original, int cut) {
    const sa_mat one = sa_lab_readout_row(changed, cut), other = sa_lab_readout_row(original, cut);
    return sa_lab_nan_max(sa_lab_max_difference(one.x, other.x, one.cols),
                          sa_lab_nan_max(sa_lab_weight_difference(changed, original, cut + 1, NULL),
                                         sa_lab_log_p_difference(changed, original, cut)));
}

/* The pair itself and copies changed from the positions first, first + 1, ... on; ids
 * [CUTS * len] */
static bool cut_copies(sa_lab_subject *subject, int p, int first, int32_t *ids, double *worst,
                       sa_error *error) {
    const sa_sentence target = subject->pairs.target[p];
    sa_sentence from[CUTS + 1], to[CUTS + 1] = {target};
    int copies = 0;
    for (; copies < CUTS && first + copies < target.len; copies++)
        to[copies + 1] =
            changed_from(first + copies, target, subject, ids + (ptrdiff_t)copies * target.len);
    for (int i = 0; i <= copies; i++) from[i] = subject->pairs.source[p];
    sa_lab_trial trial;
    const bool good = sa_lab_trial_open(&trial, &subject->run.w, from, to, copies + 1, error);
    for (int i = 1; good && i <= copies; i++)
        *worst = sa_lab_nan_max(*worst, prefix_difference((sa_lab_view){&trial, i},
                                                          (sa_lab_view){&trial, 0}, first + i - 1));
    sa_lab_trial_close(&trial);
    return good;
}

bool sa_measure_causality(sa_lab_subject *subject, double *worst, sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < subject->pairs.count; p++) {
        const int len = subject->pairs.target[p].len;
        int32_t *ids = sa_new((size_t)len * CUTS, sizeof *ids, error);
        good = ids;
        for (int first = 0; good && first < len; first += CUTS)
            good = cut_copies(subject, p, first, ids, worst, error);
        free(ids);
    }
    return good;
}
