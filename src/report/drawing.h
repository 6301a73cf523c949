/* drawing: the shapes of a picture and where they lie, before it becomes SVG, PNG or PDF: all three
 * show the same shapes at the same places. Lengths are pixels of 1/96 inch, y grows downwards. */
#ifndef SA_REPORT_DRAWING_H
#define SA_REPORT_DRAWING_H

#include "base/memory.h"
#include "report/colormap.h"

typedef struct sa_box {
    double x, y, width, height;
} sa_box;

typedef enum sa_shape_kind { SA_SHAPE_FILLED, SA_SHAPE_OUTLINE, SA_SHAPE_TEXT } sa_shape_kind;
typedef enum sa_text_anchor { SA_ANCHOR_LEFT, SA_ANCHOR_MIDDLE, SA_ANCHOR_RIGHT } sa_text_anchor;

typedef struct sa_shape {
    sa_shape_kind kind;
    sa_color color;
    sa_box box; /* of a text: the room that is kept for it; of an outline: the middle of its line */
    double size;         /* of a text: that of its font; of an outline: the width of its line */
    bool dashed;         /* an outline */
    bool rotated;        /* a text: turned by a quarter, so that its left is below */
    sa_text_anchor side; /* a text: where in its box it begins or ends, before it is turned */
    size_t letter;       /* a text: where it begins in `letters` */
} sa_shape;

typedef struct sa_drawing {
    double width, height;
    sa_shape *shapes;
    size_t count, capacity;
    sa_buffer text_buffer; /* the texts, each with a terminating zero */
    bool failed;           /* memory ran out */
} sa_drawing;

void sa_drawing_fill(sa_drawing *drawing, sa_box box, sa_color color);
void sa_drawing_outline(sa_drawing *drawing, sa_box box, double line, bool dashed, sa_color color);

/* How a text is set. */
typedef struct sa_text_style {
    double size;
    bool rotated;
    sa_text_anchor side;
    sa_color color;
} sa_text_style;
void sa_drawing_text(sa_drawing *drawing, sa_box box, const char *text, sa_text_style setting);

/* The length of a text in a font of size 1: not known without the font, but hardly ever more than
 * this. */
double sa_drawing_text_width(const char *text);

/* The base line of a text, in the middle of its box: what goes right, and down, of the box's left
 * top corner (of its left bottom corner when turned) before the text begins. */
double sa_drawing_baseline(const sa_shape *text);

void sa_drawing_release(sa_drawing *drawing);

/* An SVG 1.1 document. Text stays text: whatever shows the picture brings fonts. */
void sa_drawing_svg(const sa_drawing *drawing, sa_buffer *out);

/* A film: drawings that differ in the colours of what is filled and in texts, shape by shape. */
typedef struct sa_animation {
    const sa_drawing *frames; /* [count] at least one */
    size_t count;
    size_t hold_frames; /* how many frames longer the last one stays */
    double seconds;     /* of a frame */
} sa_animation;

/* The film as one SVG that plays again and again in every browser; what cannot play shows the last
 * frame. */
void sa_drawing_svg_animation(const sa_animation *animation, sa_buffer *out);

/* Whether the two below are built in; SA_USAGE says how to get them. */
bool sa_drawing_can_render(sa_error *error);

/* PNG at twice the size (192 dots an inch), and PDF, with the fonts of this machine. `lacking`
 * becomes a text of the drawing for which they have not all characters, or NULL; boxes stand for
 * those. */
bool sa_drawing_png(const sa_drawing *drawing, sa_buffer *out, const char **missing_glyphs,
                    sa_error *error);
bool sa_drawing_pdf(const sa_drawing *drawing, sa_buffer *out, const char **missing_glyphs,
                    sa_error *error);

#endif
