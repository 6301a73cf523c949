#include "lab/run.h"
#include "base/memory.h"
#include "tensor/blas.h"

#include <stdlib.h>

static void layout(sa_lab_run *run, sa_arena *arena, const sa_lab_pairs *pairs) {
    run->batch = sa_batch_build(arena, pairs->source, pairs->target, pairs->count);
    run->batch.gold = run->regularizer.alignment_weight > 0 ? pairs->gold : NULL;
    sa_pass_layout(arena, &run->w, &run->batch, true, &run->pass);
}

bool sa_lab_run_open(sa_lab_run *run, const sa_settings *settings, const sa_lab_pairs *pairs,
                     sa_error *error) {
    sa_blas_init();
    *run = (sa_lab_run){
        .sizes = sa_sizes_of(settings, pairs->source_words, pairs->target_words),
        .regularizer = sa_regularizer_of(settings, NULL),
        .rng = sa_rng_seed((uint64_t)settings->seed, 1),
    };
    sa_seq2seq_plan(&run->sizes, &run->plan);
    run->values = sa_new(run->plan.size, sizeof *run->values, error);
    run->gradients = run->values ? sa_new(run->plan.size, sizeof *run->gradients, error) : NULL;
    if (!run->gradients) return false;
    sa_seq2seq_bind_buffer(&run->sizes, run->values, &run->w);
    sa_seq2seq_bind_buffer(&run->sizes, run->gradients, &run->dw);

    sa_arena dry = {0};
    layout(run, &dry, pairs);
    if (!sa_arena_init(&run->arena, dry.used, error)) return false;
    layout(run, &run->arena, pairs);
    return true;
}

void sa_lab_run_close(sa_lab_run *run) {
    sa_arena_release(&run->arena);
    free(run->values);
    free(run->gradients);
}

void sa_lab_run_load(sa_lab_run *run, const float *values) {
    for (size_t i = 0; i < run->plan.size; i++) run->values[i] = (sa_real)values[i];
}

double sa_lab_run_loss(sa_lab_run *run, sa_seq2seq *dw) {
    sa_rng rng = run->rng; /* a copy */
    sa_regularizer regularizer = run->regularizer;
    regularizer.rng = &rng;
    sa_seq2seq_loss(&run->w, &run->batch, regularizer, &run->pass, dw);
    double loss = 0;
    for (int i = 0; i < run->batch.target.words; i++) loss -= run->pass.objective[i];
    return loss / run->batch.whole;
}
