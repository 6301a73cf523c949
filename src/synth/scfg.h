/* scfg: synchronous context-free grammars (Chiang 2005). A rule rewrites a category in two
 * languages at once, so a derivation is a sentence, its translation and the links between their
 * words:
 *
 *   [NP] ||| the [A,2] [N,1] ||| le [N,1] [A,2] ||| 0-0
 *
 * `softalign help corpus` explains the text of a grammar, which scfg_read.c reads; scfg.c derives,
 * counts and describes its sentences. */
#pragma once

#include "base/sentence.h"
#include "data/tokens.h"
#include "synth/draft.h"

/* A word or a category on one side of a rule. */
typedef struct sa_symbol {
    int32_t word, category; /* the other one is -1 */
    int number, partner;    /* its number or 0; the symbol with it on the other side, or -1 */
    bool possible;          /* its links are, unless the rule says more */
} sa_symbol;

/* An instance of a rule: its features have values. */
typedef struct sa_rule {
    struct sa_rule *next; /* of the category that it rewrites: the next one that can end */
    uint64_t weight;      /* in thousandths */
    sa_symbol *symbol;    /* [count] of the source, and from `half` on of the target */
    int half, count;
    size_t first_link, links;
} sa_rule;

typedef struct sa_category {
    sa_rule *first, *last; /* its rules, or NULL */
    size_t line;           /* of its first rule, from 1 */
    uint64_t weight;       /* sum of those of its rules */
    bool ends, reached;    /* it can end; from a start */
    bool alone, endless; /* on one side only, or in rules of such a category; its expected size has
                            no limit */
    double words, size;  /* expected number of source words; of words of both sides, and of
                            categories */
    uint64_t *count;     /* derivations by length, while they are counted */
} sa_category;

/* Two adjacent words and what replaces them; a pattern is kept. */
typedef struct sa_join {
    bool source;
    const char *word[2], *result[2]; /* NULL: the word is kept; "": it becomes part of the first */
} sa_join;

/* A symbol of a derivation: its words, and for a category the rule and the first slot of the
 * rule's symbols. */
typedef struct sa_slot {
    const sa_rule *rule;
    int first;
    sa_word_span span;
} sa_slot;

enum { SA_GRAMMAR_SLOTS = 3000, SA_GRAMMAR_JOINS = 200 };

typedef struct sa_grammar {
    const char *name;                /* of its file */
    char *text;                      /* of its file */
    sa_strings words[2], categories; /* each string includes its terminating zero */
    sa_category *category;           /* [category_count], as many as categories */
    sa_link *links;
    size_t category_count, category_capacity, link_count, link_capacity;
    size_t lines, rules; /* in the file; their instances */
    int start[2];        /* of all splits but the test, and of the test */
    sa_join joins[SA_GRAMMAR_JOINS];
    int join_count;
    bool apart; /* spaces around signs */
    sa_slot slot[SA_GRAMMAR_SLOTS];
    int slots, length;                  /* those in use; the source length being counted */
    uint64_t count[SA_DRAFT_WORDS + 1]; /* of derivations by source length, once counted */
    double work;                        /* spent on counting */
} sa_grammar;

/* Reads a grammar: the text, or the file `name` if the text is NULL. `name` must outlive it. NULL:
 * an error, SA_DATA with file and line; free it with sa_grammar_free. */
sa_grammar *sa_grammar_read(const char *name, const char *text, sa_error *error);
void sa_grammar_free(sa_grammar *grammar);

/* Solves the equations of scfg.c. SA_DATA: the start cannot end, a category has no end, or two
 * derivations where it needs one. */
bool sa_grammar_solve(sa_grammar *grammar, sa_error *error);

/* Writes a random sentence pair into an empty draft. False: it is too long. */
bool sa_grammar_draw(sa_grammar *grammar, sa_draft *draft);

/* Counts the derivations of each source length up to `longest`, at most SA_DRAFT_WORDS, in
 * grammar->count, and adds those of `least` words and more to *sum; for the test split those of
 * [TEST], if there is such a category. Suffixes are no words. Returns the longest one counted in
 * about a second; -1: an error. A number above SA_GRAMMAR_MANY, or without end, is SA_GRAMMAR_MANY.
 */
#define SA_GRAMMAR_MANY UINT64_C(1000000000000000000)
int sa_grammar_count(sa_grammar *grammar, sa_split split, int least, int longest, uint64_t *sum,
                     sa_error *error);

/* Appends a description: sizes, counts, suspicious categories, examples. */
bool sa_grammar_check(sa_grammar *grammar, uint64_t seed, sa_buffer *out, sa_error *error);

const char *sa_grammar_category(const sa_grammar *grammar, int32_t category);

/* The texts of the toy corpora's grammars, from corpora/grammars. */
extern const unsigned char sa_grammar_agree[], sa_grammar_context[], sa_grammar_copy[],
    sa_grammar_fertility[], sa_grammar_mono[], sa_grammar_phrases[], sa_grammar_reorder[],
    sa_grammar_sense[];
