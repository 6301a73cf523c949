#include "data/clean.h"
#include "base/utf8.h"
#include "data/damage.h"
#include "data/word_tokenizer.h"

#include <stdlib.h>
#include <string.h>

const char *const sa_reject_texts[SA_REJECT_REASONS] = {
    [SA_REJECT_COLUMNS] = "without a tab",
    [SA_REJECT_ENCODING] = "with damaged characters",
    [SA_REJECT_EMPTY] = "with an empty side",
    [SA_REJECT_LONG] = "with a side above --max-len words",
    [SA_REJECT_RATIO] = "with sides of too different lengths (--max-ratio)",
    [SA_REJECT_SCRIPT] = "with a side in another script",
    [SA_REJECT_COPY] = "with equal sides",
    [SA_REJECT_DUPLICATE] = "seen before (--unique)",
};
const char *const sa_reject_keys[SA_REJECT_REASONS] = {
    [SA_REJECT_COLUMNS] = "no_tab",   [SA_REJECT_ENCODING] = "damaged",
    [SA_REJECT_EMPTY] = "empty",      [SA_REJECT_LONG] = "too_long",
    [SA_REJECT_RATIO] = "ratio",      [SA_REJECT_SCRIPT] = "script",
    [SA_REJECT_COPY] = "equal_sides", [SA_REJECT_DUPLICATE] = "repeated",
};

enum { ANY = -1 };
enum { SCRIPT_AUTO, SCRIPT_ANY, SCRIPT_FIRST }; /* then sa_script_name from 1 on */
enum { UNIQUE_PAIR, UNIQUE_SOURCE, UNIQUE_TARGET, UNIQUE_NOTHING };

static const char *script_choice(size_t row) {
    static const char *const ways[] = {[SCRIPT_AUTO] = "auto", [SCRIPT_ANY] = "any"};
    return row < SCRIPT_FIRST ? ways[row] : sa_script_name(row - SCRIPT_FIRST + SA_SCRIPT_LATIN);
}

static const char *unique_choice(size_t row) {
    static const char *const names[] = {[UNIQUE_PAIR] = "pair",
                                        [UNIQUE_SOURCE] = "source",
                                        [UNIQUE_TARGET] = "target",
                                        [UNIQUE_NOTHING] = "nothing",
                                        NULL};
    return names[row];
}

#define FIELD(field) offsetof(sa_cleaning, field)

const sa_option sa_cleaning_options[] = {
    {"max-len", SA_OPTION_INT, SA_SCOPE_RUN, FIELD(max_len), 100, 0, 1000000, NULL, "N",
     "drop pairs with a side longer than N words and punctuation marks; 0: no limit"},
    {"max-ratio", SA_OPTION_REAL, SA_SCOPE_RUN, FIELD(max_ratio), 4, 0, 1000, NULL, "X",
     "drop pairs whose length ratio deviates from the corpus ratio by more than this factor; 0: no "
     "limit"},
    {"source-script", SA_OPTION_CHOICE, SA_SCOPE_RUN, FIELD(script[0]), 0, 0, 0, script_choice,
     "NAME", "drop pairs whose source is mostly in another script; auto: the most frequent script"},
    {"target-script", SA_OPTION_CHOICE, SA_SCOPE_RUN, FIELD(script[1]), 0, 0, 0, script_choice,
     "NAME", "the same for the target"},
    {"drop-same", SA_OPTION_SWITCH, SA_SCOPE_RUN, FIELD(drop_same), 0, 0, 1, NULL, NULL,
     "drop pairs with identical sides"},
    {"unique", SA_OPTION_CHOICE, SA_SCOPE_RUN, FIELD(unique), 0, 0, 0, unique_choice, "NAME",
     "drop duplicates of the pair, its source or its target, ignoring whitespace"},
    {0},
};

#undef FIELD

/* ---- All pairs ------------------------------------------------------------------------------- */

static bool count_words(sa_token side, size_t *words, sa_error *error) {
    sa_tokens tokens = {0};
    const bool good = sa_word_tokenizer_split(side.text, side.size, &tokens, error);
    *words = tokens.count;
    sa_tokens_release(&tokens);
    return good;
}

void sa_cleaner_init(sa_cleaner *cleaner, const sa_cleaning *cleaning) {
    *cleaner = (sa_cleaner){.cleaning = cleaning};
}

void sa_cleaner_release(sa_cleaner *cleaner) {
    sa_strings_release(&cleaner->seen);
}

bool sa_cleaner_count(sa_cleaner *cleaner, const sa_token side[2], sa_error *error) {
    size_t words[2];
    for (int i = 0; i < 2; i++)
        if (!side[i].text || sa_encoding_is_broken(side[i].text, side[i].size)) return true;
    for (int i = 0; i < 2; i++) {
        if (!count_words(side[i], &words[i], error)) return false;
        sa_script_count(side[i].text, side[i].size, cleaner->letters[i]);
    }
    cleaner->words[0] += words[0], cleaner->words[1] += words[1];
    return true;
}

void sa_cleaner_finish_counts(sa_cleaner *cleaner) {
    for (int i = 0; i < 2; i++) {
        const int choice = cleaner->cleaning->script[i];
        size_t all = 0, most = 0;
        cleaner->script[i] = choice == SCRIPT_ANY ? ANY : choice - SCRIPT_FIRST + SA_SCRIPT_LATIN;
        for (int k = 0; choice == SCRIPT_AUTO && k < SA_SCRIPTS; k++) {
            const size_t letters = cleaner->letters[i][k];
            if (letters > most) most = letters, cleaner->script[i] = k;
            all += letters;
        }
        if (choice == SCRIPT_AUTO && 2 * most <= all) cleaner->script[i] = ANY;
    }
}

/* Whether more than half of the letters belong to other scripts. */
static bool is_foreign(int script, sa_token side) {
    size_t letters[SA_SCRIPTS] = {0}, all = 0;
    if (script == ANY) return false;
    sa_script_count(side.text, side.size, letters);
    for (int k = 0; k < SA_SCRIPTS; k++) all += letters[k];
    return 2 * letters[script] < all;
}

/* ---- Duplicates ------------------------------------------------------------------------------ */

/* Appends a text in NFC, with white space reduced to single spaces. */
static bool add_normalized(sa_token side, sa_buffer *out, sa_error *error) {
    char *text = sa_utf8_normalize(side.text, side.size, false, error);
    const size_t size = text ? strlen(text) : 0, start = out->size;
    bool space = false;
    for (size_t at = 0, length; at < size; at += length) {
        const bool blank = sa_utf8_char_class(text + at, size - at, &length) == SA_CHAR_SPACE;
        if (!blank && space && out->size > start) sa_buffer_add(out, " ", 1);
        if (!blank) sa_buffer_add(out, text + at, length);
        space = blank;
    }
    free(text);
    return text && (!out->failed || sa_fail_memory(error, out->size));
}

/* Looks for equal sides and duplicates; both sides are valid. */
static bool check_duplicates(sa_cleaner *cleaner, const sa_token side[2], sa_reject_reason *reason,
                             sa_error *error) {
    const sa_cleaning *cleaning = cleaner->cleaning;
    sa_buffer key = {0};
    bool good = add_normalized(side[0], &key, error);
    const size_t source = key.size;
    sa_buffer_add(&key, "\n", 1);
    good = good && add_normalized(side[1], &key, error);
    const size_t target = key.size - source - 1;
    if (good && cleaning->drop_same && source == target &&
        memcmp(key.text, key.text + source + 1, target) == 0)
        *reason = SA_REJECT_COPY;
    if (good && *reason == SA_REJECT_NONE && cleaning->unique != UNIQUE_NOTHING) {
        const size_t known = cleaner->seen.count;
        const size_t start = cleaning->unique == UNIQUE_TARGET ? source + 1 : 0;
        const size_t end = cleaning->unique == UNIQUE_SOURCE ? source : key.size;
        good = sa_strings_add(&cleaner->seen, key.text + start, end - start, error) >= 0;
        if (good && cleaner->seen.count == known) *reason = SA_REJECT_DUPLICATE;
    }
    sa_buffer_release(&key);
    return good;
}

/* ---- A pair ---------------------------------------------------------------------------------- */

/* Whether the length ratio deviates too much from that of the corpus. (A Japanese sentence has more
 * words than an English one: every kana is a word.) */
static bool ratio_exceeds(const sa_cleaner *cleaner, const size_t words[2]) {
    const double source = (double)words[0] * (double)cleaner->words[1];
    const double target = (double)words[1] * (double)cleaner->words[0];
    const double most = cleaner->cleaning->max_ratio;
    return source > most * target || target > most * source;
}

static sa_reject_reason classify(const sa_cleaner *cleaner, const sa_token side[2],
                                 const size_t words[2]) {
    const sa_cleaning *cleaning = cleaner->cleaning;
    const size_t longest = (size_t)cleaning->max_len;
    if (!words[0] || !words[1]) return SA_REJECT_EMPTY;
    if (longest && (words[0] > longest || words[1] > longest)) return SA_REJECT_LONG;
    if (cleaning->max_ratio > 0 && ratio_exceeds(cleaner, words)) return SA_REJECT_RATIO;
    for (int i = 0; i < 2; i++)
        if (is_foreign(cleaner->script[i], side[i])) return SA_REJECT_SCRIPT;
    return SA_REJECT_NONE;
}

bool sa_cleaner_check(sa_cleaner *cleaner, const sa_token side[2], sa_reject_reason *reason,
                      sa_error *error) {
    size_t words[2];
    *reason = SA_REJECT_COLUMNS;
    if (!side[0].text || !side[1].text) return true;
    *reason = SA_REJECT_ENCODING;
    for (int i = 0; i < 2; i++)
        if (sa_encoding_is_broken(side[i].text, side[i].size)) return true;
    for (int i = 0; i < 2; i++)
        if (!count_words(side[i], &words[i], error)) return false;
    *reason = classify(cleaner, side, words);
    return *reason != SA_REJECT_NONE || check_duplicates(cleaner, side, reason, error);
}
