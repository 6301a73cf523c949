/* group: a noun with its determiner and adjectives, in both languages. */
#ifndef SA_SYNTH_GROUP_H
#define SA_SYNTH_GROUP_H

#include "synth/draft.h"
#include "synth/words.h"

/* Affirmative, interrogative or negative: some bread, any bread, (not) any bread. */
typedef enum sa_mood { SA_AFFIRMATIVE, SA_INTERROGATIVE, SA_NEGATIVE } sa_mood;

/* Possessors: my, your, his, her, our, their. */
enum { SA_MY, SA_YOUR, SA_HIS, SA_HER, SA_OUR, SA_THEIR };

typedef struct sa_noun_phrase {
    const sa_noun *noun;
    bool plural;
    unsigned determiner;                /* one of SA_THE, SA_A ... */
    int owner;                          /* SA_OWN: whose */
    const sa_phrase *number;            /* SA_NUMBER: how many */
    const sa_adjective *before, *after; /* by position in French; or NULL */
} sa_noun_phrase;

/* A noun of one of the kinds with one of the traits (0: any), other than `except` (may be NULL), or
 * NULL if there is none. */
const sa_noun *sa_noun_draw(sa_draft *draft, unsigned kinds, unsigned traits,
                            const sa_noun *except);

/* A noun phrase with one of the determiners that suit the noun, and perhaps adjectives. */
sa_noun_phrase sa_noun_phrase_draw(sa_draft *draft, const sa_noun *noun, unsigned determiners,
                                   int owner);

/* "the baker" or "the bakers", with equal probability if the noun has a plural. */
sa_noun_phrase sa_noun_phrase_draw_definite(sa_draft *draft, const sa_noun *noun);

/* An adjective that can be said of the noun on its own: "the car is ..."; NULL if there is none. */
const sa_adjective *sa_adjective_draw(sa_draft *draft, const sa_noun *noun);

/* Writes the phrase. In a negative clause "a" and "some" become de: je n'ai pas de pain. */
void sa_noun_phrase_write(sa_draft *draft, const sa_noun_phrase *group, sa_mood mood);

/* "at the hotel", "in this park"; with `motion` "to the hotel". */
void sa_place_write(sa_draft *draft, const sa_noun_phrase *group, bool motion);

/* The numbers of things: two, three ... */
extern const sa_phrase sa_numbers[];
enum { SA_NUMBERS = 10 };

#endif
