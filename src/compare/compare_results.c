#include "base/file.h"
#include "base/number.h"
#include "compare/compare.h"
#include "metrics/metrics.h"
#include "report/film.h"
#include "report/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Medians --------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool sa_compare_find_medians(sa_comparison *all, sa_error *error) {
    double *numbers = sa_new(all->seeds, sizeof *numbers, error);
    for (size_t i = 0; numbers && i < all->model_count * SA_COMPARE_COLUMNS; i++) {
        const size_t model = i / SA_COMPARE_COLUMNS, k = i % SA_COMPARE_COLUMNS;
        size_t count = 0;
        for (size_t s = 0; s < all->seeds; s++) {
            const double score = all->runs[model * all->seeds + s].scores[k];
            if (!isnan(score)) numbers[count++] = score;
        }
        qsort(numbers, count, sizeof *numbers, ascending);
        all->models[model].medians[k] =
            count ? (numbers[(count - 1) / 2] + numbers[count / 2]) / 2 : NAN;
    }
    free(numbers);
    return numbers != NULL;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The updates of each model, "fixed 1200, transformer 430", if they differ by more than a tenth. */
static void add_unequal_updates(const sa_comparison *all, sa_buffer *out) {
    double fewest = INFINITY, most = 0;
    for (size_t i = 0; i < all->model_count; i++) {
        const double *medians = all->models[i].medians;
        if (isnan(medians[SA_COMPARE_LOSS])) continue; /* diverged */
        fewest = fmin(fewest, medians[SA_COMPARE_UPDATES]);
        most = fmax(most, medians[SA_COMPARE_UPDATES]);
    }
    for (size_t i = 0; fewest < 0.9 * most && i < all->model_count; i++)
        if (!isnan(all->models[i].medians[SA_COMPARE_LOSS]))
            sa_buffer_addf(out, "%s%s %.0f", out->size ? ", " : "", all->models[i].name,
                           all->models[i].medians[SA_COMPARE_UPDATES]);
}

/* Below a table, in Markdown after an empty line. */
static void add_notes(const sa_comparison *all, bool markdown, sa_buffer *out) {
    sa_buffer updates = {0};
    add_unequal_updates(all, &updates);
    if (markdown && (all->seeds > 1 || updates.size)) sa_buffer_adds(out, "\n");
    if (all->seeds > 1)
        sa_buffer_addf(out, "Medians over %zu seeds; table.csv has every run.\n", all->seeds);
    if (updates.size)
        sa_buffer_addf(out,
                       "Unequal numbers of updates: %s. For equal ones give --steps without "
                       "--max-time and --patience.\n",
                       updates.text);
    out->failed |= updates.failed;
    sa_buffer_release(&updates);
}

/* A row of a table, or its titles. */
static void add_line(const char *name, int width, const double *medians, bool markdown,
                     sa_buffer *out) {
    if (markdown)
        sa_buffer_addf(out, "| %s |", name);
    else
        sa_buffer_addf(out, "%-*s", width, name);
    for (int k = 0; k < SA_COMPARE_SHOWN; k++) {
        const sa_compare_column *column = &sa_compare_columns[k];
        const int title = (int)strlen(column->title);
        sa_buffer cell = {0};
        if (!medians || isnan(medians[k]))
            sa_buffer_adds(&cell, medians ? "-" : column->title);
        else
            sa_number_add_fixed(&cell, medians[k] * column->scale, column->decimals);
        out->failed |= cell.failed;
        if (markdown)
            sa_buffer_addf(out, " %s |", cell.failed ? "" : cell.text);
        else
            sa_buffer_addf(out, "  %*s", title > 7 ? title : 7, cell.failed ? "" : cell.text);
        sa_buffer_release(&cell);
    }
    sa_buffer_adds(out, "\n");
}

static void add_table(const sa_comparison *all, bool markdown, sa_buffer *out) {
    int width = 5;
    for (size_t i = 0; i < all->model_count; i++)
        if ((int)strlen(all->models[i].name) > width) width = (int)strlen(all->models[i].name);
    add_line("model", width, NULL, markdown, out);
    if (markdown) {
        sa_buffer_adds(out, "|---|");
        for (int k = 0; k < SA_COMPARE_SHOWN; k++) sa_buffer_adds(out, "---:|");
        sa_buffer_adds(out, "\n");
    }
    for (size_t i = 0; i < all->model_count; i++)
        add_line(all->models[i].name, width, all->models[i].medians, markdown, out);
    add_notes(all, markdown, out);
}

static void add_row(const char *name, const char *seed, const double *scores, sa_buffer *out) {
    sa_buffer_addf(out, "%s,%s", name, seed);
    for (int k = 0; k < SA_COMPARE_SHOWN; k++) {
        const double score = scores[k];
        sa_buffer_adds(out, ",");
        if (!isnan(score)) sa_number_add(out, score == trunc(score) ? score : (double)(float)score);
    }
    sa_buffer_adds(out, "\n");
}

static void add_csv(const sa_comparison *all, sa_buffer *out) {
    sa_buffer_adds(out, "model,seed");
    for (int k = 0; k < SA_COMPARE_SHOWN; k++)
        sa_buffer_addf(out, ",%s", sa_compare_columns[k].key);
    sa_buffer_adds(out, "\n");
    for (size_t i = 0; i < all->model_count; i++) {
        for (size_t k = 0; k < all->seeds; k++) {
            const sa_compare_run *run = &all->runs[i * all->seeds + k];
            char seed[32];
            snprintf(seed, sizeof seed, "%lld", (long long)run->settings.seed);
            add_row(run->model->name, seed, run->scores, out);
        }
        add_row(all->models[i].name, "median", all->models[i].medians, out);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_row(const char *name, const char *key, int64_t number, const double *scores) {
    json_t *object = json_pack("{s:s, s:I}", "model", name, key, (json_int_t)number);
    json_object_update_new(object, sa_compare_json_scores(scores));
    return object;
}

static json_t *json_all(const sa_comparison *all) {
    json_t *models = json_array(), *runs = json_array();
    for (size_t i = 0; i < all->model_count; i++)
        json_array_append_new(models, json_row(all->models[i].name, "seeds", (int64_t)all->seeds,
                                               all->models[i].medians));
    for (size_t i = 0; i < all->model_count * all->seeds; i++) {
        const sa_compare_run *run = &all->runs[i];
        json_t *row = json_row(run->model->name, "seed", run->settings.seed, run->scores);
        json_object_set_new(row, "by_length", sa_compare_json_bands(run));
        json_array_append_new(runs, row);
    }
    return json_pack("{s:o, s:o}", "models", models, "runs", runs);
}

void sa_compare_add_table(const sa_comparison *all, bool json, sa_buffer *out) {
    if (json)
        sa_json_add(json_all(all), out);
    else
        add_table(all, false, out);
}

/* ---- Learning curves ------------------------------------------------------------------------- */

typedef struct curve {
    const sa_compare_run *run;
    sa_buffer *out;
} curve;

static bool add_validation(void *context, const char *const *cells, sa_error *error) {
    const curve *to = context;
    sa_buffer_addf(to->out, "%s,%lld", to->run->model->name, (long long)to->run->settings.seed);
    for (size_t k = 0; k < SA_LOG_COLUMNS; k++) sa_buffer_addf(to->out, ",%s", cells[k]);
    sa_buffer_adds(to->out, "\n");
    return !to->out->failed || sa_fail_memory(error, to->out->size);
}

static bool save_curves(const sa_comparison *all, sa_error *error) {
    sa_buffer out = {0};
    bool good = true;
    sa_buffer_adds(&out, "model,seed,step,seconds,train_loss,valid_loss,valid_bleu\n");
    for (size_t i = 0; good && i < all->model_count * all->seeds; i++) {
        const sa_compare_run *run = &all->runs[i];
        good = sa_training_log_read(run->folder, !run->diverged, add_validation,
                                    &(curve){run, &out}, error);
    }
    if (good) return sa_save_text_in(all->options->out, "curves.csv", &out, error);
    sa_buffer_release(&out);
    return false;
}

/* ---- BLEU by length -------------------------------------------------------------------------- */

static void add_limit(double bleu, sa_buffer *out) {
    sa_buffer_adds(out, ",");
    if (!isnan(bleu)) sa_number_add(out, (double)(float)bleu);
}

static bool save_by_length(const sa_comparison *all, sa_error *error) {
    sa_buffer out = {0};
    sa_buffer_adds(&out, "model,seed,band,sentences,bleu,low,high\n");
    for (size_t i = 0; i < all->model_count * all->seeds; i++) {
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
    return sa_save_text_in(all->options->out, "bylength.csv", &out, error);
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

static bool save_all_matrices(const sa_comparison *all, size_t count, sa_error *error) {
    const sa_corpus *test = &all->data.test;
    char *matrices = count ? sa_path_join(all->options->out, "matrices", error) : NULL;
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

bool sa_compare_save_files(const sa_comparison *all, size_t matrices, sa_error *error) {
    sa_buffer csv = {0}, markdown = {0};
    add_csv(all, &csv);
    add_table(all, true, &markdown);
    const bool good = sa_save_text_in(all->options->out, "table.csv", &csv, error);
    return sa_save_text_in(all->options->out, "table.md", &markdown, good ? error : NULL) && good &&
           save_curves(all, error) && save_by_length(all, error) &&
           save_all_matrices(all, matrices, error);
}

/* ---- The page -------------------------------------------------------------------------------- */

static void open_page(const sa_comparison *all, sa_html_report *report) {
    sa_buffer title = {0}, count = {0}, updates = {0}, signature = {0};
    sa_buffer_addf(&title, "%zu model%s on ", all->model_count, all->model_count > 1 ? "s" : "");
    sa_html_report_add_name(all->options->train, &title);
    sa_html_report_init(report, "compare", title.failed ? "" : title.text, all->model_count);
    sa_html_report_add_name(all->data.test.name, &count);
    sa_buffer_addf(&count, " (%zu pairs)", all->data.test.count);
    sa_html_report_fact(report, "test", count.failed ? "" : count.text);
    sa_html_report_fact_file(report, "runs", all->options->out);
    add_unequal_updates(all, &updates);
    if (updates.size) sa_html_report_fact(report, "unequal numbers of updates", updates.text);
    report->failed |= title.failed || count.failed || updates.failed;
    sa_buffer_release(&title);
    sa_buffer_release(&count);
    sa_buffer_release(&updates);
    json_t *columns = json_object_get(report->data, "columns");
    for (const sa_compare_column *column = sa_compare_columns; column->title; column++)
        json_array_append_new(columns, json_pack("{s:s, s:s, s:i, s:f}", "key", column->key,
                                                 "title", column->title, "decimals",
                                                 column->decimals, "scale", column->scale));
    sa_metric_signature(&sa_metric_list[SA_METRIC_BLEU], &all->models->settings.metrics, 1, "",
                        &signature);
    json_array_append_new(json_object_get(report->data, "signatures"),
                          sa_json_buffer(&signature, &report->failed));
}

/* Matrices and film are those of the model's first seed. */
static bool add_model(const sa_comparison *all, size_t number, sa_html_report *report,
                      sa_error *error) {
    const sa_compare_run *runs = all->runs + number * all->seeds;
    sa_html_report_model(report, all->models[number].name, &all->models[number].settings);
    for (size_t i = 0; i < all->seeds; i++) sa_html_report_seed(report, runs[i].settings.seed);
    if (!all->models[number].attends || runs->diverged) return true;
    sa_model *model = sa_compare_model_open(runs, error);
    const bool good = model && sa_html_report_align(report, model, &all->data.test, error) &&
                      sa_html_report_film(report, runs->folder, error);
    sa_model_close(model);
    return good;
}

bool sa_compare_save_page(const sa_comparison *all, const sa_page_text *text, const char *path,
                          sa_error *error) {
    static const char *const files[] = {"table.csv", "curves.csv", "bylength.csv"};
    sa_html_report report;
    sa_buffer out = {0};
    bool good = true;
    open_page(all, &report);
    for (size_t i = 0; good && i < sizeof files / sizeof *files; i++)
        good = sa_html_report_add_file(&report, all->options->out, files[i], error);
    for (size_t i = 0; good && i < all->model_count; i++) good = add_model(all, i, &report, error);
    good = good && sa_page_text_add(text, &report, error);
    if (good) sa_html_report_write(&report, &out);
    good = good && sa_save_text(path, &out, error);
    sa_buffer_release(&out);
    sa_html_report_release(&report);
    return good;
}
