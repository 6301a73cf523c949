#include "report/film.h"
#include "base/file.h"
#include "base/number.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The log --------------------------------------------------------------------------------- */

static const char *const column_names[SA_LOG_COLUMNS] = {
    [SA_LOG_STEP] = "step",
    [SA_LOG_SECONDS] = "seconds",
    [SA_LOG_TRAIN_LOSS] = "train_loss",
    [SA_LOG_VALID_LOSS] = "valid_loss",
    [SA_LOG_VALID_BLEU] = "valid_bleu",
};
/* The column of each of these in the first row. SA_DATA: one is missing. */
static bool find_columns(const sa_records *log, size_t columns[SA_LOG_COLUMNS], sa_error *error) {
    for (size_t k = 0; k < SA_LOG_COLUMNS; k++) {
        for (columns[k] = 0; columns[k] < log->cells; columns[k]++)
            if (strcmp(log->cell[columns[k]], column_names[k]) == 0) break;
        if (columns[k] == log->cells)
            return sa_fail(error, SA_DATA, "%s:1: a column is missing", log->text.file.name);
    }
    return true;
}

static bool read_rows(sa_records *log, sa_log_row row, void *context, sa_error *error) {
    size_t columns[SA_LOG_COLUMNS];
    const char *wanted[SA_LOG_COLUMNS];
    bool failed = false;
    sa_csv_next(log, &failed, error);
    if (failed || !find_columns(log, columns, error)) return false;
    while (sa_csv_next(log, &failed, error)) {
        for (size_t k = 0; k < SA_LOG_COLUMNS; k++)
            wanted[k] = columns[k] < log->cells ? log->cell[columns[k]] : "";
        if (!row(context, wanted, error)) return false;
    }
    return !failed;
}

bool sa_training_log_read(const char *folder, bool required, sa_log_row row, void *context,
                          sa_error *error) {
    sa_records log = {.separator = ','};
    char path[SA_PATH_SIZE];
    sa_path_in(path, folder, "log.csv");
    if (!required && sa_file_missing(path)) return true;
    const bool good =
        sa_text_lines_open(&log.text, path, error) && read_rows(&log, row, context, error);
    sa_records_close(&log);
    return good;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* The number of updates in the name of a frame ("00000120.csv"), or -1. */
static int64_t step_of(const char *name) {
    char *end;
    errno = 0;
    const long long step = strtoll(name, &end, 10);
    return *name >= '0' && *name <= '9' && strcmp(end, ".csv") == 0 && !errno ? step : -1;
}

/* The head whose folder has this name ("head-2"), or 0. */
static int head_of(const char *name) {
    static const char prefix[] = "head-";
    int64_t head;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        !sa_integer_parse(name + sizeof prefix - 1, &head))
        return 0;
    return head > 0 && head < 1000 ? (int)head : 0;
}

static bool add_frame(sa_film_pair *pair, const char *folder, const char *name, int64_t step,
                      sa_error *error) {
    const sa_film_frame frame = {.path = sa_format(error, "%s/%s", folder, name), .step = step};
    if (frame.path &&
        sa_append(&pair->frames, &pair->count, &pair->capacity, &frame, sizeof frame, error))
        return true;
    free(frame.path);
    return false;
}

static int by_step(const void *a, const void *b) {
    const int64_t x = ((const sa_film_frame *)a)->step, y = ((const sa_film_frame *)b)->step;
    return (x > y) - (x < y);
}

static bool same_labels(const sa_number_table *frame, const sa_number_table *first) {
    if (frame->rows != first->rows || frame->cols != first->cols) return false;
    for (int i = 0; i < frame->rows; i++)
        if (strcmp(frame->row[i], first->row[i]) != 0) return false;
    for (int j = 0; j < frame->cols; j++)
        if (strcmp(frame->column[j], first->column[j]) != 0) return false;
    return true;
}

static bool read_frame(sa_number_table *matrix, const char *path, const sa_film_frame *first,
                       sa_error *error) {
    if (!sa_number_table_open(matrix, path, false, error)) return false;
    if (!matrix->row || !matrix->column)
        return sa_fail(error, SA_DATA, "%s: not a heatmap: tokens are missing", path);
    if (!same_labels(matrix, &first->matrix))
        return sa_fail(error, SA_DATA, "%s: its tokens differ from those of '%s'", path,
                       first->path);
    return true;
}

/* Reads the same frame of one head into `weights`. */
static bool read_head(const char *folder, int head, const sa_film_frame *frame, double *weights,
                      sa_error *error) {
    sa_number_table matrix = {0};
    char *path = sa_format(error, "%s/head-%d%s", folder, head, strrchr(frame->path, '/'));
    const bool good = path && read_frame(&matrix, path, frame, error);
    if (good)
        memcpy(weights, matrix.numbers,
               (size_t)matrix.rows * (size_t)matrix.cols * sizeof *weights);
    sa_number_table_close(&matrix);
    free(path);
    return good;
}

static bool read_heads(const char *folder, int heads, sa_film_frame *frame, sa_error *error) {
    const size_t size = (size_t)frame->matrix.rows * (size_t)frame->matrix.cols;
    if (!heads) return true;
    frame->weights = sa_new((size_t)(1 + heads) * size, sizeof *frame->weights, error);
    if (!frame->weights) return false;
    memcpy(frame->weights, frame->matrix.numbers, size * sizeof *frame->weights);
    bool good = true;
    for (int head = 1; good && head <= heads; head++)
        good = read_head(folder, head, frame, frame->weights + (size_t)head * size, error);
    frame->heads = heads;
    return good;
}

static bool read_frames(sa_film_pair *pair, const char *folder, sa_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < pair->count; i++) {
        sa_film_frame *frame = &pair->frames[i];
        good = read_frame(&frame->matrix, frame->path, pair->frames, error) &&
               read_heads(folder, pair->heads, frame, error);
    }
    return good;
}

/* ---- Captions -------------------------------------------------------------------------------- */

/* Appends a value of the log, unless the cell is empty. */
static void add_figure(const char *name, const char *cell, int decimals, sa_buffer *out) {
    double value;
    if (out->failed || !sa_number_parse(cell, &value)) return;
    sa_buffer_addf(out, "%s %s ", strchr(out->text, ':') ? "," : ":", name);
    sa_number_add_fixed(out, value, decimals);
}

/* Puts the validation of a row of the log into the captions of the frames of that step; without
 * cells every frame gets one. */
static bool name_frames(void *context, const char *const *cells, sa_error *error) {
    sa_film *film = context;
    int64_t step;
    if (cells && !sa_integer_parse(cells[SA_LOG_STEP], &step)) return true;
    for (size_t i = 0; i < film->count; i++)
        for (size_t k = 0; k < film->pairs[i].count; k++) {
            sa_film_frame *frame = &film->pairs[i].frames[k];
            sa_buffer caption = {0};
            if (cells && frame->step != step) continue;
            sa_buffer_addf(&caption,
                           cells || frame->step ? "update %lld" : "before the first update",
                           (long long)frame->step);
            if (cells) add_figure("validation loss", cells[SA_LOG_VALID_LOSS], 3, &caption);
            if (cells) add_figure("BLEU", cells[SA_LOG_VALID_BLEU], 2, &caption);
            free(frame->caption);
            frame->caption = caption.text;
            if (caption.failed) return sa_fail_memory(error, caption.size);
        }
    return true;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static bool list_frames(sa_film_pair *pair, const char *folder, DIR *list, sa_error *error) {
    errno = 0;
    for (struct dirent *entry; (entry = readdir(list)); errno = 0) {
        const int64_t step = step_of(entry->d_name);
        if (step >= 0 && !add_frame(pair, folder, entry->d_name, step, error)) return false;
        const int head = head_of(entry->d_name);
        if (head > pair->heads) pair->heads = head;
    }
    if (errno) return sa_fail_errno(error, SA_IO, "read", folder);
    if (pair->count) qsort(pair->frames, pair->count, sizeof *pair->frames, by_step);
    return true;
}

static void release(sa_film_pair *pair) {
    for (size_t i = 0; i < pair->count; i++) {
        sa_number_table_close(&pair->frames[i].matrix);
        free(pair->frames[i].weights);
        free(pair->frames[i].caption);
        free(pair->frames[i].path);
    }
    free(pair->frames);
}

/* Adds the pair of a folder; *more is false when it has no frames. */
static bool add_pair(sa_film *film, const char *folder, bool *more, sa_error *error) {
    sa_film_pair pair = {0};
    DIR *list = opendir(folder);
    *more = false;
    if (!list) return errno == ENOENT || sa_fail_errno(error, SA_OPEN, "open", folder);
    bool good = list_frames(&pair, folder, list, error);
    closedir(list);
    *more = pair.count > 0;
    good = good && read_frames(&pair, folder, error) &&
           (!*more ||
            sa_append(&film->pairs, &film->count, &film->capacity, &pair, sizeof pair, error));
    if (!good || !*more) release(&pair);
    return good;
}

bool sa_film_read(sa_film *film, const char *out, size_t max_pairs, sa_error *error) {
    bool good = true;
    *film = (sa_film){0};
    for (bool more = true; good && more && film->count < max_pairs;) {
        char *folder = sa_format(error, "%s/film/%04zu", out, film->count + 1);
        good = folder && add_pair(film, folder, &more, error);
        free(folder);
    }
    good = good && name_frames(film, NULL, error) &&
           sa_training_log_read(out, false, name_frames, film, error);
    if (!good) sa_film_release(film);
    return good;
}

void sa_film_release(sa_film *film) {
    for (size_t i = 0; i < film->count; i++) release(&film->pairs[i]);
    free(film->pairs);
    *film = (sa_film){0};
}

sa_alignment sa_film_frame_alignment(const sa_film_frame *frame) {
    const sa_number_table *matrix = &frame->matrix;
    return (sa_alignment){
        .targets = matrix->rows,
        .sources = matrix->cols,
        .heads = frame->heads ? frame->heads : 1,
        .layers = 1,
        .target = matrix->row,
        .source = matrix->column,
        .weights = frame->heads ? frame->weights : matrix->numbers,
        .log_probability = NAN,
    };
}
