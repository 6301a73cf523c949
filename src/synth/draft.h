/* draft: a sentence pair in the making. A grammar draws its choices here and appends words to the
 * two sides, each in its own order, linking those that belong together.
 *
 * Every decision is taken through sa_draft_pick. That is what lets one grammar be used in two ways:
 * drawn at random, or walked through from its first sentence to its last. */
#ifndef SA_SYNTH_DRAFT_H
#define SA_SYNTH_DRAFT_H

#include "base/links.h"
#include "base/memory.h"
#include "base/rng.h"

/* What a sentence pair is for. */
typedef enum sa_split { SA_TRAIN, SA_VALID, SA_TEST } sa_split;

enum { SA_DRAFT_WORDS = 64, SA_DRAFT_LETTERS = 32, SA_DRAFT_LINKS = 256, SA_DRAFT_PICKS = 256 };

typedef struct sa_draft_side {
    char words[SA_DRAFT_WORDS][SA_DRAFT_LETTERS];
    int count;
} sa_draft_side;

typedef struct sa_draft {
    sa_draft_side source, target;
    sa_link links[SA_DRAFT_LINKS];
    int link_count;
    bool characters; /* words are single characters, written without spaces */
    sa_rng *rng;     /* NULL: the grammar is walked through */
    struct {
        uint32_t value, bound;
    } picks[SA_DRAFT_PICKS]; /* the decisions of the current sentence of the walk */
    int pick_count, picked;  /* how many it has; how many were taken again so far */
} sa_draft;

/* Neighbouring words of one side. */
typedef struct sa_word_span {
    int first, count;
} sa_word_span;

/* Empties both sides for the next sentence; words again, not characters. */
void sa_draft_clear(sa_draft *draft);

/* One of 0 .. count-1; count > 0. */
int sa_draft_pick(sa_draft *draft, int count);
/* True once in `count` times. */
bool sa_draft_chance(sa_draft *draft, int count);
/* A row of an array, each as likely as the next. */
#define SA_DRAW(draft, rows) (&(rows)[sa_draft_pick(draft, (int)(sizeof(rows) / sizeof *(rows)))])
/* Goes on to the next sentence of the walk (rng NULL); false after the last. */
bool sa_draft_advance(sa_draft *draft);

/* Append the words of a text in which single spaces separate them (in a draft of characters: every
 * byte of an ASCII text); NULL appends none. */
sa_word_span sa_draft_source(sa_draft *draft, const char *text);
sa_word_span sa_draft_target(sa_draft *draft, const char *text);

/* The last word of a side that has one. */
sa_word_span sa_draft_last(const sa_draft_side *side);

/* Links every word of one span with every word of the other: surely, or possibly. */
void sa_draft_link(sa_draft *draft, sa_word_span source, sa_word_span target);
void sa_draft_link_possible(sa_draft *draft, sa_word_span source, sa_word_span target);

/* Appends words to both sides and links them as `links` says in Pharaoh form, counted from the
 * first word of the phrase; NULL: all surely with all. */
typedef struct sa_phrase {
    const char *source, *target, *links;
} sa_phrase;
void sa_draft_phrase(sa_draft *draft, const sa_phrase *phrase);

/* Replaces target words `at` and `at + 1` by one word that inherits the links of both. */
void sa_draft_merge(sa_draft *draft, int at, const char *word);

/* Appends the sentence to `out`: no space before a full stop or comma nor after an apostrophe that
 * ends a word; before ? and ! none in a source, one in a target, as in French. */
void sa_draft_write_source(const sa_draft *draft, sa_buffer *out);
/* The whole line: source TAB target TAB links in the order of the words LF. */
void sa_draft_write(const sa_draft *draft, sa_buffer *out);

#endif
