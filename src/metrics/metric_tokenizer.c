#include "metrics/metric_tokenizer.h"

#include <string.h>

const char *sa_metric_tokenizer_name(size_t row) {
    return sa_metric_tokenizers[row].name;
}

/* ---- Characters ------------------------------------------------------------------------------ */

size_t sa_metric_space_size(const char *text) {
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

size_t sa_metric_character_size(const char *text) {
    size_t size = 1;
    while (((unsigned char)text[size] & 0xc0) == 0x80) size++;
    return size;
}

const char *sa_metric_next_word(const char **text, size_t *size) {
    const char *start = *text;
    for (size_t space; (space = sa_metric_space_size(start));) start += space;
    const char *end = start;
    while (*end && !sa_metric_space_size(end)) end++;
    *text = end;
    *size = (size_t)(end - start);
    return *size ? start : NULL;
}

/* ---- none and char --------------------------------------------------------------------------- */

static void push(const char *token, size_t size, bool first, sa_buffer *out) {
    if (!first) sa_buffer_add(out, " ", 1);
    sa_buffer_add(out, token, size);
}

static void tokenize_whitespace(const char *text, sa_buffer *out) {
    size_t size;
    bool first = true;
    for (const char *word; (word = sa_metric_next_word(&text, &size)); first = false)
        push(word, size, first, out);
}

static void tokenize_characters(const char *text, sa_buffer *out) {
    size_t size;
    bool first = true;
    for (const char *word; (word = sa_metric_next_word(&text, &size));)
        for (const char *end = word + size; word < end; first = false) {
            const size_t length = sa_metric_character_size(word);
            push(word, length, first, out);
            word += length;
        }
}

/* ---- 13a ------------------------------------------------------------------------------------- */

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

/* ASCII punctuation and symbols that always are tokens: all except ' , - . */
static bool stands_alone(char c) {
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
           (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

/* The four rules of mteval-v13a, one pass each because they overlap: symbols; . and , not after a
 * digit; . and , not before a digit; - after a digit. */
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

static void tokenize_13a(const char *text, sa_buffer *out) {
    static const char *const entities[][2] = {
        {"<skipped>", ""}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}};
    sa_buffer now = {0};
    sa_buffer_addf(&now, " %s ", text);
    for (size_t i = 0; !now.failed && i < sizeof entities / sizeof *entities; i++)
        replace(now.text, entities[i][0], entities[i][1]);
    for (int rule = 0; rule < 4 && !now.failed; rule++) {
        sa_buffer next = {0};
        apply_rule(now.text, rule, &next);
        sa_buffer_release(&now);
        now = next;
    }
    if (!now.failed) tokenize_whitespace(now.text, out);
    out->failed |= now.failed;
    sa_buffer_release(&now);
}

const sa_metric_tokenizer sa_metric_tokenizers[] = {
    [SA_METRIC_TOKENIZER_13A] = {"13a", tokenize_13a},
    [SA_METRIC_TOKENIZER_NONE] = {"none", tokenize_whitespace},
    [SA_METRIC_TOKENIZER_CHAR] = {"char", tokenize_characters},
    {0},
};
