/* records: a file as rows of cells, and what its readers (CSV, JSON lines, TMX) share. */
#pragma once

#include "base/file.h"

typedef struct sa_records {
    sa_text_lines text;
    size_t line; /* of the file, where the current row begins; from 1 */
    char **cell; /* [cells] of the current row; NULL: it lacks this one */
    size_t cells, cell_capacity;
    char **name; /* [cells] where every row names its cells, as they first appear; else NULL */
    size_t name_capacity;
    /* CSV: */
    char separator;
    bool trims;   /* blanks around cells without quotes are left out */
    bool special; /* cells so far needed their quotes: a quote, a separator, a line end in them */
    bool quoted, bare; /* there were cells with quotes, and words without */
    void *parser;      /* of TMX */
} sa_records;

/* What reads the next row: false at the end, or with *failed set, as sa_text_lines_next. */
typedef bool sa_records_next(sa_records *records, bool *failed, sa_error *error);

/* A line with a JSON object; the strings of an object inside count as its own. */
sa_records_next sa_jsonl_next;

/* A unit of TMX, whose cells are called as their languages. Inline codes are left out. Entities
 * that are declared are refused, and so is everything without expat. */
sa_records_next sa_tmx_next;

/* The cell of this name, also of "en-US" after "en"; a new one is empty. SIZE_MAX: out of memory.
 */
size_t sa_records_name(sa_records *records, const char *name, sa_error *error);

void sa_records_close(sa_records *records);
