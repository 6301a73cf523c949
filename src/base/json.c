#include "base/json.h"

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

json_t *sa_json_parse(const char *text, size_t size, int depth, const char *file, const char *part,
                      sa_error *error) {
    const size_t deep = too_deep(text, size, depth);
    if (deep < size) {
        sa_fail(error, SA_DATA, "%s: %s: nested too deeply at byte %zu", file, part, deep);
        return NULL;
    }
    json_error_t problem;
    json_t *value = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    if (!value && !*problem.text)
        sa_fail_memory(error, size); /* the parser's only sign */
    else if (!value)
        sa_fail(error, SA_DATA, "%s: %s: %s", file, part, problem.text);
    return value;
}
