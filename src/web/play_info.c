/* play_info: what exists: options, tasks, rows of the tables; memory, errors and results. */
#include "base/memory.h"
#include "config/settings.h"
#include "synth/synth.h"
#include "web/play.h"

#include <stdlib.h>
#include <string.h>

static sa_error last_error;
static sa_buffer last_result;

/* ---- Memory and errors ----------------------------------------------------------------------- */

void *web_alloc(size_t size) {
    return sa_new(size, 1, NULL);
}

void web_free(void *memory) {
    free(memory);
}

double web_memory(void) {
#ifdef __wasm__
    return (double)__builtin_wasm_memory_size(0) * 65536;
#else
    return 0;
#endif
}

const char *web_error(void) {
    return last_error.text;
}

int web_error_code(void) {
    return (int)last_error.code;
}

/* jansson drops what finds no memory; a trap is clearer, and the page starts again. */
static void *allocate_for_json(size_t size) {
    void *memory = sa_new(size, 1, NULL);
    if (!memory) abort();
    return memory;
}

sa_error *web_begin(void) {
    json_set_alloc_funcs(allocate_for_json, free);
    last_error = (sa_error){0};
    return &last_error;
}

const char *web_give(sa_buffer *result) {
    sa_buffer_release(&last_result);
    last_result = *result;
    *result = (sa_buffer){0};
    if (!last_result.failed) return last_result.text;
    sa_fail_memory(&last_error, last_result.size);
    return NULL;
}

const char *web_give_json(json_t *value) {
    sa_buffer text = {0};
    if (!value) return NULL;
    if (json_is_null(value))
        sa_buffer_adds(&text, "null"); /* jansson writes objects and arrays only */
    else
        sa_json_add_line(value, &text);
    return web_give(&text);
}

size_t web_size(void) {
    return last_result.size;
}

/* ---- What exists ------------------------------------------------------------------------------
 */

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

static json_t *choices(const sa_option *row) {
    json_t *names = json_array();
    for (size_t i = 0; row->choice && row->choice(i); i++)
        json_array_append_new(names, json_string(row->choice(i)));
    return names;
}

static json_t *option_default(const sa_option *row) {
    if (row->kind == SA_OPTION_CHOICE) return json_string(row->choice((size_t)row->default_value));
    return row->kind == SA_OPTION_SWITCH ? json_boolean(row->default_value != 0)
                                         : json_real(row->default_value);
}

static json_t *options(const sa_option *row) {
    static const char *const kinds[] = {[SA_OPTION_INT] = "int",
                                        [SA_OPTION_INT64] = "int",
                                        [SA_OPTION_REAL] = "real",
                                        [SA_OPTION_SWITCH] = "switch",
                                        [SA_OPTION_CHOICE] = "choice"};
    static const char *const scopes[] = {[SA_SCOPE_MODEL] = "model",
                                         [SA_SCOPE_TEXT] = "text",
                                         [SA_SCOPE_TRAINING] = "training",
                                         [SA_SCOPE_RUN] = "run",
                                         [SA_SCOPE_SCORES] = "scores"};
    json_t *list = json_array();
    for (; row->name; row++)
        if (row->kind <= SA_OPTION_CHOICE)
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:o, s:f, s:f, s:o, s:s}", "name", row->name,
                                "kind", kinds[row->kind], "scope", scopes[row->scope], "default",
                                option_default(row), "min", row->min, "max", row->max, "choices",
                                choices(row), "help", row->help));
    return list;
}

static json_t *tasks(void) {
    json_t *list = json_array();
    for (const sa_task *task = sa_tasks; task->name; task++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:I}", "name", task->name, "summary",
                                              task->summary, "pairs", (json_int_t)task->pairs));
    return list;
}

static json_t *presets(void) {
    json_t *list = json_array();
    for (size_t i = 0; sa_preset_name(i); i++)
        json_array_append_new(list, json_pack("{s:s, s:o}", "name", sa_preset_name(i), "text",
                                              text_or_null(sa_preset_text(sa_preset_name(i)))));
    return list;
}

/* The rows of a table, each with two texts. */
static json_t *rows(const char *(*row)(size_t, const char **, const char **), const char *first,
                    const char *second) {
    json_t *list = json_array();
    for (size_t i = 0;; i++) {
        const char *one = NULL, *two = NULL, *name = row(i, &one, &two);
        if (!name) return list;
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", name, first,
                                              text_or_null(one), second, text_or_null(two)));
    }
}

const char *web_info(void) {
    static const struct {
        const char *option;
        const char *(*row)(size_t, const char **, const char **);
    } tables[] = {{"decoder", sa_decoder_info},       {"attention", sa_attention_info},
                  {"normalizer", sa_normalizer_info}, {"coverage", sa_coverage_info},
                  {"positions", sa_position_info},    {"cell", sa_cell_info}};
    web_begin();
    json_t *formulas = json_object();
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        json_object_set_new(formulas, tables[i].option, rows(tables[i].row, "formula", "citation"));
    return web_give_json(json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "version", sa_version(),
                                   "options", options(sa_settings_options), "search",
                                   options(sa_search_options), "tasks", tasks(), "presets",
                                   presets(), "formulas", formulas, "terms",
                                   rows(sa_gradient_fault_name, "dropped", "options")));
}

const char *web_settings(const char *text) {
    sa_settings settings;
    return web_settings_read(text, &settings, web_begin())
               ? web_give_json(web_settings_json(&settings))
               : NULL;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* Keeps the lines whose first cell has at most `longest` words. */
static void keep_short(sa_buffer *lines, int longest) {
    size_t kept = 0;
    for (char *line = lines->text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) end++;
        int words = 1;
        for (const char *at = line; *at != '\t' && at < end; at++) words += *at == ' ';
        if (words > longest) continue;
        memmove(lines->text + kept, line, (size_t)(end - line));
        kept += (size_t)(end - line);
    }
    lines->text[lines->size = kept] = 0;
}

const char *web_pairs(const char *task, int pairs, double seed, const char *split, int longest) {
    sa_error *error = web_begin();
    const sa_task *found = task ? sa_task_find(task) : NULL;
    int row = 0;
    while (sa_splits[row] && (!split || strcmp(sa_splits[row], split) != 0)) row++;
    if (!found || !sa_splits[row]) {
        sa_fail(error, SA_USAGE, "there is no task '%s' with a split '%s'", task ? task : "",
                split ? split : "");
        return NULL;
    }
    sa_buffer lines = {0};
    sa_buffer_add(&lines, "", 0);
    if (sa_synth_write(found, pairs > 0 ? (size_t)pairs : found->pairs,
                       seed > 0 ? (uint64_t)seed : 0, (sa_split)row, NULL, &lines, error)) {
        if (longest > 0 && !lines.failed) keep_short(&lines, longest);
        return web_give(&lines);
    }
    sa_buffer_release(&lines);
    return NULL;
}
