/* pair_reader: reads sentence pairs row by row, from a file in any format (tab-separated, CSV, JSON
 * lines, TMX ...) or from two parallel files. */
#pragma once

#include "data/records.h"

enum { SA_PAIR_SOURCE, SA_PAIR_TARGET, SA_PAIR_GOLD, SA_PAIR_ID, SA_PAIR_TEXTS };

typedef struct sa_pair_reader {
    sa_records records;
    const char *name; /* of the file or files, for messages */
    const struct sa_pair_format *format;
    char *words;                       /* owns the strings of `wanted`, or a file's name */
    const char *wanted[SA_PAIR_TEXTS]; /* name or number of each column; NULL: not given */
    size_t at[SA_PAIR_TEXTS];  /* position of the column, from 0; SIZE_MAX: it is not read */
    bool found[SA_PAIR_TEXTS]; /* whether some row has the column */
    bool begun;                /* a row that is not blank was read */
    int look;     /* of a first row that the second one does not differ from: no note */
    bool guessed; /* neither the user nor a header named the columns */
    size_t width; /* cells of every row of CSV; 0: none was read */
    size_t count; /* rows so far, without a header */
    char *text[SA_PAIR_TEXTS]; /* of the current row; NULL: it has none */
    sa_buffer note;            /* for the user: how the file is read; may be empty */
} sa_pair_reader;

/* Opens the pairs at `path`, which must outlive the reader: one file, whose format is recognized by
 * the end of its name or by its content, or "SOURCE,TARGET" if there is no such file. columns:
 * "2,4", "en,fr": the columns of source and target, then of links and identifiers; NULL: the first
 * ones, or the ones that a header names. */
bool sa_pair_reader_open(sa_pair_reader *reader, const char *path, const char *columns,
                         sa_error *error);

/* Reads the next row, skipping the header; records.line is its line. Returns false at the end, or
 * with records.text.failed set. SA_USAGE: no such columns. SA_DATA: the row is broken, or one of
 * two files is longer. */
bool sa_pair_reader_next(sa_pair_reader *reader, sa_error *error);

/* Returns whether each line of the file is SOURCE TAB TARGET. */
bool sa_pair_reader_is_plain(const sa_pair_reader *reader);

void sa_pair_reader_close(sa_pair_reader *reader);
