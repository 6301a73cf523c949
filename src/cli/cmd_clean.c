#include "base/rng.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "data/pair_reader.h"
#include "data/tokenizer.h"

#include <stdlib.h>
#include <string.h>

typedef struct command_options {
    const char *out, *dropped, *columns;
    int max_len, unique;
    double max_ratio;
} command_options;

enum { UNIQUE_PAIR, UNIQUE_SOURCE, UNIQUE_TARGET, UNIQUE_NOTHING };

static const sa_option table[] = {
    {"out", CLI_TEXT(OUTPUT, RUN(out), NULL, "FILE"), "output file; default: standard output"},
    {"dropped", CLI_TEXT(OUTPUT, RUN(dropped), NULL, "FILE"),
     "write why which lines were dropped: reason TAB line number"},
    {CLI_COLUMNS(columns)},
    {"max-len", SA_INT(RUN(max_len), 100, 0, 1000000, "N"),
     "drop pairs with a side longer than N words and punctuation marks; 0: no limit",
     "What is dropped"},
    {"max-ratio", SA_REAL(RUN(max_ratio), 4, 0, 1000, "X"),
     "drop pairs whose length ratio deviates from the corpus ratio by more than this factor; 0: no "
     "limit"},
    {"unique", SA_WORDS(RUN(unique), UNIQUE_PAIR, "pair", "source", "target", "nothing"),
     "drop duplicates of the pair, its source or its target, ignoring whitespace"},
    {0},
};

/* Reasons to drop a pair, in the order of the checks; the first one counts. */
enum {
    NO_TAB,
    DAMAGED, /* not UTF-8, or is_damaged */
    EMPTY,   /* a side is blank */
    TOO_LONG,
    RATIO,
    REPEATED, /* the same as a line that is kept */
    KEPT
};

/* For people, and for --dropped. */
static const struct {
    const char *text, *key;
} reasons[KEPT] = {
    [NO_TAB] = {"without a tab", "no_tab"},
    [DAMAGED] = {"with damaged characters", "damaged"},
    [EMPTY] = {"with an empty side", "empty"},
    [TOO_LONG] = {"with a side above --max-len words", "too_long"},
    [RATIO] = {"with sides of too different lengths (--max-ratio)", "ratio"},
    [REPEATED] = {"seen before (--unique)", "repeated"},
};

/* A row of the file; its lines stand one after the other in cleaner.lines. */
typedef struct line_figures {
    size_t number, size; /* line in the file; its bytes, including LF */
    int reason;          /* or KEPT */
    size_t words[2];     /* of source and target */
    uint64_t hash[2];    /* hashes of their words */
} line_figures;

typedef struct cleaner {
    const command_options *options;
    sa_pair_reader reader;
    sa_buffer lines;
    line_figures *figures; /* [count] */
    size_t count, capacity;
    double words[2];         /* of the whole corpus, without damaged pairs */
    sa_strings seen;         /* hashes of the lines kept */
    size_t counts[KEPT + 1]; /* by reason */
    sa_buffer kept, dropped; /* SOURCE TAB TARGET ...; REASON TAB LINE NUMBER */
} cleaner;

/* ---- Reading --------------------------------------------------------------------------------- */

/* Returns whether a text contains a control character or U+FFFD. */
static bool is_damaged(const char *text) {
    enum { REPLACEMENT = 0xfffd };
    const size_t size = strlen(text);
    for (size_t at = 0, step; at < size; at += step) {
        const uint32_t code = sa_utf8_codepoint(text + at, size - at, &step);
        if (code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == REPLACEMENT) return true;
    }
    return false;
}

/* Counts the words of a text, as the tokenizer `word` does, and hashes its NFC, ignoring white
 * space between words. */
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
    sa_buffer_adds(out, "\n");
}

/* Measures the current row, and sets the reason to drop it if the row alone shows one. */
static bool examine(cleaner *all, line_figures *line, sa_error *error) {
    char *const *text = all->reader.text;
    const char *source = text[SA_PAIR_SOURCE], *target = text[SA_PAIR_TARGET];
    if (source && !target)
        line->reason = NO_TAB;
    else if (!source || is_damaged(source) || is_damaged(target))
        line->reason = DAMAGED;
    for (int i = 0; line->reason == KEPT && i < 2; i++) {
        if (!measure(text[i], &line->words[i], &line->hash[i], error)) return false;
        all->words[i] += (double)line->words[i];
    }
    return true;
}

/* Reads the pairs as training does. A line that is not text is dropped; other defects of the file
 * are errors, as in training. */
static bool read_rows(cleaner *all, sa_error *error) {
    sa_pair_reader *reader = &all->reader;
    const bool named = all->options->columns;
    reader->records.lenient = true;
    while (sa_pair_reader_next(reader, error)) {
        line_figures line = {.number = reader->records.line, .reason = KEPT};
        const size_t before = all->lines.size;
        add_texts(reader,
                  sa_pair_reader_is_plain(reader) && !named && reader->at[SA_PAIR_TARGET] == 1,
                  &all->lines);
        line.size = all->lines.size - before;
        if (!examine(all, &line, error) ||
            !sa_append(&all->figures, &all->count, &all->capacity, &line, sizeof line, error))
            return false;
    }
    return !reader->records.text.failed;
}

/* ---- Dropping -------------------------------------------------------------------------------- */

/* Returns whether the length ratio deviates too much from the corpus ratio. (A Japanese sentence
 * has more words than an English one, because every kana is a word.) */
static bool ratio_exceeds(const cleaner *all, const line_figures *line, double most) {
    const double source = (double)line->words[0] * all->words[1];
    const double target = (double)line->words[1] * all->words[0];
    return most > 0 && (source > most * target || target > most * source);
}

/* Decides about a line that alone shows no reason to be dropped. A repeated one has the same text,
 * or the same two texts, as an earlier one that is kept. */
static bool decide(cleaner *all, line_figures *line, sa_error *error) {
    const command_options *options = all->options;
    const size_t *words = line->words, longest = (size_t)options->max_len, kept = all->seen.count;
    const uint64_t *hash = &line->hash[options->unique == UNIQUE_TARGET];
    const size_t size = (options->unique == UNIQUE_PAIR ? 2 : 1) * sizeof *hash;
    if (!words[0] || !words[1])
        line->reason = EMPTY;
    else if (longest && (words[0] > longest || words[1] > longest))
        line->reason = TOO_LONG;
    else if (ratio_exceeds(all, line, options->max_ratio))
        line->reason = RATIO;
    else if (options->unique == UNIQUE_NOTHING)
        return true;
    else if (sa_strings_add(&all->seen, (const char *)hash, size, error) < 0)
        return false;
    else if (all->seen.count == kept)
        line->reason = REPEATED;
    return true;
}

static bool filter(cleaner *all, sa_error *error) {
    const char *text = all->lines.text;
    if (all->lines.failed) return sa_fail_memory(error, all->lines.size);
    for (size_t i = 0; i < all->count; text += all->figures[i++].size) {
        line_figures *line = &all->figures[i];
        if (line->reason == KEPT && !decide(all, line, error)) return false;
        all->counts[line->reason]++;
        if (line->reason == KEPT)
            sa_buffer_add(&all->kept, text, line->size);
        else
            sa_buffer_addf(&all->dropped, "%s\t%zu\n", reasons[line->reason].key, line->number);
    }
    return true;
}

/* ---- The command ----------------------------------------------------------------------------- */

static void show_counts(const cleaner *all) {
    const size_t kept = all->counts[KEPT], lines = all->count;
    if (all->reader.note.size) cli_note("note: %s", all->reader.note.text);
    cli_note("%zu line%s, %zu pair%s kept%s", lines, lines == 1 ? "" : "s", kept,
             kept == 1 ? "" : "s", kept == lines ? "" : "; dropped:");
    for (int i = 0; i < KEPT; i++)
        if (all->counts[i]) cli_note("%8zu %s", all->counts[i], reasons[i].text);
}

static bool prints(const void *fields) {
    return !((const command_options *)fields)->out;
}

static bool run(cli_call *call, sa_error *error) {
    const command_options *options = call->options;
    const char *path = call->words[0], *out = options->out ? options->out : "-";
    cleaner all = {.options = options};
    if (!sa_pair_reader_open(&all.reader, path, options->columns, error)) return false;
    bool good = read_rows(&all, error) && filter(&all, error);
    if (good) show_counts(&all);
    const bool none = !all.counts[KEPT]; /* even then, --dropped says why */
    good = good && (none || cli_save(out, &all.kept, error)) &&
           (!options->dropped || cli_save(options->dropped, &all.dropped, error)) &&
           (!none || sa_fail(error, SA_DATA, "%s: all %zu lines were dropped", path, all.count));
    sa_pair_reader_close(&all.reader);
    sa_buffer_release(&all.lines), sa_buffer_release(&all.kept), sa_buffer_release(&all.dropped);
    sa_strings_release(&all.seen);
    free(all.figures);
    return good;
}

const cli_command cli_clean = {
    .name = "clean",
    .words = "PAIRS",
    .summary = "drop broken, foreign, overlong and duplicate pairs",
    .size = sizeof(command_options),
    .sets = {{"Options", table, 0}},
    .prints = prints,
    .run = run,
};
