/* glossary: texts that are never cut into sub-words. */
#ifndef SA_DATA_GLOSSARY_H
#define SA_DATA_GLOSSARY_H

#include "data/strings.h"

typedef struct sa_glossary {
    sa_strings terms;
    sa_tokens parts, next_parts; /* of the word looked at */
} sa_glossary;

/* Reads the terms, one a line. SA_DATA names file and line of an empty one or one with a space. */
bool sa_glossary_open(sa_glossary *glossary, const char *path, sa_error *error);
void sa_glossary_close(sa_glossary *glossary);

bool sa_glossary_contains(const sa_glossary *glossary, sa_token part);

/* A word in parts, so that every term in it stands apart: looked for term after term, in their
 * order, from the front. Valid until the next call; NULL: memory. */
const sa_tokens *sa_glossary_split(sa_glossary *glossary, const char *word, size_t size,
                                   sa_error *error);

#endif
