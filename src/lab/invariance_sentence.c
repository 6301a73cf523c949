/* invariance_sentence: what the attention weights of a pair are, and what may change them. */
#include "base/memory.h"
#include "lab/invariance.h"
#include "tensor/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Row sums -------------------------------------------------------------------------------- */

/* The least sum of a row of weights. A Gaussian leaves at least exp(-2) of each weight in its
 * window, which ends at two standard deviations; a null key may take nearly all. */
static double least_sum(const sa_attention *w) {
    if (w->normalizer->null_key) return 0;
    return sa_attention_lacks(w) ? exp(-2) : 1;
}

/* How far a row of weights is from being a distribution. */
static double row_sum_error(sa_mat alpha, double least) {
    double sum = 0, off = 0;
    for (int j = 0; j < alpha.cols; j++) {
        sum += alpha.x[j];
        off = sa_lab_nan_max(off, -alpha.x[j]);
    }
    return sa_lab_nan_max(off, sa_lab_nan_max(sum - 1, least - sum));
}

/* The largest such error over all layers and heads at one site; rows: queries. */
static double row_sum_errors(const sa_proof_setup *setup, sa_lab_view view, sa_attention_site site,
                             int rows) {
    const sa_seq2seq *w = &setup->model.w;
    const double least = least_sum(sa_lab_attention(setup));
    double worst = 0;
    for (int layer = 0; layer < sa_seq2seq_layers(w, site); layer++)
        for (int k = 0; k < sa_seq2seq_heads(w); k++)
            for (int t = 0; t < rows; t++)
                worst = sa_lab_nan_max(
                    worst, row_sum_error(sa_lab_weights(view, site, layer, k, t), least));
    return worst;
}

bool sa_measure_row_sums(sa_proof_setup *setup, double *worst, sa_error *error) {
    sa_lab_pass all;
    const bool good = sa_lab_open_all(setup, &all, error);
    for (int p = 0; good && p < setup->pairs.count; p++) {
        const sa_lab_view view = {&all, p};
        const int S = setup->pairs.source[p].len, T = setup->pairs.target[p].len;
        *worst = sa_lab_nan_max(*worst, row_sum_errors(setup, view, SA_SITE_CROSS, T));
        *worst = sa_lab_nan_max(*worst, row_sum_errors(setup, view, SA_SITE_ENCODER, S));
        *worst = sa_lab_nan_max(*worst, row_sum_errors(setup, view, SA_SITE_DECODER, T));
    }
    sa_lab_pass_close(&all);
    return good;
}

/* ---- Annotations ----------------------------------------------------------------------------- */

/* Keys and values of random annotations, as large as the ones seen. */
static void draw_memory(sa_arena *arena, sa_rng *rng, const sa_attention *w, const sa_memory *seen,
                        sa_memory *memory) {
    const sa_mat h = sa_mat_alloc(arena, seen->annotations.rows, seen->annotations.cols);
    sa_memory_layout(arena, w, seen->first, h, memory);
    if (!arena->base) return;
    const double size = sa_lab_largest(seen->annotations);
    for (int i = 0; i < h.rows; i++)
        for (int k = 0; k < h.cols; k++)
            sa_row(h, i)[k] = (sa_real)(size * (2 * sa_rng_uniform(rng) - 1));
    sa_memory_forward(w, memory);
}

/* The queries s attend to a random memory, one by one or at once as in the pass before, so that
 * rounding is the same. While the arena counts, nothing is computed. */
static sa_attention_rows attend_random_memory(sa_arena *arena, sa_rng *rng, const sa_attention *w,
                                              sa_mat s, const sa_memory *seen, bool at_once) {
    const int steps = s.rows, S = seen->annotations.rows, first[] = {0, steps};
    const sa_queries queries = {1, first, false};
    sa_memory memory;
    draw_memory(arena, rng, w, seen, &memory);
    sa_attention_rows rows = sa_attention_rows_layout(arena, w, steps, S, false);
    const sa_attention_scratch scratch = sa_attention_scratch_layout(arena, w, steps, S, false);
    const sa_mat c = sa_mat_alloc(arena, steps, seen->annotations.cols);
    if (arena->base && at_once)
        sa_attention_all_forward(w, &memory, &queries, s, rows, c, &scratch);
    for (int t = 0; arena->base && !at_once && t < steps; t++) {
        const sa_attention_rows row = sa_attention_rows_slice(rows, t, 1);
        if (t)
            sa_copy_mat(sa_rows(rows.state, t - 1, 1), row.previous_state);
        else
            sa_attention_state_begin(w, row.previous_state);
        sa_attention_step_forward(w, &memory, NULL, t + 1, sa_rows(s, t, 1), row, sa_rows(c, t, 1),
                                  &scratch);
    }
    return rows;
}

/* How the weights of a pass over one pair change when its queries attend to a random memory. */
static double annotation_difference(sa_lab_view view, sa_arena *arena, sa_rng *rng) {
    const sa_seq2seq *w = view.pass->w;
    sa_lab_pass again = *view.pass;
    sa_pass *cache = &again.cache;
    if (w->family->recurrent)
        cache->decoder.rows.attention = attend_random_memory(
            arena, rng, &w->decoder.attention, sa_decoder_query(&w->decoder, cache->decoder.rows),
            &cache->decoder.source.memory, false);
    for (int i = 0; !w->family->recurrent && i < w->transformer.sizes.layers; i++) {
        sa_attention_sublayer_cache *cross = &cache->transformer.decoder.layer[i].cross;
        cross->rows =
            attend_random_memory(arena, rng, &w->transformer.decoder.layer[i].cross.attention,
                                 cross->residual.in, &cross->memory, true);
    }
    if (!arena->base) return 0;
    return sa_lab_weight_difference((sa_lab_view){&again, 0}, view, view.pass->batch.target.steps,
                                    NULL);
}

bool sa_measure_annotations(sa_proof_setup *setup, double *worst, sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < setup->pairs.count; p++) {
        if (setup->pairs.source[p].len < 2) continue; /* one weight, always 1 */
        sa_lab_pass alone;
        sa_arena arena = {0};
        const sa_lab_view view = {&alone, 0};
        good = sa_lab_open_single(setup, p, &alone, error);
        if (good) annotation_difference(view, &arena, &setup->rng);
        good = good && sa_arena_init(&arena, arena.used, error);
        if (good) *worst = sa_lab_nan_max(*worst, annotation_difference(view, &arena, &setup->rng));
        sa_arena_release(&arena);
        sa_lab_pass_close(&alone);
    }
    return good;
}

/* ---- Permutation ----------------------------------------------------------------------------- */

/* Every word moves one position to the left, the first behind the last; EOS stays. */
static void rotate(int len, int *from) {
    for (int j = 0; j < len - 1; j++) from[j] = (j + 1) % (len - 1);
    from[len - 1] = len - 1;
}

/* The difference between passes over a permuted and the original source. */
typedef double compare_permuted(sa_lab_view moved, sa_lab_view original, const int *from);

/* ids [2 * len] */
static bool permutation_of(const sa_proof_setup *setup, int p, compare_permuted *apart, int *from,
                           int32_t *ids, double *worst, sa_error *error) {
    const sa_sentence source = setup->pairs.source[p], target = setup->pairs.target[p];
    int32_t *extended = ids + source.len;
    const sa_sentence moved = {ids, source.len, extended};
    sa_lab_pass alone, other = {0};
    rotate(source.len, from);
    for (int j = 0; j < source.len; j++)
        ids[j] = source.ids[from[j]], extended[j] = sa_sentence_extended(&source)[from[j]];
    const bool good = sa_lab_open_single(setup, p, &alone, error) &&
                      sa_lab_pass_open(&other, &setup->model.w, &moved, &target, 1, error);
    if (good)
        *worst =
            sa_lab_nan_max(*worst, apart((sa_lab_view){&other, 0}, (sa_lab_view){&alone, 0}, from));
    sa_lab_pass_close(&alone), sa_lab_pass_close(&other);
    return good;
}

static bool permutations(const sa_proof_setup *setup, compare_permuted *apart, double *worst,
                         sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < setup->pairs.count; p++) {
        const int len = setup->pairs.source[p].len;
        if (len < 3) continue; /* one word and EOS */
        int *from = sa_new((size_t)len, sizeof *from, error);
        int32_t *ids = sa_new((size_t)len * 2, sizeof *ids, error);
        good = from && ids && permutation_of(setup, p, apart, from, ids, worst, error);
        free(from), free(ids);
    }
    return good;
}

static double target_difference(sa_lab_view moved, sa_lab_view original, const int *from) {
    return sa_lab_view_difference(moved, original, original.pass->batch.target.steps, from);
}

bool sa_measure_permutation(sa_proof_setup *setup, double *worst, sa_error *error) {
    return permutations(setup, target_difference, worst, error);
}

static sa_mat annotations_of(const sa_lab_pass *alone) {
    return alone->w->family->recurrent ? alone->cache.encoder.annotations
                                       : alone->cache.transformer.encoder.out;
}

static double encoding_difference(sa_lab_view moved, sa_lab_view original, const int *from) {
    const sa_mat one = annotations_of(moved.pass), other = annotations_of(original.pass);
    double most = sa_lab_site_difference(moved, original, SA_SITE_ENCODER, one.rows, from, from);
    for (int j = 0; j < one.rows; j++)
        most = sa_lab_nan_max(
            most, sa_lab_max_difference(sa_row(one, j), sa_row(other, from[j]), one.cols));
    return most;
}

bool sa_measure_encoder_permutation(sa_proof_setup *setup, double *worst, sa_error *error) {
    return permutations(setup, encoding_difference, worst, error);
}

/* ---- Positions ------------------------------------------------------------------------------- */

static void begin_later(sa_stack *stack) {
    enum { LATER = 3 };
    stack->positions.first = LATER;
    for (int i = 0; i < stack->layers; i++) {
        sa_attention *self = &stack->layer[i].self.attention;
        for (int p = 0; p < self->parts; p++)
            if (self->part[p].row->begin_at) self->part[p].row->begin_at(self->part[p].own, LATER);
    }
}

bool sa_measure_shift(sa_proof_setup *setup, double *worst, sa_error *error) {
    sa_seq2seq later = setup->model.w;
    bool good = true;
    begin_later(&later.transformer.encoder), begin_later(&later.transformer.decoder);
    for (int p = 0; good && p < setup->pairs.count; p++) {
        const sa_lab_pairs *pairs = &setup->pairs;
        sa_lab_pass one, other = {0};
        good = sa_lab_open_single(setup, p, &one, error) &&
               sa_lab_pass_open(&other, &later, &pairs->source[p], &pairs->target[p], 1, error);
        if (good)
            *worst = sa_lab_nan_max(*worst, sa_lab_view_difference((sa_lab_view){&other, 0},
                                                                   (sa_lab_view){&one, 0},
                                                                   pairs->target[p].len, NULL));
        sa_lab_pass_close(&one), sa_lab_pass_close(&other);
    }
    return good;
}

/* ---- Windows --------------------------------------------------------------------------------- */

int sa_lab_reach(const sa_proof_setup *setup) {
    const sa_stack *encoder = &setup->model.w.transformer.encoder;
    const sa_attention *w = &encoder->layer[0].self.attention;
    if (!encoder->layers || w->score->query == SA_QUERY_POSITIONS) return 0;
    const int window = setup->model.sizes.transformer.attention.settings.window_size;
    return sa_part_find(w, &sa_window_part) < 0 ? 0 : encoder->layers * window;
}

/* The gradient of one annotation by every source word; sparse weights may make any of it zero. */
static double count_unreached(sa_lab_pass *pass, int i, int reach, sa_proof_setup *setup) {
    const sa_transformer *w = &pass->w->transformer;
    sa_stack_cache *encoder = &pass->cache.transformer.encoder;
    double count = 0;
    sa_zero(encoder->d);
    for (int k = 0; k < encoder->d.cols; k++)
        sa_row(encoder->d, i)[k] = 2 * sa_rng_uniform(&setup->rng) - 1;
    sa_transformer_encode_backward(w, (sa_dropout){0}, encoder, &setup->model.dw.transformer);
    const bool sparse = w->encoder.layer[0].self.attention.normalizer->sparse;
    for (int j = 0; j < encoder->d.rows; j++) {
        const bool zero = sa_lab_largest(sa_rows(encoder->d, j, 1)) == 0;
        count += abs(i - j) > reach ? !zero : zero && !sparse;
    }
    return count;
}

bool sa_measure_reach(sa_proof_setup *setup, double *worst, sa_error *error) {
    const int reach = sa_lab_reach(setup);
    bool good = true;
    snprintf(setup->reach, sizeof setup->reach, "%d layers of %d words to each side reach %d",
             setup->model.w.transformer.encoder.layers,
             setup->model.sizes.transformer.attention.settings.window_size, reach);
    for (int p = 0; good && p < setup->pairs.count; p++) {
        sa_lab_pass alone;
        double count = 0;
        good = sa_lab_open_single(setup, p, &alone, error);
        for (int i = 0; good && i < setup->pairs.source[p].len; i++)
            count += count_unreached(&alone, i, reach, setup);
        if (good) *worst = fmax(*worst, 0) + count;
        sa_lab_pass_close(&alone);
    }
    return good;
}

/* ---- Causality ------------------------------------------------------------------------------- */

enum { CUTS = 16 }; /* copies of a pair in one pass */

/* The target with another word at every position from `cut` on; ids [2 * len] */
static sa_sentence change_from(int cut, sa_sentence target, sa_proof_setup *setup, int32_t *ids) {
    const uint32_t words = (uint32_t)setup->pairs.target_words;
    int32_t *extended = ids + target.len;
    memcpy(ids, target.ids, sizeof *ids * (size_t)target.len);
    memcpy(extended, sa_sentence_extended(&target), sizeof *ids * (size_t)target.len);
    for (int t = cut; t < target.len; t++)
        ids[t] = extended[t] =
            (int32_t)(((uint32_t)ids[t] + 1 + sa_rng_below(&setup->rng, words - 1)) % words);
    return (sa_sentence){ids, target.len, extended};
}

/* The largest difference in the weights up to position `cut`, log p of the words before it, and the
 * read-out layer that predicts the word there. */
static double prefix_difference(sa_lab_view changed, sa_lab_view original, int cut) {
    const sa_mat one = sa_lab_readout_row(changed, cut), other = sa_lab_readout_row(original, cut);
    return sa_lab_nan_max(sa_lab_max_difference(one.x, other.x, one.cols),
                          sa_lab_nan_max(sa_lab_weight_difference(changed, original, cut + 1, NULL),
                                         sa_lab_log_p_difference(changed, original, cut)));
}

/* Compares the pair with copies whose words change from positions first, first + 1, ... on, all in
 * one batch; ids [CUTS * 2 * len] */
static bool compare_cuts(sa_proof_setup *setup, int p, int first, int32_t *ids, double *worst,
                         sa_error *error) {
    const sa_sentence target = setup->pairs.target[p];
    sa_sentence from[CUTS + 1], to[CUTS + 1] = {target};
    int copies = 0;
    for (; copies < CUTS && first + copies < target.len; copies++)
        to[copies + 1] =
            change_from(first + copies, target, setup, ids + (ptrdiff_t)copies * 2 * target.len);
    for (int i = 0; i <= copies; i++) from[i] = setup->pairs.source[p];
    sa_lab_pass pass;
    const bool good = sa_lab_pass_open(&pass, &setup->model.w, from, to, copies + 1, error);
    for (int i = 1; good && i <= copies; i++)
        *worst = sa_lab_nan_max(*worst, prefix_difference((sa_lab_view){&pass, i},
                                                          (sa_lab_view){&pass, 0}, first + i - 1));
    sa_lab_pass_close(&pass);
    return good;
}

bool sa_measure_causality(sa_proof_setup *setup, double *worst, sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < setup->pairs.count; p++) {
        const int len = setup->pairs.target[p].len;
        int32_t *ids = sa_new((size_t)len * 2 * CUTS, sizeof *ids, error);
        good = ids;
        for (int first = 0; good && first < len; first += CUTS)
            good = compare_cuts(setup, p, first, ids, worst, error);
        free(ids);
    }
    return good;
}
