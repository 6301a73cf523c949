/* draft: a sentence pair under construction. A task appends words to the two sides, each in its own
 * order, and links those that correspond.  */
#pragma once

#include "base/memory.h"
#include "base/rng.h"

/* What a sentence pair is for. */
typedef enum sa_split { SA_TRAIN, SA_VALID, SA_TEST } sa_split;

enum { SA_DRAFT_WORDS = 128, SA_DRAFT_LETTERS = 64 };

typedef struct sa_draft_side {
    char words[SA_DRAFT_WORDS][SA_DRAFT_LETTERS];
    int count;
} sa_draft_side;

typedef struct sa_draft {
    sa_split split;
    sa_draft_side source, target;
    char link[SA_DRAFT_WORDS * SA_DRAFT_WORDS]; /* source word s with target word t, at s
                                                   SA_DRAFT_WORDS + t: '-' sure, 'p' possible, 0 */
    bool characters, apart, full; /* single characters; spaces around signs; no room for a word */
    sa_rng *rng;
} sa_draft;

/* Adjacent words of one side. */
typedef struct sa_word_span {
    int first, count;
} sa_word_span;

/* Empties the draft, for the next sentence. */
void sa_draft_clear(sa_draft *draft);

/* Appends a word to a side of the draft (in a draft of characters: every byte of an ASCII text). */
sa_word_span sa_draft_add(sa_draft *draft, sa_draft_side *side, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Links every word of one span with every word of the other, as sure or as possible: two links of
 * the same words are one, and sure if one of them is. */
void sa_draft_link(sa_draft *draft, sa_word_span source, sa_word_span target, bool possible);

/* Removes the word after `at` from a side; the word at `at` gets its links. */
void sa_draft_merge(sa_draft *draft, sa_draft_side *side, int at);

/* Appends the sentence of a side to `out`, without a space before a full stop or comma or after a
 * final apostrophe. (A target has a space before ? and !, as in French.) */
void sa_draft_write_side(const sa_draft *draft, const sa_draft_side *side, sa_buffer *out);
/* Writes the whole line: source TAB target TAB links LF, the links in the order of the words. */
void sa_draft_write(const sa_draft *draft, sa_buffer *out);

/* A toy corpus: a synchronous grammar, or a function where an answer must be computed. */
typedef struct sa_task {
    const char *name;
    const char *summary;          /* shown by the help */
    const unsigned char *grammar; /* its text, a file of corpora/grammars; or NULL: */
    /* Writes a pair into an empty draft; some tasks are variants of one. */
    void (*draw)(sa_draft *draft, bool variant);
    bool variant;
} sa_task;

extern const sa_task sa_tasks[]; /* ends with a NULL name */

/* Returns the name and summary of task i; NULL after the last. */
const char *sa_task_info(size_t i, const char **summary, const char **none);
