/* dump: a gradient check's weights, batch, loss and gradients as a file, for other programs. */
#ifndef SA_LAB_DUMP_H
#define SA_LAB_DUMP_H

#include "lab/lab.h"
#include "lab/run.h"

/* Writes a container (base/container.h): every parameter under its name and every gradient as
 * gradient.NAME in F64, loss F64[1] (sum over target words of -log p, divided by the sentences),
 * and the batch as source.len, source.ids, target.len, target.ids in I32, sentence after sentence;
 * what dropout silenced as mask.PLACE in F64, a row for each word or sentence (lab/masks.h). */
bool sa_lab_dump(const char *path, const sa_lab_run *run, const sa_lab_job *job, double loss,
                 sa_error *error);

#endif
