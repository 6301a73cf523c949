#include "cli/attend_output.h"
#include "cli/output.h"
#include "report/grid.h"

#include <stdlib.h>

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
    return cli_print_json(
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "queries",
                  sa_json_words(attended->query, result->queries), "keys",
                  sa_json_words(attended->key, result->keys), "scores",
                  json_heads(attended, result->scores), "weights",
                  json_heads(attended, result->weights), "contexts",
                  sa_json_matrix(result->contexts, result->queries, result->context), "outputs",
                  sa_json_matrix(result->outputs, result->queries, result->output)),
        error);
}

bool cli_attend_save(const cli_attend_output *attended, int head, const char *path,
                     sa_error *error) {
    const sa_attend_result *result = &attended->result;
    const size_t size = (size_t)result->queries * (size_t)result->keys;
    double *mean = sa_new(size, sizeof *mean, error);
    if (!mean) return false;
    for (size_t i = 0; i < size; i++) {
        for (int h = 0; h < result->heads; h++) mean[i] += result->weights[(size_t)h * size + i];
        mean[i] /= result->heads;
    }
    const sa_grid grid =
        head ? head_grid(attended, result->weights, head - 1) : head_grid(attended, mean, 0);
    sa_buffer out = {0};
    sa_grid_csv(&grid, &out);
    free(mean);
    return cli_save(path, &out, error);
}
