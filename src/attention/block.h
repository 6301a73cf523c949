/* block: the attention core for some queries that ask about one sentence, head by head: what each
 * may see, its weights, and what it finds. multihead.h makes the queries and joins the heads. */
#ifndef SA_ATTN_BLOCK_H
#define SA_ATTN_BLOCK_H

#include "attention/multihead.h"

/* Queries of positions i, i + 1, .. (from 1) in rows at, at + 1, .. of everything. */
typedef struct sa_query_block {
    int row, count;
    int sentence, i;
    bool causal; /* the query of position i sees the first i keys alone */
} sa_query_block;

/* From rows.q (and rows.share): alpha^k and o^k of all heads. */
void sa_query_block_forward(const sa_attention *w, const sa_memory *memory,
                            const sa_query_block *block, const sa_override *override,
                            sa_attention_rows rows, sa_mat o, sa_attention_scratch scratch);
/* From d_o: d.q, d.share, dmemory's keys and values and dw->v_a are added to. */
void sa_query_block_backward(const sa_attention *w, const sa_memory *memory,
                             const sa_query_block *block, sa_attention_rows rows, sa_mat d_o,
                             sa_attention_rows d, sa_memory *dmemory, sa_attention *dw,
                             sa_attention_scratch scratch);

#endif
