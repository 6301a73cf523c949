/* score: attention scores e_ij = f(q_i, k_j), which sa_attend_forward computes from the queries and
 * keys of a head, and their gradients; the table at the end has the choices of --attention. A new
 * score is two functions and one entry: EXTENDING.md.
 *
 * Shapes: v_a [1 x ..], q [Q x d_k], k [S x d_k] -> e [Q x S]; scratch [S x d_k] */
#include "attention/parts.h"
#include "tensor/dispatch.h"

/* ---- Additive: a perceptron with one hidden layer -------------------------------------------- */

/* Binds v_a [1 x n_a]. */
static sa_mat additive_bind(sa_binder *binder, const char *prefix, int size, int heads,
                            int max_positions) {
    return sa_bind_vector(binder, prefix, "v_a", size, SA_INIT_ALIGN_LAST);
}

/* A.1.2: e_ij = v_a' tanh(W_a s_{i-1} + U_a h_j); score_forward of paper/rnnsearch.c, generalized
 *
 *   q [Q x n_a], k [S x n_a] -> e [Q x S]; scratch [S x n_a] */
void sa_additive_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    for (int i = 0; i < q.rows; i++) {
        sa_tanh_shifted(k, sa_row(q, i), scratch);     /* hidden_j = tanh(q_i + k_j) */
        sa_gemm_nt(v_a, scratch, 0, sa_rows(e, i, 1)); /* e_ij = v_a' hidden_j */
    }
}

/* Of one word, hidden = tanh(a), a = q_i + k_j: da = de v_a . (1 - hidden^2), dq += da, dk += da
 *
 *   v_a, hidden, dq, dk [n_a] */
SA_DISPATCHED static void word_backward(sa_real de, const sa_real *v_a, const sa_real *hidden,
                                        sa_real *dq, sa_real *dk, int n_a) {
    for (int l = 0; l < n_a; l++) {
        const sa_real da = de * v_a[l] * (1 - hidden[l] * hidden[l]);
        dq[l] += da;
        dk[l] += da;
    }
}

/* Computes the tanh again: T x S x n_a values would not stay in any cache. */
void sa_additive_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                          sa_mat dv_a, sa_mat scratch) {
    for (int i = 0; i < q.rows; i++) {
        sa_mat dei = sa_rows(de, i, 1);
        sa_tanh_shifted(k, sa_row(q, i), scratch);
        sa_gemm_nn(dei, scratch, 1, dv_a); /* e_ij = v_a' hidden_j */
        for (int j = 0; j < k.rows; j++)   /* hidden_j = tanh(q_i + k_j) */
            word_backward(dei.x[j], v_a.x, sa_row(scratch, j), sa_row(dq, i), sa_row(dk, j),
                          k.cols);
    }
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Section 3.1 (Luong et al. 2015): e = q k'    q [Q x d_k], k [S x d_k] -> e [Q x S] */
static void dot_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    sa_gemm_nt(q, k, 0, e);
}

static void dot_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                         sa_mat dv_a, sa_mat scratch) {
    sa_gemm_nn(de, k, 1, dq); /* e = q k' */
    sa_gemm_tn(de, q, 1, dk);
}

/* Section 3.2.1 (Vaswani et al. 2017): e = q k' / sqrt(d_k)    q [Q x d_k], k [S x d_k] */
static void scaled_dot_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    dot_forward(v_a, q, k, e, scratch);
    sa_scale(1 / sa_sqrt((sa_real)q.cols), e);
}

static void scaled_dot_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                                sa_mat dv_a, sa_mat scratch) {
    sa_scale(1 / sa_sqrt((sa_real)q.cols), de); /* e = q k' / sqrt(d_k) */
    dot_backward(v_a, q, k, de, dq, dk, dv_a, scratch);
}

/* ---- A Gaussian kernel ----------------------------------------------------------------------- */

/* Binds log h, with h^2 = sqrt(d_k): with keys of equal lengths, training starts as with
 * scaled-dot. */
static sa_mat gaussian_bind(sa_binder *binder, const char *prefix, int size, int heads,
                            int max_positions) {
    return sa_bind_constant(binder, prefix, "log_h", heads, log((double)size / heads) / 4);
}

/* Returns 1 / h^2. */
static sa_real precision(sa_mat log_h) {
    return (sa_real)exp(-2 * (double)log_h.x[0]);
}

static sa_real distance(const sa_real *a, const sa_real *b, int size) {
    sa_real sum = 0;
    for (int l = 0; l < size; l++) sum += (a[l] - b[l]) * (a[l] - b[l]);
    return sum;
}

/* Nadaraya 1964 and Watson 1964: e_ij = -|q_i - k_j|^2 / (2 h^2)    own [1 x 1] log h */
static void gaussian_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    const sa_real half = precision(own) / 2;
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++)
            sa_row(e, i)[j] = -half * distance(sa_row(q, i), sa_row(k, j), q.cols);
}

/* dq_i += de_ij (k_j - q_i) / h^2, dk_j its negative, dlog h += de_ij |q_i - k_j|^2 / h^2 */
static void gaussian_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                              sa_mat d_own, sa_mat scratch) {
    const sa_real sharp = precision(own);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) {
            const sa_real d = sa_row(de, i)[j] * sharp;
            const sa_real *qi = sa_row(q, i), *kj = sa_row(k, j);
            for (int l = 0; l < q.cols; l++) {
                const sa_real gap = d * (kj[l] - qi[l]);
                sa_row(dq, i)[l] += gap;
                sa_row(dk, j)[l] -= gap;
            }
            d_own.x[0] += d * distance(qi, kj, q.cols);
        }
}

/* ---- Cosines --------------------------------------------------------------------------------- */

/* Computes x / |x|. */
static void direction(const sa_real *x, sa_real *unit, int size) {
    const sa_real by = sa_length(x, size);
    for (int l = 0; l < size; l++) unit[l] = x[l] / by;
}

/* e_ij = sharpness q_i'k^_j / |q_i|, k^_j = k_j / |k_j| */
static void cosines_forward(sa_real sharpness, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    for (int j = 0; j < k.rows; j++) direction(sa_row(k, j), sa_row(scratch, j), k.cols);
    for (int i = 0; i < q.rows; i++) {
        const sa_real by = sharpness / sa_length(sa_row(q, i), q.cols);
        for (int j = 0; j < k.rows; j++)
            sa_row(e, i)[j] = by * sa_dot(sa_row(q, i), sa_row(scratch, j), q.cols);
    }
}

/* Computes da += by (b^ - c a / |a|) / |a|: a turns towards b, but keeps its length. */
static void add_turn(sa_real by, const sa_real *a, sa_real of_a, const sa_real *b_unit, sa_real c,
                     sa_real *da, int size) {
    for (int l = 0; l < size; l++) da[l] += by / of_a * (b_unit[l] - c * (a[l] / of_a));
}

/* With u^ = u / |u| and c = q^'k^, computes dq += sharpness de (k^ - c q^) / |q|, and dk with q and
 * k exchanged. Returns the gradient of the sharpness, sum de c. */
static sa_real cosines_backward(sa_real sharpness, sa_mat q, sa_mat k, sa_mat de, sa_mat dq,
                                sa_mat dk, sa_mat scratch) {
    const int d = q.cols;
    sa_real dsharpness = 0;
    for (int j = 0; j < k.rows; j++) {
        const sa_real *kj = sa_row(k, j), of_k = sa_length(kj, d);
        sa_real *unit = sa_row(scratch, j);
        for (int i = 0; i < q.rows; i++) {
            const sa_real *qi = sa_row(q, i), of_q = sa_length(qi, d);
            direction(kj, unit, d);
            const sa_real c = sa_dot(qi, unit, d) / of_q, by = sharpness * sa_row(de, i)[j];
            dsharpness += sa_row(de, i)[j] * c;
            add_turn(by, qi, of_q, unit, c, sa_row(dq, i), d);
            direction(qi, unit, d);
            add_turn(by, kj, of_k, unit, c, sa_row(dk, j), d);
        }
    }
    return dsharpness;
}

/* Binds b, from which beta starts at log 2. */
static sa_mat cosine_bind(sa_binder *binder, const char *prefix, int size, int heads,
                          int max_positions) {
    return sa_bind_vector(binder, prefix, "b", heads, SA_INIT_ZERO);
}

/* Equations 5 and 6 of Graves et al. 2014: e_ij = beta cos(q_i, k_j), beta = log(1 + exp(b)) */
static void cosine_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    const double b = own.x[0];
    cosines_forward((sa_real)(fmax(b, 0) + log1p(exp(-fabs(b)))), q, k, e, scratch);
}

static void cosine_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                            sa_mat d_own, sa_mat scratch) {
    const double b = own.x[0], beta = fmax(b, 0) + log1p(exp(-fabs(b)));
    const sa_real dbeta = cosines_backward((sa_real)beta, q, k, de, dq, dk, scratch);
    d_own.x[0] += dbeta * (sa_real)(1 / (1 + exp(-b)));
}

/* Section 3 of Henry et al. 2020: g = log2(L^2 - L) for sentences of L words, here the longest */
static sa_mat qk_norm_bind(sa_binder *binder, const char *prefix, int size, int heads,
                           int max_positions) {
    const double L = max_positions > 2 ? max_positions : 2;
    return sa_bind_constant(binder, prefix, "g", heads, log2(L * L - L));
}

/* e_ij = g cos(q_i, k_j) */
static void qk_norm_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    cosines_forward(own.x[0], q, k, e, scratch);
}

static void qk_norm_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                             sa_mat d_own, sa_mat scratch) {
    d_own.x[0] += cosines_backward(own.x[0], q, k, de, dq, dk, scratch);
}

static const char *refuse_signs(const sa_attention_sizes *sizes) {
    return sizes->size / sizes->heads < 2 ? "{attention:} compares directions, and one number has "
                                            "only its sign: {attn} / {heads} must be at least 2"
                                          : NULL;
}

const sa_part sa_directions_part = {
    .name = "directions",
    .formula = "cos(q_i, k_j)",
    .citation = "Graves et al. 2014, equation 6",
    .refuse = refuse_signs,
};

/* ---- Location: without the source ------------------------------------------------------------ */

/* e_ij = q_ij for the first S positions    q [Q x S_max], e [Q x S] */
static void location_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    const int visible = sa_least(q.cols, e.cols);
    sa_copy_mat(sa_cols(q, 0, visible), sa_cols(e, 0, visible));
    sa_zero(sa_cols(e, visible, e.cols - visible));
}

static void location_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                              sa_mat dv_a, sa_mat scratch) {
    const int visible = sa_least(q.cols, de.cols);
    sa_add(sa_cols(de, 0, visible), sa_cols(dq, 0, visible)); /* e_ij = q_ij */
}

static void positions_span(const sa_attention *w, int part, const sa_head *head, int query,
                           sa_span *seen) {
    const int most = w->query_width / w->heads;
    const sa_head at = {
        .index = -1, .i = head->i + query, .q = sa_rows(head->q, query, 1), .memory = head->memory};
    seen->count = sa_least(seen->count, most);
    sa_part_trace_number(w, part, &at, "S = min(words, S_max)", "S_max", "S_max", (sa_real)most);
}

const sa_part sa_positions_end_part = {
    .name = "end of positions",
    .formula = "j <= S_max",
    .citation = "Luong et al. 2015, section 3.1",
    .span = positions_span,
    .rare = SA_RARE(.ordered = "the score depends on positions, not words"),
};

/* ---- None at all ------------------------------------------------------------------------------
 */

static void uniform_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    sa_zero(e);
}

static void uniform_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                             sa_mat dv_a, sa_mat scratch) {}

/* ---- The table ------------------------------------------------------------------------------- */

const sa_score sa_scores[] = {
    /* in the order of SA_ATTENTION_... */
    {"additive", "e_j = v_a' tanh(W_a s + U_a h_j)", "Bahdanau et al. 2015, A.1.2",
     SA_QUERY_PROJECTED, SA_KEY_UNITS, additive_bind, sa_additive_forward, sa_additive_backward},
    {"scaled-dot", "e_j = (W_a s)' (U_a h_j) / sqrt(n')", "Vaswani et al. 2017, section 3.2.1",
     SA_QUERY_PROJECTED, SA_KEY_PRODUCT, NULL, scaled_dot_forward, scaled_dot_backward},
    {"dot", "e_j = (W_a s)' (U_a h_j)", "Luong et al. 2015, section 3.1", SA_QUERY_PROJECTED,
     SA_KEY_PRODUCT, NULL, dot_forward, dot_backward},
    {"general", "e_j = s' W_a h_j", "Luong et al. 2015, section 3.1", SA_QUERY_IDENTITY,
     SA_KEY_STATE_SIZED, NULL, dot_forward, dot_backward},
    {"raw-dot", "e_j = s' h_j, without any map: h_j must be as wide as s",
     "Luong et al. 2015, section 3.1", SA_QUERY_IDENTITY, SA_KEY_IDENTITY, NULL, dot_forward,
     dot_backward},
    {"concat", "e_j = v_a' tanh([W_a U_a] [s ; h_j]): additive by another name",
     "Luong et al. 2015, section 3.1", SA_QUERY_PROJECTED, SA_KEY_UNITS, additive_bind,
     sa_additive_forward, sa_additive_backward},
    {"location", "e = W_a s, blind to the source", "Luong et al. 2015, section 3.1",
     SA_QUERY_POSITIONS, SA_KEY_NONE, NULL, location_forward, location_backward,
     &sa_positions_end_part},
    {"uniform", "e_j = 0: the mean of the annotations", "the state at which A.1.2 starts",
     SA_QUERY_IDENTITY, SA_KEY_NONE, NULL, uniform_forward, uniform_backward},
    {"gaussian", "e_j = -|W_a s - U_a h_j|^2 / (2 h^2), h learned",
     "kernel regression: Nadaraya 1964, Watson 1964", SA_QUERY_PROJECTED, SA_KEY_PRODUCT,
     gaussian_bind, gaussian_forward, gaussian_backward},
    {"cosine", "e_j = beta cos(W_a s, U_a h_j), beta > 0 learned",
     "Graves et al. 2014, equations 5 and 6", SA_QUERY_PROJECTED, SA_KEY_PRODUCT, cosine_bind,
     cosine_forward, cosine_backward, &sa_directions_part},
    {"qk-norm", "e_j = g cos(W_a s, U_a h_j), g learned from log2(L^2 - L) on",
     "Henry et al. 2020, section 3", SA_QUERY_PROJECTED, SA_KEY_PRODUCT, qk_norm_bind,
     qk_norm_forward, qk_norm_backward, &sa_directions_part},
    {"linear", "e_j = log(phi(W_a s)' phi(U_a h_j)), phi(x) = elu(x) + 1",
     "Katharopoulos et al. 2020, section 3.2", SA_QUERY_PROJECTED, SA_KEY_UNITS, NULL,
     sa_linear_score_forward, sa_linear_score_backward, &sa_running_sums_part},
    {"monotonic",
     "e_j = g v_a' / |v_a| tanh(W_a s + U_a h_j + b_a) + r; from left to right, word j is selected "
     "with probability sigma(e_j)",
     "Raffel et al. 2017, section 2", SA_QUERY_PROJECTED, SA_KEY_UNITS, sa_monotonic_bind,
     sa_monotonic_score_forward, sa_monotonic_score_backward, &sa_monotonic_part},
    {"graves",
     "alpha_j = sum_k a_k exp(-b_k (kappa_k - j)^2), no softmax; log a, log b and log (kappa_k - "
     "kappa_k before) = W_a s + b_a, k = 1 .. 3",
     "Graves 2013, section 5.1", SA_QUERY_MIXTURE, SA_KEY_NONE, sa_graves_bind, sa_graves_forward,
     sa_graves_backward, &sa_graves_part},
    {"location-aware",
     "e_j = v_a' tanh(W_a s + U_a h_j + W_f f_j + b_a), f_j = sum_o F_o alpha_{i-1,j-o}",
     "Chorowski et al. 2015, equations 8 and 9", SA_QUERY_PROJECTED, SA_KEY_UNITS, additive_bind,
     sa_additive_forward, sa_additive_backward, &sa_location_aware_part},
    {"differential",
     "alpha_j = softmax_j(q_1' k_1j / sqrt(d)) - lambda softmax_j(q_2' k_2j / sqrt(d)) with the "
     "halves of W_a s and U_a h_j, lambda learned in each layer",
     "Ye et al. 2024, section 2.1", SA_QUERY_PROJECTED, SA_KEY_PRODUCT, NULL, scaled_dot_forward,
     scaled_dot_backward, &sa_two_maps_part},
    {"hard",
     "e_j = v_a' tanh(W_a s + U_a h_j); one word is drawn with probability softmax_j(e_j), "
     "decoding takes the most probable",
     "Xu et al. 2015, section 4.1", SA_QUERY_PROJECTED, SA_KEY_UNITS, additive_bind,
     sa_additive_forward, sa_additive_backward, &sa_hard_part},
    {"retnet",
     "o_i = S_n' q_i, S_j = gamma S_{j-1} + k_j v_j', gamma = 1 - 2^(-4 - h) in head h; k_j, q_i "
     "unit vectors of U_a h_j, W_a s",
     "Sun et al. 2023", SA_QUERY_PROJECTED, SA_KEY_UNITS, NULL, uniform_forward, uniform_backward,
     &sa_delta_part},
    {"gla",
     "o_i = S_n' q_i, S_j = D_j S_{j-1} + k_j v_j', D_j = sigma(W_d h_j + b_d)^(1/16), one for "
     "each number of a key",
     "Yang et al. 2024a, section 4", SA_QUERY_PROJECTED, SA_KEY_UNITS, NULL, uniform_forward,
     uniform_backward, &sa_delta_part},
    {"deltanet",
     "o_i = S_n' q_i, S_j = S_{j-1} + beta_j k_j (v_j - S_{j-1}' k_j)', beta_j = sigma(w_d' h_j + "
     "b_d)",
     "Schlag et al. 2021; Yang et al. 2024b", SA_QUERY_PROJECTED, SA_KEY_UNITS, NULL,
     uniform_forward, uniform_backward, &sa_delta_part},
    {"gated-deltanet",
     "o_i = S_n' q_i, S_j = (I - beta_j k_j k_j') d_j S_{j-1} + beta_j k_j v_j', beta_j and d_j = "
     "sigma(w_d' h_j + b_d)",
     "Yang et al. 2025, equation 10", SA_QUERY_PROJECTED, SA_KEY_UNITS, NULL, uniform_forward,
     uniform_backward, &sa_delta_part},
    {"kda",
     "o_i = S_n' q_i, S_j = (I - beta_j k_j k_j') D_j S_{j-1} + beta_j k_j v_j', beta_j and D_j = "
     "sigma(W_d h_j + b_d), one for each number of a key",
     "Kimi Team 2025, section 3", SA_QUERY_PROJECTED, SA_KEY_UNITS, NULL, uniform_forward,
     uniform_backward, &sa_delta_part},
    {.name = NULL},
};
