#include "base/error.h"
#include "base/option.h"
#include "base/utf8.h"
#include "config/preset.h"
#include "config/settings.h"
#include "web/play.h"

#include <stdlib.h>
#include <string.h>

static const sa_option *find(const web_option_set *sets, const char *name, void **fields) {
    for (; sets->rows; sets++) {
        const sa_option *row = sa_option_find(sets->rows, name);
        *fields = sets->fields;
        if (row) return row;
    }
    return NULL;
}

static bool fail_unknown(const web_option_set *sets, const char *word, sa_error *error) {
    sa_nearest nearest = {.wanted = word};
    char hint[128];
    for (; sets->rows; sets++)
        for (const sa_option *row = sets->rows; row->name; row++)
            sa_nearest_consider(&nearest, row->name);
    return sa_fail(error, SA_USAGE, "unknown option '%s'%s", word,
                   sa_nearest_hint(&nearest, hint, sizeof hint));
}

/* The next word of the text, terminated in place; NULL: there is none. */
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
        void *fields = NULL;
        char *value = strchr(word, '=');
        if (strncmp(word, "--", 2) != 0) return fail_unknown(sets, word, error);
        if (value) *value++ = 0;
        const sa_option *row = find(sets, word + 2, &fields);
        if (!row) return fail_unknown(sets, word + 2, error);
        if (!value) value = row->kind == SA_OPTION_SWITCH ? "yes" : next_word(&rest);
        if (!value) return sa_fail(error, SA_USAGE, "--%s needs a value", row->name);
        if (!sa_option_set(row, fields, value, error)) return false;
    }
    return true;
}

/* Addresses of the module have 32 bits: a model must not have more weights than they count. */
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
        {"preset", SA_OPTION_TEXT, SA_SCOPE_RUN, 0, 0, 0, 0, NULL, "NAME", NULL}, {0}};
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

static json_t *value_json(const sa_option *row, double number) {
    sa_buffer text = {0};
    bool failed = false;
    if (row->kind == SA_OPTION_SWITCH) return json_boolean(number != 0);
    if (row->kind != SA_OPTION_CHOICE && !sa_option_word(row, number)) return json_real(number);
    sa_option_format(row, number, &text);
    return sa_json_buffer(&text, &failed);
}

/* The options that differ from their defaults, as a command line. */
static void add_command(const sa_settings *settings, sa_buffer *out) {
    sa_buffer_add(out, "", 0);
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        const double value = sa_option_get(row, settings);
        if (value == row->default_value || strcmp(row->name, "threads") == 0) continue;
        sa_buffer_addf(out, "%s--%s", out->size ? " " : "", row->name);
        if (row->kind == SA_OPTION_SWITCH && value != 0) continue;
        sa_buffer_adds(out, row->kind == SA_OPTION_SWITCH ? "=" : " ");
        sa_option_format(row, value, out);
    }
}

json_t *web_settings_json(const sa_settings *settings) {
    sa_buffer command = {0};
    bool failed = false;
    json_t *values = json_object();
    for (const sa_option *row = sa_settings_options; row->name; row++)
        json_object_set_new(values, row->name, value_json(row, sa_option_get(row, settings)));
    add_command(settings, &command);
    return json_pack("{s:o, s:o, s:b}", "settings", values, "command",
                     sa_json_buffer(&command, &failed), "attention",
                     sa_settings_has_attention(settings));
}

/* ---- Texts ----------------------------------------------------------------------------------- */

char *web_text(const char *what, const char *text, sa_error *error) {
    size_t bad;
    if (!sa_given(text, what, error)) return NULL;
    if (sa_utf8_valid(text, strlen(text), &bad))
        return sa_utf8_normalize(text, strlen(text), false, error);
    sa_fail(error, SA_USAGE, "the %s is not UTF-8 at byte %zu: 0x%02X", what, bad + 1,
            (unsigned char)text[bad]);
    return NULL;
}
