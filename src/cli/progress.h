/* progress: the progress of a training on standard error: one line redrawn in place on a terminal,
 * a line every few seconds in a file or pipe. */
#ifndef SA_CLI_PROGRESS_H
#define SA_CLI_PROGRESS_H

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

#endif
