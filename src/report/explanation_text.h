/* paper: an explanation as pages to read, 100 columns wide: an equation on the left, its place in
 * the literature on the right, the numbers below. */
#ifndef SA_REPORT_PAPER_H
#define SA_REPORT_PAPER_H

#include "base/memory.h"

enum {
    SA_PAPER_WIDTH = 100,
    SA_PAPER_LABEL = 18, /* columns in front of numbers */
    SA_PAPER_COLUMNS = 8,
    SA_PAPER_BEST = 5, /* words of the vocabulary that are shown */
};

/* A column of a table. */
typedef struct sa_paper_column {
    char letters[32];
    double *numbers; /* [rows], then the terms [rows * terms] */
    int terms;
    double divisor;
} sa_paper_column;

/* Columns about the same words stand side by side, so they wait for each other. */
typedef struct sa_paper_table {
    sa_explained_about about;
    const char *const *row;
    int rows, chosen;
    sa_paper_column column[SA_PAPER_COLUMNS];
    int columns;
} sa_paper_table;

typedef struct sa_paper {
    int digits;    /* behind the point */
    bool wide;     /* long vectors and large matrices in full */
    sa_buffer out; /* whoever uses it checks out.failed */
    bool titled;
    int step, head; /* where it stands */
    char citation[128];
    sa_paper_table table;
    int word[SA_PAPER_BEST + 1], words; /* of the vocabulary: those shown last */
} sa_paper;

/* What sa_explaining.each hands out. */
void sa_paper_add(sa_paper *paper, const sa_explained_pair *pair, const sa_explained *line);
/* Gives everything back. */
void sa_paper_release(sa_paper *paper);

/* ---- Tables: paper_table.c ------------------------------------------------------------------- */

/* Whether a line can stand beside the columns that wait (or may begin a table); then hold it. */
bool sa_paper_beside(const sa_paper *paper, const sa_explained *line);
void sa_paper_hold(sa_paper *paper, const sa_explained *line);
/* Writes the table, if there is one, and gives it back. */
void sa_paper_table_end(sa_paper *paper);
void sa_paper_table_release(sa_paper_table *table);

/* ---- For both -------------------------------------------------------------------------------- */

/* A number as text; "" for NaN. Returns its columns. */
int sa_paper_number(double value, int digits, char *out, size_t room);
/* Columns of the widest of `count` numbers. */
int sa_paper_span(const double *numbers, size_t count, int digits);
void sa_paper_spaces(sa_paper *paper, int count);
/* "  3 word     ": what stands in front of row i. */
void sa_paper_label(sa_paper *paper, const sa_explained *line, int i);

#endif
