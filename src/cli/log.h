/* log: the course of a training, as its log.csv tells. */
#ifndef SA_CLI_LOG_H
#define SA_CLI_LOG_H

#include "base/error.h"

/* What is read of it; in CSV under the same names. */
enum {
    CLI_LOG_STEP,
    CLI_LOG_SECONDS,
    CLI_LOG_TRAIN_LOSS,
    CLI_LOG_VALID_LOSS,
    CLI_LOG_VALID_BLEU,
    CLI_LOG_COLUMNS
};
extern const char *const cli_log_columns[CLI_LOG_COLUMNS];

/* Calls `row` with the cells of every validation, as they stand in the file ("": none). SA_DATA: a
 * column is missing. A false return ends the work and is handed on. */
bool cli_log_read(const char *path,
                  bool (*row)(void *context, const char *const *cells, sa_error *error),
                  void *context, sa_error *error);

#endif
