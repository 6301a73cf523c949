/* scfg: synchronous context-free grammars (Chiang 2005). A rule rewrites a category in two
 * languages at once, so a derivation is a sentence, its translation and the links between their
 * words:
 *
 *   [NP] ||| the [A,2] [N,1] ||| le [N,1] [A,2] ||| 0-0
 *
 * `softalign help corpus` explains the text of a grammar, which scfg_read.c reads; scfg.c derives
 * and counts sentences; scfg_check.c describes the language. */
#pragma once

#include "data/tokens.h"
#include "synth/draft.h"

/* A word or a category on one side of a rule. */
typedef struct sa_symbol {
    int32_t word, category; /* the other one is -1 */
    int32_t partner;        /* of a target category: the source symbol with its index, or -1 */
    bool alone;             /* a category on this side only */
} sa_symbol;

/* An instance of a rule: its features have values. */
typedef struct sa_rule {
    int32_t category, next; /* what it rewrites, and the category's next rule that can end or -1 */
    uint32_t line;          /* in the file, from 1 */
    uint64_t weight;        /* in thousandths */
    size_t first;           /* its source symbols, then its target symbols, in sa_grammar.symbols */
    int count[2];
    size_t first_link;
    int links;
} sa_rule;

typedef struct sa_category {
    int32_t first, last; /* its rules, or -1 */
    uint32_t line;       /* of its first rule */
    uint64_t weight;     /* sum of those of its rules */
    int ways;            /* its derivations: 0, 1, or 2 for more */
    bool reached;        /* from a start */
    bool endless;        /* its expected size has no limit */
    uint64_t *count;     /* derivations by length, while they are counted */
    double words;        /* expected number of source words */
    double size;         /* expected number of words of both sides, and of categories */
} sa_category;

/* Two adjacent words and what replaces them; a pattern is kept. */
typedef struct sa_join {
    bool source;
    bool one; /* they become one word, result[0] */
    const char *word[2];
    const char *result[2]; /* or NULL: the word is kept */
} sa_join;

/* A derivation: the rule at each node, and for each of its symbols the node below and its words. */
typedef struct sa_node {
    const sa_rule *rule;
    int first;
} sa_node;

typedef struct sa_slot {
    int node;
    sa_word_span span;
} sa_slot;

enum { SA_GRAMMAR_NODES = 1000, SA_GRAMMAR_SLOTS = 4000, SA_GRAMMAR_JOINS = 200 };

typedef struct sa_grammar {
    const char *name;             /* of its file */
    char *text;                   /* of its file */
    sa_strings words, categories; /* each string includes its terminating zero */
    sa_rule *rules;
    sa_symbol *symbols;
    sa_link *links;
    size_t rule_count, symbol_count, link_count;
    size_t rule_capacity, symbol_capacity, link_capacity;
    sa_category *category; /* [category_count], as many as categories */
    size_t category_count, category_capacity;
    size_t lines; /* rules in the file */
    int start[2]; /* of all splits but the test, and of the test */
    sa_join joins[SA_GRAMMAR_JOINS];
    int join_count;
    bool apart; /* spaces around signs */
    sa_node node[SA_GRAMMAR_NODES];
    sa_slot slot[SA_GRAMMAR_SLOTS];
    int nodes, slots;
    uint64_t count[SA_DRAFT_WORDS + 1]; /* of derivations by source length, once counted */
    int length;                         /* of those being counted */
    double work;                        /* spent on counting */
} sa_grammar;

/* Reads a grammar: the text, or the file `name` if the text is NULL. `name` must outlive it. NULL:
 * an error, SA_DATA with file and line; free it with sa_grammar_free. */
sa_grammar *sa_grammar_read(const char *name, const char *text, sa_error *error);
void sa_grammar_free(sa_grammar *grammar);

/* Solves the equations of scfg.c. SA_DATA: the start cannot end, a category has no end, or two
 * derivations where it needs one. */
bool sa_grammar_solve(sa_grammar *grammar, sa_error *error);

/* Fails at the line of a category. */
bool sa_grammar_fail(const sa_grammar *grammar, const sa_category *category, const char *problem,
                     sa_error *error);

/* Returns a category's next rule that can end, or its first one if `rule` is NULL; NULL: there are
 * no more. */
const sa_rule *sa_grammar_next(const sa_grammar *grammar, const sa_category *category,
                               const sa_rule *rule);
#define FOR_RULES(rule, g, c)                                                                      \
    for (const sa_rule *rule = NULL; (rule = sa_grammar_next(g, c, rule));)

/* Writes a random sentence pair into an empty draft. False: it is too long. */
bool sa_grammar_draw(sa_grammar *grammar, sa_draft *draft);

/* Counts the derivations of each source length up to `longest`, at most SA_DRAFT_WORDS, in
 * grammar->count. Returns the longest one counted in about a second; -1: an error. A number above
 * SA_GRAMMAR_MANY, or without end, is SA_GRAMMAR_MANY. */
#define SA_GRAMMAR_MANY UINT64_C(1000000000000000000)
int sa_grammar_count(sa_grammar *grammar, int longest, sa_error *error);

/* Appends a description: sizes, counts, suspicious categories, examples. */
bool sa_grammar_check(sa_grammar *grammar, uint64_t seed, sa_buffer *out, sa_error *error);

const char *sa_grammar_word(const sa_grammar *grammar, int32_t word);
const char *sa_grammar_category(const sa_grammar *grammar, int32_t category);

/* The texts of the toy corpora's grammars, from corpora/grammars. */
extern const unsigned char sa_grammar_agree[], sa_grammar_context[], sa_grammar_copy[],
    sa_grammar_fertility[], sa_grammar_mono[], sa_grammar_phrases[], sa_grammar_reorder[],
    sa_grammar_sense[];
