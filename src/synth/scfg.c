/* The equations of a synchronous grammar, each solved by sweeps over its categories until nothing
 * changes, and what they are for: random sentences, their exact number, a description. */
#include "synth/scfg.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOR_RULES(rule, c) for (const sa_rule *rule = (c)->first; rule; rule = rule->next)

/* Returns the category of a symbol; NULL: it is a word. */
static sa_category *child(const sa_grammar *g, const sa_symbol *symbol) {
    return symbol->category < 0 ? NULL : &g->category[symbol->category];
}

static const char *word_of(const sa_grammar *g, int side, const sa_symbol *symbol) {
    return sa_strings_get(&g->words[side], symbol->word).text;
}

/* Returns the number of words that a word adds to a source: 0 for a suffix. */
static int length_of(const sa_grammar *g, const sa_symbol *symbol) {
    return word_of(g, 0, symbol)[0] != '+' || !word_of(g, 0, symbol)[1];
}

/* ---- Equations: each updates a value of category c and returns whether it changed ------------ */

/* ends(r) = all of ends(s) over its symbols */
static bool can_end(const sa_grammar *g, const sa_rule *rule) {
    for (int i = 0; i < rule->count; i++)
        if (child(g, &rule->symbol[i]) && !child(g, &rule->symbol[i])->ends) return false;
    return true;
}

/* ends(c) = any of ends(r) over its rules */
static bool update_ends(sa_grammar *g, sa_category *c) {
    if (c->ends) return false;
    FOR_RULES(rule, c) c->ends |= can_end(g, rule);
    return c->ends;
}

/* words(c) = sum over its rules of weight(r) sum_s words(s) / sum of weight(r); size(c) likewise,
 * with 1 for itself. What a category that is reached or alone has is so, too. */
static bool update_size(sa_grammar *g, sa_category *c) {
    const double before = c->size, most = 1e6;
    double words = 0, size = 1; /* the old values stand on the right of the equations */
    bool changed = false;
    if (!c->reached || before > most) return false;
    FOR_RULES(rule, c)
    for (int i = 0; i < rule->count; i++) {
        const sa_symbol *symbol = &rule->symbol[i];
        sa_category *d = child(g, symbol);
        const bool alone = d && (c->alone || symbol->partner < 0);
        const double share = (double)rule->weight / (double)c->weight;
        changed |= d && (!d->reached || d->alone < alone);
        if (d) d->reached = true, d->alone |= alone;
        if (i < rule->half) words += share * (d ? d->words : length_of(g, symbol));
        if (i < rule->half || symbol->partner < 0) size += share * (d ? d->size : 1);
    }
    c->words = words;
    c->size = size;
    c->endless = fabs(size - before) > 1e-6 * before;
    return changed || c->endless;
}

/* Solves an equation by sweeps in turn from the last category to the first and back. False:
 * categories rest on each other without end, or so deep that it would take long. */
static bool solve(sa_grammar *g, bool update(sa_grammar *g, sa_category *c)) {
    enum { SWEEPS = 1000, UPDATES = 20000000 };
    bool changed = true;
    for (size_t sweep = 0; changed && sweep < SWEEPS && sweep * g->rules < UPDATES; sweep++) {
        changed = false;
        for (size_t i = 0; i < g->category_count; i++)
            changed |= update(g, &g->category[sweep % 2 ? i : g->category_count - 1 - i]);
    }
    return !changed;
}

/* ---- What must hold -------------------------------------------------------------------------- */

/* Drops the rules of a category that cannot end, and sums the weights of the others. */
static void keep_ending(const sa_grammar *g, sa_category *c) {
    for (sa_rule **at = &c->first, *rule; (rule = *at);)
        if (can_end(g, rule))
            c->weight += rule->weight, at = &rule->next;
        else
            *at = rule->next, free(rule);
}

bool sa_grammar_solve(sa_grammar *g, sa_error *error) {
    const sa_category *of = &g->category[g->start[0]];
    const char *problem = solve(g, update_ends) ? NULL : "has categories that are nested too deep";
    for (size_t i = 0; i < g->category_count; i++) keep_ending(g, &g->category[i]);
    for (int i = 0; i < 2; i++) g->category[g->start[i]].reached = true;
    if (!solve(g, update_size)) problem = "has categories that are nested too deep";
    for (const sa_category *c = g->category; c < g->category + g->category_count; c++) {
        const char *wrong = c->endless ? "has no end: it contains itself more often than it stops"
                            : c->alone && c->first->next
                                ? "stands on one side only and needs one derivation, but has two"
                            : c->reached && !c->ends && !problem ? "cannot end: rules are missing"
                                                                 : NULL;
        if (wrong) of = c, problem = wrong;
    }
    return !problem || sa_fail(error, SA_DATA, "%s:%zu: [%s] %s", g->name, of->line,
                               sa_grammar_category(g, (int32_t)(of - g->category)), problem);
}

/* ---- Random sentences ------------------------------------------------------------------------ */

/* Draws a rule for a category, and slots for its symbols. */
static void choose(sa_grammar *g, const sa_category *c, sa_draft *draft, sa_slot *slot) {
    const sa_rule *rule = c->first;
    if (rule->next) {
        const uint64_t half = (uint64_t)sa_rng_next(draft->rng) << 32;
        uint64_t drawn = (half | sa_rng_next(draft->rng)) % c->weight;
        for (; rule->weight <= drawn; rule = rule->next) drawn -= rule->weight;
    }
    *slot = (sa_slot){.rule = rule, .first = g->slots};
    g->slots += rule->count;
    draft->full |= g->slots > SA_GRAMMAR_SLOTS;
    if (!draft->full) memset(&g->slot[slot->first], 0, (size_t)rule->count * sizeof *slot);
}

/* Writes the words of one side of a slot's rule; draws the rules of its categories unless the other
 * side has done so. After the words of the target, adds the rule's links. */
static void write_rule(sa_grammar *g, sa_slot at, sa_draft *draft, sa_draft_side *side) {
    const sa_rule *rule = at.rule;
    const int half = rule->half, target = side == &draft->target;
    sa_slot *slots = &g->slot[at.first];
    for (int i = target ? half : 0; i < (target ? rule->count : half) && !draft->full; i++) {
        const sa_symbol *symbol = &rule->symbol[i];
        const int before = side->count;
        if (symbol->partner >= 0) slots[i] = slots[symbol->partner];
        if (symbol->category < 0)
            sa_draft_add(draft, side, "%s", word_of(g, target, symbol));
        else if (!slots[i].rule)
            choose(g, child(g, symbol), draft, &slots[i]);
        if (symbol->category >= 0) write_rule(g, slots[i], draft, side);
        slots[i].span = (sa_word_span){before, side->count - before};
    }
    if (!target || draft->full) return;
    for (size_t i = 0; i < rule->links; i++) {
        const sa_link link = g->links[rule->first_link + i];
        sa_draft_link(draft, slots[link.source].span, slots[half + link.target].span,
                      link.possible);
    }
    for (int s = 0; !rule->links && s < half; s++)
        for (int t = half; t < rule->count; t++)
            if (rule->symbol[s].partner < 0 && rule->symbol[t].partner < 0)
                sa_draft_link(draft, slots[s].span, slots[t].span,
                              rule->symbol[s].possible || rule->symbol[t].possible);
}

/* Returns whether a word fits a pattern: [aeé] is one of these characters, * any others before what
 * follows it. */
static bool fits(const char *pattern, const char *word) {
    if (*pattern == '*') {
        const size_t left = strlen(word), rest = strlen(++pattern);
        return left >= rest && !strcmp(word + left - rest, pattern);
    }
    if (*pattern == '[' && *word) {
        const char *end = strchr(pattern, ']');
        size_t length;
        sa_utf8_codepoint(word, strlen(word), &length);
        for (pattern++; pattern < end && strncmp(pattern, word, length) != 0;) pattern++;
        return pattern < end && fits(end + 1, word + length);
    }
    return *pattern == *word && (!*word || fits(pattern + 1, word + 1));
}

/* Joins the words at `at` and `at + 1` if the second one is a suffix, else by the first join that
 * fits. */
static void join(const sa_grammar *g, sa_draft *draft, sa_draft_side *side, int at) {
    char *word = side->words[at], *next = side->words[at + 1];
    const sa_join *each = g->joins, *end = each + g->join_count;
    if (*next == '+' && next[1] && strlen(word) + strlen(next) <= SA_DRAFT_LETTERS) {
        strcat(word, next + 1);
        *next = 0;
        each = end;
    }
    while (each < end && (each->source != (side == &draft->source) || !fits(each->word[0], word) ||
                          !fits(each->word[1], next)))
        each++;
    for (int i = 0; each < end && i < 2; i++)
        if (each->result[i]) snprintf(side->words[at + i], SA_DRAFT_LETTERS, "%s", each->result[i]);
    if (!*next) sa_draft_merge(draft, side, at);
}

bool sa_grammar_draw(sa_grammar *g, sa_draft *draft) {
    sa_draft_side *const sides[] = {&draft->source, &draft->target};
    sa_slot start;
    g->slots = 0;
    draft->apart = g->apart;
    choose(g, &g->category[g->start[draft->split == SA_TEST]], draft, &start);
    for (int i = 0; i < 2; i++) write_rule(g, start, draft, sides[i]);
    for (int i = 0; i < 2 && !draft->full; i++)
        for (int at = sides[i]->count - 1; at-- > 0;) join(g, draft, sides[i], at);
    return !draft->full && draft->source.count && draft->target.count;
}

/* ---- Their number ---------------------------------------------------------------------------- */

#define MOST_WORK 3e8 /* a second */

/* Returns a + b c, at most SA_GRAMMAR_MANY. */
static uint64_t add(uint64_t a, uint64_t b, uint64_t c) {
    const bool many = __builtin_mul_overflow(b, c, &b) || __builtin_add_overflow(a, b, &a);
    return many || a > SA_GRAMMAR_MANY ? SA_GRAMMAR_MANY : a;
}

/* N(r, l) = sum over l_1 + ... + l_k = l - words(r) of N(d_1, l_1) ... N(d_k, l_k) */
static uint64_t count_rule(const sa_grammar *g, const sa_rule *rule, int length) {
    uint64_t sum[SA_DRAFT_WORDS + 1] = {1};
    for (int i = 0; i < rule->half && length >= 0; i++) {
        const sa_category *d = child(g, &rule->symbol[i]);
        if (!d) length -= length_of(g, &rule->symbol[i]);
        for (int m = length; d && m >= 0; m--) { /* in place: sum[m] needs only those below */
            uint64_t all = 0;
            for (int a = 0; a <= m; a++)
                if (sum[a] && d->count[m - a]) all = add(all, sum[a], d->count[m - a]);
            sum[m] = all;
        }
    }
    return length < 0 ? 0 : sum[length];
}

/* N(c, l) = sum over its rules of N(r, l), for l = g->length */
static bool update_count(sa_grammar *g, sa_category *c) {
    uint64_t count = 0;
    FOR_RULES(rule, c) {
        count = add(count, count_rule(g, rule, g->length), 1);
        g->work += (1 + rule->half) * (1.0 + g->length) * (1 + g->length) / 2;
    }
    const bool changed = count != c->count[g->length];
    c->count[g->length] = count;
    return changed && g->work < MOST_WORK;
}

int sa_grammar_count(sa_grammar *g, sa_split split, int least, int longest, uint64_t *sum,
                     sa_error *error) {
    const size_t row = (size_t)longest + 1, start = (size_t)g->start[split == SA_TEST];
    uint64_t *count = sa_new(g->category_count * row, sizeof *count, error);
    if (!count) return -1;
    for (size_t c = 0; c < g->category_count; c++) g->category[c].count = count + c * row;
    g->work = 0;
    for (g->length = 0; g->length <= longest; g->length++) {
        const bool known = solve(g, update_count);
        g->count[g->length] = known ? g->category[start].count[g->length] : SA_GRAMMAR_MANY;
        if (g->work >= MOST_WORK) longest = g->length ? g->length - 1 : 0;
    }
    for (int i = least; i <= longest; i++) *sum = add(*sum, g->count[i], 1);
    free(count);
    return longest;
}

/* ---- A description: what a grammar has, what looks wrong, and a few sentences -----------------
 */

enum { SHOWN = 10, EXAMPLES = 5, TRIES = 1000 };

static void add_count(sa_buffer *out, const char *before, uint64_t n, const char *after) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, n);
    sa_buffer_addf(out, "%s%s%s", before, n < SA_GRAMMAR_MANY ? text : "more than 10^18", after);
}

static bool add_sentences(sa_grammar *g, sa_buffer *out, sa_error *error) {
    uint64_t sum = 0;
    const int longest = sa_grammar_count(g, SA_TRAIN, 0, SA_DRAFT_WORDS, &sum, error);
    add_count(out, "sentences: ", sum, " derivations");
    sa_buffer_addf(out, " of at most %d source words, %.1f on average\n", longest,
                   g->category[g->start[0]].words);
    int shown = 0;
    for (int i = 0; i <= longest && shown <= SHOWN; i++) {
        if (!g->count[i] || shown++ == SHOWN) continue;
        sa_buffer_addf(out, "%6d word%s", i, i == 1 ? "" : "s");
        add_count(out, ": ", g->count[i], "\n");
    }
    if (shown > SHOWN) sa_buffer_adds(out, "   ...\n");
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
    for (size_t i = 0; i < g->category_count; i++)
        if (g->category[i].ends == ends && !g->category[i].reached)
            add_item(out, title, &shown, sa_grammar_category(g, (int32_t)i));
    if (shown) sa_buffer_adds(out, "\n");
}

/* Counts the words of both sides, and lists source words to which rules give several translations
 * alone. */
static bool add_words(const sa_grammar *g, sa_buffer *out, sa_error *error) {
    /* of each source word the first translation plus 1; -1: there are several */
    int32_t *first = sa_new(g->words[0].count, sizeof *first, error);
    int shown = 0;
    if (!first) return false;
    for (const sa_category *c = g->category; c < g->category + g->category_count; c++)
        FOR_RULES(rule, c) {
            const int32_t word = rule->half == 1 && rule->count == 2 ? rule->symbol[0].word : -1;
            if (!c->reached || word < 0 || first[word] == rule->symbol[1].word + 1) continue;
            if (first[word] > 0)
                add_item(out, "ambiguous words: ", &shown, word_of(g, 0, rule->symbol));
            first[word] = first[word] ? -1 : rule->symbol[1].word + 1;
        }
    sa_buffer_addf(out, "%swords: %zu in the source, %zu in the target\n", shown ? "\n" : "",
                   g->words[0].count, g->words[1].count);
    free(first);
    return true;
}

/* Draws a pair: the source in one line, below it a line for each target word, with # under the
 * words it is linked with, ? if the link is only possible. */
static void add_example(const sa_draft *draft, sa_buffer *out) {
    for (int t = -1; t < draft->target.count; t++) {
        sa_buffer_adds(out, "\n");
        for (int s = 0; s < draft->source.count; s++) {
            const char *word = draft->source.words[s];
            const char link = t < 0 ? 0 : draft->link[s * SA_DRAFT_WORDS + t];
            sa_buffer_adds(out, t < 0 ? word : link == '-' ? "#" : link ? "?" : ".");
            sa_buffer_pad(out,
                          t < 0 ? s + 1 < draft->source.count : sa_utf8_width(word, strlen(word)));
        }
        if (t >= 0) sa_buffer_addf(out, " %s", draft->target.words[t]);
    }
    sa_buffer_adds(out, "\n");
}

bool sa_grammar_check(sa_grammar *g, uint64_t seed, sa_buffer *out, sa_error *error) {
    sa_rng rng = sa_rng_seed(seed, 0);
    sa_draft draft = {.rng = &rng};
    sa_buffer_addf(out, "rules: %zu, with values for their features %zu\n", g->lines, g->rules);
    if (!add_words(g, out, error) || !add_sentences(g, out, error)) return false;
    add_categories(g, true, "not reached: ", out);
    add_categories(g, false, "cannot end: ", out);
    for (int i = 0, shown = 0; i < TRIES && shown < EXAMPLES; i++) {
        sa_draft_clear(&draft);
        if (sa_grammar_draw(g, &draft)) add_example(&draft, out), shown++;
    }
    return !out->failed || sa_fail_memory(error, out->capacity);
}

const char *sa_grammar_category(const sa_grammar *g, int32_t category) {
    return sa_strings_get(&g->categories, category).text;
}
