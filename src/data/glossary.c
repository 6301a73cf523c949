#include "data/glossary.h"
#include "data/text_lines.h"

#include <string.h>

bool sa_glossary_open(sa_glossary *glossary, const char *path, sa_error *error) {
    sa_text_lines reader;
    char *line;
    size_t size;
    bool failed = false;
    *glossary = (sa_glossary){0};
    if (!sa_text_lines_open(&reader, path, error)) return false;
    while (!failed && sa_text_lines_next(&reader, &line, &size, &failed, error)) {
        if (!size || memchr(line, ' ', size))
            failed =
                !sa_fail(error, SA_DATA, "%s:%zu: expected one word", path, reader.lines.number);
        else
            failed = sa_strings_add(&glossary->terms, line, size, error) < 0;
    }
    sa_text_lines_close(&reader);
    if (failed) sa_glossary_close(glossary);
    return !failed;
}

void sa_glossary_close(sa_glossary *glossary) {
    sa_strings_release(&glossary->terms);
    sa_tokens_release(&glossary->parts);
    sa_tokens_release(&glossary->next_parts);
}

bool sa_glossary_contains(const sa_glossary *glossary, sa_token part) {
    return sa_strings_find(&glossary->terms, part.text, part.size) >= 0;
}

static bool add(sa_tokens *parts, const char *text, size_t size, sa_error *error) {
    return !size || sa_tokens_add(parts, text, size, error);
}

/* Appends a part, each occurrence of the term apart. */
static bool split_at_term(sa_tokens *parts, sa_token part, sa_token term, sa_error *error) {
    const char *found;
    while ((found = memmem(part.text, part.size, term.text, term.size))) {
        const size_t before = (size_t)(found - part.text);
        if (!add(parts, part.text, before, error) || !add(parts, found, term.size, error))
            return false;
        part.text = found + term.size;
        part.size -= before + term.size;
    }
    return add(parts, part.text, part.size, error);
}

const sa_tokens *sa_glossary_split(sa_glossary *glossary, const char *word, size_t size,
                                   sa_error *error) {
    glossary->parts.count = 0;
    if (!add(&glossary->parts, word, size, error)) return NULL;
    for (size_t i = 0; i < glossary->terms.count; i++) {
        const sa_token term = sa_strings_get(&glossary->terms, (int32_t)i);
        const sa_tokens coarse = glossary->parts;
        glossary->next_parts.count = 0;
        for (size_t k = 0; k < coarse.count; k++)
            if (!split_at_term(&glossary->next_parts, coarse.token[k], term, error)) return NULL;
        glossary->parts = glossary->next_parts;
        glossary->next_parts = coarse;
    }
    return &glossary->parts;
}
