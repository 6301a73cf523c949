/* The readout: computes the vector t_i from a decoder's state, the word before and the context;
 * and from t_i, for every decoder and the Transformer, the probabilities of the next word, their
 * loss and its gradient. R is the number of rows, n the size of a state, l that of t, K the number
 * of words. */
#include "model/readout.h"
#include "base/thread.h"
#include "layers/basic.h"
#include "tensor/trace.h"

/* ---- From t~ to t ---------------------------------------------------------------------------- */

/* Equation 5 (Luong et al. 2015): t = tanh(t~). cache->sums keeps tanh(t~) without dropout, from
 * which sa_tanh_backward computes 1 - t^2.
 *
 *   a, t [R x l] */
void sa_tanh_forward(sa_mat a, sa_mat t) {
    sa_tanh(a);
    sa_copy_mat(a, t);
}

void sa_tanh_backward(sa_mat t, sa_mat dt, sa_mat da) {
    for (int i = 0; i < dt.rows; i++) {
        const sa_real *y = sa_row(t, i), *dy = sa_row(dt, i);
        for (int k = 0; k < dt.cols; k++) sa_row(da, i)[k] = dy[k] * (1 - y[k] * y[k]);
    }
}

/* ---- From t~ to the loss --------------------------------------------------------------------- */

/* A.2.2: t~_i = U_o s + V_o E y_{i-1} + C_o c_i + b_o; t_i = maxout(t~_i);
 * output_forward of paper/rnnsearch.c, generalized. s [R x n], x [R x m], c [R x A] -> t [R x l] */
void sa_readout_forward(const sa_readout *w, sa_mat s, sa_mat x, sa_mat c, double dropout,
                        sa_rng *rng, sa_readout_cache *cache) {
    sa_linear_forward(w->U_o, w->b_o, s, cache->sums);
    if (w->V_o.mat.x) sa_weight_nt(x, w->V_o, 1, cache->sums);
    if (w->C_o.mat.x) sa_weight_nt(c, w->C_o, 1, cache->sums);
    sa_trace("t~", cache->sums);
    (w->maxout ? sa_maxout_forward : sa_tanh_forward)(cache->sums, cache->t);
    sa_dropout_forward(dropout, rng, cache->t_mask, cache->t);
    sa_copy_gate_forward(&w->copy_gate, c, s, x, cache->copy_gate);
}

void sa_readout_backward(const sa_readout *w, double dropout, sa_readout_cache *cache, sa_mat dt,
                         sa_mat dz, sa_mat ds, sa_mat dx, sa_mat dc) {
    sa_dropout_backward(dropout, cache->t_mask, dt);
    (w->maxout ? sa_maxout_backward : sa_tanh_backward)(cache->sums, dt, cache->dsums);
    sa_zero(dx), sa_zero(dc);
    if (w->C_o.mat.x) sa_weight_nn(cache->dsums, w->C_o, 0, dc); /* t~ += C_o c */
    if (w->V_o.mat.x) sa_weight_nn(cache->dsums, w->V_o, 0, dx); /* t~ += V_o x */
    sa_weight_nn(cache->dsums, w->U_o, 0, ds);                   /* t~ = U_o s + b_o */
    sa_copy_gate_backward(&w->copy_gate, dz, dc, ds, dx);
}

void sa_readout_weights_backward(sa_mat s, sa_mat x, sa_mat c, const sa_readout_cache *cache,
                                 sa_mat dz, sa_readout *dw) {
    const sa_mat none = {0};
    if (dw->C_o.mat.x) sa_weight_tn(cache->dsums, c, dw->C_o);
    if (dw->V_o.mat.x) sa_weight_tn(cache->dsums, x, dw->V_o);
    sa_linear_backward((sa_weight){0}, s, cache->dsums, none, dw->U_o, dw->b_o);
    sa_copy_gate_weights_backward(c, s, x, dz, &dw->copy_gate);
}

/* Some words of a block of rows. */
typedef struct vocabulary_slice {
    sa_mat logits; /* the slices of a block lie one after the other, each dense */
    sa_weight W_o; /* of these words */
    sa_real *max;  /* of the rows */
} vocabulary_slice;

/* Returns the words from `first` on, for `count` rows of the cache from row `at` on. */
static vocabulary_slice slice_of(const sa_readout *w, const sa_readout_cache *cache, int at,
                                 int count, int first) {
    const int left = cache->logits.cols - first,
              words = left < SA_VOCABULARY_SLICE ? left : SA_VOCABULARY_SLICE;
    const ptrdiff_t place = (ptrdiff_t)first * count;
    return (vocabulary_slice){.logits = {cache->logits.x + place, count, words, words},
                              .W_o = sa_weight_rows(w->W_o, first, words),
                              .max = sa_row(cache->max, first / SA_VOCABULARY_SLICE) + at};
}

/* t [R x l] in cache -> log p(y_i) and the objective [R]; dt [R x l] */
void sa_vocabulary_loss(const sa_readout *w, const int32_t *ids, double smoothing, sa_real scale,
                        sa_readout_cache *cache, sa_word_objectives words, sa_mat dt,
                        sa_readout *dw) {
    const int rows = cache->t.rows, K = cache->logits.cols;
    for (int at = 0, end; at < rows && !sa_stopping(); at = end) {
        end = rows - at < cache->logits.rows ? rows : at + cache->logits.rows;
        const int count = end - at;
        const sa_mat t = sa_rows(cache->t, at, count);
        sa_loss_row *loss = cache->loss + at;
        for (int k = 0; k < K; k += SA_VOCABULARY_SLICE) {
            const vocabulary_slice slice = slice_of(w, cache, at, count, k);
            sa_weight_nt(t, slice.W_o, 0, slice.logits);
            sa_loss_read(slice.logits, w->b_y, k, ids + at, smoothing, loss, slice.max);
        }
        sa_loss_forward(loss, count, K, smoothing, words.log_p + at, words.objective + at);
        sa_mixture *mixtures = cache->mixtures ? cache->mixtures + at : NULL;
        if (mixtures)
            sa_loss_mix(mixtures, count, smoothing, words.log_p + at, words.objective + at);
        if (!dw) continue;
        const sa_mat dt_rows = sa_rows(dt, at, count);
        sa_zero(dt_rows);
        for (int k = 0; k < K; k += SA_VOCABULARY_SLICE) {
            const vocabulary_slice slice = slice_of(w, cache, at, count, k);
            sa_loss_probabilities(loss, slice.max, scale, slice.logits);
            sa_loss_backward(slice.logits, K, k, ids + at, smoothing, scale, mixtures);
            sa_linear_backward(slice.W_o, t, slice.logits, dt_rows,
                               sa_weight_rows(dw->W_o, k, slice.logits.cols),
                               sa_cols(dw->b_y, k, slice.logits.cols)); /* W_o t + b_y */
        }
    }
}

/* Section 2.3 (Vinyals et al. 2015): P(y_i) = sum_j alpha_ij over x_j = y_i. What goes back to
 * alpha is in copying.c. */
void sa_pointer_loss(const sa_readout_cache *cache, sa_word_objectives words) {
    for (int i = 0; i < cache->t.rows; i++)
        words.objective[i] = words.log_p[i] = (sa_real)sa_mixture_forward(&cache->mixtures[i], 0);
}

sa_readout_cache sa_readout_slice(const sa_readout_cache *all, int first, int count) {
    sa_readout_cache slice = *all;
    slice.sums = sa_rows(all->sums, first, count);
    slice.t = sa_rows(all->t, first, count);
    slice.copy_gate = sa_rows(all->copy_gate, first, count);
    if (all->t_mask.rows) slice.t_mask = sa_rows(all->t_mask, first, count);
    if (all->dsums.x) slice.dsums = slice.sums;
    return slice;
}
