/* explanation: an explanation as text, 100 columns wide. An equation stands on the left, its
 * citation on the right, the numbers below; columns about the same words stand side by side. */
#pragma once

#include "base/memory.h"

#include <jansson.h>
#include <softalign/lab.h>

enum {
    SA_EXPLANATION_LABEL = 18, /* columns in front of numbers */
    SA_EXPLANATION_COLUMNS = 8,
    SA_EXPLANATION_TEXT_CAPACITY = 512, /* bytes; no number is longer */
};

typedef struct sa_explanation_column {
    char letters[32];
    double *numbers; /* [rows] */
    int width;       /* columns of a number */
} sa_explanation_column;

typedef struct sa_explanation {
    int digits;    /* after the decimal point */
    bool wide;     /* long vectors in full */
    json_t *roles; /* names of the heads by what they do, or NULL; the caller's */
    sa_buffer out; /* out.failed: memory ran out */
    bool titled;
    int step, head; /* of the last value */
    char citation[128];
    sa_explain_value table; /* about the same words; it is kept until it is complete */
    sa_explanation_column column[SA_EXPLANATION_COLUMNS];
    int columns;
} sa_explanation;

/* The `each` of sa_explain_options. */
void sa_explanation_add(void *explanation, const sa_explain_pair *pair,
                        const sa_explain_value *line);
void sa_explanation_release(sa_explanation *explanation);

/* Writes a number as text, "" for NaN, and returns its columns. */
int sa_explanation_format_number(double value, int digits, char out[SA_EXPLANATION_TEXT_CAPACITY]);
