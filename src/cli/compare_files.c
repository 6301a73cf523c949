#include "base/file.h"
#include "base/number.h"
#include "cli/compare.h"
#include "cli/figures.h"
#include "cli/output.h"
#include "report/matrix.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t run_count(const comparison *all) {
    return all->model_count * all->seeds;
}

bool compare_save(const char *folder, const char *name, sa_buffer *text, sa_error *error) {
    char *path = compare_path(folder, name, error);
    const bool good = path && cli_save(path, text, error);
    sa_buffer_release(text);
    free(path);
    return good;
}

/* ---- Learning curves ------------------------------------------------------------------------- */

static const char *const curve_columns[] = {"step", "seconds", "train_loss", "valid_loss",
                                            "valid_bleu"};
enum { CURVE_COLUMNS = sizeof curve_columns / sizeof *curve_columns, CELLS = 32 };

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

/* Where the columns of the curves stand in a header; false when one is missing. */
static bool find_columns(char *header, size_t places[CURVE_COLUMNS]) {
    char *cells[CELLS];
    const size_t count = cut(header, cells);
    for (size_t k = 0; k < CURVE_COLUMNS; k++) {
        for (places[k] = 0; places[k] < count; places[k]++)
            if (strcmp(cells[places[k]], curve_columns[k]) == 0) break;
        if (places[k] == count) return false;
    }
    return true;
}

static bool add_curve(const compare_run *run, sa_file *log, sa_buffer *out, sa_error *error) {
    sa_lines lines = {.file = log};
    size_t places[CURVE_COLUMNS], size;
    char *line, *cells[CELLS];
    bool failed = false;
    if (!sa_lines_next(&lines, &line, &size, &failed, error) || !find_columns(line, places))
        return failed ? false : sa_fail(error, SA_DATA, "%s:1: a column is missing", log->name);
    while (sa_lines_next(&lines, &line, &size, &failed, error)) {
        const size_t count = cut(line, cells);
        sa_buffer_addf(out, "%s,%lld", run->model->name, (long long)run->settings.seed);
        for (size_t k = 0; k < CURVE_COLUMNS; k++)
            sa_buffer_addf(out, ",%s", places[k] < count ? cells[places[k]] : "");
        sa_buffer_adds(out, "\n");
    }
    return !failed;
}

static bool add_run(const compare_run *run, sa_buffer *out, sa_error *error) {
    sa_file log;
    char *path = compare_path(run->folder, "log.csv", error);
    if (!path) return false;
    const bool none = run->diverged && access(path, F_OK) != 0;
    bool good = none || sa_file_read(&log, path, SA_FILE_LIMIT, error);
    if (good && !none) {
        good = add_curve(run, &log, out, error);
        sa_file_release(&log);
    }
    free(path);
    return good;
}

bool compare_save_curves(const comparison *all, sa_error *error) {
    sa_buffer out = {0};
    bool good = true;
    sa_buffer_adds(&out, "model,seed,step,seconds,train_loss,valid_loss,valid_bleu\n");
    for (size_t i = 0; good && i < run_count(all); i++) good = add_run(&all->runs[i], &out, error);
    if (good) return compare_save(all->out, "curves.csv", &out, error);
    sa_buffer_release(&out);
    return false;
}

/* ---- BLEU by length -------------------------------------------------------------------------- */

bool compare_save_bylength(const comparison *all, sa_error *error) {
    sa_buffer out = {0};
    sa_buffer_adds(&out, "model,seed,band,sentences,bleu\n");
    for (size_t i = 0; i < run_count(all); i++) {
        const compare_run *run = &all->runs[i];
        for (int k = 0; k < SA_BANDS; k++) {
            const sa_scores *scores = &run->by_length[k];
            if (!scores->sentences) continue;
            sa_buffer_addf(&out, "%s,%lld,%s,%zu,", run->model->name, (long long)run->settings.seed,
                           sa_bands[k].name, scores->sentences);
            sa_number_add(&out, (double)(float)scores->bleu);
            sa_buffer_adds(&out, "\n");
        }
    }
    return compare_save(all->out, "bylength.csv", &out, error);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static bool save_matrix(void *context, size_t index, const sa_alignment *alignment,
                        sa_error *error) {
    return cli_save_matrix(context, index, "csv", sa_matrix_csv, alignment, error);
}

/* The matrices of one run's best model. */
static bool draw(const compare_run *run, const char *matrices, const sa_corpus *test, size_t count,
                 sa_error *error) {
    char *folder = compare_path(matrices, run->model->folder, error);
    char *best = folder ? compare_path(run->folder, "best.safetensors", error) : NULL;
    sa_model *model = best && cli_make_folder(folder, error)
                          ? sa_model_open(best, run->settings.threads, error)
                          : NULL;
    const bool good = model && sa_align(model, test->pairs, count, save_matrix, folder, error);
    sa_model_close(model);
    free(best), free(folder);
    return good;
}

bool compare_save_matrices(const comparison *all, size_t count, sa_error *error) {
    const sa_corpus *test = &all->data.test;
    char *matrices = count ? compare_path(all->out, "matrices", error) : NULL;
    bool good = !count || (matrices && cli_make_folder(matrices, error));
    for (size_t i = 0; count && good && i < all->model_count; i++) {
        const compare_run *run = &all->runs[i * all->seeds];
        if (run->model->attends && !run->diverged)
            good = draw(run, matrices, test, count < test->count ? count : test->count, error);
    }
    free(matrices);
    return good;
}
