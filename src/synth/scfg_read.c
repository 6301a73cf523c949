/* Reads the text of a grammar: a directive, a comment or a rule on each line. */
#include "base/file.h"
#include "base/number.h"
#include "synth/scfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4000, FEATURES = 100, VALUES = 60, SYMBOLS = 128, INSTANCES = 100000 };

typedef struct feature {
    const char *text[1 + VALUES]; /* its name, then its values */
    int count, chosen;            /* of the texts; the value in this instance, from 1 */
    size_t used;                  /* the line of the last rule with it */
} feature;

typedef struct reader {
    sa_grammar *g;
    sa_text_lines file;
    char *token[LINE / 2 + 1]; /* of a line */
    int tokens;
    feature features[FEATURES];
    int feature_count;
    sa_strings possible, names; /* words; categories that have rules, without features */
    sa_buffer name;             /* of a category with the chosen values */
    sa_rule rule;               /* the instance, until it is whole */
    sa_symbol symbol[SYMBOLS];
} reader;

/* Fails with file and line. */
#define FAIL(format, ...)                                                                          \
    sa_fail(error, SA_DATA, "%s:%zu: " format, r->g->name, r->file.number, __VA_ARGS__)

/* ---- Words and categories -------------------------------------------------------------------- */

/* Returns the first feature that has this name or value, and which of its texts it is. */
static feature *find_feature(reader *r, const char *text, size_t size, int *which) {
    for (feature *f = r->features; f < r->features + r->feature_count; f++)
        for (*which = 0; *which < f->count; ++*which)
            if (!strncmp(f->text[*which], text, size) && !f->text[*which][size]) return f;
    return NULL;
}

/* Finds the category at a token's text, up to its comma or bracket, whose features have the chosen
 * values. */
static bool find_category(reader *r, const char *text, int32_t *found, sa_error *error) {
    sa_grammar *g = r->g;
    const sa_category new = {.line = r->file.number};
    size_t size = strcspn(text, ":,]");
    r->name.size = 0;
    sa_buffer_add(&r->name, text, size);
    for (const char *at = text + size; *at == ':'; at += size) {
        int which;
        size = strcspn(++at, ":,]");
        feature *f = find_feature(r, at, size, &which);
        if (!f) return FAIL("'%.*s' is neither a %%feature nor a value of one", (int)size, at);
        if (!which) f->used = r->file.number;
        sa_buffer_addf(&r->name, ":%s", f->text[which ? which : f->chosen]);
    }
    if (r->name.failed) return sa_fail_memory(error, r->name.capacity);
    *found = sa_strings_add(&g->categories, r->name.text, r->name.size + 1, error);
    return *found >= 0 && ((size_t)*found < g->category_count ||
                           sa_append(&g->category, &g->category_count, &g->category_capacity, &new,
                                     sizeof new, error));
}

/* Reads a word, "\[", "[N:g:n]", "[N:g:n,1]" or "[1]" of the source (side 0) or target. */
static bool read_symbol(reader *r, const char *token, int side, sa_symbol *out, sa_error *error) {
    const char *name = token + 1, *end = name + strcspn(name, ",]");
    const char *number = *end == ','                                ? end + 1
                         : name + strspn(name, "0123456789") == end ? name
                                                                    : NULL;
    *out = (sa_symbol){-1, -1, 0, -1, sa_strings_find(&r->possible, token, strlen(token)) >= 0};
    if (*token != '[') {
        token += *token == '\\' && *name == '[';
        out->word = sa_strings_add(&r->g->words[side], token, strlen(token) + 1, error);
        return out->word >= 0 && (strlen(token) < SA_DRAFT_LETTERS ||
                                  FAIL("a word has at most %d bytes", SA_DRAFT_LETTERS - 1));
    }

    if (number) out->number = atoi(number), end = number + strspn(number, "0123456789");
    if (strcmp(end, "]") != 0 || (number && out->number < 1))
        return FAIL("'%s' is no category, as [N] or [N,1]; a word begins with \\[", token);
    return number == name || find_category(r, name, &out->category, error);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* Adds a symbol to a side, and pairs it with one of the source that has its number. "[1]" has the
 * category of its partner. */
static bool add_symbol(reader *r, const char *token, int side, sa_error *error) {
    const int place = r->rule.count++;
    sa_symbol *own = &r->symbol[place], *other = r->symbol;
    if (place == SYMBOLS) return FAIL("a rule has more than %d symbols", SYMBOLS);
    if (!read_symbol(r, token, side, own, error)) return false;
    if (!side) r->rule.half++;
    if (!side || !own->number) return true;
    const sa_symbol *end = r->symbol + r->rule.half;
    while (other < end && (other->number != own->number || other->partner >= 0)) other++;
    if (other == end) return true;
    own->partner = (int)(other - r->symbol);
    other->partner = place;
    if (own->category < 0) own->category = other->category;
    if (other->category < 0) other->category = own->category;
    return own->category == other->category || FAIL("number %d is [%s] and [%s]", own->number,
                                                    sa_grammar_category(r->g, other->category),
                                                    sa_grammar_category(r->g, own->category));
}

static bool is_bar(const reader *r, int i) {
    return i == r->tokens || !strcmp(r->token[i], "|||");
}

/* Reads what may follow the target: a link, a weight, or the scores of other programs, which are
 * skipped: several numbers, 0, or numbers with names. */
static bool read_extra(reader *r, int i, sa_error *error) {
    char kind[2], rest;
    const char *token = r->token[i], *equals = strrchr(token, '=');
    const int half = r->rule.half, other = r->rule.count - half;
    sa_grammar *g = r->g;
    sa_link link;
    double number;
    if (*token != '-' &&
        sscanf(token, "%4d%1[-?p]%4d%c", &link.source, kind, &link.target, &rest) == 3) {
        link.possible = *kind != '-';
        r->rule.links++;
        if (link.target < 0 || link.source >= half || link.target >= other)
            return FAIL("link %s is out of range: the sides have %d and %d symbols", token, half,
                        other);
        return sa_append(&g->links, &g->link_count, &g->link_capacity, &link, sizeof link, error);
    }
    if (!sa_number_parse(equals ? equals + 1 : token, &number))
        return FAIL("'%s' is neither a link, as 0-1 or 0?1, nor a weight", token);
    if (equals || number == 0 || !is_bar(r, i - 1) || !is_bar(r, i + 1)) return true;
    if (!(number >= 0.001 && number <= 1e6)) return FAIL("a weight is 0.001 to %d", 1000000);
    r->rule.weight = (uint64_t)(number * 1000 + 0.5);
    return true;
}

/* Adds the rule with the chosen values. */
static bool read_instance(reader *r, sa_error *error) {
    sa_grammar *g = r->g;
    sa_symbol left = {.category = -1};
    int field = 0;
    r->rule = (sa_rule){.weight = 1000, .first_link = g->link_count};
    for (int i = 0; i < r->tokens; i++) {
        if (is_bar(r, i))
            field++;
        else if (!(field == 0  ? read_symbol(r, r->token[i], 0, &left, error)
                   : field < 3 ? add_symbol(r, r->token[i], field - 1, error)
                               : read_extra(r, i, error)))
            return false;
    }
    if (field < 2 || left.category < 0 || left.number || !is_bar(r, 1))
        return FAIL("a rule is [CATEGORY] ||| source ||| target%s",
                    ", then perhaps ||| links ||| weight");
    for (const sa_symbol *of = r->symbol; of < r->symbol + r->rule.count; of++)
        if (of->number && (of->partner < 0 || of->category < 0))
            return FAIL("the number %d does not stand once on each side", of->number);
    if (g->rules++ == INSTANCES) return FAIL("more than %d instances of rules", INSTANCES);
    const size_t size = (size_t)r->rule.count * sizeof *r->symbol;
    sa_rule *rule = sa_new(1, sizeof *rule + size, error);
    if (!rule) return false;
    *rule = r->rule;
    rule->symbol = memcpy(rule + 1, r->symbol, size);
    sa_category *c = &g->category[left.category];
    if (!c->first) c->line = r->file.number;
    *(c->first ? &c->last->next : &c->first) = rule;
    c->last = rule;
    return true;
}

/* Chooses the next values of the features in this rule. False: there are no more. */
static bool next_values(reader *r) {
    for (feature *f = r->features; f < r->features + r->feature_count; f++) {
        if (f->used == r->file.number && ++f->chosen < f->count) return true;
        f->chosen = 1;
    }
    return false;
}

static bool read_rule(reader *r, sa_error *error) {
    const char *left = r->token[0] + 1;
    r->g->lines++;
    do
        if (!read_instance(r, error)) return false;
    while (next_values(r));
    return sa_strings_add(&r->names, left, strcspn(left, ":]"), error) >= 0;
}

/* ---- Directives ------------------------------------------------------------------------------ */

static bool read_feature(reader *r, sa_error *error) {
    feature *f = &r->features[r->feature_count];
    if (r->tokens < 3 || r->tokens - 2 > VALUES || r->feature_count == FEATURES)
        return FAIL("%%feature NAME VALUE ...: at most %d features of %d values", FEATURES, VALUES);
    for (int i = 1; i < r->tokens; i++) {
        int which;
        if (find_feature(r, r->token[i], strlen(r->token[i]), &which) && (i == 1 || !which))
            return FAIL("'%s' is already declared", r->token[i]);
        if (i == 1) r->feature_count++, f->chosen = 1;
        f->text[f->count++] = r->token[i];
    }
    return true;
}

/* Reads %join or %join-source. */
static bool read_join(reader *r, bool source, sa_error *error) {
    const int results = r->tokens - 4;
    sa_join join = {.source = source};
    int patterns = 0;
    bool good =
        (results == 1 || results == 2) && is_bar(r, 3) && r->g->join_count < SA_GRAMMAR_JOINS;
    for (int i = 0; good && i < 2; i++) {
        const char *word = r->token[1 + i], *open = strchr(word, '[');
        const char *result = r->token[results == 2 ? 4 + i : 4];
        join.word[i] = word;
        if (open || strchr(word, '*'))
            patterns++;
        else
            join.result[i] = result;
        good = (!open || strchr(open, ']')) && strlen(result) < SA_DRAFT_LETTERS;
    }
    if (!good || patterns + results > 2)
        return FAIL("%s WORD WORD ||| WORD: two words, or one and a pattern that stays, and what "
                    "replaces them",
                    r->token[0]);
    if (results == 1 && !patterns) join.result[1] = "";
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
        return FAIL("'%s' is not %%feature, %%possible, %%join, %%join-source or %%spaces", name);
    for (int i = 1; i < r->tokens; i++)
        if (sa_strings_add(&r->possible, r->token[i], strlen(r->token[i]), error) < 0) return false;
    return true;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Finds the starts. Fails if a category has the name of no rule's left side. */
static bool check_names(const reader *r, sa_error *error) {
    sa_grammar *g = r->g;
    const int32_t start = sa_strings_find(&g->categories, "S", sizeof "S");
    const int32_t test = sa_strings_find(&g->categories, "TEST", sizeof "TEST");
    if (!g->rules) return sa_fail(error, SA_DATA, "%s: no rules", g->name);
    g->start[0] = start < 0 ? 0 : start; /* without S, of the first rule */
    g->start[1] = test < 0 ? g->start[0] : test;
    for (const sa_category *c = g->category; c < g->category + g->category_count; c++) {
        const char *name = sa_grammar_category(g, (int32_t)(c - g->category));
        if (sa_strings_find(&r->names, name, strcspn(name, ":")) < 0)
            return sa_fail(error, SA_DATA, "%s:%zu: [%s] has no rules", g->name, c->line, name);
    }
    return true;
}

static bool read_lines(reader *r, sa_error *error) {
    while (sa_text_lines_next(&r->file, error)) {
        if (r->file.size > LINE) return FAIL("line longer than %d bytes", LINE);
        r->tokens = 0;
        for (char *token; (token = strsep(&r->file.line, " \t"));)
            if (*token) r->token[r->tokens++] = token;
        if (!r->tokens || *r->token[0] == '#') continue;
        if (!(*r->token[0] == '%' ? read_directive(r, error) : read_rule(r, error))) return false;
    }
    return !r->file.failed && check_names(r, error);
}

sa_grammar *sa_grammar_read(const char *name, const char *text, sa_error *error) {
    const size_t size = text ? strlen(text) : 0;
    sa_grammar *g = sa_new(1, sizeof *g, error);
    if (!g) return NULL;
    reader r = {.g = g, .file.file = {text ? sa_copy(text, size, error) : NULL, size, name}};
    g->name = name;
    const bool good = (text ? r.file.file.data && sa_text_lines_begin(&r.file, error)
                            : sa_text_lines_open(&r.file, name, error)) &&
                      read_lines(&r, error) && sa_grammar_solve(g, error);
    g->text = r.file.file.data; /* joins point into it */
    sa_strings_release(&r.names);
    sa_strings_release(&r.possible);
    sa_buffer_release(&r.name);
    if (!good) sa_grammar_free(g);
    return good ? g : NULL;
}

void sa_grammar_free(sa_grammar *g) {
    if (!g) return;
    for (size_t c = 0; c < g->category_count; c++)
        for (sa_rule *rule; (rule = g->category[c].first); free(rule))
            g->category[c].first = rule->next;
    sa_strings_release(&g->words[0]);
    sa_strings_release(&g->words[1]);
    sa_strings_release(&g->categories);
    free(g->links);
    free(g->category);
    free(g->text);
    free(g);
}
