/* What a decoder knows of the source before it writes: see sa_source in decoder.h. */
#include "layers/linear.h"
#include "model/decoder.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

/* ---- Sizes ----------------------------------------------------------------------------------- */

bool sa_decoder_attends(const sa_decoder_sizes *sizes) {
    return sizes->kind->query_state != SA_QUERY_STATE_NONE;
}

/* One c for all words, made from the encoder's last states. */
static bool fixed(const sa_decoder_sizes *sizes) {
    return sizes->kind->context_in_cell && !sa_decoder_attends(sizes);
}

int sa_context_width(const sa_decoder_sizes *sizes) {
    return sa_decoder_attends(sizes) ? sa_encoder_width(&sizes->encoder)
           : fixed(sizes)            ? sizes->n
                                     : 0;
}

static int context_input_width(const sa_decoder_sizes *sizes) {
    return fixed(sizes) ? sa_encoder_summary_width(SA_INITIAL_LAST, &sizes->encoder) : 0;
}

/* What s_0 is made of; nothing new when it comes from the fixed context. */
static int initial_input_width(const sa_decoder_sizes *sizes) {
    return sizes->initial == SA_INITIAL_CONTEXT
               ? 0
               : sa_encoder_summary_width(sizes->initial, &sizes->encoder);
}

static bool copies(const sa_decoder_sizes *sizes) {
    return sizes->initial == SA_INITIAL_COPY;
}

void sa_source_bind(sa_binder *binder, sa_decoder *w) {
    const sa_decoder_sizes *sizes = &w->sizes;
    const int n = sizes->n;
    if (fixed(sizes)) {
        w->V = sa_bind_matrix(binder, "decoder", "V", n, context_input_width(sizes), SA_INIT_INPUT);
        w->b_V = sa_bind_vector(binder, "decoder", "b_V", n, SA_INIT_ZERO);
    }
    if (!copies(sizes)) {
        const int in = initial_input_width(sizes) ? initial_input_width(sizes) : n;
        w->W_s = sa_bind_matrix(binder, "decoder", "W_s", n, in, SA_INIT_INPUT);
        w->b_s = sa_bind_vector(binder, "decoder", "b_s", n, SA_INIT_ZERO);
    }
}

void sa_source_layout(sa_arena *arena, const sa_decoder *w, int B, const int *first,
                      sa_mat annotations, sa_source *source) {
    const sa_decoder_sizes *sizes = &w->sizes;
    *source = (sa_source){0};
    if (sa_decoder_attends(sizes))
        sa_memory_layout(arena, &w->attention, first, annotations, &source->memory);
    source->context_input = sa_mat_alloc(arena, B, context_input_width(sizes));
    source->c = sa_mat_alloc(arena, B, fixed(sizes) ? sizes->n : 0);
    source->encoder_summary = sa_mat_alloc(arena, B, initial_input_width(sizes));
    source->s0 = sa_state_take(arena, B, sizes->n, sizes->cell->memory);
}

/* ---- The start ------------------------------------------------------------------------------- */

/* A.1.2: the keys; A.2.2: s_0 = tanh(W_s backward_1 + b_s), or as initial_state.h says; section 2.2
 * (Cho et al. 2014): c = tanh(V h_S + b_V) */
void sa_source_forward(const sa_decoder *w, const sa_encoder_cache *encoder, sa_source *source) {
    const sa_decoder_sizes *sizes = &w->sizes;
    if (sa_decoder_attends(sizes)) sa_memory_forward(&w->attention, &source->memory);
    if (fixed(sizes)) {
        sa_encoder_summary_forward(SA_INITIAL_LAST, &sizes->encoder, encoder,
                                   source->context_input);
        sa_linear_forward(w->V, w->b_V, source->context_input, source->c);
        sa_tanh(source->c);
    }
    sa_state_zero(source->s0);
    if (initial_input_width(sizes))
        sa_encoder_summary_forward(sizes->initial, &sizes->encoder, encoder,
                                   source->encoder_summary);
    if (copies(sizes)) {
        sa_state_copy(sa_state_of(source->encoder_summary, encoder->last_memory), source->s0);
    } else {
        sa_linear_forward(w->W_s, w->b_s,
                          initial_input_width(sizes) ? source->encoder_summary : source->c,
                          source->s0.s);
        sa_tanh(source->s0.s);
    }
}

/* da = dy . (1 - y^2), for y = tanh(a) */
static void tanh_backward(sa_mat y, sa_mat dy) {
    for (int i = 0; i < y.rows; i++)
        for (int k = 0; k < y.cols; k++) {
            const sa_real value = sa_row(y, i)[k];
            sa_row(dy, i)[k] *= 1 - value * value;
        }
}

/* s_0 sends its derivative d->s0 on to what it was made of. */
static void initial_backward(const sa_decoder *w, const sa_source *source, sa_source *d,
                             sa_encoder_cache *encoder, sa_decoder *dw) {
    const sa_decoder_sizes *sizes = &w->sizes;
    if (copies(sizes)) { /* s_0 = forward_S */
        sa_copy_mat(d->s0.s, d->encoder_summary);
        sa_copy_mat(d->s0.m, encoder->dlast_memory);
    } else { /* s_0 = tanh(W_s x + b_s) */
        const bool from_context = !initial_input_width(sizes);
        tanh_backward(source->s0.s, d->s0.s);
        sa_zero(d->encoder_summary);
        sa_linear_backward(w->W_s, from_context ? source->c : source->encoder_summary, d->s0.s,
                           from_context ? d->c : d->encoder_summary, dw->W_s, dw->b_s);
    }
    if (initial_input_width(sizes) && sa_gradient_intact("decoder.start"))
        sa_encoder_summary_backward(sizes->initial, &sizes->encoder, encoder, d->encoder_summary,
                                    encoder->dannotations);
}

void sa_source_backward(const sa_decoder *w, const sa_source *source, sa_source *d,
                        sa_encoder_cache *encoder, sa_decoder *dw) {
    const sa_decoder_sizes *sizes = &w->sizes;
    initial_backward(w, source, d, encoder, dw);
    if (fixed(sizes)) { /* c = tanh(V h_S + b_V) */
        tanh_backward(source->c, d->c);
        sa_zero(d->context_input);
        sa_linear_backward(w->V, source->context_input, d->c, d->context_input, dw->V, dw->b_V);
        if (sa_gradient_intact("fixed.told"))
            sa_encoder_summary_backward(SA_INITIAL_LAST, &sizes->encoder, encoder, d->context_input,
                                        encoder->dannotations);
    }
    if (sa_decoder_attends(sizes))
        sa_memory_backward(&w->attention, &source->memory, &d->memory, &dw->attention);
}

void sa_source_zero(sa_source *d, sa_encoder_cache *encoder) {
    sa_zero(encoder->dannotations);
    sa_zero(encoder->dlast_memory);
    sa_zero(d->c);
    sa_memory_zero(&d->memory);
}
