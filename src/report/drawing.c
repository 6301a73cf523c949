#include "report/drawing.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

static void add(sa_drawing *drawing, const sa_shape *shape) {
    drawing->failed = drawing->failed || !sa_reserve(&drawing->shapes, &drawing->capacity,
                                                     drawing->count + 1, sizeof *shape, NULL);
    if (!drawing->failed) drawing->shapes[drawing->count++] = *shape;
}

void sa_drawing_fill(sa_drawing *drawing, sa_box box, sa_colour colour) {
    add(drawing, &(sa_shape){.kind = SA_SHAPE_FILLED, .colour = colour, .box = box});
}

void sa_drawing_outline(sa_drawing *drawing, sa_box box, double line, bool dashed,
                        sa_colour colour) {
    add(drawing, &(sa_shape){.kind = SA_SHAPE_OUTLINE,
                             .colour = colour,
                             .box = box,
                             .size = line,
                             .dashed = dashed});
}

void sa_drawing_text(sa_drawing *drawing, sa_box box, const char *text, sa_setting setting) {
    add(drawing, &(sa_shape){.kind = SA_SHAPE_TEXT,
                             .colour = setting.colour,
                             .box = box,
                             .size = setting.size,
                             .upwards = setting.upwards,
                             .side = setting.side,
                             .letter = drawing->letters.size});
    sa_buffer_add(&drawing->letters, text, strlen(text) + 1);
    drawing->failed |= drawing->letters.failed;
}

/* Of wide faces: DejaVu Sans for Latin, and what scripts with their own faces need. */
static double cluster_length(const char *text, size_t size) {
    const int columns = sa_utf8_width(text, size);
    if (columns == 0) return 0;
    if (columns > 1) return 1.3;
    if ((unsigned char)*text >= 0x80) return 1;
    if (strchr(" !'()*,-./:;I[\\]`fijlrt|\"", *text)) return 0.48;
    if (strchr("%@MWmw", *text)) return 1;
    return strchr("#+<=>^_~", *text) || (*text >= 'A' && *text <= 'Z') ? 0.84 : 0.65;
}

double sa_drawing_length(const char *text) {
    const size_t size = strlen(text);
    double length = 0;
    for (size_t at = 0, next; at < size; at += next) {
        next = sa_utf8_cluster(text + at, size - at);
        length += cluster_length(text + at, next);
    }
    return length;
}

double sa_drawing_baseline(const sa_shape *text) {
    const double across = text->upwards ? text->box.width : text->box.height;
    return (across + 0.72 * text->size) / 2; /* capitals are 0.72 high */
}

void sa_drawing_release(sa_drawing *drawing) {
    free(drawing->shapes);
    sa_buffer_release(&drawing->letters);
    *drawing = (sa_drawing){0};
}
