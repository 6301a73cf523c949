/* pictures: attention matrices in picture files and on the terminal, and the head that they show.
 */
#pragma once

#include "base/option.h"
#include "report/figure.h"
#include "report/matrix.h"

enum { CLI_PICTURE_SVG, CLI_PICTURE_PNG, CLI_PICTURE_PDF, CLI_PICTURE_FORMS };

typedef struct cli_pictures {
    const char *folder[CLI_PICTURE_FORMS]; /* NULL: not wanted */
    const char *font;
    double numbers;                /* in the cells: as of sa_figure */
    int colormap, width, together; /* width of a figure in mm, or 0; pairs in it */
} cli_pictures;

/* The figure that pairs are added to. */
typedef struct cli_canvas {
    sa_drawing drawing;
    size_t index; /* of its first pair */
    bool noted;   /* missing fonts were noted */
} cli_canvas;

extern const sa_option cli_pictures_options[]; /* of cli_pictures */

bool cli_pictures_wanted(const cli_pictures *pictures);

/* SA_USAGE when this build cannot write the wanted formats. */
bool cli_pictures_check(const cli_pictures *pictures, sa_error *error);

/* Draws pair `index` (from 0), and writes the pictures when they have all pairs that go together:
 * FOLDER/0001.svg ... of the first. The options take the place of the fields of `figure`. Notes
 * missing fonts once. */
bool cli_pictures_save(const cli_pictures *pictures, size_t index, const sa_alignment *alignment,
                       sa_figure figure, cli_canvas *canvas, sa_error *error);

/* Writes what is left and says which pictures there are, from that of pair `first` (from 1) on. */
bool cli_pictures_end(const cli_pictures *pictures, size_t first, cli_canvas *canvas,
                      sa_error *error);

/* The capabilities of standard output: the window's columns, and colors by NO_COLOR, COLORTERM and
 * TERM; a file or pipe has neither. */
sa_terminal cli_screen(const cli_pictures *pictures);

/* The words that --head takes instead of a number. */
const char *cli_heads_word(size_t i);

/* text: a number, "mean" (or 0), "max", or NULL for all heads; *head: SA_HEADS_... or a number. */
bool cli_heads_read(const char *text, int *head, sa_error *error);

/* Reduces the alignment to one head; SA_HEADS_ALL leaves it. *owned (may become NULL) is to be
 * freed after the alignment. */
bool cli_heads_select(int head, sa_alignment *alignment, double **owned, sa_error *error);
