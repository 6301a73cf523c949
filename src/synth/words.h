/* words: the vocabulary of the toy grammars, the lists of words.tsv, which explains what the
 * columns and the words in them mean. A word of kinds, traits, uses and determiners is a bit:
 * SA_PERSON, SA_FAMILY ..., in word_bits.h, which is made from words.tsv. */
#ifndef SA_SYNTH_WORDS_H
#define SA_SYNTH_WORDS_H

#include "base/error.h"
#include "synth/word_bits.h"

/* The persons of a French verb. */
enum { SA_JE, SA_VOUS, SA_IL, SA_NOUS, SA_ILS, SA_PERSONS };

/* A row of any list; what it has no column for is NULL or 0. */
typedef struct sa_word {
    const char *english, *french;          /* singular, infinitive */
    const char *links;                     /* of a phrase: sa_draft_phrase */
    const char *plural;                    /* English; of a determiner French */
    const char *place, *french_place;      /* the prepositions of a place */
    const char *more, *feminine, *liaison; /* see words.tsv */
    const char *third, *past, *ing, *participle;
    const char *present[SA_PERSONS];
    unsigned kinds, traits, uses, determiners;
} sa_word;

typedef struct sa_word_list {
    const char *name;
    const sa_word *words;
    int count;
} sa_word_list;

/* All lists, from words.tsv by scripts/embed_words.cmake; ends with a NULL name. */
extern const sa_word_list sa_word_lists[];

/* The list of that name, and its row of that English; both must exist. */
const sa_word_list *sa_word_list_find(const char *name);
const sa_word *sa_word_find(const char *list, const char *english);

#endif
