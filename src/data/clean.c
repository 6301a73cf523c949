#include "data/clean.h"
#include "base/utf8.h"
#include "data/tokenizer.h"

#include <stdlib.h>
#include <string.h>

/* ---- UTF-8 decoded as Windows-1252 ----------------------------------------------------------- */

/* The byte of this character in Windows-1252, or -1. */
static int cp1252_byte(uint32_t code) {
    static const uint16_t shown[32] = {
        0x20ac, 0,      0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
        0x2039, 0x152,  0,      0x17d,  0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0,      0x17e,  0x178};
    if (code >= 0xa0 && code <= 0xff) return (int)code;
    for (int i = 0; i < 32; i++)
        if (shown[i] && shown[i] == code) return 0x80 + i;
    return -1;
}

/* Quotation marks, dashes and others that often follow a capital or an accented letter in correct
 * text: «CAFÉ», „Spaß“. */
static bool may_follow_letters(uint32_t code) {
    return code == 0xa0 || code == 0xab || code == 0xbb || (code >= 0x2013 && code <= 0x203a);
}

/* The code point that the Windows-1252 bytes of `count` characters encode in UTF-8, or 0. */
static uint32_t decode_as_utf8(const uint32_t *code, int count) {
    const int first = cp1252_byte(code[0]);
    const int length = first >= 0xc2 && first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first < 0xc2 || first > 0xf4 || length > count) return 0;
    uint32_t value = (uint32_t)first & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        const int next = cp1252_byte(code[i]);
        if (next < 0x80 || next > 0xbf) return 0;
        value = value << 6 | ((uint32_t)next & 0x3f);
    }
    return value;
}

/* Whether the characters from code[0] on, which follow `before`, are a misread UTF-8 sequence: the
 * character it encodes is common, and the sequence itself is not. */
static bool is_mojibake(const uint32_t *code, int count, uint32_t before) {
    const uint32_t value = decode_as_utf8(code, count);
    const bool plausible = may_follow_letters(code[1]);
    const bool capital = (before >= 'A' && before <= 'Z') || (before >= 0xc0 && before <= 0xde);
    if (!value) return false;
    if (value < 0x180) /* "Ã©"; "Ã " and "Â ", but not "Å " */
        return !plausible || (!capital && (code[1] != 0xa0 || code[0] <= 0xc3));
    if (value < 0x530) return !plausible && value >= 0x370; /* Greek, Cyrillic: "Ð°" */
    if (value < 0x2000) return false;
    if (value < 0x2300) return true; /* "â€™", "â‚¬" */
    if (value < 0x10000) return value >= 0x3000 && !(plausible && may_follow_letters(code[2]));
    return value >= 0x1f000 && value < 0x1fb00; /* "ðŸ˜€" */
}

/* ---- Texts ----------------------------------------------------------------------------------- */

bool sa_encoding_is_broken(const char *text, size_t size) {
    enum { REPLACEMENT = 0xfffd, MAX_SEQUENCE = 4 /* bytes of a character in UTF-8 */ };
    size_t bad;
    uint32_t before = ' ';
    if (!sa_utf8_valid(text, size, &bad)) return true;
    for (size_t at = 0, step; at < size; at += step) {
        uint32_t code[MAX_SEQUENCE] = {sa_utf8_codepoint(text + at, size - at, &step)};
        const bool leads = code[0] >= 0xc2 && code[0] <= 0xf4;
        int count = 1;
        const bool control = code[0] < 0x20 || (code[0] >= 0x7f && code[0] <= 0x9f);
        if (control || code[0] == REPLACEMENT) return true;
        for (size_t next = at + step, length; leads && count < MAX_SEQUENCE && next < size;
             next += length)
            code[count++] = sa_utf8_codepoint(text + next, size - next, &length);
        if (count > 1 && is_mojibake(code, count, before)) return true;
        before = code[0];
    }
    return false;
}

/* ---- Scripts --------------------------------------------------------------------------------- */

/* The Unicode blocks of the scripts; combining marks belong to none. */
static const struct {
    const char *name;
    uint32_t blocks[22]; /* first and last of each, ends with 0 */
} scripts[SA_SCRIPTS] = {
    {"other", {0}},
    {"latin",
     {0x41, 0x2af, 0x1e00, 0x1eff, 0x2c60, 0x2c7f, 0xa720, 0xa7ff, 0xfb00, 0xfb06, 0xff21, 0xff5a}},
    {"greek", {0x370, 0x3ff, 0x1f00, 0x1fff}},
    {"cyrillic", {0x400, 0x52f, 0x1c80, 0x1c8f, 0x2de0, 0x2dff, 0xa640, 0xa69f}},
    {"armenian", {0x530, 0x58f}},
    {"hebrew", {0x590, 0x5ff, 0xfb1d, 0xfb4f}},
    {"arabic", {0x600, 0x6ff, 0x750, 0x77f, 0x8a0, 0x8ff, 0xfb50, 0xfdff, 0xfe70, 0xfeff}},
    {"devanagari", {0x900, 0x97f}},
    {"bengali", {0x980, 0x9ff}},
    {"tamil", {0xb80, 0xbff}},
    {"thai", {0xe00, 0xe7f}},
    {"georgian", {0x10a0, 0x10ff, 0x1c90, 0x1cbf}},
    {"ethiopic", {0x1200, 0x139f}},
    {"khmer", {0x1780, 0x17ff}},
    {"han",
     {0x2e80, 0x2fdf, 0x3005, 0x3007, 0x3040, 0x312f, 0x31a0, 0x31ff, 0x3400, 0x4dbf, 0x4e00,
      0x9fff, 0xf900, 0xfaff, 0xff66, 0xff9f, 0x20000, 0x3ffff}},
    {"hangul", {0x1100, 0x11ff, 0x3130, 0x318f, 0xac00, 0xd7ff}},
};
enum { THAI = 10, KHMER = 13, HAN, HANGUL };

const char *sa_script_name(size_t row) {
    return row < SA_SCRIPTS ? scripts[row].name : NULL;
}

static int script_of(uint32_t code) {
    for (int row = 0; row < SA_SCRIPTS; row++)
        for (const uint32_t *block = scripts[row].blocks; *block; block += 2)
            if (code >= block[0] && code <= block[1]) return row;
    return SA_SCRIPT_OTHER;
}

void sa_script_count(const char *text, size_t size, size_t *counts) {
    for (size_t at = 0, length; at < size; at += length) {
        const uint32_t code = sa_utf8_codepoint(text + at, size - at, &length);
        if (!sa_utf8_is_letter(code)) continue;
        const int script = script_of(code);
        counts[script] += script == HAN || script == HANGUL ? 3 : 1;
    }
}

/* ---- Text without spaces --------------------------------------------------------------------- */

static bool is_unspaced(uint32_t code) {
    const int script = script_of(code);
    return script == HAN || script == THAI || script == KHMER ||
           (code >= 0xe80 && code <= 0x109f); /* Lao, Tibetan, Burmese */
}

bool sa_targets_lack_spaces(const sa_corpus *corpus) {
    enum { PAIRS = 1000, WORD = 5 }; /* letters of a segmented word, in the mean, at most */
    size_t letters = 0, unspaced = 0, spaces = 0;
    for (size_t i = 0; i < corpus->count && i < PAIRS; i++, spaces++) {
        const char *text = corpus->pairs[i].target;
        for (size_t size = strlen(text), length; size; text += length, size -= length) {
            const uint32_t code = sa_utf8_codepoint(text, size, &length);
            const bool letter = sa_utf8_is_letter(code);
            letters += letter;
            unspaced += letter && is_unspaced(code);
            spaces += sa_utf8_char_class(text, size, &length) == SA_CHAR_SPACE;
        }
    }
    return 2 * unspaced > letters && letters > WORD * spaces;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

const sa_reject sa_rejects[SA_REJECT_REASONS] = {
    [SA_REJECT_COLUMNS] = {"without a tab", "no_tab"},
    [SA_REJECT_ENCODING] = {"with damaged characters", "damaged"},
    [SA_REJECT_EMPTY] = {"with an empty side", "empty"},
    [SA_REJECT_LONG] = {"with a side above --max-len words", "too_long"},
    [SA_REJECT_RATIO] = {"with sides of too different lengths (--max-ratio)", "ratio"},
    [SA_REJECT_SCRIPT] = {"with a side in another script", "script"},
    [SA_REJECT_COPY] = {"with equal sides", "equal_sides"},
    [SA_REJECT_DUPLICATE] = {"seen before (--unique)", "repeated"},
};

enum { ANY = -1 };
enum { SCRIPT_AUTO, SCRIPT_ANY, SCRIPT_FIRST }; /* then sa_script_name from 1 on */
enum { UNIQUE_PAIR, UNIQUE_SOURCE, UNIQUE_TARGET, UNIQUE_NOTHING };

static const char *script_choice(size_t row) {
    static const char *const ways[] = {[SCRIPT_AUTO] = "auto", [SCRIPT_ANY] = "any"};
    return row < SCRIPT_FIRST ? ways[row] : sa_script_name(row - SCRIPT_FIRST + SA_SCRIPT_LATIN);
}

#define AT(field) SA_SCOPE_RUN, offsetof(sa_cleaning, field)

const sa_option sa_cleaning_options[] = {
    {"max-len", SA_INT(AT(max_len), 100, 0, 1000000, "N"),
     "drop pairs with a side longer than N words and punctuation marks; 0: no limit"},
    {"max-ratio", SA_REAL(AT(max_ratio), 4, 0, 1000, "X"),
     "drop pairs whose length ratio deviates from the corpus ratio by more than this factor; 0: no "
     "limit"},
    {"source-script", SA_CHOICE_BY(AT(script[0]), SCRIPT_AUTO, script_choice),
     "drop pairs whose source is mostly in another script; auto: the most frequent script"},
    {"target-script", SA_CHOICE_BY(AT(script[1]), SCRIPT_AUTO, script_choice),
     "the same for the target"},
    {"drop-same", SA_SWITCH(AT(drop_same)), "drop pairs with identical sides"},
    {"unique", SA_WORDS(AT(unique), UNIQUE_PAIR, "pair", "source", "target", "nothing"),
     "drop duplicates of the pair, its source or its target, ignoring whitespace"},
    {0},
};

/* ---- All pairs ------------------------------------------------------------------------------- */

/* Adds the words of a side. */
static bool count_words(sa_token side, size_t *words, sa_error *error) {
    sa_tokens tokens = {0};
    const bool good = sa_word_tokenizer_split(side.text, side.size, &tokens, error);
    *words += tokens.count;
    sa_tokens_release(&tokens);
    return good;
}

void sa_cleaner_release(sa_cleaner *cleaner) {
    sa_strings_release(&cleaner->seen);
}

bool sa_cleaner_count(sa_cleaner *cleaner, const sa_token side[2], sa_error *error) {
    for (int i = 0; i < 2; i++)
        if (!side[i].text || sa_encoding_is_broken(side[i].text, side[i].size)) return true;
    for (int i = 0; i < 2; i++) {
        if (!count_words(side[i], &cleaner->words[i], error)) return false;
        sa_script_count(side[i].text, side[i].size, cleaner->letters[i]);
    }
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
    size_t words[2] = {0};
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
