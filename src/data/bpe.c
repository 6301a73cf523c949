#include "data/bpe.h"
#include "base/file.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define VERSION "#version: 0.2"

static const size_t end_size = sizeof SA_BPE_WORD_END - 1;

/* ---- Merges ---------------------------------------------------------------------------------- */

/* Returns the index of the merge of two symbols, or -1. */
static int32_t find_merge(const sa_bpe *bpe, int32_t left, int32_t right) {
    const sa_bpe_pair pair = {left, right};
    return sa_strings_find(&bpe->pairs, (const char *)&pair, sizeof pair);
}

sa_bpe_pair sa_bpe_pair_of(const sa_strings *pairs, size_t number) {
    sa_bpe_pair pair;
    memcpy(&pair, sa_strings_get(pairs, (int32_t)number).text, sizeof pair);
    return pair;
}

bool sa_bpe_push(sa_bpe *bpe, int32_t left, int32_t right, int32_t *made, sa_error *error) {
    const sa_bpe_pair pair = {left, right};
    const sa_token one = sa_strings_get(&bpe->symbols, left);
    const sa_token other = sa_strings_get(&bpe->symbols, right);
    char *both = sa_format(error, "%.*s%.*s", (int)one.size, one.text, (int)other.size, other.text);
    *made = both ? sa_strings_add(&bpe->symbols, both, one.size + other.size, error) : -1;
    free(both);
    const int32_t number =
        *made < 0 ? -1 : sa_strings_add(&bpe->pairs, (const char *)&pair, sizeof pair, error);
    if (number >= 0) bpe->pairs.entry[number].value = *made;
    return number >= 0;
}

void sa_bpe_release(sa_bpe *bpe) {
    sa_strings_release(&bpe->symbols);
    sa_strings_release(&bpe->pairs);
    free(bpe->glossaries);
    *bpe = (sa_bpe){0};
}

static const char *glossaries_of(const sa_bpe *bpe) {
    return bpe->glossaries ? bpe->glossaries : "";
}

bool sa_bpe_set_glossaries(sa_bpe *bpe, const char *list, bool lower, sa_error *error) {
    free(bpe->glossaries);
    bpe->glossaries = sa_utf8_normalize(list, strlen(list), lower, error);
    return bpe->glossaries;
}

/* ---- Files ----------------------------------------------------------------------------------- */

void sa_bpe_write(const sa_bpe *bpe, sa_buffer *out) {
    sa_buffer_adds(out, VERSION "\n");
    for (size_t i = 0; i < bpe->pairs.count; i++) {
        const sa_bpe_pair pair = sa_bpe_pair_of(&bpe->pairs, i);
        const sa_token left = sa_strings_get(&bpe->symbols, pair.left);
        const sa_token right = sa_strings_get(&bpe->symbols, pair.right);
        sa_buffer_addf(out, "%.*s %.*s\n", (int)left.size, left.text, (int)right.size, right.text);
    }
}

static bool same_symbol(const sa_bpe *one, int32_t a, const sa_bpe *other, int32_t b) {
    return sa_token_compare(sa_strings_get(&one->symbols, a), sa_strings_get(&other->symbols, b)) ==
           0;
}

bool sa_bpe_equal(const sa_bpe *one, const sa_bpe *other) {
    bool same = one->pairs.count == other->pairs.count &&
                strcmp(glossaries_of(one), glossaries_of(other)) == 0;
    for (size_t i = 0; same && i < one->pairs.count; i++) {
        const sa_bpe_pair a = sa_bpe_pair_of(&one->pairs, i), b = sa_bpe_pair_of(&other->pairs, i);
        same = same_symbol(one, a.left, other, b.left) && same_symbol(one, a.right, other, b.right);
    }
    return same;
}

static bool check_version(const char *line, const char *name, sa_error *error) {
    if (strcmp(line, VERSION) == 0) return true;
    return sa_fail(error, SA_DATA, "%s:1: expected '" VERSION "', the first line of merges", name);
}

/* Returns whether a symbol is a single character, with or without the mark of a word's end. */
static bool is_character(sa_token symbol) {
    const size_t first = sa_utf8_character_size(symbol.text, symbol.size);
    const size_t rest = symbol.size - first;
    return !rest || (rest == end_size && memcmp(symbol.text + first, SA_BPE_WORD_END, rest) == 0);
}

/* Returns the id of a symbol that is a character or the result of an earlier merge, or -1. */
static int32_t symbol_of(sa_bpe *bpe, sa_token symbol, const sa_text_lines *reader,
                         sa_error *error) {
    if (is_character(symbol)) return sa_strings_add(&bpe->symbols, symbol.text, symbol.size, error);
    const int32_t number = sa_strings_find(&bpe->symbols, symbol.text, symbol.size);
    if (number < 0)
        sa_fail(error, SA_DATA, "%s:%zu: '%.*s' is not a character, and no line before makes it",
                reader->file.name, reader->number, (int)(symbol.size < 100 ? symbol.size : 100),
                symbol.text);
    return number;
}

static bool read_merge(sa_bpe *bpe, const sa_text_lines *reader, sa_error *error) {
    const char *name = reader->file.name, *line = reader->line;
    const size_t number = reader->number;
    const sa_token left = {line, strcspn(line, " ")};
    const size_t second = left.size + (line[left.size] == ' ');
    const sa_token right = {line + second, reader->size - second};
    if (!left.size || !right.size || memchr(right.text, ' ', right.size))
        return sa_fail(error, SA_DATA, "%s:%zu: expected two symbols with one space between", name,
                       number);
    const int32_t one = symbol_of(bpe, left, reader, error);
    const int32_t other = one < 0 ? -1 : symbol_of(bpe, right, reader, error);
    if (other < 0) return false;
    const int32_t known = find_merge(bpe, one, other);
    if (known >= 0) /* merge 0 is on line 2 */
        return sa_fail(error, SA_DATA, "%s:%zu: the same merge as on line %zu", name, number,
                       (size_t)known + 2);
    int32_t made;
    return sa_bpe_push(bpe, one, other, &made, error);
}

/* Reads all merges and closes the reader. */
static bool read_all(sa_bpe *bpe, sa_text_lines *reader, sa_error *error) {
    const char *name = reader->file.name;
    bool good = true;
    while (good && sa_text_lines_next(reader, error))
        good = reader->number == 1 ? check_version(reader->line, name, error)
                                   : read_merge(bpe, reader, error);
    good = good && !reader->failed && (reader->number || check_version("", name, error));
    sa_text_lines_close(reader);
    if (!good) sa_bpe_release(bpe);
    return good;
}

bool sa_bpe_open(sa_bpe *bpe, const char *path, sa_error *error) {
    sa_text_lines reader;
    *bpe = (sa_bpe){0};
    return sa_text_lines_open(&reader, path, error) && read_all(bpe, &reader, error);
}

bool sa_bpe_read(sa_bpe *bpe, const char *text, size_t size, const char *name, sa_error *error) {
    sa_text_lines reader = {
        .file = {.data = sa_copy(text, size, error), .size = size, .name = name}};
    *bpe = (sa_bpe){0};
    return reader.file.data && read_all(bpe, &reader, error);
}

/* ---- Segmentation ---------------------------------------------------------------------------- */

enum { NO_MERGE = INT32_MAX };

/* A symbol of the current word. */
typedef struct sa_bpe_symbol {
    int32_t id;    /* -1: no merge contains it */
    int32_t merge; /* with the next symbol, or NO_MERGE */
    uint32_t size; /* bytes */
} sa_bpe_symbol;

void sa_bpe_segmenter_release(sa_bpe_segmenter *segmenter) {
    sa_strings_release(&segmenter->words);
    free(segmenter->size), free(segmenter->symbol);
    *segmenter = (sa_bpe_segmenter){0};
}

/* ---- Merging --------------------------------------------------------------------------------- */

/* Makes a symbol of every character. Returns their number; 0: out of memory. */
static size_t split_characters(sa_bpe_segmenter *segmenter, const char *word, size_t size,
                               sa_error *error) {
    size_t count = 0;
    for (size_t at = 0, length; at < size; at += length) {
        char text[4 + sizeof SA_BPE_WORD_END];
        length = sa_utf8_character_size(word + at, size - at);
        memcpy(mempcpy(text, word + at, length), SA_BPE_WORD_END, end_size);
        const size_t marked = length + (at + length == size ? end_size : 0);
        const sa_bpe_symbol symbol = {
            .id = sa_strings_find(&segmenter->bpe->symbols, text, marked),
            .size = (uint32_t)length,
        };
        if (!sa_append(&segmenter->symbol, &count, &segmenter->symbol_capacity, &symbol,
                       sizeof symbol, error))
            return 0;
    }
    return count;
}

static int32_t merge_with_next(const sa_bpe_segmenter *segmenter, const sa_bpe_symbol *symbol) {
    const int32_t left = symbol[0].id, right = symbol[1].id;
    const int32_t merge = left < 0 || right < 0 ? -1 : find_merge(segmenter->bpe, left, right);
    return merge < 0 ? NO_MERGE : merge;
}

/* Applies a merge wherever it is possible, from left to right. Returns how many symbols are left.
 */
static size_t apply_merge(sa_bpe_segmenter *segmenter, size_t count, int32_t merge) {
    sa_bpe_symbol *symbol = segmenter->symbol;
    const int32_t made = (int32_t)segmenter->bpe->pairs.entry[merge].value;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++, kept++) {
        const bool joins = symbol[i].merge == merge;
        symbol[kept] = symbol[i];
        if (!joins) continue;
        symbol[kept].id = made;
        symbol[kept].size += symbol[++i].size;
    }
    for (size_t i = 0; i + 1 < kept; i++)
        if (symbol[i].id == made || symbol[i + 1].id == made)
            symbol[i].merge = merge_with_next(segmenter, &symbol[i]);
    symbol[kept - 1].merge = NO_MERGE;
    return kept;
}

/* Repeatedly applies the earliest merge. Returns how many symbols are left. */
static size_t merge_all(sa_bpe_segmenter *segmenter, size_t count) {
    sa_bpe_symbol *symbol = segmenter->symbol;
    for (size_t i = 0; i < count; i++)
        symbol[i].merge = i + 1 < count ? merge_with_next(segmenter, &symbol[i]) : NO_MERGE;
    for (;;) {
        int32_t first = NO_MERGE;
        for (size_t i = 0; i < count; i++)
            if (symbol[i].merge < first) first = symbol[i].merge;
        if (first == NO_MERGE) return count;
        count = apply_merge(segmenter, count, first);
    }
}

/* ---- Subwords -------------------------------------------------------------------------------- */

static bool add_size(sa_bpe_segmenter *segmenter, uint32_t size, sa_error *error) {
    return sa_append(&segmenter->size, &segmenter->sizes, &segmenter->size_capacity, &size,
                     sizeof size, error);
}

/* Cuts a word at the glossaries from `list` on, one after another, as subword-nmt does, and adds
 * the sizes of the subwords of its pieces. */
static bool segment(sa_bpe_segmenter *segmenter, const char *word, size_t size, const char *list,
                    sa_error *error) {
    bool whole = false; /* what is left of the word is a glossary */
    for (size_t length; *(list += strspn(list, " ")); list += length) {
        length = strcspn(list, " ");
        for (const char *at; size > length && (at = memmem(word, size, list, length));) {
            const size_t before = (size_t)(at - word);
            if ((before && !segment(segmenter, word, before, list + length, error)) ||
                !segment(segmenter, at, length, list, error))
                return false;
            word = at + length, size -= before + length, whole = false;
        }
        whole = whole || (size == length && memcmp(word, list, length) == 0);
    }
    if (whole || !size) return !size || add_size(segmenter, (uint32_t)size, error);
    size_t count = split_characters(segmenter, word, size, error);
    bool good = count;
    if (good) count = merge_all(segmenter, count);
    for (size_t i = 0; good && i < count; i++)
        good = add_size(segmenter, segmenter->symbol[i].size, error);
    return good;
}

const uint32_t *sa_bpe_segmenter_apply(sa_bpe_segmenter *segmenter, const char *word, size_t size,
                                       size_t *count, sa_error *error) {
    const size_t known = segmenter->words.count;
    const int32_t number = sa_strings_add(&segmenter->words, word, size, error);
    if (number < 0) return NULL;
    sa_string_entry *entry = &segmenter->words.entry[number];
    if (segmenter->words.count > known) {
        if (!segment(segmenter, word, size, glossaries_of(segmenter->bpe), error)) {
            /* the cache must not know the word, but has no way to forget it alone */
            sa_strings_release(&segmenter->words), segmenter->sizes = 0;
            return NULL;
        }
        entry->value = (int64_t)segmenter->sizes;
    }
    const size_t first = number ? (size_t)entry[-1].value : 0;
    *count = (size_t)entry->value - first;
    return segmenter->size + first;
}
