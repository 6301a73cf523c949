#include "base/number.h"
#include "base/save.h"
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const sa_compare_column sa_compare_columns[SA_COMPARE_COLUMNS] = {
    [SA_COMPARE_PARAMETERS] = {"parameters", "parameters", 0, 1},
    [SA_COMPARE_SECONDS] = {"seconds", "seconds", 1, 1},
    [SA_COMPARE_UPDATES] = {"updates", "updates", 0, 1},
    [SA_COMPARE_LOSS] = {"loss", "loss", 4, 1},
    [SA_COMPARE_PERPLEXITY] = {"perplexity", "perplexity", 3, 1},
    [SA_COMPARE_BLEU] = {"bleu", "BLEU", 2, 1},
    [SA_COMPARE_EXACT] = {"exact", "exact %", 1, 100},
    [SA_COMPARE_AER] = {"aer", "AER", 3, 1},
    [SA_COMPARE_ENTROPY] = {"entropy", "entropy", 3, 1},
    [SA_COMPARE_ZEROS] = {"zeros", "zeros %", 1, 100},
    [SA_COMPARE_SPEED] = {"words_per_second", "words/s", 0, 1},
    [SA_COMPARE_CACHE] = {"cache_bytes_per_step", "cache B/step", 0, 1},
    [SA_COMPARE_SENTENCES] = {"sentences", NULL, 0, 1},
    [SA_COMPARE_WORDS] = {"target_words", NULL, 0, 1},
};

/* ---- Medians --------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the numbers. NaN when there is none. */
static double median(double *numbers, size_t count) {
    qsort(numbers, count, sizeof *numbers, ascending);
    return count ? (numbers[(count - 1) / 2] + numbers[count / 2]) / 2 : NAN;
}

/* Over the runs of a model that have the score. */
static bool find_medians(const sa_comparison *all, size_t model, double medians[SA_COMPARE_COLUMNS],
                         sa_error *error) {
    const sa_compare_run *runs = all->runs + model * all->seeds;
    double *numbers = sa_new(all->seeds, sizeof *numbers, error);
    if (!numbers) return false;
    for (int k = 0; k < SA_COMPARE_COLUMNS; k++) {
        size_t count = 0;
        for (size_t i = 0; i < all->seeds; i++)
            if (!isnan(runs[i].scores[k])) numbers[count++] = runs[i].scores[k];
        medians[k] = median(numbers, count);
    }
    free(numbers);
    return true;
}

/* A row for each model, to be freed. */
static double (*medians_of(const sa_comparison *all, sa_error *error))[SA_COMPARE_COLUMNS] {
    double(*rows)[SA_COMPARE_COLUMNS] = sa_new(all->model_count, sizeof *rows, error);
    for (size_t i = 0; rows && i < all->model_count; i++)
        if (!find_medians(all, i, rows[i], error)) {
            free(rows);
            rows = NULL;
        }
    return rows;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void add_score(int column, double score, sa_buffer *out) {
    if (isnan(score))
        sa_buffer_adds(out, "-");
    else
        sa_number_add_fixed(out, score * sa_compare_columns[column].scale,
                            sa_compare_columns[column].decimals);
}

/* Appends the updates of each model, unless they differ by a tenth at most. */
static void add_unequal_updates(const sa_comparison *all, double (*rows)[SA_COMPARE_COLUMNS],
                                sa_buffer *out) {
    double fewest = INFINITY, most = 0;
    for (size_t i = 0; i < all->model_count; i++) {
        if (isnan(rows[i][SA_COMPARE_LOSS])) continue; /* diverged */
        fewest = fmin(fewest, rows[i][SA_COMPARE_UPDATES]);
        most = fmax(most, rows[i][SA_COMPARE_UPDATES]);
    }
    for (size_t i = 0; fewest < 0.9 * most && i < all->model_count; i++) {
        if (isnan(rows[i][SA_COMPARE_LOSS])) continue;
        sa_buffer_addf(out, "%s%s %.0f", out->size ? ", " : "", all->models[i].name,
                       rows[i][SA_COMPARE_UPDATES]);
    }
}

bool sa_compare_add_unequal_updates(const sa_comparison *all, sa_buffer *out, sa_error *error) {
    double(*rows)[SA_COMPARE_COLUMNS] = medians_of(all, error);
    if (rows) add_unequal_updates(all, rows, out);
    free(rows);
    return rows != NULL;
}

/* Below a table, after an empty line if `apart`. */
static void add_notes(const sa_comparison *all, double (*rows)[SA_COMPARE_COLUMNS], bool apart,
                      sa_buffer *out) {
    sa_buffer updates = {0};
    add_unequal_updates(all, rows, &updates);
    if (apart && (all->seeds > 1 || updates.size)) sa_buffer_adds(out, "\n");
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

static void add_padded(const char *text, int width, sa_buffer *out) {
    sa_buffer_addf(out, "  %*s", width, text);
}

static int width_of(int column) {
    const int title = (int)strlen(sa_compare_columns[column].title);
    return title > 7 ? title : 7;
}

static void add_lines(const sa_comparison *all, double (*rows)[SA_COMPARE_COLUMNS],
                      sa_buffer *out) {
    int name = 5;
    for (size_t i = 0; i < all->model_count; i++)
        if ((int)strlen(all->models[i].name) > name) name = (int)strlen(all->models[i].name);
    sa_buffer_addf(out, "%-*s", name, "model");
    for (int k = 0; k < SA_COMPARE_COLUMNS; k++)
        if (sa_compare_columns[k].title) add_padded(sa_compare_columns[k].title, width_of(k), out);
    sa_buffer_adds(out, "\n");
    for (size_t i = 0; i < all->model_count; i++) {
        sa_buffer_addf(out, "%-*s", name, all->models[i].name);
        for (int k = 0; k < SA_COMPARE_COLUMNS; k++) {
            if (!sa_compare_columns[k].title) continue;
            sa_buffer cell = {0};
            add_score(k, rows[i][k], &cell);
            out->failed |= cell.failed;
            add_padded(cell.failed ? "" : cell.text, width_of(k), out);
            sa_buffer_release(&cell);
        }
        sa_buffer_adds(out, "\n");
    }
    add_notes(all, rows, false, out);
}

static void add_markdown(const sa_comparison *all, double (*rows)[SA_COMPARE_COLUMNS],
                         sa_buffer *out) {
    sa_buffer_adds(out, "| model |");
    for (int k = 0; k < SA_COMPARE_COLUMNS; k++)
        if (sa_compare_columns[k].title) sa_buffer_addf(out, " %s |", sa_compare_columns[k].title);
    sa_buffer_adds(out, "\n|---|");
    for (int k = 0; k < SA_COMPARE_COLUMNS; k++)
        if (sa_compare_columns[k].title) sa_buffer_adds(out, "---:|");
    for (size_t i = 0; i < all->model_count; i++) {
        sa_buffer_addf(out, "\n| %s |", all->models[i].name);
        for (int k = 0; k < SA_COMPARE_COLUMNS; k++) {
            if (!sa_compare_columns[k].title) continue;
            sa_buffer_adds(out, " ");
            add_score(k, rows[i][k], out);
            sa_buffer_adds(out, " |");
        }
    }
    sa_buffer_adds(out, "\n");
    add_notes(all, rows, true, out);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void add_row(const char *name, const char *seed, const double *scores, sa_buffer *out) {
    sa_buffer_addf(out, "%s,%s", name, seed);
    for (int k = 0; k < SA_COMPARE_COLUMNS; k++) {
        if (!sa_compare_columns[k].title) continue;
        sa_buffer_adds(out, ",");
        const double score = scores[k];
        if (!isnan(score)) sa_number_add(out, score == trunc(score) ? score : (double)(float)score);
    }
    sa_buffer_adds(out, "\n");
}

static void add_csv(const sa_comparison *all, double (*rows)[SA_COMPARE_COLUMNS], sa_buffer *out) {
    sa_buffer_adds(out, "model,seed");
    for (int k = 0; k < SA_COMPARE_COLUMNS; k++)
        if (sa_compare_columns[k].title) sa_buffer_addf(out, ",%s", sa_compare_columns[k].key);
    sa_buffer_adds(out, "\n");
    for (size_t i = 0; i < all->model_count; i++) {
        for (size_t k = 0; k < all->seeds; k++) {
            const sa_compare_run *run = &all->runs[i * all->seeds + k];
            char seed[32];
            snprintf(seed, sizeof seed, "%lld", (long long)run->settings.seed);
            add_row(run->model->name, seed, run->scores, out);
        }
        add_row(all->models[i].name, "median", rows[i], out);
    }
}

bool sa_compare_save_tables(const sa_comparison *all, sa_error *error) {
    double(*rows)[SA_COMPARE_COLUMNS] = medians_of(all, error);
    if (!rows) return false;
    sa_buffer csv = {0}, markdown = {0};
    add_csv(all, rows, &csv);
    add_markdown(all, rows, &markdown);
    free(rows);
    const bool good = sa_save_text_in(all->out, "table.csv", &csv, error);
    return sa_save_text_in(all->out, "table.md", &markdown, good ? error : NULL) && good;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

json_t *sa_compare_json_scores(const double *scores) {
    json_t *object = json_object();
    for (int k = 0; k < SA_COMPARE_COLUMNS; k++) {
        const bool whole = !sa_compare_columns[k].decimals && scores[k] == trunc(scores[k]);
        json_object_set_new(object, sa_compare_columns[k].key,
                            whole ? json_integer((json_int_t)scores[k])
                                  : sa_json_number(scores[k]));
    }
    return object;
}

json_t *sa_compare_json_bands(const sa_compare_run *run) {
    json_t *bands = json_object();
    for (int i = 0; i < SA_LENGTH_BANDS; i++)
        if (run->by_length[i].sentences)
            json_object_set_new(bands, sa_length_bands[i].name,
                                json_pack("{s:I, s:o, s:o, s:o}", "sentences",
                                          (json_int_t)run->by_length[i].sentences, "bleu",
                                          sa_json_number(run->by_length[i].bleu), "low",
                                          sa_json_number(run->interval[i].low), "high",
                                          sa_json_number(run->interval[i].high)));
    return bands;
}

static json_t *json_model(const sa_comparison *all, size_t i, const double *medians) {
    json_t *object =
        json_pack("{s:s, s:I}", "model", all->models[i].name, "seeds", (json_int_t)all->seeds);
    json_object_update_new(object, sa_compare_json_scores(medians));
    return object;
}

static json_t *json_run(const sa_compare_run *run) {
    json_t *object =
        json_pack("{s:s, s:I}", "model", run->model->name, "seed", (json_int_t)run->settings.seed);
    json_object_update_new(object, sa_compare_json_scores(run->scores));
    json_object_set_new(object, "by_length", sa_compare_json_bands(run));
    return object;
}

static json_t *json_all(const sa_comparison *all, double (*rows)[SA_COMPARE_COLUMNS]) {
    json_t *models = json_array(), *runs = json_array();
    for (size_t i = 0; i < all->model_count; i++)
        json_array_append_new(models, json_model(all, i, rows[i]));
    for (size_t i = 0; i < all->model_count * all->seeds; i++)
        json_array_append_new(runs, json_run(&all->runs[i]));
    return json_pack("{s:o, s:o}", "models", models, "runs", runs);
}

bool sa_compare_add_table(const sa_comparison *all, bool json, sa_buffer *out, sa_error *error) {
    double(*rows)[SA_COMPARE_COLUMNS] = medians_of(all, error);
    if (!rows) return false;
    if (json)
        sa_json_add(json_all(all, rows), out);
    else
        add_lines(all, rows, out);
    free(rows);
    return true;
}
