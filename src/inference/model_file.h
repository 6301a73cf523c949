/* model_file: models in files (softalign-model(5)). */
#ifndef SA_INFERENCE_MODEL_FILE_H
#define SA_INFERENCE_MODEL_FILE_H

#include "base/container.h"
#include "inference/model.h"

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

/* Copies a tensor's numbers out of a container after checking type and count. SA_DATA names it. */
bool sa_tensor_copy(const sa_container *file, const char *name, sa_dtype type, size_t count,
                    void *out, sa_error *error);

#endif
