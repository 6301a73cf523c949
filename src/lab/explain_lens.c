/* explain_lens: what a Transformer's decoder would write if it ended after a sublayer, whose vector
 * x goes to the readout at once (the logit lens, nostalgebraist 2020). */
#include "lab/explainer.h"
#include "tensor/vec.h"

#include <stdio.h>

/* Returns log softmax(W_o LayerNorm(x) + b_y) [1 x Ky]; the norm is that with which the stack ends,
 * if it has one.    x [1 x m] */
static sa_mat read_out(sa_explainer *out, sa_mat x) {
    const sa_transformer *w = &out->model->w.transformer;
    const sa_layernorm *last = &w->decoder.last;
    const sa_mat log_p = sa_mat_alloc(&out->arena, 1, w->vocabulary.W_o.mat.rows);
    const sa_mat p = sa_mat_alloc(&out->arena, 1, log_p.cols);
    const sa_mat normal = sa_mat_alloc(&out->arena, 1, x.cols);
    const sa_layernorm_cache cache = sa_layernorm_layout(&out->arena, 1, x.cols);
    if (last->g.cols) sa_layernorm_forward(last, x, &cache, normal);
    sa_linear_forward(w->vocabulary.W_o, w->vocabulary.b_y, last->g.cols ? normal : x, log_p);
    sa_copy_mat(log_p, p);
    const sa_real sum = sa_softmax_row(p.x, p.cols);
    for (int k = 0; k < p.cols; k++) log_p.x[k] -= sum;
    return log_p;
}

/* Shows p after a sublayer, and KL(p_end || p), what the sublayers above change. */
static void show_words(sa_explainer *out, const char *sublayer, sa_mat x, sa_mat end) {
    const size_t used = out->arena.used;
    const sa_mat p = read_out(out, x);
    char name[SA_NAME];
    double divergence = 0;
    for (int k = 0; k < p.cols; k++) {
        divergence += exp(end.x[k]) * (end.x[k] - p.x[k]);
        p.x[k] = exp(p.x[k]);
    }
    out->line.about = SA_ROWS_VOCABULARY;
    out->line.chosen = out->job->pair.target->ids[out->i - 1];
    snprintf(name, sizeof name, "p %s", sublayer);
    sa_explainer_value(out, SA_SHAPE_COLUMN, name, sublayer, p);
    snprintf(name, sizeof name, "KL %s", sublayer);
    sa_explainer_number(out, name, "KL(p_end || p)", divergence);
    out->arena.used = used;
}

void sa_explain_lens(sa_explainer *out) {
    const sa_transformer *w = &out->model->w.transformer;
    const sa_transformer_cache *pass = &out->model->pass.transformer;
    const int row = out->i - 1 + (w->sizes.decoder_only ? pass->prefix[0] - 1 : 0);
    const sa_layer_cache *layer = pass->decoder.layer, *end = layer + w->sizes.layers;
    char name[SA_NAME / 2];
    out->arena.used = 0;
    const sa_mat last = read_out(out, sa_rows(end[-1].feed.residual.y, row, 1));
    show_words(out, "words", sa_rows(pass->decoder.x, row, 1), last);
    for (int l = 1; layer < end; layer++, l++) {
        snprintf(name, sizeof name, "%d self", l);
        show_words(out, name, sa_rows(layer->self.residual.y, row, 1), last);
        snprintf(name, sizeof name, "%d cross", l);
        if (w->decoder.cross) show_words(out, name, sa_rows(layer->cross.residual.y, row, 1), last);
        snprintf(name, sizeof name, "%d feed", l);
        show_words(out, name, sa_rows(layer->feed.residual.y, row, 1), last);
    }
}
