/* dump: a gradient check's weights, batch, loss and gradients as a file, for other programs. */
#ifndef SA_LAB_DUMP_H
#define SA_LAB_DUMP_H

#include "lab/lab.h"
#include "model/seq2seq.h"

/* The model, the batch and the gradients of one check. */
typedef struct sa_lab_run {
    sa_sizes sizes;
    sa_params plan;
    sa_real *values, *gradients;
    sa_seq2seq w, dw;
    sa_arena arena;
    sa_batch batch;
    sa_pass pass;
    double dropout;
    sa_rng rng; /* where the dropout masks begin */
} sa_lab_run;

/* Writes a container (base/container.h): every parameter under its name and every gradient as
 * gradient.NAME in F64, loss F64[1] (sum over target words of -log p, divided by the sentences),
 * and the batch as source.len, source.ids, target.len, target.ids in I32, sentence after sentence.
 */
bool sa_lab_dump(const char *path, const sa_lab_run *run, const sa_lab_job *job, double loss,
                 sa_error *error);

#endif
