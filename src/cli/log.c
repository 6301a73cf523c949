#include "cli/log.h"
#include "base/file.h"

#include <string.h>

const char *const cli_log_columns[CLI_LOG_COLUMNS] = {
    [CLI_LOG_STEP] = "step",
    [CLI_LOG_SECONDS] = "seconds",
    [CLI_LOG_TRAIN_LOSS] = "train_loss",
    [CLI_LOG_VALID_LOSS] = "valid_loss",
    [CLI_LOG_VALID_BLEU] = "valid_bleu",
};
enum { CELLS = 32 };

/* Cuts a line without quotes into its cells. */
static size_t cut(char *line, char *cells[CELLS]) {
    size_t count = 0;
    while (line && count < CELLS) {
        cells[count++] = line;
        line = strchr(line, ',');
        if (line) *line++ = 0;
    }
    return count;
}

/* Where the columns stand in a header; false when one is missing. */
static bool find_columns(char *header, size_t places[CLI_LOG_COLUMNS]) {
    char *cells[CELLS];
    const size_t count = cut(header, cells);
    for (size_t k = 0; k < CLI_LOG_COLUMNS; k++) {
        for (places[k] = 0; places[k] < count; places[k]++)
            if (strcmp(cells[places[k]], cli_log_columns[k]) == 0) break;
        if (places[k] == count) return false;
    }
    return true;
}

typedef bool take_row(void *context, const char *const *cells, sa_error *error);

static bool read_rows(sa_file *log, take_row *row, void *context, sa_error *error) {
    sa_lines lines = {.file = log};
    size_t places[CLI_LOG_COLUMNS], size;
    char *line, *cells[CELLS];
    const char *wanted[CLI_LOG_COLUMNS];
    bool failed = false;
    if (!sa_lines_next(&lines, &line, &size, &failed, error) || !find_columns(line, places))
        return failed ? false : sa_fail(error, SA_DATA, "%s:1: a column is missing", log->name);
    while (sa_lines_next(&lines, &line, &size, &failed, error)) {
        const size_t count = cut(line, cells);
        for (size_t k = 0; k < CLI_LOG_COLUMNS; k++)
            wanted[k] = places[k] < count ? cells[places[k]] : "";
        if (!row(context, wanted, error)) return false;
    }
    return !failed;
}

bool cli_log_read(const char *path, take_row *row, void *context, sa_error *error) {
    sa_file log;
    if (!sa_file_read(&log, path, SA_FILE_LIMIT, error)) return false;
    const bool good = read_rows(&log, row, context, error);
    sa_file_release(&log);
    return good;
}
