/* cli: what the commands share. Describes a command and parses its arguments (command.c); opens the
 * MODEL, PAIRS and files of lines that the command line names (inputs.c); writes results to
 * standard output or a file, and reports every write error; prints messages and progress on
 * standard error; catches the signals that stop a training (output.c). */
#pragma once

#include "base/file.h"
#include "config/settings.h"
#include "metrics/metrics.h"
#include "report/html_report.h"

#include <signal.h>

/* For option tables, in addition to base/option.h: RUN is a field of command_options, the struct
 * that each file declares for the options of its command, and AT its offset; ONLY is all of a
 * struct, if there is one option. CLI_TEXT is an option of kind TEXT, INPUT, OUTPUT or FOLDER, with
 * the names of its choices or files. */
#define AT(field) offsetof(command_options, field)
#define RUN(field) SA_SCOPE_RUN, AT(field)
#define ONLY SA_SCOPE_RUN, 0
#define CLI_TEXT(kind, place, names, unit) SA_OPTION_##kind, place, 0, 0, 0, names, NULL, 0, unit
/* A folder, and the names of the files written into it, with wildcards. */
#define CLI_FOLDER(place, ...) SA_OPTION_FOLDER, place, 0, 0, 0, NULL, __VA_ARGS__, "DIR"

/* Options with offsets that begin `at` bytes into the command's struct. */
typedef struct cli_option_set {
    const char *title;
    const sa_option *options;
    size_t at;
    const char *const *zero; /* options whose default is 0 in this command; ends with NULL */
    void *own;               /* the struct of the options; NULL: the command's */
} cli_option_set;

/* The options of a command that has only --json, which sets a bool. */
extern const sa_option cli_json_rows[];

typedef struct cli_command cli_command;

enum { CLI_WORDS = 128, CLI_SETS = 7 }; /* more than any command has */

/* A command line and what parsing it has given. */
typedef struct cli_call {
    const cli_command *command;
    int count;
    char **arguments;             /* [count] after the command's name */
    void *options;                /* the command's struct, initialized to the defaults */
    const char *words[CLI_WORDS]; /* NULL: not given */
} cli_call;

struct cli_command {
    const char *name;
    const char *words;             /* the arguments that are not options: "MODEL [FILE]" */
    int most;                      /* most words where "..." leaves the number open */
    unsigned texts;                /* bit i: word i is not a file name */
    const char *summary;           /* one line; help.md has the paragraphs and the example */
    size_t size;                   /* of the struct of its options */
    cli_option_set sets[CLI_SETS]; /* NULL options end the list */
    /* Returns whether a result goes to standard output, apart from options with the value "-".
     * NULL: yes */
    bool (*prints)(const void *options);
    /* Runs the command after cli_read. An error without text only sets the exit code. */
    bool (*run)(cli_call *call, sa_error *error);
    const char *first; /* options that the help shows first; NULL: none */
    const char *items; /* title of a list in the help, such as the presets; NULL: none */
    sa_info *item;     /* lists them; the first line of the first text explains an item */
};

extern const cli_command cli_corpus, cli_train, cli_translate, cli_align, cli_attribute, cli_eval,
    cli_score, cli_compare, cli_attend, cli_explain, cli_gradcheck, cli_prove, cli_inspect, cli_bpe,
    cli_align_words, cli_clean, cli_film, cli_average, cli_annotations, cli_models, cli_help;

/* The commands in the order of the help, ending with NULL; main may set others. */
extern const cli_command *const *cli_commands;

extern const unsigned char cli_help_text[]; /* help.md, which the build embeds */

/* Returns the command; NULL and SA_USAGE, which suggests the nearest name, if there is none. */
const cli_command *cli_find(const char *name, sa_error *error);

/* Returns the i-th set of a command's options, NULL after the last, which all commands have. */
const cli_option_set *cli_option_set_at(const cli_command *command, size_t i);

/* Returns the i-th option of all these sets and its set, NULL after the last. */
const sa_option *cli_option_at(const cli_command *command, size_t i, const cli_option_set **set);

/* `prints` of the commands whose results are files. */
bool cli_prints_nothing(const void *options);

/* Returns the largest number of words that a command takes. */
int cli_most_words(const cli_command *command);

/* Fills in the defaults of a command's options. */
void cli_options_init(const cli_command *command, void *options);

/* Parses the arguments into the options and words of the call; options that do not occur keep their
 * values. A switch is --name or --name=no. SA_USAGE names an argument that is unknown, repeated,
 * invalid or missing, a file that would be both read and replaced or written twice, or two results
 * on standard output. Two paths are the same file if they resolve to the same path or inode. */
bool cli_read(cli_call *call, sa_error *error);

/* Fails with SA_USAGE if the command's words include an option that was not given. */
bool cli_check_needed(const cli_call *call, sa_error *error);

/* Initializes the settings, which are part of the options, from a preset and reads the arguments
 * again, so that single options override it in any order. preset NULL: the default of the model
 * family. */
bool cli_read_preset(cli_call *call, sa_settings *settings, const char *preset, sa_error *error);

/* Runs the command that the arguments of main name, and returns the exit code. `agree`, if not
 * NULL, decides whether the command succeeded. */
int cli_run(int argc, char **argv, bool (*agree)(bool good, sa_error *error));

/* ---- Inputs ---------------------------------------------------------------------------------- */

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

/* Opens a model that is used in one thread. */
sa_model *cli_model_open_alone(const char *path, int max_len, sa_error *error);

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

/* Lines of a file. A line from a terminal or pipe is available before the next one arrives. */
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

/* ---- Results and messages -------------------------------------------------------------------- */

/* Opens closed standard streams on /dev/null, so that no other file gets their numbers. From then
 * on the process exits if memory for JSON runs out. */
void cli_output_init(void);

/* Writes the buffer to standard output and releases it. On a terminal, escapes all control
 * characters except line ends and tabs, because words of a file or model must not control the
 * terminal. */
bool cli_print(sa_buffer *buffer, sa_error *error);

/* The program's name in messages: "softalign" unless main changes it. */
extern const char *cli_name;

/* --quiet of every command: only errors are printed on standard error. */
extern bool cli_quiet;

/* Another process runs the same command and prints and writes for both. */
extern bool cli_follows;

/* Prints a message, one escaped line, on standard error, except with --quiet. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes a number with four decimals, or "-" for NaN, to `text` and returns it. */
const char *cli_number(char text[32], double number);
/* Prints each line of the text as a message. */
void cli_note_lines(const char *text);
/* Notes how many translations end at --max-ratio, and the line of the first. */
void cli_note_cut(size_t count, size_t line, double max_ratio);
/* Prints the error, even with --quiet. */
void cli_note_error(const sa_error *error);

/* Appends a line, wrapped at 80 columns and indented to `column`. */
void cli_wrap(sa_buffer *out, const char *line, size_t column);

/* Prints JSON and releases it. */
bool cli_print_json(json_t *value, sa_error *error);

/* Writes the buffer to `path` and notes that, or prints it if the path is "-". Releases the
 * buffer. */
bool cli_save(const char *path, sa_buffer *buffer, sa_error *error);

/* Begins the page of `command` about one model, the file or folder `path`. The title joins `of`,
 * its name and `more`. settings: may be NULL. */
void cli_begin_page(sa_html_report *report, const char *command, const char *of, const char *path,
                    const char *more, const sa_settings *settings);
/* Adds the texts to the page and saves it if it is `complete`; releases it. */
bool cli_end_page(sa_html_report *report, bool complete, const sa_page_text *text, const char *path,
                  sa_error *error);

/* Notes what was written into a folder: those of the listed files that exist. */
void cli_note_folder(const char *folder, const char *const files[]);

/* ---- Progress and signals --------------------------------------------------------------------
 * The progress of a training is one line redrawn in place on a terminal, a line every few seconds
 * in a file, a pipe or a dumb terminal. While a training runs, the first SIGINT, SIGTERM or SIGHUP
 * requests a stop and the second one ends the process. While pairs are read there is nothing to
 * save, and the first one ends it. A signal that was ignored when the program started stays
 * ignored. */

typedef struct cli_progress {
    bool terminal;
    double last; /* time of the last line about an update; < 0: there was none yet */
} cli_progress;

/* Returns whether TERM is missing or "dumb". */
bool cli_is_dumb(void);

void cli_progress_init(cli_progress *progress);

/* `report` of sa_train_options; `context` is a cli_progress. */
void cli_progress_report(void *context, const sa_progress *report);

/* Clears the line that is redrawn in place. */
void cli_progress_end(cli_progress *progress);

/* Returns a pointer to the number of the caught signal, or to 0. */
const volatile sig_atomic_t *cli_signals_stop(void);

/* Makes signals request a stop; calling it again changes nothing. */
void cli_signals_catch(void);

/* Lets signals end the process again, unless one was caught. */
void cli_signals_release(void);
