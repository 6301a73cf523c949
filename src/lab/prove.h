/* prove: measures, in double, properties that every model must have whatever its weights
 * are; and how two passes differ. */
#pragma once

#include "lab/lab_model.h"

/* A model and the pairs that it is tested on. */
typedef struct sa_proof_setup {
    sa_lab_model model; /* with a pass over all pairs in one batch */
    sa_lab_pairs pairs;
    int p; /* the pair that is measured, and its sentences */
    const sa_sentence *source, *target;
    double worst;            /* what has been measured so far */
    double largest_gradient; /* of all pairs */
    sa_rng rng;              /* for replacing words and annotations */
    const char *note;        /* a remark on what is measured, or NULL */
} sa_proof_setup;

/* Returns the attention between decoder and encoder (of a Transformer's first layer), or NULL. */
const sa_attention *sa_lab_attention(const sa_proof_setup *setup);

/* Raises setup->worst to what it measures for a pair, or leaves it alone if it does not apply to
 * the pair; fails only when memory runs out. alone: a pass over the pair by itself. */
typedef bool sa_measure(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error);
/* Raises setup->worst to x, or to NaN. */
void sa_proof_raise(sa_proof_setup *setup, double x);

/* A property, and the models for which it must hold. */
typedef struct sa_invariance {
    const char *name, *meaning;
    double allowed;
    bool (*above)(const sa_proof_setup *); /* whether the result must be above `least` instead, */
    double least;                          /* with random weights: trained ones may hide it */
    const char *(*excuse)(const sa_proof_setup *); /* why it need not hold */
    bool shown;                                    /* it is measured nevertheless */
    sa_measure *measure;
} sa_invariance;

/* The rounding of doubles after a recurrence; the weights of the model may allow more. */
#define SA_LAB_ROUNDING 1e-8

/* Opens a proof, and measures one invariance. The caller closes setup->model, even after a failure.
 */
bool sa_proof_open(sa_proof_setup *setup, const sa_lab_prove_job *proof, sa_error *error);
bool sa_proof_measure(sa_proof_setup *setup, const sa_lab_prove_job *proof,
                      const sa_invariance *invariance, sa_proof_check *check, sa_error *error);

/* ---- Comparing two passes -------------------------------------------------------------------- */

/* One pair of a pass, by its place in the list that sa_lab_pass_open got. */
typedef struct sa_lab_view {
    const sa_lab_pass *pass;
    int pair;
} sa_lab_view;

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
