#include "cli/align.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "config/settings.h"
#include "data/tokenizer.h"

typedef struct ibm1_options {
    cli_align_options output;
    const char *lexicon;
    int iterations, limit, tokenizer, merges;
    bool lowercase;
    double least;
} ibm1_options;

#define AT(field) offsetof(ibm1_options, field)

static const sa_option rows[] = {
    {"iterations", SA_INT(RUN(iterations), 5, 0, 1000000, "N"),
     "iterations of expectation maximization"},
    {"tokenizer", SA_CHOICE(RUN(tokenizer), 0, sa_tokenizer_name), "tokenizer, as of train"},
    {"bpe-merges", SA_INT(RUN(merges), 2000, 1, 1000000, "N"),
     "merges of the tokenizers with subwords"},
    {"lowercase", SA_SWITCH(RUN(lowercase)), "count words of different case as one"},
    {"limit", SA_INT(RUN(limit), 0, 0, 1000000000, "N"),
     "maximum number of pairs to align, the first of the file; 0: all. It learns from all"},
    {"lexicon", CLI_TEXT(OUTPUT, RUN(lexicon), NULL, "FILE"),
     "write the translation probabilities: source word TAB target word TAB t; the empty word is "
     "\"\""},
    {"least", SA_REAL(RUN(least), 0.01, 0, 1, "X"), "smallest probability in --lexicon"},
    {0},
};
static const cli_option_set sets[] = {
    {"Options", rows, 0},
    CLI_ALIGN_OUTPUT_SETS(AT(output)),
    {0},
};

static void report(void *context, int iteration, double perplexity) {
    (void)context;
    cli_note("iteration %d: perplexity %.2f", iteration, perplexity);
}

static bool add_translation(void *context, const char *source, const char *target,
                            double probability, sa_error *error) {
    (void)error;
    sa_buffer_addf(context, "%s\t%s\t%.6f\n", source, target, probability);
    return true;
}

static bool prints(const void *fields) {
    const ibm1_options *options = fields;
    return options->output.terminal || (!options->lexicon && cli_align_prints(&options->output));
}

static bool run(cli_call *call, sa_error *error) {
    ibm1_options *options = call->options;
    const char *path = call->words[0];
    sa_corpus corpus;
    sa_buffer lexicon = {0};
    if (!cli_align_options_check(&options->output, error) || !cli_pairs_open(&corpus, path, error))
        return false;
    size_t count = corpus.count, limit = (size_t)options->limit;
    if (limit && limit < count) count = limit;
    sa_settings settings;
    sa_settings_init(&settings);
    settings.tokenizer = options->tokenizer;
    settings.bpe_merges = options->merges;
    settings.lowercase = options->lowercase;
    settings.max_len = SA_MAX_LEN;
    options->output.linking.null_key = true;
    cli_align_output out = {.options = &options->output,
                            .corpus = &corpus,
                            .prints = prints(options),
                            .subwords = sa_tokenizers[options->tokenizer].subword};
    sa_ibm1 *model = sa_ibm1_train(&corpus, &settings, options->iterations, report, NULL, error);
    const bool good =
        model &&
        (!options->lexicon ||
         (sa_ibm1_lexicon_each(model, options->least, add_translation, &lexicon, error) &&
          cli_save(options->lexicon, &lexicon, error))) &&
        cli_align_output_open(&out, "ibm1", path, count, "Model 1", NULL, error) &&
        (sa_ibm1_align(model, corpus.pairs, count, cli_align_output_add, &out, error) ||
         cli_pairs_fail(path, error)) &&
        cli_align_output_save(&out, count, error);
    cli_align_output_release(&out);
    sa_buffer_release(&lexicon);
    sa_ibm1_free(model);
    sa_corpus_close(&corpus);
    return good;
}

const cli_command cli_ibm1 = {
    .name = "ibm1",
    .words = "PAIRS",
    .least = 1,
    .most = 1,
    .summary = "align pairs with Model 1, where soft alignment began",
    .size = sizeof(ibm1_options),
    .sets = sets,
    .prints = prints,
    .run = run,
};
