/* grid: a matrix of numbers as CSV, with words around it where there are any. */
#ifndef SA_REPORT_GRID_H
#define SA_REPORT_GRID_H

#include "base/memory.h"

typedef struct sa_grid {
    int rows, cols;
    const double *numbers;     /* [rows * cols]; NaN leaves the cell empty */
    const char *const *row;    /* [rows] words at the heads of the rows, or NULL */
    const char *const *column; /* [cols] words of the first row, or NULL */
    bool exact;                /* every digit of a double; else those of a float where it is one */
} sa_grid;

/* Appends it (RFC 4180, lines end in LF, words as sa_csv_cell_add writes them, numbers in as few
 * digits as name them). With words on both sides the first cell is empty. Whoever uses `out` checks
 * out->failed. */
void sa_grid_csv(const sa_grid *grid, sa_buffer *out);

#endif
