/* heads: attention as models call it, with one head or several: from states to queries, from
 * annotations to keys and values, each head through the core (attention.h), and from the outputs of
 * heads to contexts.
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
#pragma once

#include "attention/parts.h"

/* The parameters "name.NAME", but those of the parts of order SA_PARTS_LATE. */
enum { SA_PARTS_LATE = 9 };
void sa_attention_bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                       sa_attention *w);

/* ---- Keys and values ------------------------------------------------------------------------- */

/* The numbers of a word in a memory: its key and value, or the annotation of A numbers itself, and
 * what parts know of it. */
size_t sa_memory_width(const sa_attention *w, int A);

void sa_memory_layout(sa_arena *arena, const sa_attention *w, const int *first, sa_mat annotations,
                      sa_memory *memory);
/* Keys, values and what parts know of each word, from the annotations. */
void sa_memory_forward(const sa_attention *w, sa_memory *memory);
/* From all else in d, its annotations and dw are added to. */
void sa_memory_backward(const sa_attention *w, const sa_memory *memory, sa_memory *d,
                        sa_attention *dw);
/* Zeroes d but for the annotations. */
void sa_memory_zero(const sa_attention *w, sa_memory *d);

/* ---- Queries --------------------------------------------------------------------------------- */

/* The weights of head k in one row of alpha, for a sentence of S words. */
sa_mat sa_attention_head(sa_mat alpha, int row, int heads, int k, int S);

/* Whether the weights of a query may sum to less than 1. */
bool sa_attention_lacks(const sa_attention *w);

/* The most numbers that a row of a query has for each word. */
int sa_attention_growth(const sa_attention *w);
/* For sentences of at most `steps` words; derivative: of the derivatives, without weights. */
sa_attention_rows sa_attention_rows_layout(sa_arena *arena, const sa_attention *w, int rows,
                                           int steps, bool derivative);
sa_attention_rows sa_attention_rows_slice(sa_attention_rows all, int first, int count);
/* For at most `queries` queries at a time over sentences of at most `steps` words. */
sa_attention_scratch sa_attention_scratch_layout(sa_arena *arena, const sa_attention *w,
                                                 int queries, int steps, bool training);

/* The size of a row of the attention state, which goes from target step to target step, for
 * sentences of at most `steps` words; 0 for most models. */
int sa_attention_carry_width(const sa_attention *w, int steps);
/* The columns of `noise` in training. */
int sa_attention_noise_width(const sa_attention *w, int steps);
/* Draws it for all queries of a batch, step by step; amount: sa_dropout.noise. */
void sa_attention_draw_noise(const sa_attention *w, double amount, sa_rng *rng,
                             const sa_batch_side *side, sa_mat noise);
/* Before the first target word. */
void sa_attention_carry_begin(const sa_attention *w, sa_mat state);

/* q, and what parts make of the states s [R x n]. */
void sa_attention_project_query(const sa_attention *w, sa_mat s, sa_attention_rows rows);
/* Where the heads write [o^1 .. o^H]: c itself if the values are the annotations. */
sa_mat sa_attention_head_output(const sa_attention *w, sa_attention_rows rows, sa_mat c);
/* c [R x A] from the outputs of the heads. */
void sa_attention_project_output(const sa_attention *w, sa_attention_rows rows, sa_mat c);

/* Queries of positions i, i + 1, .. (from 1) over one sentence, in rows row, row + 1, .. */
typedef struct sa_query_block {
    int row, count;
    int sentence, i;
    int causal; /* as in sa_head */
} sa_query_block;

/* Numbers of the state of all key/value heads that takes the place of keys and values where causal
 * attention can run on (parts/running_sums.c); 0: it cannot. */
int sa_running_width(const sa_attention *w);
/* Word t of `words`: the state [1 x width] goes on; q [1 x query_width] -> o [1 x output_width].
 * scratch [1 x key_width]. */
void sa_running_step(const sa_attention *w, const sa_memory *words, int t, sa_mat q, sa_mat state,
                     sa_mat o, sa_mat scratch);

/* All heads between the projections: alpha and, in o, the outputs of the heads, from rows.q. */
void sa_heads_forward(const sa_attention *w, const sa_memory *memory, sa_query_block block,
                      sa_attention_rows rows, sa_mat o, const sa_attention_scratch *scratch);

/* Head k of a block that has been attended with, to be looked at. */
sa_head sa_head_view(const sa_attention *w, const sa_memory *memory, sa_query_block block,
                     sa_attention_rows rows, const sa_attention_scratch *scratch, int k);

/* ---- One query per sentence: a step of a recurrent decoder, and of every search -------------- */

/* Queries s [L x n] of target position i (from 1), row l over sentence which[l] (NULL: l): fills
 * rows and c [L x A], reads rows.previous_carry. */
void sa_attention_step_forward(const sa_attention *w, const sa_memory *memory, const int *which,
                               int i, sa_mat s, sa_attention_rows rows, sa_mat c,
                               const sa_attention_scratch *scratch);
/* A step, or the queries of a pass, and its derivatives. */
typedef struct sa_attention_pass {
    const sa_memory *memory;
    sa_attention_rows rows, d;
    sa_memory *dmemory;
    const sa_attention_scratch *scratch;
} sa_attention_pass;
/* From dc and d.state: ds, dmemory and what dw has for the core are added to, the rest of d, and dc
 * where parts change the output of a head without projections, is overwritten. The other weights'
 * gradients are left to sa_attention_projections_backward. */
void sa_attention_step_backward(const sa_attention *w, const sa_attention_pass *pass, int i,
                                sa_mat dc, sa_mat ds, sa_attention *dw);

/* The gradients of W_a, W_c and of what parts project, for any number of steps at once. */
void sa_attention_projections_backward(sa_mat s, sa_attention_rows rows, sa_mat dc,
                                       sa_attention_rows d, sa_attention *dw);

/* ---- All queries of all sentences at once: the Transformer ----------------------------------- */

/* The queries of sentence b are rows first[b] .. first[b+1]-1, over sentence b of the memory. */
typedef struct sa_queries {
    int sentences;
    const int *first;  /* [sentences + 1] */
    bool causal;       /* a query sees the keys up to its own position alone */
    const int *prefix; /* [sentences] the number of first keys that every query sees; NULL: 1 */
} sa_queries;

/* Those of sentence b. */
sa_query_block sa_queries_of(const sa_queries *queries, int b);

/* Queries s [R x n]: fills rows and c [R x A]. */
void sa_attention_all_forward(const sa_attention *w, const sa_memory *memory,
                              const sa_queries *queries, sa_mat s, sa_attention_rows rows, sa_mat c,
                              const sa_attention_scratch *scratch);
/* From dc: ds, dmemory's keys and values and dw are added to, d is overwritten. */
void sa_attention_all_backward(const sa_attention *w, const sa_attention_pass *pass,
                               const sa_queries *queries, sa_mat s, sa_mat dc, sa_mat ds,
                               sa_attention *dw);
