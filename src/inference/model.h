/* model: a model in memory (settings, vocabularies, weights and threads), in files
 * (softalign-model(5)), and at work. */
#pragma once

#include "base/container.h"
#include "base/pieces.h"
#include "data/dataset.h"
#include "model/seq2seq.h"

struct sa_model {
    sa_settings trained;  /* what it was trained with, as in its file */
    sa_settings settings; /* what it is used with: sa_settings_of_use */
    sa_text_codec source, target;
    sa_sizes sizes;
    sa_params plan;
    sa_real *values;   /* [plan.size] */
    void *memory;      /* the block that holds them: their own, or the whole file */
    int max_len;       /* tokens of a sentence that is read, without EOS */
    size_t flushed;    /* how many weights were denormal in the file and are zero here */
    uint32_t checksum; /* of that file */
    sa_seq2seq w;
    sa_pool *pool;
};

/* Checks that the model and its training's state fit. SA_LIMIT: the state, with the weights of
 * `means` validations, is larger than a file that can be read again. */
bool sa_model_fits_in_file(const sa_model *model, size_t means, sa_error *error);

/* Sets up all but the weights. The model takes over the codecs, even on failure. `values` NULL:
 * allocates memory for the weights; else uses them where they are, and leaves it to the caller to
 * set model->memory. */
bool sa_model_init(sa_model *model, const sa_settings *settings, sa_text_codec *source,
                   sa_text_codec *target, sa_real *values, sa_error *error);
void sa_model_release(sa_model *model);

/* Points the model's weights into the values, for products in SA_PRECISION_... */
void sa_model_bind(sa_model *model, int precision);

/* Checks that the model can read sentences as long as those of the pairs; either side of a pair may
 * be NULL. SA_LIMIT names the first line that is too long, in the file `name` (NULL: unknown). */
bool sa_check_lengths(const sa_model *model, const char *name, const sa_pair *pairs, size_t count,
                      sa_error *error);

/* Fails with SA_USAGE: something needs attention that the model does not have. */
bool sa_fail_no_attention(const sa_model *model, sa_error *error);

/* Fails with SA_DIVERGED: the probabilities are not finite. */
bool sa_fail_diverged(sa_error *error);

/* ---- Files ----------------------------------------------------------------------------------- */

/* Returns whether all numbers are normal or zero. sa_container_open runs it on weights while it
 * opens their file, which saves reading them again. */
bool sa_model_numbers_normal(const void *piece, size_t size);

/* Reads a model from an opened container. SA_DATA names the file and what is wrong in it: settings
 * out of range; tensors missing, unknown or of the wrong shape; damaged vocabularies; numbers that
 * are not finite. Ignores tensors of a training's state. If at least half of the file is weights,
 * the model takes over the container's memory and uses them in place, denormals set to 0; the
 * container can then be read as long as the model exists. */
bool sa_model_read(sa_model *model, sa_container *file, int threads, sa_error *error);

/* Replaces the file at `path` with the model and `count` further tensors. SA_DIVERGED: a number is
 * not finite; the file is unchanged. */
bool sa_model_write(const sa_model *model, const char *path, const sa_tensor *more, size_t count,
                    sa_error *error);

/* Returns a tensor to write: a matrix or, with rows 0, a vector. */
sa_tensor sa_tensor_of(const char *name, sa_dtype type, size_t rows, size_t cols, const void *data);
/* Returns how many numbers a tensor has. */
size_t sa_tensor_count(const sa_tensor *tensor);

/* Copies the numbers of a tensor; SA_DATA names it if its type or count is wrong. */
bool sa_tensor_copy(const sa_container *file, const char *name, sa_dtype type, size_t count,
                    void *out, sa_error *error);

/* ---- Translations: translation.c ------------------------------------------------------------- */

/* What is known of the translations in advance. */
typedef struct sa_references {
    const sa_gold_alignment *gold; /* [count] the links of SA_OVERRIDE_GOLD, or NULL */
    const int *lengths;            /* [count] their tokens, EOS included, or NULL */
} sa_references;

/* Translates like sa_translate_ensemble. */
bool sa_translate_sources(sa_model *const *models, int number, const char *const *sources,
                          sa_references references, size_t count, const sa_search *search,
                          sa_translation *out, sa_error *error);

/* ---- Teacher forcing: forcing.c --------------------------------------------------------------
 * How likely reference translations are, and the attention while they are predicted: word i after
 * the reference tokens before it. */

/* Decodes every target after its source, each token predicted after the reference tokens before it.
 * results [count] get the log-probabilities and, if `view` says which (NULL: none), the attention
 * weights; not the words. override->gold: one for each pair, or NULL. Runs on the model's threads.
 * The caller frees each result with sa_alignment_release; after a failure there is nothing to
 * free. */
bool sa_teacher_force(sa_model *model, const sa_sentence *source, const sa_sentence *target,
                      size_t count, const sa_override *override, const sa_align_options *view,
                      sa_alignment *results, sa_error *error);

/* Checks that the model has the rows of SA_ALIGN_... `at`. SA_USAGE: it has none that have read a
 * word. alignment.c */
bool sa_align_at_check(const sa_model *model, int at, sa_error *error);

/* ---- Other attention weights ----------------------------------------------------------------- */

/* Checks that one of the models has attention that the override changes; SA_USAGE: none has. */
bool sa_override_applies(sa_attention_override chosen, const sa_model *const *models, int number,
                         sa_error *error);

/* Sets up an override for decoding `count` pairs; SA_OVERRIDE_GOLD reads their alignments, which
 * sa_override_close frees. SA_DATA: a pair has none. SA_USAGE: there is nothing to override. */
bool sa_override_open(sa_override *override, sa_attention_override chosen, const sa_model *model,
                      const sa_pair *pairs, size_t count, sa_error *error);
void sa_override_close(sa_override *override, size_t count);
