#include "base/error.h"
#include "base/number.h"
#include "base/rng.h"
#include "compare/compare.h"
#include "config/settings.h"
#include "data/corpus.h"
#include "model/seq2seq.h"
#include "report/film.h"
#include "report/matrix.h"
#include "train/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- LIST ------------------------------------------------------------------------------------ */

/* The family that an entry begins with instead of a recurrent decoder, or SA_MODEL_RECURRENT. */
static size_t family_of(const char *entry) {
    const char *name;
    for (size_t family = SA_MODEL_RECURRENT + 1; (name = sa_model_name(family)); family++)
        if (strncmp(entry, name, strlen(name)) == 0 && strchr(":,", entry[strlen(name)]))
            return family;
    return SA_MODEL_RECURRENT;
}

static bool set_option(const char *name, const char *value, sa_settings *settings,
                       sa_error *error) {
    const sa_option *option = sa_option_find(sa_settings_options, name);
    if (option && sa_settings_is_common(option))
        return sa_fail(error, SA_USAGE, "--%s applies to all models: give it once, as an option",
                       name);
    return sa_settings_set(settings, name, value, error);
}

/* Applies the parts of an entry from left to right, cutting the copy at their ends. */
static bool set_parts(char *parts, sa_settings *settings, sa_error *error) {
    const char *const options[] = {family_of(parts) ? "model" : "decoder", "attention", "heads"};
    for (size_t i = 0; parts; i++) {
        char *colon = strchr(parts, ':'), *sign = strchr(parts, '=');
        if (colon) *colon = 0;
        if (sign && (!colon || sign < colon)) {
            *sign = 0;
            if (!set_option(parts, sign + 1, settings, error)) return false;
            i = sizeof options / sizeof *options; /* only further options may follow */
        } else if (i >= sizeof options / sizeof *options) {
            return sa_fail(error, SA_USAGE,
                           "expected decoder[:attention[:heads]][:option=value ...], with "
                           "transformer or decoder as a decoder");
        } else if (i == 1 && !sa_settings_has_attention(settings)) {
            return sa_fail(error, SA_USAGE, "this decoder has no attention to choose");
        } else if (!sa_settings_set(settings, options[i], parts, error)) {
            return false;
        }
        parts = colon ? colon + 1 : NULL;
    }
    return true;
}

static bool read_entry(sa_comparison *all, const char *entry, size_t size,
                       const sa_settings *settings, sa_error *error) {
    sa_compare_model *model = &all->models[all->model_count++];
    char *parts = NULL;
    sa_error why = {0};
    *model = (sa_compare_model){.settings = *settings};
    model->name = sa_copy(entry, size, &why);
    model->folder = model->name ? sa_copy(entry, size, &why) : NULL;
    if (model->folder) parts = sa_copy(entry, size, &why);
    bool good = parts && set_parts(parts, &model->settings, &why) &&
                sa_settings_check(&model->settings, &why);
    free(parts);
    for (const sa_compare_model *earlier = all->models; good && earlier < model; earlier++)
        if (!sa_settings_find_difference(&earlier->settings, &model->settings))
            good = sa_fail(&why, SA_USAGE, "the same model as '%s'", earlier->name);
    if (!good)
        return sa_fail(error, why.code, "--models: '%s': %s", model->name ? model->name : "",
                       why.text);
    for (char *at = model->folder; (at = strchr(at, ':'));) *at = '-';
    model->attends = sa_settings_has_attention(&model->settings);
    return true;
}

static bool make_runs(sa_comparison *all, sa_error *error) {
    const size_t seeds = (size_t)all->options->seeds;
    const double last = (double)all->models->settings.seed + (double)(seeds - 1);
    if (last > sa_option_find(sa_settings_options, "seed")->max)
        return sa_fail(error, SA_USAGE, "--seeds %zu: too many from --seed %lld on", seeds,
                       (long long)all->models->settings.seed);
    all->seeds = seeds;
    all->runs = sa_new(all->model_count * seeds, sizeof *all->runs, error);
    for (size_t i = 0; all->runs && i < all->model_count * seeds; i++) {
        sa_compare_run *run = &all->runs[i];
        run->model = &all->models[i / seeds];
        run->settings = run->model->settings;
        run->settings.seed += (int64_t)(i % seeds);
        for (int k = 0; k < SA_COMPARE_COLUMNS; k++) run->scores[k] = NAN;
        run->folder = sa_format(error, "%s/%s-s%lld", all->options->out, run->model->folder,
                                (long long)run->settings.seed);
        if (!run->folder) return false;
    }
    return all->runs != NULL;
}

/* Reads the list of models, separated by commas: decoder[:attention[:heads]][:option=value ...],
 * with "transformer" or "decoder" (decoder-only) as a decoder, and makes their runs. Settings that
 * an entry leaves out are those of its family. SA_USAGE names an entry that is wrong or occurs
 * twice. */
static bool read_models(sa_comparison *all, const sa_settings *const families[], sa_error *error) {
    size_t count = 1;
    const char *list = all->options->models;
    for (const char *at = list; *at; at++) count += *at == ',';
    all->models = sa_new(count, sizeof *all->models, error);
    bool good = all->models;
    for (size_t i = 0; good && i < count; i++) {
        const size_t size = strcspn(list, ",");
        good = read_entry(all, list, size, families[family_of(list)], error);
        list += size + 1;
    }
    return good && make_runs(all, error);
}

static void release(sa_comparison *all) {
    for (size_t i = 0; all->runs && i < all->model_count * all->seeds; i++)
        free(all->runs[i].folder);
    for (size_t i = 0; i < all->model_count; i++)
        free(all->models[i].name), free(all->models[i].folder);
    free(all->runs), free(all->models), free(all->order);
    sa_buffer_release(&all->notes);
    sa_corpus_close(&all->data.test);
    sa_corpus_close(&all->data.snapshot_pairs);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* The hash of the pairs at `path`, and how many of the test pairs occur among them. */
static bool read_pairs(const char *path, const char *columns, const sa_corpus *test, bool gold,
                       uint64_t *hash, size_t *shared, sa_error *error) {
    sa_corpus corpus;
    *hash = *shared = 0;
    if (!path) return true;
    if (!sa_corpus_open_columns(&corpus, path, columns, error)) return false;
    *hash = sa_corpus_hash(&corpus, gold);
    const bool good = sa_corpus_overlap(test, &corpus, NULL, shared, error);
    sa_corpus_close(&corpus);
    return good;
}

static bool open_data(sa_comparison *all, sa_error *error) {
    const sa_compare_options *options = all->options;
    sa_compare_data *data = &all->data;
    bool guided = false;
    for (size_t i = 0; i < all->model_count; i++)
        guided = guided || all->models[i].settings.guided_alignment > 0;
    if (!sa_corpus_open_columns(&data->test, options->test, options->columns, error) ||
        !read_pairs(options->train, options->columns, &data->test, guided, &data->train_hash,
                    &data->train_shared, error) ||
        !read_pairs(options->valid, options->columns, &data->test, false, &data->valid_hash,
                    &data->valid_shared, error) ||
        (options->snapshots && !sa_corpus_open_columns(&data->snapshot_pairs, options->snapshots,
                                                       options->columns, error)))
        return false;
    data->test_hash = sa_corpus_hash(&data->test, true);
    return true;
}

/* ---- Medians --------------------------------------------------------------------------------- */

/* Sets the medians of all models, which what follows shows. */
static bool find_medians(sa_comparison *all, sa_error *error) {
    double *numbers = sa_new(all->seeds, sizeof *numbers, error);
    for (size_t i = 0; numbers && i < all->model_count * SA_COMPARE_COLUMNS; i++) {
        const size_t model = i / SA_COMPARE_COLUMNS, k = i % SA_COMPARE_COLUMNS;
        size_t count = 0;
        for (size_t s = 0; s < all->seeds; s++) {
            const double score = all->runs[model * all->seeds + s].scores[k];
            if (!isnan(score)) numbers[count++] = score;
        }
        qsort(numbers, count, sizeof *numbers, sa_number_compare);
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

/* An empty cell for NaN. */
static void add_score(double score, sa_buffer *out) {
    sa_buffer_adds(out, ",");
    if (!isnan(score)) sa_number_add(out, score == trunc(score) ? score : (double)(float)score);
}

static void add_row(const char *name, const char *seed, const double *scores, sa_buffer *out) {
    sa_buffer_addf(out, "%s,%s", name, seed);
    for (int k = 0; k < SA_COMPARE_SHOWN; k++) add_score(scores[k], out);
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
            const sa_eval_result *scores = &run->by_length[k];
            if (!scores->sentences) continue;
            sa_buffer_addf(&out, "%s,%lld,%s,%zu", run->model->name, (long long)run->settings.seed,
                           sa_length_bands[k].name, scores->sentences);
            add_score(scores->bleu, &out);
            add_score(run->interval[k].low, &out);
            add_score(run->interval[k].high, &out);
            sa_buffer_adds(&out, "\n");
        }
    }
    return sa_save_text_in(all->options->out, "bylength.csv", &out, error);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

typedef struct matrix_folder {
    const char *folder;
    const sa_pair *pairs;
} matrix_folder;

/* Under the number of the pair's line. */
static bool save_matrix(void *context, size_t index, const sa_alignment *alignment,
                        sa_error *error) {
    const matrix_folder *all = context;
    return sa_save_matrix(all->folder, all->pairs[index].row - 1, "csv", sa_matrix_csv, alignment,
                          error);
}

static bool save_matrices(const sa_compare_run *run, const char *matrices, const sa_corpus *test,
                          size_t count, sa_error *error) {
    char *folder = sa_path_join(matrices, run->model->folder, error);
    matrix_folder all = {folder, test->pairs};
    sa_model *model =
        folder && sa_directory_create(folder, error) ? sa_compare_model_open(run, error) : NULL;
    const bool good = model && sa_align(model, NULL, test->pairs, count, save_matrix, &all, error);
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

/* Writes to DIR: table.csv with every run and the medians, table.md with the medians, curves.csv
 * from the log.csv of every run, bylength.csv, and matrices/<model>/0001.csv ... of the first
 * `matrices` test pairs, by every model with attention, with its first seed. */
static bool save_files(const sa_comparison *all, size_t matrices, sa_error *error) {
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

/* Writes the HTML report; it holds the CSV files, which must exist. */
static bool save_page(const sa_comparison *all, const sa_page_text *text, const char *path,
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

/* ---- The public part ------------------------------------------------------------------------- */

static bool check_options(const sa_compare_options *options, sa_error *error) {
    if (!sa_given(options, "options", error) || !sa_given(options->train, "train", error) ||
        !sa_given(options->test, "test", error) || !sa_given(options->models, "models", error) ||
        !sa_given(options->out, "out", error) || !sa_given(options->settings, "settings", error) ||
        !sa_within(options->seeds, 1, INT32_MAX, "seeds", error) ||
        !sa_within(options->matrices, 0, INT32_MAX, "matrices", error) ||
        !sa_page_text_check(&(sa_page_text){options->title, options->notes, options->open_at},
                            options->html, error))
        return false;
    const bool again =
        strcmp(options->train, "-") == 0 || (options->valid && strcmp(options->valid, "-") == 0);
    return !again || sa_fail(error, SA_USAGE,
                             "compare: every run reads the pairs again, which standard input "
                             "cannot give: write them to a file");
}

/* The preset of a family, trained as long as the other models. */
static bool preset_family(int family, const sa_settings *settings, sa_settings *own,
                          sa_error *error) {
    sa_settings_init(own);
    if (!sa_settings_preset(own, sa_preset_default(family), error)) return false;
    own->seed = settings->seed;
    own->threads = settings->threads;
    own->epochs = settings->epochs;
    own->steps = settings->steps;
    own->max_time = settings->max_time;
    own->patience = settings->patience;
    return true;
}

/* What the entries of each family start from. */
enum { FAMILIES = SA_MODEL_DECODER + 1 };
static bool read_families(sa_comparison *all, sa_error *error) {
    const sa_compare_options *options = all->options;
    const sa_settings *families[] = {options->settings, options->transformer,
                                     options->decoder_only};
    sa_settings presets[FAMILIES];
    for (int family = 0; family < FAMILIES; family++) {
        if (families[family]) continue;
        if (!preset_family(family, options->settings, &presets[family], error)) return false;
        families[family] = &presets[family];
    }
    return read_models(all, families, error);
}

static bool write_results(sa_comparison *all, sa_compare_result *result, sa_error *error) {
    const sa_compare_options *options = all->options;
    const sa_page_text text = {options->title, options->notes, options->open_at};
    sa_buffer table = {0}, json = {0};
    if (!find_medians(all, error) || !save_files(all, (size_t)options->matrices, error) ||
        (options->html && !save_page(all, &text, options->html, error)))
        return false;
    add_table(all, false, &table);
    sa_json_add(json_all(all), &json);
    result->table = table.text, result->json = json.text;
    return (!table.failed && !json.failed) || sa_fail_memory(error, 0);
}

static bool compare(sa_comparison *all, sa_compare_result *result, sa_error *error) {
    static const volatile sig_atomic_t never;
    const volatile sig_atomic_t *stop = all->options->stop ? all->options->stop : &never;
    if (!sa_compare_finish_runs(all, stop, error)) return false;
    result->stopped = *stop;
    if (result->stopped || !sa_exchange_leads(all->processes)) return true;
    if (!sa_directory_lock_holds(&all->lock, all->options->out, error) ||
        !write_results(all, result, error)) {
        sa_compare_result_release(result);
        return false;
    }
    for (size_t i = 0; i < all->model_count * all->seeds; i++)
        if (all->runs[i].diverged)
            return sa_fail(error, SA_DIVERGED,
                           "'%s' diverged: it has no scores (a smaller --lr or --clip helps)",
                           all->runs[i].folder);
    return true;
}

/* Whether all processes were started alike. */
static bool check_same(const sa_comparison *all, sa_error *error) {
    const sa_exchange *processes = sa_compare_processes;
    const sa_compare_data *data = &all->data;
    const char *models = all->options->models;
    const uint64_t runs = sa_hash(models, strlen(models)) + all->seeds;
    bool good = sa_exchange_same(processes, runs, "other --models or --seeds", error) &&
                sa_exchange_same(processes, data->train_hash, "other training pairs", error) &&
                sa_exchange_same(processes, data->valid_hash, "other validation pairs", error) &&
                sa_exchange_same(processes, data->test_hash, "other test pairs", error);
    for (size_t i = 0; good && i < all->model_count; i++)
        good = sa_exchange_same_settings(processes, &all->models[i].settings, error);
    return good;
}

bool sa_compare(const sa_compare_options *options, sa_compare_result *result, sa_error *error) {
    if (!check_options(options, error) || !sa_given(result, "result", error)) return false;
    *result = (sa_compare_result){0};
    sa_json_watch();
    sa_comparison all = {.options = options, .lock = SA_UNLOCKED};
    bool good = read_families(&all, error) && open_data(&all, error) &&
                (!sa_exchange_leads(sa_compare_processes) ||
                 sa_directory_lock_open(&all.lock, options->out, error));
    good = sa_exchange_agree(sa_compare_processes, good, error) &&
           (!sa_compare_processes || check_same(&all, error));
    if (good) {
        good = compare(&all, result, error);
        sa_compare_end(&all);
    }
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
