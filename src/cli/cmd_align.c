/* The commands align, attribute and align-words. */
#include "aligner/aligner.h"
#include "base/clock.h"
#include "cli/align_output.h"
#include "data/corpus.h"
#include "data/tokenizer.h"
#include "metrics/attention_statistics.h"
#include "metrics/linking.h"
#include "report/matrix_file.h"

#include <string.h>

/* ---- align and attribute --------------------------------------------------------------------- */

typedef struct command_options {
    cli_align_options output; /* the first member */
    sa_align_options job;
    cli_model_options model;
    const char *columns, *matrix;
    sa_matrix_file own; /* of --matrix */
    int head, limit;
} command_options;

enum { ALIGN_ALONE = 7 }; /* options that attribute does not have */

static const sa_option table[] = {
    {"matrix", CLI_TEXT(INPUT, RUN(matrix), NULL, "FILE"),
     "show weights of any program in the place of MODEL and PAIRS: a NumPy array (.npy, .npz), a "
     "tensor (.safetensors), a heatmap CSV, JSON lines"},
    {"source", CLI_TEXT(TEXT, RUN(own.source), NULL, "WORDS"),
     "with --matrix: the words that label the columns"},
    {"target", CLI_TEXT(TEXT, RUN(own.target), NULL, "WORDS"), "with --matrix: the words of rows"},
    {"gold", CLI_TEXT(TEXT, RUN(own.gold), NULL, "LINKS"),
     "with --matrix: the gold alignment, as '0-0 1-2'"},
    {"site", SA_WORDS(RUN(job.site), SA_SITE_CROSS, "cross", "encoder", "decoder"),
     "Transformer: attention to show; encoder, decoder: their self-attention"},
    {"head", SA_OPTION_INT, RUN(head), SA_HEADS_ALL, SA_HEADS_ALL, 8192, NULL, SA_LIST("mean"), "N",
     "head to show: a number, or mean; -1: mean, and every head in tables and pictures"},
    {"all-heads",
     CLI_FOLDER(RUN(output.path[CLI_ALL_HEADS]), SA_LIST(SA_NUMBERED("npy"), SA_NUMBERED("json"))),
     "write all heads of all layers for BertViz and similar tools: DIR/0001.npy ..., [layer, head, "
     "row, column], and DIR/0001.json with the tokens"},
    {"layer", SA_INT(RUN(job.layer), 0, 0, SA_MAX_LAYERS, "N"),
     "Transformer: layer to show; 0: mean over layers"},
    {CLI_COLUMNS(columns)},
    {"limit", SA_INT(RUN(limit), 0, 0, 1000000000, "N"), "maximum number of pairs; 0: all"},
    {0},
};

/* Runs the model on the first `count` pairs of the file named on the command line. */
static bool align_pairs(sa_model *model, const cli_call *call, cli_align_output *out, size_t count,
                        sa_error *error) {
    const char *const *words = call->words;
    command_options *options = call->options;
    const sa_settings *settings = sa_model_settings(model);
    const sa_align_options *job = &options->job;
    const sa_pair *pairs = out->corpus->pairs;
    options->output.linking.null_key = sa_settings_has_null_key(settings);
    out->subwords = sa_has_subwords(settings);
    if (!cli_note_gold(out->corpus, settings, error) ||
        !cli_align_begin(out, call->command->name, words[1], count, words[0], settings, error))
        return false;
    if (!sa_align(model, job, pairs, count, cli_align_add, out, error))
        return cli_pairs_fail(words[1], error);
    const bool translates = options->output.path[CLI_HTML] && job->site == SA_SITE_CROSS &&
                            !job->override.kind && !job->methods;
    return (!translates || sa_html_report_translate(&out->report, model, pairs, error)) &&
           cli_align_save(out, count, error);
}

/* Writes the sentences of --matrix like those of a model. If the last words are not </s>, they take
 * part in links. */
static bool show_matrices(command_options *options, cli_align_output *out, size_t count,
                          sa_error *error) {
    const sa_alignment *own = &options->own.alignment;
    sa_attention_stats stats = {0};
    bool weighs = true, noted = false;
    bool good = sa_matrix_file_next(&options->own, error) &&
                cli_align_begin(out, "align", options->matrix, count, options->matrix, NULL, error);
    for (size_t i = 0; good && i < count; i++) {
        if (i && !sa_matrix_file_next(&options->own, error)) return false;
        if (options->own.note.size && !noted) cli_note("note: %s", options->own.note.text);
        noted = noted || options->own.note.size, weighs = weighs && options->own.weighs;
        options->output.linking.whole = strcmp(own->source[own->sources - 1], "</s>") != 0 ||
                                        strcmp(own->target[own->targets - 1], "</s>") != 0;
        out->scored = out->corpus->pairs[i].gold && out->site == SA_SITE_CROSS;
        sa_attention_stats_add(&stats, own->weights, sa_alignment_weights(own, 0, 1), own->heads,
                               own->targets, own->sources);
        good = cli_align_add(out, i, own, error);
    }
    if (!good) return false;
    sa_eval_result figures;
    sa_attention_figures(&stats, &figures);
    char entropy[32], share[32];
    if (weighs)
        cli_note("entropy %s (of the heads %s of the largest possible), weights of 0: %.2f %%",
                 cli_number(entropy, figures.entropy),
                 cli_number(share, sa_attention_normalized_entropy(&stats)), 100 * figures.zeros);
    return cli_align_save(out, count, error);
}

static bool open_matrices(command_options *options, const char *model, sa_error *error) {
    const cli_model_options *of = &options->model;
    if (model || of->force_attention || options->output.linking.at || options->columns ||
        of->precision || of->threads || of->max_len != SA_MAX_LEN)
        return sa_fail(error, SA_USAGE, "--matrix excludes MODEL, PAIRS and their options");
    options->own.layer = options->job.layer;
    return sa_matrix_file_open(&options->own, options->matrix, error);
}

static bool run(cli_call *call, sa_error *error) {
    command_options *options = call->options;
    const char *const *words = call->words;
    const bool own = options->matrix;
    sa_corpus pairs;
    if (!own && !words[1])
        return sa_fail(error, SA_USAGE, "an argument is missing: %s align MODEL PAIRS", cli_name);
    if (!own && (options->own.source || options->own.target || options->own.gold))
        return sa_fail(error, SA_USAGE, "--source, --target and --gold need --matrix");
    const bool links = options->output.path[CLI_PHARAOH];
    if (!cli_check_needed(call, error) ||
        (links && options->job.target_prefix &&
         !sa_fail(error, SA_USAGE, "--pharaoh excludes --target-prefix")) ||
        (links && options->job.site != SA_SITE_CROSS &&
         !sa_fail(error, SA_USAGE, "--pharaoh needs --site cross")) ||
        !cli_align_check(&options->output, error) ||
        !(own ? open_matrices(options, words[0], error)
              : cli_pairs_open(&pairs, words[1], options->columns, false, error)))
        return false;
    const sa_corpus *corpus = own ? &options->own.corpus : &pairs;
    size_t count = corpus->count, limit = (size_t)options->limit;
    if (limit && limit < count) count = limit;
    options->job.at = options->output.linking.at;
    cli_align_output out = {.options = &options->output,
                            .corpus = corpus,
                            .site = options->job.target_prefix ? SA_SITE_PREFIX : options->job.site,
                            .scored = options->job.methods && !options->job.target_prefix,
                            .layer = options->job.layer,
                            .head = options->job.methods ? SA_HEADS_ALL : options->head,
                            .prints = cli_align_prints(options)};
    sa_model *model =
        own ? NULL : cli_model_open(words[0], &options->model, &options->job.override, error);
    const bool good = own ? show_matrices(options, &out, count, error)
                          : model && align_pairs(model, call, &out, count, error);
    cli_align_release(&out);
    sa_model_close(model);
    own ? sa_matrix_file_close(&options->own) : sa_corpus_close(&pairs);
    return good;
}

const cli_command cli_align = {
    .name = "align",
    .words = "[MODEL] [PAIRS]",
    .summary = "write the attention weights of given translations",
    .size = sizeof(command_options),
    .sets = {{"Options", table, 0},
             {"Model", cli_model_rows, AT(model)},
             CLI_ALIGN_OUTPUT_SETS(AT(output))},
    .prints = cli_align_prints,
    .run = run,
};

static const sa_option method_table[] = {
    {"method", CLI_TEXT(TEXT, RUN(job.methods), sa_attribution_name, "LIST"),
     "what to compute, separated by commas: attention, gradient, input-x-gradient, "
     "integrated-gradients, occlusion; for a Transformer also norms, rollout and value-zeroing"},
    {"target-prefix", SA_SWITCH(RUN(job.target_prefix)),
     "add columns for the earlier target words, after those of the source: gradients and "
     "occlusion; for a decoder-only model also rollout and value-zeroing"},
    {"steps", SA_INT(RUN(job.steps), 50, 1, 100000, "N"), "midpoints of integrated-gradients"},
    {0},
};

const cli_command cli_attribute = {
    .name = "attribute",
    .words = "MODEL PAIRS --method LIST",
    .summary = "write which words made each target word",
    .size = sizeof(command_options),
    .sets = {{"Method", method_table, 0},
             {"Options", table + ALIGN_ALONE, 0},
             {"Model", cli_model_rows + 1, AT(model)},
             CLI_ALIGN_OUTPUT_SETS(AT(output))},
    .prints = cli_align_prints,
    .run = run,
};

/* ---- align-words ----------------------------------------------------------------------------- */

typedef struct words_options {
    cli_align_options output; /* the first member */
    sa_aligner_options aligner;
    const char *train, *lexicon, *columns;
    int limit, tokenizer, merges;
    bool lowercase;
    double least;
} words_options;

#undef AT
#define AT(field) offsetof(words_options, field)

static const sa_option words_table[] = {
    {"train", CLI_TEXT(INPUT, RUN(train), NULL, "PAIRS"),
     "learn from these pairs instead, and align those of PAIRS: new or few ones"},
    {"tokenizer", SA_CHOICE(RUN(tokenizer), 0, sa_tokenizers), "tokenizer, as of train"},
    {"bpe-merges", SA_INT(RUN(merges), 2000, 1, 1000000, "N"),
     "merges of the tokenizers with subwords"},
    {"lowercase", SA_SWITCH(RUN(lowercase)), "count words of different case as one"},
    {"limit", SA_INT(RUN(limit), 0, 0, 1000000000, "N"),
     "maximum number of pairs to align, the first of the file; 0: all. It learns from all"},
    {CLI_COLUMNS(columns)},
    {"lexicon", CLI_TEXT(OUTPUT, RUN(lexicon), NULL, "FILE"),
     "write the translation probabilities: source word TAB target word TAB t; the empty word is "
     "\"\""},
    {"least", SA_REAL(RUN(least), 0.01, 0, 1, "X"), "smallest probability in --lexicon"},
    {0},
};

enum { FEW = 20 }; /* iterations that are all reported; of more, one in a second */

typedef struct learning {
    int iterations;
    double began, said; /* in seconds */
} learning;

static void report(void *context, int iteration, double perplexity) {
    learning *run = context;
    const double now = sa_clock_seconds();
    const double left = (now - run->began) * (run->iterations - iteration) / iteration;
    if (run->iterations > FEW && iteration < run->iterations && now < run->said + 1) return;
    run->said = now;
    cli_note(left < 1 ? "iteration %d: perplexity %.2f"
                      : "iteration %d: perplexity %.2f, %d:%02d left",
             iteration, perplexity, (int)left / 60, (int)left % 60);
}

static bool add_translation(void *context, const char *source, const char *target,
                            double probability, sa_error *error) {
    sa_buffer_addf(context, "%s\t%s\t%.6f\n", source, target, probability);
    return true;
}

static bool words_print(const void *fields) {
    const words_options *options = fields;
    return options->output.terminal || (!options->lexicon && cli_align_prints(fields));
}

/* Learns from these pairs, adds the outputs of the first `count` pairs of `out`, and writes the
 * lexicon if wanted. */
static bool align_words(const words_options *options, const sa_corpus *learned, size_t count,
                        cli_align_output *out, sa_buffer *lexicon, sa_error *error) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.tokenizer = options->tokenizer;
    settings.bpe_merges = options->merges;
    settings.lowercase = options->lowercase;
    settings.max_len = SA_MAX_LEN;
    learning run = {sa_aligner_iterations(&options->aligner, learned->count), sa_clock_seconds(),
                    0};
    sa_aligner *aligner =
        sa_aligner_train(learned, &settings, &options->aligner, report, &run, error);
    const bool good =
        aligner &&
        (!lexicon ||
         sa_aligner_lexicon_each(aligner, options->least, add_translation, lexicon, error)) &&
        (sa_aligner_align(aligner, out->corpus->pairs, count, cli_align_add, out, error) ||
         cli_pairs_fail(out->corpus->name, error));
    sa_aligner_free(aligner);
    return good;
}

static bool run_words(cli_call *call, sa_error *error) {
    words_options *options = call->options;
    const char *path = call->words[0];
    sa_corpus corpus = {0}, learned = {0};
    sa_buffer lexicon = {0};
    if (options->output.linking.at)
        return sa_fail(error, SA_USAGE, "--align-at input needs a model");
    if (!cli_align_check(&options->output, error) ||
        !cli_pairs_open(&corpus, path, options->columns, false, error))
        return false;
    const char *train = options->train;
    const size_t limit = (size_t)options->limit,
                 count = limit && limit < corpus.count ? limit : corpus.count;
    options->output.linking.null_key = true;
    cli_align_output out = {.options = &options->output,
                            .corpus = &corpus,
                            .head = SA_HEADS_ALL,
                            .prints = words_print(options),
                            .subwords = sa_tokenizers[options->tokenizer].subword};
    const bool good =
        (!train || cli_pairs_open(&learned, train, options->columns, false, error)) &&
        cli_align_begin(&out, "align-words", path, count,
                        sa_aligner_kinds[options->aligner.model]->title, NULL, error) &&
        align_words(options, train ? &learned : &corpus, count, &out,
                    options->lexicon ? &lexicon : NULL, error) &&
        (!options->lexicon || cli_save(options->lexicon, &lexicon, error)) &&
        cli_align_save(&out, count, error);
    cli_align_release(&out);
    sa_buffer_release(&lexicon);
    sa_corpus_close(&corpus), sa_corpus_close(&learned);
    return good;
}

const cli_command cli_align_words = {
    .name = "align-words",
    .words = "PAIRS",
    .summary = "align words without a network: the ancestors of attention",
    .size = sizeof(words_options),
    .sets = {{"Options", words_table, 0},
             {"Model", sa_aligner_option_rows, AT(aligner)},
             CLI_ALIGN_OUTPUT_SETS(AT(output))},
    .prints = words_print,
    .run = run_words,
};
