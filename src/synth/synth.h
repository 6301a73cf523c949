/* synth: toy corpora whose alignments are known because they are planted.
 *
 * Each task is a small grammar that makes sentence pairs by drawing. Only integers are used, so the
 * same task, split, seed and number of pairs give the same bytes on every machine. A hash of the
 * source sentence alone decides its split: no test sentence can occur in training, whatever the
 * seeds, and within one corpus no source occurs twice. */
#ifndef SA_SYNTH_SYNTH_H
#define SA_SYNTH_SYNTH_H

#include "synth/draft.h"

/* The names of the splits, in the order of sa_split; ends with NULL. */
extern const char *const sa_splits[];

/* The most pairs one corpus may have. */
#define SA_SYNTH_LIMIT ((size_t)1000000)

typedef struct sa_task {
    const char *name;
    const char *summary;                           /* one line for the help */
    size_t pairs;                                  /* a good number for training */
    void (*draw)(sa_draft *draft, sa_split split); /* makes one pair */
} sa_task;

extern const sa_task sa_tasks[]; /* ends with a NULL name */

/* The task of that name, or NULL. */
const sa_task *sa_task_find(const char *name);

/* Appends `pairs` lines "source TAB target TAB alignment" to `out` (which the caller releases). The
 * alignment is in Pharaoh form, counted from 0: "2-3" word 2 of the source and word 3 of the target
 * surely belong together, "2p3" possibly. Words are counted as the tokenizer `word` splits, in
 * `dates` as the tokenizer `char` does. Fails with SA_USAGE, naming the number there is, when the
 * grammar has fewer such sentences in this split or `pairs` is above SA_SYNTH_LIMIT; with SA_LIMIT
 * when memory runs out. */
bool sa_synth_write(const sa_task *task, size_t pairs, uint64_t seed, sa_split split,
                    sa_buffer *out, sa_error *error);

#endif
