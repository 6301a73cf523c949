#include "text/tokenizer.h"
#include "text/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool push(sa_tokens *tokens, const char *text, size_t size, sa_error *error) {
    while (size) { /* a monster of combining marks is cut between its clusters, or inside one */
        size_t part = size;
        if (size > SA_TOKEN_MAX) {
            part = 0;
            for (size_t next; part < size; part += next) {
                next = sa_utf8_cluster(text + part, size - part);
                if (part + next > SA_TOKEN_MAX) break;
            }
            if (!part) /* inside: at the start of a code point */
                for (part = SA_TOKEN_MAX; ((unsigned char)text[part] & 0xc0) == 0x80;) part--;
        }
        if (!sa_reserve(&tokens->token, &tokens->capacity, tokens->count + 1, sizeof *tokens->token,
                        error))
            return false;
        tokens->token[tokens->count++] = (sa_token){text, part};
        text += part, size -= part;
    }
    return true;
}

void sa_tokens_release(sa_tokens *tokens) {
    free(tokens->token);
    *tokens = (sa_tokens){0};
}

/* ---- Small questions ------------------------------------------------------------------------- */

static bool one_of(const char *text, size_t size, const char *const *list) {
    for (; *list; list++)
        if (strlen(*list) == size && memcmp(*list, text, size) == 0) return true;
    return false;
}

/* Bytes of the apostrophe at text, 0 if there is none. */
static size_t apostrophe(const char *text, size_t size) {
    if (size >= 1 && *text == '\'') return 1;
    return size >= 3 && memcmp(text, "’", 3) == 0 ? 3 : 0;
}

static bool is_word(sa_kind kind) {
    return kind == SA_KIND_LETTER || kind == SA_KIND_DIGIT;
}

/* ---- word ------------------------------------------------------------------------------------ */

/* Bytes of what joins two parts of a word at text: - or an apostrophe, or . , : between digits.
 * 0 when a word ends here. */
static size_t joint(const char *text, size_t size, sa_kind before) {
    size_t length = apostrophe(text, size), next;
    const bool hyphen = size && *text == '-', mark = size && strchr(".,:", *text);
    if (!length) length = hyphen || mark ? 1 : 0;
    if (!length || length >= size) return 0;
    const sa_kind after = sa_utf8_kind(text + length, size - length, &next);
    if (mark) return before == SA_KIND_DIGIT && after == SA_KIND_DIGIT ? length : 0;
    if (hyphen) return is_word(after) ? length : 0;
    return before == SA_KIND_LETTER && after == SA_KIND_LETTER ? length : 0;
}

/* Whether the letters before an apostrophe are a French word that has lost its vowel. */
static bool elided(const char *text, size_t size) {
    static const char *const words[] = {"l",  "d",     "j",      "m",      "t",      "s",      "n",
                                        "c",  "qu",    "jusqu",  "lorsqu", "puisqu", "quoiqu", "L",
                                        "D",  "J",     "M",      "T",      "S",      "N",      "C",
                                        "Qu", "Jusqu", "Lorsqu", "Puisqu", "Quoiqu", NULL};
    return one_of(text, size, words);
}

/* Bytes of the word at text, which begins with a letter or digit. */
static size_t word_length(const char *text, size_t size) {
    size_t at = 0, part = 0, length;
    sa_kind before = SA_KIND_OTHER;
    while (at < size) {
        const sa_kind kind = sa_utf8_kind(text + at, size - at, &length);
        if (is_word(kind)) {
            before = kind;
            at += length;
            continue;
        }
        length = joint(text + at, size - at, before);
        if (!length) break;
        const bool elision = apostrophe(text + at, size - at) && elided(text + part, at - part);
        at += length;
        part = at;
        if (elision) break;
    }
    return at;
}

static bool word_split(const char *text, size_t size, sa_tokens *tokens, sa_error *error) {
    for (size_t at = 0, length; at < size; at += length) {
        const sa_kind kind = sa_utf8_kind(text + at, size - at, &length);
        if (kind == SA_KIND_SPACE) continue;
        length = is_word(kind) ? word_length(text + at, size - at)
                               : sa_utf8_cluster(text + at, size - at);
        if (!push(tokens, text + at, length, error)) return false;
    }
    return true;
}

static const char *const closing[] = {",", ".",  ")",  "]",  "}",  "…",  "%", "”",
                                      "’", "。", "、", "，", "？", "！", NULL};
static const char *const opening[] = {"(", "[", "{", "“", "‘", "¿", "¡", "$", "£", "#", NULL};
static const char *const marks[] = {"?", "!", ":",
                                    ";", "»", NULL}; /* French puts a space before them */
static const char *const quotes[] = {"\"", "'", NULL};

static bool is(sa_token token, const char *const *list) {
    return one_of(token.text, token.size, list);
}

static bool wide(sa_token token) {
    size_t length;
    return sa_utf8_kind(token.text, token.size, &length) == SA_KIND_HAN;
}

/* An elision: a word that ends in an apostrophe. */
static bool hangs_on(sa_token token) {
    return (token.size > 1 && token.text[token.size - 1] == '\'') ||
           (token.size > 3 && apostrophe(token.text + token.size - 3, 3));
}

/* Whether a space stands between two tokens; a straight quote is open after an odd number of them.
 */
static bool space_between(sa_token before, sa_token after, bool spaced_marks,
                          bool quote_open_before, bool quote_open_after) {
    if (is(after, closing) || is(before, opening) || hangs_on(before)) return false;
    if (is(after, quotes) && !quote_open_after) return false;  /* it closes */
    if (is(before, quotes) && quote_open_before) return false; /* it opened */
    if (is(after, marks)) return spaced_marks;
    if (before.size == 2 && memcmp(before.text, "«", 2) == 0) return spaced_marks;
    return !(wide(before) && wide(after)) &&
           !(before.size == 3 && memcmp(before.text, "。", 3) == 0);
}

static void word_join(const sa_token *tokens, size_t count, bool spaced_marks, sa_buffer *out) {
    bool open[2] = {false, false}; /* " and ' */
    for (size_t i = 0; i < count; i++) {
        const int quote = i && is(tokens[i - 1], quotes) ? *tokens[i - 1].text == '\'' : 0;
        const bool before = open[quote];
        const int own = is(tokens[i], quotes) ? *tokens[i].text == '\'' : 0;
        if (is(tokens[i], quotes)) open[own] = !open[own];
        if (i && space_between(tokens[i - 1], tokens[i], spaced_marks, before, open[own]))
            sa_buffer_add(out, " ", 1);
        sa_buffer_add(out, tokens[i].text, tokens[i].size);
    }
}

/* ---- char and space -------------------------------------------------------------------------- */

static bool char_split(const char *text, size_t size, sa_tokens *tokens, sa_error *error) {
    for (size_t at = 0, length; at < size; at += length) {
        length = sa_utf8_cluster(text + at, size - at);
        if (!push(tokens, text + at, length, error)) return false;
    }
    return true;
}

static void char_join(const sa_token *tokens, size_t count, bool spaced_marks, sa_buffer *out) {
    (void)spaced_marks;
    for (size_t i = 0; i < count; i++) sa_buffer_add(out, tokens[i].text, tokens[i].size);
}

static bool space_split(const char *text, size_t size, sa_tokens *tokens, sa_error *error) {
    size_t start = 0, at = 0;
    while (at <= size) {
        size_t length = 1;
        const bool space =
            at == size || sa_utf8_kind(text + at, size - at, &length) == SA_KIND_SPACE;
        if (space && at > start && !push(tokens, text + start, at - start, error)) return false;
        at += length;
        if (space) start = at;
    }
    return true;
}

static void space_join(const sa_token *tokens, size_t count, bool spaced_marks, sa_buffer *out) {
    (void)spaced_marks;
    for (size_t i = 0; i < count; i++) {
        if (i) sa_buffer_add(out, " ", 1);
        sa_buffer_add(out, tokens[i].text, tokens[i].size);
    }
}

/* ---- The table ------------------------------------------------------------------------------- */

const sa_tokenizer sa_tokenizers[] = {
    {"word", "words, numbers and single punctuation marks", word_split, word_join},
    {"char", "single characters, spaces included", char_split, char_join},
    {"space", "whatever stands between white space", space_split, space_join},
    {.name = NULL},
};

const char *sa_tokenizer_name(size_t row) {
    return row < sizeof sa_tokenizers / sizeof *sa_tokenizers ? sa_tokenizers[row].name : NULL;
}

int64_t sa_spaced_marks(const char *text, size_t size) {
    int64_t balance = 0;
    bool space = true; /* nothing before a mark says nothing about it */
    for (size_t at = 0, length; at < size; at += length) {
        const bool mark = at && strchr("?!:;", text[at]) && text[at];
        const bool spaced = sa_utf8_kind(text + at, size - at, &length) == SA_KIND_SPACE;
        if (mark) balance += space ? 1 : -1;
        space = spaced;
    }
    return balance;
}
