/* film: what a training recorded in its folder: its log, and the attention of some pairs at each
 * validation (`train --snapshots`), which a page plays. */
#pragma once

#include "report/html_report.h"

/* The columns of log.csv that reports show. */
enum {
    SA_LOG_STEP,
    SA_LOG_SECONDS,
    SA_LOG_TRAIN_LOSS,
    SA_LOG_VALID_LOSS,
    SA_LOG_VALID_BLEU,
    SA_LOG_COLUMNS
};

/* Receives the cells of these columns as text ("": empty). */
typedef bool (*sa_log_row)(void *context, const char *const *cells, sa_error *error);

/* Reads folder/log.csv, which may be missing unless it is required. Calls `row` for every
 * validation until it returns false, and returns false then. SA_DATA: a column is missing. */
bool sa_training_log_read(const char *folder, bool required, sa_log_row row, void *context,
                          sa_error *error);

/* Adds the film in a training run's folder to the most recently added model: frames of the first
 * pairs from DIR/film/0001 ..., single heads from DIR/film/0001/head-1 ..., captions from the log.
 * Skips frames of a long film. A folder without frames adds nothing. SA_DATA: a frame is damaged,
 * or its tokens differ from the first frame's. */
bool sa_html_report_film(sa_html_report *report, const char *folder, sa_error *error);
