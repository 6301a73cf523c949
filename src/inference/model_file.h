/* model_file: models in files (softalign-model(5)). */
#ifndef SA_INFERENCE_MODEL_FILE_H
#define SA_INFERENCE_MODEL_FILE_H

#include "base/container.h"
#include "inference/model.h"

/* Whether all numbers are normal or zero: the check of weights while their file is opened
 * (sa_container_open_checked), which saves reading them again. */
bool sa_model_numbers_normal(const void *piece, size_t size);

/* Reads a model from an opened container. SA_DATA names the file and what is wrong in it: settings
 * out of range; tensors missing, unknown or of another shape; damaged vocabularies; numbers that
 * are not finite. Tensors of a training's state are ignored. If at least half of the file is
 * weights, the model takes over the container's memory and uses them in place, denormals set to 0;
 * the container can then be read as long as the model exists. */
bool sa_model_read(sa_model *model, sa_container *file, int threads, sa_error *error);

/* Replaces the file at `path` by the model and `count` further tensors. SA_DIVERGED: a number is
 * not finite; the file is unchanged. */
bool sa_model_write(const sa_model *model, const char *path, const sa_tensor *more, size_t count,
                    sa_error *error);

/* Copies the numbers of a tensor; SA_DATA names it if its type or count is another. */
bool sa_tensor_copy(const sa_container *file, const char *name, sa_dtype type, size_t count,
                    void *out, sa_error *error);

#endif
