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
    const int longest = sa_grammar_count(g, SA_DRAFT_WORDS, error);
    uint64_t sum = 0;
    for (int i = 0; i <= longest && sum < SA_GRAMMAR_MANY; i++) sum += g->count[i];
    add_count(out, "sentences: ", sum, " derivations");
    sa_buffer_addf(out, " of at most %d source words, %.1f on average\n", longest,
                   g->category[g->start[0]].words);
    for (int i = 0, shown = 0; i <= longest && shown < SHOWN; i++) {
        if (!g->count[i]) continue;
        sa_buffer_addf(out, "%6d word%s", i, i == 1 ? "" : "s");
        add_count(out, ": ", g->count[i], ++shown == SHOWN && i < longest ? " ...\n" : "\n");
    }
    return longest >= 0;
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
        if ((g->category[i].ways > 0) == ends && !(ends && g->category[i].reached))
            add_item(out, title, &shown, sa_grammar_category(g, (int32_t)i));
    if (shown) sa_buffer_adds(out, "\n");
}

/* What is known of a word: its sides, the first translation that a rule gives it alone, and whether
 * there is another. */
typedef struct word_use {
    bool side[2], ambiguous;
    int32_t translation; /* plus 1 */
} word_use;

/* Counts the words of both sides, and lists source words with several translations. */
static bool add_words(const sa_grammar *g, sa_buffer *out, sa_error *error) {
    word_use *use = sa_new(g->words.count, sizeof *use, error);
    int count[2] = {0}, shown = 0;
    if (!use) return false;
    for (const sa_category *c = g->category; c < g->category + g->category_count; c++)
        FOR_RULES(rule, g, c) {
            const sa_symbol *symbol = g->symbols + rule->first;
            for (int i = 0; c->reached && i < rule->count[0] + rule->count[1]; i++)
                if (symbol[i].word >= 0) use[symbol[i].word].side[i >= rule->count[0]] = true;
            if (!c->reached || rule->count[0] != 1 || rule->count[1] != 1 || symbol->word < 0)
                continue;
            word_use *own = &use[symbol->word];
            if (!own->translation) own->translation = symbol[1].word + 1;
            if (own->translation == symbol[1].word + 1 || own->ambiguous) continue;
            own->ambiguous = true;
            add_item(out, "ambiguous words: ", &shown, sa_grammar_word(g, symbol->word));
        }
    for (size_t i = 0; i < g->words.count; i++)
        count[0] += use[i].side[0], count[1] += use[i].side[1];
    sa_buffer_addf(out, "%swords: %d in the source, %d in the target\n", shown ? "\n" : "",
                   count[0], count[1]);
    free(use);
    return true;
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
