/* heads: the steps of heads.c one by one, for searches that cache keys and values and for the lab.
 */
#pragma once

#include "attention/layout.h"

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
