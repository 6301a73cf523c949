/* invariance: properties that every model must have whatever its weights, measured in double. */
#ifndef SA_LAB_INVARIANCE_H
#define SA_LAB_INVARIANCE_H

#include "lab/lab_model.h"
#include "lab/lab_pass.h"

/* A model and the pairs that it is tested on. */
typedef struct sa_proof_setup {
    sa_lab_model model; /* its batch is the first pair alone */
    sa_lab_pairs pairs;
    sa_rng rng;     /* for words and annotations that are replaced */
    char reach[80]; /* how far the encoder's windows reach */
} sa_proof_setup;

/* The attention between decoder and encoder (a transformer's first layer has it); NULL: none. */
const sa_attention *sa_lab_attention(const sa_proof_setup *setup);

/* A sentence of `len` random tokens, EOS last; words: size of the vocabulary; ids [len]. */
sa_sentence sa_lab_draw_sentence(sa_rng *rng, int32_t *ids, int len, int words);

/* A pass over all pairs in one batch, and over pair p alone. See sa_lab_pass_open. */
bool sa_lab_open_all(const sa_proof_setup *setup, sa_lab_pass *pass, sa_error *error);
bool sa_lab_open_single(const sa_proof_setup *setup, int p, sa_lab_pass *pass, sa_error *error);

/* The largest difference of two passes over a pair, in attention weights and log p; column as in
 * sa_lab_weight_difference. */
double sa_lab_view_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column);

/* Each measure raises *worst to its maximum over all pairs, leaves it alone if it applies to none,
 * and fails only when memory runs out. */

/* The words to each side on which an annotation may depend: layers x D; 0: it has no
 * windows around the words themselves, or a score that is blind to words. */
int sa_lab_reach(const sa_proof_setup *setup);

/* In how many pairs of an annotation and a source word the gradient of one by the other is exactly
 * zero within that reach, or is not beyond it. */
bool sa_measure_reach(sa_proof_setup *setup, double *worst, sa_error *error);

/* How far attention weights are from being distributions: not negative, sum 1. With a local-p
 * window the Gaussian may make the sum smaller, down to exp(-2), with a null key it may be any. */
bool sa_measure_row_sums(sa_proof_setup *setup, double *worst, sa_error *error);

/* The difference of weights, log p and gradient between all pairs in one batch and one by one. */
bool sa_measure_batching(sa_proof_setup *setup, double *worst, sa_error *error);

/* How weights and log p of a pair change with longer pairs beside it in the batch, and with other
 * words in these. */
bool sa_measure_padding(sa_proof_setup *setup, double *worst, sa_error *error);

/* The largest derivative of a pair's loss by an embedded word of another pair in the batch. */
bool sa_measure_padding_gradient(sa_proof_setup *setup, double *worst, sa_error *error);

/* How the weights of the same queries change with other annotations. */
bool sa_measure_annotations(sa_proof_setup *setup, double *worst, sa_error *error);

/* How log p, and each word's weights, change when the source words are permuted. */
bool sa_measure_permutation(sa_proof_setup *setup, double *worst, sa_error *error);

/* The same for the encoder: its annotations, and the weights of its self-attention. */
bool sa_measure_encoder_permutation(sa_proof_setup *setup, double *worst, sa_error *error);

/* How weights and log p change when all positions are three later. */
bool sa_measure_shift(sa_proof_setup *setup, double *worst, sa_error *error);

/* How the results up to a target position change with other target words from there on. */
bool sa_measure_causality(sa_proof_setup *setup, double *worst, sa_error *error);

/* The difference of log p and weights between decoding step by step, with cached states or keys and
 * values, and one pass over the whole target; of attention that selects words, with the weights of
 * training and with those of decoding. */
bool sa_measure_decoding(sa_proof_setup *setup, double *worst, sa_error *error);

/* How far the probabilities of all words that a step of decoding may write are from the sum 1. */
bool sa_measure_probabilities(sa_proof_setup *setup, double *worst, sa_error *error);

#endif
