/* attention: one head over one sentence. From queries q, keys k and values v, which heads.c makes,
 * it computes scores e, weights alpha and contexts c, and their gradients: attend_forward and
 * attend_backward of paper/rnnsearch.c, generalized to any score and normalizer, to many queries at
 * once, and to parts (parts.h), which run between the lines. Decoders, Transformers, searches,
 * `attend`, `explain` and the playground all call these two functions. */
#include "attention/attention.h"
#include "tensor/trace.h"

static void normalizer_forward(const sa_attention *w, const sa_head *head);
static void normalizer_backward(const sa_attention *w, const sa_head *head, const sa_head *d);

/* A.1.2 (Bahdanau et al. 2015); equation 1 (Vaswani et al. 2017)
 *
 *   q [Q x d_k], k [S x d_k], v [S x d_v] -> alpha [Q x S] (first e, in place), c [Q x d_v] */
void sa_attend_forward(const sa_attention *w, sa_head *head) {
    sa_parts_forward(w, SA_PLACE_KEYS, head);
    sa_score_forward(w, head); /* e_ij = f(q_i, k_j) */
    sa_parts_forward(w, SA_PLACE_SCORES, head);
    sa_trace_head(w, head, "e", head->alpha);
    normalizer_forward(w, head); /* alpha_i = pi(e_i) */
    sa_trace_head(w, head, "pi(e)", head->alpha);
    sa_parts_forward(w, SA_PLACE_WEIGHTS, head);
    sa_trace_head(w, head, "alpha", head->alpha);
    sa_gemm_nn(head->alpha, head->v, 0, head->c); /* c_i = sum_j alpha_ij v_j */
    sa_parts_forward(w, SA_PLACE_OUTPUT, head);
    sa_trace_head(w, head, "c", head->c);
}

/* dc [Q x d_v] -> dq [Q x d_k], dk [S x d_k], dv [S x d_v]; dalpha [Q x S] becomes de, in place
 *
 * A part that changed q or k worked on a copy, which the next head overwrote. So the hooks of the
 * keys run again; they also replace d->k by a zeroed copy, which heads.c adds to the real one. */
void sa_attend_backward(const sa_attention *w, sa_head *head, sa_head *d) {
    const sa_mat alpha = head->alpha; /* parts replace it by what the line before them gave */
    sa_parts_forward(w, SA_PLACE_KEYS, head); /* q and k as the score read them */
    sa_parts_backward(w, SA_PLACE_OUTPUT, head, d);
    sa_gemm_nt(d->c, head->v, 1, d->alpha); /* c_i = sum_j alpha_ij v_j */
    sa_gemm_tn(head->alpha, d->c, 1, d->v); /* without W_v, v_j is h_j and this is dh_j */
    sa_parts_backward(w, SA_PLACE_WEIGHTS, head, d);
    normalizer_backward(w, head, d); /* alpha_i = pi(e_i) */
    sa_parts_backward(w, SA_PLACE_SCORES, head, d);
    sa_score_backward(w, head, d); /* e_ij = f(q_i, k_j) */
    head->alpha = alpha;
    sa_parts_backward(w, SA_PLACE_KEYS, head, d);
}

/* ---- The score ------------------------------------------------------------------------------- */

/* Returns the buffer that the score's functions may overwrite. */
static sa_mat score_scratch(const sa_head *head) {
    return sa_corner(head->scratch->score, head->k.rows, head->k.cols);
}

/* e_ij = f(q_i, k_j)    q [Q x d_k], k [S x d_k] -> alpha [Q x S] */
void sa_score_forward(const sa_attention *w, const sa_head *head) {
    w->score->forward(head->v_a, head->q, head->k, head->alpha, score_scratch(head));
}

void sa_score_backward(const sa_attention *w, const sa_head *head, const sa_head *d) {
    w->score->backward(head->v_a, head->q, head->k, d->alpha, d->q, d->k, d->v_a,
                       score_scratch(head));
}

/* ---- The normalizer -------------------------------------------------------------------------- */

/* Returns row i of x [Q x S], in the columns that query i sees. */
static sa_mat seen(const sa_head *head, sa_mat x, int i) {
    const sa_mat row = sa_rows(x, i, 1);
    return head->spans ? sa_cols(row, head->spans[i].first, head->spans[i].count) : row;
}

static void zero_unseen(const sa_head *head, sa_mat x) {
    for (int i = 0; head->spans && i < x.rows; i++) {
        const sa_mat row = sa_rows(x, i, 1);
        const int first = head->spans[i].first, end = first + head->spans[i].count;
        sa_zero(sa_cols(row, 0, first));
        sa_zero(sa_cols(row, end, x.cols - end));
    }
}

/* alpha_i = pi(e_i) over the keys that query i sees; elsewhere 0    alpha [Q x S] */
static void normalizer_forward(const sa_attention *w, const sa_head *head) {
    if (!head->spans) w->normalizer->forward(*head->exponent, head->alpha);
    for (int i = 0; head->spans && i < head->alpha.rows; i++)
        w->normalizer->forward(*head->exponent, seen(head, head->alpha, i));
    zero_unseen(head, head->alpha);
}

/* Computes e again, including what parts add to it, because head->alpha holds alpha. */
static sa_mat scores_again(const sa_attention *w, const sa_head *head) {
    sa_head again = *head;
    again.alpha = sa_corner(head->scratch->scores, head->alpha.rows, head->alpha.cols);
    sa_score_forward(w, &again);
    sa_parts_forward(w, SA_PLACE_SCORES, &again);
    return again.alpha;
}

/* Turns d->alpha, in place, from dalpha into de [Q x S];
 * softmax: de_ij = alpha_ij (dalpha_ij - sum_k alpha_ik dalpha_ik) */
static void normalizer_backward(const sa_attention *w, const sa_head *head, const sa_head *d) {
    const sa_normalizer *pi = w->normalizer;
    if (!pi->scored_backward) { /* outside the spans alpha is 0, which adds nothing to de */
        pi->backward(*head->exponent, head->alpha, d->alpha, head->dexponent);
    } else {
        const sa_mat e = scores_again(w, head);
        for (int i = 0; i < e.rows; i++)
            pi->scored_backward(*head->exponent, seen(head, e, i), seen(head, head->alpha, i),
                                seen(head, d->alpha, i), head->dexponent);
    }
    zero_unseen(head, d->alpha);
}

const sa_span *sa_attention_spans(const sa_attention *w, sa_head *head, sa_span *spans) {
    const int S = head->v.rows;
    bool whole = true;
    for (int l = 0; l < head->q.rows; l++) {
        const int visible = head->i + l > head->prefix ? head->i + l : head->prefix;
        spans[l] = (sa_span){0, head->prefix && visible < S ? visible : S};
        sa_parts_span(w, head, l, &spans[l]);
        whole = whole && spans[l].count == S;
    }
    return whole ? NULL : spans;
}
