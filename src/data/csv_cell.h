/* csv_cell: words as cells of CSV files (RFC 4180), for spreadsheets and for programs. */
#ifndef SA_DATA_CSV_CELL_H
#define SA_DATA_CSV_CELL_H

#include "base/memory.h"

/* Appends a word, in quotes where it needs them. One that a spreadsheet would run as a formula (it
 * begins with = + - @, their full-width forms, a tab, LF or CR) gets a leading '; so does one that
 * begins with ' before such a character, so that a reader strips exactly one. */
void sa_csv_cell_add(sa_buffer *out, const char *word);

/* Appends a word as it is, in quotes where it needs them: for readers that run no formulas. */
void sa_csv_cell_add_plain(sa_buffer *out, const char *word);

/* The word of an unquoted cell, without the ' that sa_csv_cell_add put before it. */
const char *sa_csv_cell_unescape(const char *text);

#endif
