#include "base/number.h"
#include "base/utf8.h"
#include "report/drawing.h"

#include <string.h>

/* Escapes markup and replaces characters that XML forbids. */
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

/* inner: its <animate> element, or "". */
static void add_rectangle(const sa_shape *shape, const char *inner, sa_buffer *out) {
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
    if (*inner)
        sa_buffer_addf(out, ">%s</rect>\n", inner);
    else
        sa_buffer_adds(out, "/>\n");
}

/* In SVG the start of a right-to-left text is on the right. */
static void add_text(const sa_shape *shape, const char *text, const char *inner, bool hidden,
                     sa_buffer *out) {
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
    sa_buffer_adds(out, hidden ? " visibility=\"hidden\">" : ">");
    add_escaped(text, out);
    sa_buffer_addf(out, "%s</text>\n", inner);
}

static void add_head(const sa_drawing *drawing, sa_buffer *out) {
    sa_buffer_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    add_attribute("width", drawing->width, out);
    add_attribute("height", drawing->height, out);
    sa_buffer_adds(out, " viewBox=\"0 0 ");
    sa_number_add(out, drawing->width);
    sa_buffer_adds(out, " ");
    sa_number_add(out, drawing->height);
    sa_buffer_adds(out, "\" font-family=\"sans-serif\" shape-rendering=\"crispEdges\">\n");
}

void sa_drawing_svg(const sa_drawing *drawing, sa_buffer *out) {
    add_head(drawing, out);
    for (size_t i = 0; i < drawing->count; i++) {
        const sa_shape *shape = &drawing->shapes[i];
        if (shape->kind == SA_SHAPE_TEXT)
            add_text(shape, drawing->text_buffer.text + shape->text, "", false, out);
        else
            add_rectangle(shape, "", out);
    }
    sa_buffer_adds(out, "</svg>\n");
    out->failed |= drawing->failed;
}

/* ---- Animations ------------------------------------------------------------------------------ */

static bool same_color(sa_color one, sa_color other) {
    return one.red == other.red && one.green == other.green && one.blue == other.blue;
}

static void begin_change(const sa_animation *animation, const char *attribute, sa_buffer *out) {
    sa_buffer_addf(out, "<animate attributeName=\"%s\" calcMode=\"discrete\" dur=\"", attribute);
    sa_number_add(out, animation->seconds * (double)(animation->count + animation->hold_frames));
    sa_buffer_adds(out, "s\" repeatCount=\"indefinite\" values=\"");
}

/* The last frame is held. */
static size_t frame_at(const sa_animation *animation, size_t i) {
    return i < animation->count ? i : animation->count - 1;
}

static void add_animated_rectangle(const sa_animation *animation, size_t number, sa_buffer *out) {
    const sa_shape *last = &animation->frames[animation->count - 1].shapes[number];
    sa_buffer change = {0};
    bool still = true;
    begin_change(animation, "fill", &change);
    for (size_t i = 0; i < animation->count + animation->hold_frames; i++) {
        const sa_color color = animation->frames[frame_at(animation, i)].shapes[number].color;
        still = still && same_color(color, last->color);
        sa_buffer_addf(&change, "%s#%02x%02x%02x", i ? ";" : "", color.red, color.green,
                       color.blue);
    }
    sa_buffer_adds(&change, "\"/>");
    out->failed |= change.failed;
    add_rectangle(last, still || change.failed ? "" : change.text, out);
    sa_buffer_release(&change);
}

/* A text of the frames [first, end). Without animation only that of the last frame is visible. */
static void add_animated_text(const sa_animation *animation, size_t number, size_t first,
                              size_t end, sa_buffer *out) {
    const sa_drawing *frame = &animation->frames[first];
    sa_buffer change = {0};
    if (end - first < animation->count) {
        begin_change(animation, "visibility", &change);
        for (size_t i = 0; i < animation->count + animation->hold_frames; i++) {
            const size_t at = frame_at(animation, i);
            sa_buffer_addf(&change, "%s%s", i ? ";" : "",
                           at >= first && at < end ? "visible" : "hidden");
        }
        sa_buffer_adds(&change, "\"/>");
    }
    out->failed |= change.failed;
    add_text(&frame->shapes[number], frame->text_buffer.text + frame->shapes[number].text,
             change.size && !change.failed ? change.text : "", end < animation->count, out);
    sa_buffer_release(&change);
}

static const char *letters_of(const sa_drawing *frame, size_t number) {
    return frame->text_buffer.text + frame->shapes[number].text;
}

static void add_texts(const sa_animation *animation, size_t number, sa_buffer *out) {
    for (size_t first = 0, end; first < animation->count; first = end) {
        const char *text = letters_of(&animation->frames[first], number);
        for (end = first + 1; end < animation->count; end++)
            if (strcmp(letters_of(&animation->frames[end], number), text) != 0) break;
        add_animated_text(animation, number, first, end, out);
    }
}

void sa_drawing_svg_animation(const sa_animation *animation, sa_buffer *out) {
    const sa_drawing *last = &animation->frames[animation->count - 1];
    add_head(last, out);
    for (size_t i = 0; i < animation->count; i++) {
        sa_require(animation->frames[i].count == last->count);
        out->failed |= animation->frames[i].failed;
    }
    for (size_t i = 0; i < last->count; i++) {
        if (last->shapes[i].kind == SA_SHAPE_TEXT)
            add_texts(animation, i, out);
        else
            add_animated_rectangle(animation, i, out);
    }
    sa_buffer_adds(out, "</svg>\n");
}
