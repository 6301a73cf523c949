#include "report/figure.h"
#include "base/number.h"
#include "base/utf8.h"
#include "report/colors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MARGIN = 12,      /* around everything, and between the matrices of heads */
    GAP = 6,          /* between a word and its row or column */
    CELL = 20,        /* a cell's side */
    CELL_VALUED = 40, /* a cell's side with its value shown */
    FEW = 12,         /* most words per side for which values are shown */
    FONT = 14,        /* of all texts: readable as it is on a slide of 1920 pixels */
    LARGE_FONT = 18,  /* the largest that rows of CELL hold, for figures that are printed small */
    TITLE = 22,       /* height of the title of a head */
    TITLE_WIDTH = 60,
    AXIS = 18,  /* space for the name of an axis */
    LABEL = 28, /* columns, beyond which a word is truncated */
    WORD = 256, /* bytes of a word */
    SCALE = 12, /* width of the scale */
    SCALE_HEIGHT = 100,
    SCALE_STEPS = 25, /* with one for 0 between two signs */
    SCALE_LABEL = 36,
    SIDE = 16000, /* of a picture; twice as much still fits a PNG surface */
    AREA = 1 << 25,
};

static const sa_color black = {0, 0, 0}, white = {255, 255, 255}, frame = {128, 128, 128},
                      gold = SA_COLOR_GOLD; /* visible on every color of weights */

static void fill(sa_drawing *out, sa_box box, sa_color color) {
    sa_drawing_add(out, &(sa_shape){SA_SHAPE_FILLED, color, box}, NULL);
}

static void outline(sa_drawing *out, sa_box box, double line, bool dashed, sa_color color) {
    sa_drawing_add(out, &(sa_shape){SA_SHAPE_OUTLINE, color, box, line, dashed}, NULL);
}

static void add_text(sa_drawing *out, const char *text, double size, sa_box box,
                     sa_text_anchor side, bool rotated, sa_color color) {
    sa_drawing_add(out, &(sa_shape){SA_SHAPE_TEXT, color, box, size, false, rotated, side}, text);
}

/* The units of attributions; all others are weights from 0 to 1. */
static const struct {
    const char *method, *unit;
} units[] = {{"gradient", "norm of the gradient"},
             {"input-x-gradient", "nats"},
             {"integrated-gradients", "nats"},
             {"occlusion", "nats"},
             {"norms", "norm"},
             {"value-zeroing", "distance"}};

static const char *unit_of(const sa_alignment *alignment, int panel) {
    const char *method = *alignment->method ? alignment->method[panel] : NULL;
    for (size_t i = 0; method && i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].method, method) == 0) return units[i].unit;
    return NULL;
}

sa_figure_scale sa_figure_scale_of(const sa_alignment *alignment, int panel) {
    const double *x = sa_alignment_weights(alignment, 0, alignment->heads > 1 ? panel + 1 : 0);
    sa_figure_scale scale = {.most = 1, .unit = unit_of(alignment, panel)};
    const double least = scale.unit ? 0 : -1e-5; /* weights may be off by rounding */
    if (scale.unit) scale.most = 1e-300;
    for (int i = 0; i < alignment->targets * alignment->sources; i++) {
        if (scale.unit) scale.most = fmax(scale.most, fabs(x[i]));
        scale.largest = fmax(scale.largest, x[i]);
        scale.is_signed |= x[i] < least;
    }
    return scale;
}

typedef struct layout {
    const sa_alignment *alignment;
    const sa_figure *figure;
    int panels, across; /* matrices; in a row of the grid */
    bool upright, rtl;
    bool plain;             /* no numbers */
    double font;            /* of all texts */
    double least;           /* least weight whose number is shown */
    double cell, left, top; /* a cell's side; space for words */
    double gate;            /* from the cells to the column of p_gen and through it; 0: none */
    double width, height; /* of a panel with title and margin; words are at the edges of the grid */
    double title;         /* the widest title's width */
    double bottom;        /* from the cells of the first row to the end of the grid */
} layout;

enum { TITLE_BYTES = 80 };

/* Names one of several matrices. */
static void write_title(const layout *it, int panel, char title[TITLE_BYTES]) {
    const sa_alignment *alignment = it->alignment;
    const char *method = alignment->method[0] ? alignment->method[panel] : NULL;
    const sa_figure_scale scale = sa_figure_scale_of(alignment, panel);
    if (method)
        snprintf(title, TITLE_BYTES, "%s, 1 = %.3g %s", method, scale.most,
                 scale.unit ? scale.unit : "weight");
    else if (alignment->layers > 1 && it->figure->layer)
        snprintf(title, TITLE_BYTES, "layer %d, head %d", it->figure->layer, panel + 1);
    else if (alignment->layers > 1)
        snprintf(title, TITLE_BYTES, "head %d, mean of %d layers", panel + 1, alignment->layers);
    else
        snprintf(title, TITLE_BYTES, "head %d", panel + 1);
}

/* Returns the x of a source word's column. */
static double column_x(const layout *it, int s) {
    return (it->rtl ? it->alignment->sources - 1 - s : s) * it->cell;
}

static double longest(const char *const *words, int count, const layout *it) {
    double most = 0;
    char word[WORD];
    for (int i = 0; i < count; i++) {
        sa_utf8_fit(words[i], LABEL, word, sizeof word);
        most = fmax(most, sa_drawing_text_width(word, it->figure->font));
    }
    return ceil(most * it->font);
}

/* Lays out with the numbers that fit or, `plain`, without any. */
static layout lay_out(const sa_alignment *alignment, const sa_figure *figure, bool plain,
                      double font) {
    const int T = alignment->targets, S = alignment->sources;
    layout it = {.alignment = alignment, .figure = figure, .plain = plain, .font = font};
    it.panels = alignment->heads > 1 ? alignment->heads : 1;
    it.across = (int)ceil(sqrt(it.panels));
    const double numbers = figure->numbers, zero = 0.005; /* less would show as 0.00 */
    const bool few = it.panels == 1 && T <= FEW && S <= FEW,
               shown = !plain && (numbers == SA_NUMBERS_AUTO ? few : numbers != SA_NUMBERS_NONE);
    it.least = !shown ? INFINITY : fmax(zero, numbers < 1 ? numbers : 0);
    it.cell = (few && !plain) || shown ? CELL_VALUED : CELL;
    const double source = longest(alignment->source, S, &it);
    it.upright = source > it.cell - GAP;
    it.rtl = sa_utf8_words_are_rtl(alignment->source, S);
    it.left = longest(alignment->target, T, &it) + GAP;
    it.top = (it.upright ? fmax(source, CELL) : CELL) + GAP + (it.panels > 1 ? TITLE : 0);
    const double gate =
        ceil(fmax(sa_drawing_text_width("p_gen", figure->font) * font, CELL_VALUED));
    it.gate = alignment->generation_probabilities ? GAP + gate : 0;
    for (int panel = 0; it.panels > 1 && panel < it.panels; panel++) {
        char title[TITLE_BYTES];
        write_title(&it, panel, title);
        it.title = fmax(it.title, ceil(sa_drawing_text_width(title, figure->font) * font));
    }
    it.width = fmax(fmax(S * it.cell, it.title) + it.gate + MARGIN, TITLE_WIDTH - it.left);
    it.height = TITLE + T * it.cell + MARGIN;
    it.bottom = (it.panels + it.across - 1) / it.across * it.height - TITLE;
    return it;
}

/* Adds the words above the panels of the first row and left of those of the first column. */
static void add_words(const layout *it, int panel, double x, double y, sa_drawing *out) {
    const sa_alignment *alignment = it->alignment;
    const double space = it->top - GAP - (it->panels > 1 ? TITLE : 0);
    char word[WORD];
    for (int s = 0; panel < it->across && s < alignment->sources; s++) {
        sa_utf8_fit(alignment->source[s], LABEL, word, sizeof word);
        add_text(out, word, it->font,
                 (sa_box){x + column_x(it, s), y - GAP - space, it->cell, space},
                 it->upright ? SA_ANCHOR_LEFT : SA_ANCHOR_MIDDLE, it->upright, black);
    }
    for (int t = 0; panel % it->across == 0 && t < alignment->targets; t++) {
        sa_utf8_fit(alignment->target[t], LABEL, word, sizeof word);
        add_text(out, word, it->font,
                 (sa_box){x - it->left, y + t * it->cell, it->left - GAP, it->cell},
                 SA_ANCHOR_RIGHT, false, black);
    }
}

/* Adds a cell and, in a font that is not 0, its number with at most three digits. */
static void add_cell(const sa_figure_scale *scale, double weight, sa_box cell, double font,
                     sa_drawing *out) {
    const sa_color color = sa_weight_color(weight / scale->most, scale->is_signed);
    sa_buffer value = {0};
    fill(out, cell, color);
    if (font == 0) return;
    sa_number_add_fixed(&value, weight,
                        fabs(weight) < 9.995           ? 2
                        : weight > 0 && weight < 99.95 ? 1
                                                       : 0);
    out->failed |= value.failed;
    if (!value.failed)
        add_text(out, value.text, font, cell, SA_ANCHOR_MIDDLE, false,
                 sa_color_is_light(color) ? black : white);
    sa_buffer_release(&value);
}

/* The scale of a single matrix, or what several have in common: numbers relative to those of their
 * titles. */
static sa_figure_scale common_scale(const layout *it) {
    sa_figure_scale scale = sa_figure_scale_of(it->alignment, 0);
    for (int panel = 1; panel < it->panels; panel++) {
        const sa_figure_scale other = sa_figure_scale_of(it->alignment, panel);
        if (other.unit) scale.unit = "relative", scale.most = 1;
        scale.is_signed |= other.is_signed;
        scale.largest = fmax(scale.largest, other.largest);
    }
    if (scale.unit && it->panels > 1) scale.unit = "relative", scale.most = 1;
    return scale;
}

static void add_cells(const layout *it, int panel, double x, double y, sa_drawing *out) {
    const double *weight = sa_alignment_weights(it->alignment, 0, it->panels > 1 ? panel + 1 : 0);
    sa_figure_scale scale = sa_figure_scale_of(it->alignment, panel);
    const int T = it->alignment->targets, S = it->alignment->sources;
    scale.is_signed = common_scale(it).is_signed;
    for (int t = 0; t < T; t++)
        for (int s = 0; s < S; s++, weight++)
            add_cell(&scale, *weight,
                     (sa_box){x + column_x(it, s), y + t * it->cell, it->cell, it->cell},
                     fabs(*weight) >= it->least ? it->font : 0, out);
    outline(out, (sa_box){x - 0.5, y - 0.5, S * it->cell + 1, T * it->cell + 1}, 1, false, frame);
}

/* Adds the p_gen of each target word in a column after the source words, with its name above the
 * panels of the first row. */
static void add_gate(const layout *it, int panel, double x, double y, sa_drawing *out) {
    const double *gate = it->alignment->generation_probabilities;
    const double left = x + it->alignment->sources * it->cell + GAP, width = it->gate - GAP;
    if (!gate) return;
    if (panel < it->across)
        add_text(out, "p_gen", it->font, (sa_box){left, y - GAP - CELL, width, CELL},
                 SA_ANCHOR_MIDDLE, false, black);
    for (int t = 0; t < it->alignment->targets; t++)
        add_cell(&(sa_figure_scale){.most = 1}, gate[t],
                 (sa_box){left, y + t * it->cell, width, it->cell}, it->plain ? 0 : it->font, out);
}

/* Outlines gold links inside the cells, so that adjacent links stay apart. */
static void add_gold(const layout *it, double x, double y, sa_drawing *out) {
    enum { LINE = 2 };
    for (size_t i = 0; i < it->figure->golds; i++) {
        const sa_link *link = &it->figure->gold[i];
        const sa_box inner = {x + column_x(it, link->source) + LINE,
                              y + link->target * it->cell + LINE, it->cell - 2 * LINE,
                              it->cell - 2 * LINE};
        outline(out, inner, LINE, link->possible, gold);
    }
}

/* Adds the title in the middle of the cells, or from their left edge on where it is wider. */
static void add_head(const layout *it, int panel, double x, double y, sa_drawing *out) {
    const double cells = it->alignment->sources * it->cell;
    char title[TITLE_BYTES];
    write_title(it, panel, title);
    const bool fits = sa_drawing_text_width(title, it->figure->font) * it->font < cells;
    add_text(out, title, it->font, (sa_box){x, y, fits ? cells : it->title, TITLE},
             fits ? SA_ANCHOR_MIDDLE : SA_ANCHOR_LEFT, false, black);
}

static void add_panel(const layout *it, int panel, sa_drawing *out) {
    const int column = panel % it->across, row = panel / it->across;
    const double x = MARGIN + AXIS + it->left + column * it->width;
    const double y = MARGIN + AXIS + row * it->height + it->top;
    add_words(it, panel, x, y, out);
    if (it->panels > 1) add_head(it, panel, x, y - (row ? TITLE : it->top), out);
    add_cells(it, panel, x, y, out);
    add_gold(it, x, y, out);
    add_gate(it, panel, x, y, out);
}

static const char *const axes[][2] = {[SA_SITE_CROSS] = {"source", "target"},
                                      [SA_SITE_ENCODER] = {"source, attended to", "source"},
                                      [SA_SITE_DECODER] = {"target, attended to", "target"},
                                      [SA_SITE_PREFIX] = {"source, then target", "target"}};

static double axis_length(const layout *it, int axis) {
    return ceil(sa_drawing_text_width(axes[it->figure->site][axis], it->figure->font) * it->font);
}

/* Adds the names of the axes, at the cells of a single matrix or once for several. */
static void add_axes(const layout *it, sa_drawing *out) {
    const char *const *name = axes[it->figure->site];
    const double x = MARGIN + AXIS + it->left, y = MARGIN + AXIS + it->top;
    const sa_box above = {x, MARGIN, fmax(it->across * it->width - MARGIN, axis_length(it, 0)),
                          AXIS};
    const sa_box beside = {MARGIN, y, AXIS, fmax(it->bottom - MARGIN, axis_length(it, 1))};
    add_text(out, name[0], it->font, above, SA_ANCHOR_MIDDLE, false, frame);
    add_text(out, name[1], it->font, beside, SA_ANCHOR_MIDDLE, true, frame);
}

static const char *const keys[] = {"gold link", "possible"};

/* Returns the space right of the color scale, for its numbers, its name and the key of outlines. */
static double scale_width(const layout *it) {
    const sa_figure *figure = it->figure;
    const char *unit = unit_of(it->alignment, 0);
    if (it->panels > 1 && *it->alignment->method) unit = "relative";
    const double name = sa_drawing_text_width(unit ? unit : "weight", figure->font),
                 key = figure->golds ? sa_drawing_text_width(*keys, figure->font) : 0;
    return fmax(unit ? 2 * SCALE_LABEL : SCALE_LABEL,
                ceil(it->font * fmax(key, name) - (key > name ? 0 : SCALE + GAP)));
}

/* Adds the color scale, the largest at the top. */
static void add_scale(const layout *it, double x, double y, sa_drawing *out) {
    const sa_figure_scale scale = common_scale(it);
    const double low = scale.is_signed ? -1 : 0, step = (double)SCALE_HEIGHT / SCALE_STEPS;
    char marks[3][16];
    for (int i = 0; i < 3; i++)
        snprintf(marks[i], sizeof marks[i], "%.3g", scale.most * (1 + i * (low - 1) / 2));
    /* Weights may exceed 1 by rounding. */
    if (!scale.unit && scale.largest > 1 + 1e-5) snprintf(marks[0], sizeof marks[0], "≥ 1");
    for (int i = 0; i < SCALE_STEPS; i++)
        fill(out, (sa_box){x, y + i * step, SCALE, step},
             sa_weight_color(1 + (low - 1) * i / (SCALE_STEPS - 1), scale.is_signed));
    outline(out, (sa_box){x - 0.5, y - 0.5, SCALE + 1, SCALE_HEIGHT + 1}, 1, false, frame);
    add_text(out, scale.unit ? scale.unit : "weight", it->font,
             (sa_box){x, y - 1.5 * it->font - 1, SCALE + GAP + scale_width(it), it->font},
             SA_ANCHOR_LEFT, false, black);
    for (int i = 0; i < 3; i++)
        add_text(out, marks[i], it->font,
                 (sa_box){x + SCALE + GAP, y + (i * SCALE_HEIGHT - it->font) / 2, scale_width(it),
                          it->font},
                 SA_ANCHOR_LEFT, false, black);
}

/* Says below the scale what outlines are. */
static void add_key(const layout *it, double x, double y, sa_drawing *out) {
    bool has[2] = {false, false}; /* links; possible ones */
    for (size_t i = 0; i < it->figure->golds; i++) has[it->figure->gold[i].possible] = true;
    for (int possible = 0; possible < 2; possible++) {
        if (!has[possible]) continue;
        y += CELL;
        outline(out, (sa_box){x + 1, y - SCALE, SCALE - 2, SCALE - 2}, 2, possible, gold);
        add_text(out, keys[possible], it->font,
                 (sa_box){x + SCALE + GAP, y - SCALE - 2, scale_width(it), it->font},
                 SA_ANCHOR_LEFT, false, black);
    }
}

/* Returns the width of the figure. */
static double width_of(const layout *it) {
    const double axis = AXIS + it->left + axis_length(it, 0);
    const double scale = MARGIN + AXIS + it->left + it->across * it->width;
    return fmax(scale + SCALE + GAP + scale_width(it) + MARGIN, 2 * MARGIN + axis);
}

/* Whether texts have less than 5 points at the width of the figure in print. */
static bool is_too_small(const layout *it) {
    const double points = it->figure->width * 72 / 25.4;
    return points > 0 && it->font * points < 5 * width_of(it);
}

bool sa_figure_draw(const sa_alignment *alignment, const sa_figure *figure, sa_drawing *out,
                    sa_error *error) {
    layout it = lay_out(alignment, figure, false, FONT);
    for (double font = FONT; is_too_small(&it) && font <= LARGE_FONT; font++)
        it = lay_out(alignment, figure, true, font);
    const double scale = MARGIN + AXIS + it.left + it.across * it.width;
    const double width = width_of(&it), key = figure->golds ? 2 * CELL + GAP : 0;
    const double height = MARGIN + AXIS + it.top + fmax(it.bottom, SCALE_HEIGHT + key + MARGIN);
    *out = (sa_drawing){.width = width, .height = height, .scale = 1, .font = figure->font};
    if (figure->width > 0) out->scale = figure->width * 96 / 25.4 / width;
    if (width > SIDE || height > SIDE || width * height > AREA)
        return sa_fail(error, SA_LIMIT, "a picture of %d rows and %d columns is too large",
                       alignment->targets, alignment->sources);
    fill(out, (sa_box){0, 0, width, height}, white);
    for (int i = 0; i < it.panels; i++) add_panel(&it, i, out);
    add_axes(&it, out);
    add_scale(&it, scale, MARGIN + AXIS + it.top, out);
    add_key(&it, scale, MARGIN + AXIS + it.top + SCALE_HEIGHT + GAP, out);
    return !out->failed || sa_fail_memory(error, out->count * sizeof *out->shapes);
}
