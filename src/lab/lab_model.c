#include "lab/lab_model.h"
#include "base/memory.h"
#include "layers/basic.h"
#include "tensor/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void layout(sa_lab_model *model, sa_arena *arena, const sa_lab_pairs *pairs) {
    model->batch = sa_batch_build(arena, pairs->source, pairs->target, pairs->count);
    model->batch.gold = model->regularizer.alignment_weight > 0 ? pairs->gold : NULL;
    sa_pass_layout(arena, &model->w, &model->batch, true, &model->pass);
    const int S = model->batch.source.steps, T = model->batch.target.steps;
    model->watched = sa_mat_alloc(arena, 1, S + T); /* never more than the words of both */
}

bool sa_lab_model_open(sa_lab_model *model, const sa_settings *settings, const sa_lab_pairs *pairs,
                       sa_error *error) {
    sa_blas_init();
    *model = (sa_lab_model){
        .sizes = sa_sizes_of(settings, pairs->source_words, pairs->target_words),
        .regularizer = sa_regularizer_of(settings, NULL),
        .rng = sa_rng_seed((uint64_t)settings->seed, 1),
    };
    model->plan = sa_new(1, sizeof *model->plan, error);
    if (!model->plan) return false;
    sa_seq2seq_plan(&model->sizes, model->plan);
    model->values = sa_new(model->plan->size, sizeof *model->values, error);
    model->gradients =
        model->values ? sa_new(model->plan->size, sizeof *model->gradients, error) : NULL;
    if (!model->gradients) return false;
    sa_seq2seq_bind_buffer(&model->sizes, model->values, &model->w);
    sa_seq2seq_bind_buffer(&model->sizes, model->gradients, &model->dw);

    layout(model, &model->arena, pairs); /* the dry run */
    if (!sa_arena_init(&model->arena, model->arena.used, error)) return false;
    layout(model, &model->arena, pairs);
    return sa_blas_check_memory(1, error);
}

void sa_lab_model_close(sa_lab_model *model) {
    sa_arena_release(&model->arena);
    free(model->plan);
    free(model->values);
    free(model->gradients);
}

void sa_lab_model_load(sa_lab_model *model, const float *values) {
    for (size_t i = 0; i < model->plan->size; i++) model->values[i] = (sa_real)values[i];
}

/* Sets the range from which the absolute values of a tensor are drawn. Large biases of either sign
 * and small weights keep rectified units away from their kink; small W_v and W_o keep a
 * Transformer's words different after several layers, so that queries matter. Dropout scales up the
 * words that it keeps, which would saturate the gates, so their embeddings are smaller. */
static void bounds_of(const sa_param *param, const sa_dropout *dropout, double *least,
                      double *most) {
    const char *own = strrchr(param->name, '.');
    const bool rectified = strstr(param->name, ".feedforward.") != NULL;
    const bool sublayer = strstr(param->name, ".self.") || strstr(param->name, ".cross.");
    *least = 0;
    *most = param->rows ? 2.5 / sqrt(param->cols) : 0.5;
    if (strcmp(own, ".E") == 0) *most = 1.5 * (1 - dropout->words) * (1 - dropout->all);
    if (strcmp(own, ".g") == 0) *least = 0.7, *most = 1.3;
    if (sublayer && (strcmp(own, ".W_v") == 0 || strcmp(own, ".W_o") == 0)) *most /= 2;
    if (rectified && strcmp(own, ".W_1") == 0) *most = 0.8 / sqrt(param->cols);
    if (rectified && strcmp(own, ".b_1") == 0) *least = 0.7, *most = 2;
}

void sa_lab_model_draw(sa_lab_model *model, uint64_t seed) {
    for (int i = 0; i < model->plan->count; i++) {
        const sa_param *param = &model->plan->item[i];
        sa_mat w = sa_param_mat(param, model->values);
        sa_rng rng = sa_rng_seed(seed, (uint64_t)i);
        double least, most;
        bounds_of(param, &model->regularizer.dropout, &least, &most);
        for (int r = 0; r < w.rows; r++)
            for (int c = 0; c < w.cols; c++) {
                const double x = 2 * sa_rng_uniform(&rng) - 1;
                sa_row(w, r)[c] = (x < 0 ? -least : least) + x * (most - least);
            }
    }
}

double sa_lab_model_loss(sa_lab_model *model, bool backward) {
    sa_rng rng = model->rng; /* a copy */
    sa_regularizer regularizer = model->regularizer;
    regularizer.rng = &rng;
    sa_seq2seq_loss(&model->w, &model->batch, regularizer, &model->pass,
                    backward ? &model->dw : NULL);
    double loss = 0;
    for (int i = 0; i < model->batch.target.words; i++) loss += sa_lab_model_term(model, i);
    return loss;
}

double sa_lab_model_term(const sa_lab_model *model, int i) {
    return -model->pass.objective[i] / model->batch.whole;
}

/* ---- A pass ---------------------------------------------------------------------------------- */

static void layout_pass(sa_lab_pass *pass, sa_arena *arena, const sa_sentence *source,
                        const sa_sentence *target, int count) {
    pass->batch = sa_batch_build(arena, source, target, count);
    sa_pass_layout(arena, pass->w, &pass->batch, true, &pass->cache);
}

bool sa_lab_pass_open(sa_lab_pass *pass, const sa_seq2seq *w, const sa_sentence *source,
                      const sa_sentence *target, int count, sa_error *error) {
    *pass = (sa_lab_pass){.w = w};
    layout_pass(pass, &pass->arena, source, target, count); /* the dry run */
    if (!sa_arena_init(&pass->arena, pass->arena.used, error)) return false;
    layout_pass(pass, &pass->arena, source, target, count);
    sa_seq2seq_loss(w, &pass->batch, (sa_regularizer){0}, &pass->cache, NULL);
    return true;
}

void sa_lab_pass_close(sa_lab_pass *pass) {
    sa_arena_release(&pass->arena);
}

/* ---- Gradients ------------------------------------------------------------------------------- */

void sa_lab_pass_gradient(sa_lab_pass *pass, double scale, sa_seq2seq *dw) {
    const sa_seq2seq *w = pass->w;
    const sa_output_gradients d = sa_pass_gradients(w, &pass->cache);
    sa_pass_losses(w, &pass->batch, (sa_regularizer){0}, (sa_real)scale, &pass->cache, &d, dw);
    sa_pass_backward(w, &pass->batch, (sa_dropout){0}, &pass->cache, &d, dw);
}

/* Returns the pair's place among the targets of the batch. */
static int batch_index(sa_lab_view view) {
    return sa_batch_index(&view.pass->batch.target, view.pair);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

double sa_lab_nan_max(double a, double b) {
    return isnan(a) || b <= a ? a : b;
}

double sa_lab_largest(sa_mat x) {
    double most = 0;
    for (int i = 0; i < x.rows; i++)
        for (int k = 0; k < x.cols; k++) most = sa_lab_nan_max(most, fabs(sa_row(x, i)[k]));
    return most;
}

static double relative_difference(double x, double y) {
    return fabs(x - y) / fmax(1, fabs(y));
}

double sa_lab_max_difference(const double *x, const double *y, int size) {
    double most = 0;
    for (int i = 0; i < size; i++) most = sa_lab_nan_max(most, relative_difference(x[i], y[i]));
    return most;
}

int sa_lab_target_row(sa_lab_view view, int t) {
    return view.pass->batch.target.start[t] + batch_index(view);
}

sa_mat sa_lab_readout_row(sa_lab_view view, int t) {
    const sa_lab_pass *pass = view.pass;
    const int row = sa_seq2seq_target_row(pass->w, &pass->batch, batch_index(view), t);
    return sa_rows(sa_pass_readout(pass->w, &pass->cache)->t, row, 1);
}

sa_mat sa_lab_weights(sa_lab_view view, sa_attention_site site, int layer, int k, int t) {
    const sa_lab_pass *pass = view.pass;
    return sa_pass_weights(pass->w, &pass->cache, &pass->batch, site, layer, k, batch_index(view),
                           t);
}

double sa_lab_site_difference(sa_lab_view one, sa_lab_view other, sa_attention_site site, int rows,
                              const int *row, const int *column) {
    const sa_seq2seq *w = one.pass->w;
    double most = 0;
    for (int layer = 0; layer < sa_seq2seq_layers(w, site); layer++)
        for (int k = 0; k < sa_seq2seq_heads(w); k++)
            for (int t = 0; t < rows; t++) {
                const sa_mat a = sa_lab_weights(one, site, layer, k, t),
                             b = sa_lab_weights(other, site, layer, k, row ? row[t] : t);
                for (int j = 0; j < a.cols; j++)
                    most = sa_lab_nan_max(most,
                                          relative_difference(a.x[j], b.x[column ? column[j] : j]));
            }
    return most;
}

double sa_lab_weight_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column) {
    const double cross = sa_lab_site_difference(one, other, SA_SITE_CROSS, steps, NULL, column);
    const double target = sa_lab_site_difference(one, other, SA_SITE_DECODER, steps, NULL, NULL);
    const sa_batch *batch = &one.pass->batch;
    const int S = batch->source.len[sa_batch_source_index(batch, batch_index(one))];
    const double source = sa_lab_site_difference(one, other, SA_SITE_ENCODER, S, column, column);
    return sa_lab_nan_max(sa_lab_nan_max(cross, target), source);
}

double sa_lab_log_p_difference(sa_lab_view one, sa_lab_view other, int steps) {
    const double *a = one.pass->cache.log_p, *b = other.pass->cache.log_p;
    double most = 0;
    for (int t = 0; t < steps; t++)
        most = sa_lab_nan_max(most, relative_difference(a[sa_lab_target_row(one, t)],
                                                        b[sa_lab_target_row(other, t)]));
    return most;
}

double sa_lab_view_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column) {
    return sa_lab_nan_max(sa_lab_weight_difference(one, other, steps, column),
                          sa_lab_log_p_difference(one, other, steps));
}
