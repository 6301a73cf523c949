/* figure: a matrix of attention weights as a picture for a paper, after Figure 3 of Bahdanau et al.
 * (2015): the words that are looked at across the top, those that look down the side, square cells
 * on a fixed scale of 0 to 1. */
#ifndef SA_REPORT_FIGURE_H
#define SA_REPORT_FIGURE_H

#include "base/links.h"
#include "report/drawing.h"

typedef struct sa_figure {
    int map;             /* of sa_colormaps */
    const sa_link *gold; /* [golds] drawn as outlines, the possible ones dashed; or NULL */
    size_t golds;
    const char *title; /* above it all, or NULL */
    double room;       /* as wide as a title of this length is (sa_drawing_text_width), at least */
    bool hide_values;  /* no values in the cells, however few there are */
} sa_figure;

/* Draws the matrix, or, of several heads, that of each head side by side. In a matrix of few words
 * the cells hold their values. SA_LIMIT: the picture would be too large, or memory runs out. Freed
 * by sa_drawing_release, which after a failure has nothing to do. */
bool sa_figure_draw(const sa_alignment *alignment, const sa_figure *figure, sa_drawing *drawing,
                    sa_error *error);

#endif
