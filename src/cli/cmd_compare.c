#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "config/preset.h"
#include "config/settings.h"
#include "report/page_text.h"

typedef struct compare_options {
    const char *train, *valid, *test, *models, *out, *preset, *snapshots, *html;
    int seeds, matrices;
    bool overwrite, json;
    sa_settings settings;
    sa_page_text page;
} compare_options;

#define AT(field) offsetof(compare_options, field)

static const char *comparison_file(size_t i) {
    static const char *const names[] = {"table.csv",  "table.md",    "curves.csv", "bylength.csv",
                                        "matrices/*", "*-s[0-9]*/*", NULL};
    return names[i];
}

static const sa_option rows[] = {
    {"train", SA_OPTION_INPUT, SA_SCOPE_RUN, AT(train), 0, 0, 0, NULL, "PAIRS",
     "training pairs; every model sees the same batches in the same order"},
    {"valid", SA_OPTION_INPUT, SA_SCOPE_RUN, AT(valid), 0, 0, 0, NULL, "PAIRS",
     "validation pairs; default: 5 % of the training pairs, held out"},
    {"test", SA_OPTION_INPUT, SA_SCOPE_RUN, AT(test), 0, 0, 0, NULL, "PAIRS",
     "test pairs, with a gold alignment for AER"},
    {"models", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(models), 0, 0, 0, NULL, "LIST",
     "models: decoder[:attention[:heads]] or transformer[:attention[:heads]], each followed by any "
     ":option=value, such as fixed,bahdanau:additive,luong:general:4,transformer or "
     "cgru,cgru:cell-norm=yes:dropout=0.2"},
    {"seeds", SA_OPTION_INT, SA_SCOPE_RUN, AT(seeds), 1, 1, 1000, NULL, "N",
     "training runs per model, with consecutive seeds from --seed"},
    {"matrices", SA_OPTION_INT, SA_SCOPE_RUN, AT(matrices), 10, 0, 1000000, NULL, "N",
     "number of test pairs whose heatmaps are written, for every model with attention"},
    {"out", SA_OPTION_FOLDER, SA_SCOPE_RUN, AT(out), 0, 0, 0, comparison_file, "DIR",
     "output directory for runs, tables and matrices; created if missing"},
    {"preset", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(preset), 0, 0, 0, sa_preset_name, "NAME",
     "start from the settings of a paper or a corpus, and print them"},
    {"snapshots", SA_OPTION_INPUT, SA_SCOPE_RUN, AT(snapshots), 0, 0, 0, NULL, "PAIRS",
     "pairs whose attention is recorded during training, as in 'train'"},
    {"html", SA_OPTION_OUTPUT, SA_SCOPE_RUN, AT(html), 0, 0, 0, NULL, "FILE",
     "write an HTML report: curves, table, BLEU by length, attention on test pairs, recorded "
     "attention, settings, CSV files"},
    {"overwrite", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(overwrite), 0, 0, 1, NULL, NULL,
     "retrain the runs in DIR that have other settings or pairs; refused without this option"},
    {"json", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(json), 0, 0, 1, NULL, NULL,
     "print one JSON object"},
    {0},
};

/* Models are compared after equal numbers of updates, not of seconds, which a machine's load
 * decides. */
enum { UPDATES = 2000 };
static const cli_default limits[] = {{"epochs", 0}, {"max-time", 0}, {"patience", 0}, {0}};
static const cli_option_set sets[] = {
    {"Options", rows, 0},
    {"Page", sa_page_text_options, AT(page)},
    {"Settings", sa_settings_options, AT(settings), limits},
    {0},
};

static void init_limits(sa_settings *settings) {
    for (const cli_default *own = limits; own->name; own++)
        sa_option_set_number(sa_option_find(sa_settings_options, own->name), settings, own->value);
}

static void limit_updates(sa_settings *settings) {
    if (!settings->steps && !settings->epochs && !(settings->max_time > 0))
        settings->steps = UPDATES;
}

static bool check_options(const compare_options *options, sa_error *error) {
    if (!options->train) return cli_fail_missing(&cli_compare, "--train PAIRS", error);
    if (!options->test) return cli_fail_missing(&cli_compare, "--test PAIRS", error);
    if (!options->models) return cli_fail_missing(&cli_compare, "--models LIST", error);
    return options->out || cli_fail_missing(&cli_compare, "--out DIR", error);
}

static void show_progress(void *context, const sa_progress *report) {
    cli_progress *progress = context;
    if (!report) {
        cli_signals_release();
        cli_progress_end(progress);
        cli_progress_init(progress);
    } else {
        if (report->kind != SA_PROGRESS_NOTE)
            cli_signals_catch(); /* the pairs of this run are read */
        cli_progress_report(progress, report);
    }
}

/* Prints the results and says what was written. */
static bool show_results(const sa_compare_result *result, const compare_options *options,
                         sa_error *error) {
    sa_buffer out = {0};
    sa_buffer_adds(&out, options->json ? result->json : result->table);
    const bool good = cli_print(&out, error);
    sa_buffer_release(&out);
    if (good) cli_note_folder(options->out, comparison_file);
    if (good && options->html) cli_note("wrote %s", options->html);
    return good;
}

static bool compare(const compare_options *options, const sa_settings *transformer,
                    sa_error *error) {
    cli_progress progress;
    cli_progress_init(&progress);
    const sa_compare_options comparing = {.train = options->train,
                                          .test = options->test,
                                          .valid = options->valid,
                                          .snapshots = options->snapshots,
                                          .models = options->models,
                                          .out = options->out,
                                          .settings = &options->settings,
                                          .transformer = transformer,
                                          .seeds = options->seeds,
                                          .matrices = options->matrices,
                                          .overwrite = options->overwrite,
                                          .html = options->html,
                                          .title = options->page.title,
                                          .notes = options->page.notes,
                                          .open_at = options->page.open_at,
                                          .report = show_progress,
                                          .context = &progress,
                                          .stop = cli_signals_stop()};
    sa_compare_result result = {0};
    bool good = sa_compare(&comparing, &result, error);
    if (result.stopped) cli_note("stopped; the same command resumes");
    if (result.table) good = show_results(&result, options, good ? error : NULL) && good;
    sa_compare_result_release(&result);
    return good;
}

/* The Transformers of the list start from the preset of their family, with the same options. */
static bool read_transformer(int count, char **arguments, const compare_options *options,
                             sa_settings *settings, sa_error *error) {
    compare_options again = *options;
    const bool good =
        sa_settings_preset(&again.settings, sa_preset_default(SA_MODEL_TRANSFORMER), error) &&
        cli_read(&cli_compare, count, arguments, &again, NULL, error);
    *settings = again.settings;
    limit_updates(settings);
    return good;
}

static bool run(int count, char **arguments, sa_error *error) {
    compare_options options;
    sa_settings transformer;
    sa_options_init(rows, &options);
    sa_options_init(sa_page_text_options, &options.page);
    sa_settings_init(&options.settings);
    init_limits(&options.settings);
    if (!cli_read_preset(&cli_compare, count, arguments, &options, &options.settings,
                         &options.preset, error) ||
        !check_options(&options, error) ||
        !read_transformer(count, arguments, &options, &transformer, error))
        return false;
    limit_updates(&options.settings);
    if (options.preset) cli_note_lines(sa_preset_text(options.preset));
    return compare(&options, &transformer, error);
}

static const char *item(size_t row, const char **text) {
    return sa_decoder_info(row, text, NULL);
}

const cli_command cli_compare = {
    .name = "compare",
    .words = "--train PAIRS --test PAIRS --models LIST --out DIR",
    .summary = "train several models on the same batches and compare them",
    .details =
        "Every model sees the same batches in the same order, chosen by the seed, and is trained "
        "for the same number of updates: 2,000, unless --steps, --epochs or --max-time says "
        "otherwise. With --max-time or --patience the numbers may differ; a note below the table "
        "gives them if they differ by more than a tenth. The table shows parameters, training "
        "time in seconds (with validations), updates, and for the best model of the run on "
        "the test pairs, with greedy search: loss, perplexity, BLEU, exact matches, AER, the "
        "mean entropy of the attention (in nats) and the share of its weights that are exactly "
        "0; and the target words per second in training. '-' means that there is no value. With "
        "several --seeds all values are medians. A Transformer starts from the preset "
        "vaswani2017-toy; options override it for all models.\n"
        "DIR gets table.csv (every run and the medians), table.md, curves.csv, bylength.csv "
        "(BLEU by source length), matrices/MODEL/0001.csv ... (the attention of the first "
        "seed's models on the same pairs) and a folder for each run, as 'train' writes it. "
        "After an interruption the same command resumes. Models and seeds may be added later; "
        "a DIR with runs of other settings or training pairs is refused, unless with "
        "--overwrite.\n",
    .example = "  softalign compare --train mono.tsv --test unseen.tsv --out compared \\\n"
               "      --models fixed,bahdanau:additive,luong:general:4 --hidden 32 --steps 60\n",
    .sets = sets,
    .run = run,
    .items = "Decoders",
    .item = item,
};
