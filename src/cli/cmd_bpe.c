#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "data/bpe.h"

#include <stdlib.h>
#include <string.h>

enum { FILES = 16, LINES = 256 }; /* most files to learn from; lines read at once */

typedef struct bpe_options {
    int merges, min_frequency;
    const char *codes;
} bpe_options;

#define AT(field) offsetof(bpe_options, field)

static const sa_option table[] = {
    {"merges", SA_INT(RUN(merges), 10000, 1, 10000000, "N"), "learn: number of merge operations"},
    {"min-frequency", SA_INT(RUN(min_frequency), 2, 1, 1000000000, "N"),
     "learn: minimum frequency of a symbol pair"},
    {"codes", CLI_TEXT(INPUT, RUN(codes), NULL, "FILE"), "apply: merge operations"},
    {0},
};

/* ---- Learning -------------------------------------------------------------------------------- */

static bool count_line(void *counts, const char *line, size_t size, const sa_text_lines *from,
                       sa_error *error) {
    const char *end = line + size;
    if (memchr(line, '\t', size)) cli_note_tab(from->file.name, from->lines.number);
    while (line < end) {
        const char *space = memchr(line, ' ', (size_t)(end - line));
        const size_t length = (size_t)((space ? space : end) - line);
        if (length && !sa_word_counts_add(counts, line, length, error)) return false;
        line += length + 1;
    }
    return true;
}

static bool learn(const bpe_options *options, const char *const *paths, sa_error *error) {
    sa_word_counts counts = {0};
    sa_bpe bpe = {0};
    sa_buffer out = {0};
    bool good = true;
    if (options->codes) return sa_fail(error, SA_USAGE, "--codes is an option of 'bpe apply'");
    for (int i = 0; good && (!i || paths[i]); i++)
        good = cli_each_line(paths[i] ? paths[i] : "-", count_line, &counts, error);
    if (good && !counts.words.count)
        good = sa_fail(error, SA_DATA, "%s: no words", paths[0] ? paths[0] : "standard input");
    good =
        good && sa_bpe_learn(&bpe, &counts, (size_t)options->merges, options->min_frequency, error);
    if (good && bpe.count < (size_t)options->merges)
        cli_note("note: %zu merges of %d learned: no other pair of symbols occurs %d times",
                 bpe.count, options->merges, options->min_frequency);
    if (good) sa_bpe_write(&bpe, &out);
    good = good && cli_print(&out, error);
    sa_bpe_release(&bpe);
    sa_word_counts_release(&counts);
    return good;
}

/* ---- Applying -------------------------------------------------------------------------------- */

/* Splits a line; as in subword-nmt, spaces around it stay, and spaces between words become one. */
static bool apply_line(sa_bpe_segmenter *segmenter, const char *line, sa_buffer *out,
                       sa_error *error) {
    const size_t leading = strspn(line, " ");
    sa_buffer_add(out, line, leading);
    for (const char *at = line + leading; *at;) {
        const size_t size = strcspn(at, " "), spaces = strspn(at + size, " ");
        size_t count;
        const uint32_t *sizes = sa_bpe_segmenter_apply(segmenter, at, size, &count, error);
        if (!sizes) return false;
        for (size_t i = 0; i < count; at += sizes[i++]) {
            sa_buffer_add(out, at, sizes[i]);
            if (i + 1 < count) sa_buffer_adds(out, SA_SUBWORD_MARK " ");
        }
        sa_buffer_add(out, at, at[spaces] && spaces ? 1 : spaces);
        at += spaces;
    }
    sa_buffer_adds(out, "\n");
    return true;
}

static bool apply(const bpe_options *options, const char *const *paths, sa_error *error) {
    sa_bpe bpe = {0};
    sa_bpe_segmenter segmenter = {0};
    cli_input input = {0};
    sa_buffer out = {0};
    const char *lines[LINES];
    if (paths[0] && paths[1])
        return sa_fail(error, SA_USAGE, "bpe apply: '%s' is one argument too many", paths[1]);
    if (!options->codes) return sa_fail(error, SA_USAGE, "bpe apply: --codes FILE is missing");
    bool good = sa_bpe_open(&bpe, options->codes, error);
    if (good) sa_bpe_segmenter_init(&segmenter, &bpe);
    good = good && cli_input_open(&input, paths[0], error);
    for (size_t count = 1; good && count;) {
        good = cli_input_next(&input, lines, LINES, &count, error);
        for (size_t i = 0; good && i < count; i++)
            good = apply_line(&segmenter, lines[i], &out, error);
        good = good && cli_print(&out, error);
    }
    if (good && input.tab_line) cli_note_tab(input.reader.file.name, input.tab_line);
    sa_buffer_release(&out);
    sa_text_lines_close(&input.reader);
    sa_bpe_segmenter_release(&segmenter);
    sa_bpe_release(&bpe);
    return good;
}

/* ---- The command ----------------------------------------------------------------------------- */

static const struct {
    const char *name, *about;
    bool (*run)(const bpe_options *options, const char *const *paths, sa_error *error);
} actions[] = {
    {"learn", "prints the merge operations learned from all FILEs", learn},
    {"apply", "splits the words of FILE by the merge operations of --codes", apply},
    {.name = NULL},
};

static const char *item(size_t i, const char **text) {
    *text = actions[i].about;
    return actions[i].name;
}

static bool run(cli_call *call, sa_error *error) {
    const char *const *words = call->words;
    for (size_t i = 0; actions[i].name; i++)
        if (strcmp(words[0], actions[i].name) == 0)
            return actions[i].run(call->options, words + 1, error);
    return sa_fail(error, SA_USAGE, "bpe: '%s': expected learn or apply", words[0]);
}

const cli_command cli_bpe = {
    .name = "bpe",
    .words = "ACTION [FILE ...]",
    .most = FILES + 1,
    .summary = "learn and apply byte-pair encoding, compatible with subword-nmt",
    .texts = 1,
    .size = sizeof(bpe_options),
    .sets = {{"Options", table, 0}},
    .run = run,
    .items = "Actions",
    .item = item,
};
