#include "model/upper_layers.h"
#include "tensor/vec.h"

#include <stdio.h>

void sa_upper_bind(sa_binder *binder, const sa_upper_sizes *sizes, sa_upper_layers *w) {
    *w = (sa_upper_layers){.sizes = *sizes};
    const sa_recurrent_sizes own = {.in = sizes->n,
                                    .n = sizes->n,
                                    .context = sizes->context,
                                    .inner_context = sizes->inner_context,
                                    .normalized = sizes->normalized};
    for (int k = 0; k < sizes->count; k++) {
        char part[32];
        snprintf(part, sizeof part, "decoder.%d", k + 2);
        sa_recurrent_bind(binder, part, sizes->cell, own, &w->layer[k]);
    }
}

bool sa_upper_adds(const sa_upper_layers *w, int k) {
    return w->sizes.residual && k + 2 >= SA_LEAST_RESIDUAL_LAYERS;
}

/* ---- Layout ---------------------------------------------------------------------------------- */

sa_upper_rows sa_upper_rows_layout(sa_arena *arena, const sa_upper_layers *w, int rows,
                                   int sentences) {
    const sa_upper_sizes *sizes = &w->sizes;
    const int n = sizes->n;
    sa_upper_rows all = {sa_arena_alloc(arena, (size_t)sizes->count, sizeof *all.layer), 0};
    for (int k = 0; k < sizes->count; k++) {
        sa_upper_layer_rows layer = {
            .x = sa_mat_alloc(arena, rows, n),
            .previous = sa_state_take(arena, rows, n, sizes->cell->memory),
            .s = sa_state_take(arena, rows, n, sizes->cell->memory),
            .gates = sa_mat_alloc(arena, rows, sizes->cell->blocks * n),
            .cell_cache = sa_mat_alloc(arena, rows, sa_recurrent_cache_width(&w->layer[k])),
            .mask = sa_mat_alloc(arena, sizes->layer_dropout && sentences ? rows : 0, n),
            .drop = sa_state_dropout_layout(arena, sizes->state_dropout && sentences, rows,
                                            sentences, n),
        };
        layer.y = sa_upper_adds(w, k) ? sa_mat_alloc(arena, rows, n) : layer.s.s;
        if (all.layer) all.layer[k] = layer;
    }
    return all;
}

void sa_upper_drows_layout(sa_arena *arena, const sa_upper_layers *w, int rows, int sentences,
                           sa_upper_layer_drows *d) {
    const int n = w->sizes.n;
    for (int k = 0; k < w->sizes.count; k++)
        d[k] = (sa_upper_layer_drows){
            .a = sa_mat_alloc(arena, rows, sa_recurrent_da_width(&w->layer[k])),
            .x = sa_mat_alloc(arena, sentences, n),
            .y = sa_mat_alloc(arena, sentences, n),
            .previous = sa_state_take(arena, sentences, n, w->sizes.cell->memory),
            .s = sa_state_take(arena, sentences, n, w->sizes.cell->memory),
        };
}

sa_upper_layer_rows sa_upper_layer(sa_upper_rows rows, int k, int count) {
    const sa_upper_layer_rows *all = &rows.layer[k];
    const bool masked = all->mask.rows > 0;
    return (sa_upper_layer_rows){
        .x = sa_rows(all->x, rows.first, count),
        .y = sa_rows(all->y, rows.first, count),
        .previous = sa_state_rows(all->previous, rows.first, count),
        .s = sa_state_rows(all->s, rows.first, count),
        .gates = sa_rows(all->gates, rows.first, count),
        .cell_cache = sa_rows(all->cell_cache, rows.first, count),
        .mask = masked ? sa_rows(all->mask, rows.first, count) : all->mask,
        .drop = all->drop,
    };
}

void sa_upper_add_steps(sa_upper_layers *w, sa_steps *steps) {
    for (int k = 0; k < w->sizes.count; k++) sa_recurrent_add_steps(&w->layer[k], true, steps);
}

/* ---- Dropout of the states ------------------------------------------------------------------- */

void sa_upper_dropout_start(const sa_upper_layers *w, double p, sa_rng *rng, sa_upper_rows all) {
    for (int k = 0; k < w->sizes.count; k++)
        sa_state_dropout_start(p, rng, &all.layer[k].drop, &all.layer[k].previous);
}

void sa_upper_dropout_return(const sa_upper_layers *w, double p, sa_upper_rows all,
                             sa_upper_layer_drows *d) {
    for (int k = 0; k < w->sizes.count; k++)
        sa_state_dropout_return(p, &all.layer[k].drop, &d[k].previous);
}

/* ---- One step -------------------------------------------------------------------------------- */

void sa_upper_forward(const sa_upper_layers *w, sa_mat below, sa_mat c, double dropout, sa_rng *rng,
                      sa_upper_rows rows) {
    for (int k = 0; k < w->sizes.count; k++) {
        const sa_recurrent *own = &w->layer[k];
        sa_upper_layer_rows layer = sa_upper_layer(rows, k, below.rows);
        sa_copy_mat(below, layer.x);
        sa_dropout_forward(dropout, rng, layer.mask, layer.x);
        sa_recurrent_input_forward(own, layer.x, layer.gates, layer.cell_cache);
        if (own->C.mat.x) sa_recurrent_context_forward(own, c, layer.gates, layer.cell_cache);
        sa_state_dropout_forward(layer.drop.mask, layer.previous);
        own->cell->forward(own, layer.previous, layer.gates, layer.cell_cache, layer.s);
        if (sa_upper_adds(w, k)) { /* y^l = s^l + y^{l-1} */
            sa_copy_mat(layer.s.s, layer.y);
            sa_add(below, layer.y);
        }
        below = layer.y;
    }
}

void sa_upper_zero(const sa_upper_layers *w, int count, sa_upper_layer_drows *d) {
    for (int k = 0; k < w->sizes.count; k++) {
        sa_state_zero(sa_state_rows(d[k].previous, 0, count));
        sa_zero(sa_rows(d[k].y, 0, count));
    }
}

void sa_upper_backward(const sa_upper_layers *w, sa_upper_rows rows, double dropout,
                       sa_upper_layer_drows *d, sa_mat dbelow, sa_mat dc, sa_mat scratch,
                       sa_upper_layers *dw) {
    const int L = dbelow.rows;
    for (int k = w->sizes.count - 1; k >= 0; k--) {
        const sa_recurrent *own = &w->layer[k];
        const sa_upper_layer_rows layer = sa_upper_layer(rows, k, L);
        sa_mat da = sa_rows(d[k].a, rows.first, L), dx = sa_rows(d[k].x, 0, L),
               dy = sa_rows(d[k].y, 0, L), dlower = k ? sa_rows(d[k - 1].y, 0, L) : dbelow;
        sa_state dprevious = sa_state_rows(d[k].previous, 0, L), ds = sa_state_rows(d[k].s, 0, L);
        sa_add(dy, ds.s); /* y^l = s^l + y^{l-1}, or s^l alone */
        if (sa_upper_adds(w, k)) sa_add(dy, dlower);
        own->cell->backward(own, layer.previous, layer.gates, layer.cell_cache, ds, da, dprevious,
                            scratch, &dw->layer[k]);
        sa_state_dropout_backward(layer.drop.mask, dprevious);
        if (own->C.mat.x)
            sa_recurrent_context_backward(own, layer.cell_cache, da, dc, &dw->layer[k]);
        sa_zero(dx);
        sa_recurrent_input_backward(own, layer.cell_cache, da, dx, &dw->layer[k]);
        sa_dropout_backward(dropout, layer.mask, dx);
        sa_add(dx, dlower); /* x^l = y^{l-1} */
    }
}

void sa_upper_weights_backward(const sa_upper_layers *w, sa_upper_rows all, sa_mat c,
                               const sa_upper_layer_drows *d, sa_upper_layers *dw) {
    for (int k = 0; k < w->sizes.count; k++) {
        const sa_upper_layer_rows *layer = &all.layer[k];
        w->layer[k].cell->weights_backward(layer->previous, layer->cell_cache, d[k].a,
                                           &dw->layer[k]);
        sa_recurrent_input_weights_backward(layer->x, d[k].a, &dw->layer[k]);
        if (w->layer[k].C.mat.x) sa_recurrent_context_weights_backward(c, d[k].a, &dw->layer[k]);
    }
}
