#include "base/file.h"
#include "base/json.h"
#include "cli/align.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "config/settings.h"
#include "data/links.h"
#include "data/tokenizer.h"
#include "report/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART(field) offsetof(cli_align_options, field)

const sa_option cli_align_output_options[] = {
    {"csv", SA_OPTION_FOLDER, SA_SCOPE_RUN, PART(folder[CLI_CSV]), 0, 0, 0, sa_csv_files, "DIR",
     "write one heatmap per pair: DIR/0001.csv ...; created if missing"},
    {"npy", SA_OPTION_FOLDER, SA_SCOPE_RUN, PART(folder[CLI_NPY]), 0, 0, 0, sa_npy_files, "DIR",
     "write one NumPy array per pair: DIR/0001.npy ..., [target, source] or [head, target, "
     "source]"},
    {"tidy", SA_OPTION_OUTPUT, SA_SCOPE_RUN, PART(text[CLI_TIDY]), 0, 0, 0, NULL, "FILE",
     "write one long-format table for R and pandas; - is standard output"},
    {"spreadsheet", SA_OPTION_SWITCH, SA_SCOPE_RUN, PART(spreadsheet), 0, 0, 1, NULL, NULL,
     "with --tidy: put ' before words that a spreadsheet would take for formulas"},
    {"pharaoh", SA_OPTION_OUTPUT, SA_SCOPE_RUN, PART(text[CLI_PHARAOH]), 0, 0, 0, NULL, "FILE",
     "write word alignments in Pharaoh format, one line per pair; - is standard output"},
    {"soft", SA_OPTION_OUTPUT, SA_SCOPE_RUN, PART(text[CLI_SOFT]), 0, 0, 0, NULL, "FILE",
     "write soft alignments in Marian's format, one line per pair"},
    {"jsonl", SA_OPTION_OUTPUT, SA_SCOPE_RUN, PART(text[CLI_JSONL]), 0, 0, 0, NULL, "FILE",
     "write one JSON object per line: tokens, log-probability and attention weights"},
    {"html", SA_OPTION_OUTPUT, SA_SCOPE_RUN, PART(text[CLI_HTML]), 0, 0, 0, NULL, "FILE",
     "write an interactive HTML page of the attention weights"},
    {"terminal", SA_OPTION_SWITCH, SA_SCOPE_RUN, PART(terminal), 0, 0, 1, NULL, NULL,
     "print the matrices in color, or as blocks on terminals without color (or with NO_COLOR); "
     "default without other output"},
    {"merge-words", SA_OPTION_SWITCH, SA_SCOPE_RUN, PART(merge), 0, 0, 1, NULL, NULL,
     "merge subwords into words: mean over target subwords, sum over source subwords"},
    {0},
};

/* ---- Formats --------------------------------------------------------------------------------- */

typedef void add_form(const sa_alignment *alignment, const cli_align_options *options,
                      size_t sentence, sa_buffer *out);

static void add_pharaoh(const sa_alignment *alignment, const cli_align_options *options,
                        size_t sentence, sa_buffer *out) {
    (void)sentence;
    sa_matrix_pharaoh(alignment, &options->linking, out);
}

static void add_soft(const sa_alignment *alignment, const cli_align_options *options,
                     size_t sentence, sa_buffer *out) {
    (void)options, (void)sentence;
    sa_matrix_soft(alignment, out);
}

static void add_json(const sa_alignment *alignment, const cli_align_options *options,
                     size_t sentence, sa_buffer *out) {
    (void)options;
    const int T = alignment->targets, S = alignment->sources;
    json_t *line = json_pack("{s:I, s:o, s:o, s:o, s:o}", "sentence", (json_int_t)sentence,
                             "source", sa_json_words(alignment->source, S), "target",
                             sa_json_words(alignment->target, T), "log_probability",
                             sa_json_number(alignment->log_probability), "weights",
                             sa_json_matrix(alignment->weights, T, S));
    if (alignment->generation_probabilities)
        json_object_set_new(line, "p_gen", sa_json_vector(alignment->generation_probabilities, T));
    json_t *heads = alignment->heads > 1 ? json_array() : NULL;
    for (int k = 0; heads && k < alignment->heads; k++)
        json_array_append_new(heads,
                              sa_json_matrix(sa_alignment_weights(alignment, 0, k + 1), T, S));
    if (heads) json_object_set_new(line, "heads", heads);
    sa_json_add_line(line, out);
}

static add_form *const add_text[CLI_ALIGN_TEXTS] = {
    [CLI_PHARAOH] = add_pharaoh, [CLI_SOFT] = add_soft, [CLI_JSONL] = add_json};

static const struct {
    const char *ending;
    void (*add)(const sa_alignment *, sa_buffer *);
} folders[CLI_ALIGN_FOLDERS] = {[CLI_CSV] = {"csv", sa_matrix_csv},
                                [CLI_NPY] = {"npy", sa_matrix_npy},
                                [CLI_ALL_HEADS] = {"npy", sa_matrix_npy_all}};

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

static bool find_gold(const cli_align_output *out, size_t index, const sa_alignment *alignment,
                      sa_link **gold, size_t *golds, sa_error *error) {
    *gold = NULL;
    *golds = 0;
    return !shows_gold(out, index) ||
           sa_links_parse_gold(out->corpus, &out->corpus->pairs[index], alignment->sources - 1,
                               alignment->targets - 1, gold, golds, error);
}

/* The page has all heads and layers, the long table those of --head and --layer. */
static void add_tables(cli_align_output *out, size_t index, const sa_alignment *alignment,
                       const sa_link *gold, size_t golds) {
    const cli_align_options *options = out->options;
    const sa_tidy tidy = {.sentence = index + 1,
                          .pair = &out->corpus->pairs[index],
                          .linked = shows_gold(out, index),
                          .gold = gold,
                          .golds = golds,
                          .layer = out->layer,
                          .head = out->head,
                          .spreadsheet = options->spreadsheet};
    if (options->text[CLI_HTML]) sa_html_report_matrix(&out->report, index, alignment, gold, golds);
    if (options->text[CLI_TIDY]) sa_matrix_tidy(alignment, &tidy, &out->text[CLI_TIDY]);
}

static bool show_whole(cli_align_output *out, size_t index, const sa_alignment *whole,
                       sa_error *error) {
    const bool merge = out->options->merge;
    sa_alignment merged;
    sa_link *gold;
    size_t golds;
    if (!out->options->text[CLI_HTML] && !out->options->text[CLI_TIDY]) return true;
    if (merge && !sa_alignment_merge(whole, &merged, error)) return false;
    const sa_alignment *alignment = merge ? &merged : whole;
    const bool good = find_gold(out, index, alignment, &gold, &golds, error);
    if (good) add_tables(out, index, alignment, gold, golds);
    if (good) free(gold);
    if (merge) sa_alignment_release(&merged);
    return good;
}

static bool draw(cli_align_output *out, size_t index, const sa_alignment *alignment,
                 sa_error *error) {
    const cli_pictures *pictures = &out->options->pictures;
    sa_link *gold;
    size_t golds;
    if (!cli_pictures_wanted(pictures)) return true;
    if (!find_gold(out, index, alignment, &gold, &golds, error)) return false;
    const sa_figure figure = {.gold = gold, .golds = golds, .site = out->site};
    const bool good = cli_pictures_save(pictures, index, alignment, &figure, &out->noted, error);
    free(gold);
    return good;
}

static bool write_outputs(cli_align_output *out, size_t index, const sa_alignment *alignment,
                          const sa_alignment *words, sa_error *error) {
    const cli_align_options *options = out->options;
    for (int i = 0; i < CLI_ALIGN_TEXTS; i++)
        if (options->text[i] && add_text[i])
            add_text[i](i == CLI_PHARAOH ? words : alignment, options, index + 1, &out->text[i]);
    for (int i = 0; i < CLI_ALL_HEADS; i++)
        if (options->folder[i] && !sa_save_matrix(options->folder[i], index, folders[i].ending,
                                                  folders[i].add, alignment, error))
            return false;
    if (!draw(out, index, alignment, error)) return false;
    if (!out->prints) return true;
    sa_matrix_terminal(alignment, &out->screen, &out->picture);
    return cli_print_picture(&out->picture, error);
}

/* Links are between words, whatever the weights are between. */
static bool show(cli_align_output *out, size_t index, const sa_alignment *alignment,
                 sa_error *error) {
    const cli_align_options *options = out->options;
    sa_alignment merged;
    if (!options->merge && !(out->subwords && options->text[CLI_PHARAOH]))
        return write_outputs(out, index, alignment, alignment, error);
    if (!sa_alignment_merge(alignment, &merged, error)) return false;
    const bool good =
        write_outputs(out, index, options->merge ? &merged : alignment, &merged, error);
    sa_alignment_release(&merged);
    return good;
}

bool cli_align_output_add(void *output, size_t index, const sa_alignment *whole, sa_error *error) {
    cli_align_output *out = output;
    const cli_align_options *options = out->options;
    const char *all = options->folder[CLI_ALL_HEADS];
    sa_alignment alignment = *whole;
    double *owned;
    if (all && (!sa_save_matrix(all, index, folders[CLI_ALL_HEADS].ending,
                                folders[CLI_ALL_HEADS].add, whole, error) ||
                !sa_save_matrix(all, index, "json", add_labels, whole, error)))
        return false;
    if (!cli_heads_select(out->head, &alignment, &owned, error)) return false;
    const bool good = show_whole(out, index, whole, error) && show(out, index, &alignment, error);
    free(owned);
    return good;
}

/* ---- All pairs ------------------------------------------------------------------------------- */

bool cli_align_prints(const cli_align_options *options) {
    bool wanted = cli_pictures_wanted(&options->pictures);
    for (int i = 0; i < CLI_ALIGN_FOLDERS; i++) wanted = wanted || options->folder[i];
    for (int i = 0; i < CLI_ALIGN_TEXTS; i++) wanted = wanted || options->text[i];
    return options->terminal || !wanted;
}

bool cli_align_options_check(const cli_align_options *options, sa_error *error) {
    if (!cli_pictures_check(&options->pictures, error) ||
        !sa_page_text_check(&options->page, options->text[CLI_HTML], error))
        return false;
    if (options->spreadsheet && !options->text[CLI_TIDY])
        return sa_fail(error, SA_USAGE, "--spreadsheet needs --tidy");
    return true;
}

static void open_page(cli_align_output *out, const char *command, const char *pairs, size_t count,
                      const char *model, const sa_settings *settings) {
    char more[64];
    snprintf(more, sizeof more, " on %zu sentence%s", count, count == 1 ? "" : "s");
    cli_begin_page(&out->report, command, "Attention of", model, more, settings);
    sa_html_report_fact_file(&out->report, "pairs", pairs);
}

bool cli_align_output_open(cli_align_output *out, const char *command, const char *pairs,
                           size_t count, const char *model, const sa_settings *settings,
                           sa_error *error) {
    const cli_align_options *options = out->options;
    bool good = true;
    out->screen = cli_screen(&options->pictures);
    for (int i = 0; good && i < CLI_ALIGN_FOLDERS; i++)
        good = !options->folder[i] || sa_directory_create(options->folder[i], error);
    for (int i = 0; good && i < CLI_PICTURE_FORMS; i++)
        good =
            !options->pictures.folder[i] || sa_directory_create(options->pictures.folder[i], error);
    if (good && options->text[CLI_HTML]) open_page(out, command, pairs, count, model, settings);
    return good;
}

static void note_folders(const cli_align_options *options, size_t count) {
    for (int i = 0; i < CLI_ALIGN_FOLDERS; i++)
        if (options->folder[i]) cli_note_numbered(options->folder[i], folders[i].ending, 1, count);
    if (options->folder[CLI_ALL_HEADS])
        cli_note_numbered(options->folder[CLI_ALL_HEADS], "json", 1, count);
    cli_pictures_note(&options->pictures, 1, count);
}

bool cli_align_output_save(cli_align_output *out, size_t count, sa_error *error) {
    const cli_align_options *options = out->options;
    bool good = true;
    if (options->text[CLI_HTML]) {
        sa_html_report_site(&out->report, out->site);
        good = sa_page_text_add(&options->page, &out->report, error);
        if (good) sa_html_report_write(&out->report, &out->text[CLI_HTML]);
    }
    if (good) note_folders(options, count);
    for (int i = 0; good && i < CLI_ALIGN_TEXTS; i++)
        good = !options->text[i] || cli_save(options->text[i], &out->text[i], error);
    return good;
}

void cli_align_output_release(cli_align_output *out) {
    for (int i = 0; i < CLI_ALIGN_TEXTS; i++) sa_buffer_release(&out->text[i]);
    sa_buffer_release(&out->picture);
    sa_html_report_release(&out->report);
}

/* ---- The command ----------------------------------------------------------------------------- */

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

static bool run(cli_call *call, sa_error *error) {
    align_options *options = call->options;
    return cli_heads_read(options->heads, &options->head, error) && check_site(options, error) &&
           cli_align_options_check(&options->output, error) && align(call->words, options, error);
}

const cli_command cli_align = {
    .name = "align",
    .words = "MODEL PAIRS",
    .least = 2,
    .most = 2,
    .summary = "write the attention weights of given translations",
    .size = sizeof(align_options),
    .sets = sets,
    .prints = prints,
    .run = run,
};
