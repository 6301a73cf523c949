/* heads: the steps of heads.c one by one, for searches that cache keys and values and for the lab.
 */
#pragma once

#include "attention/layout.h"

/* Returns the queries of block b. Causal ones are those of the last words of their sentence. */
sa_query_block sa_queries_of(const sa_queries *queries, const sa_memory *memory, int b);

/* Fills rows.q, and what parts compute from the states s [R x n]. */
void sa_attention_project_query(const sa_attention *w, sa_mat s, sa_attention_rows rows);
/* Returns where the heads write [o^1 .. o^H]: c itself if the values are the annotations. */
sa_mat sa_attention_head_output(const sa_attention *w, sa_attention_rows rows, sa_mat c);
/* Computes c [R x A] from the outputs of the heads. */
void sa_attention_project_output(const sa_attention *w, sa_attention_rows rows, sa_mat c);

/* Runs all heads between the projections: computes alpha and, in o, the outputs, from rows.q. */
void sa_heads_forward(const sa_attention *w, const sa_memory *memory, sa_query_block block,
                      sa_attention_rows rows, sa_mat o, const sa_attention_scratch *scratch);
/* Returns head k of a block after its forward pass, for reading its values. */
sa_head sa_head_view(const sa_attention *w, const sa_memory *memory, sa_query_block block,
                     sa_attention_rows rows, const sa_attention_scratch *scratch, int k);

/* ---- Merged attention: parts/merged.c --------------------------------------------------------
 * The memory of the words of two sides: sentence b has those of the source, h [N x A], then those
 * of the target, x [M x A], in rows first[b] .. first[b+1]-1. */
typedef struct sa_merged {
    int sentences;             /* 0: nothing is merged */
    const int *target, *first; /* [sentences + 1] first rows in x, and of both; h has the rest */
    sa_mat h, dh, d; /* [N x A], and [N + M x A] of both; the gradients are empty in decoding */
} sa_merged;
/* Lays out the gradient of both sides, as dh is, and finds where each sentence begins; those of the
 * source begin in rows source[b] of h. */
sa_merged sa_merged_layout(sa_arena *arena, const sa_batch_side *target, const int *source,
                           sa_mat h, sa_mat dh);
/* Fills both [N + M x A] from h and x. */
void sa_merged_forward(const sa_merged *own, sa_mat x, sa_mat both);
/* Accumulates d into dh and dx. */
void sa_merged_backward(const sa_merged *own, sa_mat dx);
