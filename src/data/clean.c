#include "data/clean.h"
#include "base/utf8.h"
#include "data/damage.h"
#include "data/word_tokenizer.h"

#include <stdlib.h>
#include <string.h>

const char *const sa_flaw_texts[SA_FLAWS] = {
    [SA_FLAW_COLUMNS] = "without a tab",
    [SA_FLAW_ENCODING] = "with damaged characters",
    [SA_FLAW_EMPTY] = "with an empty side",
    [SA_FLAW_LONG] = "with a side above --max-len words",
    [SA_FLAW_RATIO] = "with sides of too different lengths (--max-ratio)",
    [SA_FLAW_SCRIPT] = "with a side in another script",
    [SA_FLAW_SAME] = "with equal sides",
    [SA_FLAW_REPEAT] = "seen before (--unique)",
};
const char *const sa_flaw_keys[SA_FLAWS] = {
    [SA_FLAW_COLUMNS] = "no_tab",   [SA_FLAW_ENCODING] = "damaged", [SA_FLAW_EMPTY] = "empty",
    [SA_FLAW_LONG] = "too_long",    [SA_FLAW_RATIO] = "ratio",      [SA_FLAW_SCRIPT] = "script",
    [SA_FLAW_SAME] = "equal_sides", [SA_FLAW_REPEAT] = "repeated",
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

#define AT(field) offsetof(sa_cleaning, field)

const sa_option sa_cleaning_options[] = {
    {"max-len", SA_OPTION_INT, SA_SCOPE_RUN, AT(max_len), 100, 0, 1000000, NULL, "N",
     "drop pairs with a side of more words and marks; 0: none"},
    {"max-ratio", SA_OPTION_REAL, SA_SCOPE_RUN, AT(max_ratio), 4, 0, 1000, NULL, "X",
     "drop pairs one side of which is longer beside the other than so many times what it is in all "
     "pairs; 0: none"},
    {"source-script", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(script[0]), 0, 0, 0, script_choice, "NAME",
     "drop pairs whose source has mostly letters of others; auto: the one of most sources"},
    {"target-script", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(script[1]), 0, 0, 0, script_choice, "NAME",
     "the same of targets"},
    {"drop-same", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(drop_same), 0, 0, 1, NULL, NULL,
     "drop pairs whose sides are the same text"},
    {"unique", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(unique), 0, 0, 0, unique_choice, "NAME",
     "drop pairs when the pair, its source or its target came before; white space does not count"},
    {0},
};

#undef AT

/* ---- All pairs ------------------------------------------------------------------------------- */

static bool count_words(sa_token side, size_t *words, sa_error *error) {
    sa_tokens tokens = {0};
    const bool good = sa_word_split(side.text, side.size, &tokens, error);
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

bool sa_cleaner_show(sa_cleaner *cleaner, const sa_token side[2], sa_error *error) {
    size_t words[2];
    for (int i = 0; i < 2; i++)
        if (!side[i].text || sa_is_damaged(side[i].text, side[i].size)) return true;
    for (int i = 0; i < 2; i++) {
        if (!count_words(side[i], &words[i], error)) return false;
        sa_script_count(side[i].text, side[i].size, cleaner->letters[i]);
    }
    cleaner->words[0] += words[0], cleaner->words[1] += words[1];
    return true;
}

void sa_cleaner_settle(sa_cleaner *cleaner) {
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

/* ---- Repetitions ----------------------------------------------------------------------------- */

/* Appends a text in NFC with a single space wherever there is white space. */
static bool add_plain(sa_token side, sa_buffer *out, sa_error *error) {
    char *text = sa_utf8_normalise(side.text, side.size, false, error);
    const size_t size = text ? strlen(text) : 0, start = out->size;
    bool space = false;
    for (size_t at = 0, length; at < size; at += length) {
        const bool blank = sa_utf8_kind(text + at, size - at, &length) == SA_KIND_SPACE;
        if (!blank && space && out->size > start) sa_buffer_add(out, " ", 1);
        if (!blank) sa_buffer_add(out, text + at, length);
        space = blank;
    }
    free(text);
    return text && (!out->failed || sa_fail_memory(error, out->size));
}

/* Looks for equal sides and repetitions; both sides are text. */
static bool compare(sa_cleaner *cleaner, const sa_token side[2], sa_flaw *flaw, sa_error *error) {
    const sa_cleaning *cleaning = cleaner->cleaning;
    sa_buffer key = {0};
    bool good = add_plain(side[0], &key, error);
    const size_t source = key.size;
    sa_buffer_add(&key, "\n", 1);
    good = good && add_plain(side[1], &key, error);
    const size_t target = key.size - source - 1;
    if (good && cleaning->drop_same && source == target &&
        memcmp(key.text, key.text + source + 1, target) == 0)
        *flaw = SA_FLAW_SAME;
    if (good && *flaw == SA_NO_FLAW && cleaning->unique != UNIQUE_NOTHING) {
        const size_t known = cleaner->seen.count;
        const size_t start = cleaning->unique == UNIQUE_TARGET ? source + 1 : 0;
        const size_t end = cleaning->unique == UNIQUE_SOURCE ? source : key.size;
        good = sa_strings_add(&cleaner->seen, key.text + start, end - start, error) >= 0;
        if (good && cleaner->seen.count == known) *flaw = SA_FLAW_REPEAT;
    }
    sa_buffer_release(&key);
    return good;
}

/* ---- A pair ---------------------------------------------------------------------------------- */

/* Whether one side is too long beside the other: a Japanese sentence has more words than an English
 * one, since every kana is a word here. */
static bool differs(const sa_cleaner *cleaner, const size_t words[2]) {
    const double source = (double)words[0] * (double)cleaner->words[1];
    const double target = (double)words[1] * (double)cleaner->words[0];
    const double most = cleaner->cleaning->max_ratio;
    return source > most * target || target > most * source;
}

static sa_flaw look(const sa_cleaner *cleaner, const sa_token side[2], const size_t words[2]) {
    const sa_cleaning *cleaning = cleaner->cleaning;
    const size_t longest = (size_t)cleaning->max_len;
    if (!words[0] || !words[1]) return SA_FLAW_EMPTY;
    if (longest && (words[0] > longest || words[1] > longest)) return SA_FLAW_LONG;
    if (cleaning->max_ratio > 0 && differs(cleaner, words)) return SA_FLAW_RATIO;
    for (int i = 0; i < 2; i++)
        if (is_foreign(cleaner->script[i], side[i])) return SA_FLAW_SCRIPT;
    return SA_NO_FLAW;
}

bool sa_cleaner_judge(sa_cleaner *cleaner, const sa_token side[2], sa_flaw *flaw, sa_error *error) {
    size_t words[2];
    *flaw = SA_FLAW_COLUMNS;
    if (!side[0].text || !side[1].text) return true;
    *flaw = SA_FLAW_ENCODING;
    for (int i = 0; i < 2; i++)
        if (sa_is_damaged(side[i].text, side[i].size)) return true;
    for (int i = 0; i < 2; i++)
        if (!count_words(side[i], &words[i], error)) return false;
    *flaw = look(cleaner, side, words);
    return *flaw != SA_NO_FLAW || compare(cleaner, side, flaw, error);
}
