#include "data/tokenizer.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* ---- char and space -------------------------------------------------------------------------- */

static bool char_split(const char *text, size_t size, sa_tokens *tokens, sa_error *error) {
    for (size_t at = 0, length; at < size; at += length) {
        length = sa_unknown_word_size(text + at, size - at);
        if (!length) length = sa_utf8_grapheme_size(text + at, size - at);
        if (!sa_tokens_push_split(tokens, text + at, length, error)) return false;
    }
    return true;
}

static bool space_split(const char *text, size_t size, sa_tokens *tokens, sa_error *error) {
    size_t start = 0, at = 0;
    while (at <= size) {
        size_t length = 1;
        const bool plain = at < size && text[at] > ' ' && text[at] < 0x7f; /* ASCII, but no space */
        const bool space = !plain && (at == size || sa_utf8_char_class(text + at, size - at,
                                                                       &length) == SA_CHAR_SPACE);
        if (space && at > start && !sa_tokens_push_split(tokens, text + start, at - start, error))
            return false;
        at += length;
        if (space) start = at;
    }
    return true;
}

/* ---- Joining --------------------------------------------------------------------------------- */

static void join_words(const sa_tokenizer *tokenizer, const sa_token *words, size_t count,
                       const sa_spacing *spacing, sa_buffer *out) {
    if (!tokenizer->between) sa_spacing_join(words, count, spacing, out);
    for (size_t i = 0; tokenizer->between && i < count; i++) {
        if (i) sa_buffer_adds(out, tokenizer->between);
        sa_buffer_add(out, words[i].text, words[i].size);
    }
}

/* Joins the subwords of each word, then the words. */
static void join_subwords(const sa_tokenizer *tokenizer, const sa_token *tokens, size_t count,
                          const sa_spacing *spacing, sa_buffer *out) {
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
    const char *at = text.text; /* NULL: there is no memory, or no word */
    for (size_t i = 0; word && at && i < words; at += word[i++].size) word[i].text = at;
    if (word && !text.failed) join_words(tokenizer, word, words, spacing, out);
    out->failed |= !word || text.failed;
    sa_buffer_release(&text);
    free(word);
}

void sa_tokenizer_join(const sa_tokenizer *tokenizer, const sa_token *tokens, size_t count,
                       const sa_spacing *spacing, sa_buffer *out) {
    (tokenizer->subword ? join_subwords : join_words)(tokenizer, tokens, count, spacing, out);
}

/* ---- The table ------------------------------------------------------------------------------- */

const sa_tokenizer sa_tokenizers[] = {
    [SA_TOKENIZER_WORD] = {"word", "words, numbers and single punctuation marks",
                           sa_word_tokenizer_split},
    [SA_TOKENIZER_CHAR] = {"char", "single characters, spaces included", char_split, ""},
    [SA_TOKENIZER_SPACE] = {"space", "tokens separated by white space", space_split, " "},
    [SA_TOKENIZER_BPE] = {"bpe", "subwords of words, by merges learned from the pairs",
                          sa_word_tokenizer_split, .subword = true},
    [SA_TOKENIZER_SPACE_BPE] = {"space-bpe", "subwords of tokens separated by white space",
                                space_split, " ", .subword = true},
    {.name = NULL},
};

const char *sa_side_tokenizer_name(size_t i) {
    return i ? sa_tokenizers[i - 1].name : "auto";
}

const sa_tokenizer *sa_tokenizer_of(const sa_settings *settings, int side) {
    const int own = side ? settings->target_tokenizer : settings->source_tokenizer;
    return &sa_tokenizers[own ? own - 1 : settings->tokenizer];
}

bool sa_has_subwords(const sa_settings *settings) {
    return sa_tokenizer_of(settings, 0)->subword || sa_tokenizer_of(settings, 1)->subword;
}

/* ---- The tokenizer word ---------------------------------------------------------------------- */

static bool is_word(sa_char_class kind) {
    return kind == SA_CHAR_LETTER || kind == SA_CHAR_DIGIT;
}

static bool is_one_of(uint32_t code, const uint32_t *codes) {
    while (*codes && *codes != code) codes++;
    return *codes;
}

/* ---- Splitting ------------------------------------------------------------------------------- */

/* Returns the size in bytes of a connector as English and French have them; 0: it is none. */
static size_t common_connector(const char *text, size_t size, sa_char_class before) {
    const size_t length = sa_apostrophe_size(text, size) ? sa_apostrophe_size(text, size) : 1;
    const sa_char_class after = sa_kind_at(text + length, size - length);
    if (!is_word(after)) return 0;
    if (length > 1 || memchr("'-.&@", *text, 5)) return length;
    return (*text == ',' || *text == ':') && before == SA_CHAR_DIGIT && after == SA_CHAR_DIGIT
               ? length
               : 0;
}

static bool is_hebrew(const char *text, size_t size) {
    size_t length;
    const uint32_t code = sa_utf8_codepoint(text, size, &length);
    return code >= 0x5d0 && code <= 0x5f4;
}

/* Returns the size in bytes of the connector at text inside a word, by the same rules for all
 * scripts (0: the word ends here): signs between letters, as in Catalan (col·lecció), Finnish
 * (EU:ssa), Hebrew and Somali, and between digits. last: the letter before the connector. */
static size_t connector_size(const char *text, size_t size, sa_char_class before,
                             const char *last) {
    static const uint32_t inside[] = {':',   0xb7,   0x387,  0x55a,  0x55f,  0x58a,  0x5be,
                                      0x5f4, 0x2010, 0x2011, 0x2018, 0x2027, 0xff07, 0};
    static const uint32_t in_numbers[] = {0x66b, 0x66c, 0x2044, 0x60c, 0};
    size_t length;
    if (*text == ' ') return 0;
    const size_t common = common_connector(text, size, before);
    if (common) return common;
    const uint32_t code = sa_utf8_codepoint(text, size, &length);
    const sa_char_class after = sa_kind_at(text + length, size - length);
    if (!is_word(after)) return 0;
    if (is_one_of(code, inside)) return length;
    if (code == '"') return is_hebrew(last, size) && is_hebrew(text + length, size - length);
    const bool digits = before == SA_CHAR_DIGIT && after == SA_CHAR_DIGIT;
    return digits && is_one_of(code, in_numbers) ? length : 0;
}

/* Returns whether it is a sign of Armenian, Hebrew or Devanagari that belongs to the letter before.
 */
static bool is_sign_of_letter(const char *text, size_t size) {
    static const uint32_t codes[] = {0x55b, 0x55c, 0x55e, 0x5f3, 0x970, 0};
    size_t length;
    return (unsigned char)*text >= 0x80 && is_one_of(sa_utf8_codepoint(text, size, &length), codes);
}

/* Returns the size in bytes of the web address at text, or 0; scheme: size of the word there. */
static size_t address_size(const char *text, size_t size, size_t scheme) {
    const bool named = size > scheme + 3 && memcmp(text + scheme, "://", 3) == 0;
    size_t at = 0, length;
    if (!named && (size < 5 || memcmp(text, "www.", 4) != 0)) return 0;
    while (at < size) {
        const sa_char_class kind = sa_utf8_char_class(text + at, size - at, &length);
        if (kind == SA_CHAR_HAN || kind == SA_CHAR_CLOSING || strchr("<>\"", text[at]) ||
            sa_spacing_mark_size(text + at, size - at))
            break;
        at += length;
    }
    while (at > scheme && strchr(".,;:!?'*_~@", text[at - 1])) at--;
    return at;
}

/* Returns the size in bytes of the word at text, which begins with a letter or digit. */
static size_t word_length(const char *text, size_t size) {
    size_t at = 0, part = 0, last = 0, length;
    sa_char_class before = SA_CHAR_OTHER;
    while (at < size) {
        const sa_char_class kind = sa_utf8_char_class(text + at, size - at, &length);
        if (is_word(kind) || is_sign_of_letter(text + at, size - at)) {
            before = is_word(kind) ? kind : before;
            last = at;
            at += length;
            continue;
        }
        if (sa_is_tsheg(text + at, size - at)) return at + length;
        length = connector_size(text + at, size - at, before, text + last);
        if (!length) break;
        const bool lost = sa_apostrophe_size(text + at, size - at);
        const bool elision = lost && sa_is_elided_word(text + part, at - part);
        at += length;
        if (elision) return at;
        part = lost ? 0 : at; /* I'd've: no elision after an apostrophe */
    }
    if (at == size || text[at] != '-' || before != SA_CHAR_LETTER) return at;
    const bool hanging = /* "Vor- und Nachteile" */
        sa_kind_at(text + at + 1, size - at - 1) == SA_CHAR_SPACE || text[at + 1] == ',';
    return at + hanging;
}

/* Returns the size in bytes of the sign at text: a character with its marks, up to what would look
 * like a mark of spaces (data/spacing.h). */
static size_t sign_length(const char *text, size_t size) {
    const size_t cluster = sa_utf8_grapheme_size(text, size);
    size_t at = sa_spacing_mark_size(text, size), length;
    if (at) return at;
    for (sa_utf8_codepoint(text, size, &at); at < cluster; at += length) {
        if (sa_spacing_mark_size(text + at, size - at)) break;
        sa_utf8_codepoint(text + at, size - at, &length);
    }
    return at;
}

/* Returns the size in bytes of the token at text. A word includes a following apostrophe in "the
 * dogs' names" and in "l' homme". before: class of the character before; quoted: a single quotation
 * mark is open. */
static size_t token_length(const char *text, size_t size, sa_char_class before, bool quoted) {
    if (sa_unknown_word_size(text, size)) return sa_unknown_word_size(text, size);
    if (*text == '-' && (before == SA_CHAR_SPACE || before == SA_CHAR_OPENING) &&
        sa_kind_at(text + 1, size - 1) == SA_CHAR_DIGIT)
        return 1 + word_length(text + 1, size - 1);
    if (!is_word(sa_kind_at(text, size))) return sign_length(text, size);
    const size_t length = word_length(text, size);
    const size_t address = address_size(text, size, length);
    if (address > length) return address;
    const size_t mark = sa_apostrophe_size(text + length, size - length);
    const bool plural = text[length - 1] == 's' || text[length - 1] == 'S';
    const bool keeps = mark && !quoted && (plural || sa_is_elided_word(text, length));
    return length + (keeps ? mark : 0);
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
