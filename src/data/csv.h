/* csv: cells and rows of CSV files (RFC 4180), and tables of numbers. */
#pragma once

#include "data/records.h"

/* ---- Cells ----------------------------------------------------------------------------------- */

/* How words are written: as they are; escaped for spreadsheets, which run formulas; escaped and in
 * quotes. */
typedef enum sa_csv_words { SA_CSV_PLAIN, SA_CSV_ESCAPED, SA_CSV_QUOTED } sa_csv_words;

/* Appends a word, in quotes if needed. Unless words are plain, a word that a spreadsheet would run
 * as a formula (it begins with = + - @, their full-width forms, a tab, LF or CR) gets a leading ',
 * and so does a word that begins with ' before such a character, so that a reader strips exactly
 * one. */
void sa_csv_cell_add(sa_buffer *out, const char *word, sa_csv_words words);

/* Returns the word of an unquoted cell, without the ' added by sa_csv_cell_add. */
const char *sa_csv_cell_unescape(const char *text);

/* Reads a row; a quoted cell may span lines, whose ends become spaces. SA_DATA: quotes are not
 * closed. */
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

/* Reads the file ("-": standard input). An empty first cell begins a header; so do words alone, and
 * 0, 1, 2 ... of pandas above rows of fractions. True is 1, False 0; only scores may be -inf.
 * SA_DATA names file, line and cell (from 1): a number is missing or not finite, or a row has a
 * different number of cells. `path` must outlive the table. */
bool sa_number_table_open(sa_number_table *table, const char *path, bool scores, sa_error *error);
/* Reads a table, in which everything is zero except the open text of its source. Close it even
 * after a failure. */
bool sa_number_table_read(sa_number_table *table, bool scores, sa_error *error);
void sa_number_table_close(sa_number_table *table);
