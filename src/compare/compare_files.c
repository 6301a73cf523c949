#include "base/file.h"
#include "base/number.h"
#include "base/save.h"
#include "compare/compare.h"
#include "report/matrix.h"
#include "report/numbered_files.h"
#include "report/training_log.h"

#include <math.h>
#include <stdlib.h>

static size_t run_count(const sa_comparison *all) {
    return all->model_count * all->seeds;
}

/* ---- Learning curves ------------------------------------------------------------------------- */

typedef struct curve {
    const sa_compare_run *run;
    sa_buffer *out;
} curve;

static bool add_row(void *context, const char *const *cells, sa_error *error) {
    const curve *to = context;
    sa_buffer_addf(to->out, "%s,%lld", to->run->model->name, (long long)to->run->settings.seed);
    for (size_t k = 0; k < SA_LOG_COLUMNS; k++) sa_buffer_addf(to->out, ",%s", cells[k]);
    sa_buffer_adds(to->out, "\n");
    return !to->out->failed || sa_fail_memory(error, to->out->size);
}

static bool add_run(const sa_compare_run *run, sa_buffer *out, sa_error *error) {
    char *path = sa_path_join(run->folder, "log.csv", error);
    if (!path) return false;
    const bool none = run->diverged && sa_file_missing(path);
    const bool good = none || sa_training_log_read(path, add_row, &(curve){run, out}, error);
    free(path);
    return good;
}

bool sa_compare_save_curves(const sa_comparison *all, sa_error *error) {
    sa_buffer out = {0};
    bool good = true;
    sa_buffer_adds(&out, "model,seed,step,seconds,train_loss,valid_loss,valid_bleu\n");
    for (size_t i = 0; good && i < run_count(all); i++) good = add_run(&all->runs[i], &out, error);
    if (good) return sa_save_text_in(all->out, "curves.csv", &out, error);
    sa_buffer_release(&out);
    return false;
}

/* ---- BLEU by length -------------------------------------------------------------------------- */

static void add_limit(double bleu, sa_buffer *out) {
    sa_buffer_adds(out, ",");
    if (!isnan(bleu)) sa_number_add(out, (double)(float)bleu);
}

bool sa_compare_save_by_length(const sa_comparison *all, sa_error *error) {
    sa_buffer out = {0};
    sa_buffer_adds(&out, "model,seed,band,sentences,bleu,low,high\n");
    for (size_t i = 0; i < run_count(all); i++) {
        const sa_compare_run *run = &all->runs[i];
        for (int k = 0; k < SA_LENGTH_BANDS; k++) {
            const sa_eval_result *scores = &run->by_length[k];
            if (!scores->sentences) continue;
            sa_buffer_addf(&out, "%s,%lld,%s,%zu,", run->model->name, (long long)run->settings.seed,
                           sa_length_bands[k].name, scores->sentences);
            sa_number_add(&out, (double)(float)scores->bleu);
            add_limit(run->interval[k].low, &out);
            add_limit(run->interval[k].high, &out);
            sa_buffer_adds(&out, "\n");
        }
    }
    return sa_save_text_in(all->out, "bylength.csv", &out, error);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static bool save_matrix(void *context, size_t index, const sa_alignment *alignment,
                        sa_error *error) {
    return sa_save_matrix(context, index, "csv", sa_matrix_csv, alignment, error);
}

static bool save_matrices(const sa_compare_run *run, const char *matrices, const sa_corpus *test,
                          size_t count, sa_error *error) {
    char *folder = sa_path_join(matrices, run->model->folder, error);
    sa_model *model =
        folder && sa_directory_create(folder, error) ? sa_compare_model_open(run, error) : NULL;
    const bool good =
        model && sa_align(model, NULL, test->pairs, count, save_matrix, folder, error);
    sa_model_close(model);
    free(folder);
    return good;
}

bool sa_compare_save_matrices(const sa_comparison *all, size_t count, sa_error *error) {
    const sa_corpus *test = &all->data.test;
    char *matrices = count ? sa_path_join(all->out, "matrices", error) : NULL;
    bool good = !count || (matrices && sa_directory_create(matrices, error));
    for (size_t i = 0; count && good && i < all->model_count; i++) {
        const sa_compare_run *run = &all->runs[i * all->seeds];
        if (run->model->attends && !run->diverged)
            good = save_matrices(run, matrices, test, count < test->count ? count : test->count,
                                 error);
    }
    free(matrices);
    return good;
}
