/* csv: a table of numbers read from a CSV file, perhaps with words around it.
 *
 * Cells are separated by commas and may be quoted (RFC 4180, one line per row); numbers have '.' as
 * the decimal point in every locale. Words are recognised because they are no numbers:
 *
 *   the first row       holds the words of the columns if no cell of it looks like a number, or if
 *                       its first cell is empty and another one is a word
 *   the first column    holds the words of the rows if the first row of numbers begins with a word,
 *                       or below an empty first cell
 *
 * So the heatmaps that this program writes are read back. */
#ifndef SA_DATA_NUMBER_TABLE_H
#define SA_DATA_NUMBER_TABLE_H

#include "data/text_lines.h"

typedef struct sa_number_table {
    int rows, cols; /* both at least 1 */
    double *numbers;
    const char **row;     /* [rows] words at the heads of the rows, or NULL */
    const char **column;  /* [cols] words of the first row, or NULL */
    sa_text_lines reader; /* its file holds the words */
    const char **header;  /* the first row as it came, or NULL */
} sa_number_table;

/* Reads the file ("-": standard input). SA_DATA names file and line, and the cell counted from 1,
 * when one is missing or is no finite number, or a row has more or fewer cells than the others.
 * `path` must outlive the table. */
bool sa_number_table_open(sa_number_table *table, const char *path, sa_error *error);
void sa_number_table_close(sa_number_table *table);

#endif
