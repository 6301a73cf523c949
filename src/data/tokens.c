#include "data/tokens.h"
#include "base/rng.h"
#include "base/thread.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* ---- Subwords -------------------------------------------------------------------------------- */

bool sa_subword_continues(const char *text, size_t size) {
    const size_t mark = sizeof SA_SUBWORD_MARK - 1;
    return size > mark && memcmp(text + size - mark, SA_SUBWORD_MARK, mark) == 0;
}

int sa_subword_word_indices(const char *const *token, int count, bool subwords, int *word) {
    int words = 0;
    for (int i = 0; i < count; i++) {
        const bool part = subwords && i && sa_subword_continues(token[i - 1], strlen(token[i - 1]));
        const bool end = i == count - 1 && strcmp(token[i], "</s>") == 0;
        words += !part || end;
        word[i] = words - 1;
    }
    return words;
}

size_t sa_unknown_word_size(const char *text, size_t size) {
    const size_t unknown = sizeof SA_UNKNOWN_WORD - 1;
    return size >= unknown && memcmp(text, SA_UNKNOWN_WORD, unknown) == 0 ? unknown : 0;
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* Returns the size in bytes of the longest run of grapheme clusters that fits into a token or, if
 * not even one fits (very many combining marks), of code points. Looks at most one code point
 * beyond the limit, so that splitting takes linear time. size > SA_TOKEN_MAX. */
static size_t fitting_prefix(const char *text, size_t size) {
    const size_t reach = size < SA_TOKEN_MAX + 4 ? size : SA_TOKEN_MAX + 4;
    size_t part = 0, next;
    while ((next = sa_utf8_grapheme_size(text + part, reach - part)) + part <= SA_TOKEN_MAX)
        part += next;
    if (part) return part;
    for (part = SA_TOKEN_MAX; ((unsigned char)text[part] & 0xc0) == 0x80;) part--;
    return part;
}

bool sa_tokens_add(sa_tokens *tokens, const char *text, size_t size, sa_error *error) {
    if (!sa_reserve(&tokens->token, &tokens->capacity, tokens->count + 1, sizeof *tokens->token,
                    error))
        return false;
    tokens->token[tokens->count++] = (sa_token){text, size};
    return true;
}

bool sa_tokens_push_split(sa_tokens *tokens, const char *text, size_t size, sa_error *error) {
    while (size) {
        const size_t part = size > SA_TOKEN_MAX ? fitting_prefix(text, size) : size;
        if (!sa_tokens_add(tokens, text, part, error)) return false;
        text += part, size -= part;
    }
    return true;
}

void sa_tokens_release(sa_tokens *tokens) {
    free(tokens->token), free(tokens->owned);
    *tokens = (sa_tokens){0};
}

/* ---- Sets of strings ------------------------------------------------------------------------- */

enum { MAX_STRINGS = INT32_MAX - 1 };

sa_token sa_strings_get(const sa_strings *strings, int32_t number) {
    const size_t start = number ? strings->entry[number - 1].end + 1 : 0;
    return (sa_token){strings->text.text + start, strings->entry[number].end - start};
}

/* Returns the slot of the string, or the free slot for it; slots > 0. Numbers of strings do not
 * depend on the key. */
static size_t slot_of(const sa_strings *strings, const char *text, size_t size) {
    size_t at = sa_hash_siphash(sa_random_key(), text, size) & (strings->slots - 1);
    while (strings->slot[at]) {
        const sa_token other = sa_strings_get(strings, (int32_t)strings->slot[at] - 1);
        if (other.size == size && memcmp(other.text, text, size) == 0) break;
        at = (at + 1) & (strings->slots - 1);
    }
    return at;
}

int32_t sa_strings_find(const sa_strings *strings, const char *text, size_t size) {
    return strings->slots ? (int32_t)strings->slot[slot_of(strings, text, size)] - 1 : -1;
}

/* Grows the table so that at least half of the slots are free. */
static bool grow(sa_strings *strings, sa_error *error) {
    if (2 * (strings->count + 1) <= strings->slots) return true;
    sa_strings larger = *strings;
    larger.slots = strings->slots ? 2 * strings->slots : 64;
    larger.slot = sa_new(larger.slots, sizeof *larger.slot, error);
    if (!larger.slot) return false;
    for (size_t i = 0; i < strings->count; i++) {
        const sa_token each = sa_strings_get(strings, (int32_t)i);
        larger.slot[slot_of(&larger, each.text, each.size)] = (uint32_t)i + 1;
    }
    free(strings->slot);
    strings->slot = larger.slot;
    strings->slots = larger.slots;
    return true;
}

int32_t sa_strings_add(sa_strings *strings, const char *text, size_t size, sa_error *error) {
    if (strings->count == MAX_STRINGS) {
        sa_fail(error, SA_LIMIT, "more than %d different words", MAX_STRINGS);
        return -1;
    }
    if (!grow(strings, error)) return -1;
    const size_t at = slot_of(strings, text, size);
    if (strings->slot[at]) return (int32_t)strings->slot[at] - 1;
    if (!sa_reserve(&strings->entry, &strings->capacity, strings->count + 1, sizeof *strings->entry,
                    error))
        return -1;
    sa_buffer_add(&strings->text, text, size);
    sa_buffer_add(&strings->text, "\n", 1);
    if (strings->text.failed) {
        sa_fail_memory(error, strings->text.size);
        return -1;
    }
    strings->entry[strings->count++] = (sa_string_entry){strings->text.size - 1, 0};
    strings->slot[at] = (uint32_t)strings->count;
    return (int32_t)strings->count - 1;
}

bool sa_strings_count(sa_strings *strings, sa_token string, int64_t times, sa_error *error) {
    const int32_t number = sa_strings_add(strings, string.text, string.size, error);
    if (number >= 0) strings->entry[number].value += times;
    return number >= 0;
}

void sa_strings_release(sa_strings *strings) {
    sa_buffer_release(&strings->text);
    free(strings->entry), free(strings->slot);
    *strings = (sa_strings){0};
}
