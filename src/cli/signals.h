/* signals: a polite end. The first SIGINT, SIGTERM or SIGHUP asks for the end of the work, a second
 * one ends the program at once. What was ignored when the program started stays ignored. */
#ifndef SA_CLI_SIGNALS_H
#define SA_CLI_SIGNALS_H

#include <signal.h>

/* From now on signals are caught. The number of the signal that came, or 0, stands at the place
 * returned. */
const volatile sig_atomic_t *cli_signals_catch(void);

/* The number of the signal that was caught, or 0. */
int cli_signals_caught(void);

#endif
