/* opened: what a model file holds once it is in memory; shared by the public functions. */
#ifndef SA_OPENED_H
#define SA_OPENED_H

#include "base/container.h"
#include "base/thread.h"
#include "data/dataset.h"
#include "model/seq2seq.h"

/* Which attention is shown. All zero: what the decoder sees of the source, the mean of all layers.
 */
typedef struct sa_attention_view {
    sa_attention_site place;
    int layer; /* from 1; 0: the mean of all */
} sa_attention_view;

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
    sa_override override;   /* what replaces the attention's weights */
    sa_attention_view view; /* of sa_align */
};

/* Everything but the weights from settings and coders (which the model then owns): the plan, the
 * pool, room for the values. Or `values` says where they are: they stay the caller's, who may make
 * what they lie in the model's room. On failure the coders are released too. */
bool sa_model_init(sa_model *model, const sa_settings *settings, sa_text_codec *source,
                   sa_text_codec *target, sa_real *values, sa_error *error);
void sa_model_release(sa_model *model);

/* The model of an opened container. SA_DATA, naming the file and what is wrong in it: settings out
 * of range, tensors that are missing, unknown or of another shape, broken vocabularies, numbers
 * that are not finite. Tensors of a training's state are left alone. Where half of an opened file
 * or more is weights, the model takes its room and uses them where they are, denormal ones becoming
 * 0 there: the container can be read on as long as there is the model. */
bool sa_model_read(sa_model *model, sa_container *file, int threads, sa_error *error);

/* Replaces the file at `path` by the model and `more` further tensors. SA_DIVERGED: a number is not
 * finite, and the file is as it was. */
bool sa_model_write(const sa_model *model, const char *path, const sa_tensor *more, size_t count,
                    sa_error *error);

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

/* Fails with SA_DIVERGED: the one message for a model that gives no probabilities. */
bool sa_fail_diverged(sa_error *error);

/* Copies a tensor's numbers out of a container after checking type and count. SA_DATA names it. */
bool sa_tensor_copy(const sa_container *file, const char *name, sa_dtype type, size_t count,
                    void *out, sa_error *error);

#endif
