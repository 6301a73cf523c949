#include "base/number.h"
#include "cli/output.h"
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const compare_column compare_columns[COMPARE_FIGURES] = {
    [COMPARE_PARAMETERS] = {"parameters", "parameters", 0, 1},
    [COMPARE_SECONDS] = {"seconds", "seconds", 1, 1},
    [COMPARE_UPDATES] = {"updates", "updates", 0, 1},
    [COMPARE_LOSS] = {"loss", "loss", 4, 1},
    [COMPARE_PERPLEXITY] = {"perplexity", "perplexity", 3, 1},
    [COMPARE_BLEU] = {"bleu", "BLEU", 2, 1},
    [COMPARE_EXACT] = {"exact", "exact %", 1, 100},
    [COMPARE_AER] = {"aer", "AER", 3, 1},
    [COMPARE_ENTROPY] = {"entropy", "entropy", 3, 1},
    [COMPARE_SPEED] = {"words_per_second", "words/s", 0, 1},
    [COMPARE_SENTENCES] = {"sentences", NULL, 0, 1},
    [COMPARE_WORDS] = {"target_words", NULL, 0, 1},
};

/* ---- Medians --------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The middle of the numbers, which are sorted; the mean of the two middle ones of an even count. */
static double median(double *numbers, size_t count) {
    qsort(numbers, count, sizeof *numbers, by_size);
    return count ? (numbers[(count - 1) / 2] + numbers[count / 2]) / 2 : NAN;
}

/* Each figure's median over the runs of a model that have it. */
static bool find_medians(const comparison *all, size_t model, double medians[COMPARE_FIGURES],
                         sa_error *error) {
    const compare_run *runs = all->runs + model * all->seeds;
    double *numbers = sa_new(all->seeds, sizeof *numbers, error);
    if (!numbers) return false;
    for (int k = 0; k < COMPARE_FIGURES; k++) {
        size_t count = 0;
        for (size_t i = 0; i < all->seeds; i++)
            if (!isnan(runs[i].figures[k])) numbers[count++] = runs[i].figures[k];
        medians[k] = median(numbers, count);
    }
    free(numbers);
    return true;
}

/* The medians of every model, a row each; to be freed. */
static double (*medians_of(const comparison *all, sa_error *error))[COMPARE_FIGURES] {
    double(*rows)[COMPARE_FIGURES] = sa_new(all->model_count, sizeof *rows, error);
    for (size_t i = 0; rows && i < all->model_count; i++)
        if (!find_medians(all, i, rows[i], error)) {
            free(rows);
            rows = NULL;
        }
    return rows;
}

/* ---- For people ------------------------------------------------------------------------------ */

/* A figure, or "-" where there is none. */
static void show(int column, double figure, sa_buffer *out) {
    if (isnan(figure))
        sa_buffer_adds(out, "-");
    else
        sa_number_add_fixed(out, figure * compare_columns[column].scale,
                            compare_columns[column].decimals);
}

static void add_note(const comparison *all, sa_buffer *out) {
    if (all->seeds > 1)
        sa_buffer_addf(out, "Each figure is the median over %zu seeds; table.csv has every run.\n",
                       all->seeds);
}

static void add_padded(const char *text, int width, sa_buffer *out) {
    sa_buffer_addf(out, "  %*s", width, text);
}

static int width_of(int column) {
    const int title = (int)strlen(compare_columns[column].title);
    return title > 7 ? title : 7;
}

static void add_lines(const comparison *all, double (*rows)[COMPARE_FIGURES], sa_buffer *out) {
    int name = 5;
    for (size_t i = 0; i < all->model_count; i++)
        if ((int)strlen(all->models[i].name) > name) name = (int)strlen(all->models[i].name);
    sa_buffer_addf(out, "%-*s", name, "model");
    for (int k = 0; k < COMPARE_FIGURES; k++)
        if (compare_columns[k].title) add_padded(compare_columns[k].title, width_of(k), out);
    sa_buffer_adds(out, "\n");
    for (size_t i = 0; i < all->model_count; i++) {
        sa_buffer_addf(out, "%-*s", name, all->models[i].name);
        for (int k = 0; k < COMPARE_FIGURES; k++) {
            if (!compare_columns[k].title) continue;
            sa_buffer cell = {0};
            show(k, rows[i][k], &cell);
            out->failed |= cell.failed;
            add_padded(cell.failed ? "" : cell.text, width_of(k), out);
            sa_buffer_release(&cell);
        }
        sa_buffer_adds(out, "\n");
    }
    add_note(all, out);
}

static void add_markdown(const comparison *all, double (*rows)[COMPARE_FIGURES], sa_buffer *out) {
    sa_buffer_adds(out, "| model |");
    for (int k = 0; k < COMPARE_FIGURES; k++)
        if (compare_columns[k].title) sa_buffer_addf(out, " %s |", compare_columns[k].title);
    sa_buffer_adds(out, "\n|---|");
    for (int k = 0; k < COMPARE_FIGURES; k++)
        if (compare_columns[k].title) sa_buffer_adds(out, "---:|");
    for (size_t i = 0; i < all->model_count; i++) {
        sa_buffer_addf(out, "\n| %s |", all->models[i].name);
        for (int k = 0; k < COMPARE_FIGURES; k++) {
            if (!compare_columns[k].title) continue;
            sa_buffer_adds(out, " ");
            show(k, rows[i][k], out);
            sa_buffer_adds(out, " |");
        }
    }
    sa_buffer_adds(out, all->seeds > 1 ? "\n\n" : "\n");
    add_note(all, out);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void add_row(const char *name, const char *seed, const double *figures, sa_buffer *out) {
    sa_buffer_addf(out, "%s,%s", name, seed);
    for (int k = 0; k < COMPARE_FIGURES; k++) {
        if (!compare_columns[k].title) continue;
        sa_buffer_adds(out, ",");
        const double figure = figures[k];
        if (!isnan(figure))
            sa_number_add(out, figure == trunc(figure) ? figure : (double)(float)figure);
    }
    sa_buffer_adds(out, "\n");
}

static void add_csv(const comparison *all, double (*rows)[COMPARE_FIGURES], sa_buffer *out) {
    sa_buffer_adds(out, "model,seed");
    for (int k = 0; k < COMPARE_FIGURES; k++)
        if (compare_columns[k].title) sa_buffer_addf(out, ",%s", compare_columns[k].key);
    sa_buffer_adds(out, "\n");
    for (size_t i = 0; i < all->model_count; i++) {
        for (size_t k = 0; k < all->seeds; k++) {
            const compare_run *run = &all->runs[i * all->seeds + k];
            char seed[32];
            snprintf(seed, sizeof seed, "%lld", (long long)run->settings.seed);
            add_row(run->model->name, seed, run->figures, out);
        }
        add_row(all->models[i].name, "median", rows[i], out);
    }
}

bool compare_save_tables(const comparison *all, sa_error *error) {
    double(*rows)[COMPARE_FIGURES] = medians_of(all, error);
    if (!rows) return false;
    sa_buffer csv = {0}, markdown = {0};
    add_csv(all, rows, &csv);
    add_markdown(all, rows, &markdown);
    free(rows);
    const bool good = compare_save(all->out, "table.csv", &csv, error);
    return compare_save(all->out, "table.md", &markdown, good ? error : NULL) && good;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

json_t *compare_json_figures(const double *figures) {
    json_t *object = json_object();
    for (int k = 0; k < COMPARE_FIGURES; k++) {
        const bool whole = !compare_columns[k].decimals && figures[k] == trunc(figures[k]);
        json_object_set_new(object, compare_columns[k].key,
                            whole ? json_integer((json_int_t)figures[k])
                                  : cli_json_number(figures[k]));
    }
    return object;
}

json_t *compare_json_bands(const compare_run *run) {
    json_t *bands = json_object();
    for (int i = 0; i < SA_LENGTH_BANDS; i++)
        if (run->by_length[i].sentences)
            json_object_set_new(bands, sa_length_bands[i].name,
                                json_pack("{s:I, s:o, s:o, s:o}", "sentences",
                                          (json_int_t)run->by_length[i].sentences, "bleu",
                                          cli_json_number(run->by_length[i].bleu), "low",
                                          cli_json_number(run->spread[i].low), "high",
                                          cli_json_number(run->spread[i].high)));
    return bands;
}

static json_t *json_model(const comparison *all, size_t i, const double *medians) {
    json_t *object =
        json_pack("{s:s, s:I}", "model", all->models[i].name, "seeds", (json_int_t)all->seeds);
    json_object_update_new(object, compare_json_figures(medians));
    return object;
}

static json_t *json_run(const compare_run *run) {
    json_t *object =
        json_pack("{s:s, s:I}", "model", run->model->name, "seed", (json_int_t)run->settings.seed);
    json_object_update_new(object, compare_json_figures(run->figures));
    json_object_set_new(object, "by_length", compare_json_bands(run));
    return object;
}

static json_t *json_all(const comparison *all, double (*rows)[COMPARE_FIGURES]) {
    json_t *models = json_array(), *runs = json_array();
    for (size_t i = 0; i < all->model_count; i++)
        json_array_append_new(models, json_model(all, i, rows[i]));
    for (size_t i = 0; i < all->model_count * all->seeds; i++)
        json_array_append_new(runs, json_run(&all->runs[i]));
    return json_pack("{s:o, s:o}", "models", models, "runs", runs);
}

bool compare_print(const comparison *all, bool json, sa_error *error) {
    double(*rows)[COMPARE_FIGURES] = medians_of(all, error);
    if (!rows) return false;
    sa_buffer out = {0};
    if (json)
        cli_add_json(json_all(all, rows), &out);
    else
        add_lines(all, rows, &out);
    free(rows);
    const bool good = cli_print(&out, error);
    sa_buffer_release(&out);
    return good;
}
