/* encoder: the bidirectional recurrent network of Bahdanau et al. 2015, A.2.1.
 *
 * Two gated recurrent layers read the source, one from each end, over one shared embedding E; the
 * annotation of word j is h_j = [forward_j ; backward_j]. */
#ifndef SA_MODEL_ENCODER_H
#define SA_MODEL_ENCODER_H

#include "base/batch.h"
#include "nn/gru.h"

typedef struct sa_encoder { /* weights, or their gradients */
    sa_mat E;               /* [Kx x m] */
    sa_gru forward, backward;
} sa_encoder;

/* What one direction remembers, step by step: row start[t] + b. */
typedef struct sa_direction {
    sa_mat gates;    /* [N x 3n] z | r | h~ */
    sa_mat previous; /* [N x n]  the state it came from */
    sa_mat reset;    /* [N x n]  r . previous */
} sa_direction;

typedef struct sa_encoder_cache {
    sa_mat x; /* [N x m]  embedded words */
    sa_mat h; /* [N x 2n] annotations, step by step */
    sa_direction forward, backward;
    sa_mat annotations; /* [N x 2n] the same sentence by sentence, in the decoder's order: row
                           first[b] + j */
    const int *first;   /* [B+1] */
    sa_mat x_mask, annotation_mask;                      /* dropout; training only */
    sa_mat dannotations, dh, dx, da, dprevious, scratch; /* training only */
} sa_encoder_cache;

void sa_encoder_bind(sa_binder *binder, int words, int m, int n, sa_encoder *w);

void sa_encoder_layout(sa_arena *arena, const sa_batch *batch, int m, int n, bool training,
                       sa_encoder_cache *cache);

/* Fills x, h and annotations. dropout 0 when translating; rng may then be NULL. */
void sa_encoder_forward(const sa_encoder *w, const sa_batch *batch, double dropout, sa_rng *rng,
                        sa_encoder_cache *cache);

/* From dannotations; dw is added to. */
void sa_encoder_backward(const sa_encoder *w, const sa_batch *batch, double dropout,
                         sa_encoder_cache *cache, sa_encoder *dw);

#endif
