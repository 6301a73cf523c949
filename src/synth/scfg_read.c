/* Reads the text of a grammar: a directive, a comment or a rule on each line. */
#include "base/file.h"
#include "base/number.h"
#include "synth/scfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4000, FEATURES = 26, VALUES = 60, FIELDS = 6, SYMBOLS = 64, INSTANCES = 100000 };

typedef struct feature {
    const char *name, *values[VALUES];
    int count, chosen; /* the value in this instance */
    bool used;         /* in this rule */
} feature;

/* A word, or a category without its brackets. */
typedef struct item {
    const char *text;
    bool category;
    int index, partner; /* its number and the item with the same number on the other side, or -1 */
} item;

typedef struct reader {
    sa_grammar *g;
    sa_text_lines file;
    char *token[LINE / 2 + 1]; /* of a line */
    int tokens;
    feature features[FEATURES];
    int feature_count;
    sa_strings possible, names; /* words; categories that have rules, without features */
    item left, side[2][SYMBOLS];
    int count[2];
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
    const size_t size = strlen(token);
    *out = (item){.text = token + (*token == '\\' && token[1] == '['), .partner = -1};
    if (*token != '[')
        return size < SA_DRAFT_LETTERS ||
               FAIL(r, "a word has at most %d bytes", SA_DRAFT_LETTERS - 1);
    if (size < 3 || token[size - 1] != ']')
        return FAIL(r, "'%s' is no category; a word begins with \\[", token);
    token[size - 1] = 0;
    char *comma = strrchr(token, ',');
    const bool bare = strspn(token + 1, "0123456789") == size - 2;
    *out = (item){bare ? "" : token + 1, true, 0, -1};
    if (comma || bare) out->index = atoi(bare ? token + 1 : comma + 1);
    if ((comma || bare) && (out->index < 1 || out->index > SYMBOLS))
        return FAIL(r, "[%s]: numbers are 1 to %d", token + 1, SYMBOLS);
    if (comma) *comma = 0;
    return true;
}

/* Returns the number of a category whose features have the chosen values; -1: an error. */
static int32_t category_of(reader *r, const item *of, sa_error *error) {
    char part[LINE + 1];
    sa_buffer name = {0};
    for (const char *at = of->text, *next; at; at = next) {
        const size_t size = strcspn(at, ":");
        const bool first = at == of->text;
        snprintf(part, sizeof part, "%.*s", (int)size, at);
        next = at[size] ? at + size + 1 : NULL;
        feature *variable = first ? NULL : find_feature(r, part, false);
        if (!first && !variable && !find_feature(r, part, true)) {
            sa_buffer_release(&name);
            FAIL(r, "[%s]: '%s' is neither a %%feature nor a value of one", of->text, part);
            return -1;
        }
        if (variable) variable->used = true;
        sa_buffer_addf(&name, first ? "%s" : ":%s",
                       variable ? variable->values[variable->chosen] : part);
    }
    const int32_t number =
        name.failed ? -1 : sa_strings_add(&r->g->categories, name.text, name.size + 1, error);
    if (name.failed) sa_fail_memory(error, name.capacity);
    sa_buffer_release(&name);
    return number;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* Pairs the items with the same number; "[1]" gets the name of its partner. */
static bool pair_items(reader *r, sa_error *error) {
    for (int from = 0; from < 2; from++)
        for (int i = 0; i < r->count[from]; i++) {
            item *own = &r->side[from][i];
            int found = 0, same = 0;
            for (int k = 0; own->index && k < r->count[from]; k++)
                same += r->side[from][k].index == own->index;
            for (int k = 0; own->index && k < r->count[!from]; k++)
                if (r->side[!from][k].index == own->index) own->partner = k, found++;
            if (!own->index) continue;
            if (found != 1 || same != 1)
                return FAIL(r, "the number %d does not stand once on each side", own->index);
            const item *other = &r->side[!from][own->partner];
            if (!*own->text) own->text = other->text;
            if (*other->text && strcmp(own->text, other->text) != 0)
                return FAIL(r, "number %d is [%s] and [%s]", own->index, own->text, other->text);
        }
    return true;
}

static bool add_symbol(reader *r, const item *of, bool target, sa_error *error) {
    sa_grammar *g = r->g;
    sa_symbol symbol = {-1, -1, target ? of->partner : -1, of->category && !of->index};
    if (of->category)
        symbol.category = category_of(r, of, error);
    else
        symbol.word = sa_strings_add(&g->words, of->text, strlen(of->text) + 1, error);
    return (symbol.word >= 0 || symbol.category >= 0) &&
           sa_append(&g->symbols, &g->symbol_count, &g->symbol_capacity, &symbol, sizeof symbol,
                     error);
}

/* Chooses the next values of the features in this rule. False: there are no more. */
static bool next_values(reader *r) {
    for (feature *f = r->features; f < r->features + r->feature_count; f++) {
        if (f->used && ++f->chosen < f->count) return true;
        f->chosen = 0;
    }
    return false;
}

/* Adds the rule once for all values of its features. */
static bool add_instances(reader *r, sa_rule rule, sa_error *error) {
    sa_grammar *g = r->g;
    for (int i = 0; i < r->feature_count; i++)
        r->features[i].used = false, r->features[i].chosen = 0;
    do {
        if (g->rule_count == INSTANCES)
            return FAIL(r, "more than %d instances of rules", INSTANCES);
        rule.category = category_of(r, &r->left, error);
        rule.first = g->symbol_count;
        if (rule.category < 0) return false;
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < rule.count[side]; i++)
                if (!add_symbol(r, &r->side[side][i], side, error)) return false;
        if (!sa_append(&g->rules, &g->rule_count, &g->rule_capacity, &rule, sizeof rule, error))
            return false;
    } while (next_values(r));
    return true;
}

static bool add_link(reader *r, sa_link link, sa_error *error) {
    return sa_append(&r->g->links, &r->g->link_count, &r->g->link_capacity, &link, sizeof link,
                     error);
}

static bool is_possible(const reader *r, const item *of) {
    return !of->category && sa_strings_find(&r->possible, of->text, strlen(of->text)) >= 0;
}

/* Links all words, and categories on one side only, with those of the other side. */
static bool link_all(reader *r, sa_error *error) {
    for (int s = 0; s < r->count[0]; s++)
        for (int t = 0; t < r->count[1]; t++) {
            const item *source = &r->side[0][s], *target = &r->side[1][t];
            const bool possible = is_possible(r, source) || is_possible(r, target);
            if (!source->index && !target->index && !add_link(r, (sa_link){s, t, possible}, error))
                return false;
        }
    return true;
}

/* Reads what may follow the target: links, a weight, or the scores of other programs, which are
 * skipped: several numbers, 0, or numbers with names. */
static bool read_field(reader *r, char **token, int count, sa_rule *rule, sa_error *error) {
    for (int i = 0; i < count; i++) {
        char kind[2], rest;
        const char *equals = strrchr(token[i], '=');
        sa_link link;
        double number;
        if (sscanf(token[i], "%4d%1[-?p]%4d%c", &link.source, kind, &link.target, &rest) == 3 &&
            *token[i] != '-') {
            link.possible = *kind != '-';
            if (link.target < 0 || link.source >= r->count[0] || link.target >= r->count[1])
                return FAIL(r, "link %s is out of range: the sides have %d and %d symbols",
                            token[i], r->count[0], r->count[1]);
            if (!add_link(r, link, error)) return false;
        } else if (!sa_number_parse(equals ? equals + 1 : token[i], &number)) {
            return FAIL(r, "'%s' is neither a link, as 0-1 or 0?1, nor a weight", token[i]);
        } else if (count == 1 && !equals && number != 0) {
            if (!(number >= 0.001 && number <= 1e6)) return FAIL(r, "a weight is 0.001 to 1000000");
            rule->weight = (uint64_t)(number * 1000 + 0.5);
        }
    }
    return true;
}

static bool read_rule(reader *r, sa_error *error) {
    /* Field i: the tokens from first[i] to first[i + 1] - 2. */
    int first[FIELDS + 1] = {0}, fields = 1;
    for (int i = 0; i < r->tokens && fields < FIELDS; i++)
        if (!strcmp(r->token[i], "|||")) first[fields++] = i + 1;
    first[fields] = r->tokens + 1;
    if (fields < 3 || first[1] != 2 || !read_item(r, r->token[0], &r->left, NULL) ||
        !*r->left.text || !r->left.category || r->left.index)
        return FAIL(
            r, "a rule is [CATEGORY] ||| source ||| target, then perhaps ||| links ||| weight");
    for (int side = 0; side < 2; side++) {
        r->count[side] = first[side + 2] - first[side + 1] - 1;
        if (r->count[side] > SYMBOLS) return FAIL(r, "a side has more than %d symbols", SYMBOLS);
        for (int i = 0; i < r->count[side]; i++)
            if (!read_item(r, r->token[first[side + 1] + i], &r->side[side][i], error))
                return false;
    }
    sa_rule rule = {.line = (uint32_t)r->file.lines.number,
                    .count = {r->count[0], r->count[1]},
                    .weight = 1000,
                    .first_link = r->g->link_count};
    if (!pair_items(r, error)) return false;
    for (int i = 3; i < fields; i++)
        if (!read_field(r, r->token + first[i], first[i + 1] - first[i] - 1, &rule, error))
            return false;
    if (r->g->link_count == rule.first_link && !link_all(r, error)) return false;
    rule.links = (int)(r->g->link_count - rule.first_link);
    r->g->lines++;
    return sa_strings_add(&r->names, r->left.text, strcspn(r->left.text, ":"), error) >= 0 &&
           add_instances(r, rule, error);
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
    sa_join join = {.source = source};
    bool good = (r->tokens == 5 || r->tokens == 6) && !strcmp(r->token[3], "|||") &&
                r->g->join_count < SA_GRAMMAR_JOINS;
    for (int i = 0; good && i < 2; i++) {
        const char *star = strchr(r->token[i + 1], '*'), *open = strchr(r->token[i + 1], '[');
        join.word[i] = r->token[i + 1];
        join.kept[i] = star || open;
        join.result[i] = i + 4 < r->tokens ? r->token[i + 4] : NULL;
        good = !(star && strchr(star + 1, '*')) && (!open || strchr(open, ']')) &&
               strlen(join.result[i] ? join.result[i] : "") < SA_DRAFT_LETTERS;
    }
    if (!good || join.kept[0] + join.kept[1] > (join.result[1] ? 0 : 1))
        return FAIL(r, "%%join WORD WORD ||| WORD: two words, or one and a pattern that stays, and "
                       "what replaces them");
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

/* Fails if a category of a rule has the name of no rule's left side. */
static bool check_names(const reader *r, sa_error *error) {
    const sa_grammar *g = r->g;
    for (const sa_rule *rule = g->rules; rule < g->rules + g->rule_count; rule++)
        for (int i = 0; i < rule->count[0] + rule->count[1]; i++) {
            const int32_t category = g->symbols[rule->first + (size_t)i].category;
            const char *name = category < 0 ? NULL : sa_grammar_category(g, category);
            if (name && sa_strings_find(&r->names, name, strcspn(name, ":")) < 0)
                return sa_fail(error, SA_DATA, "%s:%u: [%s] has no rules", g->name, rule->line,
                               name);
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
    r->g->start = sa_strings_find(&r->g->categories, "S", sizeof "S");
    if (r->g->start < 0) r->g->start = r->g->rules[0].category;
    return check_names(r, error);
}

sa_grammar *sa_grammar_read(const char *name, const char *text, sa_error *error) {
    sa_grammar *g = sa_new(1, sizeof *g, error);
    reader *r = sa_new(1, sizeof *r, error);
    bool good = g && r;
    if (good) {
        r->g = g;
        g->name = name;
        if (text)
            r->file =
                (sa_text_lines){.file = {sa_copy(text, strlen(text), error), strlen(text), name}};
        r->file.lines.file = &r->file.file;
        good = (text ? r->file.file.data != NULL : sa_text_lines_open(&r->file, name, error)) &&
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
