/* play_info: memory, errors and results; options, tasks and the entries of the tables. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/option.h"
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

const char *web_error(void) {
    return last_error.text;
}

/* jansson drops what it finds no memory for. A trap is clearer: the page starts afresh. */
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

const char *web_give(bool good, sa_buffer *result) {
    sa_buffer_release(&last_result);
    if (!good) sa_buffer_release(result);
    last_result = *result;
    *result = (sa_buffer){0};
    if (last_result.failed) good = sa_fail_memory(&last_error, last_result.size);
    return good ? last_result.text : NULL;
}

const char *web_give_json(json_t *value) {
    sa_buffer text = {0};
    if (!value) return NULL;
    sa_json_add(value, JSON_COMPACT | JSON_ENCODE_ANY, &text); /* also null */
    return web_give(true, &text);
}

size_t web_size(void) {
    return last_result.size;
}

/* ---- Options --------------------------------------------------------------------------------- */

/* Returns the next word of the text, terminated in place, or NULL. */
static char *next_word(char **rest) {
    static const char space[] = " \t\r\n";
    char *word = *rest + strspn(*rest, space);
    if (!*word) return NULL;
    *rest = word + strcspn(word, space);
    if (**rest) *(*rest)++ = 0;
    return word;
}

bool web_options_read(const char *text, const web_option_set *sets, char **words, sa_error *error) {
    if (!text) text = "";
    *words = sa_copy(text, strlen(text), error);
    if (!*words) return false;
    char *rest = *words, *word;
    while ((word = next_word(&rest))) {
        const web_option_set *set = sets;
        const char *name = word + 2;
        char *value = strchr(word, '=');
        if (strncmp(word, "--", 2) != 0)
            return sa_fail(error, SA_USAGE, "unknown option '%s'", word);
        if (value) *value++ = 0;
        while (set->rows && !sa_option_find(set->rows, name)) set++;
        if (!set->rows) set = sets; /* which tells what is nearest */
        const sa_option *row = sa_option_find(set->rows, name);
        if (row && !value) value = row->kind == SA_OPTION_SWITCH ? "yes" : next_word(&rest);
        if (row && !value) return sa_fail(error, SA_USAGE, "--%s needs a value", name);
        if (!sa_options_set(set->rows, set->fields, name, value, error)) return false;
    }
    return true;
}

/* Checks the number of weights: addresses of the module have 32 bits, and a model must not have
 * more weights than they can count. */
static bool check_size(const sa_settings *settings, sa_error *error) {
    enum { UNITS = 1024 };
    static const char *const names[] = {"embed", "hidden", "attn", "maxout", "ffn", "value-size"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const sa_option *row = sa_option_find(sa_settings_options, names[i]);
        if (row && sa_option_get(row, settings) > UNITS)
            return sa_fail(error, SA_LIMIT, "--%s: at most %d units in a page", row->name, UNITS);
    }
    return true;
}

bool web_settings_read(const char *options, sa_settings *settings, sa_error *error) {
    static const sa_option preset_row[] = {
        {"preset", SA_OPTION_TEXT, SA_SCOPE_RUN, 0, 0, 0, 0, NULL, NULL, 0, "NAME", NULL}, {0}};
    const char *preset = NULL;
    const web_option_set sets[] = {
        {sa_settings_options, settings}, {preset_row, (void *)&preset}, {0}};
    char *words = NULL, *again = NULL;
    sa_settings_init(settings);
    bool good = web_options_read(options, sets, &words, error);
    if (good && !preset) preset = sa_preset_default(settings->model);
    if (good && preset)
        good = sa_settings_preset(settings, preset, error) &&
               web_options_read(options, sets, &again, error);
    free(words), free(again);
    settings->threads = 1;
    return good && sa_settings_check(settings, error) && check_size(settings, error);
}

/* ---- Settings as JSON ------------------------------------------------------------------------ */

/* Appends the options that differ from their defaults, as a command line. */
static void add_command(const sa_settings *settings, sa_buffer *out) {
    sa_buffer_add(out, "", 0);
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        const double value = sa_option_get(row, settings);
        if (value == row->default_value || strcmp(row->name, "threads") == 0) continue;
        if (out->size) sa_buffer_adds(out, " ");
        sa_option_add_argument(row, value, out);
    }
}

json_t *web_settings_json(const sa_settings *settings) {
    sa_buffer command = {0};
    bool failed = false;
    json_t *values = json_object();
    for (const sa_option *row = sa_settings_options; row->name; row++)
        json_object_set_new(values, row->name, sa_settings_json(row, sa_option_get(row, settings)));
    add_command(settings, &command);
    return json_pack("{s:o, s:o, s:b}", "settings", values, "command",
                     sa_json_buffer(&command, &failed), "attention",
                     sa_settings_has_attention(settings));
}

/* ---- What exists ----------------------------------------------------------------------------- */

static json_t *choices(const sa_option *row) {
    json_t *names = json_array();
    for (size_t i = 0; sa_option_choice(row, i); i++)
        json_array_append_new(names, json_string(sa_option_choice(row, i)));
    return names;
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
                                         [SA_SCOPE_METRICS] = "scores"};
    json_t *list = json_array();
    for (; row->name; row++)
        if (row->kind <= SA_OPTION_CHOICE)
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:o, s:f, s:f, s:o, s:s}", "name", row->name,
                                "kind", kinds[row->kind], "scope", scopes[row->scope], "default",
                                sa_settings_json(row, row->default_value), "min", row->min, "max",
                                row->max, "choices", choices(row), "help", row->help));
    return list;
}

/* Returns the entries of a list with their texts. */
static json_t *rows(sa_info *row, const char *first, const char *second) {
    json_t *list = json_array();
    for (size_t i = 0;; i++) {
        const char *one = NULL, *two = NULL, *name = row(i, &one, &two);
        if (!name) return list;
        json_array_append_new(
            list, json_pack("{s:s, s:s*, s:s*}", "name", name, first, one, second, two));
    }
}

const char *web_info(void) {
    web_begin();
    json_t *formulas = json_object();
    for (const sa_formulas *table = sa_formula_tables; table->option; table++)
        json_object_set_new(formulas, table->option, rows(table->info, "formula", "citation"));
    return web_give_json(json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "version", sa_version(),
                                   "options", options(sa_settings_options), "search",
                                   options(sa_search_options), "tasks",
                                   rows(sa_task_info, "summary", ""), "formulas", formulas, "terms",
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

static const char grammar_file[] = "grammar"; /* in memory */

const char *web_grammar(const char *text) {
    sa_error *error = web_begin();
    const sa_toy toy = {.grammar = grammar_file, .seed = 1, .check = true};
    const sa_chunk chunk = {text, strlen(text)};
    sa_buffer lines = {0};
    const bool good =
        sa_save(grammar_file, &chunk, 1, error) && sa_synth_write(&toy, NULL, &lines, error);
    return web_give(good, &lines);
}

const char *web_pairs(const char *task, int pairs, double seed, const char *split, int longest) {
    sa_error *error = web_begin();
    int row = 0;
    while (sa_splits[row] && (!split || strcmp(sa_splits[row], split) != 0)) row++;
    const sa_toy toy = {.task = task,
                        .grammar = task ? NULL : grammar_file,
                        .pairs = pairs > 0 ? pairs : 0,
                        .seed = seed > 0 ? (int64_t)seed : 0,
                        .split = row,
                        .max_words = task ? 0 : longest};
    sa_buffer lines = {0};
    sa_buffer_add(&lines, "", 0);
    const bool good = sa_synth_write(&toy, NULL, &lines, error);
    if (good && longest > 0 && !lines.failed) keep_short(&lines, longest);
    return web_give(good, &lines);
}
