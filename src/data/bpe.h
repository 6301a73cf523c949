/* bpe: byte-pair encoding of words into subwords (Sennrich, Haddow and Birch 2016, section 3.2).
 *
 *   symbols       initially the characters of a word, the last one followed by "</w>"
 *   merge         replaces two adjacent symbols by one, wherever they occur
 *   learning      repeatedly merges the most frequent pair of adjacent symbols
 *   segmentation  applies the merges to a word in the order they were learned; the remaining
 *                 symbols are its subwords
 *
 * Merge files have the format of the authors' program subword-nmt: the line "#version: 0.2", then
 * one merge per line, two symbols separated by a space. Merges and segmentations are the same as in
 * subword-nmt. */
#pragma once

#include "data/tokens.h"

/* The mark that follows the last character of a word. */
#define SA_BPE_WORD_END "</w>"

/* A pair of symbols, by their numbers; its bytes are a string of sa_bpe.pairs. */
typedef struct sa_bpe_pair {
    int32_t left, right;
} sa_bpe_pair;

typedef struct sa_bpe {
    sa_strings symbols;
    sa_strings pairs; /* those that are merged, in the order they were learned; the value is the
                         symbol that replaces a pair */
    char *glossaries; /* separated by spaces: words that stay whole, also within others; or NULL */
} sa_bpe;

/* Returns a pair by its number. */
sa_bpe_pair sa_bpe_pair_of(const sa_strings *pairs, size_t number);

/* ---- Merges and their files -------------------------------------------------------------------
 */

/* Reads a merge file. SA_DATA names file and line of a wrong version, a line without exactly two
 * symbols, a symbol that no earlier line makes, or a duplicate merge. */
bool sa_bpe_open(sa_bpe *bpe, const char *path, sa_error *error);
/* Reads merges from memory; `name` is for messages. */
bool sa_bpe_read(sa_bpe *bpe, const char *text, size_t size, const char *name, sa_error *error);
void sa_bpe_write(const sa_bpe *bpe, sa_buffer *out);
/* Sets the glossaries, normalized, in lower case if `lower`. */
bool sa_bpe_set_glossaries(sa_bpe *bpe, const char *list, bool lower, sa_error *error);
/* Returns whether both have the same glossaries, and the same merges in the same order. */
bool sa_bpe_equal(const sa_bpe *one, const sa_bpe *other);
void sa_bpe_release(sa_bpe *bpe);

/* Appends the merge of two symbols; *made is the new symbol. */
bool sa_bpe_push(sa_bpe *bpe, int32_t left, int32_t right, int32_t *made, sa_error *error);

/* ---- Learning: bpe_learn.c ------------------------------------------------------------------- */

enum { SA_BPE_FREQUENCY = 2 }; /* how often a pair occurs that is merged, as in subword-nmt */

/* Learns from words, whose values count them, at most `merges` merges of pairs that occur at least
 * `min_frequency` times. Of equally frequent pairs, the last in byte order is merged first, as in
 * subword-nmt. */
bool sa_bpe_learn(sa_bpe *bpe, const sa_strings *words, size_t merges, int64_t min_frequency,
                  sa_error *error);

/* ---- Segmentation -----------------------------------------------------------------------------
 */

/* Segments words; words already segmented are cached. It begins with everything but bpe zero. */
typedef struct sa_bpe_segmenter {
    const sa_bpe *bpe;
    sa_strings words; /* the cache; the value is where the word's subwords end in `size` */
    uint32_t *size;   /* sizes of the subwords in bytes */
    size_t sizes, size_capacity;
    struct sa_bpe_symbol *symbol; /* of the current word */
    size_t symbol_capacity;
} sa_bpe_segmenter;

void sa_bpe_segmenter_release(sa_bpe_segmenter *segmenter);

/* Returns the sizes in bytes of the *count subwords of a word, valid until the next call; NULL: out
 * of memory. */
const uint32_t *sa_bpe_segmenter_apply(sa_bpe_segmenter *segmenter, const char *word, size_t size,
                                       size_t *count, sa_error *error);
