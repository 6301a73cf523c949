/* drawing: the colors of weights, and the shapes of a picture, which becomes SVG, PNG or PDF.
 * Lengths are pixels of 1/96 inch; y points down. */
#pragma once

#include "base/memory.h"

/* ---- Colors ---------------------------------------------------------------------------------- */

typedef struct sa_color {
    unsigned char red, green, blue;
} sa_color;

/* Returns the color of a weight, clamped to -1 .. 1: black for 1, white for 0, green for -1;
 * is_signed: of a number of either sign, as a share of the largest, with purple for 1. */
sa_color sa_weight_color(double weight, bool is_signed);

/* Returns the index of the color in the 256-color palette of a terminal. */
int sa_weight_palette_index(double weight, bool is_signed);

/* Returns whether black contrasts with the color more than white does. */
bool sa_color_is_light(sa_color color);

/* ---- Shapes ---------------------------------------------------------------------------------- */

typedef struct sa_box {
    double x, y, width, height;
} sa_box;

typedef enum sa_shape_kind { SA_SHAPE_FILLED, SA_SHAPE_OUTLINE, SA_SHAPE_TEXT } sa_shape_kind;
typedef enum sa_text_anchor { SA_ANCHOR_LEFT, SA_ANCHOR_MIDDLE, SA_ANCHOR_RIGHT } sa_text_anchor;

typedef struct sa_shape {
    sa_shape_kind kind;
    sa_color color;
    sa_box box;   /* of a text: the space reserved for it; of an outline: the middle of its line */
    double size;  /* of a text: the font size; of an outline: the line width */
    bool dashed;  /* for an outline */
    bool rotated; /* for a text: by 90 degrees, reading upwards */
    sa_text_anchor side; /* for a text: its alignment in the box, before rotation */
    size_t text;         /* for a text: its offset in text_buffer */
} sa_shape;

typedef struct sa_drawing {
    double width, height;
    double scale;     /* factor of all lengths */
    const char *font; /* NULL: sans-serif */
    sa_shape *shapes;
    size_t count, capacity;
    sa_buffer text_buffer; /* the texts, zero-terminated */
    bool failed;           /* memory ran out */
} sa_drawing;

/* Adds a shape; text: the text of a text shape, else NULL. */
void sa_drawing_add(sa_drawing *drawing, const sa_shape *shape, const char *text);

/* Returns the width to reserve for a text at font size 1: an estimate for wide fonts and, with
 * pangocairo, at least what the fonts of this machine need. */
double sa_drawing_text_width(const char *text, const char *font);
double sa_drawing_estimate_width(const char *text);

/* Returns the offset of the baseline of a vertically centered text: below the top edge of its box
 * or, if the text is rotated, to the right of its left edge. */
double sa_drawing_baseline(const sa_shape *text);

void sa_drawing_release(sa_drawing *drawing);

/* Appends an SVG 1.1 document. Text stays text, in the fonts of the viewer. */
void sa_drawing_svg(const sa_drawing *drawing, sa_buffer *out);

/* Fails with SA_USAGE if this build cannot paint, or cannot paint with this font. */
bool sa_drawing_can_render(const char *font, sa_error *error);

/* Appends a PDF, or a PNG at 192 dpi (300 if it is scaled), with the fonts of this machine. Sets
 * *missing_glyphs to a text with characters that the fonts lack and show as boxes, or to NULL. */
bool sa_drawing_paint(const sa_drawing *drawing, bool pdf, sa_buffer *out,
                      const char **missing_glyphs, sa_error *error);
