#include "data/bpe.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

/* ---- Heaps ----------------------------------------------------------------------------------- */

bool sa_heap_push(sa_heap *heap, sa_heap_item item, sa_error *error) {
    if (!sa_reserve(&heap->item, &heap->capacity, heap->count + 1, sizeof item, error))
        return false;
    size_t at = heap->count++;
    for (size_t up; at; at = up) {
        up = (at - 1) / 2;
        if (!heap->before(heap->context, &item, &heap->item[up])) break;
        heap->item[at] = heap->item[up];
    }
    heap->item[at] = item;
    return true;
}

sa_heap_item sa_heap_pop(sa_heap *heap) {
    sa_require(heap->count > 0);
    const sa_heap_item first = heap->item[0], last = heap->item[--heap->count];
    size_t at = 0;
    for (size_t down; (down = 2 * at + 1) < heap->count; at = down) {
        if (down + 1 < heap->count &&
            heap->before(heap->context, &heap->item[down + 1], &heap->item[down]))
            down++;
        if (!heap->before(heap->context, &heap->item[down], &last)) break;
        heap->item[at] = heap->item[down];
    }
    heap->item[at] = last;
    return first;
}

void sa_heap_release(sa_heap *heap) {
    free(heap->item);
    heap->item = NULL;
    heap->count = heap->capacity = 0;
}

#define VERSION "#version: 0.2"
#define OLD_VERSION "#version: 0.1"

static const size_t end_size = sizeof SA_BPE_WORD_END - 1;

/* ---- Merges ---------------------------------------------------------------------------------- */

size_t sa_bpe_character_size(const char *text, size_t size) {
    size_t length = 1;
    while (length < size && ((unsigned char)text[length] & 0xc0) == 0x80) length++;
    return length;
}

size_t sa_bpe_count_characters(sa_token word) {
    size_t count = 0;
    for (size_t at = 0; at < word.size; count++)
        at += sa_bpe_character_size(word.text + at, word.size - at);
    return count;
}

/* The index of the merge of two symbols, or -1. */
static int32_t find_merge(const sa_bpe *bpe, int32_t left, int32_t right) {
    const sa_bpe_pair pair = {left, right};
    return sa_strings_find(&bpe->pairs, (const char *)&pair, sizeof pair);
}

bool sa_bpe_push(sa_bpe *bpe, int32_t left, int32_t right, int32_t *made, sa_error *error) {
    const sa_bpe_pair pair = {left, right};
    const sa_token one = sa_strings_get(&bpe->symbols, left);
    const sa_token other = sa_strings_get(&bpe->symbols, right);
    sa_buffer both = {0};
    sa_buffer_add(&both, one.text, one.size);
    sa_buffer_add(&both, other.text, other.size);
    if (both.failed) sa_fail_memory(error, one.size + other.size);
    *made = both.failed ? -1 : sa_strings_add(&bpe->symbols, both.text, both.size, error);
    sa_buffer_release(&both);
    const int32_t number =
        *made < 0 ? -1 : sa_strings_add(&bpe->pairs, (const char *)&pair, sizeof pair, error);
    if (number < 0 ||
        !sa_reserve(&bpe->merge, &bpe->capacity, bpe->pairs.count, sizeof *bpe->merge, error))
        return false;
    bpe->merge[number] = (sa_bpe_merge){left, right, *made};
    bpe->count = bpe->pairs.count;
    return true;
}

void sa_bpe_release(sa_bpe *bpe) {
    sa_strings_release(&bpe->symbols);
    sa_strings_release(&bpe->pairs);
    free(bpe->merge);
    *bpe = (sa_bpe){0};
}

/* ---- Files ----------------------------------------------------------------------------------- */

void sa_bpe_write(const sa_bpe *bpe, sa_buffer *out) {
    sa_buffer_adds(out, bpe->separate_end ? OLD_VERSION "\n" : VERSION "\n");
    for (size_t i = 0; i < bpe->count; i++) {
        const sa_token left = sa_strings_get(&bpe->symbols, bpe->merge[i].left);
        const sa_token right = sa_strings_get(&bpe->symbols, bpe->merge[i].right);
        sa_buffer_add(out, left.text, left.size);
        sa_buffer_add(out, " ", 1);
        sa_buffer_add(out, right.text, right.size);
        sa_buffer_add(out, "\n", 1);
    }
}

static bool same_symbol(const sa_bpe *one, int32_t a, const sa_bpe *other, int32_t b) {
    return sa_token_compare(sa_strings_get(&one->symbols, a), sa_strings_get(&other->symbols, b)) ==
           0;
}

bool sa_bpe_equal(const sa_bpe *one, const sa_bpe *other) {
    bool same = one->count == other->count && one->separate_end == other->separate_end;
    for (size_t i = 0; same && i < one->count; i++)
        same = same_symbol(one, one->merge[i].left, other, other->merge[i].left) &&
               same_symbol(one, one->merge[i].right, other, other->merge[i].right);
    return same;
}

/* Reads the first line; *merge: it is the first merge of a file of version 0.1. */
static bool read_version(sa_bpe *bpe, const char *line, const char *name, bool *merge,
                         sa_error *error) {
    *merge = *line && *line != '#';
    bpe->separate_end = *merge || strcmp(line, OLD_VERSION) == 0;
    if (bpe->separate_end || strcmp(line, VERSION) == 0) return true;
    if (strcmp(line, VERSION " byte") == 0)
        return sa_fail(error, SA_DATA, "%s:1: merges of bytes; those of characters are read", name);
    return sa_fail(error, SA_DATA, "%s:1: expected '" VERSION "', the first line of merges", name);
}

/* Whether a symbol is a single character, with or without the end-of-word mark. */
static bool is_character(sa_token symbol) {
    const size_t first = sa_bpe_character_size(symbol.text, symbol.size);
    const size_t rest = symbol.size - first;
    return !rest || (rest == sizeof SA_BPE_WORD_END - 1 &&
                     memcmp(symbol.text + first, SA_BPE_WORD_END, rest) == 0);
}

/* The id of a symbol that is a character or the result of an earlier merge, or -1. */
static int32_t symbol_of(sa_bpe *bpe, sa_token symbol, const sa_text_lines *reader,
                         sa_error *error) {
    const bool end =
        bpe->separate_end && sa_token_compare(symbol, (sa_token){SA_BPE_WORD_END, end_size}) == 0;
    if (end || is_character(symbol))
        return sa_strings_add(&bpe->symbols, symbol.text, symbol.size, error);
    const int32_t number = sa_strings_find(&bpe->symbols, symbol.text, symbol.size);
    if (number < 0)
        sa_fail(error, SA_DATA, "%s:%zu: '%.*s' is no character, and no line before makes it",
                reader->file.name, reader->lines.number,
                (int)(symbol.size < 100 ? symbol.size : 100), symbol.text);
    return number;
}

static bool read_merge(sa_bpe *bpe, sa_token line, const sa_text_lines *reader, sa_error *error) {
    const char *name = reader->file.name, *space = memchr(line.text, ' ', line.size);
    const size_t number = reader->lines.number;
    const sa_token left = {line.text, space ? (size_t)(space - line.text) : line.size};
    const size_t second = left.size + (space != NULL);
    const sa_token right = {line.text + second, line.size - second};
    if (!left.size || !right.size || memchr(right.text, ' ', right.size))
        return sa_fail(error, SA_DATA, "%s:%zu: expected %stwo symbols with one space between",
                       name, number, number == 1 ? "'" VERSION "' or " : "");
    const int32_t one = symbol_of(bpe, left, reader, error);
    const int32_t other = one < 0 ? -1 : symbol_of(bpe, right, reader, error);
    if (other < 0) return false;
    const int32_t known = find_merge(bpe, one, other);
    if (known >= 0 && bpe->separate_end) return true;
    if (known >= 0) /* merge 0 is on line 2 */
        return sa_fail(error, SA_DATA, "%s:%zu: the same merge as on line %zu", name, number,
                       (size_t)known + 2);
    int32_t made;
    return sa_bpe_push(bpe, one, other, &made, error);
}

static bool read_lines(sa_bpe *bpe, sa_text_lines *reader, sa_error *error) {
    const char *name = reader->file.name;
    char *line;
    size_t size;
    bool failed = false, merge = true;
    while (sa_text_lines_next(reader, &line, &size, &failed, error)) {
        const char *next = reader->file.data + reader->lines.at;
        if (next - (line + size) == 2)
            return sa_fail(error, SA_DATA, "%s:%zu: the line ends in CR LF; merges end in LF alone",
                           name, reader->lines.number);
        if (reader->lines.number == 1 && !read_version(bpe, line, name, &merge, error))
            return false;
        if (merge && !read_merge(bpe, (sa_token){line, size}, reader, error)) return false;
        merge = true;
    }
    return !failed && (reader->lines.number || read_version(bpe, "", name, &merge, error));
}

/* Closes the reader. */
static bool read_all(sa_bpe *bpe, sa_text_lines *reader, sa_error *error) {
    const bool good = read_lines(bpe, reader, error);
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
    reader.lines.file = &reader.file;
    return reader.file.data && read_all(bpe, &reader, error);
}

/* ---- Segmentation ---------------------------------------------------------------------------- */

/* A symbol of the current word, in a linked list; UNKNOWN: no merge contains it. */
typedef struct sa_bpe_node {
    int32_t symbol, before, after; /* before, after: neighbors, or NONE */
    uint32_t size;                 /* bytes */
    const char *text;
} sa_bpe_node;

enum { UNKNOWN = -1, NONE = -1, MERGED = -2 };

/* The earlier merge comes first; of the same merge, the leftmost position. */
static bool earlier(const void *context, const sa_heap_item *a, const sa_heap_item *b) {
    return a->rank != b->rank ? a->rank < b->rank : a->id < b->id;
}

void sa_bpe_segmenter_init(sa_bpe_segmenter *segmenter, const sa_bpe *bpe) {
    *segmenter = (sa_bpe_segmenter){.bpe = bpe, .heap = {.before = earlier}};
}

void sa_bpe_segmenter_release(sa_bpe_segmenter *segmenter) {
    sa_strings_release(&segmenter->words);
    free(segmenter->end), free(segmenter->size), free(segmenter->node);
    free(segmenter->position);
    sa_heap_release(&segmenter->heap);
    *segmenter = (sa_bpe_segmenter){0};
}

/* ---- Merging --------------------------------------------------------------------------------- */

/* Makes a node for every character, and an empty one for an end that is a symbol of its own;
 * returns their number, 0: out of memory. */
static size_t split_characters(sa_bpe_segmenter *segmenter, const char *word, size_t size,
                               sa_error *error) {
    const bool separate = segmenter->bpe->separate_end;
    size_t count = 0;
    for (size_t at = 0, length; at < size + separate; at += length, count++) {
        length = at < size ? sa_bpe_character_size(word + at, size - at) : 0;
        if (!sa_reserve(&segmenter->node, &segmenter->node_capacity, count + 1,
                        sizeof *segmenter->node, error))
            return 0;
        char text[4 + sizeof SA_BPE_WORD_END];
        const bool ends = separate ? !length : at + length == size;
        memcpy(text, word + at, length);
        memcpy(text + length, SA_BPE_WORD_END, end_size);
        segmenter->node[count] = (sa_bpe_node){
            .symbol =
                sa_strings_find(&segmenter->bpe->symbols, text, ends ? length + end_size : length),
            .before = (int32_t)count - 1,
            .after = ends ? NONE : (int32_t)count + 1,
            .size = (uint32_t)length,
            .text = word + at,
        };
        if (separate && !length) return count + 1;
    }
    return count;
}

/* Pushes the merge of a node with the next one, if there is one. */
static bool push_merge(sa_bpe_segmenter *segmenter, int32_t at, sa_error *error) {
    const sa_bpe_node *left = &segmenter->node[at];
    if (left->symbol < 0 || left->after == NONE) return true;
    const int32_t right = segmenter->node[left->after].symbol;
    const int32_t merge = right < 0 ? -1 : find_merge(segmenter->bpe, left->symbol, right);
    return merge < 0 || sa_heap_push(&segmenter->heap, (sa_heap_item){merge, at}, error);
}

/* Makes one symbol of a node and the next one, unless one of them has changed. */
static bool merge(sa_bpe_segmenter *segmenter, int32_t at, const sa_bpe_merge *merge,
                  sa_error *error) {
    sa_bpe_node *left = &segmenter->node[at];
    if (left->symbol != merge->left || left->after == NONE) return true;
    sa_bpe_node *right = &segmenter->node[left->after];
    if (right->symbol != merge->right) return true;
    left->symbol = merge->made;
    left->size += right->size;
    left->after = right->after;
    right->symbol = MERGED;
    if (left->after != NONE) segmenter->node[left->after].before = at;
    return push_merge(segmenter, at, error) &&
           (left->before == NONE || push_merge(segmenter, left->before, error));
}

/* Repeatedly applies the earliest merge of the word at all its positions. */
static bool merge_all(sa_bpe_segmenter *segmenter, size_t count, sa_error *error) {
    sa_heap *heap = &segmenter->heap;
    bool good = true;
    heap->count = 0;
    for (size_t i = 0; good && i < count; i++) good = push_merge(segmenter, (int32_t)i, error);
    while (good && heap->count) {
        const int64_t first = heap->item[0].rank;
        size_t positions = 0;
        while (good && heap->count && heap->item[0].rank == first) {
            const int32_t position = sa_heap_pop(heap).id;
            good = sa_append(&segmenter->position, &positions, &segmenter->position_capacity,
                             &position, sizeof position, error);
        }
        for (size_t i = 0; good && i < positions; i++)
            good = merge(segmenter, segmenter->position[i], &segmenter->bpe->merge[first], error);
    }
    return good;
}

/* ---- Subwords -------------------------------------------------------------------------------- */

static bool segment(sa_bpe_segmenter *segmenter, const char *word, size_t size, sa_error *error) {
    const size_t count = split_characters(segmenter, word, size, error);
    bool good = count && merge_all(segmenter, count, error);
    for (int32_t at = 0; good && at != NONE; at = segmenter->node[at].after) {
        const sa_bpe_node *node = &segmenter->node[at];
        if (!node->size) break; /* the end, which nothing was merged with */
        good = sa_append(&segmenter->size, &segmenter->sizes, &segmenter->size_capacity,
                         &node->size, sizeof node->size, error);
    }
    return good;
}

const uint32_t *sa_bpe_segmenter_apply(sa_bpe_segmenter *segmenter, const char *word, size_t size,
                                       size_t *count, sa_error *error) {
    const size_t known = segmenter->words.count;
    const int32_t number = sa_strings_add(&segmenter->words, word, size, error);
    if (number < 0) return NULL;
    if (segmenter->words.count > known) {
        const size_t before = segmenter->sizes;
        if (!sa_reserve(&segmenter->end, &segmenter->end_capacity, known + 1,
                        sizeof *segmenter->end, error) ||
            !segment(segmenter, word, size, error)) {
            segmenter->sizes = before;
            return NULL;
        }
        segmenter->end[number] = segmenter->sizes;
    }
    const size_t first = number ? segmenter->end[number - 1] : 0;
    *count = segmenter->end[number] - first;
    return segmenter->size + first;
}
