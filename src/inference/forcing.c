#include "inference/forcing.h"
#include "data/batcher.h"
#include "inference/ensemble.h"
#include "metrics/linking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 32 }; /* pairs */

static int batch_count(size_t pairs) {
    return (int)((pairs + BATCH - 1) / BATCH);
}

/* ---- Teacher forcing ------------------------------------------------------------------------- */

typedef struct force_task {
    sa_model *model;
    const sa_sentence *source, *target;
    size_t count;
    const sa_override *override;
    const sa_align_options *view;
    size_t *order; /* [count] by length */
    sa_alignment *results;
} force_task;

/* Adds `factor` times the weights of one head of one layer (from 0) to a matrix. */
static void add_head(const force_task *task, const sa_pass *pass, const sa_batch *batch, int b,
                     int layer, int head, double factor, const sa_alignment *result,
                     double *matrix) {
    for (int t = 0; t < result->targets; t++) {
        const sa_mat alpha =
            sa_pass_weights(&task->model->w, pass, batch, task->view->site, layer, head, b, t);
        for (int j = 0; j < alpha.cols; j++) *matrix++ += factor * (double)alpha.x[j];
    }
}

static bool copy_weights(const force_task *task, const sa_pass *pass, const sa_batch *batch, int b,
                         sa_alignment *result, sa_error *error) {
    const sa_align_options *view = task->view;
    const int T = batch->target.len[b], S = batch->source.len[batch->source_of[b]];
    const int heads = sa_seq2seq_heads(&task->model->w);
    const int layers = sa_seq2seq_layers(&task->model->w, view->site);
    const int shown = view->layer ? 1 : layers;
    result->targets = view->site == SA_SITE_ENCODER ? S : T;
    result->sources = view->site == SA_SITE_DECODER ? T : S;
    result->heads = heads, result->layers = layers;
    double *weights = sa_new(sa_alignment_size(result), sizeof *weights, error);
    if (!weights) return false;
    result->weights = weights;
    for (int k = 0; k < heads; k++)
        for (int layer = 0; layer < layers; layer++) {
            double *of_head = weights + (sa_alignment_weights(result, 0, k + 1) - weights);
            double *own = weights + (sa_alignment_weights(result, layer + 1, k + 1) - weights);
            if (!view->layer || layer == view->layer - 1) {
                add_head(task, pass, batch, b, layer, k, 1.0 / (heads * shown), result, weights);
                if (heads > 1)
                    add_head(task, pass, batch, b, layer, k, 1.0 / shown, result, of_head);
            }
            if (layers > 1) add_head(task, pass, batch, b, layer, k, 1, result, own);
        }
    return true;
}

/* Of sentence b; where the rows are its tokens, also the log-probability of each and, with copying,
 * its p_gen. */
static bool copy_result(const force_task *task, const sa_pass *pass, const sa_batch *batch, int b,
                        sa_alignment *result, sa_error *error) {
    const sa_seq2seq *w = &task->model->w;
    const sa_mat z = w->family->read_out(pass)->gate;
    const int T = batch->target.len[b];
    const bool tokens = task->view && task->view->site == SA_SITE_CROSS, gated = tokens && z.cols;
    double *each = tokens ? sa_new((size_t)T, sizeof *each, error) : NULL;
    double *gate = gated ? sa_new((size_t)T, sizeof *gate, error) : NULL;
    result->token_log_probabilities = each;
    result->generation_probabilities = gate;
    if ((tokens && !each) || (gated && !gate)) return false;
    for (int t = 0; t < T; t++) {
        const double log_p = (double)pass->log_p[batch->target.start[t] + b];
        result->log_probability += log_p;
        if (each) each[t] = log_p;
        if (!gate) continue;
        gate[t] = sa_gate_probability((double)*sa_row(z, sa_seq2seq_target_row(w, batch, b, t)));
    }
    if (!isfinite(result->log_probability)) return sa_fail_diverged(error);
    return !task->view || copy_weights(task, pass, batch, b, result, error);
}

static sa_batch layout(const sa_seq2seq *w, sa_arena *arena, const sa_sentence *source,
                       const sa_sentence *target, int count, sa_pass *pass) {
    sa_batch batch = sa_batch_build(arena, source, target, count);
    sa_pass_layout(arena, w, &batch, false, pass);
    return batch;
}

static bool force_batch(void *context, int number, sa_error *error) {
    const force_task *task = context;
    const size_t first = (size_t)number * BATCH, rest = task->count - first,
                 size = rest < BATCH ? rest : BATCH;
    sa_sentence source[BATCH], target[BATCH];
    sa_gold_alignment gold[BATCH];
    sa_arena arena = {0};
    sa_pass pass;
    for (size_t i = 0; i < size; i++) {
        source[i] = task->source[task->order[first + i]];
        target[i] = task->target[task->order[first + i]];
    }
    sa_override override = task->override ? *task->override : (sa_override){0};
    sa_seq2seq w = task->model->w;
    sa_seq2seq_override(&w, &override);
    layout(&w, &arena, source, target, (int)size, &pass); /* the dry run */
    if (!sa_arena_init(&arena, arena.used, error)) return false;
    sa_batch batch = layout(&w, &arena, source, target, (int)size, &pass);
    for (size_t i = 0; override.gold && i < size; i++)
        gold[i] = override.gold[task->order[first + i]];
    if (override.gold) override.gold = gold;
    override.order = batch.target.order;
    sa_seq2seq_loss(&w, &batch, (sa_regularizer){0}, &pass, NULL);
    bool good = true;
    for (int b = 0; good && b < batch.target.sentences; b++) {
        const size_t pair = task->order[first + (size_t)batch.target.order[b]];
        good = copy_result(task, &pass, &batch, b, &task->results[pair], error);
    }
    sa_arena_release(&arena);
    return good;
}

bool sa_teacher_force(sa_model *model, const sa_sentence *source, const sa_sentence *target,
                      size_t count, const sa_override *override, const sa_align_options *view,
                      sa_alignment *results, sa_error *error) {
    force_task task = {.model = model,
                       .source = source,
                       .target = target,
                       .count = count,
                       .override = override,
                       .view = view,
                       .order = sa_new(count, sizeof *task.order, error),
                       .results = results};
    for (size_t i = 0; i < count; i++) results[i] = (sa_alignment){0};
    if (!task.order) return false;
    sa_sentences_sort_by_length(target, count, task.order);
    const bool good = sa_model_run(model, batch_count(count), force_batch, &task, error);
    for (size_t i = 0; !good && i < count; i++) sa_alignment_release(&results[i]);
    free(task.order);
    return good;
}

/* ---- Free running ---------------------------------------------------------------------------- */

typedef struct free_run {
    sa_ensemble ensemble;
    sa_arena arena;
    int longest; /* words of the longest target */
    int *index;  /* [count] 0, 1 .. */
} free_run;

static void layout_free_run(free_run *run, sa_arena *arena, const sa_sentence *sources, int count) {
    sa_ensemble_layout(arena, &run->ensemble, &sources, count, count, run->longest);
    run->index = sa_arena_alloc(arena, (size_t)count, sizeof *run->index);
}

static int32_t argmax_word(const sa_real *logits, int words) {
    int32_t best = SA_UNK;
    for (int32_t word = 0; word < words; word++)
        if (word != SA_BOS && logits[word] > logits[best]) best = word;
    return best;
}

static bool decode_freely(free_run *run, const sa_sentence *targets, int count, double *log_p,
                          sa_error *error) {
    sa_ensemble *ensemble = &run->ensemble;
    const int *order = ensemble->states[0].batch.source.order;
    const int few = sa_ensemble_logit_rows(ensemble);
    sa_ensemble_begin(ensemble);
    for (int b = 0; b < count; b++) {
        log_p[b] = 0;
        run->index[b] = b;
        sa_ensemble_set(ensemble, b, (sa_continuation){.sentence = b, .row = b, .word = SA_BOS});
    }
    for (int t = 0; t < run->longest; t++) {
        if (!sa_ensemble_step(ensemble, t + 1, count, error)) return false;
        for (int at = 0; at < count; at += few) {
            const int some = count - at < few ? count - at : few;
            const sa_mat logits = sa_ensemble_logits(ensemble, run->index + at, some);
            for (int b = at; b < at + some; b++) {
                const sa_sentence *target = &targets[order[b]];
                const sa_real *row = sa_row(logits, b - at);
                if (t < target->len)
                    log_p[order[b]] += (double)row[sa_sentence_extended(target)[t]] -
                                       ensemble->log_sum_exp[b - at];
                sa_ensemble_set(
                    ensemble, b,
                    (sa_continuation){b, b, argmax_word(row, sa_ensemble_words(ensemble, b))});
            }
        }
    }
    return true;
}

bool sa_free_running(const sa_seq2seq *w, const sa_sentence *sources, const sa_sentence *targets,
                     int count, const sa_override *override, double *log_p, sa_error *error) {
    free_run run = {0};
    sa_arena dry = {0};
    for (int b = 0; b < count; b++)
        if (targets[b].len > run.longest) run.longest = targets[b].len;
    bool good = sa_ensemble_open(&run.ensemble, &w, 1, override, error);
    if (good) layout_free_run(&run, &dry, sources, count);
    good = good && sa_arena_init(&run.arena, dry.used, error);
    if (good) layout_free_run(&run, &run.arena, sources, count);
    good = good && decode_freely(&run, targets, count, log_p, error);
    sa_ensemble_release(&run.ensemble);
    sa_arena_release(&run.arena);
    return good;
}

typedef struct free_running_task {
    sa_prepared_model prepared;
    const sa_sentence *source, *target;
    size_t count;
    const sa_override *override;
    double *log_p;
} free_running_task;

static bool free_batch(void *context, int number, sa_error *error) {
    const free_running_task *task = context;
    const size_t first = (size_t)number * BATCH, rest = task->count - first;
    sa_override override = *task->override;
    if (override.gold) override.gold += first;
    return sa_free_running(&task->prepared.w, task->source + first, task->target + first,
                           (int)(rest < BATCH ? rest : BATCH),
                           override.chosen.kind ? &override : NULL, task->log_p + first, error);
}

bool sa_free_running_log_p(sa_model *model, const sa_sentence *source, const sa_sentence *target,
                           size_t count, const sa_override *override, double *log_p,
                           sa_error *error) {
    free_running_task task = {
        .source = source, .target = target, .count = count, .override = override, .log_p = log_p};
    const bool good = sa_model_prepare(model, BATCH, &task.prepared, error) &&
                      sa_model_run(model, batch_count(count), free_batch, &task, error);
    sa_store_release(&task.prepared.store);
    return good;
}
