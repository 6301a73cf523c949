/* cell_state: what a recurrent cell passes to its next step. */
#pragma once

#include "tensor/mat.h"
#include "tensor/vec.h"

typedef struct sa_state {
    sa_mat s;      /* [L x n] the state that other layers read */
    sa_mat m;      /* [L x n] the memory cell of an LSTM; no columns for other cells */
    sa_mat masked; /* [L x n] what U multiplies: s, or with dropout d . s (layers/basic.h) */
} sa_state;

static inline sa_state sa_state_of(sa_mat s, sa_mat m) {
    return (sa_state){s, m, s};
}

static inline bool sa_state_masked(sa_state state) {
    return state.masked.x != state.s.x;
}

static inline sa_state sa_state_take(sa_arena *arena, int rows, int n, int memory) {
    const sa_mat s = sa_mat_alloc(arena, rows, n);
    return sa_state_of(s, sa_mat_alloc(arena, rows, memory * n));
}

static inline sa_state sa_state_rows(sa_state all, int first, int count) {
    return (sa_state){sa_rows(all.s, first, count), sa_rows(all.m, first, count),
                      sa_rows(all.masked, first, count)};
}

static inline void sa_state_copy(sa_state from, sa_state to) {
    sa_copy_mat(from.s, to.s);
    sa_copy_mat(from.m, to.m);
}

static inline void sa_state_add(sa_state from, sa_state to) {
    sa_add(from.s, to.s);
    sa_add(from.m, to.m);
}

static inline void sa_state_zero(sa_state state) {
    sa_zero(state.s);
    sa_zero(state.m);
    if (sa_state_masked(state)) sa_zero(state.masked);
}
