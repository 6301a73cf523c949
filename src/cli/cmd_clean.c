#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "data/clean.h"

typedef struct clean_options {
    const char *out, *dropped, *columns;
    sa_cleaning cleaning;
} clean_options;

#define AT(field) offsetof(clean_options, field)

static const sa_option table[] = {
    {"out", CLI_TEXT(OUTPUT, RUN(out), NULL, "FILE"), "output file; default: standard output"},
    {"dropped", CLI_TEXT(OUTPUT, RUN(dropped), NULL, "FILE"),
     "write why which lines were dropped: reason TAB line number"},
    {CLI_COLUMNS(columns)},
    {0},
};

static void show_counts(const sa_cleaned *cleaned) {
    const size_t kept = cleaned->counts[SA_DROP_REASONS], lines = cleaned->lines;
    cli_note("%zu line%s, %zu pair%s kept%s", lines, lines == 1 ? "" : "s", kept,
             kept == 1 ? "" : "s", kept == lines ? "" : "; dropped:");
    for (int i = 0; i < SA_DROP_REASONS; i++)
        if (cleaned->counts[i]) cli_note("%8zu %s", cleaned->counts[i], sa_drop_reasons[i].text);
}

static bool prints(const void *fields) {
    return !((const clean_options *)fields)->out;
}

static bool run(cli_call *call, sa_error *error) {
    const clean_options *options = call->options;
    const char *path = call->words[0], *out = options->out ? options->out : "-";
    sa_cleaned cleaned;
    bool good = sa_clean(&cleaned, path, options->columns, &options->cleaning, error);
    if (good && cleaned.note.size) cli_note("note: %s", cleaned.note.text);
    if (good) show_counts(&cleaned);
    const bool none = !cleaned.counts[SA_DROP_REASONS]; /* even then, --dropped says why */
    good =
        good && (none || cli_save(out, &cleaned.kept, error)) &&
        (!options->dropped || cli_save(options->dropped, &cleaned.dropped, error)) &&
        (!none || sa_fail(error, SA_DATA, "%s: all %zu lines were dropped", path, cleaned.lines));
    sa_cleaned_release(&cleaned);
    return good;
}

const cli_command cli_clean = {
    .name = "clean",
    .words = "PAIRS",
    .summary = "drop broken, foreign, overlong and duplicate pairs",
    .size = sizeof(clean_options),
    .sets = {{"Options", table, 0}, {"What is dropped", sa_cleaning_options, AT(cleaning)}},
    .prints = prints,
    .run = run,
};
