/* Reads the text of a grammar: a directive, a comment or a rule on each line. */
#include "base/file.h"
#include "base/number.h"
#include "synth/scfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4000, FEATURES = 100, VALUES = 60, SYMBOLS = 64, INSTANCES = 100000 };

typedef struct feature {
    const char *name, *values[VALUES];
    int count, chosen; /* the value in this instance */
    bool used;         /* in this rule */
} feature;

/* A word, or a category without its brackets. */
typedef struct item {
    const char *text;
    bool category;
    int index, partner; /* its number, or 0, and the item with the same number on the other side */
} item;

typedef struct reader {
    sa_grammar *g;
    sa_text_lines file;
    char *token[LINE / 2 + 1]; /* of a line */
    int tokens;
    feature features[FEATURES];
    int feature_count;
    sa_strings possible, names;   /* words; categories that have rules, without features */
    item left, item[2 * SYMBOLS]; /* of a rule: first those of the source */
} reader;

#define FAIL(r, ...) fail(r, error, sa_format(NULL, __VA_ARGS__))

/* Fails with file and line; frees the text. */
static bool fail(const reader *r, sa_error *error, char *text) {
    sa_fail(error, SA_DATA, "%s:%zu: %s", r->g->name, r->file.lines.number, text ? text : "");
    free(text);
    return false;
}

/* ---- Words and categories -------------------------------------------------------------------- */

/* Returns the feature of that name, or the one that has the value. */
static feature *find_feature(reader *r, const char *name, bool value) {
    for (feature *f = r->features; f < r->features + r->feature_count; f++) {
        if (!value && !strcmp(f->name, name)) return f;
        for (int i = 0; value && i < f->count; i++)
            if (!strcmp(f->values[i], name)) return f;
    }
    return NULL;
}

/* Reads a word, "\[", "[N:g:n]", "[N:g:n,1]" or "[1]", in place. */
static bool read_item(reader *r, char *token, item *out, sa_error *error) {
    char *end = token + strlen(token) - 1, *number = strrchr(token, ',');
    *out = (item){.text = token + (*token == '\\' && token[1] == '[')};
    if (*token != '[')
        return end - token + 1 < SA_DRAFT_LETTERS ||
               FAIL(r, "a word has at most %d bytes", SA_DRAFT_LETTERS - 1);
    if (end < token + 2 || *end != ']')
        return FAIL(r, "'%s' is no category; a word begins with \\[", token);
    *end = 0;
    if (strspn(token + 1, "0123456789") == (size_t)(end - token - 1)) number = token;
    *out = (item){number == token ? "" : token + 1, true, number ? atoi(number + 1) : 0};
    if (number && (out->index < 1 || out->index > SYMBOLS))
        return FAIL(r, "[%s]: numbers are 1 to %d", token + 1, SYMBOLS);
    if (number) *number = 0;
    return true;
}

/* Finds the category whose features have the chosen values. */
static bool find_category(reader *r, const item *of, int32_t *found, sa_error *error) {
    sa_grammar *g = r->g;
    const sa_category none = {.first = -1, .line = (uint32_t)r->file.lines.number};
    char name[LINE], part[LINE];
    size_t size = strcspn(of->text, ":");
    snprintf(name, sizeof name, "%.*s", (int)size, of->text);
    for (const char *at = of->text + size; *at; at += strcspn(at, ":")) {
        at++;
        snprintf(part, sizeof part, "%.*s", (int)strcspn(at, ":"), at);
        feature *variable = find_feature(r, part, false);
        if (!variable && !find_feature(r, part, true))
            return FAIL(r, "[%s]: '%s' is neither a %%feature nor a value of one", of->text, part);
        const char *value = variable ? variable->values[variable->chosen] : part;
        if (size + strlen(value) + 2 > sizeof name) return FAIL(r, "[%s] is too long", of->text);
        if (variable) variable->used = true;
        size += (size_t)snprintf(name + size, sizeof name - size, ":%s", value);
    }
    *found = sa_strings_add(&g->categories, name, size + 1, error);
    return *found >= 0 && ((size_t)*found < g->category_count ||
                           sa_append(&g->category, &g->category_count, &g->category_capacity, &none,
                                     sizeof none, error));
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* Pairs the items with the same number; "[1]" gets the name of its partner. */
static bool pair_items(reader *r, const sa_rule *rule, sa_error *error) {
    const int half = rule->count[0], all = half + rule->count[1];
    for (item *own = r->item; own < r->item + all; own++) {
        int found[2] = {0};
        for (int k = 0; k < all; k++) {
            if (r->item[k].index != own->index) continue;
            found[k >= half]++;
            if ((k >= half) != (own >= r->item + half)) own->partner = k;
        }
        const item *other = &r->item[own->partner];
        if (!own->index) continue;
        if (found[0] != 1 || found[1] != 1)
            return FAIL(r, "the number %d does not stand once on each side", own->index);
        if (!*own->text) own->text = other->text;
        if (*other->text && strcmp(own->text, other->text) != 0)
            return FAIL(r, "number %d is [%s] and [%s]", own->index, own->text, other->text);
    }
    return true;
}

/* Adds the rule with the chosen values. */
static bool add_instance(reader *r, sa_rule rule, sa_error *error) {
    sa_grammar *g = r->g;
    const int32_t number = (int32_t)g->rule_count;
    if (number == INSTANCES) return FAIL(r, "more than %d instances of rules", INSTANCES);
    rule.first = g->symbol_count;
    if (!find_category(r, &r->left, &rule.category, error)) return false;
    for (int i = 0; i < rule.count[0] + rule.count[1]; i++) {
        const item *of = &r->item[i];
        sa_symbol symbol = {-1, -1, of->index && i >= rule.count[0] ? of->partner : -1,
                            of->category && !of->index};
        if (!of->category)
            symbol.word = sa_strings_add(&g->words, of->text, strlen(of->text) + 1, error);
        if (of->category ? !find_category(r, of, &symbol.category, error) : symbol.word < 0)
            return false;
        if (!sa_append(&g->symbols, &g->symbol_count, &g->symbol_capacity, &symbol, sizeof symbol,
                       error))
            return false;
    }
    sa_category *c = &g->category[rule.category];
    if (c->first < 0)
        c->first = number, c->line = rule.line;
    else
        g->rules[c->last].next = number;
    c->last = number;
    return sa_append(&g->rules, &g->rule_count, &g->rule_capacity, &rule, sizeof rule, error);
}

/* Chooses the next values of the features in this rule. False: there are no more. */
static bool next_values(reader *r) {
    for (feature *f = r->features; f < r->features + r->feature_count; f++) {
        if (f->used && ++f->chosen < f->count) return true;
        f->chosen = 0;
    }
    return false;
}

static bool add_link(reader *r, sa_rule *rule, sa_link link, sa_error *error) {
    rule->links++;
    return sa_append(&r->g->links, &r->g->link_count, &r->g->link_capacity, &link, sizeof link,
                     error);
}

/* Links all words, and categories on one side only, with those of the other side. */
static bool link_all(reader *r, sa_rule *rule, sa_error *error) {
    const item *half = r->item + rule->count[0], *end = half + rule->count[1];
    for (const item *s = r->item; s < half; s++)
        for (const item *t = half; t < end; t++) {
            const bool possible = sa_strings_find(&r->possible, s->text, strlen(s->text)) >= 0 ||
                                  sa_strings_find(&r->possible, t->text, strlen(t->text)) >= 0;
            const sa_link link = {(int32_t)(s - r->item), (int32_t)(t - half), possible};
            if (!s->index && !t->index && !add_link(r, rule, link, error)) return false;
        }
    return true;
}

/* Reads what may follow the target: a link, a weight, or the scores of other programs, which are
 * skipped: several numbers, 0, or numbers with names. `alone`: there is nothing else in the field.
 */
static bool read_extra(reader *r, const char *token, bool alone, sa_rule *rule, sa_error *error) {
    char kind[2], rest;
    const char *equals = strrchr(token, '=');
    sa_link link;
    double number;
    if (sscanf(token, "%4d%1[-?p]%4d%c", &link.source, kind, &link.target, &rest) == 3 &&
        *token != '-') {
        link.possible = *kind != '-';
        if (link.target < 0 || link.source >= rule->count[0] || link.target >= rule->count[1])
            return FAIL(r, "link %s is out of range: the sides have %d and %d symbols", token,
                        rule->count[0], rule->count[1]);
        return add_link(r, rule, link, error);
    }
    if (!sa_number_parse(equals ? equals + 1 : token, &number))
        return FAIL(r, "'%s' is neither a link, as 0-1 or 0?1, nor a weight", token);
    if (!alone || equals || number == 0) return true;
    if (!(number >= 0.001 && number <= 1e6)) return FAIL(r, "a weight is 0.001 to 1000000");
    rule->weight = (uint64_t)(number * 1000 + 0.5);
    return true;
}

static bool read_rule(reader *r, sa_error *error) {
    sa_rule rule = {.next = -1,
                    .line = (uint32_t)r->file.lines.number,
                    .weight = 1000,
                    .first_link = r->g->link_count};
    char **token = r->token, **end = token + r->tokens;
    bool good = read_item(r, *token++, &r->left, NULL) && *r->left.text && r->left.category &&
                !r->left.index && token < end && !strcmp(*token++, "|||");
    for (int side = 0; side < 2 && good; side++) {
        for (; token < end && strcmp(*token, "|||") != 0; token++)
            if (rule.count[side] == SYMBOLS)
                return FAIL(r, "a side has more than %d symbols", SYMBOLS);
            else if (!read_item(r, *token, &r->item[rule.count[0] + rule.count[1]], error))
                return false;
            else
                rule.count[side]++;
        good = side || token++ < end;
    }
    if (!good)
        return FAIL(
            r, "a rule is [CATEGORY] ||| source ||| target, then perhaps ||| links ||| weight");
    if (!pair_items(r, &rule, error)) return false;
    for (; token < end; token++) {
        const bool alone =
            !strcmp(token[-1], "|||") && (token + 1 == end || !strcmp(token[1], "|||"));
        if (strcmp(*token, "|||") != 0 && !read_extra(r, *token, alone, &rule, error)) return false;
    }
    if (!rule.links && !link_all(r, &rule, error)) return false;
    r->g->lines++;
    for (int i = 0; i < r->feature_count; i++)
        r->features[i].used = false, r->features[i].chosen = 0;
    do
        if (!add_instance(r, rule, error)) return false;
    while (next_values(r));
    return sa_strings_add(&r->names, r->left.text, strcspn(r->left.text, ":"), error) >= 0;
}

/* ---- Directives ------------------------------------------------------------------------------ */

static bool read_feature(reader *r, sa_error *error) {
    if (r->tokens < 3 || r->tokens - 2 > VALUES || r->feature_count == FEATURES)
        return FAIL(r, "%%feature NAME VALUE ...: at most %d features of %d values", FEATURES,
                    VALUES);
    for (int i = 1; i < r->tokens; i++)
        if (find_feature(r, r->token[i], false) || (i == 1 && find_feature(r, r->token[1], true)) ||
            (i > 1 && !strcmp(r->token[1], r->token[i])))
            return FAIL(r, "'%s' is already declared", r->token[i]);
    feature *f = &r->features[r->feature_count++];
    *f = (feature){.name = r->token[1], .count = r->tokens - 2};
    memcpy(f->values, r->token + 2, (size_t)f->count * sizeof *f->values);
    return true;
}

static bool read_join(reader *r, bool source, sa_error *error) {
    const bool two = r->tokens == 6;
    sa_join join = {.source = source};
    bool good = (two || r->tokens == 5) && !strcmp(r->token[3], "|||") &&
                strlen(r->token[4]) < SA_DRAFT_LETTERS &&
                strlen(r->token[r->tokens - 1]) < SA_DRAFT_LETTERS &&
                r->g->join_count < SA_GRAMMAR_JOINS;
    int patterns = 0;
    for (int i = 0; good && i < 2; i++) {
        char *word = r->token[i + 1], *star = strchr(word, '*'), *open = strchr(word, '[');
        join.word[i] = word;
        if (star || open)
            patterns++;
        else
            join.result[i] = r->token[4 + (two && i)];
        good = !(star && strchr(star + 1, '*')) && (!open || strchr(open, ']'));
    }
    if (!good || patterns > !two)
        return FAIL(r, "%%join WORD WORD ||| WORD: two words, or one and a pattern that stays, and "
                       "what replaces them");
    join.one = !two && !patterns;
    if (join.one) join.result[1] = NULL;
    r->g->joins[r->g->join_count++] = join;
    return true;
}

static bool read_directive(reader *r, sa_error *error) {
    const char *name = r->token[0];
    if (!strcmp(name, "%feature")) return read_feature(r, error);
    if (!strcmp(name, "%join")) return read_join(r, false, error);
    if (!strcmp(name, "%join-source")) return read_join(r, true, error);
    if (!strcmp(name, "%spaces")) return r->g->apart = true;
    if (strcmp(name, "%possible") != 0)
        return FAIL(r, "'%s' is not %%feature, %%possible, %%join, %%join-source or %%spaces",
                    name);
    for (int i = 1; i < r->tokens; i++)
        if (sa_strings_add(&r->possible, r->token[i], strlen(r->token[i]), error) < 0) return false;
    return true;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Fails if a category has the name of no rule's left side. */
static bool check_names(const reader *r, sa_error *error) {
    for (size_t i = 0; i < r->g->category_count; i++) {
        const char *name = sa_grammar_category(r->g, (int32_t)i);
        if (sa_strings_find(&r->names, name, strcspn(name, ":")) < 0)
            return sa_fail(error, SA_DATA, "%s:%u: [%s] has no rules", r->g->name,
                           r->g->category[i].line, name);
    }
    return true;
}

static bool read_lines(reader *r, sa_error *error) {
    char *line;
    size_t size;
    bool failed = false;
    while (sa_text_lines_next(&r->file, &line, &size, &failed, error)) {
        if (size > LINE) return FAIL(r, "line longer than %d bytes", LINE);
        r->tokens = 0;
        for (char *token; (token = strsep(&line, " \t"));)
            if (*token) r->token[r->tokens++] = token;
        if (!r->tokens || *r->token[0] == '#') continue;
        if (!(*r->token[0] == '%' ? read_directive(r, error) : read_rule(r, error))) return false;
    }
    if (failed) return false;
    if (!r->g->rule_count) return sa_fail(error, SA_DATA, "%s: no rules", r->g->name);
    const sa_strings *categories = &r->g->categories;
    const int32_t start = sa_strings_find(categories, "S", sizeof "S");
    const int32_t test = sa_strings_find(categories, "TEST", sizeof "TEST");
    r->g->start[0] = start < 0 ? r->g->rules[0].category : start;
    r->g->start[1] = test < 0 ? r->g->start[0] : test;
    return check_names(r, error);
}

sa_grammar *sa_grammar_read(const char *name, const char *text, sa_error *error) {
    sa_grammar *g = sa_new(1, sizeof *g, error);
    reader *r = sa_new(1, sizeof *r, error);
    bool good = g && r;
    if (good) {
        const sa_file given = {text ? sa_copy(text, strlen(text), error) : NULL,
                               text ? strlen(text) : 0, name};
        r->g = g;
        g->name = name;
        r->file.file = given;
        r->file.lines.file = &r->file.file;
        good = (text ? given.data != NULL : sa_text_lines_open(&r->file, name, error)) &&
               read_lines(r, error) && sa_grammar_solve(g, error);
        g->text = r->file.file.data; /* joins point into it */
        sa_strings_release(&r->names);
        sa_strings_release(&r->possible);
    }
    free(r);
    if (!good) sa_grammar_free(g);
    return good ? g : NULL;
}

void sa_grammar_free(sa_grammar *g) {
    if (!g) return;
    sa_strings_release(&g->words);
    sa_strings_release(&g->categories);
    free(g->rules);
    free(g->symbols);
    free(g->links);
    free(g->category);
    free(g->text);
    free(g);
}
