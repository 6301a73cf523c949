/* output: results on standard output or in a file, with no write error lost; messages and progress
 * on standard error, and the signals that stop a training. */
#pragma once

#include "metrics/metrics.h"
#include "report/html_report.h"

#include <signal.h>

/* Opens closed standard streams on /dev/null, so that no file opened later becomes one of them.
 * From then on the process exits when memory for JSON runs out. */
void cli_output_init(void);

/* Writes the buffer to standard output, as sa_write_text does, and releases it. On a terminal the
 * text is made safe, all but its line ends and tabs: words of a file or a model must not go back on
 * the line or change the window. */
bool cli_print(sa_buffer *buffer, sa_error *error);
/* The same for a picture, with colors and marks of direction; its words are safe already. */
bool cli_print_picture(sa_buffer *buffer, sa_error *error);

/* What the program is called in messages; "softalign" unless main says otherwise. */
extern const char *cli_name;

/* What is said on standard error besides errors; options of every command. */
typedef struct cli_messages {
    bool quiet;
} cli_messages;
extern cli_messages cli_said;

/* Another process runs the same command, and prints and writes for this one. */
extern bool cli_follows;

extern const sa_option cli_messages_options[];

/* Prints a message on standard error: one line, which is always made safe. Silent with --quiet. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for every line of the text. */
void cli_note_lines(const char *text);
/* The same, in spite of --quiet. */
void cli_note_error(const sa_error *error);

/* Appends a line, wrapped at 80 columns and indented to `column`. */
void cli_wrap(sa_buffer *out, const char *line, size_t column);

/* Prints JSON and releases it. */
bool cli_print_json(json_t *value, sa_error *error);

/* Writes the buffer to `path`, as sa_save_text does, and says so; or to standard output ("-"), as
 * cli_print does. Releases it. */
bool cli_save(const char *path, sa_buffer *buffer, sa_error *error);

/* Begins the page of `command` on the file or folder `path`, which has one model. The title is
 * `of`, what the page calls it, and `more`. settings: or NULL. */
void cli_begin_page(sa_html_report *report, const char *command, const char *of, const char *path,
                    const char *more, const sa_settings *settings);
/* Adds the texts to the page and saves it, if it is `complete`; releases it. */
bool cli_end_page(sa_html_report *report, bool complete, const sa_page_text *text, const char *path,
                  sa_error *error);

/* Say what was written into a folder: those of the names file(0) ... that are there, of "film/" and
 * a wildcard the folder; and the files of the pairs `first` to `last`, from 1, as of
 * sa_save_numbered. */
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
    double last; /* time of the last line for an update; < 0: none yet */
} cli_progress;

/* Whether the terminal only prints: TERM is missing or "dumb". */
bool cli_is_dumb(void);

void cli_progress_init(cli_progress *progress);

/* The `report` of sa_train_options; `context` is a cli_progress. */
void cli_progress_report(void *context, const sa_progress *report);

/* Clears the line that is redrawn. */
void cli_progress_end(cli_progress *progress);

/* Points to the number of the caught signal, or 0. */
const volatile sig_atomic_t *cli_signals_stop(void);

/* Makes signals request a stop; calls after the first change nothing. */
void cli_signals_catch(void);

/* The same until the program ends. */
void cli_signals_keep(void);

/* From now on, unless one was caught, a signal ends the process again. */
void cli_signals_release(void);
