/* The equations of a synchronous grammar, each solved by sweeps over its categories until nothing
 * changes, and what they are for: random sentences and their exact number. */
#include "synth/scfg.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int symbols_of(const sa_rule *rule) {
    return rule->count[0] + rule->count[1];
}

static const sa_symbol *symbol_of(const sa_grammar *g, const sa_rule *rule, int i) {
    return &g->symbols[rule->first + (size_t)i];
}

/* Returns the category of a symbol of a rule; NULL: it is a word. */
static sa_category *child(const sa_grammar *g, const sa_rule *rule, int i) {
    const int32_t category = symbol_of(g, rule, i)->category;
    return category < 0 ? NULL : &g->category[category];
}

const sa_rule *sa_grammar_next(const sa_grammar *g, const sa_category *c, const sa_rule *rule) {
    const int32_t next = rule ? rule->next : c->first;
    return next < 0 ? NULL : &g->rules[next];
}

/* ---- Equations: each updates a value of category c and returns whether it changed ------------ */

static int few(int ways) {
    return ways < 2 ? ways : 2;
}

/* ways(r) = product of ways(s) over its symbols; 2 stands for more */
static int ways_of(const sa_grammar *g, const sa_rule *rule) {
    int ways = 1;
    for (int i = 0; i < symbols_of(rule) && ways; i++)
        if (child(g, rule, i)) ways = few(ways * child(g, rule, i)->ways);
    return ways;
}

/* ways(c) = sum of ways(r) over its rules */
static bool update_ways(sa_grammar *g, sa_category *c) {
    const int before = c->ways;
    c->ways = 0;
    FOR_RULES(rule, g, c) c->ways = few(c->ways + ways_of(g, rule));
    return c->ways != before;
}

/* words(c) = sum over its rules of weight(r) sum_s words(s) / sum of weight(r); size(c) likewise,
 * with 1 for itself. What a category that is reached has is reached, too. */
static bool update_size(sa_grammar *g, sa_category *c) {
    const double before = c->size, most = 1e6;
    double words = 0, size = 1; /* the old values stand on the right of the equations */
    bool changed = false;
    if (!c->reached || before > most) return false;
    FOR_RULES(rule, g, c)
    for (int i = 0; i < symbols_of(rule); i++) {
        sa_category *d = child(g, rule, i);
        const double share = (double)rule->weight / (double)c->weight;
        if (d && !d->reached) changed = d->reached = true;
        if (symbol_of(g, rule, i)->partner >= 0) continue; /* once for both sides */
        if (i < rule->count[0]) words += share * (d ? d->words : 1);
        size += share * (d ? d->size : 1);
    }
    c->words = words;
    c->size = size;
    c->endless = fabs(size - before) > 1e-6 * before;
    return changed || c->endless;
}

/* Solves an equation by sweeps in turn from the last category to the first and back. False:
 * categories rest on each other without end, or so deep that it would take long. */
static bool solve(sa_grammar *g, bool update(sa_grammar *g, sa_category *c)) {
    enum { MOST_SWEEPS = 1000, MOST_UPDATES = 20000000 };
    const size_t count = g->category_count;
    bool changed = true;
    for (size_t sweep = 0; changed && sweep < MOST_SWEEPS && sweep * g->rule_count < MOST_UPDATES;
         sweep++) {
        changed = false;
        for (size_t i = 0; i < count; i++)
            changed |= update(g, &g->category[sweep % 2 ? i : count - 1 - i]);
    }
    return !changed;
}

/* ---- What must hold -------------------------------------------------------------------------- */

/* Drops the rules of a category that cannot end, and sums the weights of the others. */
static void keep_ending(sa_grammar *g, sa_category *c) {
    for (int32_t *at = &c->first; *at >= 0;) {
        sa_rule *rule = &g->rules[*at];
        if (ways_of(g, rule)) {
            c->weight += rule->weight;
            at = &rule->next;
        } else {
            *at = rule->next;
        }
    }
}

/* Fails if a category has no end, or if one that stands on one side of its rules alone has two
 * derivations. */
static bool check_category(const sa_grammar *g, const sa_category *c, sa_error *error) {
    if (c->endless)
        return sa_grammar_fail(g, c, "has no end: it contains itself more often than it stops",
                               error);
    FOR_RULES(rule, g, c)
    for (int i = 0; i < symbols_of(rule); i++)
        if (symbol_of(g, rule, i)->alone && child(g, rule, i)->ways > 1)
            return sa_grammar_fail(g, child(g, rule, i),
                                   "stands on one side only and needs one derivation, but has two",
                                   error);
    return true;
}

bool sa_grammar_fail(const sa_grammar *g, const sa_category *c, const char *problem,
                     sa_error *error) {
    return sa_fail(error, SA_DATA, "%s:%u: [%s] %s", g->name, c->line,
                   sa_grammar_category(g, (int32_t)(c - g->category)), problem);
}

bool sa_grammar_solve(sa_grammar *g, sa_error *error) {
    bool good = solve(g, update_ways);
    for (size_t i = 0; i < g->category_count; i++) keep_ending(g, &g->category[i]);
    for (int i = 0; i < 2; i++) {
        sa_category *start = &g->category[g->start[i]];
        start->reached = true;
        if (good && !start->ways) return sa_grammar_fail(g, start, "cannot end", error);
    }
    good = good && solve(g, update_size);
    for (sa_category *c = g->category + g->category_count; c-- > g->category;)
        if (c->reached && !check_category(g, c, error)) return false;
    return good || sa_grammar_fail(g, &g->category[g->start[0]],
                                   "has categories that are nested too deep", error);
}

/* ---- Random sentences ------------------------------------------------------------------------ */

static const sa_rule *choose(const sa_grammar *g, const sa_category *c, sa_rng *rng) {
    const sa_rule *rule = sa_grammar_next(g, c, NULL);
    if (rule->next < 0) return rule;
    const uint64_t half = (uint64_t)sa_rng_next(rng) << 32;
    uint64_t drawn = (half | sa_rng_next(rng)) % c->weight;
    for (; rule->weight <= drawn; rule = sa_grammar_next(g, c, rule)) drawn -= rule->weight;
    return rule;
}

/* Draws a derivation. Returns its node; -1: it is too large. */
static int derive(sa_grammar *g, const sa_category *c, sa_rng *rng) {
    const sa_rule *rule = choose(g, c, rng);
    const int node = g->nodes, first = g->slots;
    if (node == SA_GRAMMAR_NODES || first + symbols_of(rule) > SA_GRAMMAR_SLOTS) return -1;
    g->node[g->nodes++] = (sa_node){rule, first};
    g->slots += symbols_of(rule);
    for (int i = 0; i < symbols_of(rule); i++) {
        const int partner = symbol_of(g, rule, i)->partner;
        sa_slot *slot = &g->slot[first + i];
        *slot = (sa_slot){.node = partner < 0 ? -1 : g->slot[first + partner].node};
        if (partner >= 0 || !child(g, rule, i)) continue;
        slot->node = derive(g, child(g, rule, i), rng);
        if (slot->node < 0) return -1;
    }
    return node;
}

/* Writes the words of one side below a node, and notes which words each symbol has become; after
 * the words of the target, adds the rule's links. False: there are too many. */
static bool write_node(sa_grammar *g, const sa_node *node, sa_draft *draft, sa_draft_side *side) {
    const sa_rule *rule = node->rule;
    const int half = rule->count[0], target = side == &draft->target;
    for (int i = target ? half : 0; i < (target ? symbols_of(rule) : half); i++) {
        sa_slot *slot = &g->slot[node->first + i];
        slot->span.first = side->count;
        if (slot->node >= 0 ? !write_node(g, &g->node[slot->node], draft, side)
                            : side->count == SA_DRAFT_WORDS)
            return false;
        if (slot->node < 0)
            sa_draft_add(draft, side, "%s", sa_grammar_word(g, symbol_of(g, rule, i)->word));
        slot->span.count = side->count - slot->span.first;
    }
    for (int i = 0; target && i < rule->links; i++) {
        const sa_link link = g->links[rule->first_link + (size_t)i];
        const sa_word_span from = g->slot[node->first + link.source].span;
        const sa_word_span to = g->slot[node->first + half + link.target].span;
        if (draft->link_count + from.count * to.count > SA_DRAFT_LINKS) return false;
        sa_draft_link(draft, from, to, link.possible);
    }
    return true;
}

/* Returns whether a word fits a pattern: [aeé] is one of these characters, * any others. */
static bool fits(const char *pattern, const char *word) {
    if (*pattern == '*')
        return !pattern[1] || fits(pattern + 1, word) || (*word && fits(pattern, word + 1));
    if (*pattern == '[') {
        const char *end = strchr(pattern, ']');
        size_t length;
        if (!*word) return false;
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
    if (*next == '+' && next[1] && strlen(word) + strlen(next) <= SA_DRAFT_LETTERS) {
        memmove(word + strlen(word), next + 1, strlen(next));
        sa_draft_merge(draft, side, at);
        return;
    }
    const sa_join *each = g->joins, *end = each + g->join_count;
    while (each < end && (each->source != (side == &draft->source) || !fits(each->word[0], word) ||
                          !fits(each->word[1], next)))
        each++;
    for (int i = 0; each < end && i < 2; i++)
        if (each->result[i]) snprintf(side->words[at + i], SA_DRAFT_LETTERS, "%s", each->result[i]);
    if (each < end && each->one) sa_draft_merge(draft, side, at);
}

bool sa_grammar_draw(sa_grammar *g, sa_draft *draft) {
    sa_draft_side *const sides[] = {&draft->source, &draft->target};
    g->nodes = g->slots = 0;
    draft->apart = g->apart;
    if (derive(g, &g->category[g->start[draft->split == SA_TEST]], draft->rng) < 0) return false;
    for (int i = 0; i < 2; i++)
        if (!write_node(g, g->node, draft, sides[i]) || !sides[i]->count) return false;
    for (int i = 0; i < 2; i++)
        for (int at = sides[i]->count - 1; at-- > 0;) join(g, draft, sides[i], at);
    return true;
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
    for (int i = 0; i < rule->count[0]; i++) length -= !child(g, rule, i);
    for (int i = 0; i < rule->count[0] && length >= 0; i++) {
        const uint64_t *n = child(g, rule, i) ? child(g, rule, i)->count : NULL;
        for (int m = length; n && m >= 0; m--) { /* in place: sum[m] needs only those below */
            uint64_t all = 0;
            for (int a = 0; a <= m; a++)
                if (sum[a] && n[m - a]) all = add(all, sum[a], n[m - a]);
            sum[m] = all;
        }
    }
    return length < 0 ? 0 : sum[length];
}

/* N(c, l) = sum over its rules of N(r, l), for l = g->length */
static bool update_count(sa_grammar *g, sa_category *c) {
    const uint64_t before = c->count[g->length];
    uint64_t count = 0;
    FOR_RULES(rule, g, c) {
        count = add(count, count_rule(g, rule, g->length), 1);
        g->work += (1 + g->length) * (1.0 + g->length);
    }
    c->count[g->length] = count;
    return count != before && g->work < MOST_WORK;
}

int sa_grammar_count(sa_grammar *g, int longest, sa_error *error) {
    const size_t row = (size_t)longest + 1, start = (size_t)g->start[0];
    uint64_t *count = sa_new(g->category_count * row, sizeof *count, error);
    if (!count) return -1;
    for (size_t c = 0; c < g->category_count; c++) g->category[c].count = count + c * row;
    g->work = 0;
    for (g->length = 0; g->length <= longest; g->length++) {
        const bool known = solve(g, update_count);
        g->count[g->length] = known ? g->category[start].count[g->length] : SA_GRAMMAR_MANY;
        if (g->work >= MOST_WORK) longest = g->length - 1;
    }
    free(count);
    return longest;
}

const char *sa_grammar_word(const sa_grammar *g, int32_t word) {
    return sa_strings_get(&g->words, word).text;
}

const char *sa_grammar_category(const sa_grammar *g, int32_t category) {
    return sa_strings_get(&g->categories, category).text;
}
