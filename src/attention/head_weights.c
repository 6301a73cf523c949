#include "attention/head_weights.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

/* Head k of a row whose weights depend on those of the step before. */
typedef struct recurrent_slice {
    sa_mat p, noise;
    sa_mat previous; /* [1 x S] alpha_{i-1} */
} recurrent_slice;

static recurrent_slice slice_recurrent(const sa_attention *w, int k, int l, sa_attention_rows rows,
                                       int S) {
    const int H = w->heads;
    return (recurrent_slice){
        .p = sa_attention_head(rows.selection, l, H, k, rows.selection.cols ? S : 0),
        .noise = sa_attention_head(rows.noise, l, H, k, rows.noise.cols ? S : 0),
        .previous = sa_state_weights(w, rows.previous_state, l, k, S)};
}

/* Of one query: the weights of head k become those of the key that is drawn. */
static void draw_forward(const sa_attention *w, int k, int row, bool hard, sa_attention_rows rows,
                         sa_mat alpha) {
    const sa_mat p = sa_attention_head(rows.selection, row, w->heads, k, alpha.cols);
    sa_copy_mat(alpha, p);
    w->normalizer->draw(hard, rows.noise.cols ? sa_row(rows.noise, row)[k] : 1, p, alpha,
                        sa_row(rows.draws, row));
}

void sa_head_weights_forward(const sa_attention *w, int k, int row, const sa_span *spans,
                             const sa_override *override, sa_attention_rows rows, sa_mat alpha) {
    const bool expected = override && override->chosen.kind == SA_OVERRIDE_EXPECTED,
               hard = w->hard && !expected;
    if (!w->normalizer->step_forward) {
        sa_attention_weights_forward(w->normalizer, sa_attention_exponent(w, k), spans, alpha);
        if (w->normalizer->draw) draw_forward(w, k, row, hard, rows, alpha);
        return;
    }
    const recurrent_slice at = slice_recurrent(w, k, row, rows, alpha.cols);
    w->normalizer->step_forward(hard, at.previous, at.noise, at.p, alpha);
}

void sa_head_weights_backward(const sa_attention *w, int k, int row, const sa_span *spans,
                              sa_attention_rows rows, sa_mat alpha, sa_mat dalpha,
                              sa_attention_rows d, sa_attention *dw) {
    if (w->normalizer->step_backward) {
        const recurrent_slice at = slice_recurrent(w, k, row, rows, alpha.cols);
        w->normalizer->step_backward(at.p, alpha, dalpha,
                                     sa_state_weights(w, d.previous_state, row, k, alpha.cols));
        return;
    }
    if (w->normalizer->draw_backward) {
        w->normalizer->draw_backward(
            sa_attention_head(rows.selection, row, w->heads, k, alpha.cols), alpha,
            sa_row(d.draws, row), dalpha);
        return;
    }
    const sa_real exponent = sa_attention_exponent(w, k);
    const bool learned = w->a.cols;
    sa_real dexponent = 0;
    sa_attention_weights_backward(w->normalizer, exponent, spans, alpha, dalpha,
                                  learned ? &dexponent : NULL);
    if (learned) dw->a.x[k] += sa_entmax_alpha_backward(exponent, dexponent);
}
