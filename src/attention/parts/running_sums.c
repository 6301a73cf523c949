/* running_sums: linear attention with weights in proportion to phi(q_i)' phi(k_j), phi(x) = elu(x)
 * + 1 (Katharopoulos et al. 2020). As a score e_ij is the logarithm of this product. Without
 * windows, biases and other parts, causal attention is a recurrent network (section 3.4), which
 * needs no keys and values of earlier words, only their sums for every key/value head:
 *
 *   S_i = S_{i-1} + phi(k_i) v_i'
 *   z_i = z_{i-1} + phi(k_i)
 *   o_i = S_i' phi(q_i) / z_i' phi(q_i)
 *
 * so that a step takes the same time and memory, however long the sentence is. */
#include "attention/parts.h"

#include <float.h>

/* ---- The score ------------------------------------------------------------------------------- */

/* Returns elu(x) + 1: x + 1 above 0, exp(x) below. */
static sa_real feature(sa_real x) {
    return x > 0 ? x + 1 : (sa_real)exp((double)x);
}

/* Returns the derivative of a feature, from its value. */
static sa_real slope_of(sa_real phi) {
    return phi > 1 ? 1 : phi;
}

static void features(sa_mat x, sa_mat phi) {
    for (int i = 0; i < x.rows; i++)
        for (int l = 0; l < x.cols; l++) sa_row(phi, i)[l] = feature(sa_row(x, i)[l]);
}

/* Computes phi(q_i)' phi(k_j) for all j, with phi(k) [S x d]; above 0 even if every feature is as
 * good as 0. */
static void feature_products(const sa_real *q, sa_mat phi, sa_real *products) {
    for (int j = 0; j < phi.rows; j++) products[j] = (sa_real)FLT_MIN;
    for (int l = 0; l < phi.cols; l++) {
        const sa_real own = feature(q[l]);
        for (int j = 0; j < phi.rows; j++) products[j] += own * sa_row(phi, j)[l];
    }
}

/* Section 3.2 (Katharopoulos et al. 2020): the weights phi(q_i)' phi(k_j) of equation 4, as
 * exponentials of scores */
void sa_linear_score_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    features(k, scratch);
    for (int i = 0; i < q.rows; i++) {
        sa_real *ei = sa_row(e, i);
        feature_products(sa_row(q, i), scratch, ei);
        for (int j = 0; j < k.rows; j++) ei[j] = (sa_real)log((double)ei[j]);
    }
}

/* Computes from g_j = de_ij / (phi(q_i)' phi(k_j)) of some keys, with phi(k) [keys x d]:
 * dphi(q_i) += sum_j g_j phi(k_j), dphi(k_j) += g_j phi(q_i) */
static void features_backward(const sa_real *q, sa_mat phi, const sa_real *g, sa_real *dq,
                              sa_mat dk) {
    for (int l = 0; l < phi.cols; l++) {
        const sa_real own = feature(q[l]);
        sa_real sum = 0;
        for (int j = 0; j < phi.rows; j++) {
            const sa_real other = sa_row(phi, j)[l];
            sum += g[j] * other;
            sa_row(dk, j)[l] += g[j] * own * slope_of(other);
        }
        dq[l] += sum * slope_of(own);
    }
}

void sa_linear_score_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                              sa_mat dv_a, sa_mat scratch) {
    enum { BLOCK = 64 }; /* keys at a time */
    features(k, scratch);
    for (int i = 0; i < q.rows; i++)
        for (int first = 0; first < k.rows; first += BLOCK) {
            const int count = k.rows - first < BLOCK ? k.rows - first : BLOCK;
            const sa_mat phi = sa_rows(scratch, first, count);
            sa_real g[BLOCK];
            feature_products(sa_row(q, i), phi, g);
            for (int j = 0; j < count; j++) g[j] = sa_row(de, i)[first + j] / g[j];
            features_backward(sa_row(q, i), phi, g, sa_row(dq, i), sa_rows(dk, first, count));
        }
}

/* ---- Running sums ---------------------------------------------------------------------------- */

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    const int d = w->key_width / w->kv_heads;
    const bool applies = w->normalizer->exponential && w->parts == 1;
    return (sa_part_widths){.running = applies ? w->kv_heads * d + d * w->value_width : 0};
}

/* S and z of one key/value head, among those of all heads. */
typedef struct head_sums {
    sa_mat S, z; /* [d x dv], [1 x d] */
} head_sums;

static head_sums sums_of(const sa_attention *w, sa_mat all, int g) {
    const int d = w->key_width / w->kv_heads, dv = w->value_width / w->kv_heads;
    sa_real *x = all.x + (ptrdiff_t)g * d * (dv + 1);
    return (head_sums){.S = {x, d, dv, dv}, .z = {x + (ptrdiff_t)d * dv, 1, d, d}};
}

static void running_step(const sa_attention *w, int part, const sa_memory *words, int t, sa_mat q,
                         sa_mat all_sums, sa_mat o, sa_mat scratch) {
    const int H = w->heads, G = w->kv_heads, d = w->key_width / G;
    const sa_mat own = sa_cols(scratch, 0, d), k = sa_rows(words->keys, t, 1),
                 v = sa_rows(words->values, t, 1);
    for (int g = 0; g < G; g++) {
        const head_sums sums = sums_of(w, all_sums, g);
        const sa_mat value = sa_head_slice(v, G, g);
        features(sa_head_slice(k, G, g), own);
        sa_add(own, sums.z);
        for (int l = 0; l < d; l++) sa_axpy(own.x[l], value.x, sa_row(sums.S, l), value.cols);
    }
    for (int h = 0; h < H; h++) {
        const head_sums sums = sums_of(w, all_sums, h * G / H);
        const sa_mat out = sa_head_slice(o, H, h);
        sa_real all = (sa_real)FLT_MIN; /* above 0 even where every feature underflows */
        features(sa_head_slice(q, H, h), own);
        sa_zero(out);
        for (int l = 0; l < d; l++) {
            all += own.x[l] * sums.z.x[l];
            sa_axpy(own.x[l], sa_row(sums.S, l), out.x, out.cols);
        }
        sa_scale(1 / all, out);
    }
}

/* Adds the kinks: on which side of 0 the numbers in queries and keys are; only the slope has a kink
 * there. */
static void kinks(const sa_attention *w, int part, const sa_head *head, sa_kinks *found) {
    const sa_mat both[] = {head->q, head->k};
    for (int x = 0; x < 2; x++)
        for (int i = 0; i < both[x].rows; i++)
            for (int l = 0; l < both[x].cols; l++)
                sa_kinks_add(found, (double)sa_row(both[x], i)[l], 5e-4);
}

const sa_part sa_running_sums_part = {
    .name = "running sums",
    .formula = "o_i = S_i' phi(q_i) / z_i' phi(q_i), S_i = S_{i-1} + phi(k_i) v_i', z_i = z_{i-1} "
               "+ phi(k_i)",
    .citation = "Katharopoulos et al. 2020, section 3.4",
    .widths = widths,
    .rare = SA_RARE(.running_step = running_step, .kinks = kinks),
};
