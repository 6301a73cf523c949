#include "cli/cli.h"
#include "data/corpus.h"
#include "data/encoding.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- MODEL and PAIRS ------------------------------------------------------------------------- */

bool cli_corpus_open(sa_corpus *corpus, const char *path, const char *columns, sa_error *error) {
    if (!sa_corpus_open_columns(corpus, path, columns, error)) return false;
    if (corpus->remarks) cli_note("note: %s", corpus->remarks);
    return true;
}

bool cli_pairs_open(sa_corpus *corpus, const char *path, const char *columns, bool sources,
                    sa_error *error) {
    if (!sa_corpus_open_any(corpus, path, columns, sources, error)) return false;
    if (corpus->remarks) cli_note("note: %s", corpus->remarks);
    if (corpus->note) cli_note("note: %s", corpus->note);
    if (corpus->empty)
        cli_note("note: %s: %zu of %zu lines have an empty side; they are skipped, and files with "
                 "one line per pair have empty lines there",
                 corpus->name, corpus->empty, corpus->lines);
    return true;
}

bool cli_note_gold(const sa_corpus *corpus, const sa_settings *settings, sa_error *error) {
    size_t sentences;
    if (!sa_gold_counts_blanks(corpus, settings, &sentences, error)) return false;
    if (sentences) cli_note("note: " SA_GOLD_COUNTS_BLANKS, corpus->name, sentences);
    return true;
}

void cli_add_skipped(const sa_corpus *corpus, size_t next, sa_buffer *out) {
    const size_t before = next ? corpus->pairs[next - 1].row : 0;
    const size_t end = next < corpus->count ? corpus->pairs[next].row - 1 : corpus->lines;
    for (size_t line = before; line < end; line++) sa_buffer_adds(out, "\n");
}

bool cli_pairs_fail(const char *path, sa_error *error) {
    const sa_error without = *error;
    size_t line;
    int size;
    if (sscanf(without.text, "line %zu%n", &line, &size) == 1)
        sa_fail(error, without.code, "%s:%zu%s", path, line, without.text + size);
    return false;
}

typedef cli_model_options command_options;

const sa_option cli_model_rows[] = {
    {"force-attention", CLI_TEXT(TEXT, RUN(force_attention), sa_attention_override_name, "WAY"),
     "replace the weights: uniform, shuffle, shift:N, one-hot, gold, expected (as in training)"},
    {"max-len", SA_INT(RUN(max_len), SA_MAX_LEN, 1, 1000000, "N"),
     CLI_MAX_LEN ", or for translate an empty line and exit code 7"},
    {"precision", SA_WORDS(RUN(precision), 0, "float32", "bf16"),
     "products of weights, whatever the model was trained with: float32, or of operands rounded to "
     "bf16"},
    {"threads", SA_INT(RUN(threads), 0, 0, 256, "N"), "number of threads; 0: one per core"},
    {0},
};

sa_model *cli_model_open(const char *path, const cli_model_options *options,
                         sa_attention_override *override, sa_error *error) {
    const char *force_attention = options->force_attention;
    const bool bf16 = options->precision == SA_PRECISION_BF16;
    sa_model *model = sa_model_open(path, options->threads, error);
    if (!model) return NULL;
    const sa_settings *settings = sa_model_settings(model);
    sa_model_set_max_len(model, options->max_len, error);
    sa_model_set_precision(model, options->precision, error);
    if (force_attention && !sa_settings_has_attention(settings))
        sa_fail(error, SA_USAGE, "the model has no attention: its decoder is '%s'",
                sa_decoder_info((size_t)settings->decoder, NULL, NULL));
    else if (!force_attention || sa_attention_override_parse(override, force_attention, error)) {
        static bool noted; /* once for all models of an ensemble */
        if (sa_blas_one_thread() && options->threads != 1)
            cli_note("note: %s", sa_blas_one_thread());
        if (sa_model_denormals(model))
            cli_note("note: '%s': %zu denormal numbers are read as zero", path,
                     sa_model_denormals(model));
        if (sa_model_is_early(model))
            cli_note("note: '%s' is a model of 0.1.0: its texts are cut into words by today's "
                     "rules, which keep more signs inside words",
                     path);
        if (bf16 && sa_bf16_emulated() && !noted) cli_note("note: %s", sa_bf16_emulated());
        noted |= bf16;
        return model;
    }
    sa_model_close(model);
    return NULL;
}

sa_model *cli_model_open_alone(const char *path, int max_len, sa_error *error) {
    const cli_model_options options = {.max_len = max_len, .threads = 1};
    return cli_model_open(path, &options, NULL, error);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

void cli_note_tab(const char *name, size_t line) {
    static bool noted; /* once for all files */
    if (!noted)
        cli_note("note: %s:%zu: a tab in a file of plain sentences (for pairs, extract one column: "
                 "cut -f 1)",
                 name, line);
    noted = true;
}

enum { BLOCK = 1 << 16 };

bool cli_input_open(cli_input *input, const char *path, sa_error *error) {
    *input = (cli_input){0};
    bool standard = !path || strcmp(path, "-") == 0;
    struct stat about;
    input->interactive = standard && fstat(STDIN_FILENO, &about) == 0 && !S_ISREG(about.st_mode);
    if (!input->interactive)
        return sa_text_lines_open(&input->reader, standard ? "-" : path, error);
    input->reader.file.name = "standard input";
    return true;
}

/* Returns the number of bytes in complete lines; at the end of the input, of all bytes. */
static size_t whole_lines(const cli_input *input) {
    if (input->ended) return input->received;
    const char *data = input->reader.file.data;
    const char *end = input->received ? memrchr(data, '\n', input->received) : NULL;
    return end ? (size_t)(end - data) + 1 : 0;
}

/* Drops the lines that it has returned, then reads until a line is complete. A line above the limit
 * counts as complete, and is refused later. */
static bool refill(cli_input *input, sa_error *error) {
    sa_text_lines *reader = &input->reader;
    sa_file *file = &reader->file;
    input->received -= reader->at;
    if (input->received) memmove(file->data, file->data + reader->at, input->received);
    reader->at = 0;
    while (!(file->size = whole_lines(input)) && !input->ended) {
        if (input->received > SA_LINE_LIMIT + 1) {
            file->size = input->received;
            return true;
        }
        if (!sa_reserve(&file->data, &input->capacity, input->received + BLOCK + 1, 1, error))
            return false;
        ssize_t got = read(STDIN_FILENO, file->data + input->received, BLOCK);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return sa_fail_errno(error, SA_IO, "read", file->name);
        input->ended = got == 0;
        input->received += (size_t)got;
    }
    if (!reader->number) reader->at = sa_utf8_mark_size(file->data, file->size);
    return true;
}

bool cli_input_next(cli_input *input, const char **lines, size_t max_lines, size_t *count,
                    sa_error *error) {
    sa_text_lines *reader = &input->reader;
    *count = 0;
    if (input->interactive && reader->at == reader->file.size && !refill(input, error))
        return false;
    while (*count < max_lines && sa_text_lines_next(reader, error)) {
        char *tab = strchr(reader->line, '\t');
        if (tab && !input->tab_line) input->tab_line = reader->number;
        if (tab && input->first_column) *tab = 0;
        lines[(*count)++] = reader->line;
    }
    return !reader->failed;
}
