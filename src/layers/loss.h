/* loss: cross-entropy of the softmax with label smoothing (Szegedy et al. 2016, section 7; Vaswani
 * et al. 2017, section 5.4): the target distribution gives the reference token 1 - epsilon and
 * divides epsilon evenly among all K words.
 *
 *   objective_i = (1 - epsilon) log p(y_i) + epsilon / K sum_k log p(k)      to be maximized */
#pragma once

#include "layers/params.h"
#include "tensor/vec.h"
#include <stdint.h>

/* ---- Copying ---------------------------------------------------------------------------------
 * The next word is generated from the vocabulary or copied from the source (See,
 * Liu and Manning 2017, section 2.2).
 *
 *   p_gen = sigma(z), z = w_h' c_i + w_s' s_i + w_x' E y_{i-1} + b
 *   P(w) = p_gen p(w) + (1 - p_gen) sum_{j: x_j = w} alpha_ij
 *
 * over the vocabulary extended by the source words that it lacks; p(w) = 0 for those. Where the
 * weights alpha sum to less than 1, the rest is generated: p_gen becomes
 * 1 - (1 - p_gen) sum_j alpha_ij, so that P sums to 1. */

typedef struct sa_copy_gate { /* weights, or their gradients */
    sa_weight w_h, w_s, w_x;  /* [1 x context], [1 x n], [1 x m]; w_h and w_x may be absent */
    sa_mat b;                 /* [1 x 1]; no columns: there is no gate */
} sa_copy_gate;

/* Binds the gate; context or m is 0 for a gate that does not see the context or the word. */
void sa_copy_gate_bind(sa_binder *binder, int context, int n, int m, sa_copy_gate *w);

/* Computes z [R x 1]; here and below, does nothing without a gate. */
void sa_copy_gate_forward(const sa_copy_gate *w, sa_mat c, sa_mat s, sa_mat x, sa_mat z);
/* Accumulates into dc, ds and dx. */
void sa_copy_gate_backward(const sa_copy_gate *w, sa_mat dz, sa_mat dc, sa_mat ds, sa_mat dx);
void sa_copy_gate_weights_backward(sa_mat c, sa_mat s, sa_mat x, sa_mat dz, sa_copy_gate *dw);

/* How the probability of one word is made, and the gradients of -log P. */
typedef struct sa_mixture {
    double z;
    bool known;               /* the vocabulary has the word */
    bool in_source;           /* whether the source has it, too */
    double alpha;             /* sum of the weights of the source words that equal the word */
    double rest;              /* 1 minus the sum of all weights */
    double log_ratio;         /* set by the forward function: log p(w) - log P(w) */
    double generated, copied; /* the two terms of P, divided by P */
    double dz, dalpha;        /* set by the backward function; dalpha: per weight that alpha sums */
    double drest;
} sa_mixture;

/* Returns log P(w) from log p(w), which is not read if the word is not known. */
double sa_mixture_forward(sa_mixture *mixture, double log_p);
/* Computes dz, dalpha and drest of -scale log P. */
void sa_mixture_backward(sa_mixture *mixture, double scale);

double sa_copy_gate_probability(double z); /* returns p_gen */

/* ---- The loss -------------------------------------------------------------------------------- */

/* How many words have their logits computed and read at once: with some hundred rows, and W_o and
 * its gradient for these words, they fit the processor's second-level cache. */
enum { SA_VOCABULARY_SLICE = 256 };

/* What is known about one row of logits, which come in such blocks of columns. */
typedef struct sa_loss_row {
    sa_softmax_sums softmax;
    double total;      /* sum of the logits; only with smoothing */
    sa_real reference; /* the logit of the reference token */
} sa_loss_row;

/* Reads the words first, first+1 .. of R rows: logits [R x some words], to which b [1 x K] is not
 * yet added. With b they become exp(logit - max), where max [R] is the greatest so far. The first
 * block, with first = 0, initializes the rows [R]. */
void sa_loss_read(sa_mat logits, sa_mat b, int first, const int32_t *ids, double smoothing,
                  sa_loss_row *rows, sa_real *max);

/* Computes the loss; p = softmax of all K words. log_p[i] = log p(ids[i]), exact even where p is
 * too small for a float. Without smoothing, objective[i] is log_p[i]. */
void sa_loss_forward(const sa_loss_row *rows, int count, int words, double smoothing,
                     sa_real *log_p, sa_real *objective);

/* Turns a block that sa_loss_read has rewritten, with its max, into scale p. */
void sa_loss_probabilities(const sa_loss_row *rows, const sa_real *max, sa_real scale, sa_mat x);

/* Replaces scale p, for the words first, first+1 .. of all K, with scale
 * d(-objective[i]) / dlogits = scale (p - (1 - epsilon) onehot(ids[i]) - epsilon / K). mixtures
 * (NULL: all words are generated): for a word that may be copied, 1 - epsilon is multiplied by the
 * share of its probability that is generated. */
void sa_loss_backward(sa_mat p, int words, int first, const int32_t *ids, double smoothing,
                      sa_real scale, const sa_mixture *mixtures);

/* With copying, call this between the two: it turns log_p into log P, also in the objective, where
 * its factor is 1 - epsilon; smoothing applies to the vocabulary's softmax. */
void sa_loss_mix(sa_mixture *mixtures, int count, double smoothing, sa_real *log_p,
                 sa_real *objective);
