#include "report/drawing.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

static void add(sa_drawing *drawing, const sa_shape *shape) {
    drawing->failed = drawing->failed || !sa_reserve(&drawing->shapes, &drawing->capacity,
                                                     drawing->count + 1, sizeof *shape, NULL);
    if (!drawing->failed) drawing->shapes[drawing->count++] = *shape;
}

void sa_drawing_fill(sa_drawing *drawing, sa_box box, sa_color color) {
    add(drawing, &(sa_shape){.kind = SA_SHAPE_FILLED, .color = color, .box = box});
}

void sa_drawing_outline(sa_drawing *drawing, sa_box box, double line, bool dashed, sa_color color) {
    add(drawing,
        &(sa_shape){
            .kind = SA_SHAPE_OUTLINE, .color = color, .box = box, .size = line, .dashed = dashed});
}

void sa_drawing_text(sa_drawing *drawing, sa_box box, const char *text, sa_text_style style) {
    add(drawing, &(sa_shape){.kind = SA_SHAPE_TEXT,
                             .color = style.color,
                             .box = box,
                             .size = style.size,
                             .rotated = style.rotated,
                             .side = style.side,
                             .text = drawing->text_buffer.size});
    sa_buffer_add(&drawing->text_buffer, text, strlen(text) + 1);
    drawing->failed |= drawing->text_buffer.failed;
}

/* Widths of grapheme clusters of scripts that are narrower or wider than most. */
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

/* Of wide fonts: DejaVu Sans for Latin, and the usual fonts of other scripts. */
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
    return (across + 0.72 * text->size) / 2; /* cap height 0.72 */
}

void sa_drawing_release(sa_drawing *drawing) {
    free(drawing->shapes);
    sa_buffer_release(&drawing->text_buffer);
    *drawing = (sa_drawing){0};
}
