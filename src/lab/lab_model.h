/* lab_model: a model in double with one batch: weights, gradients and everything that a pass needs;
 * and forward passes over some pairs with given weights, and how two of them differ. */
#pragma once

#include "lab/lab.h"
#include "model/seq2seq.h"

typedef struct sa_lab_model {
    sa_sizes sizes;
    sa_params *plan;
    sa_real *values, *gradients;
    sa_seq2seq w, dw;
    sa_arena arena;
    sa_batch batch;
    sa_pass pass;
    sa_mat watched;             /* [1 x longest sentence] */
    sa_regularizer regularizer; /* without its own random generator: see rng */
    sa_rng rng;                 /* the state from which every pass draws its dropout masks */
} sa_lab_model;

/* Allocates everything, with weights and gradients of zero. The caller closes it, even after a
 * failure. */
bool sa_lab_model_open(sa_lab_model *model, const sa_settings *settings, const sa_lab_pairs *pairs,
                       sa_error *error);
void sa_lab_model_close(sa_lab_model *model);

/* Copies the weights of a float model, in the order of the plan. */
void sa_lab_model_load(sa_lab_model *model, const float *values);

/* Draws weights under which every unit matters: v_a and the biases are not zero, words differ, and
 * gradients stay well above the rounding of the loss. */
void sa_lab_model_draw(sa_lab_model *model, uint64_t seed);

/* Returns the training objective (the loss, with label smoothing and the other terms in use)
 * divided by the number of sentences, with the same dropout masks in every call. With `backward`,
 * accumulates its gradient into model->gradients. */
double sa_lab_model_loss(sa_lab_model *model, bool backward);

/* Returns term i of the last objective, that of the target token i. */
double sa_lab_model_term(const sa_lab_model *model, int i);

/* Writes a container (base/container.h): every parameter under its name and every gradient as
 * gradient.NAME in F64; loss F64[1], as sa_lab_model_loss returns it; the batch as source.len,
 * source.ids, target.len, target.ids in I32, sentence after sentence; the dropout masks as
 * mask.PLACE in F64, one row per word or sentence; and the gold alignment as links I32[links, 4]:
 * pair, target word, source word, 1 if it is a possible link. dump.c */
bool sa_lab_dump(const char *path, const sa_lab_model *model, const sa_lab_job *job, double loss,
                 sa_error *error);

/* ---- A pass ---------------------------------------------------------------------------------- */

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
