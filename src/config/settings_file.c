/* settings_file: the settings of a model file, as JSON. */
#include "base/json.h"
#include "config/settings.h"

#include <string.h>

static json_t *value_of(const sa_option *row, double number) {
    const char *word = sa_option_word(row, number);
    if (word) return json_string(word);
    if (row->kind == SA_OPTION_SWITCH) return json_boolean(number != 0);
    return row->kind == SA_OPTION_REAL ? json_real(number) : json_integer((json_int_t)number);
}

char *sa_settings_write(const sa_settings *settings, sa_error *error) {
    json_t *object = json_object();
    bool good = object != NULL;
    for (const sa_option *row = sa_settings_options; good && row->name; row++) {
        if (row->scope == SA_SCOPE_RUN) continue;
        json_t *value = value_of(row, sa_option_get(row, settings));
        good = json_object_set_new(object, row->name, value) == 0;
    }
    char *text = good ? json_dumps(object, 0) : NULL;
    json_decref(object);
    if (!text) sa_fail_memory(error, sizeof *settings);
    return text;
}

/* False when the value has the wrong type or lies outside the row's range. */
static bool assign(const sa_option *row, sa_settings *settings, const json_t *value) {
    const char *word = json_string_value(value);
    const char *now = word ? sa_option_renamed(row->name, word) : NULL;
    if (word && sa_option_choice(row, 0))
        return sa_option_set_number(row, settings, sa_option_find_choice(row, now ? now : word));
    if (row->kind == SA_OPTION_SWITCH)
        return json_is_boolean(value) && sa_option_set_number(row, settings, json_is_true(value));
    const bool fits = row->kind == SA_OPTION_REAL ? json_is_number(value) : json_is_integer(value);
    return fits && row->kind != SA_OPTION_CHOICE &&
           sa_option_set_number(row, settings, json_number_value(value));
}

/* What trainings of earlier programs may have had; each was off at 0. */
static const struct {
    const char *key, *name;
} retired[] = {{"r-drop", "R-Drop"}, {"bpe-dropout", "BPE-dropout"}};
enum { RETIRED = sizeof retired / sizeof *retired };

static bool is_retired(const char *key) {
    int i = 0;
    while (i < RETIRED && strcmp(retired[i].key, key) != 0) i++;
    return i < RETIRED;
}

bool sa_settings_check_resumable(const char *text, const char *file, sa_error *error) {
    json_t *object = sa_json_parse(text, strlen(text), 1, file, "settings", error);
    bool good = object;
    for (int i = 0; good && i < RETIRED; i++)
        if (json_number_value(json_object_get(object, retired[i].key)) > 0)
            good =
                sa_fail(error, SA_USAGE,
                        "'%s' was trained with %s, which this program no longer has: its training "
                        "cannot be resumed",
                        file, retired[i].name);
    json_decref(object);
    return good;
}

static bool read_key(const char *key, const json_t *value, sa_settings *settings, const char *file,
                     sa_error *error) {
    const char *now = sa_option_renamed(key, NULL);
    const sa_option *row = sa_option_find(sa_settings_options, now ? now : key);
    if (is_retired(key)) return true;
    if (!row || row->scope == SA_SCOPE_RUN)
        return sa_fail(error, SA_DATA, "%s: settings: unknown key '%s'", file, key);
    if (assign(row, settings, value)) return true;
    sa_buffer range = {0};
    sa_option_format_range(row, &range);
    sa_fail(error, SA_DATA, "%s: settings: '%s' must be %s", file, key,
            range.failed ? "another value" : range.text);
    sa_buffer_release(&range);
    return false;
}

static bool read_all(sa_settings *settings, json_t *object, const char *file, sa_error *error) {
    const char *key;
    const json_t *value;
    for (const sa_option *row = sa_settings_options; row->name; row++)
        if (row->scope != SA_SCOPE_RUN) sa_option_set_number(row, settings, row->default_value);
    json_object_foreach(object, key, value) {
        if (!read_key(key, value, settings, file, error)) return false;
    }
    return true;
}

bool sa_settings_read(sa_settings *settings, const char *text, const char *file, sa_error *error) {
    json_t *object = sa_json_parse(text, strlen(text), 1, file, "settings", error);
    if (!object) return false;
    sa_settings read = *settings;
    const bool good = json_is_object(object)
                          ? read_all(&read, object, file, error)
                          : sa_fail(error, SA_DATA, "%s: settings: no JSON object", file);
    json_decref(object);
    if (good) *settings = read;
    return good;
}
