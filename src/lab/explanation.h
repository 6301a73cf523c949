/* page: the explanation of a pass, handed out line by line: equations, and the numbers that belong
 * to them. */
#ifndef SA_LAB_PAGE_H
#define SA_LAB_PAGE_H

#include "base/memory.h"
#include "lab/lab.h"
#include "lab/run.h"

typedef struct sa_lab_explanation {
    const sa_lab_explain_job *job;
    const sa_lab_run *run;
    int i;                 /* the target position, from 1 */
    sa_explain_value line; /* the one that comes next */
    sa_buffer equation;
    sa_arena arena; /* for what a step does not keep; given back after every section */
} sa_lab_explanation;

static inline const sa_decoder *sa_lab_explanation_decoder(const sa_lab_explanation *out) {
    return &out->run->w.decoder;
}

bool sa_lab_explanation_open(sa_lab_explanation *out, const sa_lab_explain_job *job,
                             const sa_lab_run *run, sa_error *error);
/* False when memory had run out. */
bool sa_lab_explanation_close(sa_lab_explanation *out, sa_error *error);

/* Begins a section and gives the room of the one before back. */
void sa_lab_explanation_section(sa_lab_explanation *out, const char *title);

/* A matrix that holds until the section ends. */
sa_mat sa_lab_explanation_take(sa_lab_explanation *out, int rows, int cols);

/* W x + b, for a vector x, in such a matrix. */
sa_mat sa_lab_explanation_linear(sa_lab_explanation *out, sa_weight W, sa_mat b, sa_mat x);

/* The equation that the next lines belong to, made by sa_lab_explanation_write and
 * sa_lab_explanation_substitute, which append to it; then where it stands. */
void sa_lab_explanation_write(sa_lab_explanation *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sa_lab_explanation_cite(sa_lab_explanation *out, const char *citation);

typedef struct sa_lab_explanation_symbol {
    const char *from, *to;
} sa_lab_explanation_symbol;

/* Appends an equation in which every letter `from` of the list, which ends with NULL, is replaced.
 * A letter is a run of letters, digits, _ and ~. */
void sa_lab_explanation_substitute(sa_lab_explanation *out, const char *text,
                                   const sa_lab_explanation_symbol *letters);

/* Hand out numbers under a key and the letters of the paper. */
void sa_lab_explanation_number(sa_lab_explanation *out, const char *name, const char *letters,
                               double x);
void sa_lab_explanation_vector(sa_lab_explanation *out, const char *name, const char *letters,
                               sa_mat x);
void sa_lab_explanation_counts(sa_lab_explanation *out, const char *name, const char *letters,
                               sa_mat x);
void sa_lab_explanation_matrix(sa_lab_explanation *out, const char *name, const char *letters,
                               sa_mat x, sa_explain_rows about);
/* One number for each word: those of a vector x; `chosen`: the row that is written, or -1. */
void sa_lab_explanation_column(sa_lab_explanation *out, const char *name, const char *letters,
                               sa_mat x, sa_explain_rows about, int chosen);
/* The same about source words, with the terms [S x terms] that each is the sum of, divided by
 * `divisor`. */
void sa_lab_explanation_sums(sa_lab_explanation *out, const char *name, const char *letters,
                             sa_mat x, sa_mat terms, double divisor);

/* exp(e - shift) of one row, and their sum. No shift unless the exponential would become unwieldy.
 */
double sa_lab_explanation_exp(sa_mat e, sa_mat out, double *shift);

#endif
