/* grid: a matrix of numbers as CSV, with optional labels. */
#ifndef SA_REPORT_GRID_H
#define SA_REPORT_GRID_H

#include "base/memory.h"

typedef struct sa_grid {
    int rows, cols;
    const double *numbers;     /* [rows * cols]; NaN leaves the cell empty */
    const char *const *row;    /* [rows] labels, or NULL */
    const char *const *column; /* [cols] labels, or NULL */
    bool exact; /* numbers are doubles; else floats are written as such, with fewer digits */
} sa_grid;

/* Appends it: RFC 4180 with LF, labels as of sa_csv_cell_add, numbers in the shortest form that is
 * read back exactly. With labels on both sides the first cell is empty. out->failed: memory. */
void sa_grid_csv(const sa_grid *grid, sa_buffer *out);

#endif
