/* words: the vocabulary of the toy grammars, the lists of words.tsv, which explains what the
 * columns and the words in them mean. */
#ifndef SA_SYNTH_WORDS_H
#define SA_SYNTH_WORDS_H

#include "base/error.h"

/* The words that may stand in a column, each of which is a bit: SA_PERSON is 1, SA_FAMILY 2 ... */
#define SA_KINDS(WORD)                                                                             \
    WORD(PERSON), WORD(FAMILY), WORD(KNOWN), WORD(ANIMAL), WORD(FOOD), WORD(DRINK), WORD(GOODS),   \
        WORD(POCKET), WORD(CLOTHES), WORD(READING), WORD(WRITING), WORD(SOUND), WORD(SHOW),        \
        WORD(LESSON), WORD(OPENING), WORD(WASHABLE), WORD(VEHICLE), WORD(ROOM), WORD(SIGHT),       \
        WORD(GOAL), WORD(WORKPLACE), WORD(OUTDOORS), WORD(LODGING), WORD(SURFACE), WORD(SERVICE),  \
        WORD(MASS), WORD(SINGLE), WORD(HOME), WORD(PART)
#define SA_TRAITS(WORD)                                                                            \
    WORD(SIZE), WORD(AGE), WORD(ADULT), WORD(CHILD), WORD(FINE), WORD(COLOR), WORD(QUALITY),       \
        WORD(HEAT), WORD(CONTENT), WORD(TASK), WORD(PRICE), WORD(COMFORT), WORD(STYLE),            \
        WORD(ORIGIN), WORD(CLEAN), WORD(CALM), WORD(DOOR), WORD(MOOD), WORD(MINOR), WORD(FUR)
#define SA_USES(WORD)                                                                              \
    WORD(MASCULINE), WORD(FEMININE), WORD(BEFORE), WORD(AFTER), WORD(ALONE), WORD(GRADED),         \
        WORD(PASSING), WORD(STATE), WORD(HABIT), WORD(NOW), WORD(PAST), WORD(PLAN), WORD(TOWARDS), \
        WORD(REQUEST), WORD(WARNING), WORD(TIMETABLE), WORD(RELATIVE), WORD(ETRE), WORD(NAME),     \
        WORD(VERB)
#define SA_DETERMINERS(WORD)                                                                       \
    WORD(THE), WORD(A), WORD(SOME), WORD(OWN), WORD(THIS), WORD(NUMBER), WORD(BARE)
#define SA_PLACE_OF(word) SA_PLACE_OF_##word
#define SA_BIT_OF(word) SA_##word = 1 << SA_PLACE_OF_##word
#define SA_BITS(WORDS)                                                                             \
    enum { WORDS(SA_PLACE_OF) };                                                                   \
    enum { WORDS(SA_BIT_OF) };
SA_BITS(SA_KINDS)
SA_BITS(SA_TRAITS)
SA_BITS(SA_USES)
SA_BITS(SA_DETERMINERS)

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
