#include "base/container.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report_data.h"
#include "cli/signals.h"
#include "config/settings.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct train_options {
    const char *train, *alignments, *valid, *out, *preset, *probe, *html;
    bool resume, profile;
    sa_settings settings;
} train_options;

#define AT(field) offsetof(train_options, field)

static const sa_option rows[] = {
    {"train", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(train), 0, 0, 0, NULL, "PAIRS",
     "the pairs to learn from: a tab-separated file, two files as SRC,TGT, or - for standard "
     "input"},
    {"alignments", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(alignments), 0, 0, 0, NULL, "FILE",
     "for --guided-alignment: the links of each line's pair, as in 0-0 1-2; without it they are "
     "the "
     "pairs' third column"},
    {"valid", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(valid), 0, 0, 0, NULL, "PAIRS",
     "the pairs that choose the best model; without them a twentieth of the training pairs does"},
    {"out", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(out), 0, 0, 0, NULL, "DIR",
     "the folder for best.safetensors, last.safetensors and log.csv (with --average, "
     "average.safetensors); made when missing"},
    {"preset", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(preset), 0, 0, 0, NULL, "NAME",
     "start from the settings of a paper, or of a corpus, and say which they are"},
    {"probe", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(probe), 0, 0, 0, NULL, "PAIRS",
     "film where the model looks in these pairs: DIR/film/0001/00000000.csv ..., a heatmap before "
     "the first update and at every validation"},
    {"html", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(html), 0, 0, 0, NULL, "FILE",
     "write one page for any browser: learning curves, the film, where the best model looks in the "
     "pairs of --probe, settings"},
    {"resume", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(resume), 0, 0, 1, NULL, NULL,
     "go on from last.safetensors, with its settings"},
    {"profile", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(profile), 0, 0, 1, NULL, NULL,
     "tell at the end where the time of the updates went"},
    {0},
};
static const cli_set sets[] = {
    {"Options", rows, 0},
    {"Settings", sa_settings_options, offsetof(train_options, settings)},
    {0},
};

/* ---- Resuming -------------------------------------------------------------------------------- */

static bool stored_settings(sa_settings *settings, const char *path, sa_error *error) {
    sa_container file;
    if (!sa_container_open(&file, path, error)) return false;
    const char *text = sa_container_text(&file, "settings");
    bool good = text ? sa_settings_read(settings, text, path, error)
                     : sa_fail(error, SA_DATA, "%s: no settings: not a model file", path);
    sa_container_close(&file);
    return good;
}

/* The settings of the interrupted training; options given once more must say the same. */
static bool resume_settings(int count, char **arguments, train_options *options, sa_error *error) {
    sa_buffer path = {0};
    sa_buffer_addf(&path, "%s/last.safetensors", options->out);
    if (path.failed) return sa_fail_memory(error, path.size);
    bool good = stored_settings(&options->settings, path.text, error);
    sa_settings stored = options->settings;
    good = good &&
           (!options->preset || sa_settings_preset(&options->settings, options->preset, error)) &&
           cli_read(&cli_train, count, arguments, options, NULL, error);
    const sa_option *row = good ? sa_settings_differ(&options->settings, &stored) : NULL;
    if (row) good = cli_refuse(row, &stored, path.text, "which --resume cannot change", error);
    sa_buffer_release(&path);
    return good;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool read_options(int count, char **arguments, train_options *options, sa_error *error) {
    sa_options_init(rows, options);
    sa_settings_init(&options->settings);
    if (!cli_read_preset(&cli_train, count, arguments, options, &options->settings,
                         &options->preset, error))
        return false;
    if (!options->train) return sa_fail(error, SA_USAGE, "train: --train PAIRS is missing");
    if (!options->out) return sa_fail(error, SA_USAGE, "train: --out DIR is missing");
    if (!cli_spare(options->train, options->html, error) ||
        !cli_spare(options->valid, options->html, error) ||
        !cli_spare(options->probe, options->html, error))
        return false;
    if (options->preset) fprintf(stderr, "%s", sa_preset_text(options->preset));
    if (options->resume && !resume_settings(count, arguments, options, error)) return false;
    if (options->alignments && !(options->settings.guided_alignment > 0))
        return sa_fail(error, SA_USAGE, "--alignments guides nothing without --guided-alignment X");
    return !options->probe || sa_settings_attends(&options->settings) ||
           sa_fail(error, SA_USAGE, "--probe: the model has no attention to film");
}

static void show_profile(const sa_part_time *parts, const sa_outcome *outcome) {
    double all = 0;
    for (int i = 0; i < SA_PARTS; i++) all += parts[i].seconds;
    for (int i = 0; i < SA_PARTS; i++)
        fprintf(stderr, "%-30s %9.3f s %5.1f %%\n", parts[i].name, parts[i].seconds,
                all > 0 ? 100 * parts[i].seconds / all : 0);
    fprintf(stderr,
            "updates: %.3f s, %.0f target words a second; all else (reading, validating, "
            "saving): %.3f s\n",
            outcome->spent.updating,
            outcome->spent.updating > 0 ? (double)outcome->spent.words / outcome->spent.updating
                                        : 0,
            outcome->spent.seconds - outcome->spent.updating);
}

static void show_outcome(const sa_outcome *outcome, const train_options *options) {
    fprintf(stderr,
            "ended (%s) after %lld steps, %d epochs, %.1f s; "
            "best validation loss %.4f, BLEU %.2f: %s/best.safetensors\n",
            outcome->reason, (long long)outcome->steps, outcome->epochs, outcome->spent.seconds,
            outcome->best_loss, outcome->best_bleu, options->out);
}

static bool train(const train_options *options, const sa_corpus *probes, sa_error *error) {
    cli_progress progress;
    cli_progress_init(&progress);
    sa_part_time parts[SA_PARTS] = {0};
    sa_training training = {
        .settings = &options->settings,
        .train = options->train,
        .alignments = options->alignments,
        .valid = options->valid,
        .out = options->out,
        .probes = probes->pairs,
        .probe_count = probes->count,
        .resume = options->resume,
        .report = cli_progress_report,
        .context = &progress,
        .stop = cli_signals_catch(),
        .parts = options->profile ? parts : NULL,
    };
    sa_outcome outcome;
    const bool good = sa_train(&training, &outcome, error);
    cli_progress_end(&progress);
    if (good) show_outcome(&outcome, options);
    if (good && options->profile) show_profile(parts, &outcome);
    return good;
}

/* Where the best model looks in the pairs that were filmed. */
static bool add_matrices(const train_options *options, const sa_corpus *probes, cli_page *page,
                         sa_error *error) {
    char *best = cli_path(options->out, "best.safetensors", error);
    sa_model *model = best ? sa_model_open(best, options->settings.threads, error) : NULL;
    const bool good = model && cli_page_align(page, model, probes, error);
    sa_model_close(model);
    free(best);
    return good;
}

static bool save_page(const train_options *options, const sa_corpus *probes, sa_error *error) {
    cli_page page;
    sa_buffer out = {0};
    cli_page_init(&page, "train", "Training", 1);
    cli_page_fact(&page, "folder", options->out);
    cli_page_fact(&page, "learned from", options->train);
    cli_page_model(&page, options->out, &options->settings);
    cli_page_seed(&page, options->settings.seed);
    bool good = cli_page_take_file(&page, options->out, "log.csv", error) &&
                cli_page_film(&page, options->out, error) &&
                (!probes->count || add_matrices(options, probes, &page, error));
    if (good) cli_page_write(&page, &out);
    good = good && cli_save(options->html, &out, error);
    cli_page_release(&page);
    return good;
}

static bool run(int count, char **arguments, sa_error *error) {
    train_options options;
    sa_corpus probes = {0};
    if (!read_options(count, arguments, &options, error)) return false;
    if (options.probe && !sa_corpus_open(&probes, options.probe, error)) return false;
    const bool good =
        train(&options, &probes, error) && (!options.html || save_page(&options, &probes, error));
    if (options.probe) sa_corpus_close(&probes);
    return good;
}

static const char *item(size_t row, const char **text) {
    *text = sa_preset_name(row) ? sa_preset_text(sa_preset_name(row)) : NULL;
    return sa_preset_name(row);
}

const cli_command cli_train = {
    .name = "train",
    .words = "--train PAIRS --out DIR",
    .summary = "learns to translate from sentence pairs",
    .details =
        "Trains until the epochs, the steps, the seconds or the patience run out, whichever comes "
        "first. best.safetensors is the model with the smallest validation loss, last.safetensors "
        "the place to --resume from, log.csv the course of the training; 'film' plays what --probe "
        "recorded. A first Ctrl-C finishes "
        "the step, saves and ends; a second one ends at once.\n"
        "The same seed gives the same model, whatever the number of threads; a single option goes "
        "before the preset. '--model transformer' "
        "without a preset starts from vaswani2017-toy.\n",
    .example = "  softalign train --train mono.tsv --out mono --max-time 5\n",
    .sets = sets,
    .run = run,
    .items = "Presets",
    .item = item,
};
