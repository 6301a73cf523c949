/* training_log: the columns of a training's log.csv that reports show. */
#ifndef SA_REPORT_TRAINING_LOG_H
#define SA_REPORT_TRAINING_LOG_H

#include "base/error.h"

enum {
    SA_LOG_STEP,
    SA_LOG_SECONDS,
    SA_LOG_TRAIN_LOSS,
    SA_LOG_VALID_LOSS,
    SA_LOG_VALID_BLEU,
    SA_LOG_COLUMNS
};

/* Gets the cells of these columns, as text ("": empty). */
typedef bool (*sa_log_row)(void *context, const char *const *cells, sa_error *error);

/* Calls `row` for every validation until it returns false, and then returns false, too. SA_DATA: a
 * column is missing. */
bool sa_training_log_read(const char *path, sa_log_row row, void *context, sa_error *error);

#endif
