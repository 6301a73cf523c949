#include "cli/attend_output.h"
#include "base/number.h"
#include "cli/output.h"
#include "report/matrix.h"

#include <stdlib.h>
#include <string.h>

/* ---- CSV ------------------------------------------------------------------------------------- */

static sa_grid head_grid(const cli_attend_output *attended, const double *all, int head) {
    const sa_attend_result *result = &attended->result;
    const size_t size = (size_t)result->queries * (size_t)result->keys;
    return (sa_grid){.rows = result->queries,
                     .cols = result->keys,
                     .numbers = all + (size_t)head * size,
                     .row = attended->query,
                     .column = attended->key,
                     .exact = true};
}

static sa_grid context_grid(const cli_attend_output *attended) {
    const sa_attend_result *result = &attended->result;
    return (sa_grid){result->queries, result->context,   result->contexts,
                     attended->query, attended->context, true};
}

static sa_grid output_grid(const cli_attend_output *attended) {
    const sa_attend_result *result = &attended->result;
    return (sa_grid){result->queries, result->output,   result->outputs,
                     attended->query, attended->output, true};
}

static void add_block(const char *title, int head, sa_grid grid, sa_buffer *out) {
    sa_buffer_addf(out, "%s# %s", out->size ? "\n" : "", title);
    if (head) sa_buffer_addf(out, ", head %d", head);
    sa_buffer_adds(out, "\n");
    sa_grid_csv(&grid, out);
}

bool cli_attend_print(const cli_attend_output *attended, sa_error *error) {
    const sa_attend_result *result = &attended->result;
    const bool several = result->heads > 1;
    sa_buffer out = {0};
    if (result->bandwidth > 0) {
        const double fitted[] = {result->bandwidth, result->left_out};
        static const char *const names[] = {"h", "leave-one-out error"};
        add_block("bandwidth", 0, (sa_grid){1, 2, fitted, NULL, names, true}, &out);
    }
    for (int h = 0; h < result->heads; h++) {
        const int number = several ? h + 1 : 0;
        if (result->scores)
            add_block("scores", number, head_grid(attended, result->scores, h), &out);
        add_block("weights", number, head_grid(attended, result->weights, h), &out);
    }
    if (attended->projected) add_block("contexts", 0, context_grid(attended), &out);
    add_block("outputs", 0, output_grid(attended), &out);
    const bool good = cli_print(&out, error);
    sa_buffer_release(&out);
    return good;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_heads(const cli_attend_output *attended, const double *all) {
    const sa_attend_result *result = &attended->result;
    if (!all) return json_null();
    json_t *heads = json_array();
    for (int h = 0; h < result->heads; h++)
        json_array_append_new(heads, sa_json_matrix(head_grid(attended, all, h).numbers,
                                                    result->queries, result->keys));
    return heads;
}

bool cli_attend_print_json(const cli_attend_output *attended, sa_error *error) {
    const sa_attend_result *result = &attended->result;
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "queries",
        sa_json_words(attended->query, result->queries), "keys",
        sa_json_words(attended->key, result->keys), "scores", json_heads(attended, result->scores),
        "weights", json_heads(attended, result->weights), "contexts",
        sa_json_matrix(result->contexts, result->queries, result->context), "outputs",
        sa_json_matrix(result->outputs, result->queries, result->output));
    if (object && result->bandwidth > 0) {
        json_object_set_new(object, "bandwidth", json_real(result->bandwidth));
        json_object_set_new(object, "leave_one_out", json_real(result->left_out));
    }
    return cli_print_json(object, error);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* The mean over the heads and the weights of every head, to be freed. */
static double *mean_and_heads(const sa_attend_result *result, sa_error *error) {
    const size_t size = (size_t)result->queries * (size_t)result->keys;
    const size_t heads = (size_t)result->heads;
    double *all = sa_new((1 + heads) * size, sizeof *all, error);
    if (!all) return NULL;
    memcpy(all + size, result->weights, heads * size * sizeof *all);
    for (size_t i = 0; i < size; i++) {
        for (size_t h = 0; h < heads; h++) all[i] += result->weights[h * size + i];
        all[i] /= (double)heads;
    }
    return all;
}

bool cli_attend_save(const cli_attend_output *attended, int head, const char *path,
                     sa_error *error) {
    double *all = mean_and_heads(&attended->result, error);
    if (!all) return false;
    const sa_grid grid = head_grid(attended, all, head);
    sa_buffer out = {0};
    sa_grid_csv(&grid, &out);
    free(all);
    return cli_save(path, &out, error);
}

/* A label, or the number of the row or column; of a query with a single output also that. */
static char *label_of(const char *const *labels, int i, const sa_attend_result *outputs,
                      sa_error *error) {
    sa_buffer text = {0};
    if (labels)
        sa_buffer_adds(&text, labels[i]);
    else
        sa_buffer_addf(&text, "%d", i + 1);
    if (outputs && outputs->output == 1) {
        sa_buffer_adds(&text, " \u2192 ");
        sa_number_add_fixed(&text, outputs->outputs[i], 2);
    }
    if (!text.failed) return text.text;
    sa_fail_memory(error, text.size);
    sa_buffer_release(&text);
    return NULL;
}

static bool add_matrix(const cli_attend_output *attended, sa_html_report *report, sa_error *error) {
    const sa_attend_result *result = &attended->result;
    const size_t queries = (size_t)result->queries, count = queries + (size_t)result->keys;
    char **labels = sa_new(count, sizeof *labels, error);
    double *weights = labels ? mean_and_heads(result, error) : NULL;
    bool good = weights != NULL;
    for (size_t i = 0; good && i < count; i++) {
        labels[i] = i < queries ? label_of(attended->query, (int)i, result, error)
                                : label_of(attended->key, (int)(i - queries), NULL, error);
        good = labels[i] != NULL;
    }
    if (good)
        sa_html_report_matrix(report, 0,
                              &(sa_alignment){.targets = result->queries,
                                              .sources = result->keys,
                                              .heads = result->heads,
                                              .target = (const char *const *)labels,
                                              .source = (const char *const *)labels + queries,
                                              .weights = weights},
                              NULL, 0);
    for (size_t i = 0; labels && i < count; i++) free(labels[i]);
    free(labels);
    free(weights);
    return good;
}

bool cli_attend_save_page(const cli_attend_output *attended, const sa_page_text *text,
                          const char *path, sa_error *error) {
    sa_html_report report;
    sa_buffer out = {0};
    sa_html_report_init(&report, "attend", "Attention of queries on keys", 1);
    sa_html_report_model(&report, "weights", NULL);
    json_object_set_new(report.data, "site", json_string("numbers"));
    bool good = add_matrix(attended, &report, error) && sa_page_text_add(text, &report, error);
    if (good) sa_html_report_write(&report, &out);
    good = good && cli_save(path, &out, error);
    sa_html_report_release(&report);
    return good;
}
