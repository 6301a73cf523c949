#include "nn/cell.h"
#include "math/blas.h"
#include "math/term.h"
#include "nn/gru.h"
#include "nn/linear.h"
#include "nn/lstm.h"
#include "nn/rnn.h"

#include <stdio.h>
#include <string.h>

/* The gated unit with the reset gate after U keeps U s' apart, so that the gate can multiply it:
 * one block more, in front. */
#define BEFORE .blocks = 3, .reach = 3, .suffix = {"_z", "_r", ""}, .kept = 1
#define AFTER .blocks = 4, .reach = 3, .outer = 1, .suffix = {"", "_z", "_r", ""}

enum { GRU, LSTM, RNN, KINDS };

const sa_cell sa_cells[] = {
    {"gru", "s = (1-z) . s' + z . tanh(W x + U [r . s'])", "Bahdanau et al. 2015, A.1.1", BEFORE,
     .forward = sa_gru_before_new_forward, .backward = sa_gru_before_new_backward,
     .weights_backward = sa_gru_before_weights_backward},
    {"gru", "s = z . s' + (1-z) . tanh(W x + U [r . s'])", "Cho et al. 2014, section 2.3", BEFORE,
     .forward = sa_gru_before_old_forward, .backward = sa_gru_before_old_backward,
     .weights_backward = sa_gru_before_weights_backward},
    {"gru", "s = (1-z) . s' + z . tanh(W x + r . (U s'))", "reset after U, as in cuDNN", AFTER,
     .forward = sa_gru_after_new_forward, .backward = sa_gru_after_new_backward,
     .weights_backward = sa_gru_after_weights_backward},
    {"gru", "s = z . s' + (1-z) . tanh(W x + r . (U s'))", "dl4mt, Nematus, Marian", AFTER,
     .forward = sa_gru_after_old_forward, .backward = sa_gru_after_old_backward,
     .weights_backward = sa_gru_after_weights_backward},
    {"lstm", "m = f . m' + i . g, s = o . tanh(m)", "Hochreiter and Schmidhuber 1997; Gers 2000",
     .blocks = 4, .reach = 4, .suffix = {"_i", "_f", "_o", ""}, .memory = 1, .kept = 1,
     .forward = sa_lstm_forward, .backward = sa_lstm_backward,
     .weights_backward = sa_lstm_weights_backward},
    {"rnn", "s = tanh(W x + U s')", "Elman 1990", .blocks = 1, .reach = 1, .suffix = {""},
     .forward = sa_rnn_forward, .backward = sa_rnn_backward,
     .weights_backward = sa_rnn_weights_backward},
    {.name = NULL},
};

const char *sa_cell_name(size_t row) {
    static const char *const names[] = {[GRU] = "gru", [LSTM] = "lstm", [RNN] = "rnn"};
    return row < KINDS ? names[row] : NULL;
}

const sa_cell *sa_cell_find(int kind, bool keeps_old, bool reset_after) {
    if (kind == GRU) return &sa_cells[2 * reset_after + keeps_old];
    const sa_cell *row = sa_cells;
    while (strcmp(row->name, sa_cell_name((size_t)kind)) != 0) row++;
    return row;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* "W" for the blocks from `at` on: W_z, W_r and W under each other. Rows 0 binds vectors. */
static sa_mat bind_blocks(sa_binder *binder, const char *part, const char *letter,
                          const sa_cell *cell, int at, int rows, int cols, sa_start start) {
    char names[4][8];
    const char *list[4];
    for (int i = 0; i < cell->reach; i++) {
        snprintf(names[i], sizeof names[i], "%s%s", letter, cell->suffix[at + i]);
        list[i] = names[i];
    }
    return rows ? sa_bind_stack(binder, part, list, cell->reach, rows, cols, start)
                : sa_bind_vectors(binder, part, list, cell->reach, cols, start);
}

void sa_recurrent_bind(sa_binder *binder, const char *part, const sa_cell *cell,
                       sa_recurrent_sizes sizes, sa_recurrent *w) {
    const int n = sizes.n, outer = cell->outer;
    *w = (sa_recurrent){.cell = cell,
                        .bias_at = sizes.inner_bias ? 0 : outer,
                        .context_at = sizes.inner_context ? 0 : outer};
    if (sizes.in) w->W = bind_blocks(binder, part, "W", cell, outer, n, sizes.in, SA_START_INPUT);
    w->U = bind_blocks(binder, part, "U", cell, 0, n, n, SA_START_RECURRENT);
    w->b = bind_blocks(binder, part, "b", cell, w->bias_at, 0, n, SA_START_ZERO);
    if (sizes.context)
        w->C =
            bind_blocks(binder, part, "C", cell, w->context_at, n, sizes.context, SA_START_INPUT);
}

sa_recurrent_turning sa_recurrent_turned_layout(sa_arena *arena, const sa_recurrent *w, int rows) {
    return (sa_recurrent_turning){sa_turned_layout(arena, w->U, rows),
                                  sa_turned_layout(arena, w->C, rows)};
}

sa_recurrent sa_recurrent_turned(const sa_recurrent *w, sa_recurrent_turning room) {
    sa_recurrent turned = *w;
    turned.U = sa_turned(w->U, room.U);
    turned.C = sa_turned(w->C, room.C);
    return turned;
}

/* ---- What comes in from outside -------------------------------------------------------------- */

/* The blocks from `at` on that a contribution reaches. */
static sa_mat reached(const sa_recurrent *w, int at, sa_mat gates) {
    const int n = w->U.cols;
    return sa_cols(gates, at * n, w->cell->reach * n);
}

static void add_to_rows(sa_mat b, sa_mat y) {
    for (int i = 0; i < y.rows; i++) sa_axpy(1, b.x, sa_row(y, i), y.cols);
}

void sa_recurrent_input_forward(const sa_recurrent *w, sa_mat x, sa_mat gates) {
    const int outer = w->cell->outer;
    if (w->W.x && w->bias_at == outer) {
        sa_linear_forward(w->W, w->b, x, reached(w, outer, gates));
        sa_zero(sa_cols(gates, 0, outer * w->U.cols));
    } else {
        sa_zero(gates);
        if (w->W.x) sa_gemm_nt(x, w->W, 1, reached(w, outer, gates));
        add_to_rows(w->b, reached(w, w->bias_at, gates));
    }
}

void sa_recurrent_input_backward(const sa_recurrent *w, sa_mat da, sa_mat dx) {
    if (sa_term("cell.input")) sa_gemm_nn(reached(w, w->cell->outer, da), w->W, 1, dx);
}

void sa_recurrent_input_weights_backward(sa_mat x, sa_mat da, sa_recurrent *dw) {
    if (dw->W.x) sa_gemm_tn(reached(dw, dw->cell->outer, da), x, 1, dw->W);
    if (sa_term("cell.bias")) sa_sum_rows(reached(dw, dw->bias_at, da), dw->b.x);
}

void sa_recurrent_context_forward(const sa_recurrent *w, sa_mat c, sa_mat gates) {
    sa_gemm_nt(c, w->C, 1, reached(w, w->context_at, gates));
}

void sa_recurrent_context_backward(const sa_recurrent *w, sa_mat da, sa_mat dc) {
    if (sa_term("decoder.context")) sa_gemm_nn(reached(w, w->context_at, da), w->C, 1, dc);
}

void sa_recurrent_context_weights_backward(sa_mat c, sa_mat da, sa_recurrent *dw) {
    sa_gemm_tn(reached(dw, dw->context_at, da), c, 1, dw->C);
}
