/* signals: the first SIGINT, SIGTERM or SIGHUP requests a stop, the second one ends the process. A
 * signal that was ignored when the program started stays ignored. */
#ifndef SA_CLI_SIGNALS_H
#define SA_CLI_SIGNALS_H

#include <signal.h>

/* Installs the handlers. The result points to the number of the caught signal, or 0. */
const volatile sig_atomic_t *cli_signals_catch(void);

/* The number of the signal that was caught, or 0. */
int cli_signals_caught(void);

#endif
