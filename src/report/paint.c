/* paint: paints drawings as PNG and PDF and measures their texts; the only file that includes cairo
 * and pango. */
#include "report/drawing.h"

#ifdef SOFTALIGN_PANGOCAIRO

#include <cairo-pdf.h>
#include <math.h>
#include <pango/pangocairo.h>

bool sa_drawing_can_render(const char *font, sa_error *error) {
    return !font || pango_font_map_get_family(pango_cairo_font_map_get_default(), font) ||
           sa_fail(error, SA_USAGE, "--font '%s': no such font on this machine (fc-list : family)",
                   font);
}

static void set_text(PangoLayout *layout, const char *text, double size, const char *family) {
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family(font, family ? family : "sans-serif");
    pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_text(layout, text, -1);
}

double sa_drawing_text_width(const char *text, const char *font) {
    enum { SIZE = 64 };
    PangoContext *context = pango_font_map_create_context(pango_cairo_font_map_get_default());
    PangoLayout *layout = pango_layout_new(context);
    PangoRectangle extent;
    set_text(layout, text, SIZE, font);
    pango_layout_get_extents(layout, NULL, &extent);
    g_object_unref(layout);
    g_object_unref(context);
    return fmax(sa_drawing_estimate_width(text), (double)extent.width / PANGO_SCALE / SIZE);
}

static void paint_rectangle(cairo_t *canvas, const sa_shape *shape) {
    const sa_box *box = &shape->box;
    cairo_rectangle(canvas, box->x, box->y, box->width, box->height);
    if (shape->kind == SA_SHAPE_FILLED) {
        cairo_fill(canvas);
        return;
    }
    const double dash = 2 * shape->size;
    cairo_set_dash(canvas, &dash, shape->dashed, 0);
    cairo_set_line_width(canvas, shape->size);
    cairo_stroke(canvas);
}

/* Paints a text, scaled down if it is wider than its box; pango chooses direction and fonts. */
static void paint_text(cairo_t *canvas, PangoLayout *layout, const sa_shape *shape,
                       const char *text, const char *font) {
    const sa_box *box = &shape->box;
    const double space = shape->rotated ? box->height : box->width;
    PangoRectangle extent;
    set_text(layout, text, shape->size, font);
    pango_layout_get_extents(layout, NULL, &extent);
    const double length = (double)extent.width / PANGO_SCALE;
    const double scale = length > space ? space / length : 1;
    cairo_save(canvas);
    cairo_translate(canvas, box->x, box->y + (shape->rotated ? box->height : 0));
    if (shape->rotated) cairo_rotate(canvas, -G_PI / 2);
    cairo_translate(canvas, (space - length * scale) * (int)shape->side / 2,
                    sa_drawing_baseline(shape));
    cairo_scale(canvas, scale, scale);
    cairo_move_to(canvas, 0, -(double)pango_layout_get_baseline(layout) / PANGO_SCALE);
    pango_cairo_show_layout(canvas, layout);
    cairo_restore(canvas);
}

/* Creates a layout that ignores the machine's settings for screen fonts. */
static PangoLayout *new_layout(PangoFontMap *fonts, cairo_t *canvas) {
    PangoContext *context = pango_font_map_create_context(fonts);
    PangoLayout *layout = pango_layout_new(context);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(context, options);
    cairo_font_options_destroy(options);
    pango_cairo_update_context(canvas, context);
    g_object_unref(context);
    return layout;
}

static void paint(const sa_drawing *drawing, cairo_surface_t *surface, double scale,
                  const char **missing_glyphs) {
    cairo_t *canvas = cairo_create(surface);
    cairo_scale(canvas, scale, scale);
    PangoFontMap *fonts = pango_cairo_font_map_new();
    PangoLayout *layout = new_layout(fonts, canvas);
    *missing_glyphs = NULL;
    for (size_t i = 0; i < drawing->count; i++) {
        const sa_shape *shape = &drawing->shapes[i];
        cairo_set_source_rgb(canvas, shape->color.red / 255., shape->color.green / 255.,
                             shape->color.blue / 255.);
        if (shape->kind != SA_SHAPE_TEXT) {
            paint_rectangle(canvas, shape);
            continue;
        }
        const char *text = drawing->text_buffer.text + shape->text;
        paint_text(canvas, layout, shape, text, drawing->font);
        if (pango_layout_get_unknown_glyphs_count(layout)) *missing_glyphs = text;
    }
    g_object_unref(layout);
    g_object_unref(fonts);
    cairo_destroy(canvas);
}

static cairo_status_t add_bytes(void *buffer, const unsigned char *bytes, unsigned size) {
    sa_buffer_add(buffer, (const char *)bytes, size);
    return CAIRO_STATUS_SUCCESS;
}

bool sa_drawing_paint(const sa_drawing *drawing, bool pdf, sa_buffer *out,
                      const char **missing_glyphs, sa_error *error) {
    const double unit = pdf                   ? 72
                        : drawing->scale == 1 ? 192
                                              : 300; /* per inch: pixels, or points of a page */
    const double scale = unit / 96 * drawing->scale;
    const double width = scale * drawing->width, height = scale * drawing->height;
    cairo_surface_t *surface =
        pdf ? cairo_pdf_surface_create_for_stream(add_bytes, out, width, height)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    /* so that files are reproducible */
    if (pdf) cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    paint(drawing, surface, scale, missing_glyphs);
    if (pdf) cairo_surface_finish(surface);
    const cairo_status_t status = pdf ? cairo_surface_status(surface)
                                      : cairo_surface_write_to_png_stream(surface, add_bytes, out);
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS)
        return sa_fail(error, SA_LIMIT, "cannot paint a picture: %s",
                       cairo_status_to_string(status));
    return !out->failed || sa_fail_memory(error, out->size);
}

#else

double sa_drawing_text_width(const char *text, const char *font) {
    return sa_drawing_estimate_width(text);
}

bool sa_drawing_can_render(const char *font, sa_error *error) {
    return sa_fail(
        error, SA_USAGE,
        "this softalign was built without pangocairo, which PNG and PDF need: install it "
        "(Debian: libpango1.0-dev) and build again, or write SVG");
}

bool sa_drawing_paint(const sa_drawing *drawing, bool pdf, sa_buffer *out,
                      const char **missing_glyphs, sa_error *error) {
    return sa_drawing_can_render(NULL, error);
}

#endif
