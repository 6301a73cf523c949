/* draft: a sentence pair under construction. A grammar makes its choices here and appends words to
 * the two sides, each in its own order, linking those that correspond.
 *
 * Every decision goes through sa_draft_pick. */
#pragma once

#include "base/batch.h"
#include "base/memory.h"
#include "base/rng.h"
#include "synth/word_bits.h"

/* ---- Vocabulary ------------------------------------------------------------------------------ */

/* The lists of words.tsv, which explains what the columns and the words in them mean. A word in the
 * columns kinds, traits, uses and determiners is a bit: SA_PERSON, SA_FAMILY ..., defined in a
 * header that is made from words.tsv. */

/* The persons of a French verb. */
enum { SA_JE, SA_VOUS, SA_IL, SA_NOUS, SA_ILS, SA_PERSONS };

/* An entry of any list; missing columns are NULL or 0. */
typedef struct sa_word {
    const char *english, *french;          /* singular, infinitive */
    const char *links;                     /* of a phrase: see sa_draft_phrase */
    const char *plural;                    /* of an English word; of a French determiner */
    const char *place, *french_place;      /* prepositions used with a place */
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

/* All lists, which scripts/dev/embed makes from words.tsv; ends with a NULL name. */
extern const sa_word_list sa_word_lists[];

/* Return the list with that name, and its entry with that English text; both must exist. */
const sa_word_list *sa_word_list_find(const char *name);
const sa_word *sa_word_find(const char *list, const char *english);

/* ---- Drafts ---------------------------------------------------------------------------------- */

/* What a sentence pair is for. */
typedef enum sa_split { SA_TRAIN, SA_VALID, SA_TEST } sa_split;

enum { SA_DRAFT_WORDS = 128, SA_DRAFT_LETTERS = 64, SA_DRAFT_LINKS = 512 };

typedef struct sa_draft_side {
    char words[SA_DRAFT_WORDS][SA_DRAFT_LETTERS];
    int count;
} sa_draft_side;

typedef struct sa_draft {
    sa_split split;
    sa_draft_side source, target;
    sa_link links[SA_DRAFT_LINKS];
    int link_count;
    bool characters; /* tokens are single characters, written without spaces */
    bool apart;      /* spaces around signs */
    sa_rng *rng;
} sa_draft;

/* Adjacent words of one side. */
typedef struct sa_word_span {
    int first, count;
} sa_word_span;

/* Empties both sides and resets `characters` and `apart`, for the next sentence. */
void sa_draft_clear(sa_draft *draft);

/* ---- Decisions ------------------------------------------------------------------------------ */

/* Draws one of 0 .. count-1; count > 0. */
int sa_draft_pick(sa_draft *draft, int count);
/* Returns true with probability 1 / count. */
bool sa_draft_chance(sa_draft *draft, int count);
/* Draws an entry of an array, all with equal probability. */
#define SA_DRAW(draft, array)                                                                      \
    (&(array)[sa_draft_pick(draft, (int)(sizeof(array) / sizeof *(array)))])
/* Draws a word from a list of words.tsv, but none of the last `except`. */
const sa_word *sa_draft_draw(sa_draft *draft, const char *list, int except);

/* Asks for a word with one of the kinds, one of the traits and one of the uses; 0: any. */
typedef struct sa_query {
    unsigned kinds, traits, uses;
    bool inflected; /* it has an English plural or comparative */
    const sa_word *except;
} sa_query;
/* Draws one of these words from the list; NULL, without a decision, if there is none. */
const sa_word *sa_draft_choose(sa_draft *draft, const char *list, const sa_query *query);

/* ---- Words ---------------------------------------------------------------------------------- */

/* Append the words of a text, separated by single spaces (in a draft of characters: every byte of
 * an ASCII text); NULL appends nothing. */
sa_word_span sa_draft_source(sa_draft *draft, const char *text);
sa_word_span sa_draft_target(sa_draft *draft, const char *text);

/* Returns the last word of a side that is not empty. */
sa_word_span sa_draft_last(const sa_draft_side *side);

/* Links every word of one span with every word of the other, as sure or as possible. */
void sa_draft_link(sa_draft *draft, sa_word_span source, sa_word_span target);
void sa_draft_link_possible(sa_draft *draft, sa_word_span source, sa_word_span target);

/* Appends words to both sides and links all of them. Returns the source words. */
sa_word_span sa_draft_pair(sa_draft *draft, const char *source, const char *target);
/* Appends an English word and its French translation, with its links (Pharaoh format, relative to
 * its first word) if it has any. */
sa_word_span sa_draft_phrase(sa_draft *draft, const sa_word *word);

/* Replaces words `at` and `at + 1` of a side with one word that inherits the links of both. */
void sa_draft_merge(sa_draft *draft, sa_draft_side *side, int at, const char *word);
/* Moves target words, with their links, to the end. */
void sa_draft_move(sa_draft *draft, sa_word_span span);

/* Appends the source sentence to `out`, without a space before a full stop or comma or after a
 * final apostrophe. (A target has a space before ? and !, as in French.) */
void sa_draft_write_source(const sa_draft *draft, sa_buffer *out);
/* Writes the whole line: source TAB target TAB links LF, the links in the order of the words. */
void sa_draft_write(const sa_draft *draft, sa_buffer *out);
