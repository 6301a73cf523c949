/* comparison: several models side by side. sa_compare trains and scores all runs, finds the
 * statistics of each model over its seeds, and writes tables, CSV files and the page. */
#include "base/number.h"
#include "base/rng.h"
#include "data/corpus.h"
#include "data/overlap.h"
#include "report/film.h"
#include "train/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void release(sa_comparison *all) {
    for (size_t i = 0; all->runs && i < all->model_count * all->seeds; i++)
        free(all->runs[i].folder);
    for (size_t i = 0; i < all->model_count; i++) free(all->models[i].name);
    free(all->runs), free(all->models);
    sa_buffer_release(&all->notes);
    sa_corpus_close(&all->data.test);
    sa_corpus_close(&all->data.snapshot_pairs);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static bool open_data(sa_comparison *all, sa_error *error) {
    const sa_compare_options *options = all->options;
    const char *const paths[] = {options->train, options->valid};
    sa_compare_data *data = &all->data;
    bool guided = false,
         good = sa_corpus_open_columns(&data->test, options->test, options->columns, error);
    for (size_t i = 0; i < all->model_count; i++)
        guided = guided || all->models[i].settings.guided_alignment > 0;
    for (int i = 0; good && i < 2 && paths[i]; i++) {
        sa_corpus pairs = {0};
        good = sa_corpus_open_columns(&pairs, paths[i], options->columns, error) &&
               sa_corpus_overlap(&all->models->settings, &data->test, &pairs, NULL,
                                 &data->shared[i], error);
        if (good) data->hash[i] = sa_corpus_hash(&pairs, guided && i == 0);
        sa_corpus_close(&pairs);
    }
    if (good) data->test_hash = sa_corpus_hash(&data->test, true);
    return good &&
           (!options->snapshots || sa_corpus_open_columns(&data->snapshot_pairs, options->snapshots,
                                                          options->columns, error));
}

/* ---- Over the seeds -------------------------------------------------------------------------- */

static const char *const statistics[] = {"median", "mean", "sd", "min", "max"};

/* Fills in, for each bootstrap sample of the test pairs, the mean BLEU of runs drawn with
 * replacement, as many as the model has. */
static void draw_means(const sa_comparison *all, const sa_compare_model *model, double *means) {
    const sa_compare_run *runs = all->runs + (size_t)(model - all->models) * all->seeds;
    sa_rng rng = sa_rng_seed(1, sa_hash(model->name, strlen(model->name)));
    for (int i = 0; i < SA_COMPARE_SAMPLES; i++) {
        double sum = 0;
        for (size_t s = 0; s < all->seeds; s++)
            sum += runs[sa_rng_below(&rng, (uint32_t)all->seeds)].samples[i];
        means[i] = sum / (double)all->seeds;
    }
}

static double mean_bleu(const sa_compare_model *model) {
    return fmax(model->scores[SA_COMPARE_MEAN][SA_COMPARE_BLEU], 0); /* 0 instead of NaN */
}

/* Returns the model with the highest mean BLEU, leaving out `other`; NULL: there is none. */
static sa_compare_model *best_but(const sa_comparison *all, const sa_compare_model *other) {
    sa_compare_model *best = NULL, *const end = all->models + all->model_count;
    for (sa_compare_model *model = all->models; model < end; model++)
        if (model != other && (!best || mean_bleu(model) > mean_bleu(best))) best = model;
    return best;
}

/* Sets p of every model against the best other one, corrected by their number. The best
 * model has the p of the second. */
static bool test_models(sa_comparison *all, sa_error *error) {
    double highest[SA_COMPARE_SAMPLES], other[SA_COMPARE_SAMPLES];
    const sa_compare_model *second;
    sa_compare_model *best = best_but(all, NULL);
    double *p = sa_new(all->model_count, sizeof *p, error);
    draw_means(all, best, highest);
    for (size_t i = 0; p && i < all->model_count; i++) {
        const sa_compare_model *model = &all->models[i];
        draw_means(all, model, other);
        for (int k = 0; k < SA_COMPARE_SAMPLES; k++) other[k] -= highest[k];
        p[i] = model == best ? NAN
                             : sa_bootstrap_p_value(other, SA_COMPARE_SAMPLES,
                                                    mean_bleu(model) - mean_bleu(best));
    }
    for (size_t i = 0; p && i < all->model_count; i++)
        all->models[i].scores[SA_COMPARE_MEDIAN][SA_COMPARE_P] =
            sa_holm_p_value(p, all->model_count, i);
    if (p && (second = best_but(all, best)))
        best->scores[SA_COMPARE_MEDIAN][SA_COMPARE_P] =
            second->scores[SA_COMPARE_MEDIAN][SA_COMPARE_P];
    free(p);
    return p != NULL;
}

/* Sets the statistics of all models over their seeds. */
static bool find_statistics(sa_comparison *all, sa_error *error) {
    double *numbers = sa_new(all->seeds, sizeof *numbers, error);
    for (size_t i = 0; numbers && i < all->model_count * SA_COMPARE_COLUMNS; i++) {
        const size_t model = i / SA_COMPARE_COLUMNS, k = i % SA_COMPARE_COLUMNS;
        size_t count = 0;
        double sum = 0, squares = 0;
        for (size_t s = 0; s < all->seeds; s++) {
            const double score = all->runs[model * all->seeds + s].scores[k];
            if (!isnan(score)) numbers[count++] = score, sum += score;
        }
        all->scored[k] |= count > 0 || (k == SA_COMPARE_P && all->model_count > 1);
        const double mean = sum / (double)count;
        for (size_t s = 0; s < count; s++) squares += (numbers[s] - mean) * (numbers[s] - mean);
        qsort(numbers, count, sizeof *numbers, sa_number_compare);
        const double of[] = {count ? (numbers[(count - 1) / 2] + numbers[count / 2]) / 2 : NAN,
                             mean, count > 1 ? sqrt(squares / (double)(count - 1)) : NAN,
                             count ? numbers[0] : NAN, count ? numbers[count - 1] : NAN};
        for (int s = 0; s < SA_COMPARE_STATISTICS; s++) all->models[model].scores[s][k] = of[s];
    }
    free(numbers);
    return numbers && test_models(all, error);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Appends the updates of each model, "fixed 1200, transformer 430", if they differ by more than a
 * tenth. */
static void add_unequal_updates(const sa_comparison *all, sa_buffer *out) {
    double fewest = INFINITY, most = 0;
    for (size_t i = 0; i < all->model_count; i++) {
        const double *medians = all->models[i].scores[SA_COMPARE_MEDIAN];
        if (isnan(medians[SA_COMPARE_LOSS])) continue; /* diverged */
        fewest = fmin(fewest, medians[SA_COMPARE_UPDATES]);
        most = fmax(most, medians[SA_COMPARE_UPDATES]);
    }
    for (size_t i = 0; fewest < 0.9 * most && i < all->model_count; i++)
        if (!isnan(all->models[i].scores[SA_COMPARE_MEDIAN][SA_COMPARE_LOSS]))
            sa_buffer_addf(out, "%s%s %.0f", out->size ? ", " : "", all->models[i].name,
                           all->models[i].scores[SA_COMPARE_MEDIAN][SA_COMPARE_UPDATES]);
}

/* Appends what stands below the table or, in LaTeX, in its caption. */
static void add_notes(const sa_comparison *all, bool latex, sa_buffer *out) {
    sa_buffer updates = {0};
    add_unequal_updates(all, &updates);
    if (all->model_count > 1)
        sa_buffer_addf(out, "p: paired bootstrap test of BLEU against the best other model%s.\n",
                       all->model_count > 2 ? ", corrected by their number (Holm)" : "");
    if (all->seeds > 1 && !latex)
        sa_buffer_addf(out, "Medians over %zu seeds; table.csv has every run.\n", all->seeds);
    if (updates.size)
        sa_buffer_addf(out,
                       "Unequal numbers of updates: %s. For equal ones give --steps without "
                       "--max-time and --patience.\n",
                       updates.text);
    out->failed |= updates.failed;
    sa_buffer_release(&updates);
}

static void add_text(const sa_comparison *all, sa_buffer *out) {
    int width = 5;
    for (size_t i = 0; i < all->model_count; i++)
        if ((int)strlen(all->models[i].name) > width) width = (int)strlen(all->models[i].name);
    sa_table_titles("model", width, sa_compare_columns, out);
    for (size_t i = 0; i < all->model_count; i++)
        sa_table_row(all->models[i].name, width, sa_compare_columns,
                     all->models[i].scores[SA_COMPARE_MEDIAN], out);
    add_notes(all, false, out);
}

/* ---- LaTeX ----------------------------------------------------------------------------------- */

/* Finds the columns of table.tex, which else fit 84 mm. */
static bool read_columns(sa_comparison *all, sa_error *error) {
    const char *list = all->options->table_columns;
    if (!list) list = "parameters,bleu,aer,p";
    for (size_t size; *list; list += size + (list[size] == ',')) {
        int k = 0;
        size = strcspn(list, ",");
        if (size == 5 && strncmp(list, "model", size) == 0) continue; /* names all rows */
        while (k < SA_COMPARE_SHOWN && (strlen(sa_compare_columns[k].key) != size ||
                                        strncmp(sa_compare_columns[k].key, list, size) != 0))
            k++;
        if (k == SA_COMPARE_SHOWN)
            return sa_fail(error, SA_USAGE, "--table-columns '%.*s': table.tex has no such column",
                           (int)size, list);
        all->latex[k] = true;
    }
    return true;
}

/* Appends the title of a column (model is NULL) or a number, which has a mean and a standard
 * deviation if it differs among the seeds. A significantly best BLEU is bold. */
static void add_latex_cell(const sa_compare_model *model, int k, bool bold, sa_buffer *out) {
    const sa_column *column = &sa_compare_columns[k];
    const int per_cent = model ? 0 : (int)strcspn(column->title, "%");
    const bool spread = model && model->scores[SA_COMPARE_DEVIATION][k] > 0;
    sa_buffer_adds(out, bold ? " & \\textbf{" : " & ");
    if (model)
        sa_table_cell(column, model->scores[spread ? SA_COMPARE_MEAN : SA_COMPARE_MEDIAN][k], out);
    else
        sa_buffer_addf(out, "%.*s%s", per_cent, column->title,
                       column->title[per_cent] ? "\\%" : "");
    if (spread) {
        sa_buffer_adds(out, "$_{\\pm");
        sa_table_cell(column, model->scores[SA_COMPARE_DEVIATION][k], out);
    }
    sa_buffer_addf(out, "%s%s", spread ? "}$" : "", bold ? "}" : "");
}

/* Appends a table, without the columns in which no model has a number. */
static void add_latex(const sa_comparison *all, sa_buffer *out) {
    const sa_compare_model *best = best_but(all, NULL);
    sa_buffer_addf(out, "\\begin{table}\n\\centering\n\\caption{Models on %zu test pairs",
                   all->data.test.count);
    if (all->seeds > 1)
        sa_buffer_addf(out, ": means and standard deviations over %zu seeds", all->seeds);
    sa_buffer_adds(out, ".\n");
    add_notes(all, true, out);
    sa_buffer_adds(out, "Bold: the best BLEU, if its p is below 0.05.}\n\\smallskip\\footnotesize"
                        "\\setlength{\\tabcolsep}{2.5pt}\n"
                        "\\begin{tabular}{@{}p{24mm}*{20}{r}@{}}\nmodel");
    for (int row = -1; row < (int)all->model_count; row++) {
        const sa_compare_model *model = row < 0 ? NULL : &all->models[row];
        for (size_t at = 0, size; model && model->name[at]; at += size) {
            size = strcspn(model->name + at, ":");
            size += model->name[at + size] == ':';
            sa_buffer_addf(out, "\\detokenize{%.*s}\\allowbreak ", (int)size, model->name + at);
        }
        for (int k = 0; k < SA_COMPARE_SHOWN; k++)
            if (all->latex[k] && all->scored[k])
                add_latex_cell(model, k,
                               model == best && k == SA_COMPARE_BLEU &&
                                   model->scores[SA_COMPARE_MEDIAN][SA_COMPARE_P] < 0.05,
                               out);
        sa_buffer_adds(out, row < 0 ? " \\\\\n\\hline\n" : " \\\\\n");
    }
    sa_buffer_adds(out, "\\end{tabular}\n\\end{table}\n");
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Ends a line of a CSV file with these numbers; a cell is empty for NaN. */
static void add_cells(const double *numbers, int count, sa_buffer *out) {
    for (int k = 0; k < count; k++) {
        const double x = numbers[k];
        sa_buffer_adds(out, ",");
        if (!isnan(x)) sa_number_add(out, x == trunc(x) ? x : (double)(float)x);
    }
    sa_buffer_adds(out, "\n");
}

/* Appends every run and the medians. */
static void add_csv(const sa_comparison *all, sa_buffer *out) {
    sa_buffer_adds(out, "model,seed");
    for (int k = 0; k < SA_COMPARE_SHOWN; k++)
        sa_buffer_addf(out, ",%s", sa_compare_columns[k].key);
    sa_buffer_adds(out, "\n");
    for (size_t i = 0; i < all->model_count; i++) {
        for (size_t k = 0; k < all->seeds; k++) {
            const sa_compare_run *run = &all->runs[i * all->seeds + k];
            sa_buffer_addf(out, "%s,%lld", run->model->name, (long long)run->settings.seed);
            add_cells(run->scores, SA_COMPARE_SHOWN, out);
        }
        sa_buffer_addf(out, "%s,%s", all->models[i].name, statistics[SA_COMPARE_MEDIAN]);
        add_cells(all->models[i].scores[SA_COMPARE_MEDIAN], SA_COMPARE_SHOWN, out);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_row(const char *name, const char *key, int64_t number, const double *scores) {
    json_t *object = json_pack("{s:s, s:I}", "model", name, key, (json_int_t)number);
    return sa_table_json(object, sa_compare_columns, scores);
}

static json_t *json_all(const sa_comparison *all) {
    json_t *models = json_array(), *runs = json_array();
    for (size_t i = 0; i < all->model_count; i++) {
        const sa_compare_model *model = &all->models[i];
        json_t *row =
            json_row(model->name, "seeds", (int64_t)all->seeds, model->scores[SA_COMPARE_MEDIAN]);
        for (int s = SA_COMPARE_MEAN; s < SA_COMPARE_STATISTICS; s++)
            json_object_set_new(row, statistics[s],
                                sa_table_json(json_object(), sa_compare_columns, model->scores[s]));
        json_array_append_new(models, row);
    }
    for (size_t i = 0; i < all->model_count * all->seeds; i++) {
        const sa_compare_run *run = &all->runs[i];
        json_t *row = json_row(run->model->name, "seed", run->settings.seed, run->scores);
        json_object_set_new(row, "by_length", sa_compare_json_bands(run));
        json_array_append_new(runs, row);
    }
    return json_pack("{s:o, s:o}", "models", models, "runs", runs);
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

static bool save_by_length(const sa_comparison *all, sa_error *error) {
    sa_buffer out = {0};
    sa_buffer_adds(&out, "model,seed,band,sentences,bleu,low,high\n");
    for (size_t i = 0; i < all->model_count * all->seeds; i++) {
        const sa_compare_run *run = &all->runs[i];
        for (int k = 0; k < SA_LENGTH_BANDS; k++) {
            if (!(*run->bands[k] > 0)) continue;
            sa_buffer_addf(&out, "%s,%lld,%s", run->model->name, (long long)run->settings.seed,
                           sa_length_bands[k].name);
            add_cells(run->bands[k], SA_COMPARE_BAND_COLUMNS, &out);
        }
    }
    return sa_save_text_in(all->options->out, "bylength.csv", &out, error);
}

/* Writes to DIR: table.csv with every run and the medians, table.tex, curves.csv from the log.csv
 * of every run, and bylength.csv. */
static bool save_files(const sa_comparison *all, sa_error *error) {
    sa_buffer table = {0};
    add_latex(all, &table);
    if (!sa_save_text_in(all->options->out, "table.tex", &table, error)) return false;
    add_csv(all, &table);
    return sa_save_text_in(all->options->out, "table.csv", &table, error) &&
           save_curves(all, error) && save_by_length(all, error);
}

/* ---- The page -------------------------------------------------------------------------------- */

static void open_page(const sa_comparison *all, sa_html_report *report) {
    char name[SA_PAGE_NAME], text[SA_PAGE_NAME + 64];
    sa_buffer updates = {0}, signature = {0};
    sa_page_name(all->options->train, name);
    snprintf(text, sizeof text, "%zu model%s on %s", all->model_count,
             all->model_count > 1 ? "s" : "", name);
    sa_html_report_init(report, "compare", text, all->model_count);
    sa_page_name(all->data.test.name, name);
    snprintf(text, sizeof text, "%s (%zu pairs)", name, all->data.test.count);
    sa_html_report_fact(report, "test", text);
    sa_html_report_fact_file(report, "runs", all->options->out);
    add_unequal_updates(all, &updates);
    if (updates.size) sa_html_report_fact(report, "unequal numbers of updates", updates.text);
    report->failed |= updates.failed;
    sa_buffer_release(&updates);
    json_t *columns = json_object_get(report->data, "columns");
    for (const sa_column *column = sa_compare_columns; column->title; column++)
        json_array_append_new(columns,
                              json_pack("{s:s, s:s, s:i, s:f}", "key", column->key, "title",
                                        column->title, "decimals", column->decimals, "scale",
                                        column->scale > 0 ? column->scale : 1));
    sa_metric_signature(SA_METRIC_BLEU, &all->models->settings.metrics, 1, "", &signature);
    json_array_append_new(json_object_get(report->data, "signatures"),
                          sa_json_buffer(&signature, &report->failed));
}

/* Adds a model to the page, with the matrices and the film of its first seed. */
static bool add_model(const sa_comparison *all, size_t number, sa_html_report *report,
                      sa_error *error) {
    const sa_compare_run *runs = all->runs + number * all->seeds;
    sa_html_report_model(report, all->models[number].name, &all->models[number].settings,
                         all->seeds);
    if (!sa_settings_has_attention(&runs->settings) || runs->diverged) return true;
    sa_model *model = sa_compare_model_open(runs, error);
    const bool good = model && sa_html_report_align(report, model, &all->data.test, error) &&
                      sa_html_report_film(report, runs->folder, error);
    sa_model_close(model);
    return good;
}

/* Writes the page, which includes the CSV files: they must exist. */
static bool save_page(const sa_comparison *all, sa_error *error) {
    static const char *const files[] = {"table.csv", "curves.csv", "bylength.csv"};
    const sa_compare_options *options = all->options;
    const sa_page_text text = {options->title, options->notes, options->open_at};
    sa_html_report report;
    sa_buffer out = {0};
    bool good = true;
    open_page(all, &report);
    for (size_t i = 0; good && i < sizeof files / sizeof *files; i++)
        good = sa_html_report_add_file(&report, options->out, files[i], error);
    for (size_t i = 0; good && i < all->model_count; i++) good = add_model(all, i, &report, error);
    good =
        sa_page_end(&report, good, &text, &out, error) && sa_save_text(options->html, &out, error);
    sa_buffer_release(&out);
    return good;
}

/* ---- The public part ------------------------------------------------------------------------- */

static bool check_options(const sa_compare_options *options, sa_error *error) {
    if (!sa_given(options, "options", error) || !sa_given(options->train, "train", error) ||
        !sa_given(options->test, "test", error) || !sa_given(options->models, "models", error) ||
        !sa_given(options->out, "out", error) || !sa_given(options->settings, "settings", error) ||
        !sa_within(options->seeds, 1, INT32_MAX, "seeds", error) ||
        !sa_page_text_check(&(sa_page_text){options->title, options->notes, options->open_at},
                            options->html, error))
        return false;
    const bool again =
        strcmp(options->train, "-") == 0 || (options->valid && strcmp(options->valid, "-") == 0);
    return !again || sa_fail(error, SA_USAGE,
                             "compare: every run reads the pairs again, which standard input "
                             "cannot provide: write them to a file");
}

/* Checks that the folder of the page exists. */
static bool check_page(const char *html, sa_error *error) {
    char folder[SA_PATH_SIZE];
    const char *end = html ? strrchr(html, '/') : NULL;
    if (!end) return true;
    snprintf(folder, sizeof folder, "%.*s", (int)(end - html) + 1, html);
    return !sa_file_missing(folder) ||
           sa_fail(error, SA_OPEN, "cannot open '%s': No such file or directory", folder);
}

static bool compare(sa_comparison *all, sa_compare_result *result, sa_error *error) {
    sa_buffer table = {0}, json = {0};
    if (!sa_compare_finish_runs(all, error)) return false;
    result->stopped = *all->stop;
    if (result->stopped) return true;
    if (!find_statistics(all, error) || !save_files(all, error) ||
        (all->options->html && !save_page(all, error)))
        return false;
    add_text(all, &table);
    sa_json_add(json_all(all), JSON_INDENT(2), &json);
    if (table.failed || json.failed) {
        sa_buffer_release(&table), sa_buffer_release(&json);
        return sa_fail_memory(error, 0);
    }
    result->table = table.text, result->json = json.text;
    for (size_t i = 0; i < all->model_count * all->seeds; i++)
        if (all->runs[i].diverged)
            return sa_fail(error, SA_DIVERGED,
                           "'%s' diverged: it has no scores (a smaller --lr or --clip helps)",
                           all->runs[i].folder);
    return true;
}

bool sa_compare(const sa_compare_options *options, sa_compare_result *result, sa_error *error) {
    if (!check_options(options, error) || !sa_given(result, "result", error)) return false;
    *result = (sa_compare_result){0};
    sa_json_watch();
    static const volatile sig_atomic_t never;
    sa_comparison all = {
        .options = options, .stop = options->stop ? options->stop : &never, .lock = SA_UNLOCKED};
    bool good = read_columns(&all, error) && sa_compare_read_models(&all, error) &&
                open_data(&all, error) && sa_directory_lock_open(&all.lock, options->out, error) &&
                check_page(options->html, error) && compare(&all, result, error);
    sa_directory_lock_close(&all.lock);
    release(&all);
    return good || !sa_json_short() ? good : sa_fail_memory(error, 0);
}

void sa_compare_result_release(sa_compare_result *result) {
    if (!result) return;
    free(result->table);
    free(result->json);
    *result = (sa_compare_result){0};
}
