/* pointer_generator: the next word is generated from the vocabulary or copied from the source (See,
 * Liu and Manning 2017, section 2.2).
 *
 *   p_gen = sigma(z), z = w_h' c_i + w_s' s_i + w_x' E y_{i-1} + b
 *   P(w) = p_gen p(w) + (1 - p_gen) sum_{j: x_j = w} alpha_ij
 *
 * over the vocabulary extended by the source words that it lacks; p(w) = 0 for those. Where the
 * weights alpha sum to less than 1, what they lack is generated: p_gen becomes
 * 1 - (1 - p_gen) sum_j alpha_ij, so that P sums to 1. */
#ifndef SA_LAYERS_POINTER_GENERATOR_H
#define SA_LAYERS_POINTER_GENERATOR_H

#include "layers/params.h"

/* ---- The gate -------------------------------------------------------------------------------- */

typedef struct sa_gate {     /* weights, or their gradients */
    sa_weight w_h, w_s, w_x; /* [1 x context], [1 x n], [1 x m]; w_h and w_x may be missing */
    sa_mat b;                /* [1 x 1]; no columns: there is no gate */
} sa_gate;

/* context, m: 0 for a gate that does not see the context, the word. */
void sa_gate_bind(sa_binder *binder, int context, int n, int m, sa_gate *w);

/* z [R x 1]; nothing without a gate, here and below. */
void sa_gate_forward(const sa_gate *w, sa_mat c, sa_mat s, sa_mat x, sa_mat z);
/* dc, ds and dx are added to. */
void sa_gate_backward(const sa_gate *w, sa_mat dz, sa_mat dc, sa_mat ds, sa_mat dx);
void sa_gate_weights_backward(sa_mat c, sa_mat s, sa_mat x, sa_mat dz, sa_gate *dw);

/* ---- The mixture ----------------------------------------------------------------------------- */

/* How the probability of one word is made, and the derivatives of -log P. */
typedef struct sa_mixture {
    double z;
    bool known;               /* the vocabulary has the word */
    bool in_source;           /* so has the source */
    double alpha;             /* sum of the weights of the source words that are the word */
    double rest;              /* what all weights lack to 1 */
    double log_ratio;         /* of the forward function: log p(w) - log P(w) */
    double generated, copied; /* and the two parts of P, divided by it */
    double dz, dalpha;        /* of the backward function; dalpha: by each weight that alpha sums */
    double drest;
} sa_mixture;

/* log P(w) from log p(w), which is not read if the word is not known. */
double sa_mixture_forward(sa_mixture *mixture, double log_p);
/* dz, dalpha and drest of -scale log P. */
void sa_mixture_backward(sa_mixture *mixture, double scale);

double sa_gate_probability(double z); /* p_gen */

#endif
