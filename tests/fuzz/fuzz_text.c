/* UTF-8 and tokenizers. The input is any bytes; UTF-8 goes through every Unicode function, and
 * through every tokenizer and back. */
#include "data/text_codec.h"
#include "data/tokens.h"
#include "fuzz.h"

/* ---- Unicode --------------------------------------------------------------------------------- */

/* Bytes of the well-formed code point at text (Unicode standard, table 3-7), or 0. */
static size_t well_formed(const unsigned char *text, size_t size) {
    static const struct {
        unsigned char least, most, second_least, second_most;
        size_t length;
    } rows[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (*text < rows[i].least || *text > rows[i].most) continue;
        if (size < rows[i].length) return 0;
        for (size_t k = 1; k < rows[i].length; k++)
            if (text[k] < (k == 1 ? rows[i].second_least : 0x80) ||
                text[k] > (k == 1 ? rows[i].second_most : 0xbf))
                return 0;
        return rows[i].length;
    }
    return 0;
}

static bool expect_verdict(const char *text, size_t size) {
    size_t bad = 0, at = 0, length;
    while (at < size && (length = well_formed((const unsigned char *)text + at, size - at)) != 0)
        at += length;
    const bool valid = sa_utf8_valid(text, size, &bad);
    ck_assert(valid == (at == size));
    if (!valid) ck_assert_uint_eq(bad, at);
    return valid;
}

static void expect_escaped(const char *text, size_t size) {
    char shown[64];
    sa_escape(shown, sizeof shown, text, size);
    const size_t length = strnlen(shown, sizeof shown);
    ck_assert(length < sizeof shown && fuzz_is_utf8(shown, length));
    for (size_t i = 0; i < length; i++) ck_assert((unsigned char)shown[i] >= ' ');
    ck_assert(size == 0 || length > 0);
}

static void expect_characters(const char *text, size_t size) {
    for (size_t at = 0, length; at < size; at += length) {
        size_t again;
        ck_assert(sa_utf8_codepoint(text + at, size - at, &length) <= 0x10ffff);
        ck_assert_uint_eq(length, well_formed((const unsigned char *)text + at, size - at));
        ck_assert_int_le(sa_utf8_char_class(text + at, size - at, &again), SA_CHAR_OTHER);
        ck_assert_uint_eq(again, length);
    }
    for (size_t at = 0, length; at < size; at += length) {
        length = sa_utf8_grapheme_size(text + at, size - at);
        ck_assert(length > 0 && at + length <= size && fuzz_is_utf8(text + at, length));
    }
    ck_assert_int_ge(sa_utf8_width(text, size), 0);
    sa_utf8_is_rtl(text, size);
}

/* The result is valid text, and the function is idempotent. */
static void expect_settled(char *(*make)(const char *text, size_t size), const char *text) {
    char *once = make(text, strlen(text));
    ck_assert(once != NULL && fuzz_is_utf8(once, strlen(once)));
    char *twice = make(once, strlen(once));
    ck_assert_str_eq(once, twice);
    free(once), free(twice);
}

static char *composed(const char *text, size_t size) {
    return sa_utf8_normalize(text, size, false, NULL);
}
static char *lower(const char *text, size_t size) {
    return sa_utf8_lower(text, size, NULL);
}

/* ---- Tokenizers ------------------------------------------------------------------------------ */

static size_t skip_spaces(const char *text, size_t size, size_t at) {
    for (size_t length;
         at < size && sa_utf8_char_class(text + at, size - at, &length) == SA_CHAR_SPACE;)
        at += length;
    return at;
}

/* Whether two texts differ in white space alone. */
static bool same_but_space(const char *one, size_t size, const char *other, size_t length) {
    size_t i = 0, k = 0;
    while ((i = skip_spaces(one, size, i)) < size) {
        k = skip_spaces(other, length, k);
        if (k == length || one[i++] != other[k++]) return false;
        while (i < size && ((unsigned char)one[i] & 0xc0) == 0x80)
            if (k == length || one[i++] != other[k++]) return false;
    }
    return skip_spaces(other, length, k) == length;
}

/* The tokens occur in the text in order, separated by nothing but white space. */
static void expect_tokens(const sa_tokens *tokens, const char *text, size_t size, bool whole) {
    size_t at = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        const sa_token *token = &tokens->token[i];
        if (!whole) at = skip_spaces(text, size, at);
        ck_assert(token->text == text + at && token->size > 0 && token->size <= SA_TOKEN_MAX);
        ck_assert(fuzz_is_utf8(token->text, token->size));
        at += token->size;
    }
    ck_assert_uint_eq(whole ? at : skip_spaces(text, size, at), size);
}

/* Bytes of the white space at text[at], and whether it is one zero-width space. */
static size_t space_run(const char *text, size_t at, bool *zero_width) {
    const size_t run = skip_spaces(text, strlen(text), at) - at;
    *zero_width = run == 3 && memcmp(text + at, "\u200b", 3) == 0;
    return run;
}

/* Whether a text comes back: spaces stand where they stood, one for each run, of another kind or
 * not; none at the ends. */
static bool comes_back(const char *text, const char *joined) {
    size_t at = skip_spaces(text, strlen(text), 0);
    while (text[at]) {
        bool zero_width, joined_zero_width;
        const size_t run = space_run(text, at, &zero_width);
        const size_t now = space_run(joined, 0, &joined_zero_width);
        at += run, joined += now;
        if (run && !text[at]) return !*joined && !now;
        if ((run > 0) != (now > 0) || zero_width != joined_zero_width) return false;
        if (text[at] && text[at++] != *joined++) return false;
    }
    return !*joined;
}

/* With the table of spaces of the text itself, or with an empty one. */
static void mark_and_join(const char *text, bool learned) {
    sa_tokens tokens = {0};
    sa_strings counts = {0};
    sa_spacing spacing = {0};
    sa_vocab rows = {0};
    sa_buffer joined = {0};
    ck_assert(sa_word_tokenizer_split(text, strlen(text), &tokens, NULL));
    expect_tokens(&tokens, text, strlen(text), false);
    ck_assert(!learned || sa_spacing_count(&counts, &tokens, NULL));
    ck_assert(sa_strings_count(&counts, (sa_token){"word word ▁", strlen("word word ▁")}, 1, NULL));
    ck_assert(sa_vocab_build(&rows, &counts, 1, 0, NULL));
    ck_assert(sa_spacing_read(&spacing, &rows, "m", "t", NULL));
    ck_assert(sa_spacing_mark(&spacing, &tokens, NULL));
    sa_buffer_adds(&joined, "");
    sa_spacing_join(tokens.token, tokens.count, &spacing, &joined);
    ck_assert(!joined.failed);
    ck_assert_msg(comes_back(text, joined.text), "'%s' comes back as '%s'", text, joined.text);
    sa_buffer_release(&joined);
    sa_strings_release(&counts);
    sa_tokens_release(&tokens);
    sa_strings_release(&spacing);
    sa_strings_release(&rows);
}

/* Without a table of spaces. */
static void split_and_join(const sa_tokenizer *tokenizer, const char *text) {
    const size_t size = strlen(text);
    const bool whole = strcmp(tokenizer->name, "char") == 0;
    const sa_spacing spacing = {0};
    sa_tokens tokens = {0};
    sa_buffer joined = {0};
    ck_assert(tokenizer->split(text, size, &tokens, NULL));
    expect_tokens(&tokens, text, size, whole);
    bool marked = false; /* a word that looks like a subword */
    for (size_t i = 0; i < tokens.count; i++)
        marked |=
            tokenizer->subword && sa_subword_continues(tokens.token[i].text, tokens.token[i].size);
    sa_buffer_adds(&joined, "");
    sa_tokenizer_join(tokenizer, tokens.token, tokens.count, &spacing, &joined);
    ck_assert(!joined.failed && fuzz_is_utf8(joined.text, joined.size));
    ck_assert_msg(marked || (whole ? strcmp(joined.text, text) == 0
                                   : same_but_space(text, size, joined.text, joined.size)),
                  "'%s' comes back as '%s'", text, joined.text);
    sa_buffer_release(&joined);
    sa_tokens_release(&tokens);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST = 4096 };
    if (size > MOST) return 0;
    char *text = fuzz_copy(fuzz_input_of(data, size));
    expect_escaped(text, size);
    const bool valid = expect_verdict(text, size);
    if (valid) expect_characters(text, size);
    if (valid && strlen(text) == size) {
        expect_settled(composed, text);
        expect_settled(lower, text);
        char *normal = composed(text, size);
        for (const sa_tokenizer *row = sa_tokenizers; row->name; row++) split_and_join(row, normal);
        mark_and_join(normal, false);
        mark_and_join(normal, true);
        free(normal);
    }
    free(text);
    return 0;
}
