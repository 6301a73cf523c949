/* head_scores: from the queries and keys of a head to its scores. What the score reads are the keys
 * of the memory, or what earlier weights make of them (earlier_weights.h), or with vectors for
 * distances k_j + a^K_{j-i}, which differ from query to query. */
#ifndef SA_ATTENTION_HEAD_SCORES_H
#define SA_ATTENTION_HEAD_SCORES_H

#include "attention/attention.h"
#include "attention/projection.h"

typedef struct sa_attention_scratch {
    sa_mat keys;                 /* [S x key_width] */
    sa_mat own_keys, d_own_keys; /* [S x a head's] where the score reads other keys than those of
                                    the memory; d_own_keys: backward only */
    sa_mat f, df;                /* [S x K] of location_aware.h; df: backward only */
    sa_mat dalpha, soft;         /* [Q x S] dalpha: backward only */
    sa_mat null_scores;          /* [Q x 1] e_0 of a learned null key */
    sa_span *spans;              /* [Q] */
} sa_attention_scratch;

/* The keys or values that head k attends with, of all key/value heads. */
sa_mat sa_kv_head_part(const sa_attention *w, sa_mat all, int k);

/* Queries of positions i, i + 1, .. (from 1) over one sentence, in rows row, row + 1, .. */
typedef struct sa_query_block {
    int row, count;
    int sentence, i;
    bool causal;
} sa_query_block;

/* Head k's columns of everything (or of its derivatives) in the block's rows and sentence. A query
 * that is the state itself serves all heads. */
typedef struct sa_head_slice {
    sa_mat v_a, k_0, q, k, v, o;
    sa_positions positions;
} sa_head_slice;

sa_head_slice sa_slice_head(const sa_attention *w, const sa_memory *memory,
                            const sa_query_block *block, sa_mat q, sa_mat o, int k);

/* What map 0 or 1 of two reads of it: half of the queries and keys. */
sa_head_slice sa_slice_map(const sa_attention *w, const sa_head_slice *head, int map);

/* Whether the score reads other keys for every query. */
bool sa_attention_has_own_keys(const sa_attention *w);

/* The keys that the score of head k reads for query l of the block: those of the memory, or
 * scratch.own_keys. */
sa_mat sa_head_keys(const sa_attention *w, const sa_query_block *block, int l,
                    sa_attention_rows rows, int k, const sa_head_slice *at,
                    sa_attention_scratch scratch);

/* e_ij = f(q_i, k_j) + b(j - i)    e [Q x S] */
void sa_head_scores_forward(const sa_attention *w, int k, const sa_query_block *block,
                            sa_attention_rows rows, const sa_head_slice *at, sa_mat e,
                            sa_attention_scratch scratch);
/* From de, which may be overwritten: dq, dk and dv_a, what the positions learn, and where the keys
 * depend on earlier weights d.previous_state and dw are added to. */
void sa_head_scores_backward(const sa_attention *w, int k, const sa_query_block *block,
                             sa_attention_rows rows, const sa_head_slice *at, sa_mat de,
                             sa_head_slice *to, sa_attention_rows d, sa_attention *dw,
                             sa_attention_scratch scratch);

/* e_ij -= e_i0, e_i0 = f(q_i, k_0) of a learned null key: to the normalizer its score is 0. */
void sa_head_null_forward(const sa_attention *w, const sa_head_slice *at, sa_mat e,
                          sa_attention_scratch scratch);
void sa_head_null_backward(const sa_attention *w, const sa_head_slice *at, sa_mat de,
                           const sa_head_slice *to, sa_attention_scratch scratch);

#endif
