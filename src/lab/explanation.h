/* page: the explanation of a pass, handed out line by line: equations, and the numbers that belong
 * to them. */
#ifndef SA_LAB_PAGE_H
#define SA_LAB_PAGE_H

#include "base/memory.h"
#include "lab/lab.h"
#include "lab/run.h"

typedef struct sa_page {
    const sa_lab_explaining *job;
    const sa_lab_run *run;
    int i;             /* the target position, from 1 */
    sa_explained line; /* the one that comes next */
    sa_buffer equation;
    sa_arena room; /* for what a step does not keep; given back after every section */
} sa_page;

static inline const sa_decoder *sa_page_decoder(const sa_page *page) {
    return &page->run->w.decoder;
}

bool sa_page_open(sa_page *page, const sa_lab_explaining *job, const sa_lab_run *run,
                  sa_error *error);
/* False when memory had run out. */
bool sa_page_close(sa_page *page, sa_error *error);

/* Begins a section and gives the room of the one before back. */
void sa_page_section(sa_page *page, const char *title);

/* A matrix that holds until the section ends. */
sa_mat sa_page_take(sa_page *page, int rows, int cols);

/* W x + b, for a vector x, in such a matrix. */
sa_mat sa_page_linear(sa_page *page, sa_mat W, sa_mat b, sa_mat x);

/* The equation that the next lines belong to, made by sa_page_write and sa_page_fill, which append
 * to it; then where it stands. */
void sa_page_write(sa_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sa_page_cite(sa_page *page, const char *citation);

typedef struct sa_page_letter {
    const char *from, *to;
} sa_page_letter;

/* Appends an equation in which every letter `from` of the list, which ends with NULL, is replaced.
 * A letter is a run of letters, digits, _ and ~. */
void sa_page_fill(sa_page *page, const char *text, const sa_page_letter *letters);

/* Hand out numbers under a key and the letters of the paper. */
void sa_page_number(sa_page *page, const char *name, const char *letters, double x);
void sa_page_vector(sa_page *page, const char *name, const char *letters, sa_mat x);
void sa_page_counts(sa_page *page, const char *name, const char *letters, sa_mat x);
void sa_page_matrix(sa_page *page, const char *name, const char *letters, sa_mat x,
                    sa_explained_about about);
/* One number for each word: those of a vector x; `chosen`: the row that is written, or -1. */
void sa_page_column(sa_page *page, const char *name, const char *letters, sa_mat x,
                    sa_explained_about about, int chosen);
/* The same about source words, with the terms [S x terms] that each is the sum of, divided by
 * `divisor`. */
void sa_page_sums(sa_page *page, const char *name, const char *letters, sa_mat x, sa_mat terms,
                  double divisor);

/* exp(e - shift) of one row, and their sum. No shift unless the exponential would become unwieldy.
 */
double sa_page_exp(sa_mat e, sa_mat out, double *shift);

#endif
