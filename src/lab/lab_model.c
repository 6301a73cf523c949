#include "lab/lab_model.h"
#include "base/memory.h"
#include "tensor/blas.h"

#include <stdlib.h>

static void layout(sa_lab_model *model, sa_arena *arena, const sa_lab_pairs *pairs) {
    model->batch = sa_batch_build(arena, pairs->source, pairs->target, pairs->count);
    model->batch.gold = model->regularizer.alignment_weight > 0 ? pairs->gold : NULL;
    sa_pass_layout(arena, &model->w, &model->batch, true, &model->pass);
    const int S = model->batch.source.steps, T = model->batch.target.steps;
    model->watched = sa_mat_alloc(arena, 1, S > T ? S : T);
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

    sa_arena dry = {0};
    layout(model, &dry, pairs);
    if (!sa_arena_init(&model->arena, dry.used, error)) return false;
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

double sa_lab_model_loss(sa_lab_model *model, bool backward) {
    sa_rng rng = model->rng; /* a copy */
    sa_regularizer regularizer = model->regularizer;
    regularizer.rng = &rng;
    sa_seq2seq_loss(&model->w, &model->batch, regularizer, &model->pass,
                    backward ? &model->dw : NULL);
    for (int i = 0; backward && i < model->plan->count; i++)
        sa_l2_backward(&model->plan->item[i], model->values, regularizer.l2, model->gradients);
    double loss = 0;
    for (int i = 0; i < sa_lab_model_terms(model); i++) loss += sa_lab_model_term(model, i);
    return loss;
}

int sa_lab_model_terms(const sa_lab_model *model) {
    return model->batch.target.words + model->plan->count;
}

double sa_lab_model_term(const sa_lab_model *model, int i) {
    const int words = model->batch.target.words;
    if (i < words) return -model->pass.objective[i] / model->batch.whole;
    return sa_l2_forward(&model->plan->item[i - words], model->values, model->regularizer.l2);
}
