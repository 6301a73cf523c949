/* Reads the text of a grammar: a directive, a comment or a rule on each line. */
#include "base/file.h"
#include "base/number.h"
#include "base/utf8.h"
#include "data/corpus.h"
#include "synth/scfg.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE = 4000,    /* bytes */
    TOKENS = 2000,  /* of a line */
    FEATURES = 26,  /* of a file */
    VALUES = 60,    /* of a feature */
    POSSIBLE = 100, /* words */
    FIELDS = 6,     /* of a rule */
    SYMBOLS = 64,   /* of a rule's side */
    PARTS = 12,     /* of a category: its name and features */
    LABEL = 200,    /* bytes of a category */
    INSTANCES = 100000,
};

typedef struct feature {
    const char *name, *values[VALUES];
    int count, chosen; /* the value of this instance */
    bool used;         /* in this rule */
} feature;

/* A category, "N:g:sg", cut into its parts, or a word. */
typedef struct item {
    const char *word;
    const char *part[PARTS];
    int parts, index; /* index: of "[N,1]"; 0: none */
} item;

/* A rule of the file. */
typedef struct line_rule {
    item left, side[2][SYMBOLS];
    int count[2], partner[SYMBOLS]; /* of target symbols */
} line_rule;

typedef struct reader {
    sa_grammar *g;
    sa_text_lines file;
    char *token[TOKENS];
    int tokens;
    feature features[FEATURES];
    int feature_count;
    const char *possible[POSSIBLE];
    int possible_count;
    sa_strings bases; /* names of categories that have rules */
    line_rule rule;
} reader;

#define FAIL(r, ...) fail_line(r, error, sa_format(NULL, __VA_ARGS__))

/* Fails with file and line; frees the text. */
static bool fail_line(const reader *r, sa_error *error, char *text) {
    sa_fail(error, SA_DATA, "%s:%zu: %s", r->g->name, r->file.lines.number, text ? text : "");
    free(text);
    return false;
}

/* ---- Categories and words -------------------------------------------------------------------- */

static feature *find_feature(reader *r, const char *name) {
    for (int i = 0; i < r->feature_count; i++)
        if (!strcmp(r->features[i].name, name)) return &r->features[i];
    return NULL;
}

static bool is_value(const reader *r, const char *name) {
    for (int i = 0; i < r->feature_count; i++)
        for (int k = 0; k < r->features[i].count; k++)
            if (!strcmp(r->features[i].values[k], name)) return true;
    return false;
}

/* Cuts a token into an item, in place: "[N:g:n,1]", "[1]" of a target, "\[" or a word. */
static bool read_item(reader *r, char *token, item *out, sa_error *error) {
    char *end = token + strlen(token) - 1;
    *out = (item){.word = token};
    if (strlen(token) >= SA_DRAFT_LETTERS && *token != '[')
        return FAIL(r, "'%s' has more than %d bytes", token, SA_DRAFT_LETTERS - 1);
    if (*token == '\\' && token[1] == '[') out->word++;
    if (*token != '[') return true;
    if (*end != ']' || end == token + 1)
        return FAIL(r, "'%s' is no category: a word begins with \\[", token);
    *end = 0;
    out->word = NULL;
    char *comma = strrchr(token, ','), *name = token + 1;
    const char *digits = comma                                        ? comma + 1
                         : strspn(name, "0123456789") == strlen(name) ? name
                                                                      : NULL;
    int64_t index = 0;
    if (digits && (!sa_integer_parse(digits, &index) || index < 1 || index > SYMBOLS))
        return FAIL(r, "[%s]: the number of a category is 1 to %d", name, SYMBOLS);
    out->index = (int)index;
    if (digits == name) return true; /* named by its partner */
    if (comma) *comma = 0;
    if (strlen(name) >= LABEL)
        return FAIL(r, "[%.20s...] is longer than %d bytes", name, LABEL - 1);
    for (char *part; (part = strsep(&name, ":"));) {
        if (!*part || strpbrk(part, "[]") || out->parts == PARTS)
            return FAIL(r, "a category is a name and at most %d features, as [N:g:n]", PARTS - 1);
        if (out->parts && !find_feature(r, part) && !is_value(r, part))
            return FAIL(r, "[%s]: '%s' is neither a %%feature nor a value of one", out->part[0],
                        part);
        out->part[out->parts++] = part;
    }
    return true;
}

/* Writes the category of an item with the chosen values of its features, and returns its number. */
static int32_t category_of(reader *r, const item *of, sa_error *error) {
    sa_buffer text = {0};
    for (int i = 0; i < of->parts; i++) {
        const feature *variable = i ? find_feature(r, of->part[i]) : NULL;
        sa_buffer_addf(&text, i ? ":%s" : "%s",
                       variable ? variable->values[variable->chosen] : of->part[i]);
    }
    const int32_t number =
        text.failed ? -1 : sa_strings_add(&r->g->categories, text.text, text.size + 1, error);
    if (text.failed) sa_fail_memory(error, text.capacity);
    sa_buffer_release(&text);
    return number;
}

static bool same_label(const item *a, const item *b) {
    if (a->parts != b->parts) return false;
    for (int i = 0; i < a->parts; i++)
        if (strcmp(a->part[i], b->part[i]) != 0) return false;
    return true;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* Finds the partner of each target category, and gives "[1]" its name. */
static bool pair_categories(reader *r, sa_error *error) {
    line_rule *rule = &r->rule;
    int paired = 0, numbered = 0;
    for (int s = 0; s < rule->count[0]; s++) {
        const int index = rule->side[0][s].index;
        if (index && !rule->side[0][s].parts)
            return FAIL(r, "[%d] on the source side has no name", index);
        for (int k = 0; k < s; k++)
            if (index && rule->side[0][k].index == index)
                return FAIL(r, "number %d occurs twice on a side", index);
        numbered += index > 0;
    }
    for (int t = 0; t < rule->count[1]; t++) {
        item *target = &rule->side[1][t];
        rule->partner[t] = -1;
        for (int k = 0; k < t; k++)
            if (target->index && rule->side[1][k].index == target->index)
                return FAIL(r, "number %d occurs twice on a side", target->index);
        for (int s = 0; target->index && s < rule->count[0]; s++) {
            const item *source = &rule->side[0][s];
            if (source->index != target->index) continue;
            if (!target->parts) *target = *source;
            if (!same_label(source, target))
                return FAIL(r,
                            "number %d is [%s] in the source and [%s] in the target, or differs in "
                            "its features",
                            target->index, source->part[0], target->part[0]);
            rule->partner[t] = s;
            paired++;
        }
        if (target->index && rule->partner[t] < 0)
            return FAIL(r, "number %d of the target is missing in the source", target->index);
    }
    return paired == numbered ||
           FAIL(r, "the source has %d numbered categories and the target %d", numbered, paired);
}

/* Appends the symbols of one instance. */
static bool add_symbols(reader *r, sa_rule *out, sa_error *error) {
    sa_grammar *g = r->g;
    const line_rule *rule = &r->rule;
    out->first = g->symbol_count;
    for (int side = 0; side < 2; side++) {
        out->count[side] = rule->count[side];
        for (int i = 0; i < rule->count[side]; i++) {
            const item *each = &rule->side[side][i];
            sa_symbol symbol = {-1, -1, side ? rule->partner[i] : -1, !each->word && !each->index};
            if (each->word)
                symbol.word = sa_strings_add(&g->words, each->word, strlen(each->word) + 1, error);
            else
                symbol.category = category_of(r, each, error);
            if ((symbol.word < 0 && symbol.category < 0) ||
                !sa_append(&g->symbols, &g->symbol_count, &g->symbol_capacity, &symbol,
                           sizeof symbol, error))
                return false;
        }
    }
    return true;
}

/* Chooses the next values of the features in this rule. False: there are no more. */
static bool next_values(reader *r) {
    for (feature *each = r->features; each < r->features + r->feature_count; each++) {
        if (!each->used) continue;
        if (++each->chosen < each->count) return true;
        each->chosen = 0;
    }
    return false;
}

static void mark_features(reader *r, const item *of) {
    for (int i = 1; i < of->parts; i++)
        if (find_feature(r, of->part[i])) find_feature(r, of->part[i])->used = true;
}

/* Adds the rule once for all values of its features. */
static bool add_instances(reader *r, sa_rule rule, sa_error *error) {
    sa_grammar *g = r->g;
    for (int i = 0; i < r->feature_count; i++)
        r->features[i].used = false, r->features[i].chosen = 0;
    mark_features(r, &r->rule.left);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < r->rule.count[side]; i++) mark_features(r, &r->rule.side[side][i]);
    do {
        if (g->rule_count == INSTANCES)
            return FAIL(r, "more than %d instances of rules", INSTANCES);
        rule.category = category_of(r, &r->rule.left, error);
        if (rule.category < 0 || !add_symbols(r, &rule, error) ||
            !sa_append(&g->rules, &g->rule_count, &g->rule_capacity, &rule, sizeof rule, error))
            return false;
    } while (next_values(r));
    return true;
}

/* ---- Links and weights ----------------------------------------------------------------------- */

static bool is_possible(const reader *r, const item *of) {
    for (int i = 0; of->word && i < r->possible_count; i++)
        if (!strcmp(of->word, r->possible[i])) return true;
    return false;
}

static bool add_link(reader *r, sa_link link, sa_error *error) {
    return sa_append(&r->g->links, &r->g->link_count, &r->g->link_capacity, &link, sizeof link,
                     error);
}

/* Links all words of one side, and categories on it alone, with those of the other. */
static bool link_all(reader *r, sa_error *error) {
    for (int s = 0; s < r->rule.count[0]; s++)
        for (int t = 0; t < r->rule.count[1]; t++) {
            const item *source = &r->rule.side[0][s], *target = &r->rule.side[1][t];
            if (source->index || target->index) continue;
            if (!add_link(r, (sa_link){s, t, is_possible(r, source) || is_possible(r, target)},
                          error))
                return false;
        }
    return true;
}

/* Reads "0-1", "0?1" or "0p1". False, without an error: it is something else. */
static bool parse_link(const char *token, sa_link *link) {
    char *end;
    const long source = strtol(token, &end, 10);
    if (end == token || !strchr("-?p", *end) || !*end || *token < '0' || *token > '9') return false;
    link->possible = *end != '-';
    const char *second = end + 1;
    const long target = strtol(second, &end, 10);
    if (*second < '0' || *second > '9' || *end) return false;
    link->source = source > SYMBOLS ? SYMBOLS : (int)source;
    link->target = target > SYMBOLS ? SYMBOLS : (int)target;
    return true;
}

/* Reads a field after the target: links, a weight, or scores of other programs, which are skipped:
 * several numbers, or numbers with names. */
static bool read_field(reader *r, char **token, int count, sa_rule *rule, sa_error *error) {
    for (int i = 0; i < count; i++) {
        sa_link link;
        double number;
        char *equals = strrchr(token[i], '=');
        if (parse_link(token[i], &link)) {
            if (link.source >= r->rule.count[0] || link.target >= r->rule.count[1])
                return FAIL(r,
                            "link %s is out of range: the source has %d symbols and the target %d",
                            token[i], r->rule.count[0], r->rule.count[1]);
            if (!add_link(r, link, error)) return false;
        } else if (!sa_number_parse(equals ? equals + 1 : token[i], &number)) {
            return FAIL(r, "'%s' is neither a link, as 0-1 or 0?1, nor a weight", token[i]);
        } else if (count == 1 && !equals && number != 0) {
            if (!(number >= 0.001 && number <= 1e6))
                return FAIL(r, "a weight is 0.001 to 1000000, not %s", token[i]);
            rule->weight = (uint64_t)(number * 1000 + 0.5);
        }
    }
    return true;
}

static bool read_side(reader *r, char **token, int count, int side, sa_error *error) {
    if (count > SYMBOLS) return FAIL(r, "a side has more than %d symbols", SYMBOLS);
    r->rule.count[side] = count;
    for (int i = 0; i < count; i++)
        if (!read_item(r, token[i], &r->rule.side[side][i], error)) return false;
    return true;
}

/* Finds the fields that ||| separates: field i is the tokens from first[i] to first[i + 1] - 2. */
static int find_fields(const reader *r, int first[FIELDS + 1]) {
    int fields = 1;
    first[0] = 0;
    for (int i = 0; i < r->tokens && fields < FIELDS; i++)
        if (!strcmp(r->token[i], "|||")) first[fields++] = i + 1;
    first[fields] = r->tokens + 1;
    return fields;
}

static bool read_rule(reader *r, sa_error *error) {
    int first[FIELDS + 1];
    const int fields = find_fields(r, first);
    sa_rule rule = {
        .line = (uint32_t)r->file.lines.number, .weight = 1000, .first_link = r->g->link_count};
    if (fields < 3 || first[1] != 2)
        return FAIL(
            r, "a rule is [CATEGORY] ||| source ||| target, then perhaps ||| links ||| weight");
    if (!read_item(r, r->token[0], &r->rule.left, error)) return false;
    if (r->rule.left.word || r->rule.left.index)
        return FAIL(r, "a rule begins with a category, as [NP]");
    for (int side = 0; side < 2; side++)
        if (!read_side(r, r->token + first[side + 1], first[side + 2] - first[side + 1] - 1, side,
                       error))
            return false;
    if (!pair_categories(r, error)) return false;
    for (int i = 3; i < fields; i++)
        if (!read_field(r, r->token + first[i], first[i + 1] - first[i] - 1, &rule, error))
            return false;
    if (r->g->link_count == rule.first_link && !link_all(r, error)) return false;
    rule.links = (int)(r->g->link_count - rule.first_link);
    r->g->lines++;
    return sa_strings_add(&r->bases, r->rule.left.part[0], strlen(r->rule.left.part[0]), error) >=
               0 &&
           add_instances(r, rule, error);
}

/* ---- Directives ------------------------------------------------------------------------------ */

static bool read_feature(reader *r, sa_error *error) {
    if (r->tokens < 3 || r->tokens - 2 > VALUES || r->feature_count == FEATURES)
        return FAIL(r, "%%feature NAME VALUE ...: at most %d features of %d values", FEATURES,
                    VALUES);
    feature *new = &r->features[r->feature_count];
    *new = (feature){.name = r->token[1], .count = r->tokens - 2};
    if (find_feature(r, new->name) || is_value(r, new->name))
        return FAIL(r, "'%s' is already declared", new->name);
    for (int i = 0; i < new->count; i++) {
        new->values[i] = r->token[i + 2];
        if (find_feature(r, new->values[i]) || !strcmp(new->name, new->values[i]))
            return FAIL(r, "'%s' is the name of a feature", new->values[i]);
    }
    for (int i = 1; i < r->tokens; i++)
        if (strpbrk(r->token[i], ":,[]"))
            return FAIL(r, "'%s': names have no : , [ ]", r->token[i]);
    r->feature_count++;
    return true;
}

static bool is_pattern(const char *word) {
    return strpbrk(word, "*[");
}

static bool read_join(reader *r, bool source, sa_error *error) {
    const char *star[2] = {NULL, NULL};
    for (int i = 1; i < r->tokens && i < 3; i++) {
        star[i - 1] = strchr(r->token[i], '*');
        const char *open = strchr(r->token[i], '[');
        if ((star[i - 1] && strchr(star[i - 1] + 1, '*')) || (open && !strchr(open, ']')))
            return FAIL(r, "'%s': a pattern has one * and closes its [", r->token[i]);
    }
    if (r->tokens < 5 || r->tokens > 6 || strcmp(r->token[3], "|||") ||
        r->g->join_count == SA_GRAMMAR_JOINS)
        return FAIL(
            r,
            "%%join WORD WORD ||| WORD: two words or patterns and what replaces them; at most %d",
            SA_GRAMMAR_JOINS);
    const bool first = !is_pattern(r->token[1]), second = !is_pattern(r->token[2]);
    if (first + second == 0 || (r->tokens == 6 && !(first && second)))
        return FAIL(r, "a pattern of %%join stays as it is: only words are replaced");
    for (int i = 4; i < r->tokens; i++)
        if (strlen(r->token[i]) >= SA_DRAFT_LETTERS)
            return FAIL(r, "'%s' is too long", r->token[i]);
    r->g->joins[r->g->join_count++] = (sa_join){
        source, {r->token[1], r->token[2]}, {r->token[4], r->tokens == 6 ? r->token[5] : NULL}};
    return true;
}

static bool read_directive(reader *r, sa_error *error) {
    const char *name = r->token[0];
    if (!strcmp(name, "%feature")) return read_feature(r, error);
    if (!strcmp(name, "%join")) return read_join(r, false, error);
    if (!strcmp(name, "%join-source")) return read_join(r, true, error);
    if (!strcmp(name, "%spaces")) return r->g->apart = true;
    if (strcmp(name, "%possible") != 0)
        return FAIL(r,
                    "unknown directive %s: there are %%feature, %%possible, %%join, %%join-source "
                    "and %%spaces",
                    name);
    for (int i = 1; i < r->tokens; i++) {
        if (r->possible_count == POSSIBLE)
            return FAIL(r, "more than %d words are %%possible", POSSIBLE);
        r->possible[r->possible_count++] = r->token[i];
    }
    return true;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Fails if a category of a rule has the name of no rule's left side. */
static bool check_names(reader *r, sa_error *error) {
    for (size_t i = 0; i < r->g->rule_count; i++) {
        const sa_rule *rule = &r->g->rules[i];
        for (size_t k = rule->first; k < rule->first + (size_t)(rule->count[0] + rule->count[1]);
             k++) {
            if (r->g->symbols[k].category < 0) continue;
            const char *name = sa_grammar_category(r->g, r->g->symbols[k].category);
            if (sa_strings_find(&r->bases, name, strcspn(name, ":")) < 0)
                return sa_fail(error, SA_DATA, "%s:%u: [%s] has no rules", r->g->name, rule->line,
                               name);
        }
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
            if (*token && r->tokens < TOKENS) r->token[r->tokens++] = token;
        if (!r->tokens || *r->token[0] == '#') continue;
        if (!(*r->token[0] == '%' ? read_directive(r, error) : read_rule(r, error))) return false;
    }
    if (failed) return false;
    if (!r->g->rule_count) return sa_fail(error, SA_DATA, "%s: no rules", r->g->name);
    r->g->start = sa_strings_find(&r->g->categories, "S", sizeof "S");
    if (r->g->start < 0) r->g->start = r->g->rules[0].category;
    return check_names(r, error);
}

static bool open_text(sa_text_lines *file, const char *name, const char *text, sa_error *error) {
    if (!text) return sa_text_lines_open(file, name, error);
    *file = (sa_text_lines){.file = {sa_copy(text, strlen(text), error), strlen(text), name}};
    file->lines.file = &file->file;
    return file->file.data;
}

sa_grammar *sa_grammar_read(const char *name, const char *text, sa_error *error) {
    sa_grammar *g = sa_new(1, sizeof *g, error);
    reader *r = sa_new(1, sizeof *r, error);
    bool good = g && r;
    if (good) {
        *r = (reader){.g = g};
        g->name = name;
        good = open_text(&r->file, name, text, error) && read_lines(r, error) &&
               sa_grammar_settle(g, error);
        g->text = r->file.file.data; /* joins point into it */
        sa_strings_release(&r->bases);
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
