/* prove: measures, for each pair, what the attention weights are and what may change them, its log
 * p and its gradient; and says for which models which of this must hold. */
#include "lab/prove.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Returns the pair's place among the targets of the batch. */
static int batch_index(sa_lab_view view) {
    return sa_batch_index(&view.pass->batch.target, view.pair);
}

double sa_lab_nan_max(double a, double b) {
    return isnan(a) || b <= a ? a : b;
}

double sa_lab_largest(sa_mat x) {
    double most = 0;
    for (int i = 0; i < x.rows; i++)
        for (int k = 0; k < x.cols; k++) most = sa_lab_nan_max(most, fabs(sa_row(x, i)[k]));
    return most;
}

static double relative_difference(double x, double y) {
    return fabs(x - y) / fmax(1, fabs(y));
}

double sa_lab_max_difference(const double *x, const double *y, int size) {
    double most = 0;
    for (int i = 0; i < size; i++) most = sa_lab_nan_max(most, relative_difference(x[i], y[i]));
    return most;
}

int sa_lab_target_row(sa_lab_view view, int t) {
    return view.pass->batch.target.start[t] + batch_index(view);
}

sa_mat sa_lab_readout_row(sa_lab_view view, int t) {
    const sa_lab_pass *pass = view.pass;
    const int row = sa_seq2seq_target_row(pass->w, &pass->batch, batch_index(view), t);
    return sa_rows(sa_pass_readout(pass->w, &pass->cache)->t, row, 1);
}

sa_mat sa_lab_weights(sa_lab_view view, sa_attention_site site, int layer, int k, int t) {
    const sa_lab_pass *pass = view.pass;
    return sa_pass_weights(pass->w, &pass->cache, &pass->batch, site, layer, k, batch_index(view),
                           t);
}

double sa_lab_site_difference(sa_lab_view one, sa_lab_view other, sa_attention_site site, int rows,
                              const int *row, const int *column) {
    const sa_seq2seq *w = one.pass->w;
    double most = 0;
    for (int layer = 0; layer < sa_seq2seq_layers(w, site); layer++)
        for (int k = 0; k < sa_seq2seq_heads(w); k++)
            for (int t = 0; t < rows; t++) {
                const sa_mat a = sa_lab_weights(one, site, layer, k, t),
                             b = sa_lab_weights(other, site, layer, k, row ? row[t] : t);
                for (int j = 0; j < a.cols; j++)
                    most = sa_lab_nan_max(most,
                                          relative_difference(a.x[j], b.x[column ? column[j] : j]));
            }
    return most;
}

double sa_lab_weight_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column) {
    const double cross = sa_lab_site_difference(one, other, SA_SITE_CROSS, steps, NULL, column);
    const double target = sa_lab_site_difference(one, other, SA_SITE_DECODER, steps, NULL, NULL);
    const sa_batch *batch = &one.pass->batch;
    const int S = batch->source.len[sa_batch_source_index(batch, batch_index(one))];
    const double source = sa_lab_site_difference(one, other, SA_SITE_ENCODER, S, column, column);
    return sa_lab_nan_max(sa_lab_nan_max(cross, target), source);
}

double sa_lab_log_p_difference(sa_lab_view one, sa_lab_view other, int steps) {
    const double *a = one.pass->cache.log_p, *b = other.pass->cache.log_p;
    double most = 0;
    for (int t = 0; t < steps; t++)
        most = sa_lab_nan_max(most, relative_difference(a[sa_lab_target_row(one, t)],
                                                        b[sa_lab_target_row(other, t)]));
    return most;
}

double sa_lab_view_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column) {
    return sa_lab_nan_max(sa_lab_weight_difference(one, other, steps, column),
                          sa_lab_log_p_difference(one, other, steps));
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

const sa_attention *sa_lab_attention(const sa_proof_setup *setup) {
    const sa_seq2seq *w = &setup->model.w;
    return sa_seq2seq_attends(w) ? sa_seq2seq_attention(w) : NULL;
}

/* Opens a pass over the pair that is measured. */
static bool open_pair(const sa_proof_setup *setup, sa_lab_pass *pass, sa_error *error) {
    return sa_lab_pass_open(pass, &setup->model.w, setup->source, setup->target, 1, error);
}

static bool measure_pairs(sa_proof_setup *setup, sa_measure *measure, sa_error *error) {
    bool good = true;
    for (setup->p = 0; good && setup->p < setup->pairs.count; setup->p++) {
        sa_lab_pass alone;
        setup->source = setup->pairs.source + setup->p;
        setup->target = setup->pairs.target + setup->p;
        good = open_pair(setup, &alone, error) && measure(setup, &alone, error);
        sa_lab_pass_close(&alone);
    }
    return good;
}

void sa_proof_raise(sa_proof_setup *setup, double x) {
    setup->worst = sa_lab_nan_max(setup->worst, x);
}

/* Raises setup->worst to the largest difference between two passes over the pair, source word j of
 * one against column[j] of the other. */
static void raise_to_difference(sa_proof_setup *setup, sa_lab_view one, sa_lab_view other,
                                const int *column) {
    sa_proof_raise(setup, sa_lab_view_difference(one, other, setup->target->len, column));
}

/* Returns the first claim of each kind that a part makes. */
static sa_rare_hooks claims_of(const sa_attention *attention) {
    sa_rare_hooks all = {.any_sum = attention ? attention->normalizer->any_sum : NULL};
    for (int p = 0; attention && p < attention->parts; p++) {
        const sa_rare_hooks *part = sa_rare_of(attention->part[p].kind);
        if (!all.any_sum) all.any_sum = part->any_sum;
        if (!all.lacks) all.lacks = part->lacks;
        if (!all.ordered) all.ordered = part->ordered;
    }
    return all;
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

/* Measures how far attention weights are from distributions, which are not negative and have a sum
 * of 1. The Gaussian of a local-p window may make the sum smaller, down to exp(-2); a null key,
 * down to any sum. */
static bool measure_row_sums(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error) {
    const sa_seq2seq *w = &setup->model.w;
    const sa_attention *attention = sa_lab_attention(setup);
    /* The least sum of a row. A Gaussian leaves at least exp(-2) of each weight in its window,
     * which ends at two standard deviations; a null key may take nearly everything. */
    const bool merged = setup->model.sizes.settings.merged; /* nothing is lacking in both */
    setup->note = merged ? NULL : claims_of(attention).lacks;
    const bool null = attention->normalizer->null_key;
    const double least = null ? 0 : setup->note ? exp(-2) : 1;
    if (null && !setup->note)
        setup->note = "at most 1: the rest is that of no word, as of a null key";
    const sa_lab_view view = {&setup->model.pass, setup->p};
    const int S = setup->source->len, T = setup->target->len;
    const bool joined = sa_seq2seq_joins(w); /* a row continues after the source's words */
    const int rows[] = {
        [SA_SITE_CROSS] = T, [SA_SITE_ENCODER] = S, [SA_SITE_DECODER] = joined ? 0 : T};
    sa_proof_raise(setup, 0);
    for (int site = 0; site < (int)(sizeof rows / sizeof *rows); site++)
        for (int layer = 0; layer < sa_seq2seq_layers(w, site); layer++)
            for (int k = 0; k < sa_seq2seq_heads(w); k++)
                for (int t = 0; t < rows[site]; t++) {
                    sa_mat alpha = sa_lab_weights(view, site, layer, k, t);
                    if (joined && site == SA_SITE_CROSS) alpha.cols += merged ? T : T - 1;
                    sa_proof_raise(setup, row_sum_error(alpha, least));
                }
    return true;
}

/* ---- Other pairs in the batch ----------------------------------------------------------------
 * Batches are packed without padding: the words of other sentences stand in its place. */

void sa_lab_pass_gradient(sa_lab_pass *pass, double scale, sa_seq2seq *dw) {
    const sa_seq2seq *w = pass->w;
    const sa_output_gradients d = sa_pass_gradients(w, &pass->cache);
    sa_pass_losses(w, &pass->batch, (sa_regularizer){0}, (sa_real)scale, &pass->cache, &d, dw);
    sa_pass_backward(w, &pass->batch, (sa_dropout){0}, &pass->cache, &d, dw);
}

static double largest_gradient(const sa_lab_model *model) {
    const int size = (int)model->plan->size;
    return sa_lab_largest((sa_mat){model->gradients, 1, size, size});
}

/* Compares weights, log p and gradient of all pairs in one batch with those of the pairs one at a
 * time. Subtracts the gradient of every single pair from that of the batch, and measures the
 * largest remainder, relative to the largest gradient of the batch. */
static bool measure_batching(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error) {
    sa_lab_model *model = &setup->model;
    const double fraction = 1.0 / setup->pairs.count;
    const sa_lab_view one = {alone, 0}, together = {&model->pass, setup->p};
    if (setup->p == 0) {
        memset(model->gradients, 0, model->plan->size * sizeof *model->gradients);
        sa_lab_pass_gradient(&model->pass, fraction, &model->dw);
        setup->largest_gradient = largest_gradient(model);
    }
    raise_to_difference(setup, one, together, NULL);
    sa_lab_pass_gradient(alone, -fraction, &model->dw);
    if (setup->p == setup->pairs.count - 1)
        sa_proof_raise(setup, largest_gradient(model) /
                                  (setup->largest_gradient > 0 ? setup->largest_gradient : 1));
    return true;
}

/* Measures what rounding may do to weights, log p and the gradient, relative to the largest: a lot
 * if large weights make a recurrence chaotic. Raises every weight by 1e-12 of itself, which is more
 * than rounding does, and leaves it raised. */
static bool measure_conditioning(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error) {
    sa_lab_model *model = &setup->model;
    sa_lab_pass raised;
    memset(model->gradients, 0, model->plan->size * sizeof *model->gradients);
    sa_lab_pass_gradient(alone, 1, &model->dw);
    const double largest = largest_gradient(model);
    for (size_t i = 0; i < model->plan->size; i++) model->values[i] *= 1 + 1e-12;
    const bool good = open_pair(setup, &raised, error);
    if (good) {
        raise_to_difference(setup, (sa_lab_view){alone, 0}, (sa_lab_view){&raised, 0}, NULL);
        sa_lab_pass_gradient(&raised, -1, &model->dw);
        sa_proof_raise(setup, largest_gradient(model) / (largest > 0 ? largest : 1));
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
        const bool joined = sa_seq2seq_joins(w);
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

/* Measures how the weights of the same queries change with other annotations. */
static bool measure_annotations(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error) {
    sa_lab_pass again;
    if (setup->source->len < 2) return true; /* one weight, always 1 */
    const bool good = open_pair(setup, &again, error);
    if (good) {
        if (sa_lab_attention(setup)->score->key == SA_KEY_NONE)
            setup->note = "the score is content-free: no source word can change a weight";
        attend_again(alone, &again, &setup->rng);
        sa_proof_raise(setup,
                       sa_lab_weight_difference((sa_lab_view){&again, 0}, (sa_lab_view){alone, 0},
                                                setup->target->len, NULL));
    }
    sa_lab_pass_close(&again);
    return good;
}

/* ---- Permutation ----------------------------------------------------------------------------- */

/* Measures how log p and each word's weights change if the source words are permuted. Moves every
 * word of the source one position to the left, the first after the last; EOS stays. */
static bool measure_permutation(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error) {
    const sa_sentence *source = setup->source;
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
        good = sa_lab_pass_open(&other, alone->w, &moved, setup->target, 1, error);
    }
    if (good) raise_to_difference(setup, (sa_lab_view){&other, 0}, (sa_lab_view){alone, 0}, from);
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

/* Measures how the results up to a target position change with other target words from there on. */
static bool measure_causality(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error) {
    const sa_sentence target = *setup->target;
    int32_t *ids = sa_new((size_t)target.len * 2, sizeof *ids, error);
    bool good = ids;
    for (int cut = 0; good && cut < target.len; cut++) {
        const sa_sentence changed = change_from(cut, target, setup, ids);
        sa_lab_pass pass;
        good = sa_lab_pass_open(&pass, alone->w, setup->source, &changed, 1, error);
        if (good)
            sa_proof_raise(
                setup, prefix_difference((sa_lab_view){&pass, 0}, (sa_lab_view){alone, 0}, cut));
        sa_lab_pass_close(&pass);
    }
    free(ids);
    return good;
}

/* ---- Which invariance holds for which model -------------------------------------------------- */

static const char *no_attention(const sa_proof_setup *setup) {
    return sa_lab_attention(setup) ? NULL : "the decoder has no attention";
}

static bool content_based(const sa_proof_setup *setup) {
    const sa_attention *attention = sa_lab_attention(setup);
    return attention && attention->score->key != SA_KEY_NONE;
}

static const char *unnormalized(const sa_proof_setup *setup) {
    const sa_seq2seq *w = &setup->model.w;
    const sa_attention *attention = sa_lab_attention(setup);
    if (!attention) return no_attention(setup);
    const char *own = claims_of(attention).any_sum;
    return own || w->recurrent ? own
                               : claims_of(&w->transformer.decoder.layer[0].self.attention).any_sum;
}

/* Returns why the order of the source's words matters to whatever reads them, or NULL. */
static const char *order_matters(const sa_proof_setup *setup) {
    const sa_sizes *sizes = &setup->model.sizes;
    const sa_position_kind *positions = &sa_position_kinds[sizes->settings.positions];
    const sa_transformer *w = &setup->model.w.transformer;
    const sa_stack *reader = sizes->decoder_only ? &w->decoder : &w->encoder;
    if (sizes->recurrent && sizes->settings.encoder != SA_ENCODER_NONE)
        return "the encoder is recurrent";
    if (sizes->decoder_only && !sizes->full_prefix)
        return "a source word sees only those before it";
    if (positions->encoding) return "the embeddings contain positions";
    if (positions->part) return "the self-attention contains positions";
    const char *own = reader->layers ? claims_of(&reader->layer[0].self.attention).ordered : NULL;
    return own ? own : claims_of(sa_lab_attention(setup)).ordered;
}

/* ---- The table ------------------------------------------------------------------------------- */

static const sa_invariance invariances[] = {
    {"row-sums", "The weights of every head are not negative and sum to 1 for every target word.",
     1e-12, .excuse = unnormalized, .measure = measure_row_sums},
    {"batching",
     "Pairs one by one have the same weights, log p and summed gradient as in one batch.",
     SA_LAB_ROUNDING, .measure = measure_batching},
    {"annotations",
     "With the queries fixed, other annotations give other weights (except for content-free "
     "scores).",
     0, content_based, 1e-14, .excuse = no_attention, .measure = measure_annotations},
    {"permutation",
     "Without recurrence and positions, permuting the source words permutes their weights, also in "
     "the encoder's self-attention, and leaves log p.",
     SA_LAB_ROUNDING, .excuse = order_matters, .shown = true, .measure = measure_permutation},
    {"causality",
     "Other target words from position t on change neither the weights nor p(y_i) up to t, for "
     "every t.",
     SA_LAB_ROUNDING, .measure = measure_causality},
};

enum { COUNT = sizeof invariances / sizeof *invariances };

const char *sa_proof_check_name(size_t i, const char **meaning) {
    if (i >= COUNT) return NULL;
    if (meaning) *meaning = invariances[i].meaning;
    return invariances[i].name;
}

/* ---- Checking -------------------------------------------------------------------------------- */

bool sa_proof_measure(sa_proof_setup *setup, const sa_lab_prove_job *proof,
                      const sa_invariance *invariance, sa_proof_check *check, sa_error *error) {
    const char *excuse = invariance->excuse ? invariance->excuse(setup) : NULL;
    const bool above = invariance->above && invariance->above(setup);
    double allowed = above ? invariance->least : invariance->allowed;
    setup->note = NULL, setup->worst = -INFINITY;
    if (above && !excuse) sa_lab_model_draw(&setup->model, (uint64_t)proof->options->seed);
    if ((!excuse || invariance->shown) && !measure_pairs(setup, invariance->measure, error))
        return false;
    const double worst = setup->worst;
    sa_lab_model_load(&setup->model, proof->values);
    if (!above && allowed == SA_LAB_ROUNDING && worst > allowed) {
        setup->worst = allowed;
        if (!measure_pairs(setup, measure_conditioning, error)) return false;
        allowed = setup->worst;
        sa_lab_model_load(&setup->model, proof->values);
    }
    const bool measured = worst != -INFINITY;
    if (!excuse && !measured) excuse = "no source is long enough";
    *check = (sa_proof_check){.name = invariance->name,
                              .meaning = invariance->meaning,
                              .worst = measured ? worst : NAN,
                              .allowed = allowed,
                              .above = above,
                              .skipped = excuse,
                              .note = excuse ? excuse : setup->note};
    check->ok = excuse || (above ? worst > check->allowed : worst <= check->allowed);
    return true;
}

static bool check_all(const sa_lab_prove_job *proof, sa_proof_setup *setup, sa_error *error) {
    const sa_prove_options *options = proof->options;
    sa_proof_check failed = {0};
    for (int i = 0; i < COUNT; i++) {
        sa_proof_check check;
        if (!sa_proof_measure(setup, proof, &invariances[i], &check, error)) return false;
        if (options->each) options->each(options->context, &check);
        if (!check.ok && !failed.name) failed = check;
    }
    return !failed.name ||
           sa_fail(error, SA_CHECK, "%s does not hold: %.3g, %s %g: %s", failed.name, failed.worst,
                   failed.above ? "must be above" : "allowed", failed.allowed, failed.meaning);
}

/* ---- The job --------------------------------------------------------------------------------- */

bool sa_proof_open(sa_proof_setup *setup, const sa_lab_prove_job *proof, sa_error *error) {
    setup->rng = sa_rng_seed((uint64_t)proof->options->seed, 1);
    setup->pairs = proof->pairs;
    if (!sa_lab_model_open(&setup->model, proof->settings, &setup->pairs, error)) return false;
    setup->model.regularizer = (sa_regularizer){0};
    sa_lab_model_load(&setup->model, proof->values);
    sa_lab_model_loss(&setup->model, false);
    return true;
}

bool sa_lab_prove(const sa_lab_prove_job *proof, sa_error *error) {
    sa_proof_setup *setup = sa_new(1, sizeof *setup, error); /* too large for the stack */
    if (!setup) return false;
    const bool good = sa_proof_open(setup, proof, error) && check_all(proof, setup, error);
    sa_lab_model_close(&setup->model);
    free(setup);
    return good;
}
