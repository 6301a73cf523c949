#include "cli/cli.h"
#include "data/bpe.h"

#include <string.h>

enum { FILES = 16, LARGE = 1 << 20 }; /* most files to learn from; bytes printed at once */

typedef struct command_options {
    int merges, min_frequency;
    const char *codes, *glossaries;
} command_options;

static const sa_option table[] = {
    {"merges", SA_INT(RUN(merges), 10000, 1, 10000000, "N"), "learn: number of merge operations"},
    {"min-frequency", SA_INT(RUN(min_frequency), SA_BPE_FREQUENCY, 1, 1000000000, "N"),
     "learn: minimum frequency of a symbol pair"},
    {"codes", CLI_TEXT(INPUT, RUN(codes), NULL, "FILE"), "apply: merge operations"},
    {"glossaries", CLI_TEXT(TEXT, RUN(glossaries), NULL, "LIST"),
     "apply: words, separated by spaces, that stay whole, also within other words"},
    {0},
};

/* Calls `each` for every line of a file, until it returns false; then returns false. */
static bool each_line(const char *path,
                      bool (*each)(void *context, const sa_text_lines *from, sa_error *error),
                      void *context, sa_error *error) {
    sa_text_lines lines;
    bool good = sa_text_lines_open(&lines, path ? path : "-", error);
    while (good && sa_text_lines_next(&lines, error)) {
        if (strchr(lines.line, '\t')) cli_note_tab(lines.file.name, lines.number);
        good = each(context, &lines, error);
    }
    good = good && !lines.failed;
    sa_text_lines_close(&lines);
    return good;
}

/* ---- Learning -------------------------------------------------------------------------------- */

static bool count_line(void *words, const sa_text_lines *from, sa_error *error) {
    for (const char *at = from->line; *(at += strspn(at, " ")); at += strcspn(at, " "))
        if (!sa_strings_count(words, (sa_token){at, strcspn(at, " ")}, 1, error)) return false;
    return true;
}

static bool learn(const command_options *options, const char *const *paths, sa_error *error) {
    sa_strings words = {0};
    sa_bpe bpe = {0};
    sa_buffer out = {0};
    bool good = true;
    if (options->codes || options->glossaries)
        return sa_fail(error, SA_USAGE, "--%s is an option of 'bpe apply'",
                       options->codes ? "codes" : "glossaries");
    for (int i = 0; good && (!i || paths[i]); i++)
        good = each_line(paths[i], count_line, &words, error);
    if (good && !words.count)
        good = sa_fail(error, SA_DATA, "%s: no words", paths[0] ? paths[0] : "standard input");
    good =
        good && sa_bpe_learn(&bpe, &words, (size_t)options->merges, options->min_frequency, error);
    if (good && bpe.pairs.count < (size_t)options->merges)
        cli_note("note: %zu merges of %d learned: no other pair of symbols occurs %d times",
                 bpe.pairs.count, options->merges, options->min_frequency);
    if (good) sa_bpe_write(&bpe, &out);
    good = good && cli_print(&out, error);
    sa_bpe_release(&bpe);
    sa_strings_release(&words);
    return good;
}

/* ---- Applying -------------------------------------------------------------------------------- */

typedef struct applying {
    sa_bpe_segmenter segmenter;
    sa_buffer out;
} applying;

static bool add_word(applying *work, const char *word, size_t size, sa_error *error) {
    size_t count = 0;
    const uint32_t *sizes = sa_bpe_segmenter_apply(&work->segmenter, word, size, &count, error);
    for (size_t i = 0; sizes && i < count; word += sizes[i++]) {
        if (i) sa_buffer_adds(&work->out, SA_SUBWORD_MARK " ");
        sa_buffer_add(&work->out, word, sizes[i]);
    }
    return sizes;
}

/* Splits a line; as in subword-nmt, spaces around it stay, and spaces between words become one. */
static bool apply_line(void *context, const sa_text_lines *from, sa_error *error) {
    applying *work = context;
    const char *line = from->line;
    const size_t leading = strspn(line, " ");
    sa_buffer_add(&work->out, line, leading);
    for (const char *at = line + leading; *at;) {
        const size_t length = strcspn(at, " "), spaces = strspn(at + length, " ");
        if (length && !add_word(work, at, length, error)) return false;
        at += length;
        sa_buffer_add(&work->out, at, at[spaces] && spaces ? 1 : spaces);
        at += spaces;
    }
    sa_buffer_adds(&work->out, "\n");
    return work->out.size < LARGE || cli_print(&work->out, error);
}

static bool apply(const command_options *options, const char *const *paths, sa_error *error) {
    sa_bpe bpe = {0};
    applying work = {0};
    if (paths[0] && paths[1])
        return sa_fail(error, SA_USAGE, "bpe apply: '%s' is one argument too many", paths[1]);
    if (!options->codes) return sa_fail(error, SA_USAGE, "bpe apply: --codes FILE is missing");
    bool good = sa_bpe_open(&bpe, options->codes, error);
    const char *list = options->glossaries;
    good = good && (!list || sa_bpe_set_glossaries(&bpe, list, false, error));
    work.segmenter.bpe = &bpe;
    good = good && each_line(paths[0], apply_line, &work, error) && cli_print(&work.out, error);
    sa_buffer_release(&work.out);
    sa_bpe_segmenter_release(&work.segmenter);
    sa_bpe_release(&bpe);
    return good;
}

/* ---- The command ----------------------------------------------------------------------------- */

static const char *item(size_t i, const char **text, const char **none) {
    *text = i ? "splits the words of FILE by the merge operations of --codes"
              : "prints the merge operations learned from all FILEs";
    return i == 0 ? "learn" : i == 1 ? "apply" : NULL;
}

static bool run(cli_call *call, sa_error *error) {
    const char *const *words = call->words;
    if (strcmp(words[0], "learn") == 0) return learn(call->options, words + 1, error);
    if (strcmp(words[0], "apply") == 0) return apply(call->options, words + 1, error);
    return sa_fail(error, SA_USAGE, "bpe: '%s': expected learn or apply", words[0]);
}

const cli_command cli_bpe = {
    .name = "bpe",
    .words = "ACTION [FILE ...]",
    .most = FILES + 1,
    .summary = "learn and apply byte-pair encoding, compatible with subword-nmt",
    .texts = 1,
    .size = sizeof(command_options),
    .sets = {{"Options", table, 0}},
    .run = run,
    .items = "Actions",
    .item = item,
};
