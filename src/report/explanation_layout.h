/* explanation_layout: the text of an explanation, 100 columns wide: its state, and numbers and row
 * labels in columns. */
#ifndef SA_REPORT_EXPLANATION_LAYOUT_H
#define SA_REPORT_EXPLANATION_LAYOUT_H

#include "base/memory.h"

enum {
    SA_EXPLANATION_WIDTH = 100,
    SA_EXPLANATION_INDENT = 4,
    SA_EXPLANATION_LABEL = 18, /* columns in front of numbers */
    SA_EXPLANATION_COLUMNS = 8,
    SA_EXPLANATION_BEST = 5,            /* most probable words that are shown */
    SA_EXPLANATION_TEXT_CAPACITY = 512, /* bytes; no number is longer */
};

typedef struct sa_explanation_column {
    char letters[32];
    double *numbers; /* [rows], then the terms [rows * terms] */
    int terms;
    double divisor;
} sa_explanation_column;

/* Columns about the same words stand side by side, so a table is kept until it is complete. */
typedef struct sa_explanation_table {
    sa_explain_rows about;
    const char *const *row;
    int rows, chosen;
    sa_explanation_column column[SA_EXPLANATION_COLUMNS];
    int columns;
} sa_explanation_table;

typedef struct sa_explanation {
    int digits;    /* after the decimal point */
    bool wide;     /* long vectors and large matrices in full */
    sa_buffer out; /* out.failed: memory ran out */
    bool titled;
    int step, head; /* of the last value */
    char citation[128];
    sa_explanation_table table;
    int word[SA_EXPLANATION_BEST + 1], words; /* target words of the last vocabulary table */
} sa_explanation;

/* A number as text; "" for NaN. Returns its columns. */
int sa_explanation_format_number(double value, int digits, char *out, size_t capacity);
/* Columns of the widest number. */
int sa_explanation_number_width(const double *numbers, size_t count, int digits);
void sa_explanation_pad(sa_explanation *explanation, int count);
/* Appends a label of this many columns, and spaces up to the numbers. */
void sa_explanation_add_label(sa_explanation *explanation, const char *label, int columns);
/* Appends the label of row i: "  3 word     ". */
void sa_explanation_add_row_label(sa_explanation *explanation, const sa_explain_value *line, int i);

#endif
