#include "analysis/overlap.h"
#include "base/rng.h"
#include "base/save.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "compare/compare.h"
#include "config/preset.h"
#include "config/settings.h"
#include "data/dataset.h"

#include <stdio.h>
#include <string.h>

typedef struct compare_options {
    const char *train, *valid, *test, *models, *out, *preset, *snapshots, *html;
    int seeds, matrices;
    bool json;
    sa_settings settings;
} compare_options;

#define AT(field) offsetof(compare_options, field)

static const sa_option rows[] = {
    {"train", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(train), 0, 0, 0, NULL, "PAIRS",
     "training pairs; every model sees the same batches in the same order"},
    {"valid", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(valid), 0, 0, 0, NULL, "PAIRS",
     "validation pairs; default: 5 % of the training pairs, held out"},
    {"test", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(test), 0, 0, 0, NULL, "PAIRS",
     "test pairs, with a gold alignment for AER"},
    {"models", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(models), 0, 0, 0, NULL, "LIST",
     "models: decoder[:attention[:heads]] or transformer[:attention[:heads]], each followed by any "
     ":option=value, such as fixed,bahdanau:additive,luong:general:4,transformer or "
     "cgru,cgru:cell-norm=yes:dropout=0.2"},
    {"seeds", SA_OPTION_INT, SA_SCOPE_RUN, AT(seeds), 1, 1, 1000, NULL, "N",
     "trainings per model, with consecutive seeds from --seed"},
    {"matrices", SA_OPTION_INT, SA_SCOPE_RUN, AT(matrices), 10, 0, 1000000, NULL, "N",
     "number of test pairs whose heatmaps are written, for every model with attention"},
    {"out", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(out), 0, 0, 0, NULL, "DIR",
     "output directory for runs, tables and matrices; created if missing"},
    {"preset", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(preset), 0, 0, 0, NULL, "NAME",
     "start from the settings of a paper or a corpus, and print them"},
    {"snapshots", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(snapshots), 0, 0, 0, NULL, "PAIRS",
     "pairs whose attention is recorded during training, as in 'train'"},
    {"html", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(html), 0, 0, 0, NULL, "FILE",
     "write an HTML report: curves, table, BLEU by length, attention on test pairs, recorded "
     "attention, settings, CSV files"},
    {"json", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(json), 0, 0, 1, NULL, NULL,
     "print one JSON object"},
    {0},
};
static const cli_option_set sets[] = {
    {"Options", rows, 0},
    {"Settings", sa_settings_options, AT(settings)},
    {0},
};

/* ---- What is compared ------------------------------------------------------------------------ */

static bool check_options(const compare_options *options, sa_error *error) {
    if (!options->train) return sa_fail(error, SA_USAGE, "compare: --train PAIRS is missing");
    if (!options->test) return sa_fail(error, SA_USAGE, "compare: --test PAIRS is missing");
    if (!options->models) return sa_fail(error, SA_USAGE, "compare: --models LIST is missing");
    if (!options->out) return sa_fail(error, SA_USAGE, "compare: --out DIR is missing");
    if (!cli_refuse_overwrite(options->train, options->html, error) ||
        !cli_refuse_overwrite(options->valid, options->html, error) ||
        !cli_refuse_overwrite(options->test, options->html, error) ||
        !cli_refuse_overwrite(options->snapshots, options->html, error))
        return false;
    if (options->html && strcmp(options->html, "-") == 0)
        return sa_fail(error, SA_USAGE, "compare: the table goes to standard output: --html FILE");
    const bool again =
        strcmp(options->train, "-") == 0 || (options->valid && strcmp(options->valid, "-") == 0);
    return !again || sa_fail(error, SA_USAGE,
                             "compare: every run reads the pairs again, which standard input "
                             "cannot give: write them to a file");
}

static uint64_t join(uint64_t hash, const char *text) {
    return sa_hash_mix(hash ^ (text ? sa_hash(text, strlen(text)) : 0));
}

/* Of all texts in order; gold alignments only where they count. */
static uint64_t hash_of(const sa_corpus *corpus, bool gold) {
    uint64_t hash = corpus->count;
    for (size_t i = 0; i < corpus->count; i++) {
        const sa_pair *pair = &corpus->pairs[i];
        hash = join(join(hash, pair->source), pair->target);
        if (gold) hash = join(hash, pair->gold);
    }
    return hash;
}

/* The hash of pairs to learn from or to choose by, and how many of the test stand there, too. */
static bool know_pairs(const char *path, const sa_corpus *test, uint64_t *hash, size_t *shared,
                       sa_error *error) {
    sa_corpus corpus;
    *hash = *shared = 0;
    if (!path) return true;
    if (!sa_corpus_open(&corpus, path, error)) return false;
    *hash = hash_of(&corpus, false);
    const bool good = sa_overlap_count(test, &corpus, NULL, shared, error);
    sa_corpus_close(&corpus);
    return good;
}

/* What was learned by heart says nothing about other sentences. */
static void note_shared_pairs(const compare_data *data) {
    const size_t shared[] = {data->train_shared, data->valid_shared};
    const char *const path[] = {data->train, data->valid};
    for (int i = 0; i < 2; i++)
        if (shared[i])
            fprintf(stderr, "note: %zu of the %zu test pairs stand in '%s', too\n", shared[i],
                    data->test.count, path[i]);
}

/* Reads all there is to know before anything is written. */
static bool prepare(const compare_options *options, const sa_settings *transformer, comparison *all,
                    sa_error *error) {
    compare_data *data = &all->data;
    all->out = options->out;
    data->train = options->train;
    data->valid = options->valid;
    if (!compare_models_read(all, options->models, &options->settings, transformer, error) ||
        !compare_runs_make(all, (size_t)options->seeds, error) ||
        !sa_corpus_open(&data->test, options->test, error) ||
        !know_pairs(data->train, &data->test, &data->train_hash, &data->train_shared, error) ||
        !know_pairs(data->valid, &data->test, &data->valid_hash, &data->valid_shared, error) ||
        (options->snapshots && !sa_corpus_open(&data->snapshot_pairs, options->snapshots, error)))
        return false;
    data->test_hash = hash_of(&data->test, true);
    return true;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static bool read_records(comparison *all, sa_error *error) {
    size_t done = 0, count = all->model_count * all->seeds;
    for (size_t i = 0; i < count; i++) {
        if (!compare_record_read(&all->runs[i], &all->data, error)) return false;
        done += compare_run_done(&all->runs[i], &all->data);
    }
    note_shared_pairs(&all->data);
    if (done) fprintf(stderr, "%zu of %zu runs are done already\n", done, count);
    return true;
}

/* All models with the first seed, then with the next: what is there at an interruption can be
 * compared. */
static bool finish_runs(comparison *all, const volatile sig_atomic_t *stop, sa_error *error) {
    const size_t count = all->model_count * all->seeds;
    for (size_t i = 0; i < count && !*stop; i++) {
        compare_run *run = &all->runs[i % all->model_count * all->seeds + i / all->model_count];
        if (compare_run_done(run, &all->data)) continue;
        fprintf(stderr, "== %s, seed %lld (%zu of %zu)\n", run->model->name,
                (long long)run->settings.seed, i + 1, count);
        if (!compare_run_finish(run, &all->data, stop, error)) return false;
    }
    return true;
}

static bool tell(const comparison *all, const compare_options *options, sa_error *error) {
    if (!compare_save_tables(all, error) || !compare_save_curves(all, error) ||
        !compare_save_by_length(all, error) ||
        !compare_save_matrices(all, (size_t)options->matrices, error) ||
        (options->html && !compare_save_page(all, options->html, error)) ||
        !compare_print(all, options->json, error))
        return false;
    for (size_t i = 0; i < all->model_count * all->seeds; i++)
        if (all->runs[i].diverged)
            return sa_fail(error, SA_DIVERGED,
                           "'%s' diverged: it has no scores (a smaller --lr "
                           "or --clip helps)",
                           all->runs[i].folder);
    return true;
}

static bool compare(comparison *all, const compare_options *options, sa_error *error) {
    const volatile sig_atomic_t *stop = cli_signals_catch();
    if (!read_records(all, error) || !finish_runs(all, stop, error)) return false;
    if (!*stop) return tell(all, options, error);
    fprintf(stderr, "stopped; the same command goes on from here\n");
    return true;
}

/* What the transformers of the list start from: their family's preset, and the same options. */
static bool read_transformer(int count, char **arguments, const compare_options *options,
                             sa_settings *settings, sa_error *error) {
    compare_options again = *options;
    const bool good =
        sa_settings_preset(&again.settings, sa_preset_default(SA_MODEL_TRANSFORMER), error) &&
        cli_read(&cli_compare, count, arguments, &again, NULL, error);
    *settings = again.settings;
    return good;
}

static bool run(int count, char **arguments, sa_error *error) {
    compare_options options;
    sa_settings transformer;
    sa_options_init(rows, &options);
    sa_settings_init(&options.settings);
    if (!cli_read_preset(&cli_compare, count, arguments, &options, &options.settings,
                         &options.preset, error) ||
        !check_options(&options, error) ||
        !read_transformer(count, arguments, &options, &transformer, error))
        return false;
    if (options.preset) fprintf(stderr, "%s", sa_preset_text(options.preset));
    comparison all = {0};
    int lock;
    bool good = prepare(&options, &transformer, &all, error) &&
                sa_directory_lock_open(&lock, options.out, error);
    if (good) {
        good = compare(&all, &options, error);
        sa_directory_lock_close(lock);
    }
    compare_release(&all);
    return good;
}

static const char *item(size_t row, const char **text) {
    return sa_decoder_info(row, text, NULL);
}

const cli_command cli_compare = {
    .name = "compare",
    .words = "--train PAIRS --test PAIRS --models LIST --out DIR",
    .summary = "trains several models on the same batches; one table of what came of them",
    .details =
        "Every model sees the same batches in the same order, chosen by the seed; limits such as "
        "--max-time and --steps hold for each run. The table shows parameters, seconds of training "
        "(validations included), updates, and how the best model of the run does on the test "
        "pairs, "
        "with greedy search: loss, perplexity, BLEU, exact matches, AER and entropy (of the "
        "attention of a target word, in nats, on average), then the target words learned from in a "
        "second of updates. '-': there is none. With several --seeds each figure is the median "
        "over "
        "them. A transformer starts from the preset vaswani2017-toy; options given go before it "
        "for all models alike.\n"
        "DIR gets table.csv (every run and the medians), table.md, curves.csv, bylength.csv (BLEU "
        "by "
        "source length), matrices/MODEL/0001.csv ... (of the same pairs for all, by the first "
        "seed's models) and a folder for each run as 'train' writes it. However it was "
        "interrupted, "
        "the same command goes on where it was. More models or seeds may be asked for; a DIR with "
        "runs of other settings or training pairs is refused.\n",
    .example = "  softalign compare --train mono.tsv --test unseen.tsv --out compared \\\n"
               "      --models fixed,bahdanau:additive,luong:general:4 --hidden 32 --steps 60\n",
    .sets = sets,
    .run = run,
    .items = "Decoders",
    .item = item,
};
