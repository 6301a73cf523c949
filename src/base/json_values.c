#include "base/json_values.h"

#include <math.h>
#include <stdlib.h>

static json_malloc_t allocate; /* the program's */
static _Thread_local bool found_none;

static void *watched(size_t size) {
    void *memory = allocate(size);
    found_none |= !memory;
    return memory;
}

void sa_json_watch(void) {
    json_malloc_t now;
    json_free_t release;
    json_get_alloc_funcs(&now, &release);
    if (now != watched) {
        allocate = now;
        json_set_alloc_funcs(watched, release);
    }
    found_none = false;
}

bool sa_json_short(void) {
    return found_none;
}

json_t *sa_json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *sa_json_buffer(sa_buffer *text, bool *failed) {
    *failed |= text->failed;
    json_t *string =
        text->failed ? json_null() : json_stringn(text->size ? text->text : "", text->size);
    sa_buffer_release(text);
    return string;
}

json_t *sa_json_words(const char *const *words, int count) {
    if (!words) return json_null();
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, json_string(words[i]));
    return list;
}

json_t *sa_json_vector(const double *x, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, sa_json_number(x[i]));
    return list;
}

json_t *sa_json_matrix(const double *x, int rows, int cols) {
    if (!x) return json_null();
    json_t *matrix = json_array();
    for (int i = 0; i < rows; i++)
        json_array_append_new(matrix, sa_json_vector(x + (size_t)i * (size_t)cols, cols));
    return matrix;
}

static void add(json_t *value, size_t form, sa_buffer *out) {
    char *text = json_dumps(value, form | JSON_ENSURE_ASCII);
    json_decref(value);
    out->failed |= !text || found_none;
    if (text) sa_buffer_addf(out, "%s\n", text);
    free(text);
}

void sa_json_add(json_t *value, sa_buffer *out) {
    add(value, JSON_INDENT(2), out);
}

void sa_json_add_line(json_t *value, sa_buffer *out) {
    add(value, JSON_COMPACT, out);
}
