#include "base/save.h"
#include "cli/command.h"
#include "cli/head_option.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "report/figure.h"
#include "report/film.h"
#include "report/numbered_files.h"
#include "report/page_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct film_options {
    const char *svg, *html, *heads;
    bool terminal;
    int pair, head;
    double speed;
    cli_pictures pictures;
    sa_page_text page;
} film_options;

#define AT(field) offsetof(film_options, field)

static const char *png_frame(size_t i) {
    static const char *const names[] = {"[0-9]*/" SA_NUMBERED("png"), NULL};
    return names[i];
}

static const char *pdf_frame(size_t i) {
    static const char *const names[] = {"[0-9]*/" SA_NUMBERED("pdf"), NULL};
    return names[i];
}

static const sa_option rows[] = {
    {"svg", SA_OPTION_FOLDER, SA_SCOPE_RUN, AT(svg), 0, 0, 0, sa_svg_files, "DIR",
     "write one animated SVG per pair: DIR/0001.svg ..."},
    {"html", SA_OPTION_OUTPUT, SA_SCOPE_RUN, AT(html), 0, 0, 0, NULL, "FILE",
     "write an HTML page that plays the frames, with a slider"},
    {"png", SA_OPTION_FOLDER, SA_SCOPE_RUN, AT(pictures.folder[CLI_PICTURE_PNG]), 0, 0, 0,
     png_frame, "DIR",
     "write every frame as PNG, all frames of a pair equally large: DIR/0001/0001.png ... (needs a "
     "build with pangocairo)"},
    {"pdf", SA_OPTION_FOLDER, SA_SCOPE_RUN, AT(pictures.folder[CLI_PICTURE_PDF]), 0, 0, 0,
     pdf_frame, "DIR", "the same as PDF: DIR/0001/0001.pdf ... (needs a build with pangocairo)"},
    {"terminal", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(terminal), 0, 0, 1, NULL, NULL,
     "play on the terminal; default without other output"},
    {"pair", SA_OPTION_INT, SA_SCOPE_RUN, AT(pair), 0, 0, 1000000000, NULL, "N",
     "pair to show, from 1; 0: all"},
    {"head", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(heads), 0, 0, 0, cli_heads_word, "N",
     "head to show: a number, mean or max (elementwise maximum); default: mean on the terminal, "
     "every head in pictures"},
    {"speed", SA_OPTION_REAL, SA_SCOPE_RUN, AT(speed), 4, 0.1, 60, NULL, "N", "frames per second"},
    {"colormap", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(pictures.colormap), 0, 0, 0, sa_colormap_name,
     "NAME",
     "colormap: ink (black is high, as on the page), gray (white is high, as in the paper) or "
     "viridis"},
    {0},
};
static const cli_option_set sets[] = {
    {"Options", rows, 0}, {"Page", sa_page_text_options, AT(page)}, {0}};

enum { HOLD = 8 }; /* additional frames that the last one is held for */

/* ---- Animated SVG ---------------------------------------------------------------------------- */

/* All frames are as wide as the longest caption. */
static sa_figure figure_of(const sa_film_pair *pair, const film_options *options) {
    sa_figure figure = {.map = options->pictures.colormap, .hide_values = true};
    for (size_t i = 0; i < pair->count; i++)
        figure.title_width =
            fmax(figure.title_width, sa_drawing_text_width(pair->frames[i].caption));
    return figure;
}

static bool draw_frames(const sa_film_pair *pair, const film_options *options, sa_drawing *drawings,
                        sa_error *error) {
    sa_figure figure = figure_of(pair, options);
    bool good = true;
    for (size_t i = 0; good && i < pair->count; i++) {
        double *owned;
        sa_alignment alignment = sa_film_frame_alignment(&pair->frames[i]);
        figure.title = pair->frames[i].caption;
        good = cli_heads_select(options->head, &alignment, &owned, error) &&
               sa_figure_draw(&alignment, &figure, &drawings[i], error);
        free(owned);
    }
    return good;
}

static bool save_scene(const sa_film_pair *pair, size_t index, const film_options *options,
                       sa_error *error) {
    sa_drawing *drawings = sa_new(pair->count, sizeof *drawings, error);
    sa_buffer picture = {0};
    bool good = drawings && draw_frames(pair, options, drawings, error);
    if (good) {
        sa_drawing_svg_animation(&(sa_animation){drawings, pair->count, HOLD, 1 / options->speed},
                                 &picture);
        good = sa_save_numbered(options->svg, index, "svg", &picture, error);
    }
    for (size_t i = 0; drawings && i < pair->count; i++) sa_drawing_release(&drawings[i]);
    free(drawings);
    return good;
}

/* ---- A picture per frame --------------------------------------------------------------------- */

/* Creates the folders of a pair, DIR/0001; their names are to be freed. */
static bool make_folders(const film_options *options, size_t index, char **folders,
                         cli_pictures *into, sa_error *error) {
    char name[32];
    snprintf(name, sizeof name, "%04zu", index + 1);
    for (int i = 0; i < CLI_PICTURE_FORMS; i++) {
        const char *folder = options->pictures.folder[i];
        if (!folder) continue;
        into->folder[i] = folders[i] = sa_path_join(folder, name, error);
        if (!folders[i] || !sa_directory_create(folder, error) ||
            !sa_directory_create(folders[i], error))
            return false;
    }
    return true;
}

static bool save_frames(const sa_film_pair *pair, size_t index, const film_options *options,
                        bool *noted, sa_error *error) {
    cli_pictures into = {.colormap = options->pictures.colormap};
    char *folders[CLI_PICTURE_FORMS] = {NULL};
    sa_figure figure = figure_of(pair, options);
    bool good = make_folders(options, index, folders, &into, error);
    for (size_t i = 0; good && i < pair->count; i++) {
        double *owned;
        sa_alignment alignment = sa_film_frame_alignment(&pair->frames[i]);
        figure.title = pair->frames[i].caption;
        good = cli_heads_select(options->head, &alignment, &owned, error) &&
               cli_pictures_save(&into, i, &alignment, &figure, noted, error);
        free(owned);
    }
    if (good) cli_pictures_note(&into, 1, pair->count);
    for (int i = 0; i < CLI_PICTURE_FORMS; i++) free(folders[i]);
    return good;
}

/* ---- Terminal -------------------------------------------------------------------------------- */

static void wait_for_next(double speed) {
    const double seconds = 1 / speed;
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    nanosleep(&time, NULL);
}

static bool play(const sa_film_pair *pair, const film_options *options, sa_error *error) {
    const sa_terminal screen = cli_screen(&options->pictures);
    const bool live = isatty(STDOUT_FILENO);
    sa_buffer out = {0};
    bool good = true;
    for (size_t i = 0, lines = 0; good && i < pair->count; i++) {
        double *owned;
        sa_alignment alignment = sa_film_frame_alignment(&pair->frames[i]);
        good = cli_heads_select(options->head, &alignment, &owned, error);
        if (!good) break;
        if (live && lines) sa_buffer_addf(&out, "\x1b[%zuA\x1b[J", lines);
        const size_t begin = out.size;
        sa_buffer_addf(&out, "%s\n\n", pair->frames[i].caption);
        sa_matrix_terminal(&alignment, &screen, &out);
        free(owned);
        lines = 0;
        for (size_t k = begin; !out.failed && k < out.size; k++) lines += out.text[k] == '\n';
        good = cli_print_picture(&out, error);
        if (good && live && i + 1 < pair->count) wait_for_next(options->speed);
    }
    sa_buffer_release(&out);
    return good;
}

/* ---- HTML ------------------------------------------------------------------------------------ */

static bool save_page(const char *folder, const film_options *options, sa_error *error) {
    sa_html_report report;
    sa_buffer out = {0};
    sa_buffer name = {0}, title = {0};
    sa_html_report_add_name(folder, &name);
    sa_buffer_addf(&title, "Attention during the training of %s", name.failed ? "" : name.text);
    sa_html_report_init(&report, "film", title.failed ? "" : title.text, 1);
    sa_html_report_model(&report, name.failed ? "" : name.text, NULL);
    report.failed |= name.failed || title.failed;
    sa_buffer_release(&name);
    sa_buffer_release(&title);
    bool good = sa_html_report_film(&report, folder, error) &&
                sa_page_text_add(&options->page, &report, error);
    if (good) sa_html_report_write(&report, &out);
    good = good && cli_save(options->html, &out, error);
    sa_html_report_release(&report);
    return good;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool show(const sa_film *film, const char *folder, const film_options *options,
                 sa_error *error) {
    const size_t pair = (size_t)options->pair;
    if (!film->count)
        return sa_fail(error, SA_OPEN, "'%s' has no film: 'train --snapshots PAIRS' records one",
                       folder);
    if (pair > film->count)
        return sa_fail(error, SA_USAGE, "--pair %zu: the film has %zu", pair, film->count);
    if (options->html && !save_page(folder, options, error)) return false;
    if (options->svg && !sa_directory_create(options->svg, error)) return false;
    bool noted = false;
    for (size_t i = 0; i < film->count; i++) {
        if (pair && i != pair - 1) continue;
        if (options->svg && !save_scene(&film->pairs[i], i, options, error)) return false;
        if (cli_pictures_wanted(&options->pictures) &&
            !save_frames(&film->pairs[i], i, options, &noted, error))
            return false;
        if (options->terminal && !play(&film->pairs[i], options, error)) return false;
    }
    if (options->svg)
        cli_note_numbered(options->svg, "svg", pair ? pair : 1, pair ? pair : film->count);
    return true;
}

static bool prints(const void *fields) {
    const film_options *options = fields;
    return options->terminal ||
           (!options->svg && !options->html && !cli_pictures_wanted(&options->pictures));
}

static bool run(int count, char **arguments, sa_error *error) {
    film_options options;
    const char *folder;
    sa_film film;
    sa_options_init(rows, &options);
    sa_options_init(cli_pictures_options, &options.pictures);
    sa_options_init(sa_page_text_options, &options.page);
    if (!cli_read(&cli_film, count, arguments, &options, &folder, error)) return false;
    if (!cli_heads_read(options.heads, &options.head, error)) return false;
    if (!cli_pictures_check(&options.pictures, error) ||
        !sa_page_text_check(&options.page, options.html, error))
        return false;
    options.terminal = prints(&options);
    if (!sa_film_read(&film, folder, SIZE_MAX, error)) return false;
    const bool good = show(&film, folder, &options, error);
    sa_film_release(&film);
    return good;
}

const cli_command cli_film = {
    .name = "film",
    .words = "DIR",
    .least = 1,
    .most = 1,
    .summary = "play how the attention developed during training",
    .details =
        "DIR is the folder of a training with --snapshots PAIRS, or of a run of 'compare'. "
        "There is one frame before the first update and one per validation: from uniform "
        "weights to the trained attention. On a terminal each frame replaces the one before; "
        "in a file or pipe they follow each other. The SVG pictures loop in any browser and "
        "print as their last frame; PNG and PDF are one picture per frame. The weights are in "
        "DIR/film/0001/00000000.csv ..., those of several heads in "
        "DIR/film/0001/head-1/00000000.csv ...\n",
    .example = "  softalign train --train mono.tsv --snapshots unseen.tsv --out filmed \\\n"
               "      --steps 60 --valid-every 20 --hidden 32\n"
               "  softalign film filmed --pair 1\n"
               "  softalign film filmed --svg moving\n",
    .sets = sets,
    .prints = prints,
    .run = run,
};
