/* synth: toy corpora with known alignments.
 *
 * Each task is a synchronous grammar, or a function where an answer must be computed. They use only
 * integers, so the same task, split, seed and number of pairs give the same bytes on every machine.
 * The split of a sentence depends only on a hash of its source: no test sentence occurs in
 * training, whatever the seeds, and within one corpus no source occurs twice. */
#pragma once

#include "synth/draft.h"

/* The names of the splits, in the order of sa_split; ends with NULL. */
extern const char *const sa_splits[];

/* Number of pairs in a corpus: usual and maximum. */
#define SA_SYNTH_PAIRS ((size_t)10000)
#define SA_SYNTH_LIMIT ((size_t)1000000)

/* Receives the text written so far; empties the buffer. */
typedef bool sa_synth_flush(sa_buffer *out, sa_error *error);

/* What to make: the fields are the options of `softalign corpus`. */
typedef struct sa_toy {
    const char *task, *grammar;      /* one of them */
    int64_t pairs, seed;             /* pairs 0: SA_SYNTH_PAIRS */
    int split, min_words, max_words; /* sa_split; words of the source, 0: any number */
    bool check;                      /* describe the grammar instead, as sa_grammar_check does */
} sa_toy;

/* Appends the pairs of sa_corpus_generate, lines of "source TAB target TAB alignment", to `out`
 * (which the caller releases), and flushes it whenever it holds 64 KiB; flush NULL: never. Words
 * are tokens of the tokenizer `word`, in `dates` of `char`, in `assign` and grammars with %spaces
 * of `space`. SA_USAGE: there are too few pairs, or no grammar to check. */
bool sa_synth_write(const sa_toy *toy, sa_synth_flush *flush, sa_buffer *out, sa_error *error);
