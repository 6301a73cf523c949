#include "base/number.h"
#include "cli/command.h"
#include "cli/eval.h"
#include "cli/model_argument.h"
#include "cli/output.h"
#include "config/settings.h"
#include "data/scripts.h"
#include "metrics/linking.h"
#include "report/pair_scores.h"

#include <stdlib.h>

#define AT(field) offsetof(eval_options, field)

static const sa_option rows[] = {
    {"by-length", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(by_length), 0, 0, 1, NULL, NULL,
     "also report figures by source length"},
    {"confidence", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(confidence), 0, 0, 1, NULL, NULL,
     "95 % bootstrap confidence intervals of BLEU and chrF"},
    {"per-sentence", SA_OPTION_OUTPUT, SA_SCOPE_RUN, AT(per_sentence), 0, 0, 0, NULL, "FILE",
     "write one line per pair: log-probability of the target TAB its length, EOS included"},
    {"diagnose", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(diagnose), 0, 0, 1, NULL, NULL,
     "print diagnostics of the model, its vocabulary and the pairs; always part of --json"},
    {"train", SA_OPTION_INPUT, SA_SCOPE_RUN, AT(train), 0, 0, 0, NULL, "PAIRS",
     "training pairs of the model; the diagnostics count how many evaluation pairs occur in them"},
    {"force-attention", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(force_attention), 0, 0, 0,
     sa_attention_override_name, "WAY",
     "replace the weights: uniform, shuffle, shift:N, one-hot, gold, expected (as in training)"},
    {"reference-length", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(reference_length), 0, 0, 1, NULL, NULL,
     "end each translation at the length of its reference in tokens, not where the model would "
     "(Newman et al. 2020)"},
    {"json", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(json), 0, 0, 1, NULL, NULL,
     "print one JSON object"},
    CLI_MAX_LEN(AT(max_len)),
    CLI_PRECISION(AT(precision)),
    {"threads", SA_OPTION_INT, SA_SCOPE_RUN, AT(threads), 0, 0, 256, NULL, "N",
     "number of threads; 0: one per core"},
    {0},
};
static const cli_option_set sets[] = {
    {"Options", rows, 0},
    {"Search", sa_search_options, AT(search)},
    {"Metrics", sa_metrics_options, AT(metrics)},
    {"Links", sa_linking_options, AT(linking)},
    {"Samples", sa_resampling_options, AT(resampling)},
    {0},
};

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
    if (!cli_pairs_open(&work->corpus, words[1], error)) return false;
    if (options->train && !sa_corpus_open(&work->train, options->train, error)) return false;
    if (options->metrics.tokenize == SA_METRIC_TOKENIZER_13A &&
        sa_targets_lack_spaces(&work->corpus))
        cli_note("note: " SA_UNSPACED_NOTE);
    work->search = options->search;
    work->search.reference_length = options->reference_length;
    work->model = cli_model_open(words[0], options->threads, options->precision, options->max_len,
                                 options->force_attention, &work->search.override, error);
    work->each = work->model ? sa_new(work->corpus.count, sizeof *work->each, error) : NULL;
    return work->each != NULL;
}

static bool compute_stats(evaluation *work, sa_error *error) {
    work->stats =
        sa_pair_scores_stats(&work->options->metrics, work->each, work->corpus.count, error);
    return work->stats != NULL;
}

static bool diagnose(evaluation *work, sa_error *error) {
    const sa_corpus *train = work->options->train ? &work->train : NULL;
    return !eval_diagnoses(work->options) ||
           sa_diagnose(work->model, &work->corpus, work->each, train, &work->diagnosis, error);
}

static bool evaluate(evaluation *work, sa_error *error) {
    const eval_options *options = work->options;
    return (sa_evaluate(work->model, &work->corpus, &work->search, &options->linking, work->each,
                        error) ||
            cli_pairs_fail(work->corpus.name, error)) &&
           (!options->confidence || compute_stats(work, error)) && diagnose(work, error) &&
           (options->json ? eval_print_json : eval_print_text)(work, error) &&
           (!options->per_sentence || save_sentences(work, options->per_sentence, error));
}

static void close_work(evaluation *work) {
    if (work->each) sa_sentence_results_release(work->each, work->corpus.count);
    free(work->each), free(work->stats);
    sa_diagnosis_release(&work->diagnosis);
    sa_model_close(work->model);
    sa_corpus_close(&work->corpus), sa_corpus_close(&work->train);
}

static bool run(int count, char **arguments, sa_error *error) {
    eval_options options;
    sa_options_init(rows, &options);
    sa_search_init(&options.search);
    sa_metrics_init(&options.metrics);
    sa_link_options_init(&options.linking);
    sa_options_init(sa_resampling_options, &options.resampling);
    const char *words[2];
    if (!cli_read(&cli_eval, count, arguments, &options, words, error)) return false;
    if (options.train && !eval_diagnoses(&options))
        return sa_fail(error, SA_USAGE, "--train needs --diagnose");
    evaluation work = {.options = &options};
    bool good = open_work(&work, words, &options, error) && evaluate(&work, error);
    close_work(&work);
    return good;
}

static const char *diagnostic(size_t row, const char **text) {
    return sa_diagnostic_name(row, text, NULL);
}

const cli_command cli_eval = {
    .name = "eval",
    .words = "MODEL PAIRS",
    .least = 2,
    .most = 2,
    .summary = "evaluate a model: loss, perplexity, BLEU, chrF, AER",
    .details =
        "Loss (natural logarithm, per target token, </s> included) and perplexity are "
        "teacher-forced: the decoder reads the reference. In the free-running perplexity it "
        "reads its own translation. BLEU and chrF (from 0 to 100, as in sacreBLEU), exact "
        "matches and token accuracy (see 'softalign help score') compare the model's "
        "translations with the targets. AER, precision and recall compare the links of its "
        "attention with the gold alignments, if the pairs have them; a lower AER with the "
        "links moved to the previous or next word reveals attention that is off by one. "
        "Statistics of the teacher-forced attention: entropy, in nats, the mean over the "
        "rows; coverage, the fraction of source words whose weights sum to at least 1/2; the "
        "fraction of the weight on the source's </s>, over all rows but that of </s>; and "
        "monotonicity, the fraction of target words whose most attended source word is that "
        "of the previous word or follows it (without </s> and first words). Latency, of "
        "monotonic attention, is the mean number of source words read before a target word. REP "
        "and DROP "
        "(Malaviya et al. 2018), in percent, measure what coverage should prevent: REP counts "
        "the bigrams that a translation repeats, beyond their count in the reference, plus 2 for "
        "a word directly after itself, per word of the references; DROP counts the "
        "source words whose weights sum to less than 0.2 with the translation, but not with "
        "the reference, as the target. (The paper finds these with another aligner.) With "
        "--tokenizer bpe words are subwords, but links and AER are between whole words.\n"
        "--diagnose tests for the problems below. It prints the measure of each problem that "
        "it finds, its threshold, what it means and what to try.\n",
    .example = "  softalign eval mono/best.safetensors unseen.tsv --by-length\n",
    .sets = sets,
    .run = run,
    .items = "Problems that --diagnose finds",
    .item = diagnostic,
};
