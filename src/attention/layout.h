/* layout: binds the parameters of an attention, and lays out what it computes. */
#pragma once

#include "attention/attention.h"
#include "base/batch.h"
#include "layers/basic.h"
#include "layers/positions.h"

#include <softalign/lab.h>

/* What an attention is built from; from it, parts decide whether they are chosen and what they
 * bind. */
struct sa_attention_sizes {
    const sa_score *score;
    const sa_normalizer *normalizer;
    sa_settings settings;          /* settings of the model: each part reads its own */
    sa_attention_site site;        /* in a Transformer; recurrent decoders have cross-attention */
    const sa_positions *positions; /* for self-attention, otherwise NULL */
    int state_width, annotation_width; /* of s and of h */
    int size;                          /* n_a, divided among the heads */
    int max_positions;                 /* the longest sentence, EOS included */
    int heads, kv_heads;               /* H, and G; 0: H */
    int value;                         /* size of a head's values */
    int layer;                         /* layer of a Transformer, from 1 */
    bool transformer; /* values are always projected, and tensors have the names of 2017 */
};

sa_attention_sizes sa_attention_sizes_of(const sa_settings *settings, int state_width,
                                         int annotation_width);
/* Returns the sizes of a Transformer's attention there: with settings.hybrid N every N-th layer of
 * self-attention, and all cross-attention, has scaled dot products with all words. layer: from 1 */
sa_attention_sizes sa_attention_sizes_at(sa_attention_sizes sizes, sa_attention_site site,
                                         int layer);
/* Returns why the choices are incompatible with each other, with the sizes or with what is trained,
 * worded as in config/settings.h; otherwise NULL. kind: positions of self-attention, or NULL. */
const char *sa_attention_refuse(const sa_attention_sizes *sizes, const sa_position_kind *kind);

/* Returns whether k = U_a h. */
static inline bool sa_key_projected(const sa_score *score) {
    return score->key == SA_KEY_UNITS || score->key == SA_KEY_PRODUCT;
}

/* Returns whether projections of q and k may be rotated together. */
static inline bool sa_score_rotates(const sa_score *score) {
    return score->key == SA_KEY_PRODUCT || score->key == SA_KEY_STATE_SIZED;
}

/* Binds the parameters "PREFIX.NAME", except for those that follow a sublayer's norm in model files
 * (sa_parts_bind). */
void sa_attention_bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                       sa_attention *w);

/* Lays out R rows for sentences of at most `steps` words; gradient: of gradients, without attention
 * weights.
 */
sa_attention_rows sa_attention_rows_layout(sa_arena *arena, const sa_attention *w, int rows,
                                           int steps, bool gradient);
/* Returns the rows of sentence b. */
static inline sa_mat sa_sentence_rows(sa_mat all, const int *first, int b) {
    return sa_rows(all, first[b], first[b + 1] - first[b]);
}
/* Return slices: head k among all heads side by side; the key/value head that head k reads; head
 * k's weights in one row of alpha, for S words. */
sa_mat sa_head_slice(sa_mat all, int heads, int k);
sa_mat sa_kv_head_slice(const sa_attention *w, sa_mat all, int k);
sa_mat sa_attention_head(sa_mat alpha, int row, int heads, int k, int S);

sa_attention_rows sa_attention_rows_slice(sa_attention_rows all, int first, int count);
void sa_memory_layout(sa_arena *arena, const sa_attention *w, const int *first, sa_mat annotations,
                      sa_memory *memory);
/* Lays out the scratch for at most `queries` queries at a time. */
sa_attention_scratch sa_attention_scratch_layout(sa_arena *arena, const sa_attention *w,
                                                 int queries, int steps, bool training);

/* The columns that parts keep of what is computed; 0 for most parts. */
typedef struct sa_part_widths {
    int memory;        /* of a word of the memory */
    int row, gradient; /* of a query, and of its gradient */
    int noise;         /* of a query in training */
    int running;       /* of the sums that replace keys and values in causal attention */
    int scratch;
} sa_part_widths;
/* Return the columns of one part, and the sums over the first `count` parts (no row, no gradient),
 * for sentences of at most `steps` words and `queries` queries at a time. */
sa_part_widths sa_part_widths_of(const sa_attention *w, int part, int queries, int steps);
sa_part_widths sa_parts_widths(const sa_attention *w, int count, int queries, int steps);
/* Returns the columns of the carry of a head's first `count` parts; 0 for most models. */
int sa_carry_width(const sa_attention *w, int count, int steps);
/* Fills the carry of the first target word's predecessor. */
void sa_attention_carry_begin(const sa_attention *w, sa_mat carry);
/* Draws the noise of all queries of a batch, step by step; amount: sa_dropout.noise. */
void sa_attention_draw_noise(const sa_attention *w, double amount, sa_rng *rng,
                             const sa_batch_side *side, sa_mat noise);

/* Returns the size of a word in a memory, without the annotation if keys and values are projected;
 * A: the size of the annotation. */
size_t sa_memory_width(const sa_attention *w, int A);
/* Returns the maximum number of columns per word in a query's row. */
int sa_attention_growth(const sa_attention *w);
/* Returns whether the weights of a query may sum to less than 1. */
bool sa_attention_lacks(const sa_attention *w);
