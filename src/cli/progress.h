/* progress: the progress of a training on standard error, one line redrawn in place on a terminal,
 * a line every few seconds in a file or pipe; and the signals that stop it. While a training runs,
 * the first SIGINT, SIGTERM or SIGHUP requests a stop and the second one ends the process. While
 * pairs are read there is nothing to save, and the first one ends it. A signal that was ignored
 * when the program started stays ignored. */
#ifndef SA_CLI_PROGRESS_H
#define SA_CLI_PROGRESS_H

#include <signal.h>
#include <softalign.h>

typedef struct cli_progress {
    bool terminal;
    double last; /* time of the last line for an update; < 0: none yet */
} cli_progress;

void cli_progress_init(cli_progress *progress);

/* The `report` of sa_train_options; `context` is a cli_progress. */
void cli_progress_report(void *context, const sa_progress *report);

/* Clears the line that is redrawn. */
void cli_progress_end(cli_progress *progress);

/* Points to the number of the caught signal, or 0. */
const volatile sig_atomic_t *cli_signals_stop(void);

/* From now on a signal requests a stop; calls after the first change nothing. */
void cli_signals_catch(void);

/* The same until the program ends. */
void cli_signals_keep(void);

/* From now on, unless one was caught, a signal ends the process again. */
void cli_signals_release(void);

#endif
