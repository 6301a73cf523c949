#include "base/subword_mark.h"
#include "data/bpe.h"

#include <stdlib.h>
#include <string.h>

/* A symbol of the word being cut, in a chain; symbol -1: no merge knows it. */
typedef struct sa_link_of_word {
    int32_t symbol, before, after; /* neighbours, or NOWHERE */
    uint32_t size;                 /* bytes of the word */
    const char *text;
} sa_link_of_word;

enum { UNKNOWN = -1, NOWHERE = -1, TAKEN = -2 };

static const size_t end_size = sizeof SA_WORD_END - 1;

/* The first merge stands before; of the same the one at the front of the word. */
static bool earlier(const void *context, const sa_ranked *a, const sa_ranked *b) {
    (void)context;
    return a->rank != b->rank ? a->rank < b->rank : a->what < b->what;
}

void sa_cutter_init(sa_cutter *cutter, const sa_bpe *bpe) {
    *cutter = (sa_cutter){.bpe = bpe, .heap = {.before = earlier}};
}

bool sa_cutter_limit(sa_cutter *cutter, const sa_strings *known, sa_error *error) {
    const sa_bpe *bpe = cutter->bpe;
    cutter->known = known;
    cutter->maker = sa_new(bpe->symbols.count, sizeof *cutter->maker, error);
    if (!cutter->maker) return false;
    for (size_t i = 0; i < bpe->symbols.count; i++) cutter->maker[i] = UNKNOWN;
    for (size_t i = bpe->count; i--;) cutter->maker[bpe->merge[i].made] = (int32_t)i;
    return true;
}

void sa_cutter_close(sa_cutter *cutter) {
    sa_strings_release(&cutter->words);
    free(cutter->maker), free(cutter->end), free(cutter->size), free(cutter->link);
    free(cutter->place);
    sa_heap_release(&cutter->heap);
    *cutter = (sa_cutter){0};
}

/* ---- Merging --------------------------------------------------------------------------------- */

/* Makes a link for every character; returns how many, 0: memory. */
static size_t spell(sa_cutter *cutter, const char *word, size_t size, sa_error *error) {
    size_t count = 0;
    for (size_t at = 0, length; at < size; at += length, count++) {
        length = sa_bpe_character(word + at, size - at);
        if (!sa_reserve(&cutter->link, &cutter->link_room, count + 1, sizeof *cutter->link, error))
            return 0;
        char text[4 + sizeof SA_WORD_END];
        const bool ends = at + length == size;
        memcpy(text, word + at, length);
        memcpy(text + length, SA_WORD_END, end_size);
        cutter->link[count] = (sa_link_of_word){
            .symbol =
                sa_strings_find(&cutter->bpe->symbols, text, ends ? length + end_size : length),
            .before = (int32_t)count - 1,
            .after = ends ? NOWHERE : (int32_t)count + 1,
            .size = (uint32_t)length,
            .text = word + at,
        };
    }
    return count;
}

/* Puts the merge of a link with the next one on the heap, if there is one. */
static bool offer(sa_cutter *cutter, int32_t at, sa_error *error) {
    const sa_link_of_word *left = &cutter->link[at];
    if (left->symbol < 0 || left->after == NOWHERE) return true;
    const int32_t right = cutter->link[left->after].symbol;
    const int32_t merge = right < 0 ? -1 : sa_bpe_find(cutter->bpe, left->symbol, right);
    return merge < 0 || sa_heap_push(&cutter->heap, (sa_ranked){merge, at}, error);
}

/* Merges a link with the next one, unless one of them has been merged otherwise. */
static bool merge(sa_cutter *cutter, int32_t at, const sa_merge *merge, sa_error *error) {
    sa_link_of_word *left = &cutter->link[at];
    if (left->symbol != merge->left || left->after == NOWHERE) return true;
    sa_link_of_word *right = &cutter->link[left->after];
    if (right->symbol != merge->right) return true;
    left->symbol = merge->made;
    left->size += right->size;
    left->after = right->after;
    right->symbol = TAKEN;
    if (left->after != NOWHERE) cutter->link[left->after].before = at;
    return offer(cutter, at, error) &&
           (left->before == NOWHERE || offer(cutter, left->before, error));
}

/* Does the first merge of the word wherever it can be done, then looks again. */
static bool merge_all(sa_cutter *cutter, size_t count, sa_error *error) {
    sa_heap *heap = &cutter->heap;
    bool good = true;
    heap->count = 0;
    for (size_t i = 0; good && i < count; i++) good = offer(cutter, (int32_t)i, error);
    while (good && heap->count) {
        const int64_t first = heap->item[0].rank;
        size_t places = 0;
        while (good && heap->count && heap->item[0].rank == first) {
            good = sa_reserve(&cutter->place, &cutter->place_room, places + 1,
                              sizeof *cutter->place, error);
            if (good) cutter->place[places++] = sa_heap_pop(heap).what;
        }
        for (size_t i = 0; good && i < places; i++)
            good = merge(cutter, cutter->place[i], &cutter->bpe->merge[first], error);
    }
    return good;
}

/* ---- Sub-words ------------------------------------------------------------------------------- */

static bool add_size(sa_cutter *cutter, uint32_t size, sa_error *error) {
    if (!sa_reserve(&cutter->size, &cutter->size_room, cutter->sizes + 1, sizeof size, error))
        return false;
    cutter->size[cutter->sizes++] = size;
    return true;
}

/* Whether a sub-word may be left as it is. */
static bool is_known(const sa_cutter *cutter, const char *text, size_t size, bool last, bool *known,
                     sa_error *error) {
    sa_buffer written = {0};
    sa_buffer_add(&written, text, size);
    if (!last) sa_buffer_adds(&written, SA_PIECE_MARK);
    if (written.failed) return sa_fail_memory(error, size);
    *known = sa_strings_find(cutter->known, written.text, written.size) >= 0;
    sa_buffer_release(&written);
    return true;
}

/* The merge that made a symbol, or -1 when there is nothing to undo. At the end of a word a mark
 * that a text spelled out ("a</w>") must not be cut: of the word's own last character it is none.
 */
static int32_t maker_of(const sa_cutter *cutter, int32_t symbol, bool at_end) {
    const int32_t maker = cutter->maker[symbol];
    if (maker < 0 || !at_end) return maker;
    const int32_t right = cutter->bpe->merge[maker].right;
    return sa_strings_text(&cutter->bpe->symbols, right).size > end_size ? maker : -1;
}

/* Undoes merges of a symbol until every part is known or a character. The parts wait in a list:
 * merges may be nested as deep as a word is long. */
static bool add_parts(sa_cutter *cutter, int32_t symbol, const char *text, bool last,
                      sa_error *error) {
    int32_t *waiting = NULL;
    size_t count = 0, room = 0;
    bool good = sa_reserve(&waiting, &room, 1, sizeof *waiting, error);
    if (good) waiting[count++] = symbol;
    while (good && count) {
        const int32_t part = waiting[--count];
        const bool at_end = last && !count;
        const size_t size =
            sa_strings_text(&cutter->bpe->symbols, part).size - (at_end ? end_size : 0);
        const int32_t maker = maker_of(cutter, part, at_end);
        bool known = maker < 0;
        good = known || is_known(cutter, text, size, at_end, &known, error);
        if (good && known) {
            good = add_size(cutter, (uint32_t)size, error);
            text += size;
        } else if (good && (good = sa_reserve(&waiting, &room, count + 2, sizeof part, error))) {
            waiting[count++] = cutter->bpe->merge[maker].right;
            waiting[count++] = cutter->bpe->merge[maker].left;
        }
    }
    free(waiting);
    return good;
}

static bool cut(sa_cutter *cutter, const char *word, size_t size, sa_error *error) {
    const size_t count = spell(cutter, word, size, error);
    bool good = count && merge_all(cutter, count, error);
    for (int32_t at = 0; good && at != NOWHERE; at = cutter->link[at].after) {
        const sa_link_of_word *link = &cutter->link[at];
        good = cutter->known && link->symbol >= 0
                   ? add_parts(cutter, link->symbol, link->text, link->after == NOWHERE, error)
                   : add_size(cutter, link->size, error);
    }
    return good;
}

const uint32_t *sa_cutter_cut(sa_cutter *cutter, const char *word, size_t size, size_t *count,
                              sa_error *error) {
    const size_t known = cutter->words.count;
    const int32_t number = sa_strings_add(&cutter->words, word, size, error);
    if (number < 0) return NULL;
    if (cutter->words.count > known) {
        const size_t before = cutter->sizes;
        if (!sa_reserve(&cutter->end, &cutter->end_room, known + 1, sizeof *cutter->end, error) ||
            !cut(cutter, word, size, error)) {
            cutter->sizes = before;
            return NULL;
        }
        cutter->end[number] = cutter->sizes;
    }
    const size_t first = number ? cutter->end[number - 1] : 0;
    *count = cutter->end[number] - first;
    return cutter->size + first;
}
