/* neighbors: what stands beside a pair in its batch must not matter. Batches are packed without
 * padding: the words of other sentences stand in its place. */
#ifndef TEST_NEIGHBORS_H
#define TEST_NEIGHBORS_H

#include "base/memory.h"
#include "lab/prove.h"

#include <stdlib.h>

/* Fills ids [len] with random tokens, EOS last, and returns that sentence; words: the size of the
 * vocabulary. */
static inline sa_sentence draw_sentence(sa_rng *rng, int32_t *ids, int len, int words) {
    for (int i = 0; i < len - 1; i++) { /* neither EOS nor BOS is drawn */
        const int32_t word = (int32_t)sa_rng_below(rng, (uint32_t)words - SA_SPECIAL_TOKENS + 1);
        ids[i] = word ? word + SA_SPECIAL_TOKENS - 1 : SA_UNK;
    }
    ids[len - 1] = SA_EOS;
    return (sa_sentence){ids, len};
}

static inline void raise_worst(double x, double *worst) {
    *worst = sa_lab_nan_max(*worst, x);
}

/* Zeroes the gradients of one target word: of t and, with copying, of the gate and the weights. */
static void zero_derivatives(const sa_lab_pass *pass, int row) {
    const sa_seq2seq *w = pass->w;
    const sa_readout_cache *readout = sa_pass_readout(w, &pass->cache);
    sa_zero(sa_rows(readout->dt, row, 1));
    if (!readout->mixtures) return;
    sa_zero(sa_rows(readout->dcopy_gate, row, 1));
    sa_zero(sa_rows(sa_pass_gradients(w, &pass->cache).alpha, row, 1));
}

/* Accumulates the gradient of one pair's loss into dw; the gradients of the embedded words of all
 * pairs stay in the cache. */
static void gradient_of(sa_lab_view view, sa_seq2seq *dw) {
    sa_lab_pass pass = *view.pass; /* shares the arena */
    const int own = sa_batch_index(&view.pass->batch.target, view.pair);
    const sa_output_gradients d = sa_pass_gradients(pass.w, &pass.cache);
    sa_pass_losses(pass.w, &pass.batch, (sa_regularizer){0}, 1, &pass.cache, &d, dw);
    for (int b = 0; b < pass.batch.target.sentences; b++)
        for (int t = 0; b != own && t < pass.batch.target.len[b]; t++)
            zero_derivatives(&pass, sa_seq2seq_target_row(pass.w, &pass.batch, b, t));
    sa_pass_backward(pass.w, &pass.batch, (sa_dropout){0}, &pass.cache, &d, dw);
}

/* Returns the largest gradient of a word of sentence b. */
static double recurrent_gradient(const sa_lab_pass *pass, int b) {
    const sa_batch *batch = &pass->batch;
    const sa_pass *cache = &pass->cache;
    const sa_mat dtarget = sa_decoder_word_input(&pass->w->decoder, cache->decoder.d.input);
    const int source_index = sa_batch_source_index(batch, b);
    double most = 0;
    for (int t = 0; t < batch->target.len[b]; t++)
        most = sa_lab_nan_max(
            most, sa_lab_largest(sa_rows(dtarget, sa_seq2seq_target_row(pass->w, batch, b, t), 1)));
    for (int t = 0; t < batch->source.len[source_index]; t++) {
        const int row = batch->source.start[t] + source_index;
        most = sa_lab_nan_max(most, sa_lab_largest(sa_rows(cache->encoder.dx, row, 1)));
    }
    return most;
}

static double stack_gradient(const sa_stack_cache *stack, int b) {
    if (!stack->d.rows) return 0; /* decoder-only: there is no encoder */
    const int first = stack->self.first[b];
    return sa_lab_largest(sa_rows(stack->d, first, stack->self.first[b + 1] - first));
}

/* Returns the largest gradient of an embedded word, source or target, of any other pair. */
static double neighbor_gradient(sa_lab_view view) {
    const sa_lab_pass *pass = view.pass;
    const sa_transformer_cache *cache = &pass->cache.transformer;
    const int own = sa_batch_index(&view.pass->batch.target, view.pair);
    double most = 0;
    for (int b = 0; b < pass->batch.target.sentences; b++) {
        if (b == own) continue;
        most = sa_lab_nan_max(most, pass->w->recurrent
                                        ? recurrent_gradient(pass, b)
                                        : sa_lab_nan_max(stack_gradient(&cache->encoder, b),
                                                         stack_gradient(&cache->decoder, b)));
    }
    return most;
}

/* A pair between two random pairs that are longer on both sides, source and target. */
enum { BEFORE, OWN, AFTER, PAIRS };
typedef struct neighbors {
    sa_sentence source[PAIRS], target[PAIRS];
    int32_t *ids; /* of the random pairs, in this order */
} neighbors;

static void draw_neighbors(sa_proof_setup *setup, neighbors *all) {
    int32_t *ids = all->ids;
    for (int i = BEFORE; i <= AFTER; i += AFTER - BEFORE) {
        sa_sentence *source = &all->source[i], *target = &all->target[i];
        *source = draw_sentence(&setup->rng, ids, source->len, setup->pairs.source_words);
        ids += source->len;
        *target = draw_sentence(&setup->rng, ids, target->len, setup->pairs.target_words);
        ids += target->len;
    }
}

static bool neighbors_open(sa_proof_setup *setup, int p, neighbors *all, sa_error *error) {
    const sa_sentence source = setup->pairs.source[p], target = setup->pairs.target[p];
    size_t words = 0;
    *all = (neighbors){.source[OWN] = source, .target[OWN] = target};
    for (int i = BEFORE; i <= AFTER; i += AFTER - BEFORE) {
        all->source[i].len = source.len + 1 + (int)sa_rng_below(&setup->rng, 4);
        all->target[i].len = target.len + 1 + (int)sa_rng_below(&setup->rng, 4);
        words += (size_t)all->source[i].len + (size_t)all->target[i].len;
    }
    all->ids = sa_new(words, sizeof *all->ids, error);
    if (all->ids) draw_neighbors(setup, all);
    return all->ids;
}

static bool open_pass(const sa_proof_setup *setup, const neighbors *all, sa_lab_pass *pass,
                      sa_error *error) {
    return sa_lab_pass_open(pass, &setup->model.w, all->source, all->target, PAIRS, error);
}

/* Compares a pair alone with the same pair among longer ones and among others of the same
 * lengths. */
static bool measure_padding(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error) {
    double *worst = &setup->worst;
    const int p = setup->p;
    const int steps = setup->pairs.target[p].len;
    neighbors all;
    sa_lab_pass beside = {0}, others = {0};
    bool good = neighbors_open(setup, p, &all, error) && open_pass(setup, &all, &beside, error);
    if (good) draw_neighbors(setup, &all);
    good = good && open_pass(setup, &all, &others, error);
    if (good) {
        const sa_lab_view one = {alone, 0}, first = {&beside, OWN}, second = {&others, OWN};
        raise_worst(sa_lab_view_difference(first, one, steps, NULL), worst);
        raise_worst(sa_lab_view_difference(second, first, steps, NULL), worst);
    }
    sa_lab_pass_close(&beside), sa_lab_pass_close(&others);
    free(all.ids);
    return good;
}

static bool measure_padding_gradient(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error) {
    double *worst = &setup->worst;
    const int p = setup->p;
    neighbors all;
    sa_lab_pass beside = {0};
    const bool good =
        neighbors_open(setup, p, &all, error) && open_pass(setup, &all, &beside, error);
    if (good) {
        const sa_lab_view own = {&beside, OWN};
        gradient_of(own, &setup->model.dw);
        raise_worst(neighbor_gradient(own), worst);
    }
    sa_lab_pass_close(&beside);
    free(all.ids);
    return good;
}

#endif
