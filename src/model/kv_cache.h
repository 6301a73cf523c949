/* kv_cache: a Transformer that generates word by word.
 *
 * The keys and values of the words so far are cached, so that only the attention of a step depends
 * on their number. The cache is a tree: the entry of a word points to that of the word before, so
 * hypotheses with a common beginning use the same entries, and reordering a beam moves nothing.
 * Linear attention needs only their sums: attention/parts/running_sums.c. */
#pragma once

#include "model/transformer.h"

/* One step of a search: target position i (from 1) of L hypotheses; row l, which belongs to
 * sentence which[l], continues row from[l] of the step before (its sentence at the first step)
 * after the token ids[l], which is y_{i-1}. */
typedef struct sa_decode_step {
    int i, L;
    const int *which, *from;
    const int32_t *ids;
} sa_decode_step;

/* One entry for every word of every hypothesis. */
typedef struct sa_kv_cache {
    int width;        /* of an entry: what the memories of all layers hold of a word */
    sa_real *entries; /* [count x width], growing */
    int *before;      /* [count] the entry of the word before; -1 at the start */
    size_t count, entries_capacity, before_capacity;
    int *last, *next; /* [rows] the newest entry of each row; next is scratch */
} sa_kv_cache;

/* What linear attention has instead: each row's sums in all layers, now and at the step before,
 * whose rows a beam search continues in another order. */
typedef struct sa_attention_sums {
    sa_mat now, before; /* [rows x width] */
} sa_attention_sums;

/* What self-attention of one layer uses; except for the first two, in memory that all layers use
 * one after another. */
typedef struct sa_self_decode_state {
    int sums;               /* width of its sums; 0: it reads cached keys and values */
    int first;              /* its first column there */
    sa_attention_rows rows; /* except what grows with the words */
    sa_attention_rows one;  /* for one row, with the cached words */
    sa_memory words;        /* its cached words */
    sa_attention_scratch scratch;
} sa_self_decode_state;

typedef struct sa_transformer_decode_state {
    sa_stack_cache encoder;          /* decoder-only: of the stack that has read the source */
    sa_memory memory[SA_MAX_LAYERS]; /* the source's keys and values for each layer */
    bool joins; /* self-attention has these before the words so far, and there is no other */
    sa_kv_cache cache;
    sa_attention_sums sums;
    /* the current step, of at most `rows` hypotheses */
    int *positions;                      /* [rows] of the words read, from 0 */
    int32_t *separator;                  /* [rows] decoder-only: what the first step reads, EOS */
    sa_mat position_vector, x;           /* [1 x m], [rows x m] */
    sa_residual_cache self, cross, feed; /* used by all layers in turn */
    sa_mat inner;                        /* [rows x ffn] */
    sa_self_decode_state layer[SA_MAX_LAYERS];        /* self-attention */
    sa_attention_rows cross_attention[SA_MAX_LAYERS]; /* with joins, only alpha is used */
    sa_layernorm_cache last;
    sa_attention_scratch scratch; /* of cross-attention */
} sa_transformer_decode_state;

void sa_transformer_decode_layout(sa_arena *arena, const sa_transformer *w, const sa_batch *batch,
                                  int rows, int steps, sa_transformer_decode_state *state);
void sa_transformer_decode_begin(const sa_transformer *w, sa_transformer_decode_state *state);
/* Fills t [L x m]. SA_LIMIT when memory runs out. */
bool sa_transformer_decode_step(const sa_transformer *w, const sa_decode_step *step,
                                sa_transformer_decode_state *state, sa_mat t, sa_error *error);
void sa_transformer_decode_release(sa_transformer_decode_state *state);
sa_cache_size sa_transformer_cache_size(const sa_transformer *w);
