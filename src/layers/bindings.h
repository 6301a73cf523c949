/* bindings: binds the weights of a recurrent layer and lays out what its steps keep. */
#pragma once

#include "layers/recurrent.h"

static inline sa_state sa_state_take(sa_arena *arena, int rows, int n, int has_m) {
    const sa_mat s = sa_mat_alloc(arena, rows, n);
    return sa_state_of(s, sa_mat_alloc(arena, rows, has_m * n));
}

typedef struct sa_recurrent_sizes {
    int in, n, context;             /* in or context 0: there is none */
    bool inner_bias, inner_context; /* inside the reset product, if the cell has one */
    bool normalized;
} sa_recurrent_sizes;

void sa_recurrent_bind(sa_binder *binder, const char *prefix, const sa_cell *cell,
                       sa_recurrent_sizes sizes, sa_recurrent *w);

/* Registers the weights used at every step: U and C, and W where the input is read step by step. */
void sa_recurrent_add_steps(sa_recurrent *w, bool input, sa_steps *steps);

/* Lays out the rows. `sentences`: how many need masks of the previous states in training; 0: none.
 * A layer without weights has rows without columns. */
sa_recurrent_rows sa_recurrent_rows_layout(sa_arena *arena, const sa_recurrent *w, int rows,
                                           int sentences);
