/* transformer_step: a Transformer that writes word by word, as in a search.
 *
 * Keys and values of what was written are kept, so a step costs the same however much stands before
 * it, but for the attention itself. Hypotheses that go on from the same words share them: the entry
 * of a word points to that of the word before, and nothing moves when a beam changes its order. */
#ifndef SA_MODEL_TRANSFORMER_STEP_H
#define SA_MODEL_TRANSFORMER_STEP_H

#include "model/decode_step.h"
#include "model/transformer.h"

/* One entry for every word of every hypothesis. */
typedef struct sa_kv_cache {
    int width;        /* numbers of an entry: the keys and values of all layers */
    sa_real *entries; /* [count x width], growing */
    int *before;      /* [count] the entry of the word before; -1 at the start */
    size_t count, entries_capacity, before_capacity;
    int *last, *next; /* [rows] the newest entry of each row, before and after the running step */
} sa_kv_cache;

typedef struct sa_transformer_decode_state {
    sa_stack_cache encoder;
    sa_memory memory[SA_MAX_LAYERS]; /* the source, as the cross attention of each layer sees it */
    sa_kv_cache cache;
    /* The running step, of at most `rows` hypotheses. */
    sa_mat position_vector, x;           /* [1 x m], [rows x m] */
    sa_residual_cache self, cross, feed; /* of one layer after another */
    sa_mat inner;                        /* [rows x ffn] */
    sa_attention_rows self_attention;    /* of the self-attention, without its weights */
    sa_mat alpha, keys, values;          /* what one row sees of its past */
    sa_attention_rows cross_attention[SA_MAX_LAYERS]; /* of the cross attention */
    sa_layernorm_cache last;
    sa_attention_scratch scratch;
    sa_readout_cache readout; /* t */
} sa_transformer_decode_state;

/* Room for `rows` hypotheses of at most `steps` words about the sources of the batch. */
void sa_transformer_decode_layout(sa_arena *arena, const sa_transformer *w, const sa_batch *batch,
                                  int rows, int steps, sa_transformer_decode_state *to);
void sa_transformer_decode_release(sa_transformer_decode_state *to);

/* Encodes the sources. */
void sa_transformer_decode_begin(const sa_transformer *w, sa_transformer_decode_state *to);

/* Fills the first L rows of readout.t. SA_LIMIT when memory runs out. */
bool sa_transformer_decode_step(const sa_transformer *w, const sa_decode_step *step,
                                sa_transformer_decode_state *to, sa_error *error);

#endif
