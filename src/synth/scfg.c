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

/* Returns the category of a symbol of a rule; NULL: it is a word. */
static sa_category *child(const sa_grammar *g, const sa_rule *rule, int symbol) {
    const int32_t category = g->symbols[rule->first + (size_t)symbol].category;
    return category < 0 ? NULL : &g->category[category];
}

/* ---- Equations: each updates a value of category c and returns whether it changed ------------ */

static bool ends_rule(const sa_grammar *g, const sa_rule *rule) {
    bool all = true;
    for (int i = 0; i < symbols_of(rule); i++)
        all = all && (!child(g, rule, i) || child(g, rule, i)->ends);
    return all;
}

/* ends(c) = some rule has only symbols that end */
static bool update_ends(sa_grammar *g, sa_category *c) {
    bool any = false;
    for (int r = 0; r < c->count && !any; r++) any = ends_rule(g, &c->rules[r]);
    const bool changed = any != c->ends;
    c->ends = any;
    return changed;
}

/* reached(d) if a rule of a category that is reached has d */
static bool update_reached(sa_grammar *g, sa_category *c) {
    bool changed = false;
    for (int r = 0; c->reached && r < c->count; r++)
        for (int i = 0; i < symbols_of(&c->rules[r]); i++) {
            sa_category *d = child(g, &c->rules[r], i);
            if (d && !d->reached) changed = d->reached = true;
        }
    return changed;
}

/* twin(c) = c if it has two rules, otherwise the twin of a symbol of its rule */
static bool update_twin(sa_grammar *g, sa_category *c) {
    int twin = c->count > 1 ? (int)(c - g->category) : -1;
    for (int i = 0; c->count == 1 && i < symbols_of(c->rules) && twin < 0; i++)
        if (child(g, c->rules, i)) twin = child(g, c->rules, i)->twin;
    const bool changed = twin != c->twin;
    c->twin = twin;
    return changed;
}

/* words(c) = sum over its rules of weight(r) sum_s words(s) / sum of weight(r); size(c) likewise */
static bool update_size(sa_grammar *g, sa_category *c) {
    const double most = 1e6;
    double weights = 0, words = 0, size = 0;
    for (int r = 0; r < c->count; r++) {
        const sa_rule *rule = &c->rules[r];
        double own = 0, all = 1;
        for (int i = 0; i < symbols_of(rule); i++) {
            const sa_category *d = child(g, rule, i);
            if (g->symbols[rule->first + (size_t)i].partner >= 0)
                continue; /* once for both sides */
            if (i < rule->count[0]) own += d ? d->words : 1;
            all += d ? d->size : 1;
        }
        weights += (double)rule->weight;
        words += (double)rule->weight * own;
        size += (double)rule->weight * all;
    }
    if (!c->count || c->size > most) return false;
    c->endless = fabs(size / weights - c->size) > 1e-6 * c->size;
    c->words = words / weights;
    c->size = size / weights;
    return c->endless;
}

/* Solves an equation by sweeps in turn from the last category to the first and back. False:
 * categories rest on each other without end, or so deep that it would take long. */
static bool solve(sa_grammar *g, bool update(sa_grammar *g, sa_category *c)) {
    enum { MOST_SWEEPS = 1000, MOST_UPDATES = 20000000 };
    const size_t count = g->categories.count;
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

static bool fail_at(const sa_grammar *g, const sa_category *c, const char *problem,
                    sa_error *error) {
    return sa_fail(error, SA_DATA, "%s:%u: [%s] %s", g->name, c->line,
                   sa_grammar_category(g, (int32_t)(c - g->category)), problem);
}

/* Rules without symbols begin where the next ones do: their lines decide, so that every qsort gives
 * the same order. */
static int by_category(const void *left, const void *right) {
    const sa_rule *a = left, *b = right;
    if (a->category != b->category) return a->category - b->category;
    if (a->line != b->line) return a->line > b->line ? 1 : -1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Puts the rules of each category next to each other, in the order of the file. */
static bool group_rules(sa_grammar *g, sa_error *error) {
    g->category = sa_new(g->categories.count, sizeof *g->category, error);
    qsort(g->rules, g->rule_count, sizeof *g->rules, by_category);
    for (sa_rule *rule = g->rules; g->category && rule < g->rules + g->rule_count; rule++) {
        sa_category *c = &g->category[rule->category];
        if (!c->count++) c->rules = rule, c->line = rule->line;
    }
    return g->category;
}

/* Drops the rules of a category that cannot end, and sums the weights of the others. */
static void keep_ending(sa_grammar *g, sa_category *c) {
    int kept = 0;
    uint64_t sum = 0;
    for (int r = 0; r < c->count; r++) {
        if (!ends_rule(g, &c->rules[r])) continue;
        c->rules[kept] = c->rules[r];
        c->rules[kept++].upto = sum += c->rules[r].weight;
    }
    c->count = kept;
}

/* Fails if a category that stands on one side of a rule alone has two derivations. */
static bool check_alone(const sa_grammar *g, const sa_rule *rule, sa_error *error) {
    for (int i = 0; i < symbols_of(rule); i++) {
        const sa_symbol *symbol = &g->symbols[rule->first + (size_t)i];
        const int twin = symbol->alone ? g->category[symbol->category].twin : -1;
        if (twin < 0) continue;
        const sa_rule *two = g->category[twin].rules;
        return sa_fail(error, SA_DATA,
                       "%s:%u: [%s] stands on one side only and needs one derivation, but [%s] has "
                       "two, in lines %u and %u",
                       g->name, rule->line, sa_grammar_category(g, symbol->category),
                       sa_grammar_category(g, twin), two[0].line, two[1].line);
    }
    return true;
}

bool sa_grammar_solve(sa_grammar *g, sa_error *error) {
    if (!group_rules(g, error)) return false;
    sa_category *start = &g->category[g->start];
    const bool deep = !solve(g, update_ends);
    for (size_t c = 0; c < g->categories.count; c++) keep_ending(g, &g->category[c]);
    start->reached = true;
    if (deep || !solve(g, update_reached) || !solve(g, update_twin))
        return fail_at(g, start, "has categories that are nested too deep", error);
    if (!start->ends) return fail_at(g, start, "cannot end", error);
    solve(g, update_size);
    for (sa_category *c = g->category + g->categories.count; c-- > g->category;) {
        if (c->reached && c->endless)
            return fail_at(g, c, "has no end: it contains itself more often than it stops", error);
        for (int r = 0; c->reached && r < c->count; r++)
            if (!check_alone(g, &c->rules[r], error)) return false;
    }
    return true;
}

/* ---- Random sentences ------------------------------------------------------------------------ */

static const sa_rule *choose(const sa_category *c, sa_rng *rng) {
    const sa_rule *rule = c->rules;
    if (c->count == 1) return rule;
    const uint64_t half = (uint64_t)sa_rng_next(rng) << 32;
    const uint64_t drawn = (half | sa_rng_next(rng)) % rule[c->count - 1].upto;
    while (rule->upto <= drawn) rule++;
    return rule;
}

/* Draws a derivation. Returns its node; -1: it is too large. */
static int derive(sa_grammar *g, const sa_category *c, sa_rng *rng) {
    const sa_rule *rule = choose(c, rng);
    const int node = g->nodes, first = g->slots;
    if (node == SA_GRAMMAR_NODES || first + symbols_of(rule) > SA_GRAMMAR_SLOTS) return -1;
    g->node[g->nodes++] = (sa_node){rule, first};
    g->slots += symbols_of(rule);
    for (int i = 0; i < symbols_of(rule); i++) {
        const int partner = g->symbols[rule->first + (size_t)i].partner;
        sa_slot *slot = &g->slot[first + i];
        *slot = (sa_slot){.node = partner < 0 ? -1 : g->slot[first + partner].node};
        if (partner >= 0 || !child(g, rule, i)) continue;
        slot->node = derive(g, child(g, rule, i), rng);
        if (slot->node < 0) return -1;
    }
    return node;
}

/* Writes the words of one side below a node, and notes which words each symbol has become. */
static bool write_node(sa_grammar *g, int node, int target, sa_draft *draft) {
    const sa_rule *rule = g->node[node].rule;
    const sa_draft_side *side = target ? &draft->target : &draft->source;
    const int begin = target ? rule->count[0] : 0;
    for (int i = begin; i < begin + rule->count[target]; i++) {
        const sa_symbol *symbol = &g->symbols[rule->first + (size_t)i];
        sa_slot *slot = &g->slot[g->node[node].first + i];
        slot->span.first = side->count;
        if (symbol->category >= 0) {
            if (!write_node(g, slot->node, target, draft)) return false;
        } else {
            if (side->count == SA_DRAFT_WORDS) return false;
            (target ? sa_draft_target : sa_draft_source)(draft, sa_grammar_word(g, symbol->word));
        }
        slot->span.count = side->count - slot->span.first;
    }
    return true;
}

/* Links the words of symbols that a rule links. */
static bool link_node(sa_grammar *g, const sa_node *node, sa_draft *draft) {
    const sa_rule *rule = node->rule;
    for (int i = 0; i < rule->links; i++) {
        const sa_link *link = &g->links[rule->first_link + (size_t)i];
        const sa_word_span source = g->slot[node->first + link->source].span;
        const sa_word_span target = g->slot[node->first + rule->count[0] + link->target].span;
        if (draft->link_count + source.count * target.count > SA_DRAFT_LINKS) return false;
        (link->possible ? sa_draft_link_possible : sa_draft_link)(draft, source, target);
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
    const char *word = side->words[at], *next = side->words[at + 1];
    char joined[2 * SA_DRAFT_LETTERS];
    if (*next == '+' && next[1] && strlen(word) + strlen(next) <= SA_DRAFT_LETTERS) {
        snprintf(joined, sizeof joined, "%s%s", word, next + 1);
        sa_draft_merge(draft, side, at, joined);
        return;
    }
    for (const sa_join *each = g->joins; each < g->joins + g->join_count; each++) {
        if (each->source != (side == &draft->source) || !fits(each->word[0], side->words[at]) ||
            !fits(each->word[1], side->words[at + 1]))
            continue;
        const bool one = !each->kept[0] && !each->kept[1] && !each->result[1];
        if (one) sa_draft_merge(draft, side, at, each->result[0]);
        for (int i = 0; !one && i < 2; i++)
            if (!each->kept[i])
                snprintf(side->words[at + i], SA_DRAFT_LETTERS, "%s",
                         each->result[i && each->result[1]]);
        return;
    }
}

bool sa_grammar_draw(sa_grammar *g, sa_draft *draft) {
    g->nodes = g->slots = 0;
    draft->apart = g->apart;
    if (derive(g, &g->category[g->start], draft->rng) < 0 || !write_node(g, 0, 0, draft) ||
        !write_node(g, 0, 1, draft) || !draft->source.count || !draft->target.count)
        return false;
    for (int i = 0; i < g->nodes; i++)
        if (!link_node(g, &g->node[i], draft)) return false;
    for (int at = draft->source.count - 1; at-- > 0;) join(g, draft, &draft->source, at);
    for (int at = draft->target.count - 1; at-- > 0;) join(g, draft, &draft->target, at);
    return true;
}

/* ---- Their number ---------------------------------------------------------------------------- */

#define MOST_WORK 3e8 /* a second */

static uint64_t add(uint64_t a, uint64_t b) {
    return a + b < SA_GRAMMAR_MANY ? a + b : SA_GRAMMAR_MANY;
}

static uint64_t multiply(uint64_t a, uint64_t b) {
    uint64_t c;
    return __builtin_mul_overflow(a, b, &c) || c > SA_GRAMMAR_MANY ? SA_GRAMMAR_MANY : c;
}

/* N(r, l) = sum over l_1 + ... + l_k = l - words(r) of N(d_1, l_1) ... N(d_k, l_k) */
static uint64_t count_rule(const sa_grammar *g, const sa_rule *rule, int length) {
    uint64_t sum[SA_DRAFT_WORDS + 1] = {1};
    for (int i = 0; i < rule->count[0]; i++) length -= !child(g, rule, i);
    for (int i = 0; i < rule->count[0] && length >= 0; i++) {
        const uint64_t *n = child(g, rule, i) ? child(g, rule, i)->ways : NULL;
        for (int m = length; n && m >= 0; m--) { /* in place: sum[m] needs only those below */
            uint64_t all = 0;
            for (int a = 0; a <= m; a++)
                if (sum[a] && n[m - a]) all = add(all, multiply(sum[a], n[m - a]));
            sum[m] = all;
        }
    }
    return length < 0 ? 0 : sum[length];
}

/* N(c, l) = sum over its rules of N(r, l), for l = g->length */
static bool update_ways(sa_grammar *g, sa_category *c) {
    uint64_t ways = 0;
    for (int r = 0; r < c->count; r++) ways = add(ways, count_rule(g, &c->rules[r], g->length));
    const bool changed = ways != c->ways[g->length];
    c->ways[g->length] = ways;
    g->work += (double)c->count * (1 + g->length) * (1 + g->length);
    return changed && g->work < MOST_WORK;
}

uint64_t *sa_grammar_count(sa_grammar *g, int *longest, sa_error *error) {
    const size_t row = (size_t)*longest + 1;
    uint64_t *ways = sa_new(g->categories.count * row, sizeof *ways, error);
    uint64_t *result = sa_new(row, sizeof *result, error);
    for (size_t c = 0; ways && c < g->categories.count; c++) g->category[c].ways = ways + c * row;
    g->work = 0;
    for (g->length = 0; ways && g->length <= *longest; g->length++) {
        if (!solve(g, update_ways)) g->category[g->start].ways[g->length] = SA_GRAMMAR_MANY;
        if (g->work >= MOST_WORK) *longest = g->length - 1;
    }
    if (ways && result) memcpy(result, g->category[g->start].ways, row * sizeof *result);
    free(ways);
    return ways ? result : (free(result), NULL);
}

const char *sa_grammar_word(const sa_grammar *g, int32_t word) {
    return sa_strings_get(&g->words, word).text;
}

const char *sa_grammar_category(const sa_grammar *g, int32_t category) {
    return sa_strings_get(&g->categories, category).text;
}
