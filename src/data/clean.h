/* clean: drops pairs that training would refuse or skip, pairs of very different lengths, and
 * duplicates.
 */
#pragma once

#include "base/option.h"

/* Returns whether a text (UTF-8) contains a control character or the replacement character
 * U+FFFD. */
bool sa_text_is_damaged(const char *text);

/* Reasons to drop a pair, in the order of the checks; the first one counts. */
enum {
    SA_DROP_NO_TAB,
    SA_DROP_DAMAGED, /* not UTF-8, or sa_text_is_damaged */
    SA_DROP_EMPTY,   /* a side is blank */
    SA_DROP_LONG,
    SA_DROP_RATIO,
    SA_DROP_REPEATED, /* the same as a line that is kept */
    SA_DROP_REASONS
};

/* For people: "without a tab"; for programs: "no_tab". */
typedef struct sa_drop_reason {
    const char *text, *key;
} sa_drop_reason;
extern const sa_drop_reason sa_drop_reasons[SA_DROP_REASONS];

typedef struct sa_cleaning {
    int max_len;      /* most words, as the tokenizer `word` counts them; 0: any number */
    double max_ratio; /* limit of the length ratio, divided by the corpus's ratio; 0: any */
    int unique;       /* what must be unique */
} sa_cleaning;

extern const sa_option sa_cleaning_options[];

typedef struct sa_cleaned {
    size_t lines, counts[SA_DROP_REASONS + 1]; /* by reason, then the lines kept */
    sa_buffer kept;                            /* SOURCE TAB TARGET ... */
    sa_buffer dropped;                         /* REASON TAB LINE NUMBER */
    sa_buffer note;                            /* how the file was read; may be empty */
} sa_cleaned;

/* Reads pairs as training does (data/pair_reader.h) and sorts them into kept and dropped ones. A
 * line that is not text is dropped; other defects of the file are errors, as in training. Release
 * `cleaned`, even after a failure. */
bool sa_clean(sa_cleaned *cleaned, const char *path, const char *columns,
              const sa_cleaning *cleaning, sa_error *error);
void sa_cleaned_release(sa_cleaned *cleaned);
