/* progress: how a training goes, on standard error. On a terminal one line is redrawn in place; in
 * a pipe or file whole lines are written now and then. */
#ifndef SA_CLI_PROGRESS_H
#define SA_CLI_PROGRESS_H

#include <softalign.h>

typedef struct cli_progress {
    bool terminal;
    double last; /* seconds at which a line for a step was last written; < 0: never */
} cli_progress;

void cli_progress_init(cli_progress *progress);

/* The `report` of sa_train_options; `context` is a cli_progress. */
void cli_progress_report(void *context, const sa_progress *report);

/* Leaves the line that is redrawn. */
void cli_progress_end(cli_progress *progress);

#endif
