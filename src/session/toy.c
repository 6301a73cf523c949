/* toy: small models trained on a toy corpus in memory, for experiments. */
#include "data/batcher.h"
#include "inference/model.h"
#include "session/experiment.h"
#include "train/trainer.h"

#include <stdlib.h>
#include <string.h>

/* ---- The corpus ------------------------------------------------------------------------------ */

/* Ends a text at the mark that follows; returns what stands behind. */
static char *cut_at(char *text, char mark) {
    char *end = strchr(text, mark);
    sa_require(end);
    *end = 0;
    return end + 1;
}

/* Cuts the text, source TAB target TAB alignment a line, in place. */
static void cut(sa_toy_corpus *toy, size_t count) {
    char *at = toy->text.text;
    for (size_t i = 0; i < count; i++) {
        char *target = cut_at(at, '\t'), *gold = cut_at(target, '\t');
        char *next = cut_at(gold, '\n');
        toy->corpus.pairs[i] = (sa_pair){at, target, gold, i + 1};
        at = next;
    }
}

bool sa_toy_corpus_open(sa_toy_corpus *toy, const char *task, size_t pairs, uint64_t seed,
                        sa_error *error) {
    *toy = (sa_toy_corpus){.corpus = {.count = pairs, .lines = pairs, .gold = true, .name = task}};
    const bool good =
        sa_synth_write(sa_task_find(task), pairs, seed, SA_TRAIN, &toy->text, error) &&
        (toy->corpus.pairs = sa_new(pairs, sizeof *toy->corpus.pairs, error));
    if (good) cut(toy, pairs);
    if (!good) sa_toy_corpus_close(toy);
    return good;
}

void sa_toy_corpus_close(sa_toy_corpus *toy) {
    sa_buffer_release(&toy->text);
    free(toy->corpus.pairs);
    *toy = (sa_toy_corpus){0};
}

/* ---- Training -------------------------------------------------------------------------------- */

typedef struct toy_training {
    sa_model model;
    sa_dataset data;
    sa_trainer trainer;
    sa_batcher batcher;
} toy_training;

static bool open_toy_training(toy_training *at, const sa_toy_corpus *toy,
                              const sa_settings *settings, sa_error *error) {
    sa_text_codec source = {0}, target = {0};
    sa_model *model = &at->model;
    return sa_text_codecs_build(&source, &target, &toy->corpus, NULL, settings, error) &&
           sa_model_init(model, settings, &source, &target, NULL, error) &&
           sa_params_init(&model->plan, model->values, settings->init, (uint64_t)settings->seed,
                          error) &&
           sa_dataset_build(&at->data, &toy->corpus, NULL, &model->source, &model->target,
                            settings->max_len, error) &&
           sa_trainer_open(&at->trainer, &model->settings, &model->sizes, model->values,
                           at->data.longest_source, at->data.longest_target, model->pool, error) &&
           sa_batcher_open(&at->batcher, at->data.source, at->data.target, at->data.count,
                           settings->batch, settings->batch_tokens, settings->seed, error);
}

bool sa_toy_train(const sa_toy_corpus *toy, const sa_settings *settings, double *loss,
                  sa_error *error) {
    const int64_t steps = settings->steps, begin = steps - (steps + 9) / 10;
    double sum = 0, words = 0;
    toy_training at = {.model = {.pool = NULL}};
    bool good = open_toy_training(&at, toy, settings, error);
    for (int64_t step = 0; good && step < steps; step++) {
        int count;
        const size_t *pairs = sa_batcher_next(&at.batcher, &count);
        sa_step_result result;
        good = sa_trainer_step(&at.trainer, at.data.source, at.data.target, pairs, count, &result,
                               error);
        if (step >= begin) sum += result.loss, words += result.words;
    }
    *loss = sum / words;
    sa_batcher_close(&at.batcher);
    sa_trainer_close(&at.trainer);
    sa_dataset_release(&at.data);
    sa_model_release(&at.model);
    return good;
}
