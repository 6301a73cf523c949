/* multihead: what stands between a model and the attention core: the maps from states and
 * annotations to queries, keys and values, one head or several, local windows, and causality.
 *
 * One head is the attention of Bahdanau et al. 2015: the values are the annotations themselves.
 * Several heads (Vaswani et al. 2017, section 3.2.2) each have their own maps of the full vectors;
 * what they find is joined and mapped once more:
 *
 *   o^k_i = sum_j alpha^k_ij (W_v h_j)^k      c_i = W_c [o^1_i ; .. ; o^H_i]
 *
 * A Transformer does so with one head, too, and calls its maps W_q, W_k, W_v and W_o. */
#ifndef SA_ATTN_MULTIHEAD_H
#define SA_ATTN_MULTIHEAD_H

#include "attention/override.h"
#include "attention/window.h"
#include "layers/params.h"

typedef struct sa_attention { /* weights, or their gradients */
    const sa_score *score;
    int heads;
    int query_width, key_width; /* numbers of q and of k, all heads together */
    int value_width;         /* numbers of all heads' values; 0: the annotations are the values */
    int window, window_size; /* kind of window, and D */
    sa_weight W_a;           /* maps the query (or, for SA_KEY_STATE_SIZED, the annotations) */
    sa_weight U_a;           /* maps the annotations */
    sa_mat v_a;              /* [1 x n'] */
    sa_weight W_v, W_c;      /* [value_width x A], [A x value_width]; mapped values only */
    sa_weight W_p;           /* [n' x n], a predictive window only */
    sa_mat v_p;              /* [1 x n'], likewise */
} sa_attention;

typedef struct sa_attention_sizes {
    const sa_score *score;
    int state, annotation; /* numbers of s and of h */
    int size;              /* n', shared out among the heads */
    int max_positions;     /* S_max of the location score */
    int heads, value;      /* H, and numbers of a head's value */
    int window, window_size;
    bool transformer; /* values are always mapped, and the maps have the names of 2017 */
} sa_attention_sizes;

void sa_attention_bind(sa_binder *binder, const char *part, sa_attention_sizes sizes,
                       sa_attention *w);

/* What is attended to: the annotations sentence by sentence, and their keys and values, made once
 * per sentence. Sentence b owns rows first[b] .. first[b+1]-1. */
typedef struct sa_memory {
    const int *first;
    sa_mat annotations; /* [N x A] */
    sa_mat keys;        /* [N x key_width], or the annotations themselves */
    sa_mat values;      /* [N x value_width], or the annotations themselves */
} sa_memory;

void sa_memory_layout(sa_arena *arena, const sa_attention *w, const int *first, sa_mat annotations,
                      sa_memory *memory);
/* keys and values from the annotations */
void sa_memory_forward(const sa_attention *w, sa_memory *memory);
/* From d's keys and values, all its annotations are added to; so is dw. */
void sa_memory_backward(const sa_attention *w, const sa_memory *memory, sa_memory *d,
                        sa_attention *dw);
/* Empties d's keys and values, but for those that are the annotations themselves. */
void sa_memory_zero(sa_memory *d);

/* What R queries leave behind; also the derivatives by it. */
typedef struct sa_attention_rows {
    sa_mat q;            /* [R x query_width] */
    sa_mat alpha;        /* [R x heads S] head k's weights begin at column k S; as a derivative
                            [R x S], what attn/guide gives the first head, or without columns */
    sa_mat head_outputs; /* [R x value_width] o^1 .. o^H; mapped values only */
    sa_mat hidden, relative_center; /* [R x n'], [R x 1] of a predictive window */
} sa_attention_rows;

/* Room for rows over sentences of at most `steps` words; `alpha` false: none for weights. */
sa_attention_rows sa_attention_rows_layout(sa_arena *arena, const sa_attention *w, int rows,
                                           int steps, bool alpha);
sa_attention_rows sa_attention_rows_slice(sa_attention_rows all, int first, int count);

/* The weights of head k in one row of alpha, for a sentence of S words. */
sa_mat sa_attention_head(sa_mat alpha, int row, int heads, int k, int S);

/* p_i of target position i (from 1) and row l; S: the source's words. For windows only. */
sa_real sa_attention_center(const sa_attention *w, int i, sa_attention_rows rows, int l, int S);

typedef struct sa_attention_scratch {
    sa_mat keys;         /* [S x key_width] */
    sa_mat dalpha, soft; /* [Q x S] dalpha: backward only */
    sa_span *spans;      /* [Q] */
} sa_attention_scratch;

/* For blocks of at most `queries` about sentences of at most `steps` words. */
sa_attention_scratch sa_attention_scratch_layout(sa_arena *arena, const sa_attention *w,
                                                 int queries, int steps, bool training);

/* ---- One question per sentence: the recurrent decoders, and every search ---------------------
 */

/* Queries s [L x n] of target position i (counted from 1), row l about sentence which[l] (NULL: l):
 * fills rows and c [L x A]. An override (NULL: none) has the last word about the weights. */
void sa_attention_step_forward(const sa_attention *w, const sa_memory *memory, const int *which,
                               int i, sa_mat s, const sa_override *override, sa_attention_rows rows,
                               sa_mat c, sa_attention_scratch scratch);
/* From dc: ds, dmemory's keys and values and dw->v_a are added to, d is overwritten. Other weights
 * wait for sa_attention_steps_weights_backward. */
void sa_attention_step_backward(const sa_attention *w, const sa_memory *memory, int i,
                                sa_attention_rows rows, sa_mat dc, sa_attention_rows d,
                                sa_memory *dmemory, sa_mat ds, sa_attention *dw,
                                sa_attention_scratch scratch);
/* All rows of all steps at once. */
void sa_attention_steps_weights_backward(sa_mat s, sa_attention_rows rows, sa_mat dc,
                                         sa_attention_rows d, sa_attention *dw);

/* The three parts of a step, for a row that asks about a memory of its own: q of all rows; the
 * weights and o of row l, about sentence b; c of all rows. o is sa_attention_head_output(w, rows,
 * c). */
void sa_attention_project_query(const sa_attention *w, sa_mat s, sa_attention_rows rows);
void sa_attention_score_forward(const sa_attention *w, const sa_memory *memory, int b, int i,
                                const sa_override *override, sa_attention_rows rows, int l,
                                sa_mat o, sa_attention_scratch scratch);
void sa_attention_project_output(const sa_attention *w, sa_attention_rows rows, sa_mat c);
sa_mat sa_attention_head_output(const sa_attention *w, sa_attention_rows rows, sa_mat c);

/* ---- All questions of all sentences at once: the Transformer ---------------------------------
 */

/* Sentence b asks in rows first[b] .. first[b+1]-1, about sentence b of the memory. */
typedef struct sa_queries {
    int sentences;
    const int *first; /* [sentences + 1] */
    bool causal; /* the query of position i sees the first i keys, as if there were no others */
} sa_queries;

/* Queries s [R x n]: fills rows and c [R x A]. */
void sa_attention_all_forward(const sa_attention *w, const sa_memory *memory,
                              const sa_queries *queries, sa_mat s, const sa_override *override,
                              sa_attention_rows rows, sa_mat c, sa_attention_scratch scratch);
/* From dc: ds, dmemory's keys and values and dw are added to, d is overwritten. */
void sa_attention_all_backward(const sa_attention *w, const sa_memory *memory,
                               const sa_queries *queries, sa_mat s, sa_attention_rows rows,
                               sa_mat dc, sa_attention_rows d, sa_memory *dmemory, sa_mat ds,
                               sa_attention *dw, sa_attention_scratch scratch);

#endif
