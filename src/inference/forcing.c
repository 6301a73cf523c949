#include "data/batcher.h"
#include "data/encoding.h"
#include "inference/model.h"
#include "metrics/linking.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH = 32 }; /* pairs */

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

/* A batch of the task. */
typedef struct forced_batch {
    const force_task *task;
    sa_batch batch;
    sa_pass pass;
} forced_batch;

/* Adds `factor` times the weights of one head of one layer (from 0) to a matrix. */
static void add_head(const forced_batch *all, int b, int layer, int head, double factor,
                     const sa_alignment *result, double *matrix) {
    const sa_align_options *view = all->task->view;
    const int last = result->targets - 1;
    for (int t = 0; t <= last; t++) {
        const int row = view->at == SA_ALIGN_INPUT && t < last ? t + 1 : t;
        const sa_mat alpha = sa_pass_weights(&all->task->model->w, &all->pass, &all->batch,
                                             view->site, layer, head, b, row);
        for (int j = 0; j < alpha.cols; j++) *matrix++ += factor * (double)alpha.x[j];
    }
}

static bool copy_weights(const forced_batch *all, int b, sa_alignment *result, sa_error *error) {
    const sa_seq2seq *w = &all->task->model->w;
    const sa_align_options *view = all->task->view;
    const int T = all->batch.target.len[b], S = all->batch.source.len[all->batch.source_of[b]];
    const int heads = sa_seq2seq_heads(w), layers = sa_seq2seq_layers(w, view->site);
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
                add_head(all, b, layer, k, 1.0 / (heads * shown), result, weights);
                if (heads > 1) add_head(all, b, layer, k, 1.0 / shown, result, of_head);
            }
            if (layers > 1) add_head(all, b, layer, k, 1, result, own);
        }
    return true;
}

/* Copies the result of sentence b: the weights and, where the rows are its tokens, the
 * log-probability of each and, with copying, its p_gen. */
static bool copy_result(const forced_batch *all, int b, sa_alignment *result, sa_error *error) {
    const sa_seq2seq *w = &all->task->model->w;
    const sa_align_options *view = all->task->view;
    const sa_mat z = sa_pass_readout(w, &all->pass)->copy_gate;
    const int T = all->batch.target.len[b];
    const bool tokens = view && view->site == SA_SITE_CROSS, gated = tokens && z.cols;
    double *each = tokens ? sa_new((size_t)T, sizeof *each, error) : NULL;
    double *gate = gated ? sa_new((size_t)T, sizeof *gate, error) : NULL;
    result->token_log_probabilities = each;
    result->generation_probabilities = gate;
    if ((tokens && !each) || (gated && !gate)) return false;
    for (int t = 0; t < T; t++) {
        const double log_p = (double)all->pass.log_p[all->batch.target.start[t] + b];
        const int row = sa_seq2seq_target_row(w, &all->batch, b, t);
        result->log_probability += log_p;
        if (each) each[t] = log_p;
        if (gate) gate[t] = sa_copy_gate_probability((double)*sa_row(z, row));
    }
    if (!isfinite(result->log_probability)) return sa_fail_diverged(error);
    return !view || copy_weights(all, b, result, error);
}

static void layout(forced_batch *all, sa_arena *arena, const sa_seq2seq *w,
                   const sa_sentence *source, const sa_sentence *target, size_t count) {
    all->batch = sa_batch_build(arena, source, target, (int)count);
    sa_pass_layout(arena, w, &all->batch, false, &all->pass);
}

static bool force_batch(void *context, int number, sa_error *error) {
    const force_task *task = context;
    const size_t first = (size_t)number * BATCH, rest = task->count - first,
                 size = rest < BATCH ? rest : BATCH;
    const size_t *order = task->order + first;
    sa_sentence source[BATCH], target[BATCH];
    sa_gold_alignment gold[BATCH];
    sa_arena arena = {0};
    forced_batch all = {.task = task};
    sa_override override = task->override ? *task->override : (sa_override){0};
    sa_seq2seq w = task->model->w;
    for (size_t i = 0; i < size; i++) {
        source[i] = task->source[order[i]], target[i] = task->target[order[i]];
        if (override.gold) gold[i] = override.gold[order[i]];
    }
    if (override.gold) override.gold = gold;
    sa_seq2seq_override(&w, &override);
    layout(&all, &arena, &w, source, target, size); /* the dry run */
    if (!sa_arena_init(&arena, arena.used, error)) return false;
    layout(&all, &arena, &w, source, target, size);
    override.order = all.batch.target.order;
    sa_seq2seq_loss(&w, &all.batch, (sa_regularizer){0}, &all.pass, NULL);
    bool good = true;
    for (int b = 0; good && b < all.batch.target.sentences; b++)
        good = copy_result(&all, b, &task->results[order[all.batch.target.order[b]]], error);
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
    const int batches = (int)((count + BATCH - 1) / BATCH);
    const bool good = sa_tasks_run(model->pool, batches, force_batch, &task, error);
    for (size_t i = 0; !good && i < count; i++) sa_alignment_release(&results[i]);
    free(task.order);
    return good;
}

/* ---- Other attention weights ----------------------------------------------------------------- */

bool sa_override_applies(sa_attention_override chosen, const sa_model *const *models, int number,
                         sa_error *error) {
    const sa_settings *attends = NULL; /* of the last model with attention */
    if (chosen.kind == SA_OVERRIDE_NONE) return true;
    for (int m = 0; m < number; m++) {
        const sa_settings *settings = &models[m]->settings;
        if (!sa_settings_has_attention(settings)) continue;
        if (sa_seq2seq_joins(&models[m]->w))
            return sa_fail(error, SA_USAGE,
                           "--force-attention replaces the weights of cross-attention, which a "
                           "decoder-only model has none of, like one that merges it with "
                           "self-attention");
        const sa_part *part = sa_scores[settings->attention].part;
        if (chosen.kind != SA_OVERRIDE_EXPECTED || sa_rare_of(part)->draw_noise)
            return true; /* decoding has other weights than training */
        attends = settings;
    }
    if (!attends) return sa_fail_no_attention(models[0], error);
    return sa_fail(error, SA_USAGE,
                   "--force-attention expected: the weights of --attention %s are those of its "
                   "training already",
                   SA_NAME(sa_scores, (size_t)attends->attention));
}

bool sa_override_open(sa_override *override, sa_attention_override chosen, const sa_model *model,
                      const sa_pair *pairs, size_t count, sa_error *error) {
    *override = (sa_override){.chosen = chosen, .seed = 1};
    if (!sa_override_applies(chosen, &model, 1, error)) return false;
    if (chosen.kind != SA_OVERRIDE_GOLD) return true;
    for (size_t i = 0; i < count; i++)
        if (!pairs[i].gold)
            return sa_fail(error, SA_DATA, "line %zu: no alignment to force the attention to",
                           pairs[i].line);
    override->gold = sa_gold_make(&model->source, &model->target, NULL, pairs, NULL, count, error);
    return override->gold != NULL;
}

void sa_override_close(sa_override *override, size_t count) {
    sa_gold_release((sa_gold_alignment *)(uintptr_t) override->gold, count);
    *override = (sa_override){0};
}
