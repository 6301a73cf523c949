/* clean: rejects bad sentence pairs of a corpus: damaged characters, other scripts, odd lengths. */
#pragma once

#include "base/option.h"
#include "data/tokens.h"

/* ---- Damaged text ---------------------------------------------------------------------------- */

/* Whether a text is not UTF-8 or contains a control character, the replacement character U+FFFD, or
 * UTF-8 that was decoded as Latin-1 or Windows-1252: "Ã©" for "é", "â€™" for "’". */
bool sa_encoding_is_broken(const char *text, size_t size);

/* ---- Scripts --------------------------------------------------------------------------------- */

/* Scripts in the order of sa_script_name; letters of all others are SA_SCRIPT_OTHER. Kana count as
 * Han, because Japanese mixes both. */
enum { SA_SCRIPT_OTHER = 0, SA_SCRIPT_LATIN = 1, SA_SCRIPTS = 16 };

/* "other", "latin", "greek", "cyrillic" ...; NULL after the last. */
const char *sa_script_name(size_t row);

/* Adds the letters of a text (valid UTF-8) to counts [SA_SCRIPTS]; a Han or Hangul character counts
 * as three letters. */
void sa_script_count(const char *text, size_t size, size_t *counts);

/* Whether most letters of the targets belong to scripts that put no spaces between words (Han and
 * kana, Thai, Lao, Khmer, Burmese, Tibetan), and there are none: text that is segmented has them.
 */
bool sa_targets_lack_spaces(const sa_corpus *corpus);

/* What to tell the user then. */
#define SA_UNSPACED_NOTE                                                                           \
    "there are no spaces between the words of the targets: BLEU takes whole clauses for words; "   \
    "--tokenize char counts characters, zh Chinese ones"

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* Reasons to reject a pair, in the order of the checks; the first one counts. */
typedef enum sa_reject_reason {
    SA_REJECT_COLUMNS,  /* no tab */
    SA_REJECT_ENCODING, /* sa_encoding_is_broken */
    SA_REJECT_EMPTY,    /* a side is blank */
    SA_REJECT_LONG,
    SA_REJECT_RATIO,
    SA_REJECT_SCRIPT,
    SA_REJECT_COPY,      /* both sides are equal */
    SA_REJECT_DUPLICATE, /* seen before */
    SA_REJECT_REASONS,
    SA_REJECT_NONE = SA_REJECT_REASONS,
} sa_reject_reason;

/* For people: "without a tab"; for programs: "no_tab". */
typedef struct sa_reject {
    const char *text, *key;
} sa_reject;
extern const sa_reject sa_rejects[SA_REJECT_REASONS];

typedef struct sa_cleaning {
    int max_len;      /* tokens of the tokenizer `word`; 0: any */
    double max_ratio; /* limit for the length ratio divided by that of the corpus; 0: any */
    int script[2];    /* of source and target, see sa_cleaning_options */
    bool drop_same;
    int unique; /* what must be unique */
} sa_cleaning;

extern const sa_option sa_cleaning_options[];

typedef struct sa_cleaner {
    const sa_cleaning *cleaning;             /* the others are 0 at first */
    size_t letters[2][SA_SCRIPTS], words[2]; /* of all pairs, by side */
    int script[2];                           /* required script; -1: any */
    sa_strings seen;
} sa_cleaner;

/* The first pass counts every pair, for the length ratio of the corpus and for scripts that are
 * `auto`; after sa_cleaner_finish_counts the second pass checks each pair. Sides need not be UTF-8;
 * a missing side is NULL. */
bool sa_cleaner_count(sa_cleaner *cleaner, const sa_token side[2], sa_error *error);
void sa_cleaner_finish_counts(sa_cleaner *cleaner);
bool sa_cleaner_check(sa_cleaner *cleaner, const sa_token side[2], sa_reject_reason *reason,
                      sa_error *error);
void sa_cleaner_release(sa_cleaner *cleaner);
