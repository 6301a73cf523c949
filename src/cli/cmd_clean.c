#include "base/file.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "data/clean.h"
#include "data/pair_reader.h"

#include <stdlib.h>
#include <string.h>

typedef struct clean_options {
    const char *out, *dropped, *columns;
    bool json;
    sa_cleaning cleaning;
} clean_options;

#define AT(field) offsetof(clean_options, field)

static const sa_option rows[] = {
    {"out", CLI_TEXT(OUTPUT, RUN(out), NULL, "FILE"), "output file; default: standard output"},
    {"dropped", CLI_TEXT(OUTPUT, RUN(dropped), NULL, "FILE"),
     "write the dropped lines: reason TAB line number TAB line"},
    {CLI_COLUMNS(columns)},
    {"json", SA_SWITCH(RUN(json)), "print the counts as one JSON object; needs --out"},
    {0},
};

/* PAIRS as bytes: lines of SOURCE TAB TARGET or two parallel files. */
typedef struct input {
    sa_text_lines text[2];
    int files;
    char *first; /* the name of the first of two */
    bool uneven; /* one of two has more lines */
} input;

typedef struct task {
    input input;
    sa_cleaner cleaner;
    size_t lines, kept, count[SA_REJECT_REASONS];
    sa_buffer out, dropped;
} task;

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Makes lines of SOURCE TAB TARGET of another format or of chosen columns. */
static bool read_rows(input *in, sa_pair_reader *reader, sa_error *error) {
    sa_buffer out = {0};
    bool failed = false;
    while (sa_pair_reader_next(reader, &failed, error)) {
        for (int k = 0; k < SA_PAIR_TEXTS && reader->text[k]; k++) {
            sa_buffer_adds(&out, k ? "\t" : "");
            sa_buffer_adds(&out, reader->text[k]);
        }
        sa_buffer_adds(&out, "\n");
    }
    if (!failed && reader->note.size) cli_note("note: %s", reader->note.text);
    sa_file *file = &in->text[0].file;
    *file = (sa_file){.name = reader->records.text.file.name, .size = out.size};
    if (failed) sa_buffer_release(&out);
    file->data = failed ? NULL : sa_buffer_take(&out, error);
    return file->data;
}

static bool open_input(input *in, const char *path, const char *columns, sa_error *error) {
    const char *comma = strchr(path, ',');
    in->files = comma && sa_file_missing(path) ? 2 : 1;
    if (in->files == 1) {
        sa_pair_reader reader;
        if (!sa_pair_reader_open(&reader, path, columns, error)) return false;
        const bool plain = sa_pair_reader_is_plain(&reader) && !columns;
        if (plain) in->text[0] = reader.records.text, reader.records.text = (sa_text_lines){0};
        const bool good = plain || read_rows(in, &reader, error);
        sa_pair_reader_close(&reader);
        return good;
    }
    if (columns)
        return sa_fail(error, SA_USAGE, "--columns: '%s' are two files without columns", path);
    in->first = sa_copy(path, (size_t)(comma - path), error);
    return in->first && sa_text_lines_open(&in->text[0], in->first, error) &&
           sa_text_lines_open(&in->text[1], comma + 1, error);
}

/* The next line of a file without its end, as it is; false after the last. */
static bool next_line(sa_text_lines *text, sa_token *line) {
    const size_t left = text->file.size - text->lines.at;
    if (!left) return false;
    const char *start = text->file.data + text->lines.at, *end = memchr(start, '\n', left);
    size_t size = end ? (size_t)(end - start) : left;
    text->lines.at += size + (end != NULL);
    if (size && start[size - 1] == '\r') size--;
    *line = (sa_token){start, size};
    return true;
}

/* The next pair, and its lines. */
static bool next_pair(input *in, sa_token line[2], sa_token side[2]) {
    const bool more = next_line(&in->text[0], &line[0]);
    if (in->files == 2) {
        in->uneven = next_line(&in->text[1], &line[1]) != more;
        side[0] = line[0], side[1] = line[1];
        return more && !in->uneven;
    }
    if (!more) return false;
    const char *end = line[0].text + line[0].size;
    const char *tab = memchr(line[0].text, '\t', line[0].size);
    const char *rest = tab ? memchr(tab + 1, '\t', (size_t)(end - tab - 1)) : NULL;
    side[0] = (sa_token){line[0].text, (size_t)((tab ? tab : end) - line[0].text)};
    side[1] = (sa_token){NULL, 0};
    if (tab) side[1] = (sa_token){tab + 1, (size_t)((rest ? rest : end) - tab - 1)};
    return true;
}

static void add_lines(const input *in, const sa_token line[2], sa_buffer *out) {
    sa_buffer_add(out, line[0].text, line[0].size);
    if (in->files == 2) {
        sa_buffer_add(out, "\t", 1);
        sa_buffer_add(out, line[1].text, line[1].size);
    }
    sa_buffer_add(out, "\n", 1);
}

/* ---- Cleaning -------------------------------------------------------------------------------- */

static bool count_all(task *work, const char *path, sa_error *error) {
    const size_t start[] = {work->input.text[0].lines.at, work->input.text[1].lines.at};
    sa_token line[2] = {{0}}, side[2];
    for (; next_pair(&work->input, line, side); work->lines++)
        if (!sa_cleaner_count(&work->cleaner, side, error)) return false;
    if (work->input.uneven)
        return sa_fail(error, SA_DATA, "%s: one file has more than the other's %zu lines", path,
                       work->lines);
    sa_cleaner_finish_counts(&work->cleaner);
    for (int i = 0; i < 2; i++) work->input.text[i].lines.at = start[i];
    return true;
}

static bool filter_all(task *work, sa_error *error) {
    sa_token line[2] = {{0}}, side[2];
    sa_reject_reason reason;
    for (size_t number = 1; next_pair(&work->input, line, side); number++) {
        if (!sa_cleaner_check(&work->cleaner, side, &reason, error)) return false;
        if (reason == SA_REJECT_NONE) {
            work->kept++;
            add_lines(&work->input, line, &work->out);
        } else {
            work->count[reason]++;
            sa_buffer_addf(&work->dropped, "%s\t%zu\t", sa_rejects[reason].key, number);
            add_lines(&work->input, line, &work->dropped);
        }
    }
    return true;
}

/* ---- Counts --------------------------------------------------------------------------------- */

static void show_counts(const task *work) {
    cli_note("%zu lines, %zu pairs kept; dropped:", work->lines, work->kept);
    for (int i = 0; i < SA_REJECT_REASONS; i++)
        if (work->count[i]) cli_note("%8zu %s", work->count[i], sa_rejects[i].text);
    for (int i = 0; i < 2; i++)
        if (work->cleaner.script[i] >= 0)
            cli_note("script of the %ss: %s", i ? "target" : "source",
                     sa_script_name((size_t)work->cleaner.script[i]));
}

static json_t *counts_of(const task *work) {
    json_t *dropped = json_object();
    for (int i = 0; i < SA_REJECT_REASONS; i++)
        json_object_set_new(dropped, sa_rejects[i].key, json_integer((json_int_t)work->count[i]));
    return json_pack("{s:I, s:I, s:o}", "lines", (json_int_t)work->lines, "kept",
                     (json_int_t)work->kept, "dropped", dropped);
}

static bool prints(const void *fields) {
    const clean_options *options = fields;
    return !options->out || options->json;
}

static bool run(cli_call *call, sa_error *error) {
    const clean_options *options = call->options;
    const char *path = call->words[0], *out = options->out ? options->out : "-";
    if (options->json && strcmp(out, "-") == 0)
        return sa_fail(error, SA_USAGE, "clean: --json needs --out FILE for the pairs");
    task work = {0};
    work.cleaner = (sa_cleaner){.cleaning = &options->cleaning};
    bool good = open_input(&work.input, path, options->columns, error) &&
                count_all(&work, path, error) && filter_all(&work, error);
    if (good && !options->json) show_counts(&work);
    const bool none = !work.kept; /* then --dropped and --json still say why */
    good = good && (none || cli_save(out, &work.out, error)) &&
           (!options->dropped || cli_save(options->dropped, &work.dropped, error)) &&
           (!options->json || cli_print_json(counts_of(&work), error)) &&
           (!none || sa_fail(error, SA_DATA, "%s: all %zu lines were dropped", path, work.lines));
    sa_buffer_release(&work.out), sa_buffer_release(&work.dropped);
    sa_cleaner_release(&work.cleaner);
    sa_text_lines_close(&work.input.text[0]), sa_text_lines_close(&work.input.text[1]);
    free(work.input.first);
    return good;
}

const cli_command cli_clean = {
    .name = "clean",
    .words = "PAIRS",
    .summary = "drop broken, foreign, overlong and duplicate pairs",
    .size = sizeof(clean_options),
    .sets = {{"Options", rows, 0}, {"What is dropped", sa_cleaning_options, AT(cleaning)}},
    .prints = prints,
    .run = run,
};
