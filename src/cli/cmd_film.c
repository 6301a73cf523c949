#include "cli/cli.h"
#include "report/film.h"

typedef struct command_options {
    const char *html;
    sa_page_text page;
} command_options;

static const sa_option table[] = {
    {"html", CLI_TEXT(OUTPUT, RUN(html), NULL, "FILE"),
     "HTML page that plays the frames, with a slider; default: DIR/film.html"},
    {0},
};

static bool run(cli_call *call, sa_error *error) {
    const command_options *options = call->options;
    const char *folder = call->words[0];
    char path[SA_PATH_SIZE];
    const char *html = options->html ? options->html : sa_path_in(path, folder, "film.html");
    sa_html_report page;
    if (!sa_page_text_check(&options->page, html, error)) return false;
    cli_begin_page(&page, "film", "Attention during the training of", folder, "", NULL);
    const json_t *films = json_object_get(page.data, "film");
    const bool good = sa_html_report_film(&page, folder, error) &&
                      (!json_is_null(json_array_get(films, 0)) ||
                       sa_fail(error, SA_OPEN,
                               "'%s' has no film: 'train --snapshots PAIRS' records one", folder));
    return cli_end_page(&page, good, &options->page, html, error);
}

const cli_command cli_film = {
    .name = "film",
    .words = "DIR",
    .summary = "play how the attention developed during training",
    .size = sizeof(command_options),
    .sets = {{"Options", table, 0}, {"Page", sa_page_text_options, AT(page)}},
    .prints = cli_prints_nothing,
    .run = run,
};
