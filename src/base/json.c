#include "base/json.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The first byte that opens more than `depth` objects and arrays; size: there is none. */
static size_t too_deep(const char *text, size_t size, int depth) {
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && (text[i] == '{' || text[i] == '['))
            depth--;
        else if (!quoted && (text[i] == '}' || text[i] == ']'))
            depth++;
        if (depth < 0) return i;
    }
    return size;
}

static json_t *read_once(const char *text, size_t size, json_error_t *problem) {
    return json_loadb(text, size, JSON_REJECT_DUPLICATES, problem);
}

/* NULL with an empty problem->text: out of memory. There jansson's reader mostly speaks of grammar,
 * and a character that found no room it leaves out without a word. So all is read twice: what the
 * two readings differ in was a lack of memory, and so is a failure when there is none to be had. */
static json_t *read_surely(const char *text, size_t size, json_error_t *problem) {
    json_error_t again;
    json_t *first = read_once(text, size, problem), *second = read_once(text, size, &again);
    void *room = sa_new(size, 1, NULL);
    const bool same = first ? json_equal(first, second)
                            : !second && room && problem->position == again.position &&
                                  strcmp(problem->text, again.text) == 0;
    free(room);
    json_decref(second);
    if (same) return first;
    json_decref(first);
    *problem->text = 0;
    return NULL;
}

json_t *sa_json_parse(const char *text, size_t size, int depth, const char *file, const char *part,
                      sa_error *error) {
    const size_t deep = too_deep(text, size, depth);
    if (deep < size) {
        sa_fail(error, SA_DATA, "%s: %s: nested too deeply at byte %zu", file, part, deep);
        return NULL;
    }
    json_error_t problem;
    json_t *value = read_surely(text, size, &problem);
    if (!value && !*problem.text)
        sa_fail_memory(error, size);
    else if (!value)
        sa_fail(error, SA_DATA, "%s: %s: %s", file, part, problem.text);
    return value;
}
