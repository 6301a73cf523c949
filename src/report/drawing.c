#include "report/drawing.h"
#include "base/number.h"
#include "base/utf8.h"
#include "report/colors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sa_drawing_add(sa_drawing *drawing, const sa_shape *shape, const char *text) {
    drawing->failed = drawing->failed || !sa_reserve(&drawing->shapes, &drawing->capacity,
                                                     drawing->count + 1, sizeof *shape, NULL);
    if (drawing->failed) return;
    drawing->shapes[drawing->count] = *shape;
    drawing->shapes[drawing->count++].text = drawing->text_buffer.size;
    if (text) sa_buffer_add(&drawing->text_buffer, text, strlen(text) + 1);
    drawing->failed = drawing->text_buffer.failed;
}

/* How wide grapheme clusters are in scripts that are narrower or wider than most. */
static const struct {
    uint32_t first, last;
    double length;
} scripts[] = {
    {0x00c0, 0x024f, 0.85},  /* Latin */
    {0x0590, 0x07ff, 0.75},  /* Hebrew, Arabic */
    {0x0900, 0x0b7f, 0.85},  /* Devanagari and its kin */
    {0x0b80, 0x0dff, 1.3},   /* Tamil, Telugu, Kannada, Malayalam, Sinhala: spacing marks */
    {0x0e00, 0x0eff, 0.8},   /* Thai, Lao */
    {0x1000, 0x109f, 1.3},   /* Burmese */
    {0x2e3a, 0x2e3b, 3},     /* two-em and three-em dash */
    {0xfdfd, 0xfdfd, 7.5},   /* a whole sentence */
    {0x11000, 0x11fff, 1.9}, /* Brahmi and its kin */
    {0x12000, 0x1254f, 4},   /* cuneiform */
};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };

/* Returns the width in wide fonts: DejaVu Sans for Latin, common fonts for other scripts. */
static double cluster_length(const char *text, size_t size) {
    size_t length;
    const uint32_t code = sa_utf8_codepoint(text, size, &length);
    const int columns = sa_utf8_width(text, size);
    for (int i = 0; i < SCRIPTS; i++)
        if (code >= scripts[i].first && code <= scripts[i].last) return scripts[i].length;
    if (columns == 0) return 0;
    if (columns > 1) return 1.3;
    if (code >= 0x80) return 1;
    if (strchr(" !'()*,-./:;I[\\]`fijlrt|\"", *text)) return 0.48;
    if (strchr("%@MWmw", *text)) return 1;
    return strchr("#+<=>^_~", *text) || (*text >= 'A' && *text <= 'Z') ? 0.84 : 0.65;
}

double sa_drawing_estimate_width(const char *text) {
    const size_t size = strlen(text);
    double length = 0;
    for (size_t at = 0, next; at < size; at += next) {
        next = sa_utf8_grapheme_size(text + at, size - at);
        length += cluster_length(text + at, next);
    }
    return length;
}

double sa_drawing_baseline(const sa_shape *text) {
    const double across = text->rotated ? text->box.width : text->box.height;
    return (across + 0.72 * text->size) / 2; /* the cap height is 0.72 */
}

void sa_drawing_release(sa_drawing *drawing) {
    free(drawing->shapes);
    sa_buffer_release(&drawing->text_buffer);
    *drawing = (sa_drawing){0};
}

/* ---- SVG ------------------------------------------------------------------------------------- */

/* Escapes markup, and replaces characters that XML forbids. */
static void add_escaped(const char *text, sa_buffer *out) {
    static const struct {
        char letter;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    enum { ENTITIES = sizeof entities / sizeof *entities };
    for (size_t size = strlen(text), length; size; text += length, size -= length) {
        const uint32_t code = sa_utf8_codepoint(text, size, &length);
        size_t i = 0;
        while (i < ENTITIES && *text != entities[i].letter) i++;
        if (i < ENTITIES)
            sa_buffer_adds(out, entities[i].entity);
        else if (code < ' ' || code == 0xfffe || code == 0xffff)
            sa_buffer_adds(out, "\xef\xbf\xbd");
        else
            sa_buffer_add(out, text, length);
    }
}

static void add_attribute(const char *name, double value, sa_buffer *out) {
    sa_buffer_addf(out, " %s=\"", name);
    sa_number_add(out, value);
    sa_buffer_adds(out, "\"");
}

static void add_color(const char *name, sa_color color, sa_buffer *out) {
    sa_buffer_addf(out, " %s=\"#%02x%02x%02x\"", name, color.red, color.green, color.blue);
}

static void add_rectangle(const sa_shape *shape, sa_buffer *out) {
    sa_buffer_adds(out, "<rect");
    add_attribute("x", shape->box.x, out);
    add_attribute("y", shape->box.y, out);
    add_attribute("width", shape->box.width, out);
    add_attribute("height", shape->box.height, out);
    if (shape->kind == SA_SHAPE_FILLED) {
        add_color("fill", shape->color, out);
    } else {
        sa_buffer_adds(out, " fill=\"none\"");
        add_color("stroke", shape->color, out);
        add_attribute("stroke-width", shape->size, out);
    }
    if (shape->dashed) add_attribute("stroke-dasharray", 2 * shape->size, out);
    sa_buffer_adds(out, "/>\n");
}

/* Appends a text. In SVG a right-to-left text starts on the right. */
static void add_text(const sa_shape *shape, const char *text, sa_buffer *out) {
    static const char *const anchors[] = {"start", "middle", "end"};
    const bool rtl = sa_utf8_is_rtl(text, strlen(text));
    const sa_box *box = &shape->box;
    const double along = (shape->rotated ? box->height : box->width) * (int)shape->side / 2;
    const double x = box->x + (shape->rotated ? sa_drawing_baseline(shape) : along);
    const double y = box->y + (shape->rotated ? box->height - along : sa_drawing_baseline(shape));
    sa_buffer_adds(out, "<text");
    add_attribute("x", x, out);
    add_attribute("y", y, out);
    if (shape->rotated) {
        sa_buffer_adds(out, " transform=\"rotate(-90 ");
        sa_number_add(out, x);
        sa_buffer_adds(out, " ");
        sa_number_add(out, y);
        sa_buffer_adds(out, ")\"");
    }
    add_attribute("font-size", shape->size, out);
    sa_buffer_addf(out, " text-anchor=\"%s\"", anchors[rtl ? 2 - shape->side : shape->side]);
    if (rtl) sa_buffer_adds(out, " direction=\"rtl\"");
    add_color("fill", shape->color, out);
    sa_buffer_adds(out, ">");
    add_escaped(text, out);
    sa_buffer_adds(out, "</text>\n");
}

void sa_drawing_svg(const sa_drawing *drawing, sa_buffer *out) {
    sa_buffer_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    add_attribute("width", drawing->width * drawing->scale, out);
    add_attribute("height", drawing->height * drawing->scale, out);
    sa_buffer_adds(out, " viewBox=\"0 0 ");
    sa_number_add(out, drawing->width);
    sa_buffer_adds(out, " ");
    sa_number_add(out, drawing->height);
    sa_buffer_adds(out, drawing->font ? "\" font-family=\"'" : "\" font-family=\"");
    if (drawing->font) add_escaped(drawing->font, out), sa_buffer_adds(out, "', ");
    sa_buffer_adds(out, "sans-serif\" shape-rendering=\"crispEdges\">\n");
    for (size_t i = 0; i < drawing->count; i++) {
        const sa_shape *shape = &drawing->shapes[i];
        if (shape->kind == SA_SHAPE_TEXT)
            add_text(shape, drawing->text_buffer.text + shape->text, out);
        else
            add_rectangle(shape, out);
    }
    sa_buffer_adds(out, "</svg>\n");
    out->failed |= drawing->failed;
}

/* ---- Colors ---------------------------------------------------------------------------------- */

/* The colors of the pages for 1, of numbers with both signs, and for -1. They are far apart for the
 * color-blind, too. */
static const sa_color white = SA_COLOR_NONE, black = SA_COLOR_FULL, purple = SA_COLOR_MORE,
                      green = SA_COLOR_LESS;

static unsigned char mix(int from, int to, double part) {
    return (unsigned char)lround(from + (to - from) * part);
}

sa_color sa_weight_color(double weight, bool is_signed) {
    const sa_color most = weight < 0 ? green : is_signed ? purple : black;
    const double part = fmin(fabs(weight), 1);
    return (sa_color){mix(white.red, most.red, part), mix(white.green, most.green, part),
                      mix(white.blue, most.blue, part)};
}

int sa_weight_palette_index(double weight, bool is_signed) {
    enum { BLACK = 16, GREEN = 29, PURPLE = 54, WHITE = 231, GRAYS = 24, AFTER_LAST = 256 };
    if (weight <= -0.05) return GREEN;
    if (is_signed && weight >= 0.05) return PURPLE;
    const int level = (int)lround(fmin(fmax(weight, 0), 1) * (GRAYS + 1));
    return level == 0 ? WHITE : level > GRAYS ? BLACK : AFTER_LAST - level;
}

bool sa_color_is_light(sa_color color) {
    return 299 * color.red + 587 * color.green + 114 * color.blue >= 1000 * 128;
}
