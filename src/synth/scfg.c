/* The equations of a synchronous grammar, each solved by sweeps over its categories until nothing
 * changes, and what they are for: random sentences and their exact number. */
#include "synth/scfg.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

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
static bool update_ends(const sa_grammar *g, sa_category *c) {
    bool any = false;
    for (int r = 0; r < c->count && !any; r++) any = ends_rule(g, &c->rules[r]);
    const bool changed = any != c->ends;
    c->ends = any;
    return changed;
}

/* reached(d) if a rule of a category that is reached has d */
static bool update_reached(const sa_grammar *g, sa_category *c) {
    bool changed = false;
    for (int r = 0; c->reached && r < c->count; r++)
        for (int i = 0; i < symbols_of(&c->rules[r]); i++) {
            sa_category *d = child(g, &c->rules[r], i);
            if (d && !d->reached) changed = d->reached = true;
        }
    return changed;
}

/* twin(c) = c if it has two rules, otherwise the twin of a symbol of its rule */
static bool update_twin(const sa_grammar *g, sa_category *c) {
    int twin = c->count > 1 ? (int)(c - g->category) : -1;
    for (int i = 0; c->count == 1 && i < symbols_of(c->rules) && twin < 0; i++)
        if (child(g, c->rules, i)) twin = child(g, c->rules, i)->twin;
    const bool changed = twin != c->twin;
    c->twin = twin;
    return changed;
}

/* least(r) = sum of least(s) of its source symbols; a word has 1 */
static int least_of(const sa_grammar *g, const sa_rule *rule) {
    int sum = 0;
    for (int i = 0; i < rule->count[0] && sum < SA_DRAFT_WORDS; i++)
        sum += child(g, rule, i) ? child(g, rule, i)->least : 1;
    return sum;
}

/* least(c) = min over its rules of least(r) */
static bool update_least(const sa_grammar *g, sa_category *c) {
    int least = SA_DRAFT_WORDS;
    for (int r = 0; r < c->count; r++) least = smaller(least, least_of(g, &c->rules[r]));
    const bool changed = least != c->least;
    c->least = least;
    return changed;
}

/* level(c) = 1 + max of level(d) over those d in its rules that may leave the other symbols no
 * word */
static bool update_level(const sa_grammar *g, sa_category *c) {
    int level = 0;
    for (int r = 0; r < c->count; r++)
        for (int i = 0; i < c->rules[r].count[0]; i++) {
            const sa_category *d = child(g, &c->rules[r], i);
            if (d && d->least == least_of(g, &c->rules[r])) level = larger(level, 1 + d->level);
        }
    const bool changed = level != c->level;
    c->level = level;
    return changed;
}

/* words(c) = sum over its rules of weight(r) sum_s words(s) / sum of weight(r); size(c) likewise */
static bool update_size(const sa_grammar *g, sa_category *c) {
    const double most = 1e6;
    double weights = 0, words = 0, size = 0;
    for (const sa_rule *rule = c->rules; rule < c->rules + c->count; rule++) {
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
    c->endless = fabs(size / weights - c->size) > 1e-9 * c->size;
    c->words = words / weights;
    c->size = size / weights;
    return c->endless;
}

/* Solves an equation, from the last category to the first. False: categories rest on each other
 * without end, or more than DEEPEST deep. */
static bool solve(const sa_grammar *g, bool update(const sa_grammar *g, sa_category *c)) {
    enum { DEEPEST = 1000 };
    bool changed = true;
    for (int sweep = 0; changed && sweep < DEEPEST; sweep++) {
        changed = false;
        for (size_t c = g->categories.count; c-- > 0;) changed |= update(g, &g->category[c]);
    }
    return !changed;
}

/* ---- What must hold -------------------------------------------------------------------------- */

static bool fail_at(const sa_grammar *g, const sa_category *c, const char *problem,
                    sa_error *error) {
    return sa_fail(error, SA_DATA, "%s:%u: [%s] %s", g->name, c->line,
                   sa_grammar_category(g, (int32_t)(c - g->category)), problem);
}

/* Puts the rules of each category next to each other, in the order of the file. */
static bool group_rules(sa_grammar *g, sa_error *error) {
    sa_rule *sorted = sa_new(g->rule_count, sizeof *sorted, error), *at = sorted;
    g->category = sa_new(g->categories.count, sizeof *g->category, error);
    if (!sorted || !g->category) {
        free(sorted);
        return false;
    }
    for (size_t i = 0; i < g->rule_count; i++) g->category[g->rules[i].category].count++;
    for (size_t c = 0; c < g->categories.count; c++) {
        g->category[c].rules = at;
        at += g->category[c].count;
        g->category[c].count = 0;
        g->category[c].least = SA_DRAFT_WORDS;
    }
    for (size_t i = 0; i < g->rule_count; i++) {
        sa_category *c = &g->category[g->rules[i].category];
        if (!c->count) c->line = g->rules[i].line;
        c->rules[c->count++] = g->rules[i];
    }
    free(g->rules);
    g->rules = sorted;
    return true;
}

/* Drops the rules of a category that cannot end, and sums the weights of the others. */
static void keep_ending(const sa_grammar *g, sa_category *c) {
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

bool sa_grammar_settle(sa_grammar *g, sa_error *error) {
    if (!group_rules(g, error)) return false;
    sa_category *start = &g->category[g->start];
    const bool deep = !solve(g, update_ends);
    if (!deep && !start->ends) return fail_at(g, start, "cannot end", error);
    for (size_t c = 0; c < g->categories.count; c++) keep_ending(g, &g->category[c]);
    start->reached = true;
    if (deep || !solve(g, update_reached) || !solve(g, update_twin) || !solve(g, update_least))
        return fail_at(g, start, "has categories that are nested too deep", error);
    const bool levels = solve(g, update_level);
    solve(g, update_size);
    for (sa_category *c = g->category + g->categories.count; c-- > g->category;) {
        if (c->reached && c->endless)
            return fail_at(g, c, "has no end: it contains itself more often than it stops", error);
        for (int r = 0; c->reached && r < c->count; r++)
            if (!check_alone(g, &c->rules[r], error)) return false;
    }
    return levels ||
           fail_at(g, start, "has a category that becomes itself again without a word", error);
}

/* ---- Random sentences ------------------------------------------------------------------------ */

static const sa_rule *choose(const sa_category *c, sa_rng *rng) {
    const sa_rule *low = c->rules, *high = low + c->count - 1;
    if (low == high) return low;
    const uint64_t half = (uint64_t)sa_rng_next(rng) << 32;
    const uint64_t drawn = (half | sa_rng_next(rng)) % high->upto;
    while (low < high) { /* the first rule with upto > drawn */
        const sa_rule *middle = low + (high - low) / 2;
        if (middle->upto > drawn)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
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
    const sa_link *links = g->links + rule->first_link;
    for (const sa_link *link = links; link < links + rule->links; link++) {
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
        const bool first = !strpbrk(each->word[0], "*["), second = !strpbrk(each->word[1], "*[");
        if (first && second && !each->result[1]) {
            sa_draft_merge(draft, side, at, each->result[0]);
        } else {
            for (int i = 0; i < 2; i++)
                if (i ? second : first)
                    snprintf(side->words[at + i], SA_DRAFT_LETTERS, "%s", each->result[i && first]);
        }
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

static uint64_t add(uint64_t a, uint64_t b) {
    return a + b < SA_GRAMMAR_MANY ? a + b : SA_GRAMMAR_MANY;
}

static uint64_t multiply(uint64_t a, uint64_t b) {
    uint64_t c;
    return __builtin_mul_overflow(a, b, &c) || c > SA_GRAMMAR_MANY ? SA_GRAMMAR_MANY : c;
}

/* N(r, l) = sum over l_1 + ... + l_k = l - words(r) of N(d_1, l_1) ... N(d_k, l_k). N(d, .) is a
 * row of `ways`. */
static uint64_t count_rule(const sa_grammar *g, const sa_rule *rule, const uint64_t *ways,
                           size_t row, int length) {
    uint64_t sum[SA_DRAFT_WORDS + 1] = {1};
    for (int i = 0; i < rule->count[0]; i++) length -= !child(g, rule, i);
    for (int i = 0; i < rule->count[0] && length >= 0; i++) {
        if (!child(g, rule, i)) continue;
        const uint64_t *own = ways + (size_t)(child(g, rule, i) - g->category) * row;
        for (int m = length; m >= 0; m--) { /* in place: sum[m] needs only those below */
            uint64_t all = 0;
            for (int a = 0; a <= m; a++)
                if (sum[a] && own[m - a]) all = add(all, multiply(sum[a], own[m - a]));
            sum[m] = all;
        }
    }
    return length < 0 ? 0 : sum[length];
}

/* Lists the categories that are reached by ascending level. Returns how many there are. */
static size_t order_by_level(const sa_grammar *g, size_t *order) {
    size_t count = 0;
    int top = 0;
    for (size_t c = 0; c < g->categories.count; c++) top = larger(top, g->category[c].level);
    for (int level = 0; level <= top; level++)
        for (size_t c = 0; c < g->categories.count; c++)
            if (g->category[c].reached && g->category[c].level == level) order[count++] = c;
    return count;
}

/* N(c, l) = sum over its rules of N(r, l), length by length and level by level: only categories of
 * lower levels can have all words. */
uint64_t *sa_grammar_count(const sa_grammar *g, int *longest, sa_error *error) {
    const double work = 3e8, cells = 4e6;
    int l_max = smaller(*longest, SA_DRAFT_WORDS);
    while (l_max > 1 && ((double)l_max * l_max * l_max / 6 * (double)g->rule_count > work ||
                         (double)g->categories.count * l_max > cells))
        l_max--;
    *longest = l_max;
    const size_t row = (size_t)l_max + 1;
    uint64_t *ways = sa_new(g->categories.count * row, sizeof *ways, error);
    uint64_t *result = sa_new(row, sizeof *result, error);
    size_t *order = sa_new(g->categories.count, sizeof *order, error);
    const bool good = ways && result && order;
    const size_t count = good ? order_by_level(g, order) : 0;
    for (size_t length = 0; length < row; length++)
        for (size_t i = 0; i < count; i++) {
            const sa_category *c = &g->category[order[i]];
            uint64_t *n = &ways[order[i] * row + length];
            for (int r = 0; r < c->count; r++)
                *n = add(*n, count_rule(g, &c->rules[r], ways, row, (int)length));
        }
    if (good) memcpy(result, ways + (size_t)g->start * row, row * sizeof *result);
    free(order);
    free(ways);
    if (!good) free(result);
    return good ? result : NULL;
}

const char *sa_grammar_word(const sa_grammar *g, int32_t word) {
    return sa_strings_get(&g->words, word).text;
}

const char *sa_grammar_category(const sa_grammar *g, int32_t category) {
    return sa_strings_get(&g->categories, category).text;
}
