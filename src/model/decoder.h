/* decoder: the attentive recurrent decoder of Bahdanau et al. 2015, A.2.2.
 *
 *   s_0 = tanh(W_s backward_1 + b_s)
 *   c_i = sum_j alpha_ij h_j, alpha from the query s_{i-1}               (A.1.2)
 *   s_i = GRU(E y_{i-1}, s_{i-1}) with C c_i, C_z c_i, C_r c_i in the candidate and both gates */
#ifndef SA_MODEL_DECODER_H
#define SA_MODEL_DECODER_H

#include "attn/attention.h"
#include "base/batch.h"
#include "nn/gru.h"

typedef struct sa_decoder { /* weights, or their gradients */
    sa_attention attention;
    sa_mat W_s, b_s; /* [n x n], [1 x n] */
    sa_mat E;        /* [Ky x m] */
    sa_gru gru;
    sa_mat C; /* [3n x 2n] C_z, C_r, C */
} sa_decoder;

/* What the decoder attends to: the annotations sentence by sentence and their keys, made
 * once per sentence. Sentence b owns rows first[b] .. first[b+1]-1. */
typedef struct sa_memory {
    const int *first;
    sa_mat annotations; /* [N x 2n] */
    sa_mat keys;        /* [N x dk] */
} sa_memory;

/* Everything that one step, or all of them step by step, reads and leaves behind; R rows. */
typedef struct sa_decoder_rows {
    sa_mat x;        /* [R x m]  E y_{i-1} */
    sa_mat previous; /* [R x n]  s_{i-1} */
    sa_mat q;        /* [R x dq] the query from s_{i-1} */
    sa_mat alpha;    /* [R x S]  the first (words of the sentence) columns are used */
    sa_mat c;        /* [R x 2n] */
    sa_mat gates;    /* [R x 3n] z | r | s~ */
    sa_mat reset;    /* [R x n]  r . s_{i-1} */
    sa_mat s;        /* [R x n]  s_i */
} sa_decoder_rows;

typedef struct sa_decoder_cache {
    sa_decoder_rows rows; /* M rows, step by step */
    sa_memory memory;
    const int32_t *inputs; /* [M] y_{i-1} */
    sa_mat first_h, s0;    /* [B x n] backward_1, s_0 */
    sa_mat scratch;        /* [S x dk] */
    sa_mat x_mask;         /* dropout; training only */
    sa_mat dx, dprevious, dc, dq, da, ds, ds0, dkeys, dalpha, dscratch; /* training only */
} sa_decoder_cache;

void sa_decoder_bind(sa_binder *binder, const sa_compat *compat, sa_attention_sizes sizes,
                     int words, int m, sa_decoder *w);

/* Rooms for `rows` rows over sentences of at most `steps` source words. */
sa_decoder_rows sa_decoder_rows_layout(sa_arena *arena, const sa_decoder *w, int rows, int steps);
/* Rows first .. first+count-1 of all of them. */
sa_decoder_rows sa_decoder_rows_slice(sa_decoder_rows all, int first, int count);
void sa_decoder_layout(sa_arena *arena, const sa_batch *batch, const sa_decoder *w, bool training,
                       sa_decoder_cache *cache);

/* The keys, and s_0 [B x n] from backward_1. first_h [B x n] is filled for the backward pass. */
void sa_decoder_start_forward(const sa_decoder *w, sa_memory *memory, sa_mat first_h, sa_mat s0);

/* One step for L hypotheses whose x, previous and gates (= W x + b) are set: fills the rest. Row l
 * belongs to sentence which[l] (NULL: l). */
void sa_decoder_step_forward(const sa_decoder *w, const sa_memory *memory, const int *which,
                             sa_decoder_rows rows, sa_mat scratch);

/* All steps with the right words as inputs. */
void sa_decoder_forward(const sa_decoder *w, const sa_batch *batch, double dropout, sa_rng *rng,
                        sa_decoder_cache *cache);

/* dx, dprevious and dc hold what the read-out sent back and are added to; dannotations [N x 2n]
 * receives the gradient of the annotations. dw is added to. */
void sa_decoder_backward(const sa_decoder *w, const sa_batch *batch, double dropout,
                         sa_decoder_cache *cache, sa_mat dannotations, sa_decoder *dw);

#endif
