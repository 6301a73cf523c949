#include "attention/earlier_weights.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

/* ---- The keys -------------------------------------------------------------------------------- */

void sa_earlier_keys_forward(const sa_attention *w, sa_attention_rows rows, int row, int k,
                             sa_mat f, sa_mat keys) {
    const int S = keys.rows;
    if (w->w_c.cols)
        sa_coverage_keys_forward(sa_head_part(w->w_c, w->heads, k),
                                 sa_state_coverage(w, rows.previous_state, row, k, S), keys);
    if (w->location.F.cols)
        sa_location_aware_forward(sa_location_aware_head(w->location, w->heads, k),
                                  sa_state_weights(w, rows.previous_state, row, k, S), f, keys);
}

void sa_earlier_keys_backward(const sa_attention *w, sa_attention_rows rows, int row, int k,
                              sa_mat f, sa_mat dkeys, sa_mat df, sa_attention_rows d,
                              sa_attention *dw) {
    const int H = w->heads, S = dkeys.rows;
    if (w->w_c.cols)
        sa_coverage_keys_backward(
            sa_head_part(w->w_c, H, k), sa_state_coverage(w, rows.previous_state, row, k, S), dkeys,
            sa_state_coverage(w, d.previous_state, row, k, S), sa_head_part(dw->w_c, H, k));
    if (w->location.F.cols)
        sa_location_aware_backward(sa_location_aware_head(w->location, H, k),
                                   sa_state_weights(w, rows.previous_state, row, k, S), f, dkeys,
                                   df, sa_state_weights(w, d.previous_state, row, k, S),
                                   sa_location_aware_head(dw->location, H, k));
}

/* ---- The weights ----------------------------------------------------------------------------- */

static sa_mat fertilities(const sa_memory *memory, int b) {
    const int first = memory->first[b];
    return sa_rows(memory->fertility, first, memory->first[b + 1] - first);
}

static void coverage_forward(const sa_attention *w, const sa_memory *memory, int b,
                             sa_attention_rows rows, int row, int k, sa_mat alpha) {
    const sa_mat previous = sa_state_coverage(w, rows.previous_state, row, k, alpha.cols);
    sa_coverage_sum_forward(previous, alpha, fertilities(memory, b),
                            sa_state_coverage(w, rows.state, row, k, alpha.cols));
    if (w->coverage_loss)
        *sa_row(rows.coverage_loss, row) += sa_coverage_loss_forward(previous, alpha);
}

static void coverage_backward(const sa_attention *w, const sa_memory *memory, int b,
                              sa_attention_rows rows, int row, int k, sa_mat alpha,
                              sa_attention_rows d, sa_memory *dmemory, sa_mat dalpha) {
    const int S = alpha.cols;
    const sa_mat previous = sa_state_coverage(w, rows.previous_state, row, k, S),
                 dprevious = sa_state_coverage(w, d.previous_state, row, k, S);
    sa_coverage_sum_backward(alpha, fertilities(memory, b),
                             sa_state_coverage(w, d.state, row, k, S), dprevious, dalpha,
                             fertilities(dmemory, b));
    if (w->coverage_loss)
        sa_coverage_loss_backward(previous, alpha, *sa_row(d.coverage_loss, row), dprevious,
                                  dalpha);
}

void sa_earlier_weights_forward(const sa_attention *w, const sa_memory *memory, int b,
                                sa_attention_rows rows, int row, int k, sa_mat alpha) {
    if (w->w_c.cols) coverage_forward(w, memory, b, rows, row, k, alpha);
    if (sa_attention_passes_weights(w))
        sa_copy_mat(alpha, sa_state_weights(w, rows.state, row, k, alpha.cols));
}

void sa_earlier_weights_backward(const sa_attention *w, const sa_memory *memory, int b,
                                 sa_attention_rows rows, int row, int k, sa_mat alpha,
                                 sa_attention_rows d, sa_memory *dmemory, sa_mat dalpha) {
    if (w->w_c.cols) coverage_backward(w, memory, b, rows, row, k, alpha, d, dmemory, dalpha);
    if (sa_attention_passes_weights(w) && sa_gradient_intact("attention.state"))
        sa_add(sa_state_weights(w, d.state, row, k, alpha.cols), dalpha);
}
