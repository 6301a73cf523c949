#include "base/file.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "report/film.h"

#include <math.h>
#include <stdlib.h>

typedef struct film_options {
    const char *html, *heads;
    int pair, head;
    cli_pictures pictures;
    sa_page_text page;
} film_options;

#define AT(field) offsetof(film_options, field)

static const sa_option rows[] = {
    {"html", CLI_TEXT(OUTPUT, RUN(html), NULL, "FILE"),
     "write an HTML page that plays the frames, with a slider; default without other output: "
     "DIR/film.html"},
    {"png",
     CLI_FOLDER(RUN(pictures.folder[CLI_PICTURE_PNG]), SA_LIST("[0-9]*/" SA_NUMBERED("png"))),
     "write every frame as PNG, all frames of a pair equally large: DIR/0001/0001.png ... (needs a "
     "build with pangocairo)"},
    {"pdf",
     CLI_FOLDER(RUN(pictures.folder[CLI_PICTURE_PDF]), SA_LIST("[0-9]*/" SA_NUMBERED("pdf"))),
     "the same as PDF: DIR/0001/0001.pdf ... (needs a build with pangocairo)"},
    {"pair", SA_INT(RUN(pair), 0, 0, 1000000000, "N"),
     "pair to draw with --png or --pdf, from 1; 0: all"},
    {"head", CLI_TEXT(TEXT, RUN(heads), cli_heads_word, "N"),
     "head to draw: a number, mean or max (elementwise maximum); default: every head"},
    {"colormap", SA_CHOICE(RUN(pictures.colormap), 0, sa_colormaps),
     "colormap: ink (black is high, as on the page), gray (white is high, as in the paper) or "
     "viridis"},
    {0},
};

/* ---- A picture per frame --------------------------------------------------------------------- */

static bool save_frames(const sa_film_pair *pair, size_t index, const film_options *options,
                        cli_canvas *canvas, sa_error *error) {
    const char *const *folder = options->pictures.folder;
    cli_pictures into = {
        .colormap = options->pictures.colormap, .numbers = SA_NUMBERS_NONE, .together = 1};
    char *inner[CLI_PICTURE_FORMS] = {NULL}; /* DIR/0001 */
    sa_figure figure = {0};
    bool good = true;
    for (int i = 0; good && i < CLI_PICTURE_FORMS; i++) {
        if (!folder[i]) continue;
        into.folder[i] = inner[i] = sa_format(error, "%s/%04zu", folder[i], index + 1);
        good = inner[i] && sa_directory_create(folder[i], error) &&
               sa_directory_create(inner[i], error);
    }
    for (size_t i = 0; i < pair->count; i++) /* all are as wide as the longest caption */
        figure.title_width =
            fmax(figure.title_width, sa_drawing_text_width(pair->frames[i].caption, NULL));
    for (size_t i = 0; good && i < pair->count; i++) {
        double *owned;
        sa_alignment alignment = sa_film_frame_alignment(&pair->frames[i]);
        figure.title = pair->frames[i].caption;
        good = cli_heads_select(options->head, &alignment, &owned, error) &&
               cli_pictures_save(&into, i, &alignment, figure, canvas, error);
        free(owned);
    }
    good = good && cli_pictures_end(&into, 1, canvas, error);
    for (int i = 0; i < CLI_PICTURE_FORMS; i++) free(inner[i]);
    return good;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool show(const sa_film *film, const char *folder, const film_options *options,
                 sa_error *error) {
    const size_t pair = (size_t)options->pair;
    sa_html_report page;
    cli_canvas canvas = {0};
    if (!film->count)
        return sa_fail(error, SA_OPEN, "'%s' has no film: 'train --snapshots PAIRS' records one",
                       folder);
    if (pair > film->count)
        return sa_fail(error, SA_USAGE, "--pair %zu: the film has %zu", pair, film->count);
    if (options->html) {
        cli_begin_page(&page, "film", "Attention during the training of", folder, "", NULL);
        if (!cli_end_page(&page, sa_html_report_film(&page, folder, error), &options->page,
                          options->html, error))
            return false;
    }
    for (size_t i = 0; cli_pictures_wanted(&options->pictures) && i < film->count; i++)
        if ((!pair || i == pair - 1) && !save_frames(&film->pairs[i], i, options, &canvas, error))
            return false;
    return true;
}

static bool run(cli_call *call, sa_error *error) {
    film_options *options = call->options;
    const char *folder = call->words[0];
    const bool somewhere = options->html || cli_pictures_wanted(&options->pictures);
    char page[SA_PATH_SIZE];
    sa_film film = {0};
    if (!somewhere) options->html = sa_path_in(page, folder, "film.html");
    const bool good = cli_heads_read(options->heads, &options->head, error) &&
                      cli_pictures_check(&options->pictures, error) &&
                      sa_page_text_check(&options->page, options->html, error) &&
                      sa_film_read(&film, folder, SIZE_MAX, error) &&
                      show(&film, folder, options, error);
    sa_film_release(&film);
    return good;
}

const cli_command cli_film = {
    .name = "film",
    .words = "DIR",
    .summary = "play how the attention developed during training",
    .size = sizeof(film_options),
    .sets = {{"Options", rows, 0}, {"Page", sa_page_text_options, AT(page)}},
    .prints = cli_prints_nothing,
    .run = run,
};
