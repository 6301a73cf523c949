#include "data/spacing.h"

#include <stdlib.h>
#include <string.h>

/* ---- Characters ------------------------------------------------------------------------------ */

static bool one_of(const char *text, size_t size, const char *const *list) {
    for (; *list; list++)
        if (strlen(*list) == size && memcmp(*list, text, size) == 0) return true;
    return false;
}

sa_char_class sa_kind_at(const char *text, size_t size) {
    size_t length;
    return size ? sa_utf8_char_class(text, size, &length) : SA_CHAR_SPACE;
}

size_t sa_apostrophe_size(const char *text, size_t size) {
    if (size >= 1 && *text == '\'') return 1;
    return size >= 3 && memcmp(text, "’", 3) == 0 ? 3 : 0;
}

bool sa_is_elided_word(const char *text, size_t size) {
    static const char *const words[] = {"l", "d",  "j",     "m",      "t",      "s",      "n",
                                        "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", NULL};
    char lower[8];
    if (size > sizeof lower) return false;
    for (size_t i = 0; i < size; i++)
        lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + ('a' - 'A') : text[i]);
    return one_of(lower, size, words);
}

bool sa_is_tsheg(const char *text, size_t size) {
    return size >= 3 && (memcmp(text, "་", 3) == 0 || memcmp(text, "༌", 3) == 0);
}

size_t sa_spacing_mark_size(const char *text, size_t size) {
    size_t length;
    if (!size) return 0;
    if (sa_utf8_char_class(text, size, &length) == SA_CHAR_SPACE) return length;
    const bool mark =
        length == 3 && (memcmp(text, SA_JOINED, 3) == 0 || memcmp(text, SA_SPACED, 3) == 0);
    return mark ? length : 0;
}

/* ---- Usual spaces ---------------------------------------------------------------------------- */

/* The sides of a token that have no space. */
enum { SPACED = 0, NO_SPACE_BEFORE = 1, NO_SPACE_AFTER = 2, NO_SPACE = 3 };

static bool is(sa_token token, const char *text) {
    return token.size == strlen(text) && memcmp(token.text, text, token.size) == 0;
}

/* Returns whether a token is an elided word with its apostrophe. */
static bool is_elision(sa_token token) {
    const size_t sizes[] = {1, 3}; /* of apostrophes */
    for (size_t i = 0; i < 2; i++) {
        if (token.size <= sizes[i]) continue;
        const size_t rest = token.size - sizes[i];
        if (sa_apostrophe_size(token.text + rest, sizes[i]) != sizes[i]) continue;
        const char *hyphen = memrchr(token.text, '-', rest);
        const char *part = hyphen ? hyphen + 1 : token.text;
        return sa_is_elided_word(part, (size_t)(token.text + rest - part));
    }
    return false;
}

/* Returns the spacing of a punctuation mark other than brackets and quotation marks. */
static int mark_spacing(sa_token token, sa_token before) {
    static const char *const closing[] = {",", ".", "…", "?", "!", ":", ";",
                                          "%", "،", "؛", "؟", "۔", "।", NULL};
    static const char *const opening[] = {"¿", "¡", "#", NULL};
    if (one_of(token.text, token.size, closing)) return NO_SPACE_BEFORE;
    if (one_of(token.text, token.size, opening)) return NO_SPACE_AFTER;
    if (is(token, "/")) return NO_SPACE;
    return sa_token_compare(token, before) == 0 ? NO_SPACE_BEFORE : SPACED;
}

/* Returns the spacing of a token; opens: it is a quotation mark that opens. */
static int sides_of(sa_token before, sa_token token, sa_token after, bool opens) {
    if (is(token, "\"") || is(token, "'")) return opens ? NO_SPACE_AFTER : NO_SPACE_BEFORE;
    if (is(token, "„")) return NO_SPACE_AFTER;
    switch (sa_kind_at(token.text, token.size)) {
    case SA_CHAR_HAN:
        return NO_SPACE;
    case SA_CHAR_OPENING:
        return NO_SPACE_AFTER;
    case SA_CHAR_CLOSING:
        return NO_SPACE_BEFORE;
    case SA_CHAR_CURRENCY:
        return sa_kind_at(after.text, after.size) == SA_CHAR_DIGIT ? NO_SPACE_AFTER : SPACED;
    case SA_CHAR_OTHER:
        return mark_spacing(token, before);
    default:
        return is_elision(token) ? NO_SPACE_AFTER : SPACED;
    }
}

/* ---- Keys ------------------------------------------------------------------------------------ */

enum { LONGEST_SIGN = 16, PAIR_SIZE = 64 };

/* A token without its marks, as the table knows it. */
typedef struct keyed_token {
    sa_token token, key;      /* key: the name of a class, or the sign itself */
    bool sign, elided, opens; /* opens: it is the first, third ... of a sign that comes in pairs */
} keyed_token;

/* The state while reading a sentence. */
typedef struct key_reader {
    const sa_spacing *spacing; /* NULL: to be learned */
    keyed_token last, now;
    unsigned int open; /* one bit for each sign that comes in pairs */
} key_reader;

/* Returns the index of a sign that comes in pairs and may open and close with the same form; -1: it
 * is no such sign. */
static int find_pair_sign(uint32_t code) {
    static const uint32_t signs[] = {'"', '\'', '*', '`', 0x201d, 0x2019, 0xbb};
    for (int i = 0; i < 7; i++)
        if (code == signs[i]) return i;
    return -1;
}

static bool ends_elided(sa_token token) {
    const char last = token.text[token.size - 1];
    if (last == '\'' || last == '\x99') return is_elision(token);
    return (last == '\x8b' || last == '\x8c') && token.size > 3 &&
           sa_is_tsheg(token.text + token.size - 3, 3);
}

static const char *class_of(sa_token token, uint32_t code, size_t length) {
    enum { PICTURES = 0x1f000 };
    const sa_char_class kind = sa_kind_at(token.text, token.size);
    if (kind == SA_CHAR_LETTER || kind == SA_CHAR_SPACE) return "word";
    if (kind == SA_CHAR_DIGIT || (code == '-' && token.size > 1)) return "number";
    if (kind == SA_CHAR_HAN && sa_utf8_is_letter(code)) return "han";
    return code >= PICTURES || length < token.size || token.size > LONGEST_SIGN ? "picture" : NULL;
}

/* Advances to the next token. */
static void read_token(key_reader *reader, sa_token token) {
    keyed_token *now = &reader->now;
    size_t length;
    const uint32_t code = sa_utf8_codepoint(token.text, token.size, &length);
    reader->last = reader->now;
    *now = (keyed_token){.token = token, .elided = token.size && ends_elided(token)};
    const char *class = now->elided ? "elided" : class_of(token, code, length);
    now->sign = !class || *class == 'p';
    now->key = class ? (sa_token){class, strlen(class)} : token;
    const int pair = class ? -1 : find_pair_sign(code);
    if (pair < 0) return;
    reader->open ^= 1u << pair;
    now->opens = reader->open >> pair & 1;
}

/* ---- Prediction ------------------------------------------------------------------------------ */

enum { PLAIN = ' ', ZERO_WIDTH = 0x200b, UNKNOWN = UINT16_MAX };

static bool is_blank(uint32_t space) {
    return space && space != ZERO_WIDTH;
}

/* Writes "KEY KEY"; NULL: "any". Returns its size. */
static size_t write_pair(const keyed_token *left, const keyed_token *right, char *pair) {
    char *at = left ? mempcpy(pair, left->key.text, left->key.size) : stpcpy(pair, "any");
    if (left && left->opens) *at++ = '+';
    *at++ = ' ';
    at = right ? mempcpy(at, right->key.text, right->key.size) : stpcpy(at, "any");
    if (right && right->opens) *at++ = '+';
    return (size_t)(at - pair);
}

/* Returns the space between two keys in the table, or UNKNOWN. */
static uint32_t find_space(const sa_spacing *spacing, const keyed_token *left,
                           const keyed_token *right) {
    char pair[PAIR_SIZE];
    const int32_t entry = sa_strings_find(spacing, pair, write_pair(left, right, pair));
    return entry < 0 ? UNKNOWN : (uint32_t)spacing->entry[entry].value;
}

static int usual_sides(const keyed_token *place, sa_token before, sa_token after) {
    return place->elided ? NO_SPACE_AFTER : sides_of(before, place->token, after, place->opens);
}

/* Predicts the space between the last two tokens: as between these two in the training text,
 * otherwise as next to the same sign there, otherwise as usual. */
static uint32_t predict(const key_reader *reader) {
    const sa_spacing *spacing = reader->spacing;
    const keyed_token *left = &reader->last, *right = &reader->now;
    const uint32_t space = find_space(spacing, left, right);
    if (space != UNKNOWN) return space;
    const uint32_t after = left->sign ? find_space(spacing, left, NULL) : UNKNOWN;
    const uint32_t before = right->sign ? find_space(spacing, NULL, right) : UNKNOWN;
    if (after != UNKNOWN && (before == UNKNOWN || !after)) return after;
    if (before != UNKNOWN) return before;
    const sa_token none = {"", 0};
    const bool joined = usual_sides(left, none, right->token) & NO_SPACE_AFTER ||
                        usual_sides(right, left->token, none) & NO_SPACE_BEFORE;
    return joined ? 0 : PLAIN;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Returns the code point of a single space between two tokens, 0 for none, and the plain space for
 * several spaces and for characters that end lines or columns. */
static uint32_t space_between(sa_token left, sa_token right) {
    size_t length;
    const char *from = left.text + left.size;
    const size_t size = (size_t)(right.text - from);
    if (!size) return 0;
    const uint32_t code = sa_utf8_codepoint(from, size, &length);
    const bool ends = code < PLAIN || code == 0x85 || code == 0x2028 || code == 0x2029;
    return length < size || ends ? PLAIN : code;
}

static sa_token mark_of(uint32_t space, char bytes[4]) {
    if (!space) return (sa_token){SA_JOINED, sizeof SA_JOINED - 1};
    if (space == PLAIN) return (sa_token){SA_SPACED, sizeof SA_SPACED - 1};
    return (sa_token){bytes, sa_utf8_encode(space, bytes)};
}

static bool deviates(const key_reader *reader, uint32_t space) {
    const uint32_t expected = predict(reader);
    return space != expected && !(is_blank(space) && is_blank(expected));
}

/* Writes all tokens with their marks to `at`. A sign carries the mark, but no mark follows a sign
 * that itself looks like one. */
static void write_marked(const sa_spacing *spacing, sa_tokens *tokens, char *at) {
    key_reader reader = {.spacing = spacing};
    sa_token before = {NULL, 0};
    for (size_t i = 0; i < tokens->count; i++) {
        sa_token *token = &tokens->token[i];
        const sa_token plain = *token;
        read_token(&reader, plain);
        token->text = at;
        const uint32_t space = i ? space_between(before, plain) : 0;
        if (i && deviates(&reader, space)) {
            char bytes[4];
            const sa_token mark = mark_of(space, bytes), left = reader.last.token;
            const bool behind = (reader.last.sign || reader.last.elided) &&
                                !sa_spacing_mark_size(left.text, left.size);
            at = mempcpy(at, mark.text, mark.size);
            if (behind) token[-1].size += mark.size, token->text = at;
        }
        at = mempcpy(at, plain.text, plain.size);
        token->size = (size_t)(at - token->text);
        before = plain;
    }
}

bool sa_spacing_mark(const sa_spacing *spacing, sa_tokens *tokens, sa_error *error) {
    key_reader reader = {.spacing = spacing};
    bool marks = false;
    size_t bytes = 1;
    for (size_t i = 0; i < tokens->count; i++) {
        const sa_token *token = &tokens->token[i];
        read_token(&reader, *token);
        marks = marks || (i && deviates(&reader, space_between(token[-1], *token)));
        bytes += token->size + 4;
    }
    if (!marks) return true;
    char *block = sa_new(bytes, 1, error);
    if (!block) return false;
    write_marked(spacing, tokens, block);
    free(tokens->owned);
    tokens->owned = block;
    return true;
}

/* ---- Joining --------------------------------------------------------------------------------- */

enum { UNMARKED = INT32_MAX };

/* Returns the space that a mark stands for. */
static uint32_t read_mark(const char *text, size_t size) {
    const uint32_t code = sa_utf8_codepoint(text, size, &size);
    return memcmp(text, SA_JOINED, size) == 0   ? 0
           : memcmp(text, SA_SPACED, size) == 0 ? PLAIN
                                                : code;
}

/* Removes the marks from a token. */
static void take_marks(sa_token *token, uint32_t *before, uint32_t *behind) {
    *before = *behind = UNMARKED;
    size_t size = sa_spacing_mark_size(token->text, token->size);
    if (size && size < token->size) {
        *before = read_mark(token->text, size);
        token->text += size, token->size -= size;
    }
    for (size = 2; size <= 3 && size < token->size; size++) {
        const char *end = token->text + token->size - size;
        if (sa_spacing_mark_size(end, size) != size) continue;
        *behind = read_mark(end, size);
        token->size -= size;
        return;
    }
}

sa_token sa_spacing_plain(sa_token token) {
    uint32_t before, behind;
    take_marks(&token, &before, &behind);
    return token;
}

void sa_spacing_join(const sa_token *tokens, size_t count, const sa_spacing *spacing,
                     sa_buffer *out) {
    key_reader reader = {.spacing = spacing};
    uint32_t before, behind, last = 0;
    for (size_t i = 0; i < count; i++) {
        sa_token token = tokens[i];
        char bytes[4];
        take_marks(&token, &before, &behind);
        read_token(&reader, token);
        const uint32_t space = before != UNMARKED ? before : last;
        const uint32_t written = space != UNMARKED ? space : predict(&reader);
        if (i && written) sa_buffer_add(out, bytes, sa_utf8_encode(written, bytes));
        sa_buffer_add(out, token.text, token.size);
        last = behind;
    }
}

/* ---- Learning -------------------------------------------------------------------------------- */

static bool count_pair(sa_strings *counts, const keyed_token *left, const keyed_token *right,
                       uint32_t space, sa_error *error) {
    char entry[PAIR_SIZE], bytes[4];
    const sa_token mark = mark_of(space, bytes);
    char *end = entry + write_pair(left, right, entry);
    *end++ = ' ';
    end = mempcpy(end, mark.text, mark.size);
    return sa_strings_count(counts, (sa_token){entry, (size_t)(end - entry)}, 1, error);
}

bool sa_spacing_count(sa_strings *counts, const sa_tokens *tokens, sa_error *error) {
    key_reader reader = {0};
    bool good = true;
    for (size_t i = 0; good && i < tokens->count; i++) {
        read_token(&reader, tokens->token[i]);
        if (!i) continue;
        const keyed_token *left = &reader.last, *right = &reader.now;
        const uint32_t space = space_between(left->token, right->token);
        good = count_pair(counts, left, right, space, error) &&
               (!left->sign || count_pair(counts, left, NULL, space, error)) &&
               (!right->sign || count_pair(counts, NULL, right, space, error));
    }
    return good;
}

bool sa_spacing_read(sa_spacing *spacing, const sa_strings *entries, const char *file,
                     const char *name, sa_error *error) {
    for (size_t i = 0; i < entries->count; i++) {
        const sa_token entry = sa_strings_get(entries, (int32_t)i);
        const char *first = memchr(entry.text, ' ', entry.size),
                   *last = memrchr(entry.text, ' ', entry.size);
        const size_t pair = last ? (size_t)(last - entry.text) : 0, mark = entry.size - pair - 1;
        if (!last || first == entry.text || last <= first + 1 || mark < 2 ||
            sa_spacing_mark_size(last + 1, mark) != mark)
            return sa_fail(error, SA_DATA, "%s: tensor '%s': word %zu is not two keys and a mark",
                           file, name, i + 1);
        if (sa_strings_find(spacing, entry.text, pair) < 0 &&
            !sa_strings_count(spacing, (sa_token){entry.text, pair}, read_mark(last + 1, mark),
                              error))
            return false;
    }
    return true;
}
