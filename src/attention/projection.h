/* projection: the weights of an attention and the maps around its core: from states to queries,
 * from annotations to keys and values, from the outputs of heads to contexts.
 *
 * One head is the attention of Bahdanau et al. 2015: the values are the annotations themselves.
 * Several heads (Vaswani et al. 2017, section 3.2.2) each project the full vectors; their outputs
 * are concatenated and projected once more:
 *
 *   o^k_i = sum_j alpha^k_ij (W_v h_j)^k      c_i = W_c [o^1_i ; .. ; o^H_i]
 *
 * A Transformer does so with one head, too, and names its matrices W_q, W_k, W_v and W_o.
 *
 * Of G key/value heads, each serves H / G heads: head k (from 0) attends with the keys and values
 * of head floor(k G / H) (Shazeer 2019 with G = 1; Ainslie et al. 2023). */
#ifndef SA_ATTENTION_PROJECTION_H
#define SA_ATTENTION_PROJECTION_H

#include "attention/coverage.h"
#include "attention/differential.h"
#include "attention/location_aware.h"
#include "attention/normalizer.h"
#include "attention/score.h"
#include "layers/position.h"

typedef struct sa_attention { /* weights, or their gradients */
    const sa_score *score;
    const sa_normalizer *normalizer;
    int heads, kv_heads;        /* H, and G <= H */
    int query_width, key_width; /* numbers of q (H heads) and of k (G heads) */
    int value_width;            /* numbers of the values of G heads; 0: they are the annotations */
    int output_width;           /* numbers of the outputs of H heads; 0: one output, of no head */
    int window, window_size;    /* SA_WINDOW_.., and D */
    sa_weight W_a;          /* projects the query (or, for SA_KEY_STATE_SIZED, the annotations) */
    sa_weight U_a;          /* projects the annotations */
    sa_mat v_a;             /* [1 x n'], or what else the score binds */
    sa_weight W_v, W_c;     /* [value_width x A], [A x output_width]; projected values only */
    sa_weight W_p;          /* [n' x n]; SA_WINDOW_LOCAL_P only, as is the next */
    sa_mat v_p;             /* [1 x n'] */
    sa_positions positions; /* of self-attention, set by its stack; else none */
    sa_real exponent;       /* the normalizer's alpha, if it is not learned */
    bool hard;              /* weights are those of decoding, where training has others */
    sa_mat a;               /* [1 x heads] else: alpha = 1 + sigma(a) */
    sa_mat w_c;             /* [1 x n'] of coverage; without columns: none */
    sa_mat U_f;             /* [1 x A] of fertilities; without columns: all are 1 */
    sa_real max_fertility;  /* N */
    sa_mat k_0;             /* [1 x n'] the null key, if it is learned */
    bool coverage_loss;
    sa_location_aware location;   /* of scores that read the weights of the step before */
    sa_differential differential; /* of a score with two maps */
} sa_attention;

/* Maps of weights of each head. */
static inline int sa_attention_maps(const sa_attention *w) {
    return w->score->maps ? w->score->maps : 1;
}

typedef struct sa_attention_sizes {
    const sa_score *score;
    const sa_normalizer *normalizer;
    double exponent; /* the normalizer's alpha; SA_ENTMAX_ALPHA_LEARNED: each head learns its own */
    int state, annotation;     /* numbers of s and of h */
    int size;                  /* n', divided among the heads */
    int filters, filter_width; /* K and 2r + 1 of location_aware.h */
    int max_positions;         /* S_max of the location score */
    int heads, kv_heads;       /* H, and G; 0: H */
    int value;                 /* numbers of a head's value */
    int window, window_size;
    bool coverage, fertility, coverage_loss; /* earlier weights enter the score: coverage.h */
    double max_fertility;                    /* N */
    int layer;                               /* of a Transformer, from 1 */
    bool transformer; /* values are always projected, and tensors have the names of 2017 */
} sa_attention_sizes;

void sa_attention_bind(sa_binder *binder, const char *part, sa_attention_sizes sizes,
                       sa_attention *w);

/* ---- Keys and values -------------------------------------------------------------------------
 */

/* What is attended to: the annotations sentence by sentence, and their keys and values, made once
 * per sentence. Sentence b owns rows first[b] .. first[b+1]-1. */
typedef struct sa_memory {
    const int *first;   /* NULL: every row is a word by itself, ... */
    int position;       /* ... with this position, from 0 */
    sa_mat annotations; /* [N x A] */
    sa_mat keys;        /* [N x key_width], or the annotations themselves */
    sa_mat values;      /* [N x value_width], or the annotations themselves */
    sa_mat fertility;   /* [N x 1] Phi; no columns without coverage that divides by it */
} sa_memory;

/* The numbers of a word in a memory: its key and value, or the annotation of A numbers itself. */
size_t sa_memory_width(const sa_attention *w, int A);

void sa_memory_layout(sa_arena *arena, const sa_attention *w, const int *first, sa_mat annotations,
                      sa_memory *memory);
/* Keys, values and fertilities from the annotations; keys are rotated where positions do so. */
void sa_memory_forward(const sa_attention *w, sa_memory *memory);
/* From d's keys, values and fertilities; all its annotations and dw are added to. */
void sa_memory_backward(const sa_attention *w, const sa_memory *memory, sa_memory *d,
                        sa_attention *dw);
/* Zeroes d's fertilities, and its keys and values unless they are the annotations themselves. */
void sa_memory_zero(sa_memory *d);

/* ---- Queries and contexts --------------------------------------------------------------------
 */

/* What the forward pass of R queries leaves for the backward pass; also the derivatives. */
typedef struct sa_attention_rows {
    sa_mat q;            /* [R x query_width] */
    sa_mat alpha;        /* [R x heads S] head k's weights begin at column k S; as a derivative
                            what the losses of the weights and copying add to theirs, or empty */
    sa_mat head_outputs; /* [R x output_width] o^1 .. o^H; projected values only */
    sa_mat maps;         /* [R x heads 2 S] with two maps: A1 and A2 of each head, as alpha */
    sa_mat sums;         /* [R x output_width] with two maps: the outputs before their norm */
    sa_mat hidden, relative_center; /* [R x n'], [R x 1] of SA_WINDOW_LOCAL_P: window.h */
    sa_mat selection, noise;        /* [R x heads S] of monotonic.h: p and, in training, the noise;
                                       of hard.h: p, and [R x heads] what decides the draws */
    sa_mat previous_state, state;   /* [R x heads ..] what a step reads of the step before and
                                       leaves to the next: sa_attention_state_width */
    sa_mat coverage_loss;           /* [R x 1] sum over heads, of --coverage loss only */
    sa_mat draws; /* [R x 2] of hard.h: sums over heads of log p(s) and the entropy of p */
} sa_attention_rows;

/* The columns of head k (from 0) of a matrix that has those of all heads side by side. */
sa_mat sa_head_part(sa_mat all, int heads, int k);

/* The weights of head k in one row of alpha, for a sentence of S words. */
sa_mat sa_attention_head(sa_mat alpha, int row, int heads, int k, int S);

/* The alpha of head k's normalizer. */
sa_real sa_attention_exponent(const sa_attention *w, int k);

/* For sentences of at most `steps` words; `alpha` false: without weights. */
sa_attention_rows sa_attention_rows_layout(sa_arena *arena, const sa_attention *w, int rows,
                                           int steps, bool alpha);
sa_attention_rows sa_attention_rows_slice(sa_attention_rows all, int first, int count);

/* The size of a row of the attention state, which goes from target step to target step, for
 * sentences of at most `steps` words; 0 for most models. Head by head it has what the score keeps,
 * and numbers for each source word: C_j with coverage, alpha_j where the next step reads it. */
int sa_attention_state_width(const sa_attention *w, int steps);
/* Whether the next step reads alpha_j: its score or its weights depend on it. */
bool sa_attention_passes_weights(const sa_attention *w);
/* Whether a key is drawn by its weight: hard.h. */
bool sa_attention_draws(const sa_attention *w);
/* The columns of `noise` in training, for sentences of at most `steps` words. */
int sa_attention_noise_width(const sa_attention *w, int steps);
/* These parts of head k's state in a row of such states (or of their derivatives), for a sentence
 * of S words. */
sa_mat sa_state_score(const sa_attention *w, sa_mat states, int row, int k);
sa_mat sa_state_coverage(const sa_attention *w, sa_mat states, int row, int k, int S);
sa_mat sa_state_weights(const sa_attention *w, sa_mat states, int row, int k, int S);
/* Before the first target word. */
void sa_attention_state_begin(const sa_attention *w, sa_mat state);

/* q, and the center of a predicted window, from the states s [R x n]. */
void sa_attention_project_query(const sa_attention *w, sa_mat s, sa_attention_rows rows);
/* ds is added to. */
void sa_attention_project_query_backward(const sa_attention *w, sa_attention_rows rows,
                                         sa_attention_rows d, sa_mat ds);

/* Where the core writes [o^1 .. o^H]: c itself if the values are the annotations. */
sa_mat sa_attention_head_output(const sa_attention *w, sa_attention_rows rows, sa_mat c);
/* c [R x A] from the outputs of the heads. */
void sa_attention_project_output(const sa_attention *w, sa_attention_rows rows, sa_mat c);
/* Returns the derivative by the outputs of the heads. */
sa_mat sa_attention_project_output_backward(const sa_attention *w, sa_mat dc, sa_attention_rows d);

/* The gradients of W_a, W_c, W_p and v_p, for any number of steps at once. */
void sa_attention_projections_backward(sa_mat s, sa_attention_rows rows, sa_mat dc,
                                       sa_attention_rows d, sa_attention *dw);

#endif
