#include "cli/align_output.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "data/corpus.h"
#include "metrics/linking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT(field) SA_SCOPE_RUN, offsetof(cli_align_options, field)

const sa_option cli_align_rows[] = {
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

bool cli_align_add(void *output, size_t index, const sa_alignment *given, sa_error *error) {
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

bool cli_align_prints(const cli_align_options *options) {
    bool wanted = cli_pictures_wanted(&options->pictures);
    for (int i = 0; i < CLI_ALIGN_FOLDERS; i++) wanted = wanted || options->folder[i];
    for (int i = 0; i < CLI_ALIGN_TEXTS; i++) wanted = wanted || options->text[i];
    return options->terminal || !wanted;
}

bool cli_align_check(const cli_align_options *options, sa_error *error) {
    return cli_pictures_check(&options->pictures, error) &&
           sa_page_text_check(&options->page, options->text[CLI_HTML], error) &&
           (!options->spreadsheet || options->text[CLI_TIDY] || options->folder[CLI_CSV] ||
            sa_fail(error, SA_USAGE, "--spreadsheet needs --csv or --tidy")) &&
           (!options->semicolons || options->spreadsheet ||
            sa_fail(error, SA_USAGE, "--semicolons needs --spreadsheet"));
}

bool cli_align_begin(cli_align_output *out, const char *command, const char *pairs, size_t count,
                     const char *model, const sa_settings *settings, sa_error *error) {
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

bool cli_align_save(cli_align_output *out, size_t count, sa_error *error) {
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

void cli_align_release(cli_align_output *out) {
    for (int i = 0; i < CLI_ALIGN_TEXTS; i++) sa_buffer_release(&out->text[i]);
    sa_buffer_release(&out->picture);
    sa_html_report_release(&out->report);
    sa_drawing_release(&out->canvas.drawing);
}
