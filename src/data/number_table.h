/* number_table: reads a table of numbers from a CSV file, with or without row and column labels.
 *
 * Cells are separated by commas and may be quoted (RFC 4180, one line per row); '.' is the decimal
 * point in every locale. Labels are recognized because they are not numbers:
 *
 *   the first row       contains column labels if none of its cells looks like a number, or if its
 *                       first cell is empty and another one is a word
 *   the first column    contains row labels if the first row of numbers begins with a word, or
 * below an empty first cell
 *
 * The heatmaps of this program are in this format. */
#ifndef SA_DATA_NUMBER_TABLE_H
#define SA_DATA_NUMBER_TABLE_H

#include "data/text_lines.h"

typedef struct sa_number_table {
    int rows, cols; /* both at least 1 */
    double *numbers;
    const char **row;     /* [rows] row labels, or NULL */
    const char **column;  /* [cols] column labels, or NULL */
    sa_text_lines reader; /* its file owns the labels */
    const char **header;  /* all cells of the first row, or NULL */
} sa_number_table;

/* Reads the file ("-": standard input). SA_DATA names file, line and cell (from 1) when a number is
 * missing or not finite, or a row has a different number of cells. `path` must outlive the table.
 */
bool sa_number_table_open(sa_number_table *table, const char *path, sa_error *error);
void sa_number_table_close(sa_number_table *table);

#endif
