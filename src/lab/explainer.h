/* explainer: passes the explanation of a forward pass to the caller value by value, each with the
 * equation it comes from. */
#ifndef SA_LAB_EXPLAINER_H
#define SA_LAB_EXPLAINER_H

#include "base/memory.h"
#include "lab/lab.h"
#include "lab/lab_model.h"

typedef struct sa_explainer {
    const sa_lab_explain_job *job;
    const sa_lab_model *model;
    int i;                 /* target position, from 1 */
    sa_explain_value line; /* the next one */
    sa_buffer equation;
    sa_arena arena; /* for values that the pass does not keep; reset by every section */
} sa_explainer;

static inline const sa_decoder *sa_explainer_decoder(const sa_explainer *out) {
    return &out->model->w.decoder;
}

bool sa_explainer_open(sa_explainer *out, const sa_lab_explain_job *job, const sa_lab_model *model,
                       sa_error *error);
/* Fails when memory ran out since sa_explainer_open. */
bool sa_explainer_close(sa_explainer *out, sa_error *error);

/* Begins a section; matrices of the previous one are no longer valid. */
void sa_explainer_section(sa_explainer *out, const char *title);

/* A matrix that is valid until the section ends. */
sa_mat sa_explainer_alloc(sa_explainer *out, int rows, int cols);

/* W x + b for a vector x. */
sa_mat sa_explainer_linear(sa_explainer *out, sa_weight W, sa_mat b, sa_mat x);

/* sa_explainer_write and sa_explainer_substitute append to the equation of the next value,
 * sa_explainer_cite names the paper it stands in. */
void sa_explainer_write(sa_explainer *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sa_explainer_cite(sa_explainer *out, const char *citation);

typedef struct sa_explainer_symbol {
    const char *from, *to;
} sa_explainer_symbol;

/* Appends an equation in which every symbol `from` is replaced by its `to`; the list ends with
 * NULL. A symbol is a run of letters, digits, _ and ~. */
void sa_explainer_substitute(sa_explainer *out, const char *text,
                             const sa_explainer_symbol *symbols);

/* Pass on values; name: their key; letters: what the paper calls them. */
void sa_explainer_number(sa_explainer *out, const char *name, const char *letters, double x);
void sa_explainer_vector(sa_explainer *out, const char *name, const char *letters, sa_mat x);
void sa_explainer_integers(sa_explainer *out, const char *name, const char *letters, sa_mat x);
void sa_explainer_matrix(sa_explainer *out, const char *name, const char *letters, sa_mat x,
                         sa_explain_rows about);
/* A vector with one number per word; chosen: the row of the reference token, or -1. */
void sa_explainer_column(sa_explainer *out, const char *name, const char *letters, sa_mat x,
                         sa_explain_rows about, int chosen);
/* One number per source word, each the sum of its row of terms [S x n] divided by `divisor`. */
void sa_explainer_sums(sa_explainer *out, const char *name, const char *letters, sa_mat x,
                       sa_mat terms, double divisor);

/* exp(e - shift) of one row into `out`; returns the sum. The shift is 0 where exp(e) is readable as
 * it is. */
double sa_explainer_exp(sa_mat e, sa_mat out, double *shift);

#endif
