/* explain_layer: one word's way through a layer of a Transformer's encoder: self-attention head by
 * head, the connection past it, the feed-forward network. */
#include "lab/explain.h"
#include "layers/linear.h"
#include "tensor/vec.h"

#include <stdio.h>
#include <string.h>

static const char heads_place[] = "Vaswani et al. 2017, section 3.2.2";
static const char layer_place[] = "Vaswani et al. 2017, section 3.1";
static const sa_mat no_bias = {0};

/* A layer while it is told. */
typedef struct explainer {
    sa_lab_explanation *out;
    const sa_transformer_layer *w;
    const sa_layer_cache *seen;
    sa_mat x; /* [S x m] what enters */
    int i;    /* the word, from 0 */
} explainer;

static sa_mat own(const explainer *all, sa_mat rows) {
    return sa_rows(rows, all->i, 1);
}

/* The columns that belong to head k (from 0) when all heads' lie side by side. */
static sa_mat part(sa_mat rows, int heads, int k) {
    const int width = rows.cols / heads;
    return sa_cols(rows, k * width, width);
}

/* ---- What enters ----------------------------------------------------------------------------- */

static void explain_input(const explainer *all, int layer) {
    sa_lab_explanation *out = all->out;
    const sa_transformer *w = &out->run->w.transformer;
    sa_lab_explanation_section(out, "The words");
    if (layer) {
        sa_lab_explanation_write(out, "x_j: what layer %d left", layer);
        sa_lab_explanation_cite(out, layer_place);
    } else {
        sa_lab_explanation_write(out, "x_j = sqrt(%d) E w_j%s", w->sizes.m,
                                 w->sizes.positions ? " + PE(j)" : "");
        sa_lab_explanation_cite(out, "Vaswani et al. 2017, sections 3.4 and 3.5");
    }
    sa_lab_explanation_matrix(out, "x", "x_j", all->x, SA_ROWS_SOURCE);
    if (w->sizes.norm != SA_NORM_PRE) return;
    sa_lab_explanation_write(out, "a_j = LayerNorm(x_j)");
    sa_lab_explanation_cite(out, "Xiong et al. 2020");
    sa_lab_explanation_matrix(out, "a", "a_j", all->seen->self.residual.in, SA_ROWS_SOURCE);
}

/* ---- Self-attention -------------------------------------------------------------------------- */

/* "a" where the layer's input is normalised first, else "x". */
static const char *letter_of(const explainer *all) {
    return all->w->self.residual.norm == SA_NORM_PRE ? "a" : "x";
}

static void explain_score(const explainer *all, sa_mat v_a, sa_mat q, sa_mat keys, sa_mat e) {
    const sa_score *score = all->w->self.attention.score;
    const sa_lab_explanation_symbol letters[] = {
        {"s", "x_i"}, {"h_j", "x_j"}, {"e_j", "e_ij"}, {0}};
    sa_lab_explanation *out = all->out;
    score->forward(v_a, q, keys, e, sa_lab_explanation_take(out, keys.rows, keys.cols));
    if (strcmp(score->name, "scaled-dot") == 0)
        sa_lab_explanation_write(out, "e_ij = q_i' k_j / sqrt(%d)", q.cols);
    else
        sa_lab_explanation_substitute(out, score->formula, letters);
    sa_lab_explanation_cite(out, score->citation);
    sa_lab_explanation_column(out, "e", "e_ij", e, SA_ROWS_SOURCE, -1);
}

static void explain_head(const explainer *all, int k) {
    const sa_attention *w = &all->w->self.attention;
    const sa_attention_sublayer_cache *seen = &all->seen->self;
    const char *letter = letter_of(all);
    sa_lab_explanation *out = all->out;
    const int H = w->heads, S = all->x.rows;
    const sa_mat keys = part(seen->memory.keys, H, k), values = part(seen->memory.values, H, k);
    const sa_mat q =
        own(all, w->score->query == SA_QUERY_IDENTITY ? seen->rows.q : part(seen->rows.q, H, k));
    out->line.head = H > 1 ? k + 1 : 0;
    sa_lab_explanation_write(out, "q_i = W_q %s_i, k_j = W_k %s_j, v_j = W_v %s_j", letter, letter,
                             letter);
    sa_lab_explanation_cite(out, heads_place);
    sa_lab_explanation_vector(out, "q", "q_i", q);
    if (keys.cols) sa_lab_explanation_matrix(out, "k", "k_j", keys, SA_ROWS_SOURCE);
    sa_lab_explanation_matrix(out, "v", "v_j", values, SA_ROWS_SOURCE);
    explain_score(all, part(w->v_a, H, k), q, keys, sa_lab_explanation_take(out, 1, S));
    sa_lab_explanation_write(out, "alpha_ij = exp(e_ij) / sum_k exp(e_ik)%s",
                             w->window != SA_WINDOW_NONE ? ", within the window" : "");
    sa_lab_explanation_cite(out, "Vaswani et al. 2017, equation 1");
    sa_lab_explanation_column(out, "alpha", "alpha_ij",
                              sa_attention_head(seen->rows.alpha, all->i, H, k, S), SA_ROWS_SOURCE,
                              -1);
    sa_lab_explanation_write(out, "o_i = sum_j alpha_ij v_j");
    sa_lab_explanation_cite(out, heads_place);
    sa_lab_explanation_vector(out, "o", "o_i", own(all, part(seen->rows.head_outputs, H, k)));
    out->line.head = 0;
}

static void explain_attention(const explainer *all) {
    const sa_attention *w = &all->w->self.attention;
    const sa_attention_sublayer_cache *seen = &all->seen->self;
    sa_lab_explanation *out = all->out;
    sa_lab_explanation_section(out, "Self-attention");
    for (int k = 0; k < w->heads; k++) explain_head(all, k);
    const sa_mat c =
        sa_lab_explanation_linear(out, w->W_c, no_bias, own(all, seen->rows.head_outputs));
    sa_lab_explanation_write(
        out, w->heads > 1 ? "c_i = W_o [o_i of head 1 ; .. ; o_i of head %d]" : "c_i = W_o o_i",
        w->heads);
    sa_lab_explanation_cite(out, heads_place);
    sa_lab_explanation_vector(out, "c", "c_i", c);
    sa_lab_explanation_write(out, all->w->self.residual.norm == SA_NORM_PRE
                                      ? "y_i = x_i + c_i"
                                      : "y_i = LayerNorm(x_i + c_i)");
    sa_lab_explanation_cite(out, layer_place);
    sa_lab_explanation_vector(out, "y", "y_i", own(all, seen->residual.y));
}

/* ---- The feed-forward network ---------------------------------------------------------------- */

static void explain_network(const explainer *all) {
    const sa_feedforward *w = &all->w->feed.network;
    const sa_feedforward_sublayer_cache *seen = &all->seen->feed;
    const bool pre = all->w->feed.residual.norm == SA_NORM_PRE;
    sa_lab_explanation *out = all->out;
    sa_lab_explanation_section(out, "Feed-forward network");
    if (pre) {
        sa_lab_explanation_write(out, "b_i = LayerNorm(y_i)");
        sa_lab_explanation_cite(out, "Xiong et al. 2020");
        sa_lab_explanation_vector(out, "b", "b_i", own(all, seen->residual.in));
    }
    sa_lab_explanation_write(out, "f_i = W_2 max(0, W_1 %s_i + b_1) + b_2", pre ? "b" : "y");
    sa_lab_explanation_cite(out, "Vaswani et al. 2017, equation 2");
    sa_lab_explanation_vector(out, "max", "max(0, ..)", own(all, seen->inner));
    sa_lab_explanation_vector(
        out, "f", "f_i", sa_lab_explanation_linear(out, w->W_2, w->b_2, own(all, seen->inner)));
    sa_lab_explanation_write(out, pre ? "z_i = y_i + f_i" : "z_i = LayerNorm(y_i + f_i)");
    sa_lab_explanation_cite(out, layer_place);
    sa_lab_explanation_vector(out, "z", "z_i", own(all, seen->residual.y));
}

void sa_explain_layer(sa_lab_explanation *out, int layer, int word) {
    const sa_stack_cache *encoder = &out->run->pass.transformer.encoder;
    const explainer all = {
        .out = out,
        .w = &out->run->w.transformer.encoder.layer[layer],
        .seen = &encoder->layer[layer],
        .x = layer ? encoder->layer[layer - 1].feed.residual.y : encoder->x,
        .i = word,
    };
    out->line.part = SA_EXPLAIN_SOURCE;
    explain_input(&all, layer);
    explain_attention(&all);
    explain_network(&all);
}
