/* distance_bias: adds a bias to each score of self-attention, by the distance of query and key.
 *
 *   t5     e_ij += B[k][bucket(j - i)]   learned, for all layers (Raffel et al. 2020, section 2.1)
 *   alibi  e_ij -= m_k |i - j|           (Press et al. 2022, section 3) */
#include "attention/parts.h"

enum { BUCKETS = 32, FARTHEST = 128 };

typedef struct distance_bias { /* weights, or their gradients */
    sa_mat B;                  /* [heads x BUCKETS] for the whole stack */
    bool causal;
} distance_bias;

/* Returns the bucket. Half of the buckets are for one distance each; the others are spaced
 * logarithmically, up to 128 words. Unless attention is causal, each direction has half of the
 * buckets. */
int sa_t5_bucket(int distance, bool causal) {
    const int buckets = causal ? BUCKETS : BUCKETS / 2, exact = buckets / 2;
    const int after = !causal && distance > 0 ? buckets : 0;
    const int away = causal ? (distance < 0 ? -distance : 0) : distance < 0 ? -distance : distance;
    if (away < exact) return after + away;
    const double share = log2((double)away / exact) / log2((double)FARTHEST / exact);
    const int bucket = exact + (int)(share * (buckets - exact));
    return after + (bucket < buckets ? bucket : buckets - 1);
}

static void t5_forward(const sa_attention *w, int part, sa_head *head) {
    const distance_bias *own = sa_part_own(w, part);
    const sa_real *B = sa_row(own->B, head->index);
    for (int l = 0; l < head->alpha.rows; l++)
        for (int j = 0, i = head->i - 1 + l; j < head->alpha.cols; j++)
            sa_row(head->alpha, l)[j] += B[sa_t5_bucket(j - i, own->causal)];
}

static void t5_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const distance_bias *d_own = sa_part_own(d->dw, part);
    sa_real *dB = sa_row(d_own->B, head->index);
    for (int l = 0; l < d->alpha.rows; l++)
        for (int j = 0, i = head->i - 1 + l; j < d->alpha.cols; j++)
            dB[sa_t5_bucket(j - i, d_own->causal)] += sa_row(d->alpha, l)[j];
}

/* Returns 2^(-8 / heads), its square and so on. If heads is not a power of two: the slopes for the
 * next lower power, then every second slope for the next higher one. */
double sa_alibi_slope(int k, int heads) {
    int power = 1;
    while (2 * power <= heads) power *= 2;
    return k < power ? exp2(-8.0 * (k + 1) / power) : exp2(-4.0 * (2 * (k - power) + 1) / power);
}

static void alibi_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_real slope = (sa_real)sa_alibi_slope(head->index, w->heads);
    for (int l = 0; l < head->alpha.rows; l++)
        for (int j = 0, i = head->i - 1 + l; j < head->alpha.cols; j++)
            sa_row(head->alpha, l)[j] -= slope * (sa_real)(i < j ? j - i : i - j);
}

/* ---- The part -------------------------------------------------------------------------------- */

sa_mat sa_t5_bind(sa_binder *binder, const char *prefix, const sa_position_sizes *sizes) {
    return sa_bind_table(binder, prefix, "B", sizes->heads, BUCKETS, SA_INIT_ZERO);
}

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    *(distance_bias *)own = (distance_bias){sizes->positions->w, sizes->positions->causal};
}

const sa_part sa_t5_part = {
    .name = "t5",
    .formula = "b_ij = B[bucket(j - i)] is added to e_ij",
    .citation = "Raffel et al. 2020, section 2.1",
    .bind = bind,
    .forward = {[SA_PLACE_SCORES] = t5_forward},
    .backward = {[SA_PLACE_SCORES] = t5_backward},
    .bias = {"b", "b_ij"},
};

const sa_part sa_alibi_part = {
    .name = "alibi",
    .formula = "b_ij = -2^(-8 h / H) |i - j| is added to e_ij in head h of H",
    .citation = "Press et al. 2022, section 3",
    .forward = {[SA_PLACE_SCORES] = alibi_forward},
    .bias = {"b", "b_ij"},
};
