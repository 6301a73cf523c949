#include "report/matrix.h"
#include "base/number.h"
#include "base/utf8.h"
#include "metrics/linking.h"
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>

/* ---- CSV ------------------------------------------------------------------------------------- */

void sa_grid_csv(const sa_grid *grid, sa_buffer *out) {
    const size_t stride = (size_t)(grid->stride ? grid->stride : grid->cols);
    const sa_csv_words words = grid->quoted ? SA_CSV_QUOTED : SA_CSV_ESCAPED;
    for (int j = 0; grid->column && j < grid->cols; j++) {
        if (j || grid->row) sa_buffer_adds(out, ",");
        sa_csv_cell_add(out, grid->column[j], words);
    }
    if (grid->column) sa_buffer_adds(out, "\n");
    for (int i = 0; i < grid->rows; i++) {
        if (grid->row) sa_csv_cell_add(out, grid->row[i], words);
        for (int j = 0; j < grid->cols; j++) {
            if (j || grid->row) sa_buffer_adds(out, ",");
            const double number = grid->numbers[(size_t)i * stride + (size_t)j];
            if (!isnan(number)) (grid->exact ? sa_number_add_exact : sa_number_add)(out, number);
        }
        sa_buffer_adds(out, "\n");
    }
}

void sa_matrix_csv(const sa_alignment *alignment, bool quoted, sa_buffer *out) {
    sa_grid_csv(&(sa_grid){.rows = alignment->targets,
                           .cols = alignment->sources,
                           .numbers = alignment->weights,
                           .row = alignment->target,
                           .column = alignment->source,
                           .quoted = quoted},
                out);
}

void sa_csv_for_spreadsheets(sa_buffer *csv, bool semicolons) {
    sa_buffer out = {.failed = csv->failed};
    bool quoted = false;
    sa_buffer_adds(&out, "\xef\xbb\xbf");
    for (size_t i = 0; i < csv->size; i++) {
        char c = csv->text[i];
        quoted ^= c == '"';
        if (semicolons && !quoted && (c == ',' || c == '.')) c = c == ',' ? ';' : ',';
        sa_buffer_add(&out, &c, 1);
    }
    sa_buffer_release(csv);
    *csv = out;
}

/* ---- The long table -------------------------------------------------------------------------- */

/* Returns number `at` of a head's matrix, or the mean over the heads of a layer. */
static double weight_of(const sa_alignment *alignment, int layer, int head, size_t at) {
    double mean = 0;
    if (head > 0) return sa_alignment_weights(alignment, layer, head)[at];
    for (int k = 1; k <= alignment->heads; k++)
        mean += 1.0 / alignment->heads * sa_alignment_weights(alignment, layer, k)[at];
    return mean;
}

/* Returns a number for each cell: 1 for a sure gold link, 0.5 for a possible one. */
static double *gold_cells(const sa_alignment *alignment, const sa_tidy *tidy) {
    const size_t sources = (size_t)alignment->sources;
    double *cells = sa_new((size_t)alignment->targets * sources, sizeof *cells, NULL);
    for (size_t i = 0; cells && i < tidy->golds; i++) {
        const sa_link *link = &tidy->gold[i];
        double *cell = &cells[(size_t)link->target * sources + (size_t)link->source];
        *cell = fmax(*cell, link->possible ? 0.5 : 1);
    }
    return cells;
}

/* Appends the cells that follow the layer. */
static void add_facts(const sa_alignment *alignment, const sa_tidy *tidy, const double *gold, int t,
                      int s, sa_buffer *out) {
    const size_t cell = (size_t)t * (size_t)alignment->sources + (size_t)s;
    if (tidy->pair->id)
        sa_csv_cell_add(out, tidy->pair->id, tidy->words);
    else
        sa_buffer_addf(out, "%zu", tidy->pair->line);
    sa_buffer_adds(out, ",");
    if (gold) sa_number_add(out, gold[cell]);
    sa_buffer_adds(out, ",");
    if (alignment->token_log_probabilities)
        sa_number_add(out, (double)(float)exp(alignment->token_log_probabilities[t]));
    sa_buffer_addf(out, ",%d,%d", alignment->target_unknown && alignment->target_unknown[t],
                   alignment->source_unknown && alignment->source_unknown[s]);
    if (alignment->generation_probabilities) {
        sa_buffer_adds(out, ",");
        sa_number_add(out, (double)(float)alignment->generation_probabilities[t]);
    }
    sa_buffer_adds(out, "\n");
}

static void add_head(const sa_alignment *alignment, const sa_tidy *tidy, const double *gold,
                     int layer, int head, sa_buffer *out) {
    size_t at = 0;
    for (int t = 0; t < alignment->targets; t++)
        for (int s = 0; s < alignment->sources; s++) {
            sa_buffer_addf(out, "%zu,", tidy->pair->row);
            if (head > 0 && *alignment->method)
                sa_buffer_addf(out, "%s,%d,", alignment->method[head - 1], t);
            else
                sa_buffer_addf(out, "%d,%d,", head, t);
            sa_csv_cell_add(out, alignment->target[t], tidy->words);
            sa_buffer_addf(out, ",%d,", s);
            sa_csv_cell_add(out, alignment->source[s], tidy->words);
            sa_buffer_adds(out, ",");
            sa_number_add(out, weight_of(alignment, layer, head, at++));
            sa_buffer_addf(out, ",%d,", layer);
            add_facts(alignment, tidy, gold, t, s, out);
        }
}

void sa_matrix_tidy(const sa_alignment *alignment, const sa_tidy *tidy, sa_buffer *out) {
    double *gold = tidy->linked ? gold_cells(alignment, tidy) : NULL;
    out->failed |= tidy->linked && !gold;
    if (!out->size)
        sa_buffer_adds(out, "sentence,head,t,target,s,source,weight,layer,id,gold,probability,"
                            "target_unknown,source_unknown"),
            sa_buffer_adds(out, alignment->generation_probabilities ? ",p_gen\n" : "\n");
    for (int layer = 1; layer <= alignment->layers; layer++) {
        if (tidy->layer && layer != tidy->layer) continue;
        const bool all = tidy->head == SA_HEADS_ALL;
        for (int head = all ? 1 : tidy->head; head <= (all ? alignment->heads : tidy->head); head++)
            add_head(alignment, tidy, gold, layer, head, out);
    }
    free(gold);
}

/* ---- Links ----------------------------------------------------------------------------------- */

void sa_matrix_pharaoh(const sa_alignment *alignment, const sa_link_options *linking,
                       sa_buffer *out) {
    size_t count;
    sa_link *links = sa_linking_extract(linking, alignment->weights, alignment->targets,
                                        alignment->sources, &count, NULL);
    for (size_t i = 0; i < count; i++)
        sa_buffer_addf(out, "%s%d-%d", i ? " " : "", links[i].source, links[i].target);
    sa_buffer_adds(out, "\n");
    out->failed |= !links;
    free(links);
}

/* ---- NumPy's format 1.0 ------------------------------------------------------------------------
 * A magic number, the length of a header that describes type and shape as a Python dictionary,
 * padded with spaces to a multiple of 64 bytes, then the numbers. */

void sa_matrix_npy(const sa_alignment *alignment, int layers, sa_buffer *out) {
    enum { PREFIX = 10, ALIGN = 64 };
    const int heads = alignment->heads, rows = alignment->targets, cols = alignment->sources;
    const double *x = sa_alignment_weights(alignment, layers ? 1 : 0, 1);
    const size_t maps = (size_t)(layers ? layers : 1) * (size_t)heads;
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "'<f8' is the order of the memory");
    const size_t begin = out->size;
    sa_buffer_add(out, "\x93NUMPY\x01\x00\x00\x00", PREFIX);
    sa_buffer_adds(out, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    if (layers) sa_buffer_addf(out, "%d, ", layers);
    if (layers || heads > 1) sa_buffer_addf(out, "%d, ", heads);
    sa_buffer_addf(out, "%d, %d), }", rows, cols);
    while ((out->size - begin + 1) % ALIGN && !out->failed) sa_buffer_adds(out, " ");
    sa_buffer_adds(out, "\n");
    if (!out->failed)
        out->text[begin + PREFIX - 2] = (char)(out->size - begin - PREFIX); /* < 256 */
    sa_buffer_add(out, (const char *)x, maps * (size_t)rows * (size_t)cols * sizeof *x);
}

/* ---- On the terminal ------------------------------------------------------------------------- */

enum {
    LABEL = 20, /* columns; a longer word is truncated */
    CELL = 2,   /* columns of a cell: about a square */
    GAP = 2,    /* columns between a target word and its row */
    GATE = 11,  /* columns of " p_gen 0.12" */
};

/* Some columns of the matrix, with all rows. */
typedef struct column_block {
    const sa_alignment *alignment;
    const sa_terminal *terminal;
    int first, end; /* columns */
    int label;      /* most terminal columns of a word */
    int margin;     /* columns of the longest target word */
    bool rtl;       /* the source runs from right to left, and so do the columns */
} column_block;

/* Returns the source word in column i of the block. */
static int word_at(const column_block *it, int i) {
    return it->rtl ? it->end - 1 - i : it->first + i;
}

/* Appends the source words as stairs: each on a line of its own, from its column to the right. */
static void add_header(const column_block *it, sa_buffer *out) {
    char word[256];
    for (int i = 0; i < it->end - it->first; i++) {
        sa_buffer_pad(out, it->margin + GAP);
        for (int k = 0; k < i; k++) sa_buffer_adds(out, "│ ");
        sa_utf8_fit(it->alignment->source[word_at(it, i)], it->label, word, sizeof word);
        sa_buffer_addf(out, "%s\n", word);
    }
}

static const char *block(double weight) {
    static const char *const blocks[] = {"··", "░░", "▒▒", "▓▓", "██"};
    if (weight <= -0.05) return "--";
    return blocks[(weight >= 0.05) + (weight >= 0.25) + (weight >= 0.5) + (weight >= 0.75)];
}

static void add_cell(const sa_terminal *terminal, const sa_figure_scale *scale, double weight,
                     sa_buffer *out) {
    weight /= scale->most;
    const sa_color color = sa_weight_color(weight, scale->is_signed);
    if (terminal->colors == SA_COLOR_MODE_NONE)
        sa_buffer_adds(out, block(weight));
    else if (terminal->colors == SA_COLOR_MODE_256)
        sa_buffer_addf(out, "\x1b[48;5;%dm%*s", sa_weight_palette_index(weight, scale->is_signed),
                       CELL, "");
    else
        sa_buffer_addf(out, "\x1b[48;2;%d;%d;%dm%*s", color.red, color.green, color.blue, CELL, "");
}

/* ---- The picture ----------------------------------------------------------------------------- */

static void add_column_block(const column_block *it, sa_buffer *out) {
    const sa_alignment *alignment = it->alignment;
    const sa_figure_scale scale = sa_figure_scale_of(alignment, 0);
    char word[256];
    add_header(it, out);
    for (int t = 0; t < alignment->targets; t++) {
        const double *weights = alignment->weights + (size_t)t * (size_t)alignment->sources;
        sa_buffer_pad(out,
                      it->margin - sa_utf8_fit(alignment->target[t], it->label, word, sizeof word));
        sa_buffer_addf(out, "%s%*s", word, GAP, "");
        for (int i = 0; i < it->end - it->first; i++)
            add_cell(it->terminal, &scale, weights[word_at(it, i)], out);
        if (it->terminal->colors != SA_COLOR_MODE_NONE) sa_buffer_adds(out, "\x1b[0m");
        if (alignment->generation_probabilities) {
            sa_buffer_adds(out, " p_gen ");
            sa_number_add_fixed(out, alignment->generation_probabilities[t], 2);
        }
        sa_buffer_adds(out, "\n");
    }
    sa_buffer_adds(out, "\n");
}

/* Says below a picture of attributions what its darkest colors stand for. */
static void add_key(const column_block *it, sa_buffer *out) {
    const sa_figure_scale scale = sa_figure_scale_of(it->alignment, 0);
    const char *reset = it->terminal->colors == SA_COLOR_MODE_NONE ? "" : "\x1b[0m";
    for (int sign = scale.is_signed ? -1 : 1; scale.unit && sign <= 1; sign += 2) {
        sa_buffer_pad(out, it->margin + GAP);
        add_cell(it->terminal, &scale, sign * scale.most, out);
        sa_buffer_addf(out, "%s  %.3g %s\n%s", reset, sign * scale.most, scale.unit,
                       sign > 0 ? "\n" : "");
    }
}

/* Returns how many columns the widest of the words takes. */
static int widest(const char *const *words, int count, int label) {
    char word[256];
    int most = 0;
    for (int i = 0; i < count; i++)
        most = (int)fmax(most, sa_utf8_fit(words[i], label, word, sizeof word));
    return most;
}

void sa_matrix_terminal(const sa_alignment *alignment, const sa_terminal *terminal,
                        sa_buffer *out) {
    const int columns = terminal->columns, sources = alignment->sources;
    column_block it = {.alignment = alignment,
                       .terminal = terminal,
                       .label = LABEL,
                       .rtl = sa_utf8_words_are_rtl(alignment->source, sources)};
    if (columns && columns / 2 < LABEL + GAP) it.label = columns / 2 > GAP ? columns / 2 - GAP : 1;
    it.margin = widest(alignment->target, alignment->targets, it.label);
    const int gate = CELL + (alignment->generation_probabilities ? GATE : 0);
    const int last = widest(alignment->source, sources, it.label); /* right of its column's edge */
    int cells =
        columns ? (columns - it.margin - GAP - (last > gate ? last : gate)) / CELL + 1 : sources;
    if (cells < 1) cells = 1;
    for (; it.first < sources; it.first = it.end) {
        it.end = sources - it.first < cells ? sources : it.first + cells;
        add_column_block(&it, out);
    }
    add_key(&it, out);
}
