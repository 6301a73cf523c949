/* The commands align, attribute and align-words: alignments in all forms. */
#include "analysis/aligner.h"
#include "analysis/attention_statistics.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "cli/score_links.h"
#include "data/corpus.h"
#include "data/tokenizer.h"
#include "metrics/linking.h"
#include "report/matrix_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Outputs in one file for all pairs, and in a file for each. */
enum { CLI_TIDY, CLI_PHARAOH, CLI_SOFT, CLI_JSONL, CLI_HTML, CLI_ALIGN_TEXTS };
enum { CLI_CSV, CLI_NPY, CLI_ALL_HEADS, CLI_ALIGN_FOLDERS };

typedef struct cli_align_options {
    const char *text[CLI_ALIGN_TEXTS], *folder[CLI_ALIGN_FOLDERS];
    bool terminal, merge, spreadsheet, semicolons;
    sa_link_options linking;
    cli_pictures pictures;
    sa_page_text page;
} cli_align_options;

typedef struct cli_align_output {
    const cli_align_options *options;
    const sa_corpus *corpus;
    sa_attention_site site;
    int layer, head; /* shown: from 1, or 0 for the mean over layers; SA_HEADS_... */
    bool subwords;   /* the tokens are subwords */
    bool prints;     /* the matrices go to standard output */
    bool scored;     /* links are compared with gold ones */
    method_scores scores;
    sa_terminal screen;
    sa_buffer text[CLI_ALIGN_TEXTS], picture;
    sa_html_report report;
    cli_canvas canvas;
} cli_align_output;

#define OUT(field) SA_SCOPE_RUN, offsetof(cli_align_options, field)

static const sa_option output_options[] = {
    {"csv", CLI_FOLDER(OUT(folder[CLI_CSV]), SA_LIST(SA_NUMBERED("csv"))),
     "write one heatmap per pair: DIR/0001.csv ...; created if missing"},
    {"npy", CLI_FOLDER(OUT(folder[CLI_NPY]), SA_LIST(SA_NUMBERED("npy"))),
     "write one NumPy array per pair: DIR/0001.npy ..., [target, source] or [head, target, "
     "source]"},
    {"tidy", CLI_TEXT(OUTPUT, OUT(text[CLI_TIDY]), NULL, "FILE"),
     "write one long-format table for R and pandas; - is standard output"},
    {"spreadsheet", SA_SWITCH(OUT(spreadsheet)),
     "with --csv or --tidy: a byte order mark, and ' before words that a spreadsheet would take "
     "for formulas"},
    {"semicolons", SA_SWITCH(OUT(semicolons)),
     "with --spreadsheet: semicolons between cells and decimal commas, where these are usual"},
    {"pharaoh", CLI_TEXT(OUTPUT, OUT(text[CLI_PHARAOH]), NULL, "FILE"),
     "write word alignments in Pharaoh format, one line per pair; - is standard output"},
    {"soft", CLI_TEXT(OUTPUT, OUT(text[CLI_SOFT]), NULL, "FILE"),
     "write soft alignments in Marian's format, one line per pair"},
    {"jsonl", CLI_TEXT(OUTPUT, OUT(text[CLI_JSONL]), NULL, "FILE"),
     "write one JSON object per line: tokens, log-probability and attention weights"},
    {"html", CLI_TEXT(OUTPUT, OUT(text[CLI_HTML]), NULL, "FILE"),
     "write an interactive HTML page of the attention weights"},
    {"terminal", SA_SWITCH(OUT(terminal)),
     "print the matrices in color, or as blocks on terminals without color (or with NO_COLOR); "
     "default without other output"},
    {"merge-words", SA_SWITCH(OUT(merge)),
     "merge subwords into words: mean over target subwords, sum over source subwords"},
    {0},
};

/* The sets of these options, in a command's struct that has them at offset `at`, but for its own
 * set, which comes first. */
#define CLI_ALIGN_OUTPUT_SETS(at)                                                                  \
    {"Output", output_options, at},                                                                \
        {"Pictures", cli_pictures_options, (at) + offsetof(cli_align_options, pictures)},          \
        {"Page", sa_page_text_options, (at) + offsetof(cli_align_options, page)}, {                \
        "Links", sa_linking_options, (at) + offsetof(cli_align_options, linking)                   \
    }

/* ---- Formats --------------------------------------------------------------------------------- */

static void add_json(const sa_alignment *alignment, size_t sentence, sa_buffer *out) {
    const int T = alignment->targets, S = alignment->sources;
    const double *p_gen = alignment->generation_probabilities;
    json_t *heads = NULL;
    if (alignment->heads > 1)
        heads = sa_json_matrices(sa_alignment_weights(alignment, 0, 1), alignment->heads, T, S);
    sa_json_add_line(json_pack("{s:I, s:o, s:o, s:o, s:o, s:o*, s:o*, s:o*}", "sentence",
                               (json_int_t)sentence, "source", sa_json_words(alignment->source, S),
                               "target", sa_json_words(alignment->target, T), "log_probability",
                               sa_json_number(alignment->log_probability), "weights",
                               sa_json_matrix(alignment->weights, T, S), "p_gen",
                               p_gen ? sa_json_vector(p_gen, T) : NULL, "heads", heads, "methods",
                               heads && *alignment->method
                                   ? sa_json_words(alignment->method, alignment->heads)
                                   : NULL),
                     out);
}

static const char *const endings[] = {
    [CLI_CSV] = "csv", [CLI_NPY] = "npy", [CLI_ALL_HEADS] = "npy"};

/* ---- One pair -------------------------------------------------------------------------------- */

/* The labels of the arrays of --all-heads. */
static void add_labels(const sa_alignment *alignment, sa_buffer *out) {
    sa_json_add_line(json_pack("{s:i, s:i, s:o, s:o}", "layers", alignment->layers, "heads",
                               alignment->heads, "rows",
                               sa_json_words(alignment->target, alignment->targets), "columns",
                               sa_json_words(alignment->source, alignment->sources)),
                     out);
}

/* Gold links are shown when rows and columns are target and source words. */
static bool shows_gold(const cli_align_output *out, size_t index) {
    const cli_align_options *options = out->options;
    return out->corpus->pairs[index].gold && out->site == SA_SITE_CROSS &&
           (options->merge || !out->subwords);
}

/* The page has all heads and layers, the long table those of --head and --layer. */
static void add_tables(cli_align_output *out, size_t index, const sa_alignment *alignment,
                       const sa_link *gold, size_t golds) {
    const cli_align_options *options = out->options;
    const sa_tidy tidy = {.sentence = out->corpus->pairs[index].row,
                          .pair = &out->corpus->pairs[index],
                          .linked = shows_gold(out, index),
                          .gold = gold,
                          .golds = golds,
                          .layer = out->layer,
                          .head = out->head,
                          .words = (sa_csv_words)options->spreadsheet + options->semicolons};
    if (options->text[CLI_HTML]) sa_html_report_matrix(&out->report, index, alignment, gold, golds);
    if (options->text[CLI_TIDY]) sa_matrix_tidy(alignment, &tidy, &out->text[CLI_TIDY]);
}

/* Outputs with a line for each line of the input: empty ones for those without a pair before pair
 * `next`, or after the last. */
static void add_skipped(cli_align_output *out, size_t next) {
    for (int i = CLI_PHARAOH; i <= CLI_JSONL; i++)
        if (out->options->text[i]) cli_add_skipped(out->corpus, next, &out->text[i]);
}

/* Links are between words, whatever the weights are between. */
static bool show(cli_align_output *out, size_t pair, const sa_alignment *alignment,
                 const sa_alignment *words, sa_figure figure, sa_error *error) {
    const cli_align_options *options = out->options;
    const char *const *text = options->text;
    const size_t index = out->corpus->pairs[pair].row - 1;
    add_skipped(out, pair);
    if (text[CLI_PHARAOH]) sa_matrix_pharaoh(words, &options->linking, &out->text[CLI_PHARAOH]);
    if (text[CLI_SOFT]) sa_matrix_soft(alignment, &out->text[CLI_SOFT]);
    if (text[CLI_JSONL]) add_json(alignment, index + 1, &out->text[CLI_JSONL]);
    for (int i = 0; i < CLI_ALL_HEADS; i++) {
        sa_buffer matrix = {0};
        if (!options->folder[i]) continue;
        if (i == CLI_NPY)
            sa_matrix_npy(alignment, &matrix);
        else
            sa_matrix_heatmap(alignment, options->semicolons, &matrix);
        if (i == CLI_CSV && options->spreadsheet)
            sa_csv_for_spreadsheets(&matrix, options->semicolons);
        if (!sa_save_numbered(options->folder[i], index, endings[i], &matrix, error)) return false;
    }
    if (cli_pictures_wanted(&options->pictures) &&
        !cli_pictures_save(&options->pictures, index, alignment, figure, &out->canvas, error))
        return false;
    if (!out->prints) return true;
    sa_matrix_terminal(alignment, &out->screen, &out->picture);
    return cli_print_picture(&out->picture, error);
}

/* Writes one pair, as the `each` of sa_align: `output` is a cli_align_output. */
static bool add_pair(void *output, size_t index, const sa_alignment *given, sa_error *error) {
    cli_align_output *out = output;
    const cli_align_options *options = out->options;
    const char *all = options->folder[CLI_ALL_HEADS];
    const size_t number = out->corpus->pairs[index].row - 1;
    const bool tables = options->text[CLI_HTML] || options->text[CLI_TIDY];
    const bool scored = out->scored && out->corpus->pairs[index].gold;
    const bool merge = options->merge,
               links = out->subwords && (options->text[CLI_PHARAOH] || scored);
    const int end = !options->linking.whole;
    sa_alignment alignment = *given, whole = {0}, words = {0};
    sa_link *gold = NULL;
    size_t golds = 0;
    double *owned = NULL;
    out->scores.gap = fmax(out->scores.gap, given->gap);
    bool good = (!all || (sa_save_matrix(all, number, "npy", sa_matrix_npy_all, given, error) &&
                          sa_save_matrix(all, number, "json", add_labels, given, error))) &&
                cli_heads_select(out->head, &alignment, &owned, error) &&
                (!merge || !tables || sa_alignment_merge(given, &whole, error)) &&
                ((!merge && !links) || sa_alignment_merge(&alignment, &words, error)) &&
                (!scored || score_methods_add(&out->scores, &options->linking, out->corpus, index,
                                              merge || links ? &words : &alignment, error));
    const sa_alignment *shown = merge ? &words : &alignment;
    if (good && shows_gold(out, index) && (tables || cli_pictures_wanted(&options->pictures)))
        good = sa_links_parse_gold(out->corpus, &out->corpus->pairs[index], shown->sources - end,
                                   shown->targets - end, &gold, &golds, error);
    if (good && tables) add_tables(out, index, merge ? &whole : given, gold, golds);
    good = good && show(out, index, shown, merge || links ? &words : &alignment,
                        (sa_figure){.gold = gold, .golds = golds, .site = out->site}, error);
    free(gold);
    sa_alignment_release(&whole), sa_alignment_release(&words);
    free(owned);
    return good;
}

/* ---- All pairs ------------------------------------------------------------------------------- */

/* Whether the matrices go to standard output: if that is wanted, or nothing else is. */
static bool output_prints(const cli_align_options *options) {
    bool wanted = cli_pictures_wanted(&options->pictures);
    for (int i = 0; i < CLI_ALIGN_FOLDERS; i++) wanted = wanted || options->folder[i];
    for (int i = 0; i < CLI_ALIGN_TEXTS; i++) wanted = wanted || options->text[i];
    return options->terminal || !wanted;
}

static bool check_output(const cli_align_options *options, sa_error *error) {
    return cli_pictures_check(&options->pictures, error) &&
           sa_page_text_check(&options->page, options->text[CLI_HTML], error) &&
           (!options->spreadsheet || options->text[CLI_TIDY] || options->folder[CLI_CSV] ||
            sa_fail(error, SA_USAGE, "--spreadsheet needs --csv or --tidy")) &&
           (!options->semicolons || options->spreadsheet ||
            sa_fail(error, SA_USAGE, "--semicolons needs --spreadsheet"));
}

/* Creates the folders and, where it is wanted, begins the page of `command` on the first `count`
 * pairs of the file `pairs`. model: the path or name of what attends. settings: its settings or
 * NULL. */
static bool begin_output(cli_align_output *out, const char *command, const char *pairs,
                         size_t count, const char *model, const sa_settings *settings,
                         sa_error *error) {
    const char *title = strcmp(command, "attribute") == 0 ? "Attributions of" : "Attention of";
    const cli_align_options *options = out->options;
    bool good = true;
    out->screen = cli_screen(&options->pictures);
    for (int i = 0; good && i < CLI_ALIGN_FOLDERS; i++)
        good = !options->folder[i] || sa_directory_create(options->folder[i], error);
    for (int i = 0; good && i < CLI_PICTURE_FORMS; i++)
        good =
            !options->pictures.folder[i] || sa_directory_create(options->pictures.folder[i], error);
    if (good && options->text[CLI_HTML]) {
        char more[64];
        snprintf(more, sizeof more, " on %zu sentence%s", count, count == 1 ? "" : "s");
        cli_begin_page(&out->report, command, title, model, more, settings);
        sa_html_report_fact_file(&out->report, "pairs", pairs);
    }
    return good;
}

/* Saves the files that hold all pairs and says what was written. */
static bool save_output(cli_align_output *out, size_t count, sa_error *error) {
    const cli_align_options *options = out->options;
    const size_t first = out->corpus->pairs[0].row, last = out->corpus->pairs[count - 1].row;
    bool good = true;
    if (count == out->corpus->count) add_skipped(out, count);
    for (int i = 0; good && i < CLI_ALIGN_FOLDERS; i++)
        if (options->folder[i]) cli_note_numbered(options->folder[i], endings[i], first, last);
    if (options->spreadsheet) sa_csv_for_spreadsheets(&out->text[CLI_TIDY], options->semicolons);
    if (good && options->folder[CLI_ALL_HEADS])
        cli_note_numbered(options->folder[CLI_ALL_HEADS], "json", first, last);
    good = good && cli_pictures_end(&options->pictures, first, &out->canvas, error);
    for (int i = 0; good && i < CLI_HTML; i++)
        good = !options->text[i] || cli_save(options->text[i], &out->text[i], error);
    if (!good || !options->text[CLI_HTML]) return good;
    sa_html_report_site(&out->report, out->site);
    return cli_end_page(&out->report, true, &options->page, options->text[CLI_HTML], error);
}

static void release_output(cli_align_output *out) {
    for (int i = 0; i < CLI_ALIGN_TEXTS; i++) sa_buffer_release(&out->text[i]);
    sa_buffer_release(&out->picture);
    sa_html_report_release(&out->report);
    sa_drawing_release(&out->canvas.drawing);
}

/* ---- align and attribute --------------------------------------------------------------------- */

typedef struct align_options {
    cli_align_options output;
    sa_align_options job;
    const char *force_attention, *heads, *columns, *matrix;
    sa_matrix_file own; /* of --matrix */
    int head, limit, max_len, precision, threads;
} align_options;

#define AT(field) offsetof(align_options, field)

enum { ALIGN_ALONE = 8 }; /* rows that attribute has not */

static const sa_option rows[] = {
    {"matrix", CLI_TEXT(INPUT, RUN(matrix), NULL, "FILE"),
     "show weights of any program in the place of MODEL and PAIRS: a NumPy array, a heatmap CSV, "
     "JSON lines"},
    {"source", CLI_TEXT(TEXT, RUN(own.source), NULL, "WORDS"),
     "with --matrix: the words of columns"},
    {"target", CLI_TEXT(TEXT, RUN(own.target), NULL, "WORDS"), "with --matrix: the words of rows"},
    {"gold", CLI_TEXT(TEXT, RUN(own.gold), NULL, "LINKS"),
     "with --matrix: the gold alignment, as '0-0 1-2'"},
    {"force-attention", CLI_TEXT(TEXT, RUN(force_attention), sa_attention_override_name, "WAY"),
     "replace the weights: uniform, shuffle, shift:N, one-hot, gold, expected (as in training)"},
    {"site", SA_WORDS(RUN(job.site), SA_SITE_CROSS, "cross", "encoder", "decoder"),
     "Transformer: attention to show; encoder, decoder: their self-attention"},
    {"head", CLI_TEXT(TEXT, RUN(heads), cli_heads_word, "N"),
     "head to show: a number, mean, or max (elementwise maximum, rows sum to more than 1); "
     "default: mean, and every head in tables and pictures"},
    {"all-heads",
     CLI_FOLDER(RUN(output.folder[CLI_ALL_HEADS]),
                SA_LIST(SA_NUMBERED("npy"), SA_NUMBERED("json"))),
     "write all heads of all layers for BertViz and similar tools: DIR/0001.npy ..., [layer, head, "
     "row, column], and DIR/0001.json with the tokens"},
    {"layer", SA_INT(RUN(job.layer), 0, 0, SA_MAX_LAYERS, "N"),
     "Transformer: layer to show; 0: mean over layers"},
    {CLI_COLUMNS(columns)},
    {"limit", SA_INT(RUN(limit), 0, 0, 1000000000, "N"), "maximum number of pairs; 0: all"},
    {"max-len", SA_INT(RUN(max_len), SA_MAX_LEN, 1, 1000000, "N"), CLI_MAX_LEN},
    {"precision", SA_WORDS(RUN(precision), 0, "float32", "bf16"), CLI_PRECISION},
    {"threads", SA_INT(RUN(threads), 0, 0, 256, "N"), "number of threads; 0: one per core"},
    {0},
};

static bool prints(const void *fields) {
    const align_options *options = fields;
    return output_prints(&options->output);
}

static bool check_pharaoh(const align_options *options, sa_error *error) {
    const sa_align_options *job = &options->job;
    return !options->output.text[CLI_PHARAOH] ||
           (job->site == SA_SITE_CROSS && !job->target_prefix) ||
           sa_fail(error, SA_USAGE, "--pharaoh: links are between source and target: %s",
                   job->target_prefix ? "without --target-prefix" : "--site cross");
}

/* Runs the model on the first `count` pairs of the file that the call names. */
static bool align_pairs(sa_model *model, const cli_call *call, cli_align_output *out, size_t count,
                        sa_error *error) {
    const char *const *words = call->words;
    align_options *options = call->options;
    const sa_settings *settings = sa_model_settings(model);
    const sa_align_options *job = &options->job;
    const sa_pair *pairs = out->corpus->pairs;
    options->output.linking.null_key = sa_settings_has_null_key(settings);
    out->subwords = sa_has_subwords(settings);
    if (!begin_output(out, call->command->name, words[1], count, words[0], settings, error))
        return false;
    if (!sa_align(model, job, pairs, count, add_pair, out, error))
        return cli_pairs_fail(words[1], error);
    score_methods_note(&out->scores);
    const bool translates = options->output.text[CLI_HTML] && job->site == SA_SITE_CROSS &&
                            !job->override.kind && !job->methods;
    return (!translates || sa_html_report_translate(&out->report, model, pairs, error)) &&
           save_output(out, count, error);
}

/* The sentences of --matrix go the way of those of a model; words that are no end marks take part
 * in links. */
static bool show_matrices(align_options *options, cli_align_output *out, size_t count,
                          sa_error *error) {
    const sa_alignment *own = &options->own.alignment;
    sa_attention_stats stats = {0};
    bool good = begin_output(out, "align", options->matrix, count, options->matrix, NULL, error);
    for (size_t i = 0; good && i < count && (good = sa_matrix_file_next(&options->own, error));
         i++) {
        options->output.linking.whole = strcmp(own->source[own->sources - 1], "</s>") != 0 ||
                                        strcmp(own->target[own->targets - 1], "</s>") != 0;
        out->scored = out->corpus->pairs[i].gold && out->site == SA_SITE_CROSS;
        sa_attention_stats_add(&stats, own->weights, sa_alignment_weights(own, 0, 1), own->heads,
                               own->targets, own->sources);
        good = add_pair(out, i, own, error);
    }
    if (!good) return false;
    const sa_attention_figures figures = sa_attention_figures_of(&stats);
    cli_note("entropy %.4f (%.4f of equal weights in each head), weights of 0: %.2f %%",
             figures.entropy, figures.norm_entropy, 100 * figures.zeros);
    score_methods_note(&out->scores);
    return save_output(out, count, error);
}

static bool open_matrices(align_options *options, const char *model, sa_error *error) {
    if (model || options->force_attention || options->output.linking.at || options->columns ||
        options->precision || options->threads || options->max_len != SA_MAX_LEN)
        return sa_fail(error, SA_USAGE, "--matrix goes without MODEL, PAIRS and their options");
    options->own.layer = options->job.layer;
    return sa_matrix_file_open(&options->own, options->matrix, error);
}

static bool run(cli_call *call, sa_error *error) {
    align_options *options = call->options;
    const char *const *words = call->words;
    const bool own = options->matrix;
    sa_corpus pairs;
    if (!own && !words[1])
        return sa_fail(error, SA_USAGE, "an argument is missing: %s align MODEL PAIRS", cli_name);
    if (!own && (options->own.source || options->own.target || options->own.gold))
        return sa_fail(error, SA_USAGE, "--source, --target and --gold go with --matrix");
    if (!cli_check_needed(call, error) || !cli_heads_read(options->heads, &options->head, error) ||
        !check_pharaoh(options, error) || !check_output(&options->output, error) ||
        !(own ? open_matrices(options, words[0], error)
              : cli_pairs_open(&pairs, words[1], options->columns, error)))
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
                            .head = options->head,
                            .prints = prints(options)};
    sa_model *model =
        own ? NULL
            : cli_model_open(words[0], options->threads, options->precision, options->max_len,
                             options->force_attention, &options->job.override, error);
    const bool good = own ? show_matrices(options, &out, count, error)
                          : model && align_pairs(model, call, &out, count, error);
    release_output(&out);
    sa_model_close(model);
    own ? sa_matrix_file_close(&options->own) : sa_corpus_close(&pairs);
    return good;
}

const cli_command cli_align = {
    .name = "align",
    .words = "[MODEL] [PAIRS]",
    .summary = "write the attention weights of given translations",
    .size = sizeof(align_options),
    .sets = {{"Options", rows, 0}, CLI_ALIGN_OUTPUT_SETS(AT(output))},
    .prints = prints,
    .run = run,
};

static const sa_option method_rows[] = {
    {"method", CLI_TEXT(TEXT, RUN(job.methods), sa_attribution_name, "LIST"),
     "what to compute, separated by commas: attention, gradient, input-x-gradient, "
     "integrated-gradients, occlusion, adversarial; of a Transformer also norms, rollout, flow "
     "and value-zeroing"},
    {"target-prefix", SA_SWITCH(RUN(job.target_prefix)),
     "add columns of the earlier target words, behind those of the source: gradients and "
     "occlusion; of a decoder-only model also rollout, flow and value-zeroing"},
    {"steps", SA_INT(RUN(job.steps), 50, 1, 100000, "N"), "midpoints of integrated-gradients"},
    {0},
};

const cli_command cli_attribute = {
    .name = "attribute",
    .words = "MODEL PAIRS --method LIST",
    .summary = "write which words made each target word",
    .size = sizeof(align_options),
    .sets = {{"Method", method_rows, 0},
             {"Options", rows + ALIGN_ALONE, 0},
             CLI_ALIGN_OUTPUT_SETS(AT(output))},
    .prints = prints,
    .run = run,
};

/* ---- align-words ----------------------------------------------------------------------------- */

typedef struct words_options {
    cli_align_options output;
    sa_aligner_options aligner;
    const char *lexicon, *columns;
    int limit, tokenizer, merges, combine;
    bool lowercase;
    double least;
} words_options;

#undef AT
#define AT(field) offsetof(words_options, field)

static const sa_option words_rows[] = {
    {"combine",
     SA_WORDS(RUN(combine), 0, "none", "intersection", "union", "grow-diag", "grow-diag-final",
              "grow-diag-final-and"),
     "make the links of --pharaoh one with those of the reverse direction, as 'score' does"},
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

static void report(void *context, int iteration, double perplexity) {
    cli_note("iteration %d: perplexity %.2f", iteration, perplexity);
}

static bool add_translation(void *context, const char *source, const char *target,
                            double probability, sa_error *error) {
    sa_buffer_addf(context, "%s\t%s\t%.6f\n", source, target, probability);
    return true;
}

static bool words_print(const void *fields) {
    const words_options *options = fields;
    return options->output.terminal || (!options->lexicon && output_prints(&options->output));
}

/* Learns a direction and adds its outputs for the first `count` pairs; writes the lexicon. */
static bool align_words(const words_options *options, const sa_corpus *corpus, size_t count,
                        cli_align_output *out, sa_buffer *lexicon, sa_error *error) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.tokenizer = options->tokenizer;
    settings.bpe_merges = options->merges;
    settings.lowercase = options->lowercase;
    settings.max_len = SA_MAX_LEN;
    sa_aligner *aligner =
        sa_aligner_train(corpus, &settings, &options->aligner, report, NULL, error);
    const bool good = aligner &&
                      (!lexicon || sa_aligner_lexicon_each(aligner, options->least, add_translation,
                                                           lexicon, error)) &&
                      sa_aligner_align(aligner, corpus->pairs, count, add_pair, out, error);
    sa_aligner_free(aligner);
    return good;
}

/* Replaces a line of links by those of both directions. */
static bool combine_line(int method, const char *forward, const char *backward, sa_buffer *out,
                         sa_error *error) {
    sa_link *ahead = NULL, *back = NULL, *both = NULL;
    size_t aheads = 0, backs = 0, count = 0;
    bool good = sa_links_parse_line(forward, 0, &ahead, &aheads, error) &&
                sa_links_parse_line(backward, 0, &back, &backs, error);
    for (size_t k = 0; k < backs; k++)
        back[k] = (sa_link){.source = back[k].target, .target = back[k].source};
    good = good && sa_symmetrize(method, ahead, aheads, back, backs, &both, &count, error);
    for (size_t k = 0; k < count; k++)
        sa_buffer_addf(out, "%s%d-%d", k ? " " : "", both[k].source, both[k].target);
    sa_buffer_adds(out, "\n");
    free(ahead), free(back), free(both);
    return good;
}

/* Learns the reverse direction and puts the links of both in the place of those of one. */
static bool combine(const words_options *options, const sa_corpus *corpus, size_t count,
                    sa_buffer *links, sa_error *error) {
    const cli_align_options only_links = {.text[CLI_PHARAOH] = "-",
                                          .linking = options->output.linking};
    sa_corpus swapped = *corpus;
    cli_align_output back = {.options = &only_links,
                             .corpus = &swapped,
                             .subwords = sa_tokenizers[options->tokenizer].subword};
    sa_buffer both = {0};
    swapped.pairs = sa_new(corpus->count, sizeof *swapped.pairs, error);
    for (size_t p = 0; swapped.pairs && p < corpus->count; p++) {
        swapped.pairs[p] = corpus->pairs[p];
        swapped.pairs[p].source = corpus->pairs[p].target;
        swapped.pairs[p].target = corpus->pairs[p].source;
    }
    if (swapped.pairs) cli_note("the reverse direction:");
    bool good = swapped.pairs && align_words(options, &swapped, count, &back, NULL, error);
    for (char *ahead = links->text, *line = back.text[CLI_PHARAOH].text; good && line && *line;) {
        char *const ahead_end = strchr(ahead, '\n'), *const end = strchr(line, '\n');
        *ahead_end = *end = '\0';
        good = combine_line(options->combine - 1, ahead, line, &both, error);
        ahead = ahead_end + 1, line = end + 1;
    }
    release_output(&back);
    free(swapped.pairs);
    sa_buffer_release(links);
    *links = both;
    return good;
}

static bool run_words(cli_call *call, sa_error *error) {
    words_options *options = call->options;
    const char *path = call->words[0];
    sa_corpus corpus;
    sa_buffer lexicon = {0};
    if (options->combine && !options->output.text[CLI_PHARAOH])
        return sa_fail(error, SA_USAGE, "--combine needs --pharaoh");
    if (options->output.linking.at)
        return sa_fail(error, SA_USAGE, "--align-at input is of a model's rows: there is none");
    if (!check_output(&options->output, error) ||
        !cli_pairs_open(&corpus, path, options->columns, error))
        return false;
    size_t count = corpus.count, limit = (size_t)options->limit;
    if (limit && limit < count) count = limit;
    options->output.linking.null_key = true;
    cli_align_output out = {.options = &options->output,
                            .corpus = &corpus,
                            .prints = words_print(options),
                            .subwords = sa_tokenizers[options->tokenizer].subword};
    const bool good =
        begin_output(&out, "align-words", path, count,
                     sa_aligner_rows[options->aligner.model]->title, NULL, error) &&
        (align_words(options, &corpus, count, &out, options->lexicon ? &lexicon : NULL, error) ||
         cli_pairs_fail(path, error)) &&
        (!options->lexicon || cli_save(options->lexicon, &lexicon, error)) &&
        (!options->combine || combine(options, &corpus, count, &out.text[CLI_PHARAOH], error)) &&
        save_output(&out, count, error);
    release_output(&out);
    sa_buffer_release(&lexicon);
    sa_corpus_close(&corpus);
    return good;
}

const cli_command cli_align_words = {
    .name = "align-words",
    .words = "PAIRS",
    .summary = "align words without a network: the ancestors of attention",
    .size = sizeof(words_options),
    .sets = {{"Options", words_rows, 0},
             {"Model", sa_aligner_option_rows, AT(aligner)},
             CLI_ALIGN_OUTPUT_SETS(AT(output))},
    .prints = words_print,
    .run = run_words,
};
