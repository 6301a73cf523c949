/* explain_layer: one word in a layer of a Transformer's encoder: self-attention, the residual
 * connections, the feed-forward network. */
#include "lab/explainer.h"
#include "layers/basic.h"

#include <stdio.h>

static const char layer_place[] = "Vaswani et al. 2017, section 3.1";

/* What a sub-layer makes of its input x: "x + f" or "LayerNorm(x + f)". */
static void explain_sum(sa_explainer *out, bool pre, const char *name, const char *x, const char *f,
                        sa_mat y) {
    char letters[SA_NAME];
    snprintf(letters, sizeof letters, "%s_i", name);
    sa_explainer_write(out, layer_place, pre ? "%s = %s_i + %s_i" : "%s = LayerNorm(%s_i + %s_i)",
                       letters, x, f);
    sa_explainer_vector(out, name, letters, y);
}

static void explain_words(sa_explainer *out, int layer, sa_mat x, sa_mat normal, bool pre) {
    const sa_transformer *w = &out->model->w.transformer;
    sa_explainer_section(out, "The words");
    if (layer)
        sa_explainer_write(out, layer_place, "x_j: what layer %d left", layer);
    else
        sa_explainer_write(out, "Vaswani et al. 2017, sections 3.4 and 3.5",
                           "x_j = sqrt(%d) E w_j%s", w->sizes.m,
                           w->encoder.positions.kind->encoding ? " + PE(j)" : "");
    sa_explainer_matrix(out, "x", "x_j", x);
    if (!pre) return;
    sa_explainer_write(out, "Xiong et al. 2020", "a_j = LayerNorm(x_j)");
    sa_explainer_matrix(out, "a", "a_j", normal);
}

static void explain_network(sa_explainer *out, const sa_feedforward *w, bool pre, sa_mat normal,
                            sa_mat inner) {
    sa_explainer_section(out, "Feed-forward network");
    if (pre) {
        sa_explainer_write(out, "Xiong et al. 2020", "b_i = LayerNorm(y_i)");
        sa_explainer_vector(out, "b", "b_i", normal);
    }
    sa_explainer_write(out, "Vaswani et al. 2017, equation 2",
                       "f_i = W_2 max(0, W_1 %s_i + b_1) + b_2", pre ? "b" : "y");
    sa_explainer_vector(out, "max", "max(0, ..)", inner);
    sa_explainer_vector(out, "f", "f_i", sa_explainer_linear(out, w->W_2, w->b_2, inner));
}

void sa_explain_layer(sa_explainer *out, int layer, int word) {
    const sa_transformer_layer *w = &out->model->w.transformer.encoder.layer[layer];
    const sa_stack_cache *encoder = &out->model->pass.transformer.encoder;
    const sa_layer_cache *cache = &encoder->layer[layer];
    const sa_attention_rows *rows = &cache->self.rows;
    const bool pre = w->self.residual.norm == SA_NORM_PRE;
    const sa_mat x = layer ? encoder->layer[layer - 1].feed.residual.y : encoder->x;
    out->line.part = SA_EXPLAIN_SOURCE;
    explain_words(out, layer, x, cache->self.residual.in, pre);
    sa_explainer_section(out, "Self-attention");
    const sa_mat o = sa_rows(rows->head_outputs, word, 1);
    sa_explain_attention(out,
                         &(sa_attention_view){
                             .w = &w->self.attention,
                             .memory = &cache->self.memory,
                             .rows = *rows,
                             .scratch = &encoder->scratch,
                             .row = word,
                             .i = word + 1,
                             .state = pre ? "a_i" : "x_i",
                             .word = pre ? "a_j" : "x_j",
                             .layer = true,
                             .c = sa_explainer_linear(out, w->self.attention.W_c, (sa_mat){0}, o),
                         });
    explain_sum(out, pre, "y", "x", "c", sa_rows(cache->self.residual.y, word, 1));
    explain_network(out, &w->feed.network, pre, sa_rows(cache->feed.residual.in, word, 1),
                    sa_rows(cache->feed.inner, word, 1));
    explain_sum(out, pre, "z", "y", "f", sa_rows(cache->feed.residual.y, word, 1));
}
