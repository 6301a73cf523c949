/* run_files: what a run reads and writes, compared before anything is written. */
#ifndef SA_CLI_RUN_FILES_H
#define SA_CLI_RUN_FILES_H

#include "cli/command.h"

/* SA_USAGE when the options and words of a command, as of cli_read, would replace a file that is
 * read, write two results into one file, mix two on standard output or read two from standard
 * input. Files are the same when their paths lead to the same place, or to the same inode. */
bool cli_run_files_check(const cli_command *command, const void *fields, const char *const *words,
                         sa_error *error);

#endif
