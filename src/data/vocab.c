#include "data/vocab.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

typedef struct token_count {
    sa_token token;
    int64_t frequency;
} token_count;

static int by_frequency(const void *a, const void *b) {
    const token_count *x = a, *y = b;
    if (x->frequency != y->frequency) return x->frequency < y->frequency ? 1 : -1;
    return sa_token_compare(x->token, y->token);
}

/* The distinct tokens, most frequent first. */
static token_count *rank(const sa_word_counts *tokens, sa_error *error) {
    token_count *types = sa_new(tokens->words.count, sizeof *types, error);
    if (!types) return NULL;
    for (size_t i = 0; i < tokens->words.count; i++)
        types[i] = (token_count){sa_strings_get(&tokens->words, (int32_t)i), tokens->frequency[i]};
    if (tokens->words.count) qsort(types, tokens->words.count, sizeof *types, by_frequency);
    return types;
}

bool sa_vocab_build(sa_vocab *vocab, const sa_word_counts *tokens, int min_freq, int max_size,
                    sa_error *error) {
    *vocab = (sa_vocab){0};
    size_t kept = max_size ? (size_t)max_size : SIZE_MAX;
    bool good = true;
    token_count *types = rank(tokens, error);
    if (!types) return false;
    sa_buffer blob = {0};
    if (kept > tokens->words.count) kept = tokens->words.count;
    for (size_t i = 0; good && i < kept && types[i].frequency >= min_freq; i++) {
        const sa_token word = types[i].token;
        sa_buffer_add(&blob, word.text, word.size);
        sa_buffer_add(&blob, "\n", 1);
        good = sa_strings_add(&vocab->words, word.text, word.size, error) >= 0;
    }
    free(types);
    vocab->blob = blob.text;
    vocab->blob_size = blob.size;
    if (good && blob.failed) good = sa_fail_memory(error, blob.size);
    if (good && !vocab->words.count)
        good = sa_fail(error, SA_DATA, "no word occurs %d times or more (--min-freq)", min_freq);
    if (!good) sa_vocab_release(vocab);
    return good;
}

/* What is wrong with a word of a file, or NULL. */
static const char *find_problem(sa_token word) {
    size_t bad;
    if (!word.size) return "is empty";
    if (word.size > SA_SUBWORD_MAX) return "is too long";
    if (!sa_utf8_valid(word.text, word.size, &bad)) return "is not UTF-8";
    if (memchr(word.text, 0, word.size) || memchr(word.text, '\r', word.size))
        return "holds a byte that no line of text has";
    return NULL;
}

static bool add_word(sa_vocab *vocab, sa_token word, const char *file, const char *name,
                     sa_error *error) {
    const size_t number = vocab->words.count;
    const char *wrong = find_problem(word);
    if (wrong)
        return sa_fail(error, SA_DATA, "%s: tensor '%s': word %zu %s", file, name, number + 1,
                       wrong);
    const int32_t known = sa_strings_add(&vocab->words, word.text, word.size, error);
    if (known >= 0 && (size_t)known < number)
        return sa_fail(error, SA_DATA, "%s: tensor '%s': words %d and %zu are the same", file, name,
                       known + 1, number + 1);
    return known >= 0;
}

bool sa_vocab_read(sa_vocab *vocab, const char *blob, size_t size, const char *file,
                   const char *name, sa_error *error) {
    *vocab = (sa_vocab){.blob = sa_copy(blob, size, error), .blob_size = size};
    if (!vocab->blob) return false;
    const char *end = blob + size;
    bool good = (size && end[-1] == '\n') ||
                sa_fail(error, SA_DATA, "%s: tensor '%s' does not end in a line feed", file, name);
    for (const char *at = blob, *stop; good && at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        good = add_word(vocab, (sa_token){at, (size_t)(stop - at)}, file, name, error);
    }
    if (!good) sa_vocab_release(vocab);
    return good;
}

void sa_vocab_release(sa_vocab *vocab) {
    sa_strings_release(&vocab->words);
    free(vocab->blob);
    *vocab = (sa_vocab){0};
}

int sa_vocab_size(const sa_vocab *vocab) {
    return (int)vocab->words.count + SA_SPECIAL_TOKENS;
}

int32_t sa_vocab_find(const sa_vocab *vocab, const char *text, size_t size) {
    const int32_t number = sa_strings_find(&vocab->words, text, size);
    return number < 0 ? SA_UNK : number + SA_SPECIAL_TOKENS;
}

sa_token sa_vocab_token(const sa_vocab *vocab, int32_t id) {
    static const char *const specials[SA_SPECIAL_TOKENS] = {"<unk>", "</s>", "<s>"};
    sa_require(id >= 0 && id < sa_vocab_size(vocab));
    if (id < SA_SPECIAL_TOKENS) return (sa_token){specials[id], strlen(specials[id])};
    return sa_strings_get(&vocab->words, id - SA_SPECIAL_TOKENS);
}
