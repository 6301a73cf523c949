/* opened: what a model file holds once it is in memory; shared by the public functions. */
#ifndef SA_OPENED_H
#define SA_OPENED_H

#include "base/thread.h"
#include "data/dataset.h"
#include "model/seq2seq.h"

struct sa_model {
    sa_settings settings;
    sa_text_codec source, target;
    sa_sizes sizes;
    sa_params plan;
    sa_real *values; /* [plan.size] */
    void *memory;    /* owns them: their own memory, or the whole file they were read from */
    size_t flushed;  /* of them: denormal in the file, and zero here */
    sa_seq2seq w;
    sa_pool *pool;
};

/* Everything but the weights from settings and coders (which the model then owns): the plan, the
 * pool, room for the values. Or `values` says where they are: they stay the caller's, who may make
 * what they lie in the model's room. On failure the coders are released too. */
bool sa_model_init(sa_model *model, const sa_settings *settings, sa_text_codec *source,
                   sa_text_codec *target, sa_real *values, sa_error *error);
void sa_model_release(sa_model *model);

/* A model whose matrices are laid down once more for what is to be written (sa_seq2seq_pack). */
typedef struct sa_packed_model {
    sa_seq2seq w;            /* serves until the panels are released or the weights change */
    sa_arena packed_weights; /* released by who had it laid */
} sa_packed_model;

/* For forward passes of `rows` rows a step. */
bool sa_model_pack(const sa_model *model, int rows, sa_packed_model *packed, sa_error *error);

/* Runs work(job, i) for i = 0 .. pieces-1 on the model's pool and hands on the error of the first
 * piece that failed. */
bool sa_model_run(sa_model *model, int pieces, bool (*work)(void *job, int piece, sa_error *error),
                  void *job, sa_error *error);

/* Fails with SA_USAGE: something needs attention that the model does not have. */
bool sa_fail_no_attention(const sa_model *model, sa_error *error);

/* Fails with SA_DIVERGED: the one message for a model that gives no probabilities. */
bool sa_fail_diverged(sa_error *error);

#endif
