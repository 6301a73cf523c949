/* trial: one pass over some pairs with given weights, and how far two passes are apart. */
#ifndef SA_LAB_TRIAL_H
#define SA_LAB_TRIAL_H

#include "model/seq2seq.h"

typedef struct sa_lab_trial {
    const sa_seq2seq *w;
    sa_arena arena;
    sa_batch batch;
    sa_pass pass;
} sa_lab_trial;

/* A pair of a trial: its place in the list that the trial was made of. */
typedef struct sa_lab_view {
    const sa_lab_trial *trial;
    int pair;
} sa_lab_view;

/* Rooms, and a forward pass without dropout. Before it the rows of weights hold NaN, and so do
 * still the cells behind the end of a sentence, where others would keep padding. Closed also after
 * a failure. */
bool sa_lab_trial_open(sa_lab_trial *trial, const sa_seq2seq *w, const sa_sentence *source,
                       const sa_sentence *target, int count, sa_error *error);
void sa_lab_trial_close(sa_lab_trial *trial);

/* The gradient of all pairs' loss times `scale` is added to dw. */
void sa_lab_trial_gradient(sa_lab_trial *trial, double scale, sa_seq2seq *dw);

/* The same for the loss of one pair alone, as if the words of the others had none. What it sends
 * to each embedded word stays in the pass. */
void sa_lab_trial_gradient_of(sa_lab_view view, sa_seq2seq *dw);

/* The largest derivative by an embedded word, source or target, of any other pair; after
 * sa_lab_trial_gradient_of. */
double sa_lab_neighbor_gradient(sa_lab_view view);

/* The larger of two figures; NaN when one is. */
double sa_lab_nan_max(double a, double b);
/* The largest |x_i - y_i|, each divided by |y_i| where that is above 1. */
double sa_lab_max_difference(const double *x, const double *y, int size);

/* The row of target position t in the pass's log p, what its word is chosen by, and the pair's
 * source words. */
int sa_lab_target_row(sa_lab_view view, int t);
sa_mat sa_lab_readout_row(sa_lab_view view, int t);
int sa_lab_source_length(sa_lab_view view);

/* The weights of one head at position t: see sa_pass_weights. */
sa_mat sa_lab_weights(sa_lab_view view, sa_attention_site site, int layer, int k, int t);

/* How far two views of the same pair are apart in the weights of one place: row t of `rows` against
 * row[t], column j against column[j] (NULL: the same). */
double sa_lab_site_difference(sa_lab_view one, sa_lab_view other, sa_attention_site site, int rows,
                              const int *row, const int *column);

/* How far they are apart in the first `steps` target positions and in all source positions: in the
 * weights of every place, source word j against column[j] (NULL: j), and in log p. */
double sa_lab_weight_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column);
double sa_lab_log_p_difference(sa_lab_view one, sa_lab_view other, int steps);

#endif
