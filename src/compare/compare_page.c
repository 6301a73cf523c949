#include "cli/output.h"
#include "cli/report_data.h"
#include "compare/compare.h"
#include "config/settings.h"
#include "metrics/metrics.h"

#include <stdlib.h>

static void open_page(const comparison *all, cli_report *page) {
    sa_buffer title = {0}, count = {0};
    sa_buffer_addf(&title, "%zu model%s on %s", all->model_count, all->model_count > 1 ? "s" : "",
                   all->data.train);
    cli_report_init(page, "compare", cli_json_text(&title), all->model_count);
    sa_buffer_addf(&count, "%s (%zu pairs)", all->data.test.name, all->data.test.count);
    cli_report_fact(page, "test", cli_json_text(&count));
    cli_report_fact(page, "runs", all->out);
    sa_buffer_release(&title);
    sa_buffer_release(&count);
}

static void add_columns(cli_report *page) {
    json_t *columns = json_object_get(page->data, "columns");
    for (int k = 0; k < COMPARE_FIGURES; k++)
        if (compare_columns[k].title)
            json_array_append_new(
                columns, json_pack("{s:s, s:s, s:i, s:f}", "key", compare_columns[k].key, "title",
                                   compare_columns[k].title, "decimals",
                                   compare_columns[k].decimals, "scale", compare_columns[k].scale));
}

static void add_signature(cli_report *page) {
    sa_metrics metrics;
    sa_buffer text = {0};
    sa_metrics_init(&metrics);
    sa_metric_signature(&sa_metric_list[SA_METRIC_BLEU], &metrics, 1, "", &text);
    json_array_append_new(json_object_get(page->data, "signatures"), cli_json_buffer(&text));
}

/* A model, with the matrices and the film of its first seed. */
static bool add_model(const comparison *all, size_t number, cli_report *page, sa_error *error) {
    const compare_run *runs = all->runs + number * all->seeds;
    cli_report_model(page, all->models[number].name, &all->models[number].settings);
    for (size_t i = 0; i < all->seeds; i++) cli_report_seed(page, runs[i].settings.seed);
    if (!all->models[number].attends || runs->diverged) return true;
    sa_model *model = compare_open(runs, error);
    const bool good = model && cli_report_align(page, model, &all->data.test, error) &&
                      cli_report_film(page, runs->folder, error);
    sa_model_close(model);
    return good;
}

bool compare_save_page(const comparison *all, const char *path, sa_error *error) {
    static const char *const files[] = {"table.csv", "curves.csv", "bylength.csv"};
    cli_report page;
    sa_buffer out = {0};
    bool good = true;
    open_page(all, &page);
    add_columns(&page);
    add_signature(&page);
    for (size_t i = 0; good && i < sizeof files / sizeof *files; i++)
        good = cli_report_add_file(&page, all->out, files[i], error);
    for (size_t i = 0; good && i < all->model_count; i++) good = add_model(all, i, &page, error);
    if (good) cli_report_write(&page, &out);
    good = good && cli_save(path, &out, error);
    cli_report_release(&page);
    return good;
}
