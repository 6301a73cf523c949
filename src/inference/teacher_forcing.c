#include "inference/teacher_forcing.h"
#include "data/batcher.h"
#include "decoding/free_running.h"
#include "inference/token_words.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH = 32 }; /* pairs of one batch */

typedef struct force_job {
    sa_model *model;
    const sa_sentence *source, *target;
    const sa_gold_alignment *gold;
    size_t count;
    size_t *order; /* [count] by length */
    const sa_attention_view *view;
    sa_forced_decoding *out;
} force_job;

/* Adds a share of one head's matrix [rows x columns]. */
static void add_head(const force_job *job, const sa_pass *pass, const sa_batch *batch, int b,
                     int layer, int head, int rows, double share, double *matrix) {
    for (int t = 0; t < rows; t++) {
        const sa_mat alpha =
            sa_pass_weights(&job->model->w, pass, batch, job->view->place, layer, head, b, t);
        for (int j = 0; j < alpha.cols; j++) *matrix++ += share * (double)alpha.x[j];
    }
}

/* All matrices of sentence b of the batch, as sa_forced_decoding has them. */
static bool copy_weights(const force_job *job, const sa_pass *pass, const sa_batch *batch, int b,
                         double **weights, sa_error *error) {
    const sa_attention_view *view = job->view;
    const int T = batch->target.len[b], S = batch->source.len[batch->source_of[b]];
    const int rows = view->place == SA_SITE_ENCODER ? S : T;
    const int columns = view->place == SA_SITE_DECODER ? T : S;
    const int heads = sa_seq2seq_heads(&job->model->w);
    const int layers = sa_seq2seq_layers(&job->model->w, view->place);
    const int first = view->layer ? view->layer - 1 : 0, shown = view->layer ? 1 : layers;
    const size_t size = (size_t)rows * (size_t)columns;
    const size_t head_blocks = heads > 1 ? (size_t)heads : 0;
    const size_t layer_blocks = layers > 1 ? (size_t)(layers * heads) : 0;
    double *all = sa_new(size * (1 + head_blocks + layer_blocks), sizeof *all, error);
    if (!all) return false;
    *weights = all;
    for (int k = 0; k < heads; k++)
        for (int layer = 0; layer < layers; layer++) {
            const bool seen = layer >= first && layer < first + shown;
            double *own = all + (size_t)(k + 1) * size;
            double *one = all + (1 + head_blocks + (size_t)(layer * heads + k)) * size;
            if (seen) add_head(job, pass, batch, b, layer, k, rows, 1.0 / (heads * shown), all);
            if (seen && head_blocks)
                add_head(job, pass, batch, b, layer, k, rows, 1.0 / shown, own);
            if (layer_blocks) add_head(job, pass, batch, b, layer, k, rows, 1, one);
        }
    return true;
}

static bool copy_results(const force_job *job, const sa_pass *pass, const sa_batch *batch,
                         const size_t *pair, sa_error *error) {
    for (int b = 0; b < batch->target.sentences; b++) {
        sa_forced_decoding *out = &job->out[pair[batch->target.order[b]]];
        for (int t = 0; t < batch->target.len[b]; t++)
            out->log_p += (double)pass->log_p[batch->target.start[t] + b];
        if (!isfinite(out->log_p)) return sa_fail_diverged(error);
        if (job->view && !copy_weights(job, pass, batch, b, &out->weights, error)) return false;
    }
    return true;
}

static sa_batch layout(const force_job *job, sa_arena *arena, const sa_sentence *source,
                       const sa_sentence *target, int count, sa_pass *pass) {
    sa_batch batch = sa_batch_build(arena, source, target, count);
    sa_pass_layout(arena, &job->model->w, &batch, false, pass);
    return batch;
}

static bool force_batch(void *context, int piece, sa_error *error) {
    const force_job *job = context;
    const size_t first = (size_t)piece * BATCH, rest = job->count - first,
                 size = rest < BATCH ? rest : BATCH;
    sa_sentence source[BATCH], target[BATCH];
    sa_gold_alignment gold[BATCH];
    sa_arena arena = {0};
    sa_pass pass;
    for (size_t i = 0; i < size; i++) {
        source[i] = job->source[job->order[first + i]];
        target[i] = job->target[job->order[first + i]];
    }
    layout(job, &arena, source, target, (int)size, &pass); /* the dry run */
    if (!sa_arena_init(&arena, arena.used, error)) return false;
    sa_batch batch = layout(job, &arena, source, target, (int)size, &pass);
    sa_override override = job->model->override;
    for (size_t i = 0; job->gold && i < size; i++) gold[i] = job->gold[job->order[first + i]];
    override.gold = job->gold ? gold : NULL;
    override.order = batch.target.order;
    if (override.kind) sa_pass_override(&job->model->w, &pass, &override);
    sa_seq2seq_loss(&job->model->w, &batch, (sa_regularizer){0}, &pass, NULL);
    const bool good = copy_results(job, &pass, &batch, job->order + first, error);
    sa_arena_release(&arena);
    return good;
}

bool sa_teacher_force(sa_model *model, const sa_sentence *source, const sa_sentence *target,
                      const sa_gold_alignment *gold, size_t count, const sa_attention_view *view,
                      sa_forced_decoding *out, sa_error *error) {
    force_job job = {.model = model,
                     .source = source,
                     .target = target,
                     .gold = gold,
                     .count = count,
                     .order = sa_new(count, sizeof *job.order, error),
                     .view = view,
                     .out = out};
    if (!job.order) return false;
    for (size_t i = 0; i < count; i++) out[i] = (sa_forced_decoding){0};
    sa_sentences_sort_by_length(target, count, job.order);
    const bool good =
        sa_model_run(model, (int)((count + BATCH - 1) / BATCH), force_batch, &job, error);
    for (size_t i = 0; !good && i < count; i++) free(out[i].weights), out[i].weights = NULL;
    free(job.order);
    return good;
}

/* ---- Free running ----------------------------------------------------------------------------
 */

typedef struct free_running_job {
    const sa_model *model;
    sa_packed_model packed;
    const sa_sentence *source, *target;
    const sa_gold_alignment *gold;
    size_t count;
    double *log_p;
} free_running_job;

static bool free_batch(void *context, int piece, sa_error *error) {
    const free_running_job *job = context;
    const size_t first = (size_t)piece * BATCH, rest = job->count - first;
    sa_override override = job->model->override;
    override.gold = job->gold ? job->gold + first : NULL;
    return sa_free_running(&job->packed.w, job->source + first, job->target + first,
                           (int)(rest < BATCH ? rest : BATCH), override.kind ? &override : NULL,
                           job->log_p + first, error);
}

bool sa_free_running_log_p(sa_model *model, const sa_sentence *source, const sa_sentence *target,
                           const sa_gold_alignment *gold, size_t count, double *log_p,
                           sa_error *error) {
    free_running_job job = {.model = model,
                            .source = source,
                            .target = target,
                            .gold = gold,
                            .count = count,
                            .log_p = log_p};
    const int pieces = (int)((count + BATCH - 1) / BATCH);
    const bool good = sa_model_pack(model, BATCH, &job.packed, error) &&
                      sa_model_run(model, pieces, free_batch, &job, error);
    sa_arena_release(&job.packed.packed_weights);
    return good;
}

/* ---- Gold links ------------------------------------------------------------------------------ */

bool sa_override_links(const sa_model *model, const sa_pair *pairs, size_t count,
                       sa_gold_alignment **gold, sa_error *error) {
    *gold = NULL;
    if (model->override.kind != SA_OVERRIDE_GOLD) return true;
    for (size_t i = 0; i < count; i++)
        if (!pairs[i].gold)
            return sa_fail(error, SA_DATA, "line %zu has no alignment to force the attention to",
                           pairs[i].line);
    *gold = sa_gold_make(&model->source, &model->target, NULL, pairs, NULL, count, error);
    return *gold != NULL;
}
