#include "data/clean.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "data/pair_reader.h"
#include "data/tokenizer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Damaged text ---------------------------------------------------------------------------- */

/* Returns the byte of this character in Windows-1252, or -1. */
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

/* Returns whether it is a quotation mark, dash or another sign that often follows a capital or an
 * accented letter in correct text: «CAFÉ», „Spaß“. */
static bool may_follow_letters(uint32_t code) {
    return code == 0xa0 || code == 0xab || code == 0xbb || (code >= 0x2013 && code <= 0x203a);
}

/* Returns the code point that the Windows-1252 bytes of `count` characters encode in UTF-8, or 0.
 */
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

/* Returns whether the characters from code[0] on, which follow `before`, are a misread UTF-8
 * sequence: the character that it encodes is common, but the sequence itself is not. */
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

bool sa_text_is_damaged(const char *text) {
    enum { REPLACEMENT = 0xfffd, MAX_SEQUENCE = 4 /* bytes of a character in UTF-8 */ };
    const size_t size = strlen(text);
    uint32_t before = ' ';
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

/* ---- Options and reasons --------------------------------------------------------------------- */

const sa_drop_reason sa_drop_reasons[SA_DROP_REASONS] = {
    [SA_DROP_NO_TAB] = {"without a tab", "no_tab"},
    [SA_DROP_DAMAGED] = {"with damaged characters", "damaged"},
    [SA_DROP_EMPTY] = {"with an empty side", "empty"},
    [SA_DROP_LONG] = {"with a side above --max-len words", "too_long"},
    [SA_DROP_RATIO] = {"with sides of too different lengths (--max-ratio)", "ratio"},
    [SA_DROP_REPEATED] = {"seen before (--unique)", "repeated"},
};

enum { UNIQUE_PAIR, UNIQUE_SOURCE, UNIQUE_TARGET, UNIQUE_NOTHING };

#define AT(field) SA_SCOPE_RUN, offsetof(sa_cleaning, field)

const sa_option sa_cleaning_options[] = {
    {"max-len", SA_INT(AT(max_len), 100, 0, 1000000, "N"),
     "drop pairs with a side longer than N words and punctuation marks; 0: no limit"},
    {"max-ratio", SA_REAL(AT(max_ratio), 4, 0, 1000, "X"),
     "drop pairs whose length ratio deviates from the corpus ratio by more than this factor; 0: no "
     "limit"},
    {"unique", SA_WORDS(AT(unique), UNIQUE_PAIR, "pair", "source", "target", "nothing"),
     "drop duplicates of the pair, its source or its target, ignoring whitespace"},
    {0},
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* A row of the file; its lines stand one after the other in cleaner.lines. */
typedef struct line_figures {
    size_t number, size; /* line in the file; its bytes, including LF */
    int reason;          /* SA_DROP_REASONS: none so far */
    size_t words[2];     /* of source and target */
    uint64_t hash[2];    /* hashes of their words */
} line_figures;

typedef struct cleaner {
    sa_pair_reader reader;
    sa_buffer lines;
    line_figures *figures; /* [count] */
    size_t count, capacity;
    double words[2]; /* of the whole corpus, without damaged pairs */
    sa_strings seen; /* hashes of the lines kept */
} cleaner;

/* Counts the words of a text, and hashes its NFC, ignoring white space between words. */
static bool measure(const char *text, size_t *words, uint64_t *hash, sa_error *error) {
    char *normal = sa_utf8_normalize(text, strlen(text), false, error);
    const size_t size = normal ? strlen(normal) : 0;
    sa_tokens tokens = {0};
    bool good = normal && sa_word_tokenizer_split(normal, size, &tokens, error);
    *words = tokens.count;
    tokens.count = 0;
    good = good && sa_tokenizers[SA_TOKENIZER_SPACE].split(normal, size, &tokens, error);
    for (size_t i = 0; i < tokens.count; i++)
        *hash = sa_hash_mix(*hash ^ sa_hash(tokens.token[i].text, tokens.token[i].size));
    sa_tokens_release(&tokens);
    free(normal);
    return good;
}

/* Appends what was read from `start` on, without its line end, which the reader has overwritten. */
static void add_raw(const sa_text_lines *text, size_t start, sa_buffer *out) {
    const char *bytes = text->file.data + start;
    size_t size = text->lines.at - start;
    if (size && bytes[size - 1] == '\n') size--;
    if (size && !bytes[size - 1]) size--;
    sa_buffer_add(out, bytes, size);
}

/* Appends the texts of the current row; a line SOURCE TAB TARGET stays as it is. */
static void add_texts(const sa_pair_reader *reader, bool as_it_is, sa_buffer *out) {
    char *const *text = as_it_is ? reader->records.cell : reader->text;
    const size_t most = as_it_is ? reader->records.cells : SA_PAIR_TEXTS;
    for (size_t k = 0; k < most && text[k]; k++) {
        sa_buffer_adds(out, k ? "\t" : "");
        sa_buffer_adds(out, text[k]);
    }
}

/* Measures the current row, and sets the reason to drop it if the row alone shows one. */
static bool examine(cleaner *all, line_figures *line, sa_error *error) {
    char *const *text = all->reader.text;
    if (!text[SA_PAIR_SOURCE])
        line->reason = SA_DROP_DAMAGED;
    else if (!text[SA_PAIR_TARGET])
        line->reason = SA_DROP_NO_TAB;
    else if (sa_text_is_damaged(text[SA_PAIR_SOURCE]) || sa_text_is_damaged(text[SA_PAIR_TARGET]))
        line->reason = SA_DROP_DAMAGED;
    for (int i = 0; line->reason == SA_DROP_REASONS && i < 2; i++) {
        if (!measure(text[i], &line->words[i], &line->hash[i], error)) return false;
        all->words[i] += (double)line->words[i];
    }
    return true;
}

static bool read_rows(cleaner *all, const char *columns, sa_error *error) {
    sa_pair_reader *reader = &all->reader;
    sa_text_lines *const file[2] = {&reader->records.text, &reader->records.second};
    bool failed = false;
    reader->records.lenient = true;
    for (;;) {
        line_figures line = {.reason = SA_DROP_REASONS};
        const size_t before = all->lines.size, start[2] = {file[0]->lines.at, file[1]->lines.at};
        if (!sa_pair_reader_next(reader, &failed, error)) return !failed;
        if (!reader->text[SA_PAIR_SOURCE]) {
            add_raw(file[0], start[0], &all->lines);
            if (file[1]->file.data) sa_buffer_adds(&all->lines, "\t");
            if (file[1]->file.data) add_raw(file[1], start[1], &all->lines);
        }
        add_texts(reader,
                  sa_pair_reader_is_plain(reader) && !columns && reader->at[SA_PAIR_TARGET] == 1,
                  &all->lines);
        sa_buffer_adds(&all->lines, "\n");
        line.number = reader->records.line, line.size = all->lines.size - before;
        if (!examine(all, &line, error) ||
            !sa_append(&all->figures, &all->count, &all->capacity, &line, sizeof line, error))
            return false;
    }
}

/* ---- Dropping -------------------------------------------------------------------------------- */

/* Returns whether the length ratio deviates too much from the corpus ratio. (A Japanese sentence
 * has more words than an English one, because every kana is a word.) */
static bool ratio_exceeds(const cleaner *all, const line_figures *line, double most) {
    const double source = (double)line->words[0] * all->words[1];
    const double target = (double)line->words[1] * all->words[0];
    return most > 0 && (source > most * target || target > most * source);
}

/* Sets *known if an earlier line that is kept has the same text, or the same two texts. */
static bool look_up(cleaner *all, const line_figures *line, int unique, bool *known,
                    sa_error *error) {
    const size_t before = all->seen.count;
    const uint64_t *hash = &line->hash[unique == UNIQUE_TARGET];
    const size_t size = (unique == UNIQUE_PAIR ? 2 : 1) * sizeof *hash;
    if (unique == UNIQUE_NOTHING) return true;
    if (sa_strings_add(&all->seen, (const char *)hash, size, error) < 0) return false;
    *known = all->seen.count == before;
    return true;
}

/* Decides about a line that alone shows no reason to be dropped. */
static bool decide(cleaner *all, const sa_cleaning *cleaning, line_figures *line, sa_error *error) {
    const size_t *words = line->words, longest = (size_t)cleaning->max_len;
    bool known = false;
    if (!words[0] || !words[1])
        line->reason = SA_DROP_EMPTY;
    else if (longest && (words[0] > longest || words[1] > longest))
        line->reason = SA_DROP_LONG;
    else if (ratio_exceeds(all, line, cleaning->max_ratio))
        line->reason = SA_DROP_RATIO;
    else if (!look_up(all, line, cleaning->unique, &known, error))
        return false;
    if (known) line->reason = SA_DROP_REPEATED;
    return true;
}

static bool filter(cleaner *all, const sa_cleaning *cleaning, sa_cleaned *out, sa_error *error) {
    const char *text = all->lines.text;
    if (all->lines.failed) return sa_fail_memory(error, all->lines.size);
    for (size_t i = 0; i < all->count; text += all->figures[i++].size) {
        line_figures *line = &all->figures[i];
        if (line->reason == SA_DROP_REASONS && !decide(all, cleaning, line, error)) return false;
        const bool keeps = line->reason == SA_DROP_REASONS;
        out->counts[line->reason]++;
        if (!keeps)
            sa_buffer_addf(&out->dropped, "%s\t%zu\t", sa_drop_reasons[line->reason].key,
                           line->number);
        sa_buffer_add(keeps ? &out->kept : &out->dropped, text, line->size);
    }
    out->lines = all->count;
    return true;
}

bool sa_clean(sa_cleaned *cleaned, const char *path, const char *columns,
              const sa_cleaning *cleaning, sa_error *error) {
    cleaner all = {0};
    *cleaned = (sa_cleaned){0};
    if (!sa_pair_reader_open(&all.reader, path, columns, error)) return false;
    const bool good = read_rows(&all, columns, error) && filter(&all, cleaning, cleaned, error);
    cleaned->note = all.reader.note, all.reader.note = (sa_buffer){0};
    sa_pair_reader_close(&all.reader);
    sa_buffer_release(&all.lines), sa_strings_release(&all.seen);
    free(all.figures);
    return good;
}

void sa_cleaned_release(sa_cleaned *cleaned) {
    sa_buffer_release(&cleaned->kept), sa_buffer_release(&cleaned->dropped);
    sa_buffer_release(&cleaned->note);
}
