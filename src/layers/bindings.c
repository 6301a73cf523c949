/* bindings: binds the weights of a recurrent layer and lays out what its steps keep. */
#include "layers/bindings.h"

#include <stdio.h>

sa_state_dropout sa_state_dropout_layout(sa_arena *arena, bool wanted, int rows, int sentences,
                                         int n) {
    return (sa_state_dropout){
        .mask = sa_mat_alloc(arena, wanted ? sentences : 0, n),
        .masked = sa_mat_alloc(arena, wanted ? rows : 0, n),
        .dmasked = sa_mat_alloc(arena, wanted ? sentences : 0, n),
    };
}

sa_recurrent_rows sa_recurrent_rows_layout(sa_arena *arena, const sa_recurrent *w, int rows,
                                           int sentences) {
    const int n = w->n, blocks = w->cell ? w->cell->blocks : 0;
    return (sa_recurrent_rows){
        .previous = sa_state_take(arena, rows, n, w->cell ? w->cell->has_m : 0),
        .gates = sa_mat_alloc(arena, rows, blocks * n),
        .cache = sa_mat_alloc(arena, rows, sa_recurrent_cache_width(w)),
        .dropout = sa_state_dropout_layout(arena, sentences, rows, sentences, n),
    };
}

typedef struct block_names {
    char text[4][16];
    const char *list[4];
} block_names;

/* Names a letter's tensors for the blocks from `at` on, "W_z", "W_r", "W", each followed by
 * `suffix`. */
static void name_blocks(const sa_cell *cell, int at, const char *letter, const char *suffix,
                        block_names *names) {
    for (int i = 0; i < cell->gated_blocks; i++) {
        snprintf(names->text[i], sizeof names->text[i], "%s%s%s", letter, cell->suffix[at + i],
                 suffix);
        names->list[i] = names->text[i];
    }
}

/* Binds those matrices as a stack. */
static sa_weight bind_blocks(sa_binder *binder, const char *prefix, const char *letter,
                             const sa_cell *cell, int at, int rows, int cols, sa_init_kind init) {
    block_names names;
    name_blocks(cell, at, letter, "", &names);
    return sa_bind_stack(binder, prefix, names.list, cell->gated_blocks, rows, cols, init);
}

static sa_mat bind_vectors(sa_binder *binder, const char *prefix, const char *letter,
                           const char *suffix, const sa_cell *cell, int at, int cols,
                           sa_init_kind init) {
    block_names names;
    name_blocks(cell, at, letter, suffix, &names);
    return sa_bind_vectors(binder, prefix, names.list, cell->gated_blocks, cols, init);
}

static void bind_norm(sa_binder *binder, const char *prefix, const char *letter,
                      const sa_cell *cell, int at, int n, sa_layernorm *w) {
    w->g = bind_vectors(binder, prefix, letter, ".norm.g", cell, at, n, SA_INIT_ONE);
    w->b = bind_vectors(binder, prefix, letter, ".norm.b", cell, at, n, SA_INIT_ZERO);
}

static void bind_norms(sa_binder *binder, const char *prefix, sa_recurrent_sizes sizes,
                       sa_recurrent *w) {
    const sa_cell *cell = w->cell;
    if (sizes.in)
        bind_norm(binder, prefix, "W", cell, cell->first_gate, sizes.n, &w->norm[SA_BY_W]);
    bind_norm(binder, prefix, "U", cell, 0, sizes.n, &w->norm[SA_BY_U]);
    if (sizes.context)
        bind_norm(binder, prefix, "C", cell, w->context_block, sizes.n, &w->norm[SA_BY_C]);
    if (!cell->has_m) return;
    w->norm_m.g = sa_bind_vector(binder, prefix, "m.norm.g", sizes.n, SA_INIT_ONE);
    w->norm_m.b = sa_bind_vector(binder, prefix, "m.norm.b", sizes.n, SA_INIT_ZERO);
}

void sa_recurrent_bind(sa_binder *binder, const char *prefix, const sa_cell *cell,
                       sa_recurrent_sizes sizes, sa_recurrent *w) {
    const int n = sizes.n, first_gate = cell->first_gate;
    *w = (sa_recurrent){.cell = cell,
                        .n = n,
                        .bias_block = sizes.inner_bias ? 0 : first_gate,
                        .context_block = sizes.inner_context ? 0 : first_gate};
    if (sizes.in)
        w->W = bind_blocks(binder, prefix, "W", cell, first_gate, n, sizes.in, SA_INIT_INPUT);
    w->U = bind_blocks(binder, prefix, "U", cell, 0, n, n, SA_INIT_RECURRENT);
    w->b = bind_vectors(binder, prefix, "b", "", cell, w->bias_block, n, SA_INIT_ZERO);
    if (sizes.context)
        w->C = bind_blocks(binder, prefix, "C", cell, w->context_block, n, sizes.context,
                           SA_INIT_INPUT);
    if (sizes.normalized) bind_norms(binder, prefix, sizes, w);
}

void sa_recurrent_add_steps(sa_recurrent *w, bool input, sa_steps *steps) {
    if (input) sa_steps_add(steps, &w->W);
    sa_steps_add(steps, &w->U);
    sa_steps_add(steps, &w->C);
}
