/* invariance: measures what the attention weights of a pair are, and what may change them, its log
 * p and its gradient. */
#include "lab/invariance.h"
#include "base/memory.h"
#include "tensor/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const sa_attention *sa_lab_attention(const sa_proof_setup *setup) {
    const sa_seq2seq *w = &setup->model.w;
    return sa_seq2seq_attends(w) ? sa_seq2seq_attention(w) : NULL;
}

/* Returns whether one stack reads source and target. */
static bool is_joined(const sa_seq2seq *w) {
    return w->transformer.sizes.decoder_only;
}

static bool open_pair(const sa_proof_setup *setup, const sa_seq2seq *w, int p, sa_lab_pass *pass,
                      sa_error *error) {
    return sa_lab_pass_open(pass, w, setup->pairs.source + p, setup->pairs.target + p, 1, error);
}

bool sa_lab_measure(sa_proof_setup *setup, sa_measure *measure, double *worst, sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < setup->pairs.count; p++) {
        sa_lab_pass alone;
        good = open_pair(setup, &setup->model.w, p, &alone, error) &&
               measure(setup, p, &alone, worst, error);
        sa_lab_pass_close(&alone);
    }
    return good;
}

static void raise_to(double x, double *worst) {
    *worst = sa_lab_nan_max(*worst, x);
}

/* ---- Row sums -------------------------------------------------------------------------------- */

/* Returns how far a row of weights is from being a distribution. */
static double row_sum_error(sa_mat alpha, double least) {
    double sum = 0, off = 0;
    for (int j = 0; j < alpha.cols; j++) {
        sum += alpha.x[j];
        off = sa_lab_nan_max(off, -alpha.x[j]);
    }
    return sa_lab_nan_max(off, sa_lab_nan_max(sum - 1, least - sum));
}

bool sa_measure_row_sums(sa_proof_setup *setup, int p, sa_lab_pass *alone, double *worst,
                         sa_error *error) {
    const sa_seq2seq *w = &setup->model.w;
    const sa_attention *attention = sa_lab_attention(setup);
    /* The least sum of a row. A Gaussian leaves at least exp(-2) of each weight in its window,
     * which ends at two standard deviations; a null key may take nearly everything. */
    double least = sa_attention_lacks(attention) ? exp(-2) : 1;
    if (attention->normalizer->null_key) least = 0;
    const sa_lab_view view = {&setup->all, p};
    const int S = setup->pairs.source[p].len, T = setup->pairs.target[p].len;
    const bool joined = is_joined(w); /* a row continues after the source's words */
    const int rows[] = {
        [SA_SITE_CROSS] = T, [SA_SITE_ENCODER] = S, [SA_SITE_DECODER] = joined ? 0 : T};
    raise_to(0, worst);
    for (int site = 0; site < (int)(sizeof rows / sizeof *rows); site++)
        for (int layer = 0; layer < sa_seq2seq_layers(w, site); layer++)
            for (int k = 0; k < sa_seq2seq_heads(w); k++)
                for (int t = 0; t < rows[site]; t++) {
                    sa_mat alpha = sa_lab_weights(view, site, layer, k, t);
                    if (joined && site == SA_SITE_CROSS) alpha.cols += T - 1;
                    raise_to(row_sum_error(alpha, least), worst);
                }
    return true;
}

/* ---- Other pairs in the batch ----------------------------------------------------------------
 * Batches are packed without padding: the words of other sentences stand in its place. */

static double largest_gradient(const sa_lab_model *model) {
    double most = 0;
    for (size_t i = 0; i < model->plan->size; i++) raise_to(fabs(model->gradients[i]), &most);
    return most;
}

/* Subtracts the gradient of every single pair from that of the batch, and measures the largest
 * remainder, relative to the largest gradient of the batch. */
bool sa_measure_batching(sa_proof_setup *setup, int p, sa_lab_pass *alone, double *worst,
                         sa_error *error) {
    sa_lab_model *model = &setup->model;
    const double fraction = 1.0 / setup->pairs.count;
    const sa_lab_view one = {alone, 0}, together = {&setup->all, p};
    if (p == 0) {
        memset(model->gradients, 0, model->plan->size * sizeof *model->gradients);
        sa_lab_pass_gradient(&setup->all, fraction, &model->dw);
        setup->largest_gradient = largest_gradient(model);
    }
    raise_to(sa_lab_view_difference(one, together, setup->pairs.target[p].len, NULL), worst);
    sa_lab_pass_gradient(alone, -fraction, &model->dw);
    if (p == setup->pairs.count - 1)
        raise_to(largest_gradient(model) /
                     (setup->largest_gradient > 0 ? setup->largest_gradient : 1),
                 worst);
    return true;
}

/* Raises every weight by 1e-12 of itself, which is more than rounding does, and leaves it
 * raised. */
bool sa_measure_conditioning(sa_proof_setup *setup, int p, sa_lab_pass *alone, double *worst,
                             sa_error *error) {
    sa_lab_model *model = &setup->model;
    const sa_lab_view one = {alone, 0};
    sa_lab_pass raised;
    memset(model->gradients, 0, model->plan->size * sizeof *model->gradients);
    sa_lab_pass_gradient(alone, 1, &model->dw);
    const double largest = largest_gradient(model);
    for (size_t i = 0; i < model->plan->size; i++) model->values[i] *= 1 + 1e-12;
    const bool good = open_pair(setup, &model->w, p, &raised, error);
    if (good) {
        const sa_lab_view other = {&raised, 0};
        raise_to(sa_lab_view_difference(one, other, setup->pairs.target[p].len, NULL), worst);
        sa_lab_pass_gradient(&raised, -1, &model->dw);
        raise_to(largest_gradient(model) / (largest > 0 ? largest : 1), worst);
    }
    sa_lab_pass_close(&raised);
    return good;
}

/* ---- Annotations ----------------------------------------------------------------------------- */

/* Lets the queries s attend to random annotations, as large as those of the memory that they
 * replace, all at once as in the pass before, so that rounding is the same, or (without `queries`)
 * step by step. */
static void attend_random(sa_rng *rng, const sa_attention *w, sa_mat s, sa_memory *memory,
                          const sa_queries *queries, sa_attention_rows rows, sa_mat c,
                          const sa_attention_scratch *scratch) {
    const sa_mat h = memory->annotations;
    const double size = sa_lab_largest(h);
    for (int i = 0; i < h.rows; i++)
        for (int k = 0; k < h.cols; k++)
            sa_row(h, i)[k] = (sa_real)(size * (2 * sa_rng_uniform(rng) - 1));
    sa_memory_forward(w, memory);
    if (queries) sa_attention_forward(w, memory, queries, s, rows, c, scratch);
    for (int t = 0; !queries && t < s.rows; t++) {
        const sa_attention_rows row = sa_attention_rows_slice(rows, t, 1);
        if (t) sa_copy_mat(sa_rows(rows.carry, t - 1, 1), row.previous_carry);
        sa_attention_forward(w, memory, &(sa_queries){.blocks = 1, .i = t + 1}, sa_rows(s, t, 1),
                             row, sa_rows(c, t, 1), scratch);
    }
}

/* Computes the attention between decoder and encoder of `again` once more, with random annotations
 * and the queries of `alone`, a pass over the same pair. */
static void attend_again(const sa_lab_pass *alone, sa_lab_pass *again, sa_rng *rng) {
    const sa_seq2seq *w = again->w;
    sa_decoder_cache *decoder = &again->cache.decoder;
    if (w->recurrent)
        attend_random(rng, &w->decoder.attention,
                      sa_decoder_query(&w->decoder, &alone->cache.decoder.rows),
                      &decoder->source.memory, NULL, decoder->rows.attention, decoder->rows.c,
                      &decoder->scratch);
    for (int i = 0; !w->recurrent && i < w->transformer.sizes.layers; i++) {
        const bool joined = is_joined(w);
        const sa_transformer_layer *layer = &w->transformer.decoder.layer[i];
        const sa_layer_cache *before = &alone->cache.transformer.decoder.layer[i];
        sa_stack_cache *stack = &again->cache.transformer.decoder;
        sa_attention_sublayer_cache *own = joined ? &stack->layer[i].self : &stack->layer[i].cross;
        attend_random(
            rng, &(joined ? &layer->self : &layer->cross)->attention,
            (joined ? &before->self : &before->cross)->residual.in, &own->memory,
            joined ? &stack->self : &stack->cross, own->rows, own->residual.y,
            &stack->attention[sa_stack_workspace(&w->transformer.decoder, i, !joined)].scratch);
    }
}

bool sa_measure_annotations(sa_proof_setup *setup, int p, sa_lab_pass *alone, double *worst,
                            sa_error *error) {
    sa_lab_pass again;
    if (setup->pairs.source[p].len < 2) return true; /* one weight, always 1 */
    const bool good = open_pair(setup, alone->w, p, &again, error);
    if (good) {
        attend_again(alone, &again, &setup->rng);
        raise_to(sa_lab_weight_difference((sa_lab_view){&again, 0}, (sa_lab_view){alone, 0},
                                          setup->pairs.target[p].len, NULL),
                 worst);
    }
    sa_lab_pass_close(&again);
    return good;
}

/* ---- Permutation ----------------------------------------------------------------------------- */

/* Moves every word of the source one position to the left, the first after the last; EOS stays. */
bool sa_measure_permutation(sa_proof_setup *setup, int p, sa_lab_pass *alone, double *worst,
                            sa_error *error) {
    const sa_sentence *source = &setup->pairs.source[p];
    const size_t len = (size_t)source->len;
    if (len < 3) return true; /* one word and EOS: nothing to permute */
    int *from = sa_new(len, sizeof *from, error);
    int32_t *ids = sa_new(len * 2, sizeof *ids, error);
    sa_lab_pass other = {0};
    bool good = from && ids;
    if (good) {
        int32_t *extended = ids + len;
        const sa_sentence moved = {ids, source->len, extended};
        for (size_t j = 0; j < len; j++) {
            from[j] = (int)(j == len - 1 ? j : (j + 1) % (len - 1));
            ids[j] = source->ids[from[j]];
            extended[j] = sa_sentence_extended(source)[from[j]];
        }
        good = sa_lab_pass_open(&other, alone->w, &moved, setup->pairs.target + p, 1, error);
    }
    if (good)
        raise_to(sa_lab_view_difference((sa_lab_view){&other, 0}, (sa_lab_view){alone, 0},
                                        setup->pairs.target[p].len, from),
                 worst);
    sa_lab_pass_close(&other);
    free(from), free(ids);
    return good;
}

/* ---- Causality ------------------------------------------------------------------------------- */

/* Returns the target with another word at every position from `cut` on; ids [2 * len] */
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

/* Returns the largest difference in the weights up to position `cut`, log p of the words before it,
 * and the readout layer that predicts the word there. */
static double prefix_difference(sa_lab_view changed, sa_lab_view original, int cut) {
    const sa_mat one = sa_lab_readout_row(changed, cut), other = sa_lab_readout_row(original, cut);
    return sa_lab_nan_max(sa_lab_max_difference(one.x, other.x, one.cols),
                          sa_lab_nan_max(sa_lab_weight_difference(changed, original, cut + 1, NULL),
                                         sa_lab_log_p_difference(changed, original, cut)));
}

bool sa_measure_causality(sa_proof_setup *setup, int p, sa_lab_pass *alone, double *worst,
                          sa_error *error) {
    const sa_sentence target = setup->pairs.target[p];
    int32_t *ids = sa_new((size_t)target.len * 2, sizeof *ids, error);
    bool good = ids;
    for (int cut = 0; good && cut < target.len; cut++) {
        const sa_sentence changed = change_from(cut, target, setup, ids);
        sa_lab_pass pass;
        good = sa_lab_pass_open(&pass, alone->w, &setup->pairs.source[p], &changed, 1, error);
        if (good)
            raise_to(prefix_difference((sa_lab_view){&pass, 0}, (sa_lab_view){alone, 0}, cut),
                     worst);
        sa_lab_pass_close(&pass);
    }
    free(ids);
    return good;
}
