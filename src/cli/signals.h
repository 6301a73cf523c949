/* signals: while a training runs, the first SIGINT, SIGTERM or SIGHUP requests a stop and the
 * second one ends the process. While pairs are read there is nothing to save, and the first one
 * ends it. A signal that was ignored when the program started stays ignored. */
#ifndef SA_CLI_SIGNALS_H
#define SA_CLI_SIGNALS_H

#include <signal.h>

/* Points to the number of the caught signal, or 0. */
const volatile sig_atomic_t *cli_signals_stop(void);

/* From now on a signal requests a stop; calls after the first change nothing. */
void cli_signals_catch(void);

/* The same until the program ends. */
void cli_signals_keep(void);

/* From now on, unless one was caught, a signal ends the process again. */
void cli_signals_release(void);

/* The number of the signal that was caught, or 0. */
int cli_signals_caught(void);

#endif
