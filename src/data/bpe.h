/* bpe: words as sub-words, by byte-pair encoding (Sennrich, Haddow and Birch 2016, section 3.2).
 *
 *   symbols    at first the characters of a word, the last of them with "</w>" behind it
 *   a merge    makes one symbol of two neighbours wherever they stand side by side
 *   learning   merges, again and again, the two that are neighbours most often
 *   cutting    does the merges with a word in the order they were learned; the symbols left are
 *              its sub-words
 *
 * Files of merges are those of the authors' program subword-nmt: the line "#version: 0.2", then two
 * symbols and a space between them per line. The same text gives the same merges, and the same
 * merges cut a word in the same places. */
#ifndef SA_DATA_BPE_H
#define SA_DATA_BPE_H

#include "data/heap.h"
#include "data/strings.h"

/* What stands behind the last character of a word. */
#define SA_BPE_WORD_END "</w>"

typedef struct sa_bpe_merge {
    int32_t left, right, made; /* numbers of symbols */
} sa_bpe_merge;

typedef struct sa_bpe {
    sa_strings symbols;
    sa_strings pairs;    /* (left, right) of every merge: their number is the merge's */
    sa_bpe_merge *merge; /* [count] in the order they were learned */
    size_t count, capacity;
} sa_bpe;

/* ---- Merges and their files: bpe.c -------------------------------------------------------------
 */

/* Reads a file of merges. SA_DATA names file and line: the version is another, a line has not two
 * symbols or ends in CR LF, a merge stands there twice or merges what no line before it made.
 * `path` need not outlive the merges. */
bool sa_bpe_open(sa_bpe *bpe, const char *path, sa_error *error);
/* The same from the bytes of such a file; `name` stands in messages. */
bool sa_bpe_read(sa_bpe *bpe, const char *text, size_t size, const char *name, sa_error *error);
void sa_bpe_write(const sa_bpe *bpe, sa_buffer *out);
/* Whether both merge the same in the same order. */
bool sa_bpe_equal(const sa_bpe *one, const sa_bpe *other);
void sa_bpe_release(sa_bpe *bpe);

/* Appends the merge of two symbols; *made is the new symbol. */
bool sa_bpe_push(sa_bpe *bpe, int32_t left, int32_t right, int32_t *made, sa_error *error);
/* The number of the merge of two symbols, or -1. */
int32_t sa_bpe_find(const sa_bpe *bpe, int32_t left, int32_t right);
/* The bytes of a pair of symbols, as they stand in `pairs`. */
typedef struct sa_bpe_pair {
    int32_t left, right;
} sa_bpe_pair;

/* The bytes of the character at the start of a text (valid UTF-8, size > 0). */
size_t sa_bpe_character_size(const char *text, size_t size);

/* ---- Learning: bpe_learn.c ---------------------------------------------------------------------
 */

/* Learns at most `merges` merges; stops before when no two symbols are neighbours `least` times. Of
 * equally frequent pairs the one that is later in byte order comes first, as in subword-nmt. */
bool sa_bpe_learn(sa_bpe *bpe, const sa_word_counts *counts, size_t merges, int64_t least,
                  sa_error *error);

/* ---- Cutting: bpe_segment.c
 * ------------------------------------------------------------------------
 */

/* One who cuts words: the merges, and its own memory of the words it has cut. */
typedef struct sa_bpe_segmenter {
    const sa_bpe *bpe;
    const sa_strings *known; /* sub-words that may be left, as they are written ("low@@", "er");
                                others are cut again where they were merged. NULL: all */
    int32_t *producer;       /* [symbols] the merge that first made each; -1: a character */
    sa_strings words;        /* cut before */
    size_t *end;             /* [words.count] where the sizes of each end in size */
    uint32_t *size;          /* bytes of the sub-words */
    size_t end_capacity, sizes, size_capacity;
    struct sa_bpe_node *node; /* the symbols of the word being cut */
    int32_t *place;           /* where the next merge is done */
    size_t node_capacity, place_capacity;
    sa_heap heap;
} sa_bpe_segmenter;

void sa_bpe_segmenter_init(sa_bpe_segmenter *segmenter, const sa_bpe *bpe);
/* From now on only known sub-words are left; `known` must outlive the cutter. */
bool sa_bpe_segmenter_restrict(sa_bpe_segmenter *segmenter, const sa_strings *known,
                               sa_error *error);
void sa_bpe_segmenter_release(sa_bpe_segmenter *segmenter);

/* The bytes of each sub-word of a word, *count of them, valid until the next call; NULL: memory. */
const uint32_t *sa_bpe_segmenter_apply(sa_bpe_segmenter *segmenter, const char *word, size_t size,
                                       size_t *count, sa_error *error);

#endif
