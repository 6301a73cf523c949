#include "base/number.h"
#include "base/settings.h"
#include "cli/command.h"
#include "cli/figures.h"
#include "cli/model.h"
#include "cli/output.h"

#include <math.h>
#include <stdlib.h>

typedef struct eval_options {
    const char *per_sentence, *force_attention;
    bool by_length, json;
    int threads;
    sa_search search;
} eval_options;

#define AT(field) offsetof(eval_options, field)

static const sa_option rows[] = {
    {"by-length", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(by_length), 0, 0, 1, NULL, NULL,
     "the figures for short and long sources apart as well"},
    {"per-sentence", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(per_sentence), 0, 0, 0, NULL, "FILE",
     "write a line per pair: log-probability of the target TAB its words, end mark included"},
    {"force-attention", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(force_attention), 0, 0, 0, NULL, "WAY",
     "look elsewhere: uniform, shuffle, shift:N, one-hot or gold weights instead of the model's "
     "own"},
    {"json", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(json), 0, 0, 1, NULL, NULL,
     "print one JSON object"},
    {"threads", SA_OPTION_INT, SA_SCOPE_RUN, AT(threads), 0, 0, 256, NULL, "N",
     "threads that work; 0: one per core"},
    {0},
};
static const cli_set sets[] = {
    {"Options", rows, 0},
    {"Search", sa_search_options, AT(search)},
    {0},
};

/* What is evaluated, and what came of it. */
typedef struct evaluation {
    sa_model *model;
    sa_corpus corpus;
    sa_judgement *each; /* [corpus.count] */
} evaluation;

/* ---- Figures --------------------------------------------------------------------------------- */

static void add_aer(double aer, sa_buffer *out) {
    if (isnan(aer))
        sa_buffer_adds(out, "      -");
    else
        sa_buffer_addf(out, "  %.3f", aer);
}

static void add_scores(const char *name, const sa_scores *scores, sa_buffer *out) {
    sa_buffer_addf(out, "%-12s %9zu %8lld  %.4f %10.3f  %6.2f  %5.1f %%", name, scores->sentences,
                   (long long)scores->target_words, scores->loss, scores->perplexity, scores->bleu,
                   100 * scores->exact);
    add_aer(scores->aer, out);
    sa_buffer_adds(out, "\n");
}

static bool print_scores(const evaluation *work, const sa_scores *all, bool by_length,
                         sa_error *error) {
    sa_buffer out = {0};
    sa_scores scores;
    bool good = true;
    sa_buffer_addf(&out, "%-12s %9s %8s  %6s %10s  %6s  %7s  %5s\n", "source words", "sentences",
                   "words", "loss", "perplexity", "BLEU", "exact", "AER");
    for (const sa_band *band = sa_bands; by_length && good && band->name; band++) {
        good = cli_score_band(&work->corpus, work->each, band, &scores, error);
        if (good && scores.sentences) add_scores(band->name, &scores, &out);
    }
    add_scores("all", all, &out);
    sa_buffer_addf(&out, "free-running perplexity %.3f\n", all->free_perplexity);
    good = good && cli_print(&out, error);
    sa_buffer_release(&out);
    return good;
}

static json_t *json_scores(const sa_scores *scores) {
    return json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "sentences", (json_int_t)scores->sentences,
        "target_words", (json_int_t)scores->target_words, "loss", cli_json_number(scores->loss),
        "perplexity", cli_json_number(scores->perplexity), "free_running_perplexity",
        cli_json_number(scores->free_perplexity), "bleu", cli_json_number(scores->bleu), "exact",
        cli_json_number(scores->exact), "aer", cli_json_number(scores->aer));
}

static bool print_json(const evaluation *work, const sa_scores *all, bool by_length,
                       sa_error *error) {
    json_t *object = json_scores(all), *bands = by_length ? json_object() : NULL;
    sa_scores scores;
    bool good = true;
    for (const sa_band *band = sa_bands; by_length && good && band->name; band++) {
        good = cli_score_band(&work->corpus, work->each, band, &scores, error);
        if (good && scores.sentences) json_object_set_new(bands, band->name, json_scores(&scores));
    }
    if (bands) json_object_set_new(object, "by_length", bands);
    if (good) return cli_print_json(object, error);
    json_decref(object);
    return false;
}

static bool save_sentences(const evaluation *work, const char *path, sa_error *error) {
    sa_buffer out = {0};
    for (size_t i = 0; i < work->corpus.count; i++) {
        sa_number_add(&out, work->each[i].log_probability);
        sa_buffer_addf(&out, "\t%d\n", work->each[i].words);
    }
    return cli_save(path, &out, error);
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool open_work(evaluation *work, const char *const *words, const eval_options *options,
                      sa_error *error) {
    if (!sa_corpus_open(&work->corpus, words[1], error)) return false;
    work->model = cli_model_open(words[0], options->threads, options->force_attention, error);
    work->each = work->model ? sa_new(work->corpus.count, sizeof *work->each, error) : NULL;
    return work->each != NULL;
}

static bool evaluate(evaluation *work, const eval_options *options, sa_error *error) {
    if (!sa_evaluate(work->model, &work->corpus, &options->search, work->each, error)) return false;
    sa_scores all;
    return sa_summarise(&work->corpus, work->each, NULL, work->corpus.count, &all, error) &&
           (options->json ? print_json : print_scores)(work, &all, options->by_length, error) &&
           (!options->per_sentence || save_sentences(work, options->per_sentence, error));
}

static void close_work(evaluation *work) {
    if (work->each) sa_judgements_release(work->each, work->corpus.count);
    free(work->each);
    sa_model_close(work->model);
    sa_corpus_close(&work->corpus);
}

static bool run(int count, char **arguments, sa_error *error) {
    eval_options options;
    sa_options_init(rows, &options);
    sa_search_init(&options.search);
    const char *words[2];
    if (!cli_read(&cli_eval, count, arguments, &options, words, error) ||
        !cli_spare(words[0], options.per_sentence, error) ||
        !cli_spare(words[1], options.per_sentence, error))
        return false;
    evaluation work = {0};
    bool good = open_work(&work, words, &options, error) && evaluate(&work, &options, error);
    close_work(&work);
    return good;
}

const cli_command cli_eval = {
    .name = "eval",
    .words = "MODEL PAIRS",
    .least = 2,
    .most = 2,
    .summary = "loss, perplexity, BLEU, exact matches and alignment error on pairs",
    .details =
        "Loss (natural log per target word, end mark included) and perplexity are teacher-forced: "
        "the model is given the right words so far. The free-running perplexity is that of the "
        "right words after the model's own. BLEU (of 0 to 100, as sacreBLEU counts) and "
        "exact compare its own translations with the targets. AER compares the strongest link of "
        "every target word with the gold alignment, if the pairs carry one.\n",
    .example = "  softalign eval mono/best.safetensors unseen.tsv --by-length\n",
    .sets = sets,
    .run = run,
};
