/* bindings: binds the weights of a recurrent layer and lays out what its steps keep. */
#include "layers/bindings.h"

#include <stdio.h>

sa_recurrent_rows sa_recurrent_rows_layout(sa_arena *arena, const sa_recurrent *w, int rows,
                                           int sentences) {
    const int n = w->n, blocks = w->cell ? w->cell->blocks : 0;
    return (sa_recurrent_rows){
        .previous = sa_state_take(arena, rows, n, w->cell ? w->cell->has_m : 0),
        .gates = sa_mat_alloc(arena, rows, blocks * n),
        .cache = sa_mat_alloc(arena, rows, sa_recurrent_cache_width(w)),
        .dropout = {.mask = sa_mat_alloc(arena, sentences, n),
                    .masked = sa_mat_alloc(arena, sentences ? rows : 0, n),
                    .dmasked = sa_mat_alloc(arena, sentences, n)},
    };
}

/* Binds a tensor for each of the blocks from `at` on (for "W" the tensors "W_z", "W_r" and "W", for
 * "b.norm" "b_z.norm" ..) and returns them as one: matrices one below the other or, with 0 rows,
 * vectors side by side. */
static sa_mat bind_blocks(sa_binder *binder, const char *prefix, const char *name,
                          const sa_cell *cell, int at, int rows, int cols, sa_init_kind init) {
    const int blocks = cell->gated_blocks, width = rows ? cols : blocks * cols;
    sa_real *x = NULL;
    for (int i = 0; i < blocks; i++) {
        char own[16];
        snprintf(own, sizeof own, "%c%s%s", *name, cell->suffix[at + i], name + 1);
        const sa_mat block = rows ? sa_bind_table(binder, prefix, own, rows, cols, init)
                                  : sa_bind_vector(binder, prefix, own, cols, init);
        if (!i) x = block.x;
    }
    return (sa_mat){x, rows ? blocks * rows : 1, width, width};
}

static sa_weight bind_weight(sa_binder *binder, const char *prefix, const char *name,
                             const sa_cell *cell, int at, int rows, int cols, sa_init_kind init) {
    return sa_bind_tied(binder, bind_blocks(binder, prefix, name, cell, at, rows, cols, init));
}

static void bind_norms(sa_binder *binder, const char *prefix, sa_recurrent_sizes sizes,
                       sa_recurrent *w) {
    static const char *const names[SA_PRODUCTS][2] = {
        {"W.norm.g", "W.norm.b"}, {"U.norm.g", "U.norm.b"}, {"C.norm.g", "C.norm.b"}};
    const int in[SA_PRODUCTS] = {sizes.in, sizes.n, sizes.context},
              at[SA_PRODUCTS] = {w->cell->first_gate, 0, w->context_block}, n = sizes.n;
    for (int k = 0; k < SA_PRODUCTS; k++) {
        if (!in[k]) continue;
        w->norm[k].g = bind_blocks(binder, prefix, names[k][0], w->cell, at[k], 0, n, SA_INIT_ONE);
        w->norm[k].b = bind_blocks(binder, prefix, names[k][1], w->cell, at[k], 0, n, SA_INIT_ZERO);
    }
    if (!w->cell->has_m) return;
    w->norm_m.g = sa_bind_vector(binder, prefix, "m.norm.g", n, SA_INIT_ONE);
    w->norm_m.b = sa_bind_vector(binder, prefix, "m.norm.b", n, SA_INIT_ZERO);
}

void sa_recurrent_bind(sa_binder *binder, const char *prefix, const sa_cell *cell,
                       sa_recurrent_sizes sizes, sa_recurrent *w) {
    const int n = sizes.n, first_gate = cell->first_gate;
    *w = (sa_recurrent){.cell = cell,
                        .n = n,
                        .bias_block = sizes.inner_bias ? 0 : first_gate,
                        .context_block = sizes.inner_context ? 0 : first_gate};
    if (sizes.in)
        w->W = bind_weight(binder, prefix, "W", cell, first_gate, n, sizes.in, SA_INIT_INPUT);
    w->U = bind_weight(binder, prefix, "U", cell, 0, n, n, SA_INIT_RECURRENT);
    w->b = bind_blocks(binder, prefix, "b", cell, w->bias_block, 0, n, SA_INIT_ZERO);
    if (sizes.context)
        w->C = bind_weight(binder, prefix, "C", cell, w->context_block, n, sizes.context,
                           SA_INIT_INPUT);
    if (sizes.normalized) bind_norms(binder, prefix, sizes, w);
}

void sa_recurrent_add_steps(sa_recurrent *w, bool input, sa_steps *steps) {
    if (input) sa_steps_add(steps, &w->W);
    sa_steps_add(steps, &w->U);
    sa_steps_add(steps, &w->C);
}
