#include "data/tokenizer.h"
#include "base/utf8.h"
#include "data/word_tokenizer.h"

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

typedef void (*join_fn)(const sa_token *words, size_t count, bool spaced_marks, sa_buffer *out);

/* Joins the subwords of each word, then the words. */
static void join_subwords(const sa_token *tokens, size_t count, bool spaced_marks,
                          join_fn join_words, sa_buffer *out) {
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
    if (word && !text.failed) join_words(word, words, spaced_marks, out);
    out->failed |= !word || text.failed;
    sa_buffer_release(&text);
    free(word);
}

static void bpe_join(const sa_token *tokens, size_t count, bool spaced_marks, sa_buffer *out) {
    join_subwords(tokens, count, spaced_marks, sa_word_tokenizer_join, out);
}

static void space_bpe_join(const sa_token *tokens, size_t count, bool spaced_marks,
                           sa_buffer *out) {
    join_subwords(tokens, count, spaced_marks, space_join, out);
}

/* ---- The table ------------------------------------------------------------------------------- */

const sa_tokenizer sa_tokenizers[] = {
    [SA_TOKENIZER_WORD] = {"word", "words, numbers and single punctuation marks",
                           sa_word_tokenizer_split, sa_word_tokenizer_join, false},
    [SA_TOKENIZER_CHAR] = {"char", "single characters, spaces included", char_split, char_join,
                           false},
    [SA_TOKENIZER_SPACE] = {"space", "tokens separated by white space", space_split, space_join,
                            false},
    [SA_TOKENIZER_BPE] = {"bpe", "subwords of words, by merges learned from the pairs",
                          sa_word_tokenizer_split, bpe_join, true},
    [SA_TOKENIZER_SPACE_BPE] = {"space-bpe", "subwords of tokens separated by white space",
                                space_split, space_bpe_join, true},
    {.name = NULL},
};

const char *sa_tokenizer_name(size_t row) {
    return row < sizeof sa_tokenizers / sizeof *sa_tokenizers ? sa_tokenizers[row].name : NULL;
}
