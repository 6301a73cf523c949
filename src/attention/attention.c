/* attention: attend_forward of paper/rnnsearch.c and its gradient, generalized. */
#include "attention/attention.h"
#include "attention/parts.h"
#include "tensor/blas.h"
#include "tensor/vec.h"

/* ---- The score ------------------------------------------------------------------------------- */

/* What the score's functions may overwrite. */
static sa_mat scratch_of(const sa_head *head) {
    return sa_cols(sa_rows(head->scratch->keys, 0, head->k.rows), 0, head->k.cols);
}

void sa_score_forward(const sa_attention *w, const sa_head *head) {
    w->score->forward(head->v_a, head->q, head->k, head->alpha, scratch_of(head));
}

void sa_score_backward(const sa_attention *w, const sa_head *head, const sa_head *d) {
    w->score->backward(head->v_a, head->q, head->k, d->alpha, d->q, d->k, d->v_a, scratch_of(head));
}

/* ---- The normalizer -------------------------------------------------------------------------- */

const sa_span *sa_attention_spans(const sa_attention *w, sa_head *head, sa_span *spans) {
    const int S = head->v.rows;
    bool whole = true;
    for (int l = 0; l < head->q.rows; l++) {
        const int seen = head->i + l > head->causal ? head->i + l : head->causal;
        spans[l] = (sa_span){0, head->causal && seen < S ? seen : S};
        sa_parts_span(w, head, l, &spans[l]);
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

static void weights_forward(const sa_attention *w, const sa_head *head) {
    if (!head->spans) {
        w->normalizer->forward(*head->exponent, head->alpha);
        return;
    }
    for (int i = 0; i < head->alpha.rows; i++) {
        const sa_span seen = head->spans[i];
        w->normalizer->forward(*head->exponent,
                               sa_cols(sa_rows(head->alpha, i, 1), seen.first, seen.count));
    }
    zero_outside(head->alpha, head->spans);
}

/* e once more, with what parts add to it: head->alpha holds alpha. */
static sa_mat scores_again(const sa_attention *w, const sa_head *head) {
    sa_head again = *head;
    again.alpha = sa_cols(sa_rows(head->scratch->scores, 0, head->alpha.rows), 0, head->alpha.cols);
    sa_score_forward(w, &again);
    sa_parts_forward(w, SA_PLACE_SCORES, &again);
    return again.alpha;
}

static void scored_backward(const sa_attention *w, const sa_head *head, const sa_head *d) {
    const sa_mat z = scores_again(w, head);
    for (int i = 0; i < z.rows; i++) {
        const sa_span seen = head->spans ? head->spans[i] : (sa_span){0, z.cols};
        w->normalizer->scored_backward(
            *head->exponent, sa_cols(sa_rows(z, i, 1), seen.first, seen.count),
            sa_cols(sa_rows(head->alpha, i, 1), seen.first, seen.count),
            sa_cols(sa_rows(d->alpha, i, 1), seen.first, seen.count), head->dexponent);
    }
    if (head->spans) zero_outside(d->alpha, head->spans);
}

/* Weights outside the spans are 0 and have no part in it. */
static void weights_backward(const sa_attention *w, const sa_head *head, const sa_head *d) {
    if (w->normalizer->scored_backward) {
        scored_backward(w, head, d);
        return;
    }
    w->normalizer->backward(*head->exponent, head->alpha, d->alpha, head->dexponent);
    if (head->spans) zero_outside(d->alpha, head->spans);
}

/* ---- One head over one sentence -------------------------------------------------------------- */

/* A.1.2 (Bahdanau et al. 2015); equation 1 (Vaswani et al. 2017). head->alpha holds e, which
 * becomes alpha. */
void sa_attend_forward(const sa_attention *w, sa_head *head) {
    sa_parts_forward(w, SA_PLACE_KEYS, head);
    w->score->forward(head->v_a, head->q, head->k, head->alpha,
                      scratch_of(head)); /* e_ij = f(q_i, k_j) */
    sa_parts_forward(w, SA_PLACE_SCORES, head);
    weights_forward(w, head); /* alpha_i = pi(e_i) */
    sa_parts_forward(w, SA_PLACE_WEIGHTS, head);
    sa_gemm_nn(head->alpha, head->v, 0, head->c); /* c_i = sum_j alpha_ij v_j */
    sa_parts_forward(w, SA_PLACE_OUTPUT, head);
}

void sa_attend_backward(const sa_attention *w, sa_head *head, sa_head *d) {
    sa_parts_forward(w, SA_PLACE_KEYS, head); /* q and k as the score has read them */
    sa_parts_backward(w, SA_PLACE_OUTPUT, head, d);
    sa_gemm_nt(d->c, head->v, 1, d->alpha); /* c_i = sum_j alpha_ij v_j */
    sa_gemm_tn(head->alpha, d->c, 1, d->v);
    sa_parts_backward(w, SA_PLACE_WEIGHTS, head, d);
    weights_backward(w, head, d); /* alpha_i = pi(e_i) */
    sa_parts_backward(w, SA_PLACE_SCORES, head, d);
    w->score->backward(head->v_a, head->q, head->k, d->alpha, d->q, d->k, d->v_a,
                       scratch_of(head)); /* e_ij = f(q_i, k_j) */
    sa_parts_backward(w, SA_PLACE_KEYS, head, d);
}
