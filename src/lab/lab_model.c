#include "lab/lab_model.h"
#include "base/memory.h"
#include "tensor/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void layout(sa_lab_pass *pass, sa_arena *arena, const sa_lab_pairs *pairs) {
    pass->batch = sa_batch_build(arena, pairs->source, pairs->target, pairs->count);
    pass->batch.gold = pairs->gold;
    sa_pass_layout(arena, pass->w, &pass->batch, true, &pass->cache);
    pass->watched = sa_mat_alloc(arena, 1, pass->batch.source.steps + pass->batch.target.steps);
}

/* Allocates a pass over the pairs, which does not run yet. */
static bool alloc_pass(sa_lab_pass *pass, const sa_seq2seq *w, const sa_lab_pairs *pairs,
                       sa_error *error) {
    *pass = (sa_lab_pass){.w = w};
    layout(pass, &pass->arena, pairs); /* the dry run */
    if (!sa_arena_init(&pass->arena, pass->arena.used, error)) return false;
    layout(pass, &pass->arena, pairs);
    return true;
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
    sa_lab_pairs own = *pairs;
    if (!(model->regularizer.alignment_weight > 0)) own.gold = NULL;
    return alloc_pass(&model->pass, &model->w, &own, error) && sa_blas_check_memory(1, error);
}

void sa_lab_model_close(sa_lab_model *model) {
    sa_lab_pass_close(&model->pass);
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
    sa_seq2seq_loss(&model->w, &model->pass.batch, regularizer, &model->pass.cache,
                    backward ? &model->dw : NULL);
    double loss = 0;
    for (int i = 0; i < model->pass.batch.target.words; i++) loss += sa_lab_model_term(model, i);
    return loss;
}

double sa_lab_model_term(const sa_lab_model *model, int i) {
    return -model->pass.cache.objective[i] / model->pass.batch.whole;
}

/* ---- A pass ---------------------------------------------------------------------------------- */

bool sa_lab_pass_open(sa_lab_pass *pass, const sa_seq2seq *w, const sa_sentence *source,
                      const sa_sentence *target, int count, sa_error *error) {
    const sa_lab_pairs pairs = {source, target, count};
    if (!alloc_pass(pass, w, &pairs, error)) return false;
    sa_seq2seq_loss(w, &pass->batch, (sa_regularizer){0}, &pass->cache, NULL);
    return true;
}

void sa_lab_pass_close(sa_lab_pass *pass) {
    sa_arena_release(&pass->arena);
}
