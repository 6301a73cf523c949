#include "data/tokenizer.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* ---- char and space -------------------------------------------------------------------------- */

static bool char_split(const char *text, size_t size, sa_tokens *tokens, sa_error *error) {
    for (size_t at = 0, length; at < size; at += length) {
        length = sa_utf8_grapheme_size(text + at, size - at);
        if (!sa_tokens_push_split(tokens, text + at, length, error)) return false;
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
            at == size || sa_utf8_char_class(text + at, size - at, &length) == SA_CHAR_SPACE;
        if (space && at > start && !sa_tokens_push_split(tokens, text + start, at - start, error))
            return false;
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

/* ---- bpe and space-bpe ----------------------------------------------------------------------- */

/* Joins the subwords of each word, then the words. */
static void join_subwords(const sa_tokenizer *tokenizer, const sa_token *tokens, size_t count,
                          bool spaced_marks, sa_buffer *out) {
    sa_buffer text = {0};
    size_t words = 0, start = 0;
    sa_token *word = sa_new(count, sizeof *word, NULL);
    for (size_t i = 0; i < count; i++) {
        const bool on = sa_subword_continues(tokens[i].text, tokens[i].size);
        sa_buffer_add(&text, tokens[i].text,
                      tokens[i].size - (on ? sizeof SA_SUBWORD_MARK - 1 : 0));
        if (on && i + 1 < count) continue;
        if (word) word[words++].size = text.size - start;
        start = text.size;
    }
    start = 0;
    for (size_t i = 0; word && i < words; start += word[i++].size) word[i].text = text.text + start;
    if (word && !text.failed) tokenizer->join_words(word, words, spaced_marks, out);
    out->failed |= !word || text.failed;
    sa_buffer_release(&text);
    free(word);
}

void sa_tokenizer_join(const sa_tokenizer *tokenizer, const sa_token *tokens, size_t count,
                       bool spaced_marks, sa_buffer *out) {
    if (tokenizer->subword)
        join_subwords(tokenizer, tokens, count, spaced_marks, out);
    else
        tokenizer->join_words(tokens, count, spaced_marks, out);
}

/* ---- The table ------------------------------------------------------------------------------- */

const sa_tokenizer sa_tokenizers[] = {
    [SA_TOKENIZER_WORD] = {"word", "words, numbers and single punctuation marks",
                           sa_word_tokenizer_split, sa_word_tokenizer_join},
    [SA_TOKENIZER_CHAR] = {"char", "single characters, spaces included", char_split, char_join},
    [SA_TOKENIZER_SPACE] = {"space", "tokens separated by white space", space_split, space_join},
    [SA_TOKENIZER_BPE] = {"bpe", "subwords of words, by merges learned from the pairs",
                          sa_word_tokenizer_split, sa_word_tokenizer_join, .subword = true},
    [SA_TOKENIZER_SPACE_BPE] = {"space-bpe", "subwords of tokens separated by white space",
                                space_split, space_join, .subword = true},
    {.name = NULL},
};

/* ---- The tokenizer word ---------------------------------------------------------------------- */

/* ---- Characters ------------------------------------------------------------------------------ */

static bool one_of(const char *text, size_t size, const char *const *list) {
    for (; *list; list++)
        if (strlen(*list) == size && memcmp(*list, text, size) == 0) return true;
    return false;
}

/* The class of the character at text, SA_CHAR_SPACE at its end. */
static sa_char_class kind_at(const char *text, size_t size) {
    size_t length;
    return size ? sa_utf8_char_class(text, size, &length) : SA_CHAR_SPACE;
}

static bool is_word(sa_char_class kind) {
    return kind == SA_CHAR_LETTER || kind == SA_CHAR_DIGIT;
}

/* Bytes of the apostrophe at text, 0 if there is none. */
static size_t apostrophe(const char *text, size_t size) {
    if (size >= 1 && *text == '\'') return 1;
    return size >= 3 && memcmp(text, "’", 3) == 0 ? 3 : 0;
}

/* Whether the letters before an apostrophe are an elided French word. */
static bool is_elided_word(const char *text, size_t size) {
    static const char *const words[] = {"l", "d",  "j",     "m",      "t",      "s",      "n",
                                        "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", NULL};
    char lower[8];
    if (size > sizeof lower) return false;
    for (size_t i = 0; i < size; i++)
        lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + ('a' - 'A') : text[i]);
    return one_of(lower, size, words);
}

/* ---- Splitting ------------------------------------------------------------------------------- */

/* Bytes of the connector of two parts of a word at text; 0 when the word ends here. */
static size_t connector_size(const char *text, size_t size, sa_char_class before) {
    const size_t length = apostrophe(text, size) ? apostrophe(text, size) : 1;
    const sa_char_class after = kind_at(text + length, size - length);
    if (!is_word(after)) return 0;
    if (length > 1 || memchr("'-.&@", *text, 5)) return length;
    return (*text == ',' || *text == ':') && before == SA_CHAR_DIGIT && after == SA_CHAR_DIGIT
               ? length
               : 0;
}

/* Bytes of the word at text, which begins with a letter or digit. */
static size_t word_length(const char *text, size_t size) {
    size_t at = 0, part = 0, length;
    sa_char_class before = SA_CHAR_OTHER;
    while (at < size) {
        const sa_char_class kind = sa_utf8_char_class(text + at, size - at, &length);
        if (is_word(kind)) {
            before = kind;
            at += length;
            continue;
        }
        length = connector_size(text + at, size - at, before);
        if (!length) break;
        const bool lost = apostrophe(text + at, size - at);
        const bool elision = lost && is_elided_word(text + part, at - part);
        at += length;
        if (elision) return at;
        part = lost ? 0 : at; /* I'd've: no elision after an apostrophe */
    }
    if (at == size || text[at] != '-' || before != SA_CHAR_LETTER) return at;
    const bool hanging = /* "Vor- und Nachteile" */
        kind_at(text + at + 1, size - at - 1) == SA_CHAR_SPACE || text[at + 1] == ',';
    return at + hanging;
}

/* Bytes of the token at text. A word includes a following apostrophe in "the dogs' names" and in
 * "l' homme". before: class of the character before; quoted: whether a single quotation mark is
 * open. */
static size_t token_length(const char *text, size_t size, sa_char_class before, bool quoted) {
    const sa_char_class kind = kind_at(text, size);
    if (*text == '-' && (before == SA_CHAR_SPACE || before == SA_CHAR_OPENING) &&
        kind_at(text + 1, size - 1) == SA_CHAR_DIGIT)
        return 1 + word_length(text + 1, size - 1);
    if (!is_word(kind)) return sa_utf8_grapheme_size(text, size);
    const size_t length = word_length(text, size);
    const bool plural = text[length - 1] == 's' || text[length - 1] == 'S';
    const bool keeps = !quoted && (plural || is_elided_word(text, length));
    return length + (keeps ? apostrophe(text + length, size - length) : 0);
}

bool sa_word_tokenizer_split(const char *text, size_t size, sa_tokens *tokens, sa_error *error) {
    sa_char_class before = SA_CHAR_SPACE;
    bool quoted = false;
    for (size_t at = 0, length; at < size; at += length) {
        const sa_char_class kind = sa_utf8_char_class(text + at, size - at, &length);
        if (kind != SA_CHAR_SPACE) {
            length = token_length(text + at, size - at, before, quoted);
            if (!sa_tokens_push_split(tokens, text + at, length, error)) return false;
            if (length == 1 && text[at] == '\'') quoted = !quoted;
            if (length == 3 && memcmp(text + at, "‘", 3) == 0) quoted = true;
            if (length == 3 && memcmp(text + at, "’", 3) == 0) quoted = false;
        }
        before = kind;
    }
    return true;
}

/* ---- Joining --------------------------------------------------------------------------------- */

/* The sides of a token without a space. */
enum { SPACED = 0, NO_SPACE_BEFORE = 1, NO_SPACE_AFTER = 2, NO_SPACE = 3 };

/* Open quotation marks. */
typedef struct quotes {
    bool double_quote, single, low; /* " ' „ */
} quotes;

static bool is(sa_token token, const char *text) {
    return token.size == strlen(text) && memcmp(token.text, text, token.size) == 0;
}

/* Whether a token is an elided word with its apostrophe. */
static bool is_elision(sa_token token) {
    const size_t sizes[] = {1, 3}; /* of apostrophes */
    for (size_t i = 0; i < 2; i++) {
        if (token.size <= sizes[i]) continue;
        const size_t rest = token.size - sizes[i];
        if (apostrophe(token.text + rest, sizes[i]) != sizes[i]) continue;
        const char *hyphen = memrchr(token.text, '-', rest);
        const char *part = hyphen ? hyphen + 1 : token.text;
        return is_elided_word(part, (size_t)(token.text + rest - part));
    }
    return false;
}

static int toggle_quote(bool *open) {
    *open = !*open;
    return *open ? NO_SPACE_AFTER : NO_SPACE_BEFORE;
}

/* Marks that follow a space in French. */
static bool is_spaced_mark(sa_token token) {
    static const char *const marks[] = {"?", "!", ":", ";", "%", NULL};
    return one_of(token.text, token.size, marks);
}

/* Spacing of a punctuation mark other than brackets and quotation marks. */
static int mark_spacing(sa_token token, sa_token before, bool spaced_marks) {
    static const char *const closing[] = {",", ".", "…", "،", "؛", "؟", "۔", "।", NULL};
    static const char *const opening[] = {"¿", "¡", "#", NULL};
    if (is_spaced_mark(token))
        return spaced_marks && !is_spaced_mark(before) ? SPACED : NO_SPACE_BEFORE;
    if (one_of(token.text, token.size, closing)) return NO_SPACE_BEFORE;
    if (one_of(token.text, token.size, opening)) return NO_SPACE_AFTER;
    if (is(token, "/")) return NO_SPACE;
    return sa_token_compare(token, before) == 0 ? NO_SPACE_BEFORE : SPACED;
}

static int spacing(sa_token before, sa_token token, sa_token after, bool spaced_marks,
                   quotes *open) {
    if (is(token, "\"")) return toggle_quote(&open->double_quote);
    if (is(token, "'")) return toggle_quote(&open->single);
    if (is(token, "„") || (open->low && is(token, "“"))) return toggle_quote(&open->low);
    switch (kind_at(token.text, token.size)) {
    case SA_CHAR_HAN:
        return NO_SPACE;
    case SA_CHAR_OPENING:
        return spaced_marks && is(token, "«") ? SPACED : NO_SPACE_AFTER;
    case SA_CHAR_CLOSING:
        return spaced_marks && is(token, "»") ? SPACED : NO_SPACE_BEFORE;
    case SA_CHAR_CURRENCY:
        return kind_at(after.text, after.size) == SA_CHAR_DIGIT ? NO_SPACE_AFTER : SPACED;
    case SA_CHAR_OTHER:
        return mark_spacing(token, before, spaced_marks);
    default:
        return is_elision(token) ? NO_SPACE_AFTER : SPACED;
    }
}

void sa_word_tokenizer_join(const sa_token *tokens, size_t count, bool spaced_marks,
                            sa_buffer *out) {
    const sa_token none = {"", 0};
    quotes open = {false, false, false};
    for (size_t i = 0, last = NO_SPACE; i < count; i++) {
        const size_t sides = spacing(i ? tokens[i - 1] : none, tokens[i],
                                     i + 1 < count ? tokens[i + 1] : none, spaced_marks, &open);
        if (!(last & NO_SPACE_AFTER) && !(sides & NO_SPACE_BEFORE)) sa_buffer_add(out, " ", 1);
        sa_buffer_add(out, tokens[i].text, tokens[i].size);
        last = sides;
    }
}

/* ---- Spaced marks ---------------------------------------------------------------------------- */

int64_t sa_word_count_spaced_marks(const char *text, size_t size) {
    int64_t balance = 0;
    sa_char_class before = SA_CHAR_OTHER; /* a mark at the start does not count */
    for (size_t at = 0, length; at < size; at += length) {
        const sa_char_class kind = sa_utf8_char_class(text + at, size - at, &length);
        const size_t next = at + length;
        const bool mark = kind == SA_CHAR_OTHER && memchr("?!:;", text[at], 4);
        if (mark && kind_at(text + next, size - next) == SA_CHAR_SPACE)
            balance += before == SA_CHAR_SPACE ? 1 : is_word(before) ? -1 : 0;
        before = kind;
    }
    return balance;
}
