/* figure: attention weights as a picture in the style of Figure 3 of Bahdanau et al. (2015): source
 * words at the top, target words on the left, square cells on a scale from 0 to 1. The columns of a
 * right-to-left source run from right to left, as the sentence does. Of a model with copying a last
 * column shows p_gen. */
#pragma once

#include "base/batch.h"
#include "report/drawing.h"

typedef struct sa_figure {
    int map;             /* index of sa_colormaps */
    const sa_link *gold; /* [golds] links to outline, possible ones dashed; or NULL */
    size_t golds;
    sa_attention_site site; /* names the axes */
    const char *title;      /* above the matrices, or NULL */
    double title_width;     /* minimum of the picture's width: that of a title of this width at font
                               size 1 */
    bool hide_values;       /* no values in the cells even of a small matrix */
} sa_figure;

/* Draws the matrix, or those of several heads in a grid; cells of a small matrix show their values.
 * SA_LIMIT: the picture is too large, or out of memory. Freed by sa_drawing_release, after a
 * failure already released. */
bool sa_figure_draw(const sa_alignment *alignment, const sa_figure *figure, sa_drawing *drawing,
                    sa_error *error);
