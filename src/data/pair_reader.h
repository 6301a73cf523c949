/* pair_reader: a file of pairs in any format, row by row: tab-separated, CSV, JSON lines, TMX ...
 */
#pragma once

#include "data/records.h"

enum { SA_PAIR_SOURCE, SA_PAIR_TARGET, SA_PAIR_GOLD, SA_PAIR_ID, SA_PAIR_TEXTS };

typedef struct sa_pair_reader {
    sa_records records;
    const struct sa_pair_format *format;
    char *columns;                     /* the text of `wanted` */
    const char *wanted[SA_PAIR_TEXTS]; /* name or number of each column; NULL: not given */
    size_t at[SA_PAIR_TEXTS];          /* its position, from 0; SIZE_MAX: it is not read */
    bool found[SA_PAIR_TEXTS];         /* some row has it */
    bool begun;                        /* a row that is not blank was read */
    size_t width;                      /* cells of every row of CSV; 0: none was read */
    size_t count;                      /* rows so far, without a header */
    char *text[SA_PAIR_TEXTS];         /* of the current row; NULL: it has none */
    sa_buffer note;                    /* for the user: how the file is read; may be empty */
} sa_pair_reader;

/* Recognizes the format by the end of the path or by the content. columns: "2,4", "en,fr": those of
 * source and target, then of links and identifiers; NULL: the first ones, or those that a header
 * tells. `path` must outlive the reader. */
bool sa_pair_reader_open(sa_pair_reader *reader, const char *path, const char *columns,
                         sa_error *error);

/* The next row but the header; records.line is its line. false at the end, or with *failed set;
 * SA_USAGE: there are no such columns. */
bool sa_pair_reader_next(sa_pair_reader *reader, bool *failed, sa_error *error);

/* Whether the file is lines of SOURCE TAB TARGET. */
bool sa_pair_reader_is_plain(const sa_pair_reader *reader);

void sa_pair_reader_close(sa_pair_reader *reader);
