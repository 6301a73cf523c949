#include "model/sublayer.h"

/* ---- Attention ------------------------------------------------------------------------------- */

void sa_attention_sublayer_bind(sa_binder *binder, const char *part, sa_attention_sizes sizes,
                                int norm, sa_attention_sublayer *w) {
    sa_attention_bind(binder, part, &sizes, &w->attention);
    sa_residual_bind(binder, part, sizes.state, norm, &w->residual);
    sa_parts_bind(binder, part, &sizes, SA_PARTS_LATE, SA_PARTS_LATE, &w->attention);
}

void sa_attention_sublayer_layout(sa_arena *arena, const sa_attention_sublayer *w, sa_mat x,
                                  sa_mat memory, const int *first, int steps, bool training,
                                  sa_attention_sublayer_cache *cache) {
    sa_residual_layout(arena, &w->residual, x, training, &cache->residual);
    sa_memory_layout(arena, &w->attention, first, memory.cols ? memory : cache->residual.in,
                     &cache->memory);
    cache->rows = sa_attention_rows_layout(arena, &w->attention, x.rows, steps, false);
    cache->dalpha = (sa_mat){0};
}

/* Section 3.1 (Vaswani et al. 2017): the residual connection around MultiHead(x, h, h) */
sa_mat sa_attention_sublayer_forward(const sa_attention_sublayer *w, const sa_queries *queries,
                                     sa_mat x, double dropout, sa_rng *rng,
                                     sa_attention_sublayer_cache *cache,
                                     sa_attention_scratch scratch) {
    sa_residual_enter_forward(&w->residual, x, &cache->residual);
    sa_memory_forward(&w->attention, &cache->memory);
    sa_attention_all_forward(&w->attention, &cache->memory, queries, cache->residual.in,
                             cache->rows, cache->residual.y, &scratch);
    sa_residual_leave_forward(&w->residual, x, dropout, rng, &cache->residual);
    return cache->residual.y;
}

void sa_attention_sublayer_backward(const sa_attention_sublayer *w, const sa_queries *queries,
                                    double dropout, const sa_attention_sublayer_cache *cache,
                                    sa_mat d, sa_memory *dmemory, sa_sublayer_workspace *workspace,
                                    sa_attention_sublayer *dw) {
    sa_attention_rows d_rows =
        dmemory == &workspace->cross ? workspace->cross_rows : workspace->rows;
    sa_residual_leave_backward(&w->residual, &cache->residual, dropout, d, workspace->df,
                               workspace->din, &dw->residual);
    sa_memory_zero(&w->attention, dmemory);
    d_rows.alpha = cache->dalpha;
    const sa_attention_pass pass = {&cache->memory, cache->rows, d_rows, dmemory,
                                    &workspace->scratch};
    sa_attention_all_backward(&w->attention, &pass, queries, cache->residual.in, workspace->df,
                              workspace->din, &dw->attention);
    sa_memory_backward(&w->attention, &cache->memory, dmemory, &dw->attention);
    sa_residual_enter_backward(&w->residual, &cache->residual, workspace->din, d, &dw->residual);
}

/* ---- The feed-forward network ---------------------------------------------------------------- */

void sa_feedforward_sublayer_bind(sa_binder *binder, const char *part, int m, int ffn, int norm,
                                  sa_feedforward_sublayer *w) {
    sa_feedforward_bind(binder, part, m, ffn, &w->network);
    sa_residual_bind(binder, part, m, norm, &w->residual);
}

void sa_feedforward_sublayer_layout(sa_arena *arena, const sa_feedforward_sublayer *w, sa_mat x,
                                    bool training, sa_feedforward_sublayer_cache *cache) {
    sa_residual_layout(arena, &w->residual, x, training, &cache->residual);
    cache->inner = sa_mat_alloc(arena, x.rows, w->network.W_1.mat.rows);
}

sa_mat sa_feedforward_sublayer_forward(const sa_feedforward_sublayer *w, sa_mat x, double dropout,
                                       sa_rng *rng, sa_feedforward_sublayer_cache *cache) {
    sa_residual_enter_forward(&w->residual, x, &cache->residual);
    sa_feedforward_forward(&w->network, cache->residual.in, cache->inner, cache->residual.y);
    sa_residual_leave_forward(&w->residual, x, dropout, rng, &cache->residual);
    return cache->residual.y;
}

void sa_feedforward_sublayer_backward(const sa_feedforward_sublayer *w, double dropout,
                                      const sa_feedforward_sublayer_cache *cache, sa_mat d,
                                      sa_sublayer_workspace *workspace,
                                      sa_feedforward_sublayer *dw) {
    sa_residual_leave_backward(&w->residual, &cache->residual, dropout, d, workspace->df,
                               workspace->din, &dw->residual);
    sa_feedforward_backward(&w->network, cache->residual.in, cache->inner, workspace->df,
                            workspace->dinner, workspace->din, &dw->network);
    sa_residual_enter_backward(&w->residual, &cache->residual, workspace->din, d, &dw->residual);
}
