/* align_output: alignments in all forms, as align, attribute and align-words write them. */
#pragma once

#include "cli/pictures.h"
#include "cli/score_links.h"
#include "report/html_report.h"

/* Outputs in one file for all pairs, and in a file for each. */
enum { CLI_TIDY, CLI_PHARAOH, CLI_SOFT, CLI_JSONL, CLI_HTML, CLI_ALIGN_TEXTS };
enum { CLI_CSV, CLI_NPY, CLI_ALL_HEADS, CLI_ALIGN_FOLDERS };

typedef struct cli_align_options {
    const char *text[CLI_ALIGN_TEXTS], *folder[CLI_ALIGN_FOLDERS];
    bool terminal, merge, spreadsheet, semicolons;
    sa_link_options linking;
    cli_pictures pictures;
    sa_page_text page;
} cli_align_options;

typedef struct cli_align_output {
    const cli_align_options *options;
    const sa_corpus *corpus;
    sa_attention_site site;
    int layer, head; /* shown: from 1, or 0 for the mean over layers; SA_HEADS_... */
    bool subwords;   /* the tokens are subwords */
    bool prints;     /* the matrices go to standard output */
    bool scored;     /* links are compared with gold ones */
    method_scores scores;
    sa_terminal screen;
    sa_buffer text[CLI_ALIGN_TEXTS], picture;
    sa_html_report report;
    cli_canvas canvas;
} cli_align_output;

extern const sa_option cli_align_rows[];
/* The sets of these options, in a command's struct that has them at offset `at`, but for its own
 * set, which comes first. */
#define CLI_ALIGN_OUTPUT_SETS(at)                                                                  \
    {"Output", cli_align_rows, at},                                                                \
        {"Pictures", cli_pictures_options, (at) + offsetof(cli_align_options, pictures)},          \
        {"Page", sa_page_text_options, (at) + offsetof(cli_align_options, page)}, {                \
        "Links", sa_linking_options, (at) + offsetof(cli_align_options, linking)                   \
    }

/* Whether the matrices go to standard output: if that is wanted, or nothing else is. */
bool cli_align_prints(const cli_align_options *options);

bool cli_align_check(const cli_align_options *options, sa_error *error);

/* Creates the folders and, where it is wanted, begins the page of `command` on the first `count`
 * pairs of the file `pairs`. model: the path or name of what attends. settings: its settings or
 * NULL. */
bool cli_align_begin(cli_align_output *out, const char *command, const char *pairs, size_t count,
                     const char *model, const sa_settings *settings, sa_error *error);

/* Writes one pair, as the `each` of sa_align: `output` is a cli_align_output. */
bool cli_align_add(void *output, size_t index, const sa_alignment *given, sa_error *error);

/* Saves the files that hold all pairs and says what was written. */
bool cli_align_save(cli_align_output *out, size_t count, sa_error *error);

void cli_align_release(cli_align_output *out);
