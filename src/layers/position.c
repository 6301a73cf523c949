#include "layers/position.h"
#include "tensor/vec.h"

/* ---- Encodings ------------------------------------------------------------------------------- */

/* Section 3.5: PE(t, 2i) = sin(t / 10000^(2i/m)), PE(t, 2i+1) = cos(t / 10000^(2i/m)) */
static void sinusoidal_encoding(sa_mat w, int first, sa_mat table) {
    (void)w;
    for (int k = 0; k < table.cols; k++) {
        const double wave = pow(10000, (double)(k - k % 2) / table.cols);
        for (int t = 0; t < table.rows; t++) {
            const double angle = (first + t) / wave;
            sa_row(table, t)[k] = (sa_real)(k % 2 ? cos(angle) : sin(angle));
        }
    }
}

static sa_mat learned_bind(sa_binder *binder, const char *part, const sa_position_sizes *sizes) {
    return sa_bind_table(binder, part, "P", sizes->max_positions, sizes->m, SA_INIT_INPUT);
}

/* Beyond the last row of P, that row. */
static sa_mat learned_row(sa_mat P, int t) {
    return sa_rows(P, t < P.rows ? t : P.rows - 1, 1);
}

static void learned_encoding(sa_mat P, int first, sa_mat table) {
    for (int t = 0; t < table.rows; t++)
        sa_copy_mat(learned_row(P, first + t), sa_rows(table, t, 1));
}

static void learned_encoding_backward(int t, sa_mat dx, sa_mat dP) {
    sa_sum_rows(dx, learned_row(dP, t).x);
}

/* ---- Biases ---------------------------------------------------------------------------------- */

enum { BUCKETS = 32, FARTHEST = 128 };

/* Section 2.1 of Raffel et al. 2020: half of the buckets are for one distance each, the others grow
 * with its logarithm up to 128 words. Both directions share them unless one is never seen. */
int sa_t5_bucket(int distance, bool causal) {
    const int buckets = causal ? BUCKETS : BUCKETS / 2, exact = buckets / 2;
    const int after = !causal && distance > 0 ? buckets : 0;
    const int away = causal ? (distance < 0 ? -distance : 0) : distance < 0 ? -distance : distance;
    if (away < exact) return after + away;
    const double part = log2((double)away / exact) / log2((double)FARTHEST / exact);
    const int bucket = exact + (int)(part * (buckets - exact));
    return after + (bucket < buckets ? bucket : buckets - 1);
}

static sa_mat t5_bind(sa_binder *binder, const char *part, const sa_position_sizes *sizes) {
    return sa_bind_table(binder, part, "B", sizes->heads, BUCKETS, SA_INIT_ZERO);
}

/* e_ij += B[k][bucket(j - i)] */
static void t5_bias(const sa_positions *w, int k, int i, sa_mat e) {
    const sa_real *B = sa_row(w->w, k);
    for (int j = 0; j < e.cols; j++) e.x[j] += B[sa_t5_bucket(j - i, w->causal)];
}

static void t5_bias_backward(int k, int i, sa_mat de, sa_positions *dw) {
    sa_real *dB = sa_row(dw->w, k);
    for (int j = 0; j < de.cols; j++) dB[sa_t5_bucket(j - i, dw->causal)] += de.x[j];
}

/* Section 3 of Press et al. 2022: 2^(-8 / heads), its square and so on; where heads is no power of
 * two, those of the power below and then every second one of twice that power. */
double sa_alibi_slope(int k, int heads) {
    int power = 1;
    while (2 * power <= heads) power *= 2;
    return k < power ? exp2(-8.0 * (k + 1) / power) : exp2(-4.0 * (2 * (k - power) + 1) / power);
}

/* e_ij -= m_k |i - j| */
static void alibi_bias(const sa_positions *w, int k, int i, sa_mat e) {
    const sa_real slope = (sa_real)sa_alibi_slope(k, w->heads);
    for (int j = 0; j < e.cols; j++) e.x[j] -= slope * (sa_real)(i < j ? j - i : i - j);
}

/* ---- A rotation ------------------------------------------------------------------------------ */

/* Section 3.4.2 of Su et al. 2021, equation 34: each pair of neighbors (x_{2i-1}, x_{2i}) is
 * rotated by position theta_i, theta_i = 10000^(-2(i-1)/d). So q'k depends on the distance of the
 * two alone. */
static void rope_rotation(int first, bool back, int heads, sa_mat x) {
    const int d = x.cols / heads;
    for (int l = 0; l + 1 < d; l += 2) {
        const double theta = pow(10000, -(double)l / d);
        for (int r = 0; r < x.rows; r++) {
            const double angle = (back ? -theta : theta) * (first + r);
            const sa_real c = (sa_real)cos(angle), s = (sa_real)sin(angle);
            for (int k = 0; k < heads; k++) {
                sa_real *pair = sa_row(x, r) + k * d + l;
                const sa_real even = pair[0], odd = pair[1];
                pair[0] = even * c - odd * s;
                pair[1] = even * s + odd * c;
            }
        }
    }
}

/* ---- Vectors --------------------------------------------------------------------------------- */

/* Section 3.2 of Shaw et al. 2018: clip(j - i, k), the first row being that of -k. Where a word
 * sees only those before it, the last is that of 0. */
static int shaw_vector(const sa_positions *w, int distance) {
    const int k = w->farthest, last = w->causal ? 0 : k;
    return (distance < -k ? -k : distance > last ? last : distance) + k;
}

static void shaw_bind(sa_binder *binder, const char *part, const sa_position_sizes *sizes,
                      sa_positions *w) {
    const int rows = (sizes->causal ? 1 : 2) * sizes->farthest + 1;
    w->farthest = sizes->farthest;
    w->a_K = sa_bind_table(binder, part, "a_K", rows, sizes->key, SA_INIT_INPUT);
    w->a_V = sa_bind_table(binder, part, "a_V", rows, sizes->value, SA_INIT_INPUT);
}

/* ---- The table ------------------------------------------------------------------------------- */

const sa_position_kind sa_position_kinds[] = {
    [SA_POSITIONS_NONE] = {.name = "none", .formula = "nothing", .citation = "the bare embeddings"},
    [SA_POSITIONS_SINUSOIDAL] = {.name = "sinusoidal",
                                 .formula = "x_t + PE_t: sin(t / 10000^(2i/m)) in number 2i, the "
                                            "cosine in number 2i + 1",
                                 .citation = "Vaswani et al. 2017, section 3.5",
                                 .encoding = sinusoidal_encoding},
    [SA_POSITIONS_LEARNED] = {.name = "learned",
                              .formula = "x_t + P_t, a vector learned for each position",
                              .citation = "Vaswani et al. 2017, section 3.5",
                              .bind = learned_bind,
                              .encoding = learned_encoding,
                              .encoding_backward = learned_encoding_backward},
    [SA_POSITIONS_T5] = {.name = "t5",
                         .formula = "e_ij + B[bucket(j - i)], a number learned for each head and "
                                    "range of distances, shared by all layers",
                         .citation = "Raffel et al. 2020, section 2.1",
                         .bind = t5_bind,
                         .bias = t5_bias,
                         .bias_backward = t5_bias_backward},
    [SA_POSITIONS_ALIBI] = {.name = "alibi",
                            .formula = "e_ij - 2^(-8 h / H) |i - j| in head h of H",
                            .citation = "Press et al. 2022, section 3",
                            .bias = alibi_bias},
    [SA_POSITIONS_ROPE] = {.name = "rope",
                           .formula =
                               "q_i and k_j rotated by angles that grow with i and j, so that "
                               "q_i' k_j depends on i - j",
                           .citation = "Su et al. 2021, section 3.4.2",
                           .rotation = rope_rotation},
    [SA_POSITIONS_SHAW] = {.name = "shaw",
                           .formula = "e_ij = f(q_i, k_j + a^K_c), c_i = sum_j alpha_ij (v_j + "
                                      "a^V_c), c = j - i clipped to --shaw-distance on both sides; "
                                      "vectors learned in each layer, for all its heads",
                           .citation = "Shaw et al. 2018, section 3",
                           .bind_vectors = shaw_bind,
                           .vector = shaw_vector},
    {.name = NULL},
};

const char *sa_position_name(size_t row) {
    return row < sizeof sa_position_kinds / sizeof *sa_position_kinds ? sa_position_kinds[row].name
                                                                      : NULL;
}

/* ---- Any row --------------------------------------------------------------------------------- */

void sa_positions_bind(sa_binder *binder, const char *part, const sa_position_sizes *sizes,
                       sa_positions *w) {
    *w = (sa_positions){.kind = sizes->kind, .heads = sizes->heads, .causal = sizes->causal};
    if (w->kind->bind) w->w = w->kind->bind(binder, part, sizes);
}

void sa_positions_bind_vectors(sa_binder *binder, const char *part, const sa_position_sizes *sizes,
                               sa_positions *w) {
    if (w->kind->bind_vectors) w->kind->bind_vectors(binder, part, sizes, w);
}

void sa_positions_table(const sa_positions *w, int first, sa_mat table) {
    if (w->kind->encoding) w->kind->encoding(w->w, w->first + first, table);
}

void sa_positions_backward(int t, sa_mat dx, sa_positions *dw) {
    if (dw->kind->encoding_backward) dw->kind->encoding_backward(t, dx, dw->w);
}

void sa_positions_rotate(const sa_positions *w, int heads, int position, bool back, sa_mat x) {
    if (w->kind && w->kind->rotation) w->kind->rotation(w->first + position, back, heads, x);
}

void sa_positions_bias(const sa_positions *w, int k, int i, sa_mat e) {
    for (int r = 0; w->kind && w->kind->bias && r < e.rows; r++)
        w->kind->bias(w, k, i + r, sa_rows(e, r, 1));
}

void sa_positions_bias_backward(int k, int i, sa_mat de, sa_positions *dw) {
    for (int r = 0; dw->kind && dw->kind->bias_backward && r < de.rows; r++)
        dw->kind->bias_backward(k, i + r, sa_rows(de, r, 1), dw);
}

static sa_real *vector_of(const sa_positions *w, sa_mat vectors, int i, int j) {
    return sa_row(vectors, w->kind->vector(w, j - i));
}

/* Equation 4 (Shaw et al. 2018): x_j W_K + a^K_ij */
void sa_positions_keys_forward(const sa_positions *w, int i, sa_mat k, sa_mat own) {
    sa_copy_mat(k, own);
    for (int j = 0; j < k.rows; j++)
        sa_axpy(1, vector_of(w, w->a_K, i, j), sa_row(own, j), own.cols);
}

void sa_positions_keys_backward(int i, sa_mat d_own, sa_mat dk, sa_positions *dw) {
    sa_add(d_own, dk);
    for (int j = 0; j < d_own.rows; j++)
        sa_axpy(1, sa_row(d_own, j), vector_of(dw, dw->a_K, i, j), d_own.cols);
}

/* Equation 3: alpha_ij (x_j W_V + a^V_ij), the second term */
void sa_positions_values_forward(const sa_positions *w, int i, sa_mat alpha, sa_mat o) {
    for (int r = 0; w->a_V.rows && r < alpha.rows; r++)
        for (int j = 0; j < alpha.cols; j++)
            sa_axpy(sa_row(alpha, r)[j], vector_of(w, w->a_V, i + r, j), sa_row(o, r), o.cols);
}

void sa_positions_values_backward(const sa_positions *w, int i, sa_mat alpha, sa_mat d_o,
                                  sa_mat dalpha, sa_positions *dw) {
    if (!w->a_V.rows) return;
    for (int r = 0; r < alpha.rows; r++)
        for (int j = 0; j < alpha.cols; j++) {
            const sa_real *a = vector_of(w, w->a_V, i + r, j), *own = sa_row(d_o, r);
            sa_row(dalpha, r)[j] += sa_dot(own, a, d_o.cols);
            sa_axpy(sa_row(alpha, r)[j], own, vector_of(dw, dw->a_V, i + r, j), d_o.cols);
        }
}
