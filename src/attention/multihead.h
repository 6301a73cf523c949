/* multihead: attention as models call it, with one head or several. Queries are projected, every
 * head goes through the core (attention.h), and the outputs of the heads are projected to contexts.
 * What a query may see is decided here: windows, causality, the end of the location score. */
#ifndef SA_ATTENTION_MULTIHEAD_H
#define SA_ATTENTION_MULTIHEAD_H

#include "attention/head_scores.h"
#include "attention/override.h"
#include "attention/projection.h"
#include "attention/window.h"

/* For at most `queries` queries at a time over sentences of at most `steps` words. */
sa_attention_scratch sa_attention_scratch_layout(sa_arena *arena, const sa_attention *w,
                                                 int queries, int steps, bool training);

/* Whether the weights of a query may sum to less than 1: with a null key, and under the Gaussian of
 * a local-p window. */
bool sa_attention_lacks(const sa_attention *w);

/* p_i of target position i (from 1) and row l, for a source of S words. For windows only. */
sa_real sa_attention_center(const sa_attention *w, int i, sa_attention_rows rows, int l, int S);

/* ---- One query per sentence: a step of a recurrent decoder, and of every search --------------
 */

/* Queries s [L x n] of target position i (from 1), row l over sentence which[l] (NULL: l): fills
 * rows and c [L x A], reads rows.previous_state. An override (NULL: none) replaces the weights. */
void sa_attention_step_forward(const sa_attention *w, const sa_memory *memory, const int *which,
                               int i, sa_mat s, const sa_override *override, sa_attention_rows rows,
                               sa_mat c, sa_attention_scratch scratch);
/* From dc, d.state and d.coverage_loss: ds, dmemory's keys, values and fertilities and what dw has
 * for the core are added to, the rest of d is overwritten. The other weights' gradients are left to
 * sa_attention_projections_backward. */
void sa_attention_step_backward(const sa_attention *w, const sa_memory *memory, int i,
                                sa_attention_rows rows, sa_mat dc, sa_attention_rows d,
                                sa_memory *dmemory, sa_mat ds, sa_attention *dw,
                                sa_attention_scratch scratch);

/* The part of a step between the projections, for row l alone over sentence b of its own memory:
 * its weights, and its row of o, which is sa_attention_head_output(w, rows, c). */
void sa_attention_score_forward(const sa_attention *w, const sa_memory *memory, int b, int i,
                                const sa_override *override, sa_attention_rows rows, int l,
                                sa_mat o, sa_attention_scratch scratch);

/* The scores e [1 x S] of head k, and of its `map` (0 where there is one), for the query of
 * position i in row l, over sentence b of a pass; returns what it sees of them. causal: as in
 * sa_queries. */
sa_span sa_attention_scores(const sa_attention *w, const sa_memory *memory, int b, int i,
                            bool causal, sa_attention_rows rows, int l, int k, int map, sa_mat e,
                            sa_attention_scratch scratch);

/* ---- All queries of all sentences at once: the Transformer -----------------------------------
 */

/* The queries of sentence b are rows first[b] .. first[b+1]-1, over sentence b of the memory. */
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
