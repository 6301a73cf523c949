/* records: a file as rows of cells, with the readers of lines, JSON lines and TMX. */
#pragma once

#include "base/file.h"

typedef struct sa_records {
    sa_text_lines text;   /* its `failed`: the file or files are invalid, or memory ran out */
    sa_text_lines second; /* the other one of two parallel files */
    size_t line;          /* line of the file where the current row begins, from 1 */
    char **cell;          /* [cells] of the current row */
    size_t cells, cell_capacity;
    char **name; /* [cells] if every row names its cells; else NULL */
    size_t name_capacity;
    bool lenient; /* a line that is not text becomes a row without cells, not an error */
    /* CSV: */
    char separator;
    bool trims;        /* strips blanks around cells without quotes */
    bool special;      /* a quoted cell so far contains a quote */
    bool spans;        /* a quoted cell so far contains a separator or a line end */
    bool quoted, bare; /* some cells had quotes; some words had none */
    void *parser;      /* of TMX */
} sa_records;

/* Reads the next row. Returns false at the end, or with text.failed set. */
typedef bool sa_records_next(sa_records *records, sa_error *error);

/* Appends a cell, which stays where it is; false: out of memory. */
bool sa_records_add(sa_records *records, char *cell, sa_error *error);

/* Read a line of cells with a tab, or with " ||| ", between them. */
sa_records_next sa_tabs_next, sa_bars_next;

/* Reads a line from each of two files. SA_DATA: one has more lines. */
sa_records_next sa_two_files_next;

/* Reads a line with a JSON object. Strings of an object in it have names such as
 * "translation.en". */
sa_records_next sa_jsonl_next;

/* Reads a unit of TMX; its cells are named by their languages. Inline codes are left out. Refuses
 * declarations of entities, and any TMX in a build without expat. */
sa_records_next sa_tmx_next;

void sa_records_close(sa_records *records);
