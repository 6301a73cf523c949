/* paper: an explanation as pages to read, 100 columns wide: an equation on the left, its place in
 * the literature on the right, the numbers below. */
#ifndef SA_REPORT_PAPER_H
#define SA_REPORT_PAPER_H

#include "base/memory.h"

enum {
    SA_EXPLANATION_WIDTH = 100,
    SA_EXPLANATION_LABEL = 18, /* columns in front of numbers */
    SA_EXPLANATION_COLUMNS = 8,
    SA_EXPLANATION_BEST = 5, /* words of the vocabulary that are shown */
};

/* A column of a table. */
typedef struct sa_explanation_column {
    char letters[32];
    double *numbers; /* [rows], then the terms [rows * terms] */
    int terms;
    double divisor;
} sa_explanation_column;

/* Columns about the same words stand side by side, so they wait for each other. */
typedef struct sa_explanation_table {
    sa_explain_rows about;
    const char *const *row;
    int rows, chosen;
    sa_explanation_column column[SA_EXPLANATION_COLUMNS];
    int columns;
} sa_explanation_table;

typedef struct sa_explanation {
    int digits;    /* behind the point */
    bool wide;     /* long vectors and large matrices in full */
    sa_buffer out; /* whoever uses it checks out.failed */
    bool titled;
    int step, head; /* where it stands */
    char citation[128];
    sa_explanation_table table;
    int word[SA_EXPLANATION_BEST + 1], words; /* of the vocabulary: those shown last */
} sa_explanation;

/* What sa_explain_options.each hands out. */
void sa_explanation_add(sa_explanation *explanation, const sa_explain_pair *pair,
                        const sa_explain_value *line);
/* Gives everything back. */
void sa_explanation_release(sa_explanation *explanation);

/* ---- Tables: explanation_table.c
 * ------------------------------------------------------------------- */

/* Whether a line can stand beside the columns that wait (or may begin a table); then hold it. */
bool sa_explanation_fits_table(const sa_explanation *explanation, const sa_explain_value *line);
void sa_explanation_add_column(sa_explanation *explanation, const sa_explain_value *line);
/* Writes the table, if there is one, and gives it back. */
void sa_explanation_table_flush(sa_explanation *explanation);
void sa_explanation_table_release(sa_explanation_table *table);

/* ---- For both -------------------------------------------------------------------------------- */

/* A number as text; "" for NaN. Returns its columns. */
int sa_explanation_format_number(double value, int digits, char *out, size_t capacity);
/* Columns of the widest of `count` numbers. */
int sa_explanation_number_width(const double *numbers, size_t count, int digits);
void sa_explanation_pad(sa_explanation *explanation, int count);
/* "  3 word     ": what stands in front of row i. */
void sa_explanation_write_label(sa_explanation *explanation, const sa_explain_value *line, int i);

#endif
