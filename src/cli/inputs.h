/* inputs: opens the MODEL, PAIRS and files of lines that the command line names. A line from a
 * terminal or pipe is available before the next one arrives. */
#pragma once

#include "base/file.h"
#include "cli/command.h"
#include "config/settings.h"

/* The help of --max-len. */
#define CLI_MAX_LEN "longest sentence that is read, in tokens per side; a longer one is an error"

/* How a model is used. */
typedef struct cli_model_options {
    const char *force_attention; /* NULL: not given */
    int max_len, precision, threads;
} cli_model_options;

/* The options of cli_model_options, --force-attention first. */
extern const sa_option cli_model_rows[];

/* Opens a model; notes denormal numbers and slow kernels. Parses --force-attention into
 * *override, which may be NULL without it. */
sa_model *cli_model_open(const char *path, const cli_model_options *options,
                         sa_attention_override *override, sa_error *error);

/* Reads only the settings of a model. */
bool cli_settings_of(const char *path, sa_settings *settings, sa_error *error);

/* The option --columns: its name, field and help. */
#define CLI_COLUMNS(field)                                                                         \
    "columns", CLI_TEXT(TEXT, RUN(field), NULL, "LIST"),                                           \
        "columns of source and target in the files of pairs, and perhaps of word links and "       \
        "identifiers: numbers from 1 or names of a header, of JSON keys, of TMX languages, such "  \
        "as 2,4 or en,fr"

/* Opens pairs and notes how they are read. */
bool cli_corpus_open(sa_corpus *corpus, const char *path, const char *columns, sa_error *error);

/* Opens pairs whose alignments and line numbers matter; notes why it does not read alignments, and
 * which lines it skips. sources: only these are needed, and the targets may be missing. */
bool cli_pairs_open(sa_corpus *corpus, const char *path, const char *columns, bool sources,
                    sa_error *error);

/* Notes that the links of the pairs seem to count other words than the tokens of a model. */
bool cli_note_gold(const sa_corpus *corpus, const sa_settings *settings, sa_error *error);

/* Appends an empty line for each input line that was skipped before pair `next`, or after the last
 * pair if next = corpus->count. */
void cli_add_skipped(const sa_corpus *corpus, size_t next, sa_buffer *out);

/* Names the file in an error about a pair: "line 3 ..." becomes "PATH:3 ...". Returns false. */
bool cli_pairs_fail(const char *path, sa_error *error);

/* Notes a tab in a file of plain sentences. */
void cli_note_tab(const char *name, size_t line);

typedef struct cli_input {
    sa_text_lines reader;
    bool interactive; /* a terminal or pipe: the reader's file has only the complete lines so far */
    bool ended;       /* end of input */
    size_t received;  /* bytes, including the beginning of an incomplete line */
    size_t capacity;
    bool first_column; /* the caller sets it: a line ends at its first tab */
    size_t tab_line;   /* the first line with a tab so far, from 1; 0: none */
} cli_input;

/* Opens a file, which may be gzip, or standard input (NULL or "-"). path must outlive the input;
 * the caller closes the reader. */
bool cli_input_open(cli_input *input, const char *path, sa_error *error);

/* Reads the available lines, at least one and at most max_lines: valid UTF-8 without line ends,
 * valid until the next call. *count is 0 at the end of the input. */
bool cli_input_next(cli_input *input, const char **lines, size_t max_lines, size_t *count,
                    sa_error *error);
