/* inputs: MODEL, PAIRS and lines of text, which the command line names. A line from a terminal or
 * pipe is available before the next one arrives. */
#pragma once

#include "base/file.h"
#include "config/settings.h"

/* What the help says of --max-len where a longer sentence is an error, and of --precision. */
#define CLI_MAX_LEN "longest sentence that is read, in tokens per side; a longer one is an error"
#define CLI_PRECISION                                                                              \
    "products of weights, whatever the model was trained with: float32, or of operands "           \
    "rounded to bf16"

/* Opens it to read sentences of up to max_len tokens and notes denormal numbers and what is slow.
 * `force_attention`, the option's value, is read into *override; both may be NULL. */
sa_model *cli_model_open(const char *path, int threads, int precision, int max_len,
                         const char *force_attention, sa_attention_override *override,
                         sa_error *error);

/* Reads the settings of the model alone. */
bool cli_settings_of(const char *path, sa_settings *settings, sa_error *error);

/* The row of --columns: its name, field and help. */
#define CLI_COLUMNS(field)                                                                         \
    "columns", CLI_TEXT(TEXT, RUN(field), NULL, "LIST"),                                           \
        "columns of source and target in the files of pairs, and perhaps of word links and "       \
        "identifiers: numbers from 1 or names of a header, of JSON keys, of TMX languages, such "  \
        "as 2,4 or en,fr"

/* Opens pairs and notes how they are read. */
bool cli_corpus_open(sa_corpus *corpus, const char *path, const char *columns, sa_error *error);

/* The same for pairs whose alignments and numbers matter; notes why alignments are not read, and
 * which lines are skipped. */
bool cli_pairs_open(sa_corpus *corpus, const char *path, const char *columns, sa_error *error);

/* For an output with a line for each line of the input: adds empty ones for those that were skipped
 * before pair `next`, or after the last where it is their number. */
void cli_add_skipped(const sa_corpus *corpus, size_t next, sa_buffer *out);

/* Of a pair the library may know the line but not the file: "line 3 ..." becomes "PATH:3 ...".
 * Returns false. */
bool cli_pairs_fail(const char *path, sa_error *error);

/* Notes a tab in a file of plain sentences. */
void cli_note_tab(const char *name, size_t line);

/* Calls `each` with every line of a file; from->lines.number is the line's. false: it was false, or
 * as of sa_text_lines_next. */
typedef bool cli_line(void *context, const char *line, size_t size, const sa_text_lines *from,
                      sa_error *error);
bool cli_each_line(const char *path, cli_line *each, void *context, sa_error *error);
/* The same of a file that is open, which it closes. */
bool cli_lines_each(sa_text_lines *reader, cli_line *each, void *context, sa_error *error);

typedef struct cli_input {
    sa_text_lines reader;
    bool interactive; /* a terminal or pipe: the reader's file holds the complete lines so far */
    bool ended;       /* end of input */
    size_t received;  /* bytes, with the beginning of an incomplete line */
    size_t capacity;
    bool first_column; /* set by the caller: lines end at their first tab */
    size_t tab_line;   /* the first line with a tab so far, from 1; 0: none */
} cli_input;

/* path: NULL or "-" is standard input; it must outlive the input. A file may be gzip. The reader is
 * to be closed. */
bool cli_input_open(cli_input *input, const char *path, sa_error *error);

/* The next lines, valid UTF-8 without line ends, until the next call: at least one, at most
 * max_lines, and only those that are available. *count is 0 at the end of the input. */
bool cli_input_next(cli_input *input, const char **lines, size_t max_lines, size_t *count,
                    sa_error *error);
