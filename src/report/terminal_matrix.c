#include "base/number.h"
#include "base/utf8.h"
#include "report/colormap.h"
#include "report/fit_width.h"
#include "report/matrix.h"

#include <string.h>

enum {
    LABEL = 20,      /* columns, beyond which a target word is truncated */
    MAX_HEIGHT = 14, /* characters, beyond which a source word is truncated */
    CELL = 2,        /* columns of a cell: about a square */
    GAP = 2,         /* columns between a target word and its row */
    GATE = 11,       /* columns of " p_gen 0.12" */
};

#define LEFT_TO_RIGHT_MARK "\xe2\x80\x8e"

/* Character i of an escaped word; returns its size, 0 after the end. */
static size_t character(const char *word, int i, const char **start) {
    const size_t size = strlen(word);
    size_t at = 0;
    for (; i > 0 && at < size; i--) at += sa_utf8_grapheme_size(word + at, size - at);
    *start = word + at;
    return at < size ? sa_utf8_grapheme_size(word + at, size - at) : 0;
}

static int height_of(const char *word) {
    const char *start;
    int height = 0;
    while (character(word, height, &start)) height++;
    return height;
}

static void spaces(int count, sa_buffer *out) {
    while (count-- > 0) sa_buffer_adds(out, " ");
}

/* Some columns of the matrix, with all rows. */
typedef struct column_block {
    const sa_alignment *alignment;
    const sa_terminal *terminal;
    int first, end; /* columns */
    int label;      /* most columns of the terminal for a target word */
    int margin;     /* columns of the longest target word */
    bool rtl;       /* the source runs from right to left, and so do the columns */
} column_block;

/* The source word in column i of the block. */
static int word_at(const column_block *it, int i) {
    return it->rtl ? it->end - 1 - i : it->first + i;
}

/* The source words, upright, aligned at the bottom. */
static void add_header(const column_block *it, sa_buffer *out) {
    const char *const *source = it->alignment->source;
    char word[256];
    int tallest = 0;
    for (int s = it->first; s < it->end; s++) {
        sa_fit_width(source[s], MAX_HEIGHT, word, sizeof word);
        const int height = height_of(word);
        if (height > tallest) tallest = height;
    }
    for (int line = 0; line < tallest; line++) {
        spaces(it->margin + GAP, out);
        for (int i = 0; i < it->end - it->first; i++) {
            const char *start;
            sa_fit_width(source[word_at(it, i)], MAX_HEIGHT, word, sizeof word);
            const int letter = line - (tallest - height_of(word));
            const size_t size = letter >= 0 ? character(word, letter, &start) : 0;
            if (size) sa_buffer_add(out, start, size);
            /* So that a terminal does not reorder the letters of adjacent columns. */
            if (size && sa_utf8_is_rtl(start, size)) sa_buffer_adds(out, LEFT_TO_RIGHT_MARK);
            spaces(CELL - (size ? sa_utf8_width(start, size) : 0), out);
        }
        sa_buffer_adds(out, "\n");
    }
}

static const char *block(double weight) {
    static const char *const blocks[] = {"··", "░░", "▒▒", "▓▓", "██"};
    static const double least[] = {0.05, 0.25, 0.5, 0.75};
    int level = 0;
    if (weight <= -least[0]) return "--";
    while (level < 4 && weight >= least[level]) level++;
    return blocks[level];
}

static void add_cell(const sa_terminal *terminal, double weight, sa_buffer *out) {
    const sa_color color = sa_colormap_color(terminal->map, weight);
    if (terminal->colors == SA_COLOR_MODE_NONE)
        sa_buffer_adds(out, block(weight));
    else if (terminal->colors == SA_COLOR_MODE_256)
        sa_buffer_addf(out, "\x1b[48;5;%dm%*s", sa_colormap_palette_index(terminal->map, weight),
                       CELL, "");
    else
        sa_buffer_addf(out, "\x1b[48;2;%d;%d;%dm%*s", color.red, color.green, color.blue, CELL, "");
}

/* ---- The picture ------------------------------------------------------------------------------
 */

static void add_column_block(const column_block *it, sa_buffer *out) {
    const sa_alignment *alignment = it->alignment;
    char word[256];
    add_header(it, out);
    for (int t = 0; t < alignment->targets; t++) {
        const double *weights = alignment->weights + (size_t)t * (size_t)alignment->sources;
        spaces(it->margin - sa_fit_width(alignment->target[t], it->label, word, sizeof word), out);
        sa_buffer_adds(out, word);
        spaces(GAP, out);
        for (int i = 0; i < it->end - it->first; i++)
            add_cell(it->terminal, weights[word_at(it, i)], out);
        if (it->terminal->colors != SA_COLOR_MODE_NONE) sa_buffer_adds(out, "\x1b[0m");
        if (alignment->generation_probabilities) {
            sa_buffer_adds(out, " p_gen ");
            sa_number_add_fixed(out, alignment->generation_probabilities[t], 2);
        }
        sa_buffer_adds(out, "\n");
    }
    sa_buffer_adds(out, "\n");
}

void sa_matrix_terminal(const sa_alignment *alignment, const sa_terminal *terminal,
                        sa_buffer *out) {
    const int columns = terminal->columns, sources = alignment->sources;
    column_block it = {.alignment = alignment,
                       .terminal = terminal,
                       .label = LABEL,
                       .rtl = sa_utf8_words_are_rtl(alignment->source, sources)};
    if (columns && columns / 2 < LABEL) it.label = columns / 2 > GAP ? columns / 2 - GAP : 1;
    char word[256];
    for (int t = 0; t < alignment->targets; t++) {
        const int width = sa_fit_width(alignment->target[t], it.label, word, sizeof word);
        if (width > it.margin) it.margin = width;
    }
    const int gate = alignment->generation_probabilities ? GATE : 0;
    int cells = columns ? (columns - it.margin - GAP - gate) / CELL : sources;
    if (cells < 1) cells = 1;
    for (; it.first < sources; it.first = it.end) {
        it.end = sources - it.first < cells ? sources : it.first + cells;
        add_column_block(&it, out);
    }
}
