/* Describes the language of a grammar: what it has, what looks wrong, and a few sentences. */
#include "base/utf8.h"
#include "synth/scfg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10, EXAMPLES = 5 };

static void add_count(sa_buffer *out, const char *before, uint64_t count, const char *after) {
    if (count < SA_GRAMMAR_MANY)
        sa_buffer_addf(out, "%s%" PRIu64 "%s", before, count, after);
    else
        sa_buffer_addf(out, "%smore than 10^18%s", before, after);
}

static bool add_sentences(sa_grammar *g, sa_buffer *out, sa_error *error) {
    int longest = SA_DRAFT_WORDS;
    uint64_t *ways = sa_grammar_count(g, &longest, error), sum = 0;
    if (!ways) return false;
    for (int i = 0; i <= longest && sum < SA_GRAMMAR_MANY; i++) sum += ways[i];
    add_count(out, "sentences: ", sum, " derivations");
    sa_buffer_addf(out, " of at most %d source words, %.1f on average\n", longest,
                   g->category[g->start].words);
    for (int i = 0, shown = 0; i <= longest && shown < SHOWN; i++) {
        if (!ways[i]) continue;
        sa_buffer_addf(out, "%6d word%s", i, i == 1 ? "" : "s");
        add_count(out, ": ", ways[i], ++shown == SHOWN && i < longest ? " ...\n" : "\n");
    }
    free(ways);
    return true;
}

/* Appends one of at most SHOWN things on a line, after its title. */
static void add_item(sa_buffer *out, const char *title, int *shown, const char *text) {
    if (*shown <= SHOWN)
        sa_buffer_addf(out, "%s%s", *shown ? ", " : title, *shown < SHOWN ? text : "...");
    ++*shown;
}

static void add_categories(const sa_grammar *g, bool ends, const char *title, sa_buffer *out) {
    int shown = 0;
    for (size_t i = 0; i < g->categories.count; i++)
        if (g->category[i].ends == ends && !(ends && g->category[i].reached))
            add_item(out, title, &shown, sa_grammar_category(g, (int32_t)i));
    if (shown) sa_buffer_adds(out, "\n");
}

/* Counts the words of both sides, and lists source words with several translations: rules of one
 * source word and other target words than the first such rule. */
static bool add_words(const sa_grammar *g, sa_buffer *out, sa_error *error) {
    char *seen = sa_new(g->words.count + 1, 1, error);
    const sa_rule **first = sa_new(g->words.count + 1, sizeof *first, error);
    int count[2] = {0}, shown = 0;
    for (const sa_category *c = g->category; first && seen && c < g->category + g->categories.count;
         c++)
        for (int i = 0, r = 0; c->reached && r < c->count; i = 0, r++)
            for (const sa_rule *rule = &c->rules[r]; i < rule->count[0] + rule->count[1]; i++) {
                const int side = i >= rule->count[0],
                          word = g->symbols[rule->first + (size_t)i].word;
                if (word < 0) continue;
                count[side] += !(seen[word] & 1 << side);
                seen[word] |= (char)(1 << side);
                if (side || rule->count[0] != 1 || rule->count[1] != 1) continue;
                const sa_rule *other = first[word] ? first[word] : rule;
                first[word] = other;
                if (g->symbols[other->first + 1].word == g->symbols[rule->first + 1].word ||
                    seen[word] & 4)
                    continue;
                seen[word] |= 4;
                add_item(out, "ambiguous words: ", &shown, sa_grammar_word(g, word));
            }
    sa_buffer_addf(out, "%swords: %d in the source, %d in the target\n", shown ? "\n" : "",
                   count[0], count[1]);
    const bool good = first && seen;
    free(seen);
    free((void *)first);
    return good;
}

/* Draws a pair: the source in one line, below it a line for each target word, with # under the
 * words it is linked with, ? if the link is only possible. */
static void add_example(const sa_draft *draft, sa_buffer *out) {
    for (int s = 0; s < draft->source.count; s++)
        sa_buffer_addf(out, "%s%s", s ? " " : "\n", draft->source.words[s]);
    for (int t = 0; t < draft->target.count; t++) {
        sa_buffer_adds(out, "\n");
        for (int s = 0; s < draft->source.count; s++) {
            const char *word = draft->source.words[s], *mark = ".";
            for (const sa_link *link = draft->links; link < draft->links + draft->link_count;
                 link++)
                if (link->source == s && link->target == t) mark = link->possible ? "?" : "#";
            sa_buffer_adds(out, mark);
            sa_buffer_pad(out, sa_utf8_width(word, strlen(word)));
        }
        sa_buffer_addf(out, " %s", draft->target.words[t]);
    }
    sa_buffer_adds(out, "\n");
}

bool sa_grammar_check(sa_grammar *g, uint64_t seed, sa_buffer *out, sa_error *error) {
    enum { TRIES = 1000 };
    sa_rng rng = sa_rng_seed(seed, 0);
    sa_draft draft = {.rng = &rng};
    sa_buffer_addf(out, "rules: %zu, with values for their features %zu\n", g->lines,
                   g->rule_count);
    if (!add_words(g, out, error) || !add_sentences(g, out, error)) return false;
    add_categories(g, true, "not reached: ", out);
    add_categories(g, false, "cannot end: ", out);
    for (int i = 0, shown = 0; i < TRIES && shown < EXAMPLES; i++) {
        sa_draft_clear(&draft);
        if (!sa_grammar_draw(g, &draft)) continue;
        add_example(&draft, out);
        shown++;
    }
    return !out->failed || sa_fail_memory(error, out->capacity);
}
