/* sublayer: the parts of a Transformer's layers: multi-head attention and the feed-forward network,
 * each inside its residual connection (Vaswani et al. 2017, section 3.1). */
#ifndef SA_MODEL_SUBLAYER_H
#define SA_MODEL_SUBLAYER_H

#include "attention/heads.h"
#include "layers/residual.h"

/* ---- Attention, at any of its three sites ---------------------------------------------------- */

typedef struct sa_attention_sublayer { /* weights, or their gradients */
    sa_residual residual;
    sa_attention attention;
} sa_attention_sublayer;

typedef struct sa_attention_sublayer_cache {
    sa_residual_cache residual;
    sa_memory memory; /* what is attended to: its own rows, or the encoder's */
    sa_attention_rows rows;
    sa_mat dalpha; /* [R x H S] the loss's gradient by the weights themselves, or empty */
} sa_attention_sublayer_cache;

/* What the backward passes of a stack's sublayers use, one after another. */
typedef struct sa_sublayer_workspace {
    sa_attention_scratch scratch;
    sa_mat df, din; /* [R x m] derivatives by a sublayer's function and by its input */
    sa_mat dinner;  /* [R x ffn] */
    sa_attention_rows rows, cross_rows;
    sa_memory self, cross; /* derivatives by the memory */
} sa_sublayer_workspace;

void sa_attention_sublayer_bind(sa_binder *binder, const char *part, sa_attention_sizes sizes,
                                int norm, sa_attention_sublayer *w);

/* For the rows x [R x m]. They attend to `memory` [N x m], sentence b in rows first[b] ..
 * first[b+1]-1, of at most `steps` words; if it is empty, to themselves. */
void sa_attention_sublayer_layout(sa_arena *arena, const sa_attention_sublayer *w, sa_mat x,
                                  sa_mat memory, const int *first, int steps, bool training,
                                  sa_attention_sublayer_cache *cache);

/* Returns y [R x m], which is cache->residual.y. */
sa_mat sa_attention_sublayer_forward(const sa_attention_sublayer *w, const sa_queries *queries,
                                     sa_mat x, double dropout, sa_rng *rng,
                                     sa_attention_sublayer_cache *cache,
                                     sa_attention_scratch scratch);
/* d [R x m], the derivative by y, becomes that by x; dmemory's annotations and dw are added to. */
void sa_attention_sublayer_backward(const sa_attention_sublayer *w, const sa_queries *queries,
                                    double dropout, const sa_attention_sublayer_cache *cache,
                                    sa_mat d, sa_memory *dmemory, sa_sublayer_workspace *workspace,
                                    sa_attention_sublayer *dw);

/* ---- The feed-forward network ---------------------------------------------------------------- */

typedef struct sa_feedforward_sublayer { /* weights, or their gradients */
    sa_residual residual;
    sa_feedforward network;
} sa_feedforward_sublayer;

typedef struct sa_feedforward_sublayer_cache {
    sa_residual_cache residual;
    sa_mat inner; /* [R x ffn] */
} sa_feedforward_sublayer_cache;

void sa_feedforward_sublayer_bind(sa_binder *binder, const char *part, int m, int ffn, int norm,
                                  sa_feedforward_sublayer *w);
void sa_feedforward_sublayer_layout(sa_arena *arena, const sa_feedforward_sublayer *w, sa_mat x,
                                    bool training, sa_feedforward_sublayer_cache *cache);
/* Returns y [R x m], which is cache->residual.y. */
sa_mat sa_feedforward_sublayer_forward(const sa_feedforward_sublayer *w, sa_mat x, double dropout,
                                       sa_rng *rng, sa_feedforward_sublayer_cache *cache);
void sa_feedforward_sublayer_backward(const sa_feedforward_sublayer *w, double dropout,
                                      const sa_feedforward_sublayer_cache *cache, sa_mat d,
                                      sa_sublayer_workspace *workspace,
                                      sa_feedforward_sublayer *dw);

#endif
