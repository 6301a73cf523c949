/* floor: RNNsearch with nothing around it, as fast as straightforward C over OpenBLAS gets: a bound
 * to measure the program by. It is the model of Bahdanau, Cho and Bengio (2015), with its reset
 * gate and without biases, which cost nothing; it does learn. Everything that does not wait for the
 * step before stands outside the loops over time; no work is done on padding. */
#ifndef FLOOR_H
#define FLOOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sizes {
    int m, n, p, l;     /* embedding, hidden, alignment (n'), maxout */
    int source, target; /* words of the vocabularies */
    bool dot;           /* e = q'k / sqrt(n') in the place of v_a' tanh(q + k) */
} sizes;

/* Every matrix as [in x out], the three blocks of a cell side by side: z | r | candidate. */
typedef struct weights {
    float *Es, *Et;           /* embeddings */
    float *W[2], *U[2];       /* encoder, both ways: [m x 3n], [n x 3n] */
    float *Ua, *Wa, *va;      /* [2n x n'], [n x n'], [n'] */
    float *Ws, *Wd, *Ud, *C;  /* s_0 [n x n]; [m x 3n], [n x 3n], [2n x 3n] */
    float *Uo, *Vo, *Co, *Wo; /* [n x 2l], [m x 2l], [2n x 2l], [l x words] */
} weights;

/* One side of a shard, by falling length; row start[t] + b is word t of sentence b. */
typedef struct side {
    int sentences, steps, words;
    int *len, *first, *active, *start; /* first: the row of word 0, sentence by sentence */
    int *order, *ids;                  /* which pair stands here; [words] step by step */
} side;

typedef struct shard {
    side source, target;
    int *source_of; /* [sentences] place in the source of the same pair */
    int *inputs;    /* [target words] the word before each */
    int whole;      /* pairs of all shards: the loss's divisor */
    double loss;
} shard;

enum { BLOCK = 256 }; /* rows of logits at a time */

/* What a pass works in. x, gates, previous and reset: encoder, (encoder,) decoder. */
typedef struct workspace {
    float *x[2], *gates[3], *previous[3], *reset[3], *dgates, *dreset;
    float *H, *dH, *keys, *dkeys, *back, *s0, *state, *dstate;
    float *c, *dc, *alpha, *q, *dq, *out, *dout, *t, *dt, *logits, *dprevious, *dx;
} workspace;

/* Forward and backward of a shard; g receives the gradients. */
void floor_pass(const sizes *s, const weights *w, shard *batch, workspace *r, weights *g);

#endif
