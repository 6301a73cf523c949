/* table: shows results as columns of numbers, each described once for text and for JSON. */
#pragma once

#include "base/json.h"

typedef struct sa_column {
    const char *key;     /* in JSON; NULL: the column is only in text */
    const char *title;   /* in text; may be wider than the column; NULL: nothing */
    int width, decimals; /* of a cell with its unit; 0 decimals: a count */
    const char *unit;    /* after the number; NULL: nothing */
    double scale;        /* factor of the number in text; 0: 1 */
} sa_column;             /* a table ends with a width of 0; -1: only in JSON */

/* Appends the line above the rows, which begins with the title of the labels. */
void sa_table_titles(const char *label, int width, const sa_column *columns, sa_buffer *out);

/* Appends the text of a number without its unit; "-" for NaN. */
void sa_table_cell(const sa_column *column, double value, sa_buffer *out);

/* Appends a row. values: one for each column, NaN where there is none. */
void sa_table_row(const char *label, int width, const sa_column *columns, const double *values,
                  sa_buffer *out);

/* Adds the values to the object under their keys and returns it. */
json_t *sa_table_json(json_t *object, const sa_column *columns, const double *values);
