/* Describes the language of a grammar: what it has, what looks wrong, and a few sentences. */
#include "base/utf8.h"
#include "synth/scfg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10, EXAMPLES = 5 };

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Counts the different words on a side of the rules that are reached. */
static size_t count_words(const sa_grammar *g, int side, char *seen) {
    size_t count = 0;
    memset(seen, 0, g->words.count + 1);
    for (const sa_category *c = g->category; c < g->category + g->categories.count; c++)
        for (int r = 0; c->reached && r < c->count; r++) {
            const sa_rule *rule = &c->rules[r];
            const sa_symbol *first = g->symbols + rule->first + (side ? rule->count[0] : 0);
            for (const sa_symbol *s = first; s < first + rule->count[side]; s++)
                if (s->word >= 0 && !seen[s->word]++) count++;
        }
    return count;
}

static void add_count(sa_buffer *out, uint64_t count) {
    if (count >= SA_GRAMMAR_MANY)
        sa_buffer_adds(out, "more than 10^18");
    else
        sa_buffer_addf(out, "%" PRIu64, count);
}

static bool add_sentences(const sa_grammar *g, sa_buffer *out, sa_error *error) {
    int longest = SA_DRAFT_WORDS;
    uint64_t *ways = sa_grammar_count(g, &longest, error), sum = 0;
    if (!ways) return false;
    for (int i = 0; i <= longest && sum < SA_GRAMMAR_MANY; i++) sum += ways[i];
    sa_buffer_adds(out, "sentences: ");
    add_count(out, sum);
    sa_buffer_addf(out, " derivations of at most %d source words, %.1f on average\n", longest,
                   g->category[g->start].words);
    for (int i = 0, shown = 0; i <= longest && shown < SHOWN; i++) {
        if (!ways[i]) continue;
        sa_buffer_addf(out, "%6d word%s: ", i, i == 1 ? "" : "s");
        add_count(out, ways[i]);
        sa_buffer_adds(out, ++shown == SHOWN && i < longest ? " ...\n" : "\n");
    }
    free(ways);
    return true;
}

/* ---- What may be wrong ----------------------------------------------------------------------- */

/* Lists the categories that end, or are reached, or not. */
static void add_categories(const sa_grammar *g, bool ends, const char *title, sa_buffer *out) {
    int shown = 0;
    for (size_t i = 0; i < g->categories.count; i++) {
        const sa_category *c = &g->category[i];
        if (ends ? !c->ends || c->reached : c->ends) continue;
        if (shown == SHOWN) sa_buffer_adds(out, " ...");
        if (shown++ >= SHOWN) break;
        sa_buffer_addf(out, "%s[%s]", shown == 1 ? title : " ", sa_grammar_category(g, (int32_t)i));
    }
    if (shown) sa_buffer_adds(out, "\n");
}

/* Returns the only source word of a rule of words; -1: it is another rule. */
static int32_t translated_word(const sa_grammar *g, const sa_rule *rule) {
    for (int i = 0; i < rule->count[0] + rule->count[1]; i++)
        if (g->symbols[rule->first + (size_t)i].word < 0) return -1;
    return rule->count[0] == 1 && rule->count[1] ? g->symbols[rule->first].word : -1;
}

static bool same_target(const sa_grammar *g, const sa_rule *a, const sa_rule *b) {
    bool same = a->count[1] == b->count[1];
    for (int i = 1; same && i <= a->count[1]; i++)
        same = g->symbols[a->first + (size_t)i].word == g->symbols[b->first + (size_t)i].word;
    return same;
}

/* Lists words with several translations, each with two of them. */
static bool add_ambiguous(const sa_grammar *g, sa_buffer *out, sa_error *error) {
    const sa_rule **first = sa_new(g->words.count, sizeof *first, error);
    const sa_rule listed = {0};
    int count = 0;
    if (!first) return false;
    for (const sa_category *c = g->category; c < g->category + g->categories.count; c++)
        for (int r = 0; c->reached && r < c->count; r++) {
            const int32_t word = translated_word(g, &c->rules[r]);
            if (word < 0 || first[word] == &listed) continue;
            if (first[word] && !same_target(g, first[word], &c->rules[r])) {
                if (count++ < SHOWN)
                    sa_buffer_addf(out, "%s%s: %s, %s", count == 1 ? "ambiguous words: " : "; ",
                                   sa_grammar_word(g, word),
                                   sa_grammar_word(g, g->symbols[first[word]->first + 1].word),
                                   sa_grammar_word(g, g->symbols[c->rules[r].first + 1].word));
                first[word] = &listed;
            } else if (!first[word]) {
                first[word] = &c->rules[r];
            }
        }
    if (count) sa_buffer_adds(out, count > SHOWN ? " ...\n" : "\n");
    free((void *)first);
    return true;
}

/* ---- Examples -------------------------------------------------------------------------------- */

/* Draws a pair: the source in one line, below it a line for each target word, with # under the
 * words it is linked with, ? if the link is only possible. */
static void add_example(const sa_draft *draft, sa_buffer *out) {
    sa_buffer_adds(out, "\n");
    for (int s = 0; s < draft->source.count; s++)
        sa_buffer_addf(out, "%s%s", s ? " " : "", draft->source.words[s]);
    for (int t = 0; t < draft->target.count; t++) {
        sa_buffer_adds(out, "\n");
        for (int s = 0; s < draft->source.count; s++) {
            const char *word = draft->source.words[s], *mark = ".";
            for (int i = 0; i < draft->link_count; i++)
                if (draft->links[i].source == s && draft->links[i].target == t)
                    mark = draft->links[i].possible ? "?" : "#";
            sa_buffer_adds(out, mark);
            sa_buffer_pad(out, sa_utf8_width(word, strlen(word)));
        }
        sa_buffer_addf(out, " %s", draft->target.words[t]);
    }
    sa_buffer_adds(out, "\n");
}

static void add_examples(sa_grammar *g, uint64_t seed, sa_buffer *out) {
    enum { TRIES = 1000 };
    sa_rng rng = sa_rng_seed(seed, 0);
    sa_draft draft = {.rng = &rng};
    for (int i = 0, shown = 0; i < TRIES && shown < EXAMPLES; i++) {
        sa_draft_clear(&draft);
        if (!sa_grammar_draw(g, &draft)) continue;
        add_example(&draft, out);
        shown++;
    }
}

bool sa_grammar_check(sa_grammar *g, uint64_t seed, sa_buffer *out, sa_error *error) {
    char *seen = sa_new(g->words.count + 1, 1, error);
    if (!seen) return false;
    sa_buffer_addf(out, "rules: %zu, with values for their features %zu\n", g->lines,
                   g->rule_count);
    const size_t sources = count_words(g, 0, seen);
    sa_buffer_addf(out, "words: %zu in the source, %zu in the target\n", sources,
                   count_words(g, 1, seen));
    free(seen);
    if (!add_sentences(g, out, error) || !add_ambiguous(g, out, error)) return false;
    add_categories(g, true, "not reached: ", out);
    add_categories(g, false, "cannot end: ", out);
    add_examples(g, seed, out);
    return !out->failed || sa_fail_memory(error, out->capacity);
}
