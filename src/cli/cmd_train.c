#include "cli/cli.h"
#include "report/film.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct command_options {
    sa_train_options job;
    const char *preset, *snapshots, *html;
    sa_settings settings;
    sa_page_text page;
    sa_corpus pairs; /* of --snapshots */
} command_options;

static const char *const training_files[] = {"best.safetensors",
                                             "last.safetensors",
                                             "average.safetensors",
                                             "log.csv",
                                             "film/*",
                                             "checkpoints/*",
                                             NULL};

static const sa_option table[] = {
    {"train", CLI_TEXT(INPUT, RUN(job.train), NULL, "PAIRS"),
     "training pairs: a tab-separated file, CSV, JSON lines or TMX, two files as SRC,TGT, or - for "
     "standard input"},
    {"alignments", CLI_TEXT(INPUT, RUN(job.alignments), NULL, "FILE"),
     "for --guided-alignment: word alignments in Pharaoh format, one line per pair; default: third "
     "column of the pairs"},
    {CLI_COLUMNS(job.columns)},
    {"valid", CLI_TEXT(INPUT, RUN(job.valid), NULL, "PAIRS"),
     "validation pairs; default: 5 % of the training pairs, at most --hold-out, held out"},
    {"init-from", CLI_TEXT(INPUT, RUN(job.init_from), NULL, "MODEL"),
     "start from the weights, vocabularies and model settings of a trained model; words of the "
     "pairs that it lacks are appended, as --min-freq and --vocab allow"},
    {"source-embeddings", CLI_TEXT(INPUT, RUN(job.embeddings[0]), NULL, "FILE"),
     "start from the word vectors in FILE, as word2vec, fastText (.vec) and GloVe write them, "
     "whose size is --embed; other words start at random"},
    {"target-embeddings", CLI_TEXT(INPUT, RUN(job.embeddings[1]), NULL, "FILE"),
     "the same for the words of the target"},
    {"glossaries", CLI_TEXT(TEXT, RUN(job.glossaries), NULL, "LIST"),
     "with subwords: words, separated by spaces, that stay whole, also within other words, as "
     "--tokenizer splits them"},
    {"out", CLI_FOLDER(RUN(job.out), training_files, sizeof *training_files),
     "output directory for best.safetensors, last.safetensors and log.csv (and average.safetensors "
     "with --average, checkpoints with --keep); created if missing"},
    {"preset", CLI_TEXT(TEXT, RUN(preset), sa_preset_name, "NAME"),
     "start from the settings of a paper or a corpus, and print them"},
    {"snapshots", CLI_TEXT(INPUT, RUN(snapshots), NULL, "PAIRS"),
     "pairs whose attention is recorded before the first update and at every validation: "
     "DIR/film/0001/00000000.csv ..."},
    {"html", CLI_TEXT(OUTPUT, RUN(html), NULL, "FILE"),
     "write an HTML report: learning curves, recorded attention, attention of the best model on "
     "the --snapshots pairs, settings"},
    {"resume", SA_SWITCH(RUN(job.resume)), "resume from last.safetensors, with its settings"},
    {"overwrite", SA_SWITCH(RUN(job.overwrite)),
     "replace an existing training in DIR, which is otherwise refused: the old one is removed when "
     "the new one first saves"},
    {0},
};

/* ---- Resuming -------------------------------------------------------------------------------- */

/* Reads only the settings of a model. */
static bool settings_of(const char *path, sa_settings *settings, sa_error *error) {
    sa_container file = {0};
    const bool good = sa_container_open(&file, path, 1, NULL, error) &&
                      sa_settings_read_file(settings, &file, error);
    sa_container_close(&file);
    return good;
}

/* Takes the settings that shape the model from its file; a preset or option that contradicts them
 * stays, and is refused later. Without a preset, the other settings are the defaults of the model's
 * family. */
static bool initial_settings(command_options *options, sa_error *error) {
    sa_settings trained = options->settings;
    if (!settings_of(options->job.init_from, &trained, error)) return false;
    const char *family = options->preset ? NULL : sa_preset_default(trained.model);
    if (family && !sa_settings_preset(&options->settings, family, error)) return false;
    sa_settings_take_shape(&options->settings, &trained);
    return true;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool read_options(cli_call *call, sa_error *error) {
    command_options *options = call->options;
    if (!cli_read_preset(call, &options->settings, options->preset, error) ||
        !cli_check_needed(call, error))
        return false;
    if (!sa_page_text_check(&options->page, options->html, error)) return false;
    const bool resumes = options->job.resume;
    if (resumes && options->job.overwrite)
        return sa_fail(error, SA_USAGE, "--resume and --overwrite exclude each other");
    if (options->preset) cli_note_lines(sa_preset_text(options->preset));
    char last[SA_PATH_SIZE]; /* the interrupted training, whose settings options may only repeat */
    sa_path_in(last, options->job.out, "last.safetensors");
    if ((resumes || options->job.init_from) &&
        (!(resumes ? settings_of(last, &options->settings, error)
                   : initial_settings(options, error)) ||
         (options->preset && !sa_settings_preset(&options->settings, options->preset, error)) ||
         !cli_read(call, error)))
        return false;
    if (cli_follows) options->html = NULL;
    if (options->job.alignments && !(options->settings.guided_alignment > 0))
        return sa_fail(error, SA_USAGE, "--alignments needs --guided-alignment X");
    return !options->snapshots || sa_settings_has_attention(&options->settings) ||
           sa_fail(error, SA_USAGE, "--snapshots: the model has no attention to record");
}

/* Notes which limit ended the training, and how to continue. */
static void show_limit(const sa_train_result *result, const command_options *options) {
    static const struct {
        const char *reason, *option, *advice;
    } limits[] = {
        {"time", "max-time",
         "the same command with --resume continues for as long again; --max-time SECONDS sets "
         "another limit, 0 none"},
        {"epochs", "epochs", "the same command with --resume and a larger --epochs continues"},
        {"patience", "patience",
         "no improvement in that many validations in a row; a larger --patience waits longer"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (strcmp(result->reason, limits[i].reason) != 0) continue;
        const sa_option *option = sa_option_find(sa_settings_options, limits[i].option);
        const double value = sa_option_get(option, &options->settings);
        sa_buffer text = {0};
        sa_option_format(option, value, &text);
        if (!text.failed)
            cli_note("ended by --%s %s%s: %s", option->name, text.text,
                     value == option->default_value ? ", the default" : "", limits[i].advice);
        sa_buffer_release(&text);
    }
}

static void show_result(const sa_train_result *result, const command_options *options) {
    enum { POOR = 10 }; /* a BLEU */
    const char *pairs = options->job.valid ? options->job.valid : options->job.train;
    char best[96] = "nothing validated";
    if (isfinite(result->best_loss))
        snprintf(best, sizeof best, "best validation loss %.4f, BLEU %.2f on %zu pair%s",
                 result->best_loss, result->best_bleu, result->valid_pairs,
                 result->valid_pairs == 1 ? "" : "s");
    cli_note("ended (%s) after %lld step%s, %d epoch%s, %.1f s; %s", result->reason,
             (long long)result->steps, result->steps == 1 ? "" : "s", result->epochs,
             result->epochs == 1 ? "" : "s", result->spent.seconds, best);
    show_limit(result, options);
    if (isfinite(result->best_loss) && result->best_bleu < POOR) {
        const char *columns = options->job.columns; /* else the pairs might be read backwards */
        cli_note("what may be wrong: softalign eval %s/best.safetensors %s%s%s --diagnose",
                 options->job.out, strcmp(pairs, "-") == 0 ? "PAIRS" : pairs,
                 columns ? " --columns " : "", columns ? columns : "");
    }
    cli_note_folder(options->job.out, training_files);
}

/* ---- The page -------------------------------------------------------------------------------- */

static bool save_page(const command_options *options, sa_error *error) {
    const char *out = options->job.out;
    char best[SA_PATH_SIZE];
    sa_html_report report;
    cli_begin_page(&report, "train", "Training of", out, "", &options->settings);
    sa_html_report_fact_file(&report, "training pairs", options->job.train);
    bool good = sa_html_report_add_file(&report, out, "log.csv", error) &&
                sa_html_report_film(&report, out, error);
    if (good && options->pairs.count) {
        sa_model *model = sa_model_open(sa_path_in(best, out, "best.safetensors"),
                                        options->settings.threads, error);
        good = model && sa_html_report_align(&report, model, &options->pairs, error);
        sa_model_close(model);
    }
    return cli_end_page(&report, good, &options->page, options->html, error);
}

/* ---- The training ---------------------------------------------------------------------------- */

static void watch(void *progress, const sa_progress *now) {
    cli_signals_catch(); /* the pairs have been read */
    cli_progress_report(progress, now);
}

static bool run(cli_call *call, sa_error *error) {
    command_options *options = call->options;
    if (!read_options(call, error)) return false;
    if (options->snapshots &&
        !cli_corpus_open(&options->pairs, options->snapshots, options->job.columns, error))
        return false;
    cli_progress progress;
    cli_progress_init(&progress);
    sa_train_options *job = &options->job;
    job->settings = &options->settings;
    job->snapshot_pairs = options->pairs.pairs;
    job->snapshot_count = options->pairs.count;
    job->report = watch, job->context = &progress;
    job->stop = cli_signals_stop();
    sa_train_result result;
    bool good = sa_train(job, &result, error);
    cli_progress_end(&progress);
    if (good) show_result(&result, options);
    good = good && (!options->html || save_page(options, error));
    if (options->snapshots) sa_corpus_close(&options->pairs);
    return good;
}

static const char *item(size_t i, const char **text, const char **none) {
    *text = sa_preset_text(sa_preset_name(i));
    return sa_preset_name(i);
}

const cli_command cli_train = {
    .name = "train",
    .words = "--train PAIRS --out DIR",
    .summary = "train a translation model on sentence pairs",
    .size = sizeof(command_options),
    .sets = {{"Options", table, 0},
             {"Page", sa_page_text_options, AT(page)},
             {"Settings", sa_settings_options, AT(settings)}},
    .first = " train valid out preset resume hidden tokenizer lr batch max-time ",
    .prints = cli_prints_nothing,
    .run = run,
    .items = "Presets",
    .item = item,
};
