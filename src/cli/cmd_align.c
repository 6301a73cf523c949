#include "base/save.h"
#include "cli/command.h"
#include "cli/head_option.h"
#include "cli/model_argument.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "config/settings.h"
#include "data/tokenizer.h"
#include "metrics/linking.h"
#include "report/matrix.h"
#include "report/numbered_files.h"
#include "report/page_text.h"

#include <stdlib.h>
#include <string.h>

/* Outputs in one file for all pairs, and in a file for each. */
enum { TIDY, PHARAOH, SOFT, JSONL, HTML, TEXTS };
enum { CSV, NPY, ALL, FOLDERS };

typedef struct align_options {
    const char *text[TEXTS], *folder[FOLDERS], *force_attention, *site, *heads;
    bool terminal, merge, spreadsheet;
    int layer, head, limit, max_len, threads;
    sa_link_options linking;
    cli_pictures pictures;
    sa_page_text page;
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
    {"csv", SA_OPTION_FOLDER, SA_SCOPE_RUN, AT(folder[CSV]), 0, 0, 0, sa_csv_files, "DIR",
     "write one heatmap per pair: DIR/0001.csv ...; created if missing"},
    {"npy", SA_OPTION_FOLDER, SA_SCOPE_RUN, AT(folder[NPY]), 0, 0, 0, sa_npy_files, "DIR",
     "write one NumPy array per pair: DIR/0001.npy ..., [target, source] or [head, target, "
     "source]"},
    {"tidy", SA_OPTION_OUTPUT, SA_SCOPE_RUN, AT(text[TIDY]), 0, 0, 0, NULL, "FILE",
     "write one long-format table for R and pandas; - is standard output"},
    {"spreadsheet", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(spreadsheet), 0, 0, 1, NULL, NULL,
     "with --tidy: put ' before words that a spreadsheet would take for formulas"},
    {"pharaoh", SA_OPTION_OUTPUT, SA_SCOPE_RUN, AT(text[PHARAOH]), 0, 0, 0, NULL, "FILE",
     "write word alignments in Pharaoh format, one line per pair; - is standard output"},
    {"soft", SA_OPTION_OUTPUT, SA_SCOPE_RUN, AT(text[SOFT]), 0, 0, 0, NULL, "FILE",
     "write soft alignments in Marian's format, one line per pair"},
    {"jsonl", SA_OPTION_OUTPUT, SA_SCOPE_RUN, AT(text[JSONL]), 0, 0, 0, NULL, "FILE",
     "write one JSON object per line: tokens, log-probability and attention weights"},
    {"html", SA_OPTION_OUTPUT, SA_SCOPE_RUN, AT(text[HTML]), 0, 0, 0, NULL, "FILE",
     "write an interactive HTML page of the attention weights"},
    {"terminal", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(terminal), 0, 0, 1, NULL, NULL,
     "print the matrices in color, or as blocks on terminals without color (or with NO_COLOR); "
     "default without other output"},
    {"merge-words", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(merge), 0, 0, 1, NULL, NULL,
     "merge subwords into words: mean over target subwords, sum over source subwords"},
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
    {"all-heads", SA_OPTION_FOLDER, SA_SCOPE_RUN, AT(folder[ALL]), 0, 0, 0, heads_file, "DIR",
     "write all heads of all layers for BertViz and similar tools: DIR/0001.npy ..., [layer, head, "
     "row, column], and DIR/0001.json with the tokens"},
    {"limit", SA_OPTION_INT, SA_SCOPE_RUN, AT(limit), 0, 0, 1000000000, NULL, "N",
     "maximum number of pairs; 0: all"},
    CLI_MAX_LEN(AT(max_len)),
    {"threads", SA_OPTION_INT, SA_SCOPE_RUN, AT(threads), 0, 0, 256, NULL, "N",
     "number of threads; 0: one per core"},
    {0},
};
static const cli_option_set sets[] = {
    {"Options", rows, 0},
    {"Pictures", cli_pictures_options, AT(pictures)},
    {"Page", sa_page_text_options, AT(page)},
    {"Links", sa_linking_options, AT(linking)},
    {0},
};

typedef struct outputs {
    const align_options *options;
    sa_corpus corpus;
    bool subwords; /* the model's tokens are subwords */
    bool noted;    /* missing fonts were noted */
    sa_attention_site site;
    sa_terminal screen;
    sa_buffer text[TEXTS], picture;
    sa_html_report report;
} outputs;

/* ---- Formats --------------------------------------------------------------------------------- */

typedef void add_form(const sa_alignment *alignment, const align_options *options, size_t sentence,
                      sa_buffer *out);

static void add_pharaoh(const sa_alignment *alignment, const align_options *options,
                        size_t sentence, sa_buffer *out) {
    (void)sentence;
    sa_matrix_pharaoh(alignment, &options->linking, out);
}

static void add_soft(const sa_alignment *alignment, const align_options *options, size_t sentence,
                     sa_buffer *out) {
    (void)options, (void)sentence;
    sa_matrix_soft(alignment, out);
}

static void add_json(const sa_alignment *alignment, const align_options *options, size_t sentence,
                     sa_buffer *out) {
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

static add_form *const add_text[TEXTS] = {
    [PHARAOH] = add_pharaoh, [SOFT] = add_soft, [JSONL] = add_json};

static const struct {
    const char *ending;
    void (*add)(const sa_alignment *, sa_buffer *);
} folders[FOLDERS] = {[CSV] = {"csv", sa_matrix_csv},
                      [NPY] = {"npy", sa_matrix_npy},
                      [ALL] = {"npy", sa_matrix_npy_all}};

/* ---- One pair -------------------------------------------------------------------------------- */

static bool is_cross(const align_options *options) {
    return !options->site || strcmp(options->site, "cross") == 0;
}

/* The labels of the arrays of --all-heads. */
static void add_labels(const sa_alignment *alignment, sa_buffer *out) {
    sa_json_add_line(json_pack("{s:i, s:i, s:o, s:o}", "layers", alignment->layers, "heads",
                               alignment->heads, "rows",
                               sa_json_words(alignment->target, alignment->targets), "columns",
                               sa_json_words(alignment->source, alignment->sources)),
                     out);
}

/* Gold links are shown when rows and columns are target and source words. */
static bool shows_gold(const outputs *out, size_t index) {
    const align_options *options = out->options;
    return out->corpus.pairs[index].gold && is_cross(options) && (options->merge || !out->subwords);
}

static bool find_gold(const outputs *out, size_t index, const sa_alignment *alignment,
                      sa_link **gold, size_t *golds, sa_error *error) {
    *gold = NULL;
    *golds = 0;
    return !shows_gold(out, index) ||
           sa_links_parse_gold(&out->corpus, &out->corpus.pairs[index], alignment->sources - 1,
                               alignment->targets - 1, gold, golds, error);
}

/* The page has all heads and layers, the long table those of --head and --layer. */
static void add_tables(outputs *out, size_t index, const sa_alignment *alignment,
                       const sa_link *gold, size_t golds) {
    const align_options *options = out->options;
    const sa_tidy tidy = {.sentence = index + 1,
                          .pair = &out->corpus.pairs[index],
                          .linked = shows_gold(out, index),
                          .gold = gold,
                          .golds = golds,
                          .layer = options->layer,
                          .head = options->head,
                          .spreadsheet = options->spreadsheet};
    if (options->text[HTML]) sa_html_report_matrix(&out->report, index, alignment, gold, golds);
    if (options->text[TIDY]) sa_matrix_tidy(alignment, &tidy, &out->text[TIDY]);
}

static bool show_whole(outputs *out, size_t index, const sa_alignment *whole, sa_error *error) {
    const bool merge = out->options->merge;
    sa_alignment merged;
    sa_link *gold;
    size_t golds;
    if (!out->options->text[HTML] && !out->options->text[TIDY]) return true;
    if (merge && !sa_alignment_merge(whole, &merged, error)) return false;
    const sa_alignment *alignment = merge ? &merged : whole;
    const bool good = find_gold(out, index, alignment, &gold, &golds, error);
    if (good) add_tables(out, index, alignment, gold, golds);
    if (good) free(gold);
    if (merge) sa_alignment_release(&merged);
    return good;
}

static bool draw(outputs *out, size_t index, const sa_alignment *alignment, sa_error *error) {
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

static bool write_outputs(outputs *out, size_t index, const sa_alignment *alignment,
                          const sa_alignment *words, sa_error *error) {
    const align_options *options = out->options;
    for (int i = 0; i < TEXTS; i++)
        if (options->text[i] && add_text[i])
            add_text[i](i == PHARAOH ? words : alignment, options, index + 1, &out->text[i]);
    for (int i = 0; i < ALL; i++)
        if (options->folder[i] && !sa_save_matrix(options->folder[i], index, folders[i].ending,
                                                  folders[i].add, alignment, error))
            return false;
    if (!draw(out, index, alignment, error)) return false;
    if (!options->terminal) return true;
    sa_matrix_terminal(alignment, &out->screen, &out->picture);
    return cli_print_picture(&out->picture, error);
}

/* Links are between words, whatever the weights are between. */
static bool show(outputs *out, size_t index, const sa_alignment *alignment, sa_error *error) {
    const align_options *options = out->options;
    sa_alignment merged;
    if (!options->merge && !(out->subwords && options->text[PHARAOH]))
        return write_outputs(out, index, alignment, alignment, error);
    if (!sa_alignment_merge(alignment, &merged, error)) return false;
    const bool good =
        write_outputs(out, index, options->merge ? &merged : alignment, &merged, error);
    sa_alignment_release(&merged);
    return good;
}

static bool each(void *context, size_t index, const sa_alignment *whole, sa_error *error) {
    outputs *out = context;
    const align_options *options = out->options;
    const char *all = options->folder[ALL];
    sa_alignment alignment = *whole;
    double *owned;
    if (all && (!sa_save_matrix(all, index, folders[ALL].ending, folders[ALL].add, whole, error) ||
                !sa_save_matrix(all, index, "json", add_labels, whole, error)))
        return false;
    if (!cli_heads_select(options->head, &alignment, &owned, error)) return false;
    const bool good = show_whole(out, index, whole, error) && show(out, index, &alignment, error);
    free(owned);
    return good;
}

/* ---- All pairs ------------------------------------------------------------------------------- */

static void open_page(const char *const *words, size_t sentences, sa_model *model, outputs *out) {
    sa_buffer name = {0}, title = {0};
    sa_html_report_add_name(words[0], &name);
    sa_buffer_addf(&title, "Attention of %s on %zu sentence%s", name.failed ? "" : name.text,
                   sentences, sentences == 1 ? "" : "s");
    sa_html_report_init(&out->report, "align", title.failed ? "" : title.text, 1);
    sa_html_report_fact_file(&out->report, "pairs", words[1]);
    sa_html_report_model(&out->report, name.failed ? "" : name.text, sa_model_settings(model));
    out->report.failed |= name.failed || title.failed;
    sa_buffer_release(&name);
    sa_buffer_release(&title);
    sa_html_report_seed(&out->report, sa_model_settings(model)->seed);
}

static bool read_site(const char *name, sa_attention_site *site, sa_error *error) {
    static const sa_option row = {"site", SA_OPTION_CHOICE, SA_SCOPE_RUN, 0,   0, 0,
                                  0,      site_name,        "NAME",       NULL};
    return !name || sa_option_set(&row, site, name, error);
}

static void note_folders(const align_options *options, size_t count) {
    for (int i = 0; i < FOLDERS; i++)
        if (options->folder[i]) cli_note_numbered(options->folder[i], folders[i].ending, 1, count);
    if (options->folder[ALL]) cli_note_numbered(options->folder[ALL], "json", 1, count);
    cli_pictures_note(&options->pictures, 1, count);
}

static bool align(const char *const *words, align_options *options, outputs *out, sa_error *error) {
    if (!cli_pairs_open(&out->corpus, words[1], error)) return false;
    size_t count = out->corpus.count, limit = (size_t)options->limit;
    if (limit && limit < count) count = limit;
    sa_align_options view = {.layer = options->layer};
    sa_model *model = cli_model_open(words[0], options->threads, options->max_len,
                                     options->force_attention, &view.override, error);
    bool good = model && read_site(options->site, &view.site, error);
    options->linking.null_key = model && sa_settings_has_null_key(sa_model_settings(model));
    out->site = view.site;
    out->subwords = model && sa_tokenizers[sa_model_settings(model)->tokenizer].subword;
    for (int i = 0; good && i < FOLDERS; i++)
        good = !options->folder[i] || sa_directory_create(options->folder[i], error);
    for (int i = 0; good && i < CLI_PICTURE_FORMS; i++)
        good =
            !options->pictures.folder[i] || sa_directory_create(options->pictures.folder[i], error);
    if (good && options->text[HTML]) open_page(words, count, model, out);
    good = good && sa_align(model, &view, out->corpus.pairs, count, each, out, error);
    if (good && options->text[HTML]) {
        sa_html_report_site(&out->report, view.site);
        if (is_cross(options) && !view.override.kind)
            good = sa_html_report_translate(&out->report, model, out->corpus.pairs, error);
        good = good && sa_page_text_add(&options->page, &out->report, error);
        if (good) sa_html_report_write(&out->report, &out->text[HTML]);
    }
    if (good) note_folders(options, count);
    for (int i = 0; good && i < TEXTS; i++)
        good = !options->text[i] || cli_save(options->text[i], &out->text[i], error);
    sa_model_close(model);
    sa_corpus_close(&out->corpus);
    return good;
}

static bool check_site(const align_options *options, sa_error *error) {
    return is_cross(options) || !options->text[PHARAOH] ||
           sa_fail(error, SA_USAGE,
                   "--pharaoh: links are between source and target, not within "
                   "the %s (--site cross)",
                   options->site);
}

/* The matrices, if they are wanted or nothing else is. */
static bool prints(const void *fields) {
    const align_options *options = fields;
    bool wanted = cli_pictures_wanted(&options->pictures);
    for (int i = 0; i < FOLDERS; i++) wanted = wanted || options->folder[i];
    for (int i = 0; i < TEXTS; i++) wanted = wanted || options->text[i];
    return options->terminal || !wanted;
}

static bool read_options(int count, char **arguments, align_options *options, const char **words,
                         sa_error *error) {
    sa_options_init(rows, options);
    sa_link_options_init(&options->linking);
    sa_options_init(cli_pictures_options, &options->pictures);
    sa_options_init(sa_page_text_options, &options->page);
    if (!cli_read(&cli_align, count, arguments, options, words, error) ||
        !cli_heads_read(options->heads, &options->head, error) || !check_site(options, error) ||
        !cli_pictures_check(&options->pictures, error) ||
        !sa_page_text_check(&options->page, options->text[HTML], error))
        return false;
    if (options->spreadsheet && !options->text[TIDY])
        return sa_fail(error, SA_USAGE, "--spreadsheet needs --tidy");
    options->terminal = prints(options);
    return true;
}

static bool run(int count, char **arguments, sa_error *error) {
    align_options options;
    const char *words[2];
    if (!read_options(count, arguments, &options, words, error)) return false;
    outputs out = {.options = &options, .screen = cli_screen(&options.pictures)};
    bool good = align(words, &options, &out, error);
    for (int i = 0; i < TEXTS; i++) sa_buffer_release(&out.text[i]);
    sa_buffer_release(&out.picture);
    sa_html_report_release(&out.report);
    return good;
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
        "with </s>; a row sums to 1 (less with a null key or --window local-p). A link 'i-j': "
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
