/* picture: a matrix in the terminal (sa_matrix_terminal of matrix.h). */
#include "report/fit.h"
#include "report/matrix.h"
#include "text/utf8.h"

#include <string.h>

enum {
    LABEL = 20, /* columns of a target word before it is cut */
    TALL = 14,  /* characters of a source word before it is cut */
    CELL = 2,   /* columns of a cell: about a square */
};

/* Character number i of a word that is safe to show; its length, 0 behind the end. */
static size_t character(const char *word, int i, const char **start) {
    const size_t size = strlen(word);
    size_t at = 0;
    for (; i > 0 && at < size; i--) at += sa_utf8_cluster(word + at, size - at);
    *start = word + at;
    return at < size ? sa_utf8_cluster(word + at, size - at) : 0;
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

/* The source words upright, standing on the picture. */
static void add_header(const sa_alignment *alignment, int margin, sa_buffer *out) {
    char word[256];
    int tallest = 0;
    for (int s = 0; s < alignment->sources; s++) {
        sa_fit(alignment->source[s], TALL, word, sizeof word);
        const int height = height_of(word);
        if (height > tallest) tallest = height;
    }
    for (int line = 0; line < tallest; line++) {
        spaces(margin, out);
        for (int s = 0; s < alignment->sources; s++) {
            const char *start;
            sa_fit(alignment->source[s], TALL, word, sizeof word);
            const int i = line - (tallest - height_of(word));
            const size_t size = i >= 0 ? character(word, i, &start) : 0;
            if (size) sa_buffer_add(out, start, size);
            spaces(CELL - (size ? sa_utf8_width(start, size) : 0), out);
        }
        sa_buffer_adds(out, "\n");
    }
}

static const char *block(double weight) {
    static const char *const blocks[] = {"··", "░░", "▒▒", "▓▓", "██"};
    static const double least[] = {0.05, 0.25, 0.5, 0.75};
    int level = 0;
    while (level < 4 && weight >= least[level]) level++;
    return blocks[level];
}

void sa_matrix_terminal(const sa_alignment *alignment, sa_buffer *out) {
    char word[256];
    int margin = 0;
    for (int t = 0; t < alignment->targets; t++) {
        const int width = sa_fit(alignment->target[t], LABEL, word, sizeof word);
        if (width > margin) margin = width;
    }
    add_header(alignment, margin + 2, out);
    for (int t = 0; t < alignment->targets; t++) {
        spaces(margin - sa_fit(alignment->target[t], LABEL, word, sizeof word), out);
        sa_buffer_adds(out, word);
        spaces(2, out);
        for (int s = 0; s < alignment->sources; s++)
            sa_buffer_adds(
                out, block(alignment->weights[(size_t)t * (size_t)alignment->sources + (size_t)s]));
        sa_buffer_adds(out, "\n");
    }
    sa_buffer_adds(out, "\n");
}
