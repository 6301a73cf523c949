#include "cli/pictures.h"
#include "base/number.h"
#include "cli/command.h"
#include "cli/output.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define AT(field) offsetof(cli_pictures, field)

const sa_option cli_pictures_options[] = {
    {"svg", CLI_FOLDER(RUN(folder[CLI_PICTURE_SVG]), SA_LIST(SA_NUMBERED("svg"))),
     "write one picture per pair in the style of Figure 3 of Bahdanau et al. (2015): DIR/0001.svg "
     "...; every head, gold links outlined"},
    {"png", CLI_FOLDER(RUN(folder[CLI_PICTURE_PNG]), SA_LIST(SA_NUMBERED("png"))),
     "the same as PNG: DIR/0001.png ... (needs a build with pangocairo)"},
    {"pdf", CLI_FOLDER(RUN(folder[CLI_PICTURE_PDF]), SA_LIST(SA_NUMBERED("pdf"))),
     "the same as PDF: DIR/0001.pdf ... (needs a build with pangocairo)"},
    {"colormap", SA_CHOICE(RUN(colormap), 0, sa_colormaps),
     "colormap: ink (black is high, as on the page), gray (white is high, as in the paper) or "
     "viridis"},
    {"font", CLI_TEXT(TEXT, RUN(font), NULL, "NAME"), "font of the pictures; default: sans-serif"},
    {"numbers", SA_OPTION_REAL, RUN(numbers), SA_NUMBERS_AUTO, 0.01, 0.99, NULL,
     SA_LIST("auto", "none", "all"), "X",
     "numbers in the cells of pictures: none, all, or of weights of at least X; auto: all of a "
     "matrix of up to 12 words. 0.00 is left out"},
    {"width", SA_INT(RUN(width), 0, 0, 1000, "MM"),
     "width of a picture in millimetres (PNG: at 300 dpi); 0: cells of 5 mm, with numbers of 9"},
    {"together", SA_INT(RUN(together), 1, 1, 100, "N"),
     "pairs in one picture, in a grid; its file has the number of the first"},
    {0},
};

/* ---- Files ----------------------------------------------------------------------------------- */

static const char *const endings[CLI_PICTURE_FORMS] = {
    [CLI_PICTURE_SVG] = "svg", [CLI_PICTURE_PNG] = "png", [CLI_PICTURE_PDF] = "pdf"};

bool cli_pictures_wanted(const cli_pictures *pictures) {
    const char *const *folder = pictures->folder;
    return folder[CLI_PICTURE_SVG] || folder[CLI_PICTURE_PNG] || folder[CLI_PICTURE_PDF];
}

bool cli_pictures_check(const cli_pictures *pictures, sa_error *error) {
    return (!pictures->folder[CLI_PICTURE_PNG] && !pictures->folder[CLI_PICTURE_PDF]) ||
           sa_drawing_can_render(pictures->font, error);
}

static bool flush(const cli_pictures *pictures, cli_canvas *canvas, sa_error *error) {
    const char *missing_glyphs = NULL;
    sa_drawing *drawing = &canvas->drawing;
    bool good = true;
    if (pictures->width) drawing->scale = pictures->width * 96 / 25.4 / drawing->width;
    for (int i = 0; good && i < CLI_PICTURE_FORMS; i++) {
        sa_buffer picture = {0};
        if (!pictures->folder[i]) continue;
        if (i == CLI_PICTURE_SVG)
            sa_drawing_svg(drawing, &picture); /* the viewer brings the fonts */
        else
            good =
                sa_drawing_paint(drawing, i == CLI_PICTURE_PDF, &picture, &missing_glyphs, error);
        good = good &&
               sa_save_numbered(pictures->folder[i], canvas->index, endings[i], &picture, error);
        sa_buffer_release(&picture);
    }
    if (missing_glyphs && !canvas->noted)
        cli_note("note: no font here has all characters of '%s' "
                 "(Debian: fonts-noto-core, fonts-noto-cjk, fonts-noto-color-emoji)",
                 missing_glyphs);
    canvas->noted = canvas->noted || missing_glyphs;
    sa_drawing_release(drawing);
    return good;
}

bool cli_pictures_save(const cli_pictures *pictures, size_t index, const sa_alignment *alignment,
                       sa_figure figure, cli_canvas *canvas, sa_error *error) {
    figure.map = pictures->colormap;
    figure.font = pictures->font;
    figure.numbers = pictures->numbers;
    figure.across = (int)ceil(sqrt(pictures->together));
    if (!canvas->drawing.figures) canvas->index = index;
    return sa_figure_draw(alignment, &figure, &canvas->drawing, error) &&
           (canvas->drawing.figures < pictures->together || flush(pictures, canvas, error));
}

bool cli_pictures_end(const cli_pictures *pictures, size_t first, cli_canvas *canvas,
                      sa_error *error) {
    if (canvas->drawing.figures && !flush(pictures, canvas, error)) return false;
    for (int i = 0; i < CLI_PICTURE_FORMS; i++)
        if (pictures->folder[i])
            cli_note_numbered(pictures->folder[i], endings[i], first, canvas->index + 1);
    return true;
}

/* ---- Terminal -------------------------------------------------------------------------------- */

static bool contains(const char *variable, const char *word) {
    const char *value = getenv(variable);
    return value && strstr(value, word);
}

sa_terminal cli_screen(const cli_pictures *pictures) {
    enum { USUAL = 80 };
    struct winsize size = {0};
    sa_terminal screen = {.map = pictures->colormap};
    if (!isatty(STDOUT_FILENO)) return screen;
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col;
    screen.columns = known ? size.ws_col : USUAL;
    const char *refused = getenv("NO_COLOR");
    if ((refused && *refused) || cli_is_dumb()) return screen;
    if (contains("COLORTERM", "truecolor") || contains("COLORTERM", "24bit") ||
        contains("TERM", "-direct"))
        screen.colors = SA_COLOR_MODE_TRUE;
    else if (contains("TERM", "256color"))
        screen.colors = SA_COLOR_MODE_256;
    return screen;
}

/* ---- --head --------------------------------------------------------------------------------- */

const char *cli_heads_word(size_t i) {
    static const char *const words[] = {"mean", "max", NULL};
    return words[i];
}

bool cli_heads_read(const char *text, int *head, sa_error *error) {
    int64_t number = 0;
    *head = SA_HEADS_ALL;
    if (!text) return true;
    if (strcmp(text, "mean") != 0 && strcmp(text, "max") != 0 &&
        (!sa_integer_parse(text, &number) || number < 0 || number > INT_MAX))
        return sa_fail(error, SA_USAGE, "--head '%s': expected a number, mean or max%s", text,
                       sa_nearest_hint_in(&(sa_nearest){.wanted = text}, cli_heads_word));
    *head = strcmp(text, "max") == 0 ? SA_HEADS_MAX : number ? (int)number : SA_HEADS_MEAN;
    return true;
}

bool cli_heads_select(int head, sa_alignment *alignment, double **owned, sa_error *error) {
    *owned = NULL;
    if (head == SA_HEADS_ALL) return true;
    if (head > alignment->heads)
        return sa_fail(error, SA_USAGE, "--head %d: the model has %d", head, alignment->heads);
    if (head == SA_HEADS_MAX) {
        const size_t size = (size_t)alignment->targets * (size_t)alignment->sources;
        double *most = *owned = sa_new(size, sizeof *most, error);
        for (size_t i = 0; most && i < size; i++)
            most[i] = sa_alignment_weight(alignment, 0, head, i);
        if (!most) return false;
        alignment->weights = most;
    } else if (head > 0) {
        alignment->weights = sa_alignment_weights(alignment, 0, head);
    }
    alignment->heads = alignment->layers = 1;
    return true;
}
