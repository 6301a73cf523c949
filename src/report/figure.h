/* figure: draws attention weights in the style of Figure 3 of Bahdanau et al. (2015): source words
 * at the top, target words on the left, square cells on a scale from 0 to 1. The columns of a
 * right-to-left source run from right to left. For a model with copying a last column shows p_gen.
 */
#pragma once

#include "base/batch.h"
#include "report/drawing.h"

enum { SA_NUMBERS_AUTO, SA_NUMBERS_NONE, SA_NUMBERS_ALL }; /* AUTO: only in a small matrix */

typedef struct sa_figure {
    const sa_link *gold; /* [golds] links to outline, possible ones dashed; or NULL */
    size_t golds;
    sa_attention_site site; /* names the axes */
    double numbers;         /* in the cells: SA_NUMBERS_..., or the least weight to show */
    const char *font;       /* NULL: sans-serif */
    int layer;              /* whose heads are drawn, from 1; 0: their means over the layers */
    double width;           /* in mm; 0: its own. Numbers that it makes smaller than 5 points are
                               left out */
} sa_figure;

/* What the colors of a matrix stand for. */
typedef struct sa_figure_scale {
    double most;      /* the darkest color: 1 for weights, the largest size of attributions */
    double largest;   /* the largest number, at least 0 */
    bool is_signed;   /* -most has a color of its own */
    const char *unit; /* of attributions; NULL: weights */
} sa_figure_scale;

/* Returns the scale of matrix `panel` (a head or a method, from 0). */
sa_figure_scale sa_figure_scale_of(const sa_alignment *alignment, int panel);

/* Draws the matrix, or the matrices of several heads in a grid. SA_LIMIT: the picture is too large,
 * or memory runs out. The caller releases the drawing with sa_drawing_release, even after a
 * failure. */
bool sa_figure_draw(const sa_alignment *alignment, const sa_figure *figure, sa_drawing *drawing,
                    sa_error *error);
