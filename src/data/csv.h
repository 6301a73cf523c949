/* csv: cells and rows of CSV files (RFC 4180), and tables of numbers. */
#pragma once

#include "data/records.h"

/* ---- Cells ----------------------------------------------------------------------------------- */

/* How words are written: as they are; escaped for spreadsheets, which run formulas; escaped and all
 * in quotes. */
typedef enum sa_csv_words { SA_CSV_PLAIN, SA_CSV_ESCAPED, SA_CSV_QUOTED } sa_csv_words;

/* Appends a word, in quotes where it needs them. One that a spreadsheet would run as a formula (it
 * begins with = + - @, their full-width forms, a tab, LF or CR) gets a leading ', unless words are
 * plain; so does one that begins with ' before such a character, so that a reader strips exactly
 * one. */
void sa_csv_cell_add(sa_buffer *out, const char *word, sa_csv_words words);

/* The word of an unquoted cell, without the ' that sa_csv_cell_add put before it. */
const char *sa_csv_cell_unescape(const char *text);

/* The next row; a quoted cell may go on in further lines, whose ends become spaces. *failed, with
 * SA_DATA, also where quotes do not end. */
sa_records_next sa_csv_next;

/* ---- Tables of numbers ----------------------------------------------------------------------- */

typedef struct sa_number_table {
    int rows, cols; /* both at least 1 */
    double *numbers;
    const char **row;    /* [rows] row labels, or NULL */
    const char **column; /* [cols] column labels, or NULL */
    sa_records source;   /* its file owns the labels */
    const char **header; /* all cells of the first row, or NULL */
} sa_number_table;

/* Reads the file ("-": standard input), in which scores may be -inf. SA_DATA names file, line and
 * cell (from 1) when a number is missing or not finite, or a row has a different number of cells.
 * `path` must outlive the table.
 */
bool sa_number_table_open(sa_number_table *table, const char *path, bool scores, sa_error *error);
/* The same of a table that is 0 but for the open text of its source; after a failure, too, it is to
 * be closed. */
bool sa_number_table_read(sa_number_table *table, bool scores, sa_error *error);
void sa_number_table_close(sa_number_table *table);
