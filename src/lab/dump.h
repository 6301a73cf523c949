/* dump: weights, batch, loss and gradients of a gradient check as a file for other programs. */
#ifndef SA_LAB_DUMP_H
#define SA_LAB_DUMP_H

#include "lab/lab.h"
#include "lab/lab_model.h"

/* Writes a container (base/container.h): every parameter under its name and every gradient as
 * gradient.NAME in F64; loss F64[1], as sa_lab_model_loss returns it; the batch as source.len,
 * source.ids, target.len, target.ids in I32, sentence after sentence; the dropout masks as
 * mask.PLACE in F64, one row per word or sentence (lab/masks.h); and the gold alignment as links
 * I32[links, 4]: pair, target word, source word, 1 if it is a possible link. */
bool sa_lab_dump(const char *path, const sa_lab_model *model, const sa_lab_job *job, double loss,
                 sa_error *error);

#endif
