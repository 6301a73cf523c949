/* explain_layer: one word in a layer of a Transformer's encoder: self-attention head by head, the
 * residual connection, the feed-forward network. */
#include "lab/explain_parts.h"
#include "layers/linear.h"
#include "tensor/vec.h"

#include <stdio.h>
#include <string.h>

static const char heads_place[] = "Vaswani et al. 2017, section 3.2.2";
static const char layer_place[] = "Vaswani et al. 2017, section 3.1";
static const sa_mat no_bias = {0};

/* One word in one layer. */
typedef struct layer_view {
    sa_explainer *out;
    const sa_transformer_layer *w;
    const sa_layer_cache *cache;
    sa_mat x;      /* [S x m] the layer's input */
    int i;         /* the word, from 0 */
    double center; /* p_i, if there is a window */
} layer_view;

/* What goes into a head's weights: the scores of the last map, and what the query sees. */
typedef struct head_scores {
    sa_mat e;
    double e_0;
    sa_span span;
} head_scores;

static sa_mat own(const layer_view *view, sa_mat rows) {
    return sa_rows(rows, view->i, 1);
}

/* ---- The input ------------------------------------------------------------------------------- */

static void explain_input(const layer_view *view, int layer) {
    sa_explainer *out = view->out;
    const sa_transformer *w = &out->model->w.transformer;
    sa_explainer_section(out, "The words");
    if (layer) {
        sa_explainer_write(out, "x_j: what layer %d left", layer);
        sa_explainer_cite(out, layer_place);
    } else {
        sa_explainer_write(out, "x_j = sqrt(%d) E w_j%s", w->sizes.m,
                           w->encoder.positions.kind->encoding ? " + PE(j)" : "");
        sa_explainer_cite(out, "Vaswani et al. 2017, sections 3.4 and 3.5");
    }
    sa_explainer_matrix(out, "x", "x_j", view->x, SA_ROWS_SOURCE);
    if (w->sizes.norm != SA_NORM_PRE) return;
    sa_explainer_write(out, "a_j = LayerNorm(x_j)");
    sa_explainer_cite(out, "Xiong et al. 2020");
    sa_explainer_matrix(out, "a", "a_j", view->cache->self.residual.in, SA_ROWS_SOURCE);
}

/* ---- Self-attention -------------------------------------------------------------------------- */

/* "a" where the layer's input is normalized first, else "x". */
static const char *letter_of(const layer_view *view) {
    return view->w->self.residual.norm == SA_NORM_PRE ? "a" : "x";
}

/* What positions add in head k: to the scores, or to keys and values. */
static void explain_positions(const layer_view *view, int k) {
    const sa_attention *w = &view->w->self.attention;
    const sa_position_kind *kind = w->positions.kind;
    const sa_mat added[] = {w->positions.a_K, w->positions.a_V};
    static const char *const names[] = {"a_K", "a_V"}, *const labels[] = {"a^K_c", "a^V_c"};
    sa_explainer *out = view->out;
    const int S = view->x.rows;
    if (kind->bias) {
        const sa_mat b = sa_explainer_alloc(out, 1, S);
        sa_zero(b);
        sa_positions_bias(&w->positions, k, view->i, b);
        sa_explainer_write(out, "b_ij = what is added to e_ij: %s", kind->formula);
        sa_explainer_cite(out, kind->citation);
        sa_explainer_column(out, "b", "b_ij", b, SA_ROWS_SOURCE, -1);
    }
    for (int part = 0; kind->vector && part < 2; part++) {
        const sa_mat vectors = sa_explainer_alloc(out, S, added[part].cols);
        for (int j = 0; j < S; j++)
            sa_copy_mat(sa_rows(added[part], kind->vector(&w->positions, j - view->i), 1),
                        sa_rows(vectors, j, 1));
        if (!part) {
            sa_explainer_write(out, "a^K_c, a^V_c: c = j - i from -%d to %d, or the nearer end",
                               w->positions.farthest, w->positions.farthest);
            sa_explainer_cite(out, "Shaw et al. 2018, section 3.2");
        }
        sa_explainer_matrix(out, names[part], labels[part], vectors, SA_ROWS_SOURCE);
    }
}

/* The formula of the score's row, in this layer's letters and under the names of its tensors.
 * Positions that rotate do so to queries and keys, of which either may be the vector itself. */
static void write_formula(const layer_view *view) {
    const sa_score *score = view->w->self.attention.score;
    const bool turns = view->w->self.attention.positions.kind->rotation,
               raw = turns && score->query == SA_QUERY_IDENTITY;
    const char *keys = turns ? "R_j W_k" : "W_k", *queries = turns ? "R_i W_q" : "W_q";
    char query[SA_STATE_NAME], key[SA_STATE_NAME];
    snprintf(query, sizeof query, raw ? "(R_i %s_i)" : "%s_i", letter_of(view));
    snprintf(key, sizeof key, "%s_j", letter_of(view));
    const sa_explainer_symbol symbols[] = {
        {"s", query}, {"W_a", score->key == SA_KEY_STATE_SIZED ? keys : queries},
        {"h_j", key}, {"U_a", keys},
        {"e", "e_i"}, {"e_j", "e_ij"},
        {0}};
    sa_explainer_substitute(view->out, score->formula, symbols);
}

/* Of map m, from 0, if the head has two. */
static head_scores explain_score(const layer_view *view, int k, int m, sa_mat q) {
    const sa_attention *w = &view->w->self.attention;
    const sa_attention_sublayer_cache *cache = &view->cache->self;
    const sa_stack_cache *encoder = &view->out->model->pass.transformer.encoder;
    const sa_score *score = w->score;
    const sa_position_kind *positions = w->positions.kind;
    head_scores of = {.e = sa_explainer_alloc(view->out, 1, view->x.rows)};
    sa_explainer *out = view->out;
    of.span = sa_attention_scores(w, &cache->memory, 0, view->i + 1, false, cache->rows, view->i, k,
                                  m, of.e, encoder->scratch);
    if (score->maps)
        sa_explainer_write(out, "e%d_ij = q%d_i' %s%d%s / sqrt(%d), from half %d of the numbers",
                           m + 1, m + 1, positions->vector ? "(k" : "k", m + 1,
                           positions->vector ? "_j + a^K_c)" : "_j", q.cols / score->maps, m + 1);
    else if (strcmp(score->name, "scaled-dot") == 0)
        sa_explainer_write(out, "e_ij = q_i' %s / sqrt(%d)",
                           positions->vector ? "(k_j + a^K_c)" : "k_j", q.cols);
    else
        write_formula(view);
    if (!score->maps && strcmp(score->name, "scaled-dot") != 0 && positions->vector)
        sa_explainer_write(out, ", with k_j + a^K_c in the place of k_j");
    if (positions->bias) sa_explainer_write(out, " + b_ij");
    sa_explainer_cite(out, score->citation);
    static const char *const names[] = {"e", "e_2"}, *const labels[] = {"e1_ij", "e2_ij"};
    sa_explainer_column(out, names[m], score->maps ? labels[m] : "e_ij", of.e, SA_ROWS_SOURCE, -1);
    if (!score->maps) of.e_0 = sa_explain_null_score(out, w, k, q);
    return of;
}

/* The two maps, lambda and the difference. */
static void explain_difference(const layer_view *view, int k, sa_mat q) {
    const sa_attention *w = &view->w->self.attention;
    const sa_mat maps = sa_head_part(own(view, view->cache->self.rows.maps), w->heads, k);
    static const char *const names[] = {"A_1", "A_2"}, *const labels[] = {"A1_ij", "A2_ij"};
    const int S = view->x.rows;
    const bool gauss = w->window == SA_WINDOW_LOCAL_P;
    const double lambda = sa_lambda_forward(&w->differential);
    sa_explainer *out = view->out;
    sa_mat A[2], difference = sa_explainer_alloc(out, 1, S);
    head_scores of = {0};
    for (int m = 0; m < w->score->maps; m++) {
        of = explain_score(view, k, m, q);
        A[m] = sa_cols(sa_head_part(maps, w->score->maps, m), 0, S);
        sa_explainer_write(out, "A%d_ij = %s_j(e%d_ij)", m + 1, w->normalizer->name, m + 1);
        sa_explain_span(out, w, S);
        sa_explainer_cite(out, w->normalizer->citation);
        sa_explainer_column(out, names[m], labels[m], A[m], SA_ROWS_SOURCE, -1);
    }
    sa_explainer_write(out, "lambda = exp(lambda_q1' lambda_k1) - exp(lambda_q2' lambda_k2) + %.4g",
                       (double)w->differential.init);
    sa_explainer_cite(out, "Ye et al. 2024, equation 2");
    sa_explainer_number(out, "lambda", "lambda", lambda);
    sa_explainer_write(out, "%s = A1_ij - lambda A2_ij", gauss ? "A_ij" : "alpha_ij");
    sa_explainer_cite(out, "Ye et al. 2024, equation 1");
    if (!gauss) return;
    for (int j = 0; j < S; j++) difference.x[j] = A[0].x[j] - lambda * A[1].x[j];
    sa_explainer_column(out, "A", "A_ij", difference, SA_ROWS_SOURCE, -1);
    sa_explain_gauss(out, w, view->center, of.span, S, "A_ij");
}

/* One map of weights, as the normalizer makes them, and the Gaussian around a predicted center. */
static void explain_map(const layer_view *view, int k, sa_mat q) {
    const sa_attention *w = &view->w->self.attention;
    const sa_normalizer *normalizer = w->normalizer;
    const head_scores of = explain_score(view, k, 0, q);
    char weight[SA_WEIGHT_NAME];
    const sa_explainer_symbol symbols[] = {{"alpha_j", sa_explain_weight(weight, w)},
                                           {"e_j", "e_ij"},
                                           {"e_k", "e_ik"},
                                           {"e_0", "e_i0"},
                                           {0}};
    sa_explainer *out = view->out;
    sa_explainer_substitute(out, normalizer->formula, symbols);
    sa_explain_span(out, w, view->x.rows);
    sa_explainer_cite(out, strcmp(normalizer->name, "softmax") == 0
                               ? "Vaswani et al. 2017, equation 1"
                               : normalizer->citation);
    if (w->window != SA_WINDOW_LOCAL_P) return;
    sa_explainer_column(out, normalizer->name, normalizer->name,
                        sa_explain_normalized(out, w, k, of.e, of.e_0, of.span), SA_ROWS_SOURCE,
                        -1);
    sa_explain_gauss(out, w, view->center, of.span, view->x.rows, weight);
}

/* By the projections that the score's row has: of general and raw-dot the query is the vector
 * itself, and some scores read no keys. */
static sa_mat explain_projections(const layer_view *view, int k) {
    const sa_attention *w = &view->w->self.attention;
    const sa_attention_sublayer_cache *cache = &view->cache->self;
    const bool turns = w->positions.kind->rotation, whole = w->score->query == SA_QUERY_IDENTITY;
    const char *letter = letter_of(view);
    sa_explainer *out = view->out;
    const sa_mat keys = sa_kv_head_part(w, cache->memory.keys, k),
                 values = sa_kv_head_part(w, cache->memory.values, k),
                 q = own(view, whole ? cache->rows.q : sa_head_part(cache->rows.q, w->heads, k));
    sa_explainer_write(out, "q_i = %s%s%s_i, ", turns ? "R_i " : "", whole ? "" : "W_q ", letter);
    if (keys.cols)
        sa_explainer_write(out, "k_j = %s%s%s_j, ", turns ? "R_j " : "",
                           w->score->key == SA_KEY_IDENTITY ? "" : "W_k ", letter);
    sa_explainer_write(out, "v_j = W_v %s_j", letter);
    sa_explainer_cite(out, heads_place);
    sa_explainer_vector(out, "q", "q_i", q);
    if (keys.cols) sa_explainer_matrix(out, "k", "k_j", keys, SA_ROWS_SOURCE);
    sa_explainer_matrix(out, "v", "v_j", values, SA_ROWS_SOURCE);
    return q;
}

static void explain_head(const layer_view *view, int k) {
    const sa_attention *w = &view->w->self.attention;
    const sa_attention_sublayer_cache *cache = &view->cache->self;
    sa_explainer *out = view->out;
    const int H = w->heads, S = view->x.rows;
    out->line.head = H > 1 ? k + 1 : 0;
    const sa_mat q = explain_projections(view, k);
    explain_positions(view, k);
    if (w->score->maps)
        explain_difference(view, k, q);
    else
        explain_map(view, k, q);
    sa_explainer_column(out, "alpha", "alpha_ij",
                        sa_attention_head(cache->rows.alpha, view->i, H, k, S), SA_ROWS_SOURCE, -1);
    if (w->score->maps)
        sa_explainer_write(out,
                           "with x_i = sum_j alpha_ij v_j: o_i = (1 - %.4g) head_norm . x_i / "
                           "sqrt(mean(x_i^2) + 1e-5)",
                           (double)w->differential.init);
    else
        sa_explainer_write(out, w->positions.kind->vector ? "o_i = sum_j alpha_ij (v_j + a^V_c)"
                                                          : "o_i = sum_j alpha_ij v_j");
    sa_explainer_cite(out, w->score->maps ? "Ye et al. 2024, equation 3" : heads_place);
    sa_explainer_vector(out, "o", "o_i", own(view, sa_head_part(cache->rows.head_outputs, H, k)));
    out->line.head = 0;
}

static void explain_attention(layer_view *view) {
    const sa_attention *w = &view->w->self.attention;
    const sa_attention_sublayer_cache *cache = &view->cache->self;
    sa_explainer *out = view->out;
    sa_explainer_section(out, "Self-attention");
    if (w->window != SA_WINDOW_NONE) {
        char state[SA_STATE_NAME];
        snprintf(state, sizeof state, "%s_i", letter_of(view));
        view->center =
            sa_explain_center(out, w, view->i + 1, sa_attention_rows_slice(cache->rows, view->i, 1),
                              view->x.rows, state);
    }
    for (int k = 0; k < w->heads; k++) explain_head(view, k);
    const sa_mat c = sa_explainer_linear(out, w->W_c, no_bias, own(view, cache->rows.head_outputs));
    sa_explainer_write(
        out, w->heads > 1 ? "c_i = W_o [o_i of head 1 ; .. ; o_i of head %d]" : "c_i = W_o o_i",
        w->heads);
    sa_explainer_cite(out, heads_place);
    sa_explainer_vector(out, "c", "c_i", c);
    sa_explainer_write(out, view->w->self.residual.norm == SA_NORM_PRE
                                ? "y_i = x_i + c_i"
                                : "y_i = LayerNorm(x_i + c_i)");
    sa_explainer_cite(out, layer_place);
    sa_explainer_vector(out, "y", "y_i", own(view, cache->residual.y));
}

/* ---- The feed-forward network ---------------------------------------------------------------- */

static void explain_network(const layer_view *view) {
    const sa_feedforward *w = &view->w->feed.network;
    const sa_feedforward_sublayer_cache *cache = &view->cache->feed;
    const bool pre = view->w->feed.residual.norm == SA_NORM_PRE;
    sa_explainer *out = view->out;
    sa_explainer_section(out, "Feed-forward network");
    if (pre) {
        sa_explainer_write(out, "b_i = LayerNorm(y_i)");
        sa_explainer_cite(out, "Xiong et al. 2020");
        sa_explainer_vector(out, "b", "b_i", own(view, cache->residual.in));
    }
    sa_explainer_write(out, "f_i = W_2 max(0, W_1 %s_i + b_1) + b_2", pre ? "b" : "y");
    sa_explainer_cite(out, "Vaswani et al. 2017, equation 2");
    sa_explainer_vector(out, "max", "max(0, ..)", own(view, cache->inner));
    sa_explainer_vector(out, "f", "f_i",
                        sa_explainer_linear(out, w->W_2, w->b_2, own(view, cache->inner)));
    sa_explainer_write(out, pre ? "z_i = y_i + f_i" : "z_i = LayerNorm(y_i + f_i)");
    sa_explainer_cite(out, layer_place);
    sa_explainer_vector(out, "z", "z_i", own(view, cache->residual.y));
}

void sa_explain_layer(sa_explainer *out, int layer, int word) {
    const sa_stack_cache *encoder = &out->model->pass.transformer.encoder;
    layer_view view = {
        .out = out,
        .w = &out->model->w.transformer.encoder.layer[layer],
        .cache = &encoder->layer[layer],
        .x = layer ? encoder->layer[layer - 1].feed.residual.y : encoder->x,
        .i = word,
    };
    out->line.part = SA_EXPLAIN_SOURCE;
    explain_input(&view, layer);
    explain_attention(&view);
    explain_network(&view);
}
