/* synth: toy corpora with known alignments.
 *
 * Each task is a small grammar that generates sentence pairs. It uses only integers, so the same
 * task, split, seed and number of pairs give the same bytes on every machine. The split of a
 * sentence depends only on a hash of its source: no test sentence occurs in training, whatever the
 * seeds, and within one corpus no source occurs twice. */
#pragma once

#include "synth/draft.h"

/* The names of the splits, in the order of sa_split; ends with NULL. */
extern const char *const sa_splits[];

/* Maximum number of pairs in a corpus. */
#define SA_SYNTH_LIMIT ((size_t)1000000)

typedef struct sa_task {
    const char *name;
    const char *summary;           /* shown by the help */
    size_t pairs;                  /* suggested number for training */
    void (*draw)(sa_draft *draft); /* makes one pair */
} sa_task;

extern const sa_task sa_tasks[]; /* ends with a NULL name */

/* Returns the task with that name, or NULL. */
const sa_task *sa_task_find(const char *name);

/* Receives the text written so far; empties the buffer. */
typedef bool sa_synth_flush(sa_buffer *out, sa_error *error);

/* Appends `pairs` lines "source TAB target TAB alignment" to `out` (which the caller releases), and
 * flushes it whenever it holds 64 KiB; flush NULL: never. The alignment is in Pharaoh format: "2-3"
 * is a sure link of source word 2 and target word 3, counted from 0, "2p3" a possible one. Words
 * are tokens of the tokenizer `word`, or in `dates` of `char`. SA_USAGE: the grammar has hardly
 * more sentences in this split (the message says how many), or `pairs` is above SA_SYNTH_LIMIT.
 * SA_LIMIT: out of memory. */
bool sa_synth_write(const sa_task *task, size_t pairs, uint64_t seed, sa_split split,
                    sa_synth_flush *flush, sa_buffer *out, sa_error *error);
