/* lab_pass: a forward pass over some pairs with given weights, and differences of two passes. */
#pragma once

#include "model/seq2seq.h"

typedef struct sa_lab_pass {
    const sa_seq2seq *w;
    sa_arena arena;
    sa_batch batch;
    sa_pass cache;
} sa_lab_pass;

/* One pair of a pass, by its place in the list that sa_lab_pass_open got. */
typedef struct sa_lab_view {
    const sa_lab_pass *pass;
    int pair;
} sa_lab_view;

/* Allocates and runs a forward pass without dropout. Attention weights are NaN before it, and stay
 * NaN beyond the end of a sentence, where a padded batch would have padding. To be closed even
 * after a failure. */
bool sa_lab_pass_open(sa_lab_pass *pass, const sa_seq2seq *w, const sa_sentence *source,
                      const sa_sentence *target, int count, sa_error *error);
void sa_lab_pass_close(sa_lab_pass *pass);

/* Adds the gradient of all pairs' loss, times `scale`, to dw. */
void sa_lab_pass_gradient(sa_lab_pass *pass, double scale, sa_seq2seq *dw);

/* Adds the gradient of one pair's loss to dw; its derivatives by the embedded words of all pairs
 * stay in the cache. */
void sa_lab_pass_gradient_of(sa_lab_view view, sa_seq2seq *dw);

/* The largest derivative by an embedded word, source or target, of any other pair. Call
 * sa_lab_pass_gradient_of first. */
double sa_lab_neighbor_gradient(sa_lab_view view);

/* The larger of two numbers; NaN if one is NaN. */
double sa_lab_nan_max(double a, double b);
/* The largest |x|. */
double sa_lab_largest(sa_mat x);
/* The largest |x_i - y_i| / max(1, |y_i|). */
double sa_lab_max_difference(const double *x, const double *y, int size);

/* Of target position t: its row in log p, and the read-out layer t_i that predicts its word. */
int sa_lab_target_row(sa_lab_view view, int t);
sa_mat sa_lab_readout_row(sa_lab_view view, int t);

/* The attention weights of one head at position t, as sa_pass_weights. */
sa_mat sa_lab_weights(sa_lab_view view, sa_attention_site site, int layer, int k, int t);

/* The largest difference of the attention weights of one pair in two passes at one site: row t of
 * `rows` is compared with row[t], column j with column[j] (NULL: with t and j). */
double sa_lab_site_difference(sa_lab_view one, sa_lab_view other, sa_attention_site site, int rows,
                              const int *row, const int *column);

/* The same at all sites, over the first `steps` target positions and all source positions, source
 * word j against column[j]; and the largest difference of log p. */
double sa_lab_weight_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column);
double sa_lab_log_p_difference(sa_lab_view one, sa_lab_view other, int steps);
/* The larger of both. */
double sa_lab_view_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column);
