#include "attn/multihead.h"
#include "math/blas.h"
#include "math/term.h"
#include "math/vec.h"
#include "nn/linear.h"

static const sa_mat no_bias = {0};

void sa_attention_bind(sa_binder *binder, const char *part, sa_attention_sizes sizes,
                       sa_attention *w) {
    const sa_compat *compat = sizes.compat;
    const int H = sizes.heads, n = sizes.state, A = sizes.annotation;
    *w = (sa_attention){.compat = compat,
                        .heads = H,
                        .query_width = n,
                        .window = sizes.window,
                        .reach = sizes.reach};
    if (compat->query != SA_QUERY_STATE) {
        w->query_width = compat->query == SA_QUERY_PLACES ? H * sizes.places : sizes.size;
        w->W_a = sa_bind_matrix(binder, part, "W_a", w->query_width, n, SA_START_ALIGN);
    }
    if (compat->key == SA_KEY_MAPPED) {
        w->key_width = sizes.size;
        w->U_a = sa_bind_matrix(binder, part, "U_a", w->key_width, A, SA_START_ALIGN);
    }
    if (compat->key == SA_KEY_STATE) {
        w->key_width = H * n;
        w->W_a = sa_bind_matrix(binder, part, "W_a", w->key_width, A, SA_START_ALIGN);
    }
    if (compat->key == SA_KEY_RAW) {
        sa_require(H == 1 && A == n);
        w->key_width = A;
    }
    if (compat->vector)
        w->v_a = sa_bind_vector(binder, part, "v_a", sizes.size, SA_START_ALIGN_LAST);
    if (H > 1) {
        w->value_width = H * sizes.value;
        w->W_v = sa_bind_matrix(binder, part, "W_v", w->value_width, A, SA_START_INPUT);
        w->W_c = sa_bind_matrix(binder, part, "W_c", A, w->value_width, SA_START_INPUT);
    }
    if (w->window == SA_WINDOW_PREDICTIVE) {
        w->W_p = sa_bind_matrix(binder, part, "W_p", sizes.size, n, SA_START_INPUT);
        w->v_p = sa_bind_vector(binder, part, "v_p", sizes.size, SA_START_ALIGN_LAST);
    }
}

/* ---- Keys and values, once per sentence ------------------------------------------------------ */

void sa_memory_layout(sa_arena *arena, const sa_attention *w, const int *first, sa_mat annotations,
                      sa_memory *memory) {
    const int N = annotations.rows;
    const bool raw = w->compat->key == SA_KEY_RAW;
    *memory = (sa_memory){first, annotations, annotations, annotations};
    if (!raw) memory->keys = sa_mat_take(arena, N, w->key_width);
    if (w->heads > 1) memory->values = sa_mat_take(arena, N, w->value_width);
}

/* k_j = U_a h_j, W_a h_j or h_j itself; v_j = W_v h_j or h_j itself */
void sa_memory_forward(const sa_attention *w, sa_memory *memory) {
    const sa_mat h = memory->annotations;
    if (w->compat->key == SA_KEY_MAPPED) sa_linear_forward(w->U_a, no_bias, h, memory->keys);
    if (w->compat->key == SA_KEY_STATE) sa_linear_forward(w->W_a, no_bias, h, memory->keys);
    if (w->heads > 1) sa_linear_forward(w->W_v, no_bias, h, memory->values);
}

void sa_memory_backward(const sa_attention *w, const sa_memory *memory, sa_memory *d,
                        sa_attention *dw) {
    const sa_mat h = memory->annotations, dh = d->annotations;
    if (w->heads > 1 && sa_term("attention.value-map"))
        sa_linear_backward(w->W_v, h, d->values, dh, dw->W_v, no_bias);
    if (!sa_term("attention.keys")) return;
    if (w->compat->key == SA_KEY_MAPPED)
        sa_linear_backward(w->U_a, h, d->keys, dh, dw->U_a, no_bias);
    if (w->compat->key == SA_KEY_STATE)
        sa_linear_backward(w->W_a, h, d->keys, dh, dw->W_a, no_bias);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

sa_attention_rows sa_attention_rows_layout(sa_arena *arena, const sa_attention *w, int rows,
                                           int steps, bool alpha) {
    return (sa_attention_rows){
        .q = sa_mat_take(arena, rows, w->query_width),
        .alpha = sa_mat_take(arena, rows, alpha ? w->heads * steps : 0),
        .joined = sa_mat_take(arena, rows, w->value_width),
        .hidden = sa_mat_take(arena, rows, w->v_p.cols),
        .share = sa_mat_take(arena, rows, w->v_p.cols ? 1 : 0),
    };
}

sa_attention_rows sa_attention_rows_slice(sa_attention_rows all, int first, int count) {
    return (sa_attention_rows){
        .q = sa_rows(all.q, first, count),
        .alpha = sa_rows(all.alpha, first, count),
        .joined = sa_rows(all.joined, first, count),
        .hidden = sa_rows(all.hidden, first, count),
        .share = sa_rows(all.share, first, count),
    };
}

sa_attention_scratch sa_attention_scratch_layout(sa_arena *arena, const sa_attention *w, int steps,
                                                 bool training) {
    return (sa_attention_scratch){
        .keys = sa_mat_take(arena, steps, w->key_width),
        .dalpha = sa_mat_take(arena, 1, training ? steps : 0),
        .soft = sa_mat_take(arena, 1, steps),
    };
}

/* ---- One head of one sentence ---------------------------------------------------------------- */

/* The columns that belong to head k when all heads' lie side by side. */
static sa_mat part(sa_mat all, int heads, int k) {
    const int width = all.cols / heads;
    return sa_cols(all, k * width, width);
}

sa_mat sa_attention_head(sa_mat alpha, int row, int heads, int k, int S) {
    return sa_cols(part(sa_rows(alpha, row, 1), heads, k), 0, S);
}

static sa_mat sentence(sa_mat all, const int *first, int b) {
    return sa_rows(all, first[b], first[b + 1] - first[b]);
}

typedef struct head {
    sa_mat v_a, q, k, v, o;
} head;

/* Head number k's columns of everything (or of its derivatives). A query that is the state itself
 * serves all heads alike. */
static head head_of(const sa_attention *w, int k, sa_mat q, sa_mat keys, sa_mat values, sa_mat o) {
    const int H = w->heads;
    return (head){part(w->v_a, H, k), w->compat->query == SA_QUERY_STATE ? q : part(q, H, k),
                  part(keys, H, k), part(values, H, k), part(o, H, k)};
}

/* How many of S positions can be seen at all: the location score ends at S_max. */
static int visible(const sa_attention *w, int S) {
    const int places = w->query_width / w->heads;
    return w->compat->query == SA_QUERY_PLACES && places < S ? places : S;
}

sa_real sa_attention_centre(const sa_attention *w, int i, sa_attention_rows rows, int l, int S) {
    S = visible(w, S);
    if (w->window == SA_WINDOW_PREDICTIVE) return (sa_real)S * *sa_row(rows.share, l);
    return (sa_real)(i < S ? i : S);
}

static sa_span span_of(const sa_attention *w, int i, sa_attention_rows rows, int l, int S) {
    if (w->window == SA_WINDOW_NONE) return (sa_span){0, visible(w, S)};
    return sa_window_span(sa_attention_centre(w, i, rows, l, S), w->reach, visible(w, S));
}

static void query_forward(const sa_attention *w, sa_mat s, sa_mat q) {
    if (w->compat->query == SA_QUERY_STATE)
        sa_copy_mat(s, q);
    else
        sa_linear_forward(w->W_a, no_bias, s, q);
}

static void query_backward(const sa_attention *w, sa_mat dq, sa_mat ds) {
    if (!sa_term("attention.query")) return;
    if (w->compat->query == SA_QUERY_STATE)
        sa_add(dq, ds);
    else
        sa_gemm_nn(dq, w->W_a, 1, ds);
}

/* ---- One step -------------------------------------------------------------------------------- */

/* Row l, about sentence b: alpha^k and o^k of all heads. */
static void row_forward(const sa_attention *w, const sa_memory *memory, int b, int i,
                        const sa_override *override, sa_attention_rows rows, int l, sa_mat o,
                        sa_attention_scratch scratch) {
    sa_mat keys = sentence(memory->keys, memory->first, b);
    sa_mat values = sentence(memory->values, memory->first, b);
    const int S = values.rows;
    const sa_span span = span_of(w, i, rows, l, S);
    const sa_span *spans = span.count < S ? &span : NULL;
    for (int k = 0; k < w->heads; k++) {
        head at = head_of(w, k, sa_rows(rows.q, l, 1), keys, values, sa_rows(o, l, 1));
        sa_mat alpha = sa_attention_head(rows.alpha, l, w->heads, k, S);
        sa_attention_weights_forward(w->compat, at.v_a, at.q, at.k, spans, alpha,
                                     sa_cols(sa_rows(scratch.keys, 0, S), 0, at.k.cols));
        if (w->window == SA_WINDOW_PREDICTIVE)
            sa_window_gauss_forward(sa_attention_centre(w, i, rows, l, S), w->reach,
                                    sa_cols(alpha, 0, visible(w, S)));
        if (override) sa_override_apply(override, b, i, alpha, sa_cols(scratch.soft, 0, S));
        sa_attention_sum_forward(alpha, at.v, at.o);
    }
}

/* A.1.2 (Bahdanau et al. 2015); Section 3.2.2 (Vaswani et al. 2017) */
void sa_attention_step_forward(const sa_attention *w, const sa_memory *memory, const int *which,
                               int i, sa_mat s, const sa_override *override, sa_attention_rows rows,
                               sa_mat c, sa_attention_scratch scratch) {
    sa_mat o = w->heads > 1 ? rows.joined : c;
    query_forward(w, s, rows.q);
    if (w->window == SA_WINDOW_PREDICTIVE)
        sa_window_centre_forward(w->W_p, w->v_p, s, rows.hidden, rows.share);
    for (int l = 0; l < s.rows; l++)
        row_forward(w, memory, which ? which[l] : l, i, override, rows, l, o, scratch);
    if (w->heads > 1) sa_linear_forward(w->W_c, no_bias, o, c); /* c = W_c [o^1 ; .. ; o^H] */
}

/* Row l, about sentence l: dshare is written when the centre was predicted. */
static void row_backward(const sa_attention *w, const sa_memory *memory, int i,
                         sa_attention_rows rows, int l, sa_mat d_o, sa_attention_rows d,
                         sa_memory *dmemory, sa_attention *dw, sa_attention_scratch scratch) {
    const int *first = memory->first;
    sa_mat keys = sentence(memory->keys, first, l), values = sentence(memory->values, first, l);
    sa_mat dkeys = sentence(dmemory->keys, first, l), dvalues = sentence(dmemory->values, first, l);
    const int S = values.rows, seen = visible(w, S);
    const sa_span span = span_of(w, i, rows, l, S);
    const sa_span *spans = span.count < S ? &span : NULL;
    sa_real dp = 0;
    for (int k = 0; k < w->heads; k++) {
        head at = head_of(w, k, sa_rows(rows.q, l, 1), keys, values, sa_rows(d_o, l, 1));
        head to = head_of(dw, k, sa_rows(d.q, l, 1), dkeys, dvalues, sa_rows(d_o, l, 1));
        sa_mat alpha = sa_attention_head(rows.alpha, l, w->heads, k, S);
        sa_mat dalpha = sa_cols(scratch.dalpha, 0, S), soft = sa_cols(scratch.soft, 0, S);
        sa_attention_sum_backward(alpha, at.v, at.o, dalpha, to.v);
        if (w->window == SA_WINDOW_PREDICTIVE) {
            sa_zero(soft);
            dp += sa_window_gauss_backward(sa_attention_centre(w, i, rows, l, S), w->reach,
                                           sa_cols(alpha, 0, seen), sa_cols(dalpha, 0, seen),
                                           sa_cols(soft, 0, seen));
            alpha = soft;
        }
        sa_attention_weights_backward(w->compat, at.v_a, at.q, at.k, spans, alpha, dalpha, to.q,
                                      to.k, to.v_a,
                                      sa_cols(sa_rows(scratch.keys, 0, S), 0, at.k.cols));
    }
    if (w->window == SA_WINDOW_PREDICTIVE) *sa_row(d.share, l) = dp * (sa_real)seen;
}

void sa_attention_step_backward(const sa_attention *w, const sa_memory *memory, int i,
                                sa_attention_rows rows, sa_mat dc, sa_attention_rows d,
                                sa_memory *dmemory, sa_mat ds, sa_attention *dw,
                                sa_attention_scratch scratch) {
    sa_mat d_o = dc;
    if (w->heads > 1) { /* c = W_c [o^1 ; .. ; o^H] */
        d_o = d.joined;
        sa_zero(d_o);
        if (sa_term("attention.join")) sa_gemm_nn(dc, w->W_c, 1, d_o);
    }
    sa_zero(d.q);
    for (int l = 0; l < dc.rows; l++)
        row_backward(w, memory, i, rows, l, d_o, d, dmemory, dw, scratch);
    if (w->window == SA_WINDOW_PREDICTIVE)
        sa_window_centre_backward(w->W_p, w->v_p, rows.hidden, rows.share, d.share, d.hidden, ds);
    query_backward(w, d.q, ds);
}

void sa_attention_steps_weights_backward(sa_mat s, sa_attention_rows rows, sa_mat dc,
                                         sa_attention_rows d, sa_attention *dw) {
    if (dw->compat->query != SA_QUERY_STATE) sa_gemm_tn(d.q, s, 1, dw->W_a);
    if (dw->heads > 1) sa_gemm_tn(dc, rows.joined, 1, dw->W_c);
    if (dw->window == SA_WINDOW_PREDICTIVE)
        sa_window_weights_backward(s, rows.hidden, d.share, d.hidden, dw->W_p, dw->v_p);
}
