#include "text/vocab.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

static int compare(const char *a, size_t a_size, const char *b, size_t b_size) {
    const int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

static int by_bytes(const void *a, const void *b) {
    const sa_token *x = a, *y = b;
    return compare(x->text, x->size, y->text, y->size);
}

typedef struct counted {
    sa_token token;
    size_t times;
} counted;

static int by_times(const void *a, const void *b) {
    const counted *x = a, *y = b;
    if (x->times != y->times) return x->times < y->times ? 1 : -1;
    return by_bytes(&x->token, &y->token);
}

static int by_word(const void *a, const void *b, void *words) {
    const sa_token *word = words;
    return by_bytes(&word[*(const size_t *)a], &word[*(const size_t *)b]);
}

/* Fills word and sorted from the blob. */
static bool index_words(sa_vocab *vocab, sa_error *error) {
    for (size_t i = 0; i < vocab->blob_size; i++) vocab->count += vocab->blob[i] == '\n';
    vocab->word = sa_new(vocab->count, sizeof *vocab->word, error);
    vocab->sorted = sa_new(vocab->count, sizeof *vocab->sorted, error);
    if (!vocab->word || !vocab->sorted) return false;
    const char *at = vocab->blob;
    for (size_t i = 0; i < vocab->count; i++) {
        const char *end = memchr(at, '\n', (size_t)(vocab->blob + vocab->blob_size - at));
        vocab->word[i] = (sa_token){at, (size_t)(end - at)};
        vocab->sorted[i] = i;
        at = end + 1;
    }
    qsort_r(vocab->sorted, vocab->count, sizeof *vocab->sorted, by_word, vocab->word);
    return true;
}

/* The different tokens, most frequent first; the list of tokens is sorted on the way. */
static bool count_kinds(sa_tokens *tokens, counted **kinds, size_t *count, sa_error *error) {
    size_t room = 0;
    if (tokens->count) qsort(tokens->token, tokens->count, sizeof *tokens->token, by_bytes);
    for (size_t i = 0; i < tokens->count; i++) {
        if (!i || by_bytes(&tokens->token[i - 1], &tokens->token[i]) != 0) {
            if (!sa_reserve(kinds, &room, *count + 1, sizeof **kinds, error)) {
                free(*kinds);
                return false;
            }
            (*kinds)[(*count)++] = (counted){tokens->token[i], 0};
        }
        (*kinds)[*count - 1].times++;
    }
    if (*count) qsort(*kinds, *count, sizeof **kinds, by_times);
    return true;
}

bool sa_vocab_build(sa_vocab *vocab, sa_tokens *tokens, int min_freq, int most, sa_error *error) {
    *vocab = (sa_vocab){0};
    counted *kinds = NULL;
    size_t count = 0, kept = 0;
    if (!count_kinds(tokens, &kinds, &count, error)) return false;
    sa_buffer blob = {0};
    for (; kept < count && kinds[kept].times >= (size_t)min_freq && (!most || kept < (size_t)most);
         kept++) {
        sa_buffer_add(&blob, kinds[kept].token.text, kinds[kept].token.size);
        sa_buffer_add(&blob, "\n", 1);
    }
    free(kinds);
    vocab->blob = blob.text;
    vocab->blob_size = blob.size;
    if (blob.failed)
        sa_fail_memory(error, blob.size);
    else if (!kept)
        sa_fail(error, SA_DATA, "no word occurs %d times or more (--min-freq)", min_freq);
    else if (index_words(vocab, error))
        return true;
    sa_vocab_release(vocab);
    return false;
}

/* What is wrong with one word of a file, or NULL. */
static const char *objection(sa_token word) {
    size_t bad;
    if (!word.size) return "is empty";
    if (word.size > SA_PIECE_MAX) return "is too long";
    if (!sa_utf8_valid(word.text, word.size, &bad)) return "is not UTF-8";
    if (memchr(word.text, 0, word.size) || memchr(word.text, '\r', word.size))
        return "holds a byte that no line of text has";
    return NULL;
}

bool sa_vocab_read(sa_vocab *vocab, const char *blob, size_t size, const char *file,
                   const char *name, sa_error *error) {
    *vocab = (sa_vocab){.blob = sa_copy(blob, size, error), .blob_size = size};
    if (!vocab->blob) return false;
    bool good =
        size && blob[size - 1] == '\n'
            ? index_words(vocab, error)
            : sa_fail(error, SA_DATA, "%s: tensor '%s' does not end in a line feed", file, name);
    for (size_t i = 0; good && i < vocab->count; i++) {
        const char *wrong = objection(vocab->word[i]);
        if (wrong)
            good =
                sa_fail(error, SA_DATA, "%s: tensor '%s': word %zu %s", file, name, i + 1, wrong);
    }
    for (size_t i = 1; good && i < vocab->count; i++) {
        const size_t a = vocab->sorted[i - 1], b = vocab->sorted[i];
        if (by_bytes(&vocab->word[a], &vocab->word[b]) == 0)
            good = sa_fail(error, SA_DATA, "%s: tensor '%s': words %zu and %zu are the same", file,
                           name, (a < b ? a : b) + 1, (a < b ? b : a) + 1);
    }
    if (!good) sa_vocab_release(vocab);
    return good;
}

void sa_vocab_release(sa_vocab *vocab) {
    free(vocab->word), free(vocab->sorted), free(vocab->blob);
    *vocab = (sa_vocab){0};
}

int sa_vocab_size(const sa_vocab *vocab) {
    return (int)vocab->count + SA_SPECIALS;
}

int32_t sa_vocab_find(const sa_vocab *vocab, const char *text, size_t size) {
    size_t low = 0, high = vocab->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2, position = vocab->sorted[middle];
        const int order =
            compare(vocab->word[position].text, vocab->word[position].size, text, size);
        if (order == 0) return (int32_t)position + SA_SPECIALS;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return SA_UNKNOWN;
}

sa_token sa_vocab_word(const sa_vocab *vocab, int32_t id) {
    static const char *const specials[SA_SPECIALS] = {"<unk>", "</s>", "<s>"};
    sa_require(id >= 0 && id < sa_vocab_size(vocab));
    if (id < SA_SPECIALS) return (sa_token){specials[id], strlen(specials[id])};
    return vocab->word[id - SA_SPECIALS];
}
