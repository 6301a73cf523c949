/* overlap: pairs whose texts have the same tokens, whatever the white space between them: they are
 * held out together, and counted when two corpora share them. */
#pragma once

#include <softalign/lab.h>

/* Marks about 5 % of the pairs for validation in held [corpus->count], at most settings->hold_out
 * (0: no limit), by a hash of the source, so that pairs with equal sources stay together. Of fewer
 * than 200 pairs it marks at least five, or a fifth if that is less. With at least two distinct
 * sources both sets have a pair; otherwise all are marked. Returns the number of marked pairs; 0:
 * out of memory. */
size_t sa_corpus_hold_out(const sa_settings *settings, const sa_corpus *corpus, bool *held,
                          sa_error *error);

/* Counts the pairs of `tested` whose source occurs in `known` (*sources, which may be NULL), and
 * the pairs that occur there as a whole. */
bool sa_corpus_overlap(const sa_settings *settings, const sa_corpus *tested, const sa_corpus *known,
                       size_t *sources, size_t *pairs, sa_error *error);
