/* program: what main does with its arguments. */
#ifndef SA_CLI_PROGRAM_H
#define SA_CLI_PROGRAM_H

#include <softalign.h>

/* Runs a command and returns the exit code. `agree`, if not NULL, decides whether it succeeded. */
int cli_program_run(int argc, char **argv, bool (*agree)(bool good, sa_error *error));

#endif
