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
typedef struct telling {
    sa_page *page;
    const sa_transformer_layer *w;
    const sa_layer_cache *seen;
    sa_mat x; /* [S x m] what enters */
    int i;    /* the word, from 0 */
} telling;

static sa_mat own(const telling *all, sa_mat rows) {
    return sa_rows(rows, all->i, 1);
}

/* The columns that belong to head k (from 0) when all heads' lie side by side. */
static sa_mat part(sa_mat rows, int heads, int k) {
    const int width = rows.cols / heads;
    return sa_cols(rows, k * width, width);
}

/* ---- What enters ----------------------------------------------------------------------------- */

static void explain_input(const telling *all, int layer) {
    sa_page *page = all->page;
    const sa_transformer *w = &page->run->w.transformer;
    sa_page_section(page, "The words");
    if (layer) {
        sa_page_write(page, "x_j: what layer %d left", layer);
        sa_page_cite(page, layer_place);
    } else {
        sa_page_write(page, "x_j = sqrt(%d) E w_j%s", w->sizes.m,
                      w->sizes.positions ? " + PE(j)" : "");
        sa_page_cite(page, "Vaswani et al. 2017, sections 3.4 and 3.5");
    }
    sa_page_matrix(page, "x", "x_j", all->x, SA_ABOUT_SOURCE);
    if (w->sizes.norm != SA_NORM_PRE) return;
    sa_page_write(page, "a_j = LayerNorm(x_j)");
    sa_page_cite(page, "Xiong et al. 2020");
    sa_page_matrix(page, "a", "a_j", all->seen->self.around.in, SA_ABOUT_SOURCE);
}

/* ---- Self-attention -------------------------------------------------------------------------- */

/* "a" where the layer's input is normalised first, else "x". */
static const char *letter_of(const telling *all) {
    return all->w->self.around.norm == SA_NORM_PRE ? "a" : "x";
}

static void explain_score(const telling *all, sa_mat v_a, sa_mat q, sa_mat keys, sa_mat e) {
    const sa_compat *compat = all->w->self.attention.compat;
    const sa_page_letter letters[] = {{"s", "x_i"}, {"h_j", "x_j"}, {"e_j", "e_ij"}, {0}};
    sa_page *page = all->page;
    compat->forward(v_a, q, keys, e, sa_page_take(page, keys.rows, keys.cols));
    if (strcmp(compat->name, "scaled-dot") == 0)
        sa_page_write(page, "e_ij = q_i' k_j / sqrt(%d)", q.cols);
    else
        sa_page_fill(page, compat->formula, letters);
    sa_page_cite(page, compat->citation);
    sa_page_column(page, "e", "e_ij", e, SA_ABOUT_SOURCE, -1);
}

static void explain_head(const telling *all, int k) {
    const sa_attention *w = &all->w->self.attention;
    const sa_attend_cache *seen = &all->seen->self;
    const char *letter = letter_of(all);
    sa_page *page = all->page;
    const int H = w->heads, S = all->x.rows;
    const sa_mat keys = part(seen->memory.keys, H, k), values = part(seen->memory.values, H, k);
    const sa_mat q =
        own(all, w->compat->query == SA_QUERY_STATE ? seen->rows.q : part(seen->rows.q, H, k));
    page->line.head = H > 1 ? k + 1 : 0;
    sa_page_write(page, "q_i = W_q %s_i, k_j = W_k %s_j, v_j = W_v %s_j", letter, letter, letter);
    sa_page_cite(page, heads_place);
    sa_page_vector(page, "q", "q_i", q);
    if (keys.cols) sa_page_matrix(page, "k", "k_j", keys, SA_ABOUT_SOURCE);
    sa_page_matrix(page, "v", "v_j", values, SA_ABOUT_SOURCE);
    explain_score(all, part(w->v_a, H, k), q, keys, sa_page_take(page, 1, S));
    sa_page_write(page, "alpha_ij = exp(e_ij) / sum_k exp(e_ik)%s",
                  w->window != SA_WINDOW_NONE ? ", within the window" : "");
    sa_page_cite(page, "Vaswani et al. 2017, equation 1");
    sa_page_column(page, "alpha", "alpha_ij", sa_attention_head(seen->rows.alpha, all->i, H, k, S),
                   SA_ABOUT_SOURCE, -1);
    sa_page_write(page, "o_i = sum_j alpha_ij v_j");
    sa_page_cite(page, heads_place);
    sa_page_vector(page, "o", "o_i", own(all, part(seen->rows.joined, H, k)));
    page->line.head = 0;
}

static void explain_attention(const telling *all) {
    const sa_attention *w = &all->w->self.attention;
    const sa_attend_cache *seen = &all->seen->self;
    sa_page *page = all->page;
    sa_page_section(page, "Self-attention");
    for (int k = 0; k < w->heads; k++) explain_head(all, k);
    const sa_mat c = sa_page_linear(page, w->W_c, no_bias, own(all, seen->rows.joined));
    sa_page_write(
        page, w->heads > 1 ? "c_i = W_o [o_i of head 1 ; .. ; o_i of head %d]" : "c_i = W_o o_i",
        w->heads);
    sa_page_cite(page, heads_place);
    sa_page_vector(page, "c", "c_i", c);
    sa_page_write(page, all->w->self.around.norm == SA_NORM_PRE ? "y_i = x_i + c_i"
                                                                : "y_i = LayerNorm(x_i + c_i)");
    sa_page_cite(page, layer_place);
    sa_page_vector(page, "y", "y_i", own(all, seen->around.y));
}

/* ---- The feed-forward network ---------------------------------------------------------------- */

static void explain_network(const telling *all) {
    const sa_feedforward *w = &all->w->feed.network;
    const sa_feed_cache *seen = &all->seen->feed;
    const bool pre = all->w->feed.around.norm == SA_NORM_PRE;
    sa_page *page = all->page;
    sa_page_section(page, "Feed-forward network");
    if (pre) {
        sa_page_write(page, "b_i = LayerNorm(y_i)");
        sa_page_cite(page, "Xiong et al. 2020");
        sa_page_vector(page, "b", "b_i", own(all, seen->around.in));
    }
    sa_page_write(page, "f_i = W_2 max(0, W_1 %s_i + b_1) + b_2", pre ? "b" : "y");
    sa_page_cite(page, "Vaswani et al. 2017, equation 2");
    sa_page_vector(page, "max", "max(0, ..)", own(all, seen->inner));
    sa_page_vector(page, "f", "f_i", sa_page_linear(page, w->W_2, w->b_2, own(all, seen->inner)));
    sa_page_write(page, pre ? "z_i = y_i + f_i" : "z_i = LayerNorm(y_i + f_i)");
    sa_page_cite(page, layer_place);
    sa_page_vector(page, "z", "z_i", own(all, seen->around.y));
}

void sa_explain_layer(sa_page *page, int layer, int word) {
    const sa_stack_cache *encoder = &page->run->pass.transformer.encoder;
    const telling all = {
        .page = page,
        .w = &page->run->w.transformer.encoder.layer[layer],
        .seen = &encoder->layer[layer],
        .x = layer ? encoder->layer[layer - 1].feed.around.y : encoder->x,
        .i = word,
    };
    page->line.part = SA_EXPLAINED_SOURCE;
    explain_input(&all, layer);
    explain_attention(&all);
    explain_network(&all);
}
