/* invariance: what must hold of a model whatever its weights are, measured on its own weights in
 * double. */
#ifndef SA_LAB_INVARIANCE_H
#define SA_LAB_INVARIANCE_H

#include "lab/run.h"
#include "lab/trial.h"

/* A model and the pairs it is tried on. */
typedef struct sa_lab_subject {
    sa_lab_run run; /* its weights, and room for gradients; its batch is the first pair alone */
    sa_lab_pairs pairs;
    sa_rng rng; /* for words and numbers that are exchanged */
} sa_lab_subject;

/* The attention between decoder and encoder (a transformer's first layer has it); NULL: none. */
const sa_attention *sa_lab_attention(const sa_lab_subject *subject);

/* A sentence of `len` random words of a vocabulary, the end mark last; ids [len]. */
sa_sentence sa_lab_draw_sentence(sa_rng *rng, int32_t *ids, int len, int words);

/* All pairs in one batch; pair p on its own. As sa_lab_trial_open. */
bool sa_lab_open_all(const sa_lab_subject *subject, sa_lab_trial *trial, sa_error *error);
bool sa_lab_open_single(const sa_lab_subject *subject, int p, sa_lab_trial *trial, sa_error *error);

/* How far two passes over a pair are apart, in weights (as sa_lab_weight_difference) and in log p.
 */
double sa_lab_view_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column);

/* The measures: each makes *worst its largest figure over all pairs, leaves it alone where no pair
 * can show it, and fails when memory runs out. */

/* How far the rows of weights are from being shares of 1: of more than 0, and in sum. Under a
 * predictive window they may be less, by no more than the Gaussian takes. */
bool sa_measure_row_sums(sa_lab_subject *subject, double *worst, sa_error *error);

/* How far weights, log p and gradient of all pairs together are from those of the pairs one by one.
 */
bool sa_measure_batching(sa_lab_subject *subject, double *worst, sa_error *error);

/* How far weights and log p of a pair move when longer pairs stand beside it, and when these get
 * other words. */
bool sa_measure_padding(sa_lab_subject *subject, double *worst, sa_error *error);

/* The largest derivative of a pair's loss by an embedded word of a longer pair beside it. */
bool sa_measure_padding_gradient(sa_lab_subject *subject, double *worst, sa_error *error);

/* How far the weights of the same queries move when the annotations are others. */
bool sa_measure_annotations(sa_lab_subject *subject, double *worst, sa_error *error);

/* How far log p, and the weights taken to the words' new places, move when the source's words
 * change places. */
bool sa_measure_permutation(sa_lab_subject *subject, double *worst, sa_error *error);

/* The same of the encoder alone: its annotations, and the weights of its own attention. */
bool sa_measure_encoder_permutation(sa_lab_subject *subject, double *worst, sa_error *error);

/* How far anything up to a target position moves when the words from there on are others. */
bool sa_measure_causality(sa_lab_subject *subject, double *worst, sa_error *error);

/* How far log p and weights are apart when a pair's words are written one by one, with what is kept
 * of those before. */
bool sa_measure_decoding(sa_lab_subject *subject, double *worst, sa_error *error);

#endif
