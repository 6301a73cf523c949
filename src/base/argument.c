#include "base/argument.h"
#include "base/utf8.h"

#include <limits.h>
#include <string.h>

bool sa_given(const void *pointer, const char *name, sa_error *error) {
    return pointer || sa_fail(error, SA_USAGE, "'%s' is NULL", name);
}

bool sa_within(int64_t number, int64_t min, int64_t max, const char *name, sa_error *error) {
    return (number >= min && number <= max) ||
           sa_fail(error, SA_USAGE, "'%s' is %lld: expected %lld to %lld", name, (long long)number,
                   (long long)min, (long long)max);
}

bool sa_given_array(const void *array, size_t count, const char *name, sa_error *error) {
    if (count > INT_MAX)
        return sa_fail(error, SA_USAGE, "'%s': the count %zu is above %d", name, count, INT_MAX);
    return !count || sa_given(array, name, error);
}

static bool fail_entry(const char *name, size_t i, const char *field, sa_error *error) {
    return sa_fail(error, SA_USAGE, "'%s[%zu]%s' is NULL", name, i, field);
}

static bool check_text(const char *text, const char *name, size_t i, const char *field,
                       sa_error *error) {
    size_t bad;
    if (!text) return fail_entry(name, i, field, error);
    return sa_utf8_valid(text, strlen(text), &bad) ||
           sa_fail(error, SA_USAGE, "'%s[%zu]%s' is not UTF-8 at byte %zu: 0x%02X", name, i, field,
                   bad + 1, (unsigned char)text[bad]);
}

bool sa_given_texts(const char *const *texts, size_t count, const char *name, sa_error *error) {
    if (!sa_given_array(texts, count, name, error)) return false;
    for (size_t i = 0; i < count; i++)
        if (!check_text(texts[i], name, i, "", error)) return false;
    return true;
}

bool sa_given_pairs(const sa_pair *pairs, size_t count, const char *name, sa_error *error) {
    if (!sa_given_array(pairs, count, name, error)) return false;
    for (size_t i = 0; i < count; i++)
        if (!check_text(pairs[i].source, name, i, ".source", error) ||
            !check_text(pairs[i].target, name, i, ".target", error))
            return false;
    return true;
}

static bool check_size(int size, int least, const char *name, const char *field, sa_error *error) {
    return size >= least || sa_fail(error, SA_USAGE, "'%s->%s' is %d: expected %d to %d", name,
                                    field, size, least, INT_MAX);
}

static bool check_words(const char *const *words, int count, const char *name, const char *field,
                        sa_error *error) {
    if (!words) return sa_fail(error, SA_USAGE, "'%s->%s' is NULL", name, field);
    for (int i = 0; i < count; i++)
        if (!words[i]) return sa_fail(error, SA_USAGE, "'%s->%s[%d]' is NULL", name, field, i);
    return true;
}

bool sa_given_alignment(const sa_alignment *alignment, const char *name, sa_error *error) {
    return sa_given(alignment, name, error) &&
           check_size(alignment->targets, 1, name, "targets", error) &&
           check_size(alignment->sources, 1, name, "sources", error) &&
           check_size(alignment->heads, 0, name, "heads", error) &&
           check_size(alignment->layers, 0, name, "layers", error) &&
           check_words(alignment->target, alignment->targets, name, "target", error) &&
           check_words(alignment->source, alignment->sources, name, "source", error);
}

bool sa_given_corpus(const sa_corpus *corpus, const char *name, sa_error *error) {
    if (!sa_given(corpus, name, error)) return false;
    if (!corpus->name) return sa_fail(error, SA_USAGE, "'%s->name' is NULL", name);
    if (!sa_given_pairs(corpus->pairs, corpus->count, name, error)) return false;
    for (size_t i = 0; corpus->gold && i < corpus->count; i++)
        if (!corpus->pairs[i].gold) return fail_entry(name, i, ".gold", error);
    return true;
}
