#include "cli/align_output.h"
#include "data/corpus.h"
#include "metrics/linking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define OUT(field) SA_SCOPE_RUN, offsetof(cli_align_options, field)

const sa_option cli_align_rows[] = {
    {"csv", CLI_FOLDER(OUT(path[CLI_CSV]), SA_LIST(SA_NUMBERED("csv"))),
     "write one heatmap per pair: DIR/0001.csv ...; created if missing"},
    {"npy", CLI_FOLDER(OUT(path[CLI_NPY]), SA_LIST(SA_NUMBERED("npy"))),
     "write one NumPy array per pair: DIR/0001.npy ..., [target, source] or [head, target, "
     "source]"},
    {"tidy", CLI_TEXT(OUTPUT, OUT(path[CLI_TIDY]), NULL, "FILE"),
     "write one long-format table for R and pandas; - is standard output"},
    {"spreadsheet", SA_SWITCH(OUT(spreadsheet)),
     "with --csv or --tidy: a byte order mark, and ' before words that a spreadsheet would take "
     "for formulas"},
    {"semicolons", SA_SWITCH(OUT(semicolons)),
     "with --spreadsheet: separate cells with semicolons and write decimal commas, for locales "
     "that expect them"},
    {"pharaoh", CLI_TEXT(OUTPUT, OUT(path[CLI_PHARAOH]), NULL, "FILE"),
     "write word alignments in Pharaoh format, one line per pair; - is standard output"},
    {"jsonl", CLI_TEXT(OUTPUT, OUT(path[CLI_JSONL]), NULL, "FILE"),
     "write one JSON object per line: tokens, log-probability and attention weights"},
    {"html", CLI_TEXT(OUTPUT, OUT(path[CLI_HTML]), NULL, "FILE"),
     "write an interactive HTML page of the attention weights"},
    {"terminal", SA_SWITCH(OUT(terminal)),
     "print the matrices in color, or as blocks on terminals without color (or with NO_COLOR); "
     "default without other output"},
    {"merge-words", SA_SWITCH(OUT(merge)),
     "merge subwords into words: mean over target subwords, sum over source subwords"},
    {"svg", CLI_FOLDER(OUT(path[CLI_SVG]), SA_LIST(SA_NUMBERED("svg"))),
     "write one picture per pair in the style of Figure 3 of Bahdanau et al. (2015): DIR/0001.svg "
     "...; every head, gold links outlined",
     "Pictures"},
    {"png", CLI_FOLDER(OUT(path[CLI_PNG]), SA_LIST(SA_NUMBERED("png"))),
     "the same as PNG: DIR/0001.png ... (needs a build with pangocairo)"},
    {"pdf", CLI_FOLDER(OUT(path[CLI_PDF]), SA_LIST(SA_NUMBERED("pdf"))),
     "the same as PDF: DIR/0001.pdf ... (needs a build with pangocairo)"},
    {"font", CLI_TEXT(TEXT, OUT(figure.font), NULL, "NAME"),
     "font of the pictures; default: sans-serif"},
    {"numbers", SA_OPTION_REAL, OUT(figure.numbers), SA_NUMBERS_AUTO, 0.01, 0.99, NULL,
     SA_LIST("auto", "none", "all"), "X",
     "numbers in the cells of pictures: none, all, or of weights of at least X; auto: all of a "
     "matrix of up to 12 words. 0.00 is left out, and what --width makes smaller than 5 points"},
    {"width", SA_INT(OUT(width), 0, 0, 1000, "MM"),
     "width of a picture in millimetres (PNG: at 300 dpi); 0: cells of 5 mm, with numbers of 9"},
    {0},
};

/* ---- The outputs ----------------------------------------------------------------------------- */

/* A pair, as the outputs need it. */
typedef struct pair_view {
    sa_tidy facts;             /* the pair, its gold links, and what is shown */
    const sa_alignment *given; /* by the model */
    const sa_alignment *shown; /* of the head that is shown, between words if they are merged */
    const sa_alignment
        *words; /* the same, always between words, whatever the weights are between */
    const sa_alignment *tables; /* all heads and layers, between words if they are merged */
} pair_view;

static void add_csv(cli_align_output *out, const pair_view *pair, sa_buffer *to) {
    const cli_align_options *options = out->options;
    sa_matrix_csv(pair->shown, options->semicolons, to);
    if (options->spreadsheet) sa_csv_for_spreadsheets(to, options->semicolons);
}

static void add_npy(cli_align_output *out, const pair_view *pair, sa_buffer *to) {
    sa_matrix_npy(pair->shown, 0, to);
}

static void add_all_heads(cli_align_output *out, const pair_view *pair, sa_buffer *to) {
    sa_matrix_npy(pair->given, pair->given->layers, to);
}

static void add_labels(cli_align_output *out, const pair_view *pair, sa_buffer *to) {
    const sa_alignment *given = pair->given;
    sa_json_add(json_pack("{s:i, s:i, s:o, s:o}", "layers", given->layers, "heads", given->heads,
                          "rows", sa_json_words(given->target, given->targets), "columns",
                          sa_json_words(given->source, given->sources)),
                JSON_COMPACT, to);
}

static void add_tidy(cli_align_output *out, const pair_view *pair, sa_buffer *to) {
    sa_matrix_tidy(pair->tables, &pair->facts, to);
}

static void add_pharaoh(cli_align_output *out, const pair_view *pair, sa_buffer *to) {
    sa_matrix_pharaoh(pair->words, &out->options->linking, to);
}

static void add_json(cli_align_output *out, const pair_view *pair, sa_buffer *to) {
    const sa_alignment *shown = pair->shown;
    const int T = shown->targets, S = shown->sources, H = shown->heads;
    const double *p_gen = shown->generation_probabilities;
    const bool methods = H > 1 && *shown->method;
    sa_json_add(
        json_pack("{s:I, s:o, s:o, s:o, s:o, s:o*, s:o*, s:o*}", "sentence",
                  (json_int_t)pair->facts.pair->row, "source", sa_json_words(shown->source, S),
                  "target", sa_json_words(shown->target, T), "log_probability",
                  sa_json_number(shown->log_probability), "weights",
                  sa_json_matrix(shown->weights, T, S), "p_gen",
                  p_gen ? sa_json_vector(p_gen, T) : NULL, "heads",
                  H > 1 ? sa_json_matrices(sa_alignment_weights(shown, 0, 1), H, T, S) : NULL,
                  "methods", methods ? sa_json_words(shown->method, H) : NULL),
        JSON_COMPACT, to);
}

static void add_page(cli_align_output *out, const pair_view *pair, sa_buffer *to) {
    const sa_tidy *facts = &pair->facts;
    sa_html_report_matrix(&out->report, facts->pair->row - 1, pair->tables, facts->gold,
                          facts->golds);
}

/* In the order of CLI_CSV ...: the ending of the files that hold one pair each, NULL for a file of
 * all pairs; the function that adds a pair, NULL for pictures; and whether the output has a line
 * for each line of the input. */
static const struct {
    const char *ending;
    void (*add)(cli_align_output *out, const pair_view *pair, sa_buffer *to);
    bool by_line;
} outputs[CLI_ALIGN_OUTPUTS] = {
    [CLI_CSV] = {"csv", add_csv},
    [CLI_NPY] = {"npy", add_npy},
    [CLI_ALL_HEADS] = {"npy", add_all_heads},
    [CLI_ALL_LABELS] = {"json", add_labels},
    [CLI_SVG] = {"svg"},
    [CLI_PNG] = {"png"},
    [CLI_PDF] = {"pdf"},
    [CLI_TIDY] = {NULL, add_tidy},
    [CLI_PHARAOH] = {NULL, add_pharaoh, true},
    [CLI_JSONL] = {NULL, add_json, true},
    [CLI_HTML] = {NULL, add_page},
};

/* Returns the path of an output; NULL: it is not wanted. */
static const char *path_of(const cli_align_options *options, int output) {
    return options->path[output == CLI_ALL_LABELS ? CLI_ALL_HEADS : output];
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Appends the picture of a pair as SVG, whose viewer supplies the fonts, PNG or PDF. */
static bool add_picture(cli_align_output *out, const pair_view *pair, int output, sa_buffer *to,
                        sa_error *error) {
    const cli_align_options *options = out->options;
    sa_figure figure = options->figure;
    figure.gold = pair->facts.gold, figure.golds = pair->facts.golds;
    figure.site = out->site, figure.layer = out->layer;
    figure.width = options->width;
    const char *missing = NULL;
    sa_drawing drawing = {0};
    bool good = sa_figure_draw(pair->shown, &figure, &drawing, error);
    if (good && output == CLI_SVG)
        sa_drawing_svg(&drawing, to);
    else if (good)
        good = sa_drawing_paint(&drawing, output == CLI_PDF, to, &missing, error);
    if (missing && !out->noted)
        cli_note("note: no font here has all characters of '%s' "
                 "(Debian: fonts-noto-core, fonts-noto-cjk, fonts-noto-color-emoji)",
                 missing);
    out->noted = out->noted || missing;
    sa_drawing_release(&drawing);
    return good;
}

/* ---- Terminal -------------------------------------------------------------------------------- */

static bool contains(const char *variable, const char *word) {
    const char *value = getenv(variable);
    return value && strstr(value, word);
}

/* Returns what standard output can do: the window's columns, and colors according to NO_COLOR,
 * COLORTERM and TERM; a file or pipe has neither. */
static sa_terminal screen_of(void) {
    enum { USUAL = 80 };
    struct winsize size = {0};
    sa_terminal screen = {.colors = SA_COLOR_MODE_NONE};
    if (!isatty(STDOUT_FILENO)) return screen;
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col;
    screen.columns = known ? size.ws_col : USUAL;
    const char *refused = getenv("NO_COLOR");
    if ((refused && *refused) || cli_is_dumb()) return screen;
    if (contains("COLORTERM", "truecolor") || contains("COLORTERM", "24bit") ||
        contains("TERM", "-direct"))
        screen.colors = SA_COLOR_MODE_TRUE;
    else if (contains("TERM", "256color"))
        screen.colors = SA_COLOR_MODE_256;
    return screen;
}

/* ---- Heads ----------------------------------------------------------------------------------- */

/* Reduces the alignment to one head; SA_HEADS_ALL keeps all. */
static bool select_head(int head, sa_alignment *alignment, sa_error *error) {
    if (head == SA_HEADS_ALL) return true;
    if (head > alignment->heads)
        return sa_fail(error, SA_USAGE, "--head %d: the model has %d", head, alignment->heads);
    if (head > 0) alignment->weights = sa_alignment_weights(alignment, 0, head);
    alignment->heads = alignment->layers = 1;
    return true;
}

/* ---- Gold links ------------------------------------------------------------------------------ */

/* Compares the links of pair `index` with its gold links; `words` is the alignment between words.
 * SA_DATA: its gold links do not fit. */
static bool score_links(cli_align_output *out, size_t index, const sa_alignment *words,
                        sa_error *error) {
    const sa_link_options *linking = &out->options->linking;
    const sa_corpus *corpus = out->corpus;
    const int T = words->targets, S = words->sources, end = !linking->whole;
    const bool several = *words->method; /* otherwise attention, the mean of its heads */
    sa_link *gold = NULL;
    size_t golds = 0, count;
    bool good =
        sa_links_parse_gold(corpus, &corpus->pairs[index], S - end, T - end, &gold, &golds, error);
    for (int k = 0; good && k < (several ? words->heads : 1); k++) {
        const double *weights = sa_alignment_weights(words, 0, several ? k + 1 : 0);
        sa_link *links = sa_linking_extract(linking, weights, T, S, &count, error);
        out->method[k] = several ? words->method[k] : "weights";
        good = links;
        if (good) sa_aer_add(&out->links[k], links, count, gold, golds);
        free(links);
    }
    free(gold);
    return good;
}

static void note_scores(const cli_align_output *out) {
    char rate[32], precision[32], recall[32];
    for (int k = 0; k < SA_ATTRIBUTIONS && out->method[k]; k++)
        cli_note("%s: AER %s, precision %s, recall %s", out->method[k],
                 cli_number(rate, sa_aer_rate(&out->links[k])),
                 cli_number(precision, sa_aer_precision(&out->links[k])),
                 cli_number(recall, sa_aer_recall(&out->links[k])));
    if (out->gap > 0)
        cli_note(
            "note: integrated-gradients: the scores of a pair miss up to %.2g %% of log p(x) - "
            "log p(0)%s",
            100 * out->gap, out->gap > 0.05 ? "; more --steps come closer" : "");
}

/* ---- One pair -------------------------------------------------------------------------------- */

/* Adds empty lines for input lines without a pair, before pair `next` or after the last pair. */
static void add_skipped(cli_align_output *out, size_t next) {
    for (int i = 0; i < CLI_ALIGN_OUTPUTS; i++)
        if (outputs[i].by_line && out->options->path[i])
            cli_add_skipped(out->corpus, next, &out->text[i]);
}

static bool write_pair(cli_align_output *out, const pair_view *pair, sa_error *error) {
    for (int i = 0; i < CLI_ALIGN_OUTPUTS; i++) {
        const char *path = path_of(out->options, i), *ending = outputs[i].ending;
        sa_buffer one = {0}, *to = ending ? &one : &out->text[i];
        char name[64];
        if (!path) continue;
        if (outputs[i].add) outputs[i].add(out, pair, to);
        snprintf(name, sizeof name, "%04zu.%s", pair->facts.pair->row, ending ? ending : "");
        const bool good = (outputs[i].add || add_picture(out, pair, i, to, error)) &&
                          (!ending || sa_save_text_in(path, name, &one, error));
        sa_buffer_release(&one);
        if (!good) return false;
    }
    if (!out->prints) return true;
    sa_matrix_terminal(pair->shown, &out->screen, &out->printed);
    const bool good = sa_write_text(STDOUT_FILENO, "standard output", &out->printed, error);
    out->printed.size = 0; /* its words are escaped, unlike its colors and direction marks */
    return good;
}

bool cli_align_add(void *output, size_t index, const sa_alignment *given, sa_error *error) {
    cli_align_output *out = output;
    const cli_align_options *options = out->options;
    const sa_pair *pair = &out->corpus->pairs[index];
    const bool tables = options->path[CLI_HTML] || options->path[CLI_TIDY];
    const bool draws = options->path[CLI_SVG] || options->path[CLI_PNG] || options->path[CLI_PDF];
    const bool scored = out->scored && pair->gold, merge = options->merge;
    const bool whole = merge || (out->subwords && (options->path[CLI_PHARAOH] || scored));
    const int end = !options->linking.whole;
    sa_alignment alignment = *given, words = {0}, all = {0};
    const sa_alignment *shown = merge ? &words : &alignment;
    const bool linked = pair->gold && out->site == SA_SITE_CROSS && (merge || !out->subwords);
    sa_link *gold = NULL;
    size_t golds = 0;
    out->gap = fmax(out->gap, given->gap);
    bool good = select_head(out->head, &alignment, error) &&
                (!merge || !tables || sa_alignment_merge(given, &all, error)) &&
                (!whole || sa_alignment_merge(&alignment, &words, error)) &&
                (!scored || score_links(out, index, whole ? &words : &alignment, error)) &&
                (!linked || !(tables || draws) ||
                 sa_links_parse_gold(out->corpus, pair, shown->sources - end, shown->targets - end,
                                     &gold, &golds, error));
    const pair_view view = {{pair, linked, gold, golds, out->layer, out->head,
                             (sa_csv_words)options->spreadsheet + options->semicolons},
                            given,
                            shown,
                            whole ? &words : &alignment,
                            merge ? &all : given};
    if (good) add_skipped(out, index);
    good = good && write_pair(out, &view, error);
    free(gold);
    sa_alignment_release(&all), sa_alignment_release(&words);
    return good;
}

/* ---- All pairs ------------------------------------------------------------------------------- */

bool cli_align_prints(const void *fields) {
    const cli_align_options *options = fields;
    bool wanted = false;
    for (int i = 0; i < CLI_ALIGN_OUTPUTS; i++) wanted = wanted || options->path[i];
    return options->terminal || !wanted;
}

bool cli_align_check(const cli_align_options *options, sa_error *error) {
    const char *const *path = options->path;
    return ((!path[CLI_PNG] && !path[CLI_PDF]) ||
            sa_drawing_can_render(options->figure.font, error)) &&
           sa_page_text_check(&options->page, path[CLI_HTML], error) &&
           (!options->spreadsheet || path[CLI_TIDY] || path[CLI_CSV] ||
            sa_fail(error, SA_USAGE, "--spreadsheet needs --csv or --tidy")) &&
           (!options->semicolons || options->spreadsheet ||
            sa_fail(error, SA_USAGE, "--semicolons needs --spreadsheet"));
}

bool cli_align_begin(cli_align_output *out, const char *command, const char *pairs, size_t count,
                     const char *model, const sa_settings *settings, sa_error *error) {
    const char *title = strcmp(command, "attribute") == 0 ? "Attributions of" : "Attention of";
    const cli_align_options *options = out->options;
    out->screen = screen_of();
    for (int i = 0; i < CLI_ALIGN_OUTPUTS; i++)
        if (outputs[i].ending && options->path[i] && !sa_directory_create(options->path[i], error))
            return false;
    if (!options->path[CLI_HTML]) return true;
    char more[64];
    snprintf(more, sizeof more, " on %zu sentence%s", count, count == 1 ? "" : "s");
    cli_begin_page(&out->report, command, title, model, more, settings);
    sa_html_report_fact_file(&out->report, "pairs", pairs);
    sa_html_report_site(&out->report, out->site);
    return true;
}

/* Notes the files of the pairs `first` to `last`, from 1. */
static void note_numbered(const char *folder, const char *ending, size_t first, size_t last) {
    if (first == last)
        cli_note("wrote %s/%04zu.%s", folder, first, ending);
    else
        cli_note("wrote %s/%04zu.%s to %s/%04zu.%s", folder, first, ending, folder, last, ending);
}

bool cli_align_save(cli_align_output *out, size_t count, sa_error *error) {
    const cli_align_options *options = out->options;
    const size_t first = out->corpus->pairs[0].row, last = out->corpus->pairs[count - 1].row;
    note_scores(out);
    if (count == out->corpus->count) add_skipped(out, count);
    if (options->spreadsheet) sa_csv_for_spreadsheets(&out->text[CLI_TIDY], options->semicolons);
    for (int i = 0; i < CLI_HTML; i++) {
        const char *path = path_of(options, i);
        if (path && outputs[i].ending) note_numbered(path, outputs[i].ending, first, last);
        if (path && !outputs[i].ending && !cli_save(path, &out->text[i], error)) return false;
    }
    if (!options->path[CLI_HTML]) return true;
    return cli_end_page(&out->report, true, &options->page, options->path[CLI_HTML], error);
}

void cli_align_release(cli_align_output *out) {
    for (int i = 0; i < CLI_ALIGN_OUTPUTS; i++) sa_buffer_release(&out->text[i]);
    sa_buffer_release(&out->printed);
    sa_html_report_release(&out->report);
}
