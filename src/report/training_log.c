#include "report/training_log.h"
#include "base/file.h"

#include <string.h>

static const char *const column_names[SA_LOG_COLUMNS] = {
    [SA_LOG_STEP] = "step",
    [SA_LOG_SECONDS] = "seconds",
    [SA_LOG_TRAIN_LOSS] = "train_loss",
    [SA_LOG_VALID_LOSS] = "valid_loss",
    [SA_LOG_VALID_BLEU] = "valid_bleu",
};
enum { CELLS = 32 };

/* Splits a line without quotes into its cells. */
static size_t split(char *line, char *cells[CELLS]) {
    size_t count = 0;
    while (line && count < CELLS) {
        cells[count++] = line;
        line = strchr(line, ',');
        if (line) *line++ = 0;
    }
    return count;
}

/* False when a column is missing. */
static bool find_columns(char *header, size_t columns[SA_LOG_COLUMNS]) {
    char *cells[CELLS];
    const size_t count = split(header, cells);
    for (size_t k = 0; k < SA_LOG_COLUMNS; k++) {
        for (columns[k] = 0; columns[k] < count; columns[k]++)
            if (strcmp(cells[columns[k]], column_names[k]) == 0) break;
        if (columns[k] == count) return false;
    }
    return true;
}

static bool read_rows(sa_file *log, sa_log_row row, void *context, sa_error *error) {
    sa_lines lines = {.file = log};
    size_t columns[SA_LOG_COLUMNS], size;
    char *line, *cells[CELLS];
    const char *wanted[SA_LOG_COLUMNS];
    bool failed = false;
    if (!sa_lines_next(&lines, &line, &size, &failed, error) || !find_columns(line, columns))
        return failed ? false : sa_fail(error, SA_DATA, "%s:1: a column is missing", log->name);
    while (sa_lines_next(&lines, &line, &size, &failed, error)) {
        const size_t count = split(line, cells);
        for (size_t k = 0; k < SA_LOG_COLUMNS; k++)
            wanted[k] = columns[k] < count ? cells[columns[k]] : "";
        if (!row(context, wanted, error)) return false;
    }
    return !failed;
}

bool sa_training_log_read(const char *path, sa_log_row row, void *context, sa_error *error) {
    sa_file log;
    if (!sa_file_read(&log, path, SA_FILE_LIMIT, error)) return false;
    const bool good = read_rows(&log, row, context, error);
    sa_file_release(&log);
    return good;
}
