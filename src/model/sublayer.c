#include "model/sublayer.h"

/* ---- Attention ------------------------------------------------------------------------------- */

void sa_attend_bind(sa_binder *binder, const char *part, sa_attention_sizes sizes, int norm,
                    sa_attend_sublayer *w) {
    sa_attention_bind(binder, part, sizes, &w->attention);
    sa_residual_bind(binder, part, sizes.state, norm, &w->around);
}

void sa_attend_layout(sa_arena *arena, const sa_attend_sublayer *w, sa_mat x, sa_mat memory,
                      const int *first, int steps, bool training, sa_attend_cache *cache) {
    sa_residual_layout(arena, &w->around, x, training, &cache->around);
    sa_memory_layout(arena, &w->attention, first, memory.cols ? memory : cache->around.in,
                     &cache->memory);
    cache->rows = sa_attention_rows_layout(arena, &w->attention, x.rows, steps, true);
    cache->guide = (sa_mat){0};
}

/* Section 3.1 (Vaswani et al. 2017), around MultiHead(q, k, v) */
sa_mat sa_attend_forward(const sa_attend_sublayer *w, const sa_questions *questions, sa_mat x,
                         const sa_override *override, double dropout, sa_rng *rng,
                         sa_attend_cache *cache, sa_attention_scratch scratch) {
    sa_residual_enter_forward(&w->around, x, &cache->around);
    sa_memory_forward(&w->attention, &cache->memory);
    sa_attention_all_forward(&w->attention, &cache->memory, questions, cache->around.in, override,
                             cache->rows, cache->around.y, scratch);
    sa_residual_leave_forward(&w->around, x, dropout, rng, &cache->around);
    return cache->around.y;
}

void sa_attend_backward(const sa_attend_sublayer *w, const sa_questions *questions, double dropout,
                        const sa_attend_cache *cache, sa_mat d, sa_memory *dmemory,
                        sa_sublayer_room *room, sa_attend_sublayer *dw) {
    sa_residual_leave_backward(&w->around, &cache->around, dropout, d, room->df, room->din,
                               &dw->around);
    sa_memory_zero(dmemory);
    room->rows.alpha = cache->guide;
    sa_attention_all_backward(&w->attention, &cache->memory, questions, cache->around.in,
                              cache->rows, room->df, room->rows, dmemory, room->din, &dw->attention,
                              room->scratch);
    sa_memory_backward(&w->attention, &cache->memory, dmemory, &dw->attention);
    sa_residual_enter_backward(&w->around, &cache->around, room->din, d, &dw->around);
}

/* ---- The feed-forward network ---------------------------------------------------------------- */

void sa_feed_bind(sa_binder *binder, const char *part, int m, int ffn, int norm,
                  sa_feed_sublayer *w) {
    sa_feedforward_bind(binder, part, m, ffn, &w->network);
    sa_residual_bind(binder, part, m, norm, &w->around);
}

void sa_feed_layout(sa_arena *arena, const sa_feed_sublayer *w, sa_mat x, bool training,
                    sa_feed_cache *cache) {
    sa_residual_layout(arena, &w->around, x, training, &cache->around);
    cache->inner = sa_mat_take(arena, x.rows, w->network.W_1.rows);
}

sa_mat sa_feed_forward(const sa_feed_sublayer *w, sa_mat x, double dropout, sa_rng *rng,
                       sa_feed_cache *cache) {
    sa_residual_enter_forward(&w->around, x, &cache->around);
    sa_feedforward_forward(&w->network, cache->around.in, cache->inner, cache->around.y);
    sa_residual_leave_forward(&w->around, x, dropout, rng, &cache->around);
    return cache->around.y;
}

void sa_feed_backward(const sa_feed_sublayer *w, double dropout, const sa_feed_cache *cache,
                      sa_mat d, sa_sublayer_room *room, sa_feed_sublayer *dw) {
    sa_residual_leave_backward(&w->around, &cache->around, dropout, d, room->df, room->din,
                               &dw->around);
    sa_feedforward_backward(&w->network, cache->around.in, cache->inner, room->df, room->dinner,
                            room->din, &dw->network);
    sa_residual_enter_backward(&w->around, &cache->around, room->din, d, &dw->around);
}
