/* readout: from state, word and context to the probabilities of the next word, and the loss.
 *
 *   t~_i = U_o s + V_o E y_{i-1} + C_o c_i + b_o
 *   t_i  = max of adjacent pairs       Bahdanau et al. 2015, A.2.2 (t~ has 2l units, t has l)
 *   t_i  = tanh(t~_i)                  Luong et al. 2015, equation 5 (without V_o); dl4mt
 *   p(y_i) = softmax(W_o t_i + b_y)
 *
 * With copying, the copy gate of layers/loss.h reads what t~_i is made from. A pointer network has
 * none of this; its t has no numbers. */
#pragma once

#include "attention/attention.h"
#include "layers/loss.h"

/* t = tanh(a), which replaces a, too; da = dt . (1 - t^2), and da may be dt. */
void sa_tanh_forward(sa_mat a, sa_mat t);
void sa_tanh_backward(sa_mat t, sa_mat dt, sa_mat da);

/* log p(y_i) of every row [R], and what training maximizes (layers/loss.h). */
typedef struct sa_word_objectives {
    sa_real *log_p, *objective;
} sa_word_objectives;

typedef struct sa_readout {  /* weights, or their gradients */
    bool maxout;             /* t is the maximum of pairs, not tanh(t~) */
    sa_weight U_o, V_o, C_o; /* [units l x n], [.. x m], [.. x context]; V_o, C_o may be missing */
    sa_mat b_o;              /* [1 x units l] */
    sa_weight W_o;           /* [Ky x l] */
    sa_mat b_y;              /* [1 x Ky] */
    sa_copy_gate copy_gate;  /* a pointer network copies without one; the caller binds it */
    bool copies, dropout;    /* source words are copied; training needs a mask for t */
} sa_readout;

typedef struct sa_readout_cache {
    sa_mat sums, t;        /* [R x units l] t~, [R x l] */
    sa_mat logits;         /* [block x Ky] of a block of rows at a time */
    sa_loss_row *loss;     /* [R] */
    sa_mat max;            /* [slices of Ky x R] */
    sa_mat copy_gate;      /* [R x 1] z; copying only */
    sa_mixture *mixtures;  /* [R] of the reference tokens; NULL: no copying */
    sa_mat t_mask;         /* dropout; training only, as are these: */
    sa_mat dsums;          /* [R x units l] */
    sa_mat dt, dcopy_gate; /* see sa_output_gradients */
} sa_readout_cache;

/* Returns rows first .. first+count-1, with the same logits. */
sa_readout_cache sa_readout_slice(const sa_readout_cache *all, int first, int count);

/* Computes t from s [R x n], x = E y_{i-1} [R x m] and c [R x context]. */
void sa_readout_forward(const sa_readout *w, sa_mat s, sa_mat x, sa_mat c, double dropout,
                        sa_rng *rng, sa_readout_cache *cache);
/* Overwrites ds, dx and dc, and fills cache->dsums for the weights, from dt, which it overwrites,
 * and dz, the gradient with respect to the copy gate's z. */
void sa_readout_backward(const sa_readout *w, double dropout, sa_readout_cache *cache, sa_mat dt,
                         sa_mat dz, sa_mat ds, sa_mat dx, sa_mat dc);
/* Accumulates the gradients of the weights for all rows at once, from cache->dsums. */
void sa_readout_weights_backward(sa_mat s, sa_mat x, sa_mat c, const sa_readout_cache *cache,
                                 sa_mat dz, sa_readout *dw);

/* Fills `words` for the reference tokens ids [R]. With dw, also runs the backward pass of the loss
 * scale * sum_i -objective_i: overwrites dt [R x l], accumulates into dw->W_o and dw->b_y. It takes
 * some rows and words at a time, whose logits are in cache. */
void sa_vocabulary_loss(const sa_readout *w, const int32_t *ids, double smoothing, sa_real scale,
                        sa_readout_cache *cache, sa_word_objectives words, sa_mat dt,
                        sa_readout *dw);
/* Fills `words` from the mixtures of a pointer network. */
void sa_pointer_loss(const sa_readout_cache *cache, sa_word_objectives words);

/* ---- From the loss back to the model --------------------------------------------------------- */

/* The gradients of the loss with respect to the outputs of a forward pass, a row for each target
 * word. The buffers belong to the pass: alpha and part are those of decoder.d.attention. */
typedef struct sa_output_gradients {
    sa_mat t;                  /* [M x l] the vectors that predict words */
    sa_mat copy_gate;          /* [M x 1] z of the copy gate; copying only */
    sa_mat alpha;              /* [M x H S] the weights of the last layer's cross-attention, all
                                  heads; with gold alignments and with copying, else empty */
    sa_mat part[SA_PARTS_MAX]; /* [M x ..] what the parts of that attention keep of each query;
                                  recurrent decoders only */
} sa_output_gradients;
