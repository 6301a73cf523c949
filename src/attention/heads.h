/* heads: the steps of heads.c one by one, for searches that cache keys and values and for the lab.
 */
#pragma once

#include "attention/layout.h"

/* Queries at positions i, i + 1, .. (from 1) over one sentence, in rows row, row + 1, .. */
typedef struct sa_query_block {
    int row, count;
    int sentence, i;
    int causal; /* as in sa_head */
} sa_query_block;

/* Returns the queries of sentence b. */
sa_query_block sa_queries_of(const sa_queries *queries, int b);

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

/* Returns the size of a word in a memory, without the annotation if keys and values are projected;
 * A: the size of the annotation. */
size_t sa_memory_width(const sa_attention *w, int A);
/* Returns the maximum number of columns per word in a query's row. */
int sa_attention_growth(const sa_attention *w);
/* Returns whether the weights of a query may sum to less than 1. */
bool sa_attention_lacks(const sa_attention *w);

/* Returns the size of the sums of all key/value heads that replace keys and values if causal
 * attention can run as a recurrence (parts/running_sums.c); 0: it cannot. */
int sa_running_width(const sa_attention *w);
/* Adds word t of `words` to the sums [1 x width]; q [1 x query_width] -> o [1 x output_width].
 * scratch [1 x key_width]. */
void sa_running_step(const sa_attention *w, const sa_memory *words, int t, sa_mat q, sa_mat sums,
                     sa_mat o, sa_mat scratch);
