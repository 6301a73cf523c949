#include "forced.h"
#include "merging.h"
#include "model/freerun.h"
#include "text/batcher.h"

#include <math.h>
#include <stdlib.h>

enum { TOGETHER = 32 }; /* pairs of one batch */

typedef struct forcing {
    sa_model *model;
    const sa_sentence *source, *target;
    const sa_gold *gold;
    size_t count;
    size_t *order; /* [count] by length */
    bool weights;
    sa_forced *out;
} forcing;

/* The rows of sentence b of the batch, as one block of its own: the mean, then every head. */
static bool copy_weights(const forcing *job, const sa_pass *pass, const sa_batch *batch, int b,
                         double **weights, sa_error *error) {
    const int T = batch->target.len[b], S = batch->source.len[batch->source_of[b]];
    const sa_seq2seq *w = &job->model->w;
    const int heads = sa_seq2seq_heads(w), layers = sa_seq2seq_layers(w, SA_PLACE_CROSS);
    const size_t size = (size_t)T * (size_t)S;
    double *block = sa_new(size * (size_t)(heads > 1 ? heads + 1 : 1), sizeof *block, error);
    if (!block) return false;
    for (int k = 0; k < heads * layers; k++)
        for (int t = 0; t < T; t++) {
            sa_mat alpha =
                sa_pass_weights(w, pass, batch, SA_PLACE_CROSS, k / heads, k % heads, b, t);
            double *mean = block + (size_t)t * (size_t)S,
                   *own = mean + (size_t)(k % heads + 1) * size;
            for (int j = 0; j < S; j++) {
                mean[j] += (double)alpha.x[j] / (heads * layers);
                if (heads > 1) own[j] += (double)alpha.x[j] / layers;
            }
        }
    *weights = block;
    return true;
}

static bool take_out(const forcing *job, const sa_pass *pass, const sa_batch *batch,
                     const size_t *pair, sa_error *error) {
    for (int b = 0; b < batch->target.sentences; b++) {
        sa_forced *out = &job->out[pair[batch->target.order[b]]];
        for (int t = 0; t < batch->target.len[b]; t++)
            out->log_p += (double)pass->log_p[batch->target.start[t] + b];
        if (!isfinite(out->log_p)) return sa_fail_diverged(error);
        if (job->weights && !copy_weights(job, pass, batch, b, &out->weights, error)) return false;
    }
    return true;
}

static sa_batch layout(const forcing *job, sa_arena *arena, const sa_sentence *source,
                       const sa_sentence *target, int count, sa_pass *pass) {
    sa_batch batch = sa_batch_make(arena, source, target, count);
    sa_pass_layout(arena, &job->model->w, &batch, false, pass);
    return batch;
}

static bool force_batch(void *context, int piece, sa_error *error) {
    const forcing *job = context;
    const size_t first = (size_t)piece * TOGETHER, rest = job->count - first,
                 size = rest < TOGETHER ? rest : TOGETHER;
    sa_sentence source[TOGETHER], target[TOGETHER];
    sa_gold gold[TOGETHER];
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
    const bool good = take_out(job, &pass, &batch, job->order + first, error);
    sa_arena_release(&arena);
    return good;
}

bool sa_force(sa_model *model, const sa_sentence *source, const sa_sentence *target,
              const sa_gold *gold, size_t count, bool weights, sa_forced *out, sa_error *error) {
    forcing job = {.model = model,
                   .source = source,
                   .target = target,
                   .gold = gold,
                   .count = count,
                   .order = sa_new(count, sizeof *job.order, error),
                   .weights = weights,
                   .out = out};
    if (!job.order) return false;
    for (size_t i = 0; i < count; i++) out[i] = (sa_forced){0};
    sa_order_by_length(target, count, job.order);
    const bool good =
        sa_model_run(model, (int)((count + TOGETHER - 1) / TOGETHER), force_batch, &job, error);
    for (size_t i = 0; !good && i < count; i++) free(out[i].weights), out[i].weights = NULL;
    free(job.order);
    return good;
}

/* ---- Free running ----------------------------------------------------------------------------
 */

typedef struct freeing {
    const sa_model *model;
    const sa_sentence *source, *target;
    const sa_gold *gold;
    size_t count;
    double *log_p;
} freeing;

static bool free_batch(void *context, int piece, sa_error *error) {
    const freeing *job = context;
    const size_t first = (size_t)piece * TOGETHER, rest = job->count - first;
    sa_override override = job->model->override;
    override.gold = job->gold ? job->gold + first : NULL;
    return sa_free_running(&job->model->w, job->source + first, job->target + first,
                           (int)(rest < TOGETHER ? rest : TOGETHER),
                           override.kind ? &override : NULL, job->log_p + first, error);
}

bool sa_run_free(sa_model *model, const sa_sentence *source, const sa_sentence *target,
                 const sa_gold *gold, size_t count, double *log_p, sa_error *error) {
    freeing job = {model, source, target, gold, count, log_p};
    return sa_model_run(model, (int)((count + TOGETHER - 1) / TOGETHER), free_batch, &job, error);
}

/* ---- Gold links ------------------------------------------------------------------------------ */

void sa_gold_release(sa_gold *gold, size_t count) {
    for (size_t i = 0; gold && i < count; i++) free((sa_link *)(uintptr_t)gold[i].links);
    free(gold);
}

/* Links stand between words; of a model of pieces they go to all pieces of a word. */
static bool spread_gold(const sa_model *model, const sa_pair *pair, sa_link **links, size_t *count,
                        sa_error *error) {
    sa_token_words source, target;
    if (!model->source.tokenizer->pieces) return true;
    if (!sa_token_words_make(model, pair, &source, &target, error)) return false;
    const bool good = sa_links_of_pieces(&source, &target, links, count, error);
    sa_token_words_release(&source), sa_token_words_release(&target);
    return good;
}

bool sa_gold_read(const sa_model *model, const sa_pair *pairs, size_t count, sa_gold **gold,
                  sa_error *error) {
    *gold = NULL;
    if (model->override.kind != SA_OVERRIDE_GOLD) return true;
    sa_gold *all = sa_new(count, sizeof *all, error);
    for (size_t i = 0; all && i < count; i++) {
        sa_link *links = NULL;
        const bool good =
            pairs[i].gold
                ? sa_links_parse(pairs[i].gold, &links, &all[i].count, error)
                : sa_fail(error, SA_DATA, "line %zu has no alignment to force the attention to",
                          pairs[i].line);
        const bool fits = good && spread_gold(model, &pairs[i], &links, &all[i].count, error);
        all[i].links = links;
        if (fits) continue;
        sa_gold_release(all, count);
        return false;
    }
    *gold = all;
    return all != NULL;
}
