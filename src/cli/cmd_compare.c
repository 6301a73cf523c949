#include "cli/cli.h"

typedef struct command_options {
    sa_compare_options job;
    const char *preset;
    bool json;
    sa_settings settings;
    sa_page_text page;
} command_options;

static const char *const comparison_files[] = {"table.csv",    "table.tex",   "curves.csv",
                                               "bylength.csv", "*-s[0-9]*/*", NULL};

static const sa_option table[] = {
    {"train", CLI_TEXT(INPUT, RUN(job.train), NULL, "PAIRS"),
     "training pairs; every model sees the same batches in the same order"},
    {CLI_COLUMNS(job.columns)},
    {"valid", CLI_TEXT(INPUT, RUN(job.valid), NULL, "PAIRS"),
     "validation pairs; default: 5 % of the training pairs, at most --hold-out, held out"},
    {"test", CLI_TEXT(INPUT, RUN(job.test), NULL, "PAIRS"),
     "test pairs, with a gold alignment for AER"},
    {"models", CLI_TEXT(TEXT, RUN(job.models), NULL, "LIST"),
     "models: decoder[:attention[:heads]], with transformer or decoder (decoder-only) as a "
     "decoder, each followed by any :option=value, such as fixed,bahdanau:additive,luong:general:4,"
     "transformer or cgru,cgru:cell-norm=yes:dropout=0.2"},
    {"seeds", SA_INT(RUN(job.seeds), 1, 1, 1000, "N"),
     "training runs per model, with consecutive seeds from --seed"},
    {"out", CLI_FOLDER(RUN(job.out), comparison_files, sizeof *comparison_files),
     "output directory for runs and tables; created if missing"},
    {"preset", CLI_TEXT(TEXT, RUN(preset), sa_preset_name, "NAME"),
     "start from the settings of a paper or a corpus, and print them"},
    {"snapshots", CLI_TEXT(INPUT, RUN(job.snapshots), NULL, "PAIRS"),
     "pairs whose attention is recorded during training, as in 'train'"},
    {"html", CLI_TEXT(OUTPUT, RUN(job.html), NULL, "FILE"),
     "write an HTML report: curves, table, BLEU by length, attention on test pairs, recorded "
     "attention, settings, CSV files"},
    {"table-columns", CLI_TEXT(TEXT, RUN(job.table_columns), NULL, "LIST"),
     "columns of table.tex, by their names in table.csv; default: parameters,bleu,aer,p"},
    {"overwrite", SA_SWITCH(RUN(job.overwrite)),
     "retrain the runs in DIR that have other settings or pairs; refused without this option"},
    {"json", SA_SWITCH(RUN(json)), "print one JSON object"},
    {0},
};

/* Models are compared after equal numbers of updates: seconds depend on the machine's load. */
static const char *const limits[] = {"epochs", "max-time", "patience", NULL};

static void limit_updates(sa_settings *settings) {
    if (!settings->steps && !settings->epochs && !(settings->max_time > 0)) settings->steps = 2000;
}

static void show_progress(void *context, const sa_progress *report) {
    cli_progress *progress = context;
    if (!report) {
        cli_signals_release();
        cli_progress_end(progress);
        cli_progress_init(progress);
    } else {
        if (report->kind != SA_PROGRESS_NOTE)
            cli_signals_catch(); /* the pairs of this run have been read */
        cli_progress_report(progress, report);
    }
}

/* Reads the settings for models of another family: its own preset, and the same options. */
static bool read_family(const cli_call *call, int family, sa_settings *settings, sa_error *error) {
    command_options again = *(const command_options *)call->options;
    cli_call other = *call;
    other.options = &again;
    if (!cli_read_preset(&other, &again.settings, sa_preset_default(family), error)) return false;
    limit_updates(&again.settings);
    *settings = again.settings;
    return true;
}

static bool run(cli_call *call, sa_error *error) {
    command_options *options = call->options;
    if (!cli_read_preset(call, &options->settings, options->preset, error) ||
        !cli_check_needed(call, error))
        return false;
    sa_settings transformer, decoder_only;
    if (!read_family(call, SA_MODEL_TRANSFORMER, &transformer, error) ||
        !read_family(call, SA_MODEL_DECODER_ONLY, &decoder_only, error))
        return false;
    limit_updates(&options->settings);
    options->job.transformer = &transformer;
    options->job.decoder_only = &decoder_only;
    if (options->preset) cli_note_lines(sa_preset_text(options->preset));

    cli_progress progress;
    sa_compare_options *job = &options->job;
    sa_compare_result result = {0};
    cli_progress_init(&progress);
    job->settings = &options->settings;
    job->title = options->page.title;
    job->notes = options->page.notes;
    job->open_at = options->page.open_at;
    job->report = show_progress, job->context = &progress;
    job->stop = cli_signals_stop();
    bool good = sa_compare(job, &result, error);
    if (result.stopped) cli_note("stopped; the same command resumes");
    if (result.table) { /* also for models that diverged */
        sa_buffer out = {0};
        sa_buffer_adds(&out, options->json ? result.json : result.table);
        const bool printed = cli_print(&out, good ? error : NULL);
        if (printed) cli_note_folder(job->out, comparison_files);
        if (printed && job->html) cli_note("wrote %s", job->html);
        good = good && printed;
    }
    sa_compare_result_release(&result);
    return good;
}

const cli_command cli_compare = {
    .name = "compare",
    .words = "--train PAIRS --test PAIRS --models LIST --out DIR",
    .summary = "train several models on the same batches and compare them",
    .size = sizeof(command_options),
    .sets = {{"Options", table, 0},
             {"Page", sa_page_text_options, AT(page)},
             {"Settings", sa_settings_options, AT(settings), limits}},
    .run = run,
    .items = "Decoders",
    .item = sa_decoder_info,
};
