/* film: what a training recorded in its folder: its log, and the attention of some pairs meanwhile
 * (`train --snapshots`). */
#pragma once

#include "data/csv.h"

#include <stdint.h>

/* The columns of log.csv that reports show. */
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

/* Reads folder/log.csv, which may be missing unless it is required. Calls `row` for every
 * validation until it returns false, and then returns false, too. SA_DATA: a column is missing. */
bool sa_training_log_read(const char *folder, bool required, sa_log_row row, void *context,
                          sa_error *error);

typedef struct sa_film_frame {
    char *path;
    int64_t step;           /* updates before it */
    char *caption;          /* "update 120: validation loss 1.234, BLEU 45.67" */
    sa_number_table matrix; /* rows are target tokens, columns source tokens, as in every frame */
    int heads;              /* 0: only the mean was recorded */
    double *weights;        /* of several heads: [(1 + heads) * rows * cols], the mean first */
} sa_film_frame;

typedef struct sa_film_pair {
    sa_film_frame *frames; /* [count] by step; at least one */
    size_t count, capacity;
    int heads; /* 0: only the mean was recorded */
} sa_film_pair;

typedef struct sa_film {
    sa_film_pair *pairs; /* [count] */
    size_t count, capacity;
} sa_film;

/* Reads the frames of the first `max_pairs` pairs in DIR/film/0001 ..., those of several heads in
 * DIR/film/0001/head-1 ..., and for their captions DIR/log.csv if it exists. `out` is DIR. A folder
 * without film gives none. SA_DATA: a frame is damaged, or its tokens differ from the first
 * frame's. */
bool sa_film_read(sa_film *film, const char *out, size_t max_pairs, sa_error *error);
void sa_film_release(sa_film *film);

/* The frame as an alignment that points into it. */
sa_alignment sa_film_frame_alignment(const sa_film_frame *frame);
