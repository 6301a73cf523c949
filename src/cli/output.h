/* output: writes results to standard output or a file, and reports every write error; messages and
 * progress on standard error; signals that stop a training. */
#pragma once

#include "metrics/metrics.h"
#include "report/html_report.h"

#include <signal.h>

/* Opens closed standard streams on /dev/null, so that no other file gets their numbers. From then
 * on the process exits if memory for JSON runs out. */
void cli_output_init(void);

/* Writes the buffer to standard output and releases it. On a terminal, escapes all control
 * characters except line ends and tabs, because words of a file or model must not control the
 * terminal. */
bool cli_print(sa_buffer *buffer, sa_error *error);
/* Prints a picture with its colors and direction marks; its words are already escaped. */
bool cli_print_picture(sa_buffer *buffer, sa_error *error);

/* The program's name in messages: "softalign" unless main changes it. */
extern const char *cli_name;

/* Options of every command: what it prints on standard error besides errors. */
typedef struct cli_messages {
    bool quiet;
} cli_messages;
extern cli_messages cli_said;

/* Another process runs the same command and prints and writes for both. */
extern bool cli_follows;

extern const sa_option cli_messages_options[];

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

/* Note what was written into a folder: those of the listed files that exist; and the files of the
 * pairs `first` to `last`, from 1. */
void cli_note_folder(const char *folder, const char *const files[]);
void cli_note_numbered(const char *folder, const char *ending, size_t first, size_t last);

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
