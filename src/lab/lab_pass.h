/* lab_pass: runs a forward pass over some pairs with given weights, and measures how two passes
 * differ. */
#pragma once

#include "model/seq2seq.h"

/* Returns the index in the batch of sentence `number` of the given list. */
static inline int sa_batch_index(const sa_batch_side *side, int number) {
    int b = 0;
    while (side->order[b] != number) b++;
    return b;
}

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

/* Allocates and runs a forward pass without dropout. The caller closes it, even after a failure. */
bool sa_lab_pass_open(sa_lab_pass *pass, const sa_seq2seq *w, const sa_sentence *source,
                      const sa_sentence *target, int count, sa_error *error);
void sa_lab_pass_close(sa_lab_pass *pass);

/* Accumulates the gradient of all pairs' loss, times `scale`, into dw. */
void sa_lab_pass_gradient(sa_lab_pass *pass, double scale, sa_seq2seq *dw);

/* Returns the larger of two numbers; NaN if one is NaN. */
double sa_lab_nan_max(double a, double b);
/* Returns the largest |x|. */
double sa_lab_largest(sa_mat x);
/* Returns the largest |x_i - y_i| / max(1, |y_i|). */
double sa_lab_max_difference(const double *x, const double *y, int size);

/* Return the row of target position t in log p, and the readout layer t_i that predicts its word.
 */
int sa_lab_target_row(sa_lab_view view, int t);
sa_mat sa_lab_readout_row(sa_lab_view view, int t);

/* Returns the attention weights of one head at position t: see sa_pass_weights. */
sa_mat sa_lab_weights(sa_lab_view view, sa_attention_site site, int layer, int k, int t);

/* Returns the largest difference between the attention weights of one pair in two passes at one
 * site. Compares row t of `rows` with row[t], column j with column[j] (NULL: with t and j). */
double sa_lab_site_difference(sa_lab_view one, sa_lab_view other, sa_attention_site site, int rows,
                              const int *row, const int *column);

/* Return the largest difference of the weights at all sites, over the first `steps` target
 * positions and all source positions, source word j against column[j]; and the largest difference
 * of log p. */
double sa_lab_weight_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column);
double sa_lab_log_p_difference(sa_lab_view one, sa_lab_view other, int steps);
/* Returns the larger of the two. */
double sa_lab_view_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column);
