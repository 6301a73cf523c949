#include "base/save.h"
#include "compare/compare.h"
#include "metrics/metrics.h"

#include <stdlib.h>

static void open_page(const sa_comparison *all, sa_html_report *report) {
    sa_buffer title = {0}, count = {0};
    sa_buffer_addf(&title, "%zu model%s on ", all->model_count, all->model_count > 1 ? "s" : "");
    sa_html_report_add_name(all->data.train, &title);
    sa_html_report_init(report, "compare", title.failed ? "" : title.text, all->model_count);
    sa_html_report_add_name(all->data.test.name, &count);
    sa_buffer_addf(&count, " (%zu pairs)", all->data.test.count);
    sa_html_report_fact(report, "test", count.failed ? "" : count.text);
    sa_html_report_fact_file(report, "runs", all->out);
    report->failed |= title.failed || count.failed;
    sa_buffer_release(&title);
    sa_buffer_release(&count);
}

static bool add_unequal_updates(const sa_comparison *all, sa_html_report *report, sa_error *error) {
    sa_buffer updates = {0};
    const bool good = sa_compare_add_unequal_updates(all, &updates, error);
    if (updates.size) sa_html_report_fact(report, "unequal numbers of updates", updates.text);
    report->failed |= updates.failed;
    sa_buffer_release(&updates);
    return good;
}

static void add_columns(sa_html_report *report) {
    json_t *columns = json_object_get(report->data, "columns");
    for (int k = 0; k < SA_COMPARE_COLUMNS; k++)
        if (sa_compare_columns[k].title)
            json_array_append_new(columns, json_pack("{s:s, s:s, s:i, s:f}", "key",
                                                     sa_compare_columns[k].key, "title",
                                                     sa_compare_columns[k].title, "decimals",
                                                     sa_compare_columns[k].decimals, "scale",
                                                     sa_compare_columns[k].scale));
}

static void add_signature(const sa_metrics *metrics, sa_html_report *report) {
    sa_buffer text = {0};
    sa_metric_signature(&sa_metric_list[SA_METRIC_BLEU], metrics, 1, "", &text);
    json_array_append_new(json_object_get(report->data, "signatures"),
                          sa_json_buffer(&text, &report->failed));
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
    open_page(all, &report);
    bool good = add_unequal_updates(all, &report, error);
    add_columns(&report);
    add_signature(&all->models->settings.metrics, &report);
    for (size_t i = 0; good && i < sizeof files / sizeof *files; i++)
        good = sa_html_report_add_file(&report, all->out, files[i], error);
    for (size_t i = 0; good && i < all->model_count; i++) good = add_model(all, i, &report, error);
    good = good && sa_page_text_add(text, &report, error);
    if (good) sa_html_report_write(&report, &out);
    good = good && sa_save_text(path, &out, error);
    sa_buffer_release(&out);
    sa_html_report_release(&report);
    return good;
}
