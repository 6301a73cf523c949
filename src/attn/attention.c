#include "attn/attention.h"
#include "math/blas.h"
#include "math/term.h"
#include "math/vec.h"
#include "nn/linear.h"

static const sa_mat no_bias = {0};

void sa_attention_bind(sa_binder *binder, const char *part, const sa_compat *compat,
                       sa_attention_sizes sizes, sa_attention *w) {
    const int mapped = compat->query == SA_QUERY_PLACES ? sizes.places : sizes.size;
    *w = (sa_attention){.compat = compat, .query_width = sizes.state};
    if (compat->query != SA_QUERY_STATE) {
        w->W_a = sa_bind_matrix(binder, part, "W_a", mapped, sizes.state, SA_START_ALIGN);
        w->query_width = mapped;
    }
    if (compat->key == SA_KEY_MAPPED) {
        w->U_a = sa_bind_matrix(binder, part, "U_a", sizes.size, sizes.annotation, SA_START_ALIGN);
        w->key_width = sizes.size;
    }
    if (compat->key == SA_KEY_STATE) {
        w->W_a = sa_bind_matrix(binder, part, "W_a", sizes.state, sizes.annotation, SA_START_ALIGN);
        w->key_width = sizes.state;
    }
    if (compat->vector)
        w->v_a = sa_bind_vector(binder, part, "v_a", sizes.size, SA_START_ALIGN_LAST);
}

/* ---- Query and key ----------------------------------------------------------------------------
 */

void sa_attention_query_forward(const sa_attention *w, sa_mat s, sa_mat q) {
    if (w->compat->query == SA_QUERY_STATE)
        sa_copy_mat(s, q);
    else
        sa_linear_forward(w->W_a, no_bias, s, q);
}

void sa_attention_query_backward(const sa_attention *w, sa_mat dq, sa_mat ds) {
    if (!sa_term("attention.query")) return;
    if (w->compat->query == SA_QUERY_STATE)
        sa_add(dq, ds);
    else
        sa_gemm_nn(dq, w->W_a, 1, ds);
}

void sa_attention_query_weights_backward(sa_mat s, sa_mat dq, sa_attention *dw) {
    if (dw->compat->query != SA_QUERY_STATE) sa_gemm_tn(dq, s, 1, dw->W_a);
}

void sa_attention_keys_forward(const sa_attention *w, sa_mat h, sa_mat k) {
    if (w->compat->key == SA_KEY_MAPPED) sa_linear_forward(w->U_a, no_bias, h, k);
    if (w->compat->key == SA_KEY_STATE) sa_linear_forward(w->W_a, no_bias, h, k);
}

void sa_attention_keys_backward(const sa_attention *w, sa_mat h, sa_mat dk, sa_mat dh,
                                sa_attention *dw) {
    if (!sa_term("attention.keys")) return;
    if (w->compat->key == SA_KEY_MAPPED) sa_linear_backward(w->U_a, h, dk, dh, dw->U_a, no_bias);
    if (w->compat->key == SA_KEY_STATE) sa_linear_backward(w->W_a, h, dk, dh, dw->W_a, no_bias);
}

/* ---- The core ---------------------------------------------------------------------------------
 */

/* How many of S positions a score can see: all, but for the location score, which ends at S_max. */
static int seen(const sa_attention *w, int S) {
    return w->compat->query == SA_QUERY_PLACES && w->query_width < S ? w->query_width : S;
}

/* A.1.2 (Bahdanau et al. 2015), equation 1 (Vaswani et al. 2017) */
void sa_attention_forward(const sa_attention *w, sa_mat q, sa_mat k, sa_mat v, sa_mat alpha,
                          sa_mat c, sa_mat scratch) {
    const int S = seen(w, k.rows);
    sa_mat e = sa_cols(alpha, 0, S);
    w->compat->forward(w->v_a, q, sa_rows(k, 0, S), e,
                       sa_rows(scratch, 0, S)); /* e_ij = f(q_i, k_j) */
    sa_softmax(e);                              /* alpha_i = softmax(e_i) */
    sa_zero(sa_cols(alpha, S, alpha.cols - S)); /* beyond S_max: nothing */
    sa_gemm_nn(alpha, v, 0, c);                 /* c_i = sum_j alpha_ij v_j */
}

void sa_attention_backward(const sa_attention *w, sa_mat q, sa_mat k, sa_mat v, sa_mat alpha,
                           sa_mat dc, sa_mat dq, sa_mat dk, sa_mat dv, sa_attention *dw,
                           sa_mat dalpha, sa_mat scratch) {
    const int S = seen(w, k.rows);
    sa_mat e = sa_cols(alpha, 0, S), de = sa_cols(dalpha, 0, S);
    sa_gemm_nt(dc, v, 0, dalpha); /* c_i = sum_j alpha_ij v_j */
    if (sa_term("attention.values")) sa_gemm_tn(alpha, dc, 1, dv);
    if (sa_term("attention.softmax")) sa_softmax_backward(e, de, de); /* alpha_i = softmax(e_i) */
    w->compat->backward(w->v_a, q, sa_rows(k, 0, S), de, dq, sa_rows(dk, 0, S), dw->v_a,
                        sa_rows(scratch, 0, S)); /* e_ij = f(q_i, k_j) */
}
