/* clean: sentence pairs worth learning from, and what is wrong with the others. */
#ifndef SA_DATA_CLEAN_H
#define SA_DATA_CLEAN_H

#include "base/option.h"
#include "data/scripts.h"
#include "data/strings.h"

/* What may be wrong, in the order it is looked for; the first that is found counts. */
typedef enum sa_reject_reason {
    SA_REJECT_COLUMNS,  /* no tab */
    SA_REJECT_ENCODING, /* data/damage.h */
    SA_REJECT_EMPTY,    /* a side is blank */
    SA_REJECT_LONG,
    SA_REJECT_RATIO,
    SA_REJECT_SCRIPT,
    SA_REJECT_COPY,      /* both sides are one text */
    SA_REJECT_DUPLICATE, /* seen before */
    SA_REJECT_REASONS,
    SA_REJECT_NONE = SA_REJECT_REASONS,
} sa_reject_reason;

/* "no tab" ...: for people; "no_tab" ...: for programs. */
extern const char *const sa_reject_texts[SA_REJECT_REASONS],
    *const sa_reject_keys[SA_REJECT_REASONS];

typedef struct sa_cleaning {
    int max_len;      /* words and marks, as the tokenizer `word` counts; 0: any */
    double max_ratio; /* how many times one side may be as long beside the other as it is in all
                         pairs; 0: any */
    int script[2];    /* of source and target: what most letters must be; see sa_cleaning_options */
    bool drop_same;
    int unique; /* what must not have been seen before */
} sa_cleaning;

extern const sa_option sa_cleaning_options[];

typedef struct sa_cleaner {
    const sa_cleaning *cleaning;
    size_t letters[2][SA_SCRIPTS], words[2]; /* of all pairs, by side */
    int script[2];                           /* settled; -1: any */
    sa_strings seen;
} sa_cleaner;

/* First every pair is shown: they tell how many words of one side go with a word of the other, and
 * the script that is left open, that of most letters of its side. Then each is judged. Sides need
 * not be UTF-8; a side that is NULL is missing. */
void sa_cleaner_init(sa_cleaner *cleaner, const sa_cleaning *cleaning);
bool sa_cleaner_count(sa_cleaner *cleaner, const sa_token side[2], sa_error *error);
void sa_cleaner_finish_counts(sa_cleaner *cleaner);
bool sa_cleaner_check(sa_cleaner *cleaner, const sa_token side[2], sa_reject_reason *flaw,
                      sa_error *error);
void sa_cleaner_release(sa_cleaner *cleaner);

#endif
