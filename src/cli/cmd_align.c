#include "cli/align_output.h"
#include "cli/command.h"
#include "cli/head_option.h"
#include "cli/model_argument.h"
#include "config/settings.h"
#include "data/tokenizer.h"
#include "report/matrix.h"

#include <string.h>

typedef struct align_options {
    cli_align_options output;
    const char *force_attention, *site, *heads;
    int layer, head, limit, max_len, precision, threads;
} align_options;

#define AT(field) offsetof(align_options, field)

static const char *heads_file(size_t i) {
    static const char *const names[] = {SA_NUMBERED("npy"), SA_NUMBERED("json"), NULL};
    return names[i];
}

static const char *site_name(size_t i) { /* as sa_attention_site counts */
    static const char *const names[] = {"cross", "encoder", "decoder", NULL};
    return names[i];
}

static const sa_option rows[] = {
    {"force-attention", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(force_attention), 0, 0, 0,
     sa_attention_override_name, "WAY",
     "replace the weights: uniform, shuffle, shift:N, one-hot, gold, expected (as in training)"},
    {"site", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(site), 0, 0, 0, site_name, "NAME",
     "Transformer: attention to show: cross (default), encoder or decoder self-attention"},
    {"layer", SA_OPTION_INT, SA_SCOPE_RUN, AT(layer), 0, 0, SA_MAX_LAYERS, NULL, "N",
     "Transformer: layer to show; 0: mean over layers"},
    {"head", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(heads), 0, 0, 0, cli_heads_word, "N",
     "head to show: a number, mean, or max (elementwise maximum, rows sum to more than 1); "
     "default: mean, and every head in tables and pictures"},
    {"all-heads", SA_OPTION_FOLDER, SA_SCOPE_RUN, AT(output.folder[CLI_ALL_HEADS]), 0, 0, 0,
     heads_file, "DIR",
     "write all heads of all layers for BertViz and similar tools: DIR/0001.npy ..., [layer, head, "
     "row, column], and DIR/0001.json with the tokens"},
    {"limit", SA_OPTION_INT, SA_SCOPE_RUN, AT(limit), 0, 0, 1000000000, NULL, "N",
     "maximum number of pairs; 0: all"},
    CLI_MAX_LEN(AT(max_len)),
    CLI_PRECISION(AT(precision)),
    {"threads", SA_OPTION_INT, SA_SCOPE_RUN, AT(threads), 0, 0, 256, NULL, "N",
     "number of threads; 0: one per core"},
    {0},
};
static const cli_option_set sets[] = {
    {"Options", rows, 0},
    CLI_ALIGN_OUTPUT_SETS(AT(output)),
    {0},
};

static bool read_site(const char *name, sa_attention_site *site, sa_error *error) {
    static const sa_option row = {"site", SA_OPTION_CHOICE, SA_SCOPE_RUN, 0,   0, 0,
                                  0,      site_name,        "NAME",       NULL};
    return !name || sa_option_set(&row, site, name, error);
}

/* Runs the model on the first `count` pairs of the file `words[1]`. */
static bool align_pairs(sa_model *model, const char *const *words, align_options *options,
                        const sa_align_options *view, cli_align_output *out, size_t count,
                        sa_error *error) {
    const sa_settings *settings = sa_model_settings(model);
    const sa_pair *pairs = out->corpus->pairs;
    options->output.linking.null_key = sa_settings_has_null_key(settings);
    out->site = view->site;
    out->subwords = sa_tokenizers[settings->tokenizer].subword;
    if (!cli_align_output_open(out, "align", words[1], count, words[0], settings, error))
        return false;
    if (!sa_align(model, view, pairs, count, cli_align_output_add, out, error))
        return cli_pairs_fail(words[1], error);
    const bool translates =
        options->output.text[CLI_HTML] && view->site == SA_SITE_CROSS && !view->override.kind;
    return (!translates || sa_html_report_translate(&out->report, model, pairs, error)) &&
           cli_align_output_save(out, count, error);
}

static bool prints(const void *fields) {
    const align_options *options = fields;
    return cli_align_prints(&options->output);
}

static bool align(const char *const *words, align_options *options, sa_error *error) {
    sa_corpus corpus;
    if (!cli_pairs_open(&corpus, words[1], error)) return false;
    size_t count = corpus.count, limit = (size_t)options->limit;
    if (limit && limit < count) count = limit;
    sa_align_options view = {.layer = options->layer};
    cli_align_output out = {.options = &options->output,
                            .corpus = &corpus,
                            .layer = options->layer,
                            .head = options->head,
                            .prints = prints(options)};
    sa_model *model =
        cli_model_open(words[0], options->threads, options->precision, options->max_len,
                       options->force_attention, &view.override, error);
    const bool good = model && read_site(options->site, &view.site, error) &&
                      align_pairs(model, words, options, &view, &out, count, error);
    cli_align_output_release(&out);
    sa_model_close(model);
    sa_corpus_close(&corpus);
    return good;
}

static bool check_site(const align_options *options, sa_error *error) {
    return !options->site || strcmp(options->site, "cross") == 0 ||
           !options->output.text[CLI_PHARAOH] ||
           sa_fail(error, SA_USAGE,
                   "--pharaoh: links are between source and target, not within "
                   "the %s (--site cross)",
                   options->site);
}

static bool run(int count, char **arguments, sa_error *error) {
    align_options options;
    const char *words[2];
    cli_align_options_init(&options.output);
    sa_options_init(rows, &options);
    return cli_read(&cli_align, count, arguments, &options, words, error) &&
           cli_heads_read(options.heads, &options.head, error) && check_site(&options, error) &&
           cli_align_options_check(&options.output, error) && align(words, &options, error);
}

const cli_command cli_align = {
    .name = "align",
    .words = "MODEL PAIRS",
    .least = 2,
    .most = 2,
    .summary = "write the attention weights of given translations",
    .details =
        "Runs the decoder on the given targets (teacher forcing) and writes the attention weights "
        "of every target word. In a heatmap CSV columns are source words, rows target words, both "
        "with </s>; a row sums to 1 (less with a null key or --window local-p, and with "
        "--attention differential, where weights may be negative). A link 'i-j': "
        "target word j has its largest weight (no less than the null key's; with --links "
        "threshold: at least --threshold) on source word i; words count from 0, without </s>. With "
        "subwords (--tokenizer bpe) links are between whole words; with --merge-words all outputs "
        "are: a target word's weights are the mean of its subwords', a source word's the sum.\n"
        "--tidy writes a row for each target word t, source word s, head and layer. Sentences, "
        "heads and layers count from 1 (head 0: mean or max of --head), words from 0. id is the "
        "fourth column of PAIRS or else the line; gold is 1 for a sure link, 0.5 for a possible "
        "one, 0 for none, and empty where no links are known; probability is that of the target "
        "word; p_gen (--copy) is near 0 where it is copied. Read it with pandas.read_csv(FILE, "
        "keep_default_na=False): 'null' is a word.\n",
    .example = "  softalign align mono/best.safetensors unseen.tsv --limit 1\n"
               "  softalign align mono/best.safetensors unseen.tsv --csv matrices --pharaoh -\n",
    .sets = sets,
    .prints = prints,
    .run = run,
};
