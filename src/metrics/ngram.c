#include "metrics/ngram.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* ---- Characters ------------------------------------------------------------------------------ */

/* Returns the size in bytes of the white space character at text, or 0. */
static size_t space_size(const char *text) {
    const unsigned char *u = (const unsigned char *)text;
    if ((*u >= 9 && *u <= 13) || (*u >= 0x1c && *u <= 0x20)) return 1;
    if (u[0] == 0xc2 && (u[1] == 0x85 || u[1] == 0xa0)) return 2;
    if (u[0] == 0xe1 && u[1] == 0x9a && u[2] == 0x80) return 3;
    if (u[0] == 0xe2 && u[1] == 0x80 &&
        ((u[2] >= 0x80 && u[2] <= 0x8a) || u[2] == 0xa8 || u[2] == 0xa9 || u[2] == 0xaf))
        return 3;
    if ((u[0] == 0xe2 && u[1] == 0x81 && u[2] == 0x9f) ||
        (u[0] == 0xe3 && u[1] == 0x80 && u[2] == 0x80))
        return 3;
    return 0;
}

const char *sa_metric_next_word(const char **text, size_t *size) {
    const char *start = *text;
    for (size_t space; (space = space_size(start));) start += space;
    const char *end = start;
    while (*end && !space_size(end)) end++;
    *text = end;
    *size = (size_t)(end - start);
    return *size ? start : NULL;
}

/* ---- none and char --------------------------------------------------------------------------- */

/* Appends the words, or the characters of all words. */
static void add_tokens(const char *text, bool characters, sa_buffer *out) {
    size_t size;
    const char *before = "";
    for (const char *word; (word = sa_metric_next_word(&text, &size));)
        for (const char *end = word + size; word < end; before = " ") {
            const size_t length = characters ? sa_utf8_character_size(word, SIZE_MAX) : size;
            sa_buffer_adds(out, before);
            sa_buffer_add(out, word, length);
            word += length;
        }
}

static void tokenize_whitespace(const char *text, sa_buffer *out) {
    add_tokens(text, false, out);
}

static void tokenize_characters(const char *text, sa_buffer *out) {
    add_tokens(text, true, out);
}

/* ---- 13a and zh ------------------------------------------------------------------------------ */

/* Replaces every `from` in the text, in place; `to` is not longer. */
static void replace(char *text, const char *from, const char *to) {
    const size_t length = strlen(from), shorter = strlen(to);
    char *out = text, *next;
    for (; (next = strstr(text, from)); text = next + length) {
        memmove(out, text, (size_t)(next - text));
        out += next - text;
        memcpy(out, to, shorter);
        out += shorter;
    }
    memmove(out, text, strlen(text) + 1);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Returns whether the character is ASCII punctuation or a symbol that is always a token: all except
 * ' , - . */
static bool stands_alone(char c) {
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
           (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

/* Applies one of the four rules of mteval-v13a, each in a pass of its own because they overlap:
 * symbols; . and , not after a digit; . and , not before a digit; - after a digit. */
static void apply_rule(const char *text, int rule, sa_buffer *out) {
    for (size_t i = 0; text[i];) {
        const char c = text[i], next = text[i + 1];
        const bool point = next == '.' || next == ',';
        if (rule == 0 && stands_alone(c)) {
            sa_buffer_add(out, (char[]){' ', c, ' '}, 3), i++;
        } else if (rule == 1 && !is_digit(c) && point) {
            sa_buffer_add(out, (char[]){c, ' ', next, ' '}, 4), i += 2;
        } else if (rule == 2 && (c == '.' || c == ',') && next && !is_digit(next)) {
            sa_buffer_add(out, (char[]){' ', c, ' ', next}, 4), i += 2;
        } else if (rule == 3 && is_digit(c) && next == '-') {
            sa_buffer_add(out, (char[]){c, ' ', '-', ' '}, 4), i += 2;
        } else {
            sa_buffer_add(out, &c, 1), i++;
        }
    }
}

/* Applies the rules to a text and releases it. */
static void apply_rules(sa_buffer now, sa_buffer *out) {
    for (int rule = 0; rule < 4 && !now.failed; rule++) {
        sa_buffer next = {0};
        apply_rule(now.text ? now.text : "", rule, &next);
        sa_buffer_release(&now);
        now = next;
    }
    if (!now.failed && now.text) tokenize_whitespace(now.text, out);
    out->failed |= now.failed;
    sa_buffer_release(&now);
}

static void tokenize_13a(const char *text, sa_buffer *out) {
    static const char *const entities[][2] = {
        {"<skipped>", ""}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}};
    sa_buffer now = {0};
    sa_buffer_addf(&now, " %s ", text);
    for (size_t i = 0; !now.failed && i < sizeof entities / sizeof *entities; i++)
        replace(now.text, entities[i][0], entities[i][1]);
    apply_rules(now, out);
}

/* Returns whether sacreBLEU treats the character as Chinese. Its table writes planes 2 and 3 with
 * four digits, so it misses them but contains dashes, quotes and symbols from U+2001 to U+2A6D. */
static bool is_chinese(uint32_t code) {
    static const uint32_t ranges[][2] = {
        {0x2001, 0x2a6d}, {0x2e80, 0x2eff}, {0x2f00, 0x2fdf}, {0x2ff0, 0x303f}, {0x3100, 0x312f},
        {0x31a0, 0x31ef}, {0x3200, 0x4db5}, {0x4e00, 0x9fbb}, {0xf900, 0xfa2d}, {0xfa30, 0xfa6a},
        {0xfa70, 0xfad9}, {0xfe10, 0xfe1f}, {0xfe30, 0xfe4f}, {0xff00, 0xffef},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1]) return true;
    return false;
}

static void tokenize_zh(const char *text, sa_buffer *out) {
    sa_buffer words = {0}, now = {0};
    tokenize_whitespace(text, &words);
    for (size_t at = 0, size; at < words.size; at += size) {
        const char *character = words.text + at;
        size = sa_utf8_character_size(character, SIZE_MAX);
        const bool apart = is_chinese(sa_utf8_codepoint(character, size, &size));
        sa_buffer_addf(&now, apart ? " %.*s " : "%.*s", (int)size, character);
    }
    now.failed |= words.failed;
    sa_buffer_release(&words);
    apply_rules(now, out);
}

const sa_metric_tokenizer sa_metric_tokenizers[] = {
    [SA_METRIC_TOKENIZER_13A] = {"13a", tokenize_13a},
    [SA_METRIC_TOKENIZER_NONE] = {"none", tokenize_whitespace},
    [SA_METRIC_TOKENIZER_CHAR] = {"char", tokenize_characters},
    [SA_METRIC_TOKENIZER_ZH] = {"zh", tokenize_zh},
    {0},
};

/* ---- Units ----------------------------------------------------------------------------------- */

void sa_units_push(sa_units *units, const char *text, size_t size) {
    const sa_token unit = {text, size};
    units->failed = units->failed || !sa_append(&units->unit, &units->count, &units->capacity,
                                                &unit, sizeof unit, NULL);
}

void sa_units_words(sa_units *units, const char *text) {
    size_t size;
    for (const char *word; (word = sa_metric_next_word(&text, &size));)
        sa_units_push(units, word, size);
}

void sa_units_characters(sa_units *units, const char *text, bool whitespace) {
    while (*text) {
        const size_t size = sa_utf8_character_size(text, SIZE_MAX);
        if (whitespace || !space_size(text)) sa_units_push(units, text, size);
        text += size;
    }
}

void sa_units_release(sa_units *units) {
    free(units->unit);
    sa_buffer_release(&units->text);
    *units = (sa_units){0};
}

int64_t sa_ngrams_total(const sa_units *line, int n) {
    return line->count < (size_t)n ? 0 : (int64_t)line->count - n + 1;
}

/* ---- Suffixes -----------------------------------------------------------------------------------
 *
 * Every n-gram is a prefix of a suffix of its line. When all suffixes of all lines are sorted,
 * equal n-grams are adjacent, for every n at once. */

typedef struct suffix {
    const sa_token *unit; /* the units from here on */
    size_t left;          /* units to compare, at most the highest order */
    size_t line, shared;  /* shared: units that it has in common with the preceding suffix */
} suffix;

/* Returns how many units the suffixes have in common at their beginning. */
static size_t count_shared(const suffix *x, const suffix *y) {
    size_t same = 0;
    while (same < x->left && same < y->left && sa_token_compare(x->unit[same], y->unit[same]) == 0)
        same++;
    return same;
}

static int by_units(const void *a, const void *b) {
    const suffix *x = a, *y = b;
    const size_t same = count_shared(x, y);
    if (same < x->left && same < y->left) return sa_token_compare(x->unit[same], y->unit[same]);
    return (x->left > y->left) - (x->left < y->left);
}

static suffix *list_line(const sa_units *line, size_t index, size_t orders, suffix *next) {
    for (size_t i = 0; i < line->count; i++) {
        const size_t left = line->count - i;
        *next++ = (suffix){&line->unit[i], left < orders ? left : orders, index, 0};
    }
    return next;
}

/* Counts the matches; counts [lines]: scratch; line 0 is ours. */
static int64_t count_matches(const suffix *all, size_t count, size_t n, int64_t *counts,
                             size_t lines) {
    int64_t matches = 0;
    for (size_t i = 0, next; i < count; i = next) {
        next = i + 1;
        if (all[i].left < n) continue;
        memset(counts, 0, lines * sizeof *counts);
        counts[all[i].line]++;
        for (; next < count && all[next].shared >= n; next++) counts[all[next].line]++;
        int64_t most = 0;
        for (size_t line = 1; line < lines; line++)
            if (counts[line] > most) most = counts[line];
        matches += counts[0] < most ? counts[0] : most;
    }
    return matches;
}

bool sa_ngrams_match(const sa_units *ours, const sa_units *others, size_t other_count, int orders,
                     int64_t *match, sa_error *error) {
    size_t count = ours->count;
    bool failed = ours->failed;
    for (size_t i = 0; i < other_count; i++) count += others[i].count, failed |= others[i].failed;
    if (failed) return sa_fail_memory(error, count * sizeof(sa_token));
    suffix *all = sa_new(count, sizeof *all, error);
    int64_t *counts = sa_new(other_count + 1, sizeof *counts, error);
    if (all && counts) {
        suffix *next = list_line(ours, 0, (size_t)orders, all);
        for (size_t i = 0; i < other_count; i++)
            next = list_line(&others[i], i + 1, (size_t)orders, next);
        if (count) qsort(all, count, sizeof *all, by_units);
        for (size_t i = 1; i < count; i++) all[i].shared = count_shared(&all[i - 1], &all[i]);
        for (int n = 1; n <= orders; n++)
            match[n - 1] += count_matches(all, count, (size_t)n, counts, other_count + 1);
    }
    const bool good = all && counts;
    free(all), free(counts);
    return good;
}
