#include "data/clean.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "data/pair_reader.h"
#include "data/tokenizer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Damaged text ---------------------------------------------------------------------------- */

bool sa_text_is_damaged(const char *text) {
    enum { REPLACEMENT = 0xfffd };
    const size_t size = strlen(text);
    for (size_t at = 0, step; at < size; at += step) {
        const uint32_t code = sa_utf8_codepoint(text + at, size - at, &step);
        if (code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == REPLACEMENT) return true;
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
    reader->records.lenient = true;
    for (;;) {
        line_figures line = {.reason = SA_DROP_REASONS};
        const size_t before = all->lines.size;
        if (!sa_pair_reader_next(reader, error)) return !reader->records.text.failed;
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
        out->counts[line->reason]++;
        if (line->reason == SA_DROP_REASONS)
            sa_buffer_add(&out->kept, text, line->size);
        else
            sa_buffer_addf(&out->dropped, "%s\t%zu\n", sa_drop_reasons[line->reason].key,
                           line->number);
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
