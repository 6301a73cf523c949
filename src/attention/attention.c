/* attention: attend_forward of paper/rnnsearch.c and its gradient, generalized. */
#include "attention/attention.h"
#include "attention/parts.h"
#include "tensor/blas.h"
#include "tensor/vec.h"

/* ---- The score ------------------------------------------------------------------------------- */

/* What the score's functions may overwrite. */
static sa_mat scratch_of(const sa_head *at) {
    return sa_cols(sa_rows(at->scratch->keys, 0, at->k.rows), 0, at->k.cols);
}

void sa_score_forward(const sa_attention *w, const sa_head *at) {
    w->score->forward(at->v_a, at->q, at->k, at->alpha, scratch_of(at));
}

void sa_score_backward(const sa_attention *w, const sa_head *at, const sa_head *d) {
    w->score->backward(at->v_a, at->q, at->k, d->alpha, d->q, d->k, d->v_a, scratch_of(at));
}

/* ---- The normalizer -------------------------------------------------------------------------- */

const sa_span *sa_attention_spans(const sa_attention *w, sa_head *at, sa_span *spans) {
    const int S = at->v.rows;
    bool whole = true;
    for (int l = 0; l < at->q.rows; l++) {
        const int seen = at->i + l > at->causal ? at->i + l : at->causal;
        spans[l] = (sa_span){0, at->causal && seen < S ? seen : S};
        sa_parts_span(w, at, l, &spans[l]);
        whole = whole && spans[l].count == S;
    }
    return whole ? NULL : spans;
}

static void zero_outside(sa_mat alpha, const sa_span *spans) {
    for (int i = 0; i < alpha.rows; i++) {
        const int first = spans[i].first, behind = first + spans[i].count;
        sa_zero(sa_cols(sa_rows(alpha, i, 1), 0, first));
        sa_zero(sa_cols(sa_rows(alpha, i, 1), behind, alpha.cols - behind));
    }
}

static void weights_forward(const sa_attention *w, const sa_head *at) {
    if (!at->spans) {
        w->normalizer->forward(*at->exponent, at->alpha);
        return;
    }
    for (int i = 0; i < at->alpha.rows; i++) {
        const sa_span seen = at->spans[i];
        w->normalizer->forward(*at->exponent,
                               sa_cols(sa_rows(at->alpha, i, 1), seen.first, seen.count));
    }
    zero_outside(at->alpha, at->spans);
}

/* e once more, with what parts add to it: at->alpha holds alpha. */
static sa_mat scores_again(const sa_attention *w, const sa_head *at) {
    sa_head again = *at;
    again.alpha = sa_cols(sa_rows(at->scratch->scores, 0, at->alpha.rows), 0, at->alpha.cols);
    sa_score_forward(w, &again);
    sa_parts_forward(w, SA_PLACE_SCORES, &again);
    return again.alpha;
}

static void scored_backward(const sa_attention *w, const sa_head *at, const sa_head *d) {
    const sa_mat z = scores_again(w, at);
    for (int i = 0; i < z.rows; i++) {
        const sa_span seen = at->spans ? at->spans[i] : (sa_span){0, z.cols};
        w->normalizer->scored_backward(
            *at->exponent, sa_cols(sa_rows(z, i, 1), seen.first, seen.count),
            sa_cols(sa_rows(at->alpha, i, 1), seen.first, seen.count),
            sa_cols(sa_rows(d->alpha, i, 1), seen.first, seen.count), at->dexponent);
    }
    if (at->spans) zero_outside(d->alpha, at->spans);
}

/* Weights outside the spans are 0 and have no part in it. */
static void weights_backward(const sa_attention *w, const sa_head *at, const sa_head *d) {
    if (w->normalizer->scored_backward) {
        scored_backward(w, at, d);
        return;
    }
    w->normalizer->backward(*at->exponent, at->alpha, d->alpha, at->dexponent);
    if (at->spans) zero_outside(d->alpha, at->spans);
}

/* ---- One head over one sentence -------------------------------------------------------------- */

/* A.1.2 (Bahdanau et al. 2015); equation 1 (Vaswani et al. 2017). at->alpha holds e, which becomes
 * alpha. */
void sa_attend_forward(const sa_attention *w, sa_head *at) {
    sa_parts_forward(w, SA_PLACE_KEYS, at);
    w->score->forward(at->v_a, at->q, at->k, at->alpha, scratch_of(at)); /* e_ij = f(q_i, k_j) */
    sa_parts_forward(w, SA_PLACE_SCORES, at);
    weights_forward(w, at); /* alpha_i = pi(e_i) */
    sa_parts_forward(w, SA_PLACE_WEIGHTS, at);
    sa_gemm_nn(at->alpha, at->v, 0, at->c); /* c_i = sum_j alpha_ij v_j */
    sa_parts_forward(w, SA_PLACE_OUTPUT, at);
}

void sa_attend_backward(const sa_attention *w, sa_head *at, sa_head *d) {
    sa_parts_forward(w, SA_PLACE_KEYS, at); /* q and k as the score has read them */
    sa_parts_backward(w, SA_PLACE_OUTPUT, at, d);
    sa_gemm_nt(d->c, at->v, 1, d->alpha); /* c_i = sum_j alpha_ij v_j */
    sa_gemm_tn(at->alpha, d->c, 1, d->v);
    sa_parts_backward(w, SA_PLACE_WEIGHTS, at, d);
    weights_backward(w, at, d); /* alpha_i = pi(e_i) */
    sa_parts_backward(w, SA_PLACE_SCORES, at, d);
    w->score->backward(at->v_a, at->q, at->k, d->alpha, d->q, d->k, d->v_a,
                       scratch_of(at)); /* e_ij = f(q_i, k_j) */
    sa_parts_backward(w, SA_PLACE_KEYS, at, d);
}
