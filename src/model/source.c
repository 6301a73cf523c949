/* What a recurrent decoder knows of the source before its first step: its first state s_0, the keys
 * and values of its attention, and the one context vector of a decoder without attention, all from
 * the annotations h_j.
 *
 *   backward  s_0 = tanh(W_s backward_1 + b_s)                  Bahdanau et al. 2015, A.2.2
 *   last      s_0 = tanh(W_s [forward_S ; backward_1] + b_s)    the last state of each direction
 *   mean      s_0 = tanh(W_s mean_j h_j + b_s)                  dl4mt
 *   copy      s_0 = forward_S                                   Sutskever et al. 2014; Luong et al.
 *                                                               2015
 *
 * An encoder of one direction has only forward_S; without a recurrent encoder, all take the mean.
 * With several layers in the decoder, each has its own W_s and b_s; a copy is of the encoder's
 * layer of the same number. */
#include "model/encoder.h"
#include "model/readout.h"
#include "tensor/trace.h"

/* ---- The summary of the source --------------------------------------------------------------- */

static bool averages(int kind, const sa_sizes *sizes) {
    return kind == SA_INITIAL_MEAN || sizes->settings.encoder == SA_ENCODER_NONE;
}

/* Return whether forward_S and backward_1 are in the summary. */
static bool has_forward(int kind, const sa_sizes *sizes) {
    return kind != SA_INITIAL_BACKWARD || sizes->settings.encoder == SA_ENCODER_UNI;
}

static bool has_backward(int kind, const sa_sizes *sizes) {
    return kind != SA_INITIAL_COPY && sizes->settings.encoder == SA_ENCODER_BI;
}

int sa_summary_width(int kind, const sa_sizes *sizes) {
    if (averages(kind, sizes)) return sa_encoder_width(sizes);
    return sizes->n * (has_forward(kind, sizes) + has_backward(kind, sizes));
}

/* Return forward_S and backward_1 among the annotations h [S x 2n] of a sentence, or dh. */
static sa_mat forward_of(const sa_sizes *sizes, sa_mat h) {
    return sa_cols(sa_rows(h, h.rows - 1, 1), 0, sizes->n);
}

static sa_mat backward_of(const sa_sizes *sizes, sa_mat h) {
    const int first = sa_encoder_read_position(sizes, h.rows, 0);
    return sa_cols(sa_rows(h, first, 1), sizes->n, sizes->n);
}

/* Fills out [B x width] with the last states of the directions, or with mean_j h_j. */
static void summary_forward(int kind, const sa_sizes *sizes, const sa_encoder_cache *encoder,
                            sa_mat out) {
    const int n = sizes->n, forward = has_forward(kind, sizes) ? n : 0;
    for (int b = 0; b < out.rows; b++) {
        const sa_mat row = sa_rows(out, b, 1),
                     h = sa_sentence_rows(encoder->annotations, encoder->first, b);
        if (averages(kind, sizes)) { /* mean_j h_j */
            sa_zero(row);
            for (int j = 0; j < h.rows; j++)
                sa_axpy(1 / (sa_real)h.rows, sa_row(h, j), row.x, row.cols);
            continue;
        }
        if (forward) sa_copy_mat(forward_of(sizes, h), sa_cols(row, 0, n));
        if (has_backward(kind, sizes)) sa_copy_mat(backward_of(sizes, h), sa_cols(row, forward, n));
    }
}

static void summary_backward(int kind, const sa_sizes *sizes, sa_mat dout,
                             sa_encoder_cache *encoder) {
    const int n = sizes->n, forward = has_forward(kind, sizes) ? n : 0;
    for (int b = 0; b < dout.rows; b++) {
        const sa_mat row = sa_rows(dout, b, 1),
                     dh = sa_sentence_rows(encoder->dannotations, encoder->first, b);
        if (averages(kind, sizes)) { /* mean_j h_j */
            for (int j = 0; j < dh.rows; j++)
                sa_axpy(1 / (sa_real)dh.rows, row.x, sa_row(dh, j), row.cols);
            continue;
        }
        if (forward) sa_add(sa_cols(row, 0, n), forward_of(sizes, dh));
        if (has_backward(kind, sizes)) sa_add(sa_cols(row, forward, n), backward_of(sizes, dh));
    }
}

/* s_0 = tanh(W_s x + b_s) [B x n] of every layer, from the summary or the fixed context x; or a
 * copy */
static void initial_forward(const sa_source_weights *w, const sa_encoder_cache *encoder,
                            sa_source *source) {
    const sa_sizes *sizes = &w->sizes;
    const bool from_context = sizes->initial == SA_INITIAL_CONTEXT;
    const int last = sizes->layers - 1;
    if (!from_context) summary_forward(sizes->initial, sizes, encoder, source->encoder_summary);
    for (int layer = 0; layer <= last; layer++) {
        const sa_state s0 = source->s0[layer];
        sa_state_zero(s0);
        if (sizes->initial == SA_INITIAL_COPY) {
            sa_state_copy(layer == last ? sa_state_of(source->encoder_summary, encoder->last_m)
                                        : encoder->last[layer],
                          s0);
            continue;
        }
        sa_linear_forward(w->W_s[layer], w->b_s[layer],
                          from_context ? source->c : source->encoder_summary, s0.s);
        sa_trace("inside tanh", s0.s);
        sa_tanh(s0.s);
    }
}

static void initial_backward(const sa_source_weights *w, const sa_source *source, sa_source *d,
                             sa_encoder_cache *encoder, sa_source_weights *dw) {
    const sa_sizes *sizes = &w->sizes;
    const bool from_context = sizes->initial == SA_INITIAL_CONTEXT;
    const int last = sizes->layers - 1;
    if (sizes->initial == SA_INITIAL_COPY) { /* s_0 = forward_S */
        sa_copy_mat(d->s0[last].s, d->encoder_summary);
        sa_copy_mat(d->s0[last].m, encoder->dlast_m);
        for (int layer = 0; layer < last; layer++)
            sa_state_copy(d->s0[layer], encoder->dlast[layer]);
    } else { /* s_0 = tanh(W_s x + b_s) */
        sa_zero(d->encoder_summary);
        for (int layer = 0; layer <= last; layer++) {
            sa_tanh_backward(source->s0[layer].s, d->s0[layer].s, d->s0[layer].s);
            sa_linear_backward(w->W_s[layer], from_context ? source->c : source->encoder_summary,
                               d->s0[layer].s, from_context ? d->c : d->encoder_summary,
                               dw->W_s[layer], dw->b_s[layer]);
        }
    }
    if (!from_context) summary_backward(sizes->initial, sizes, d->encoder_summary, encoder);
}

/* A.1.2: the keys; section 2.2 (Cho et al. 2014): c = tanh(V h_S + b_V) [B x n]; A.2.2: s_0 [B x n]
 * of each layer; from annotations [N x A] */
void sa_source_forward(const sa_source_weights *w, const sa_attention *attention,
                       const sa_encoder_cache *encoder, sa_source *source) {
    const sa_sizes *sizes = &w->sizes;
    if (attention->heads) sa_memory_forward(attention, &source->memory);
    if (sizes->fixed) {
        summary_forward(SA_INITIAL_LAST, sizes, encoder, source->context_input);
        sa_linear_forward(w->V, w->b_V, source->context_input, source->c);
        sa_trace("inside tanh", source->c);
        sa_tanh(source->c);
    }
    initial_forward(w, encoder, source);
}

void sa_source_backward(const sa_source_weights *w, const sa_attention *attention,
                        const sa_source *source, sa_source *d, sa_encoder_cache *encoder,
                        sa_source_weights *dw, sa_attention *dattention) {
    const sa_sizes *sizes = &w->sizes;
    initial_backward(w, source, d, encoder, dw);
    if (sizes->fixed) { /* c = tanh(V h_S + b_V) */
        sa_tanh_backward(source->c, d->c, d->c);
        sa_zero(d->context_input);
        sa_linear_backward(w->V, source->context_input, d->c, d->context_input, dw->V, dw->b_V);
        summary_backward(SA_INITIAL_LAST, sizes, d->context_input, encoder);
    }
    if (attention->heads) sa_memory_backward(attention, &source->memory, &d->memory, dattention);
}

void sa_source_zero(const sa_attention *attention, sa_source *d, sa_encoder_cache *encoder) {
    sa_zero(encoder->dannotations);
    sa_zero(encoder->dlast_m);
    for (int layer = 0; layer < SA_MAX_LAYERS; layer++) sa_state_zero(encoder->dlast[layer]);
    sa_zero(d->c);
    sa_memory_zero(attention, &d->memory);
}
