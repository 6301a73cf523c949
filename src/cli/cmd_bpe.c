#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "data/bpe.h"

#include <stdlib.h>
#include <string.h>

enum { FILES = 16, LINES = 256 }; /* most files to learn from; lines read at once */

typedef struct bpe_options {
    int merges, min_frequency, threshold;
    const char *codes, *vocabulary;
} bpe_options;

#define AT(field) offsetof(bpe_options, field)

static const sa_option rows[] = {
    {"merges", SA_INT(RUN(merges), 10000, 1, 10000000, "N"), "learn: number of merge operations"},
    {"min-frequency", SA_INT(RUN(min_frequency), 2, 1, 1000000000, "N"),
     "learn: minimum frequency of a symbol pair"},
    {"codes", CLI_TEXT(INPUT, RUN(codes), NULL, "FILE"), "apply: merge operations"},
    {"vocabulary", CLI_TEXT(INPUT, RUN(vocabulary), NULL, "FILE"),
     "apply: subwords and counts; other subwords are split further by undoing their merges"},
    {"vocabulary-threshold", SA_INT(RUN(threshold), 1, 1, 1000000000, "N"),
     "apply: minimum count of a subword in --vocabulary"},
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

/* The words of all files, or of standard input. */
static bool count_words(const bpe_options *options, const char *action, const char *const *paths,
                        sa_word_counts *counts, sa_error *error) {
    bool good = true;
    if (options->codes || options->vocabulary)
        return sa_fail(error, SA_USAGE,
                       "bpe %s: --codes and --vocabulary are options of 'bpe apply'", action);
    for (int i = 0; good && (!i || paths[i]); i++)
        good = cli_each_line(paths[i] ? paths[i] : "-", count_line, counts, error);
    if (good && !counts->words.count)
        good = sa_fail(error, SA_DATA, "%s: no words", paths[0] ? paths[0] : "standard input");
    return good;
}

static bool learn(const bpe_options *options, const char *const *paths, sa_error *error) {
    sa_word_counts counts = {0};
    sa_bpe bpe = {0};
    sa_buffer out = {0};
    bool good = count_words(options, "learn", paths, &counts, error) &&
                sa_bpe_learn(&bpe, &counts, (size_t)options->merges, options->min_frequency, error);
    if (good && bpe.count < (size_t)options->merges)
        cli_note("note: %zu merges of %d learned: no other pair of symbols occurs %d times",
                 bpe.count, options->merges, options->min_frequency);
    if (good) sa_bpe_write(&bpe, &out);
    good = good && cli_print(&out, error);
    sa_bpe_release(&bpe);
    sa_word_counts_release(&counts);
    return good;
}

/* The most frequent first; of equals the one that comes first in the text. */
static int by_frequency(const void *a, const void *b) {
    const sa_heap_item *one = a, *other = b;
    if (one->rank != other->rank) return one->rank > other->rank ? -1 : 1;
    return one->id > other->id ? 1 : -1;
}

static bool get_vocabulary(const bpe_options *options, const char *const *paths, sa_error *error) {
    sa_word_counts counts = {0};
    sa_buffer out = {0};
    bool good = count_words(options, "get-vocab", paths, &counts, error);
    sa_heap_item *words = good ? sa_new(counts.words.count, sizeof *words, error) : NULL;
    for (size_t i = 0; words && i < counts.words.count; i++)
        words[i] = (sa_heap_item){counts.frequency[i], (int32_t)i};
    if (words) qsort(words, counts.words.count, sizeof *words, by_frequency);
    for (size_t i = 0; words && i < counts.words.count; i++) {
        const sa_token word = sa_strings_get(&counts.words, words[i].id);
        sa_buffer_add(&out, word.text, word.size);
        sa_buffer_addf(&out, " %lld\n", (long long)words[i].rank);
    }
    good = words && cli_print(&out, error);
    free(words);
    sa_word_counts_release(&counts);
    return good;
}

/* ---- Applying -------------------------------------------------------------------------------- */

typedef struct apply_job {
    const bpe_options *options;
    sa_bpe bpe;
    sa_strings known;
    sa_bpe_segmenter segmenter;
    cli_input input;
    sa_buffer out;
} apply_job;

static bool add_known(void *job, const char *line, size_t size, const sa_text_lines *from,
                      sa_error *error) {
    apply_job *work = job;
    const char *space = memrchr(line, ' ', size);
    char *rest = NULL;
    const long long count = space && space > line ? strtoll(space + 1, &rest, 10) : -1;
    if (count < 0 || rest == space + 1 || *rest || memchr(line, ' ', (size_t)(space - line)))
        return sa_fail(error, SA_DATA, "%s:%zu: expected a subword, a space and its count",
                       from->file.name, from->lines.number);
    return count < work->options->threshold ||
           sa_strings_add(&work->known, line, (size_t)(space - line), error) >= 0;
}

/* As in subword-nmt, spaces around a line are kept and those between words become one. */
static bool apply_line(apply_job *work, const char *line, sa_error *error) {
    const size_t leading = strspn(line, " ");
    sa_buffer_add(&work->out, line, leading);
    for (const char *at = line + leading; *at;) {
        const size_t size = strcspn(at, " "), spaces = strspn(at + size, " ");
        size_t count;
        const uint32_t *sizes = sa_bpe_segmenter_apply(&work->segmenter, at, size, &count, error);
        if (!sizes) return false;
        for (size_t i = 0; i < count; at += sizes[i++]) {
            sa_buffer_add(&work->out, at, sizes[i]);
            if (i + 1 < count) sa_buffer_adds(&work->out, SA_SUBWORD_MARK " ");
        }
        sa_buffer_add(&work->out, at, at[spaces] && spaces ? 1 : spaces);
        at += spaces;
    }
    sa_buffer_adds(&work->out, "\n");
    return true;
}

static bool apply(const bpe_options *options, const char *const *paths, sa_error *error) {
    apply_job work = {.options = options};
    const char *lines[LINES];
    if (paths[0] && paths[1])
        return sa_fail(error, SA_USAGE, "bpe apply: '%s' is one argument too many", paths[1]);
    if (!options->codes) return sa_fail(error, SA_USAGE, "bpe apply: --codes FILE is missing");
    bool good = sa_bpe_open(&work.bpe, options->codes, error);
    if (good) sa_bpe_segmenter_init(&work.segmenter, &work.bpe);
    good = good &&
           (!options->vocabulary ||
            (cli_each_line(options->vocabulary, add_known, &work, error) &&
             sa_bpe_segmenter_restrict(&work.segmenter, &work.known, error))) &&
           cli_input_open(&work.input, paths[0], error);
    for (size_t count = 1; good && count;) {
        good = cli_input_next(&work.input, lines, LINES, &count, error);
        for (size_t i = 0; good && i < count; i++) good = apply_line(&work, lines[i], error);
        good = good && cli_print(&work.out, error);
    }
    if (good && work.input.tab_line) cli_note_tab(work.input.reader.file.name, work.input.tab_line);
    sa_buffer_release(&work.out);
    sa_text_lines_close(&work.input.reader);
    sa_bpe_segmenter_release(&work.segmenter);
    sa_strings_release(&work.known);
    sa_bpe_release(&work.bpe);
    return good;
}

/* ---- The command ----------------------------------------------------------------------------- */

static const struct {
    const char *name, *about;
    bool (*run)(const bpe_options *options, const char *const *paths, sa_error *error);
} actions[] = {
    {"learn", "prints the merge operations learned from all FILEs", learn},
    {"apply", "splits the words of FILE by the merge operations of --codes", apply},
    {"get-vocab", "prints the words of all FILEs and their counts, for --vocabulary",
     get_vocabulary},
    {.name = NULL},
};

static const char *item(size_t row, const char **text) {
    *text = actions[row].about;
    return actions[row].name;
}

static bool run(cli_call *call, sa_error *error) {
    const char *const *words = call->words;
    sa_nearest nearest = {.wanted = words[0]};
    for (size_t i = 0; actions[i].name; i++) {
        if (strcmp(words[0], actions[i].name) == 0)
            return actions[i].run(call->options, words + 1, error);
        sa_nearest_consider(&nearest, actions[i].name);
    }
    return sa_fail(error, SA_USAGE, "bpe: '%s': expected learn, apply or get-vocab%s", words[0],
                   sa_nearest_hint(&nearest));
}

const cli_command cli_bpe = {
    .name = "bpe",
    .words = "ACTION [FILE ...]",
    .most = FILES + 1,
    .summary = "learn and apply byte-pair encoding, compatible with subword-nmt",
    .texts = 1,
    .size = sizeof(bpe_options),
    .sets = {{"Options", rows, 0}},
    .run = run,
    .items = "Actions",
    .item = item,
};
