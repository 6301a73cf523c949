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
    int32_t category; /* what it rewrites */
    uint32_t line;    /* in the file, from 1 */
    uint64_t weight;  /* in thousandths */
    uint64_t upto;    /* sum of the weights of the category's rules up to this one */
    size_t first;     /* its source symbols, then its target symbols, in sa_grammar.symbols */
    int count[2];
    size_t first_link;
    int links;
} sa_rule;

typedef struct sa_category {
    sa_rule *rules; /* those that can end */
    int count;
    uint32_t line;  /* of its first rule; 0: it has none */
    bool ends;      /* it has a derivation */
    bool reached;   /* from the start */
    bool endless;   /* its expected size has no limit */
    int twin;       /* a category with two derivations in its own; -1: it has one derivation */
    uint64_t *ways; /* derivations by length, while they are counted */
    double words;   /* expected number of source words */
    double size;    /* expected number of words of both sides, and of categories */
} sa_category;

/* Two adjacent words and what replaces them. A pattern is kept. */
typedef struct sa_join {
    bool source;
    const char *word[2];
    bool kept[2];          /* it is a pattern */
    const char *result[2]; /* the second one may be NULL */
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
    size_t lines;          /* rules in the file */
    sa_category *category; /* [categories.count] */
    int start;
    sa_join joins[SA_GRAMMAR_JOINS];
    int join_count;
    bool apart; /* spaces around signs */
    sa_node node[SA_GRAMMAR_NODES];
    sa_slot slot[SA_GRAMMAR_SLOTS];
    int nodes, slots;
    int length;  /* of the sentences being counted */
    double work; /* spent on counting */
} sa_grammar;

/* Reads a grammar: the text, or the file `name` if the text is NULL. `name` must outlive it. NULL:
 * an error, SA_DATA with file and line; free it with sa_grammar_free. */
sa_grammar *sa_grammar_read(const char *name, const char *text, sa_error *error);
void sa_grammar_free(sa_grammar *grammar);

/* Groups the rules by category and solves the equations of scfg.c. SA_DATA: the start cannot end, a
 * category has no end, or two derivations where it needs one. */
bool sa_grammar_solve(sa_grammar *grammar, sa_error *error);

/* Writes a random sentence pair into an empty draft. False: it is too long. */
bool sa_grammar_draw(sa_grammar *grammar, sa_draft *draft);

/* Counts the derivations of each source length up to *longest, at most SA_DRAFT_WORDS, which is
 * lowered if that takes long. Free the counts with free(). One above SA_GRAMMAR_MANY, or without
 * end, is SA_GRAMMAR_MANY. */
#define SA_GRAMMAR_MANY UINT64_C(1000000000000000000)
uint64_t *sa_grammar_count(sa_grammar *grammar, int *longest, sa_error *error);

/* Appends a description: sizes, counts, suspicious categories, examples. */
bool sa_grammar_check(sa_grammar *grammar, uint64_t seed, sa_buffer *out, sa_error *error);

const char *sa_grammar_word(const sa_grammar *grammar, int32_t word);
const char *sa_grammar_category(const sa_grammar *grammar, int32_t category);

/* The texts of the toy corpora's grammars, from corpora/grammars. */
extern const unsigned char sa_grammar_agree[], sa_grammar_context[], sa_grammar_fertility[],
    sa_grammar_mono[], sa_grammar_reorder[], sa_grammar_sense[];
