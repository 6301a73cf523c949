/* align_output: writes alignments in all forms, for align, attribute and align-words. */
#pragma once

#include "cli/cli.h"
#include "report/figure.h"
#include "report/matrix.h"

/* The outputs with a file for each pair (CLI_CSV to CLI_PDF), and those with one file for all. */
enum {
    CLI_CSV,
    CLI_NPY,
    CLI_ALL_HEADS,
    CLI_ALL_LABELS, /* the tokens of CLI_ALL_HEADS, without an option of its own */
    CLI_SVG,
    CLI_PNG,
    CLI_PDF,
    CLI_TIDY,
    CLI_PHARAOH,
    CLI_JSONL,
    CLI_HTML,
    CLI_ALIGN_OUTPUTS
};

typedef struct cli_align_options {
    const char *path[CLI_ALIGN_OUTPUTS]; /* of the file or folder; NULL: not wanted */
    bool terminal, merge, spreadsheet, semicolons;
    sa_figure figure; /* of a picture: font and numbers */
    int width;        /* of a picture in mm, or 0 */
    sa_link_options linking;
    sa_page_text page;
} cli_align_options;

typedef struct cli_align_output {
    const cli_align_options *options;
    const sa_corpus *corpus;
    sa_attention_site site;
    int layer, head; /* what is shown: from 1, or 0 for the mean over layers; SA_HEADS_... */
    bool subwords;   /* the tokens are subwords */
    bool prints;     /* the matrices go to standard output */
    bool scored;     /* links are compared with gold links */
    /* The links of each attribution compared with gold alignments, and the largest gap of
     * integrated gradients. */
    sa_link_counts links[SA_ATTRIBUTIONS];
    const char *method[SA_ATTRIBUTIONS];
    double gap;
    sa_terminal screen;
    sa_buffer text[CLI_ALIGN_OUTPUTS], printed;
    sa_html_report report;
    bool noted; /* a note has said that fonts lack characters */
} cli_align_output;

extern const sa_option cli_align_rows[];
/* The sets of these options, for a command whose struct has them at offset `at`; they follow the
 * command's own. */
#define CLI_ALIGN_OUTPUT_SETS(at)                                                                  \
    {"Output", cli_align_rows, at},                                                                \
        {"Page", sa_page_text_options, (at) + offsetof(cli_align_options, page)}, {                \
        "Links", sa_linking_options, (at) + offsetof(cli_align_options, linking)                   \
    }

/* Returns whether the matrices go to standard output: if they should, or if nothing else is
 * wanted. The first member of the options is a cli_align_options. */
bool cli_align_prints(const void *options);

bool cli_align_check(const cli_align_options *options, sa_error *error);

/* Creates the folders and, if there is to be one, begins the page of `command` on the first `count`
 * pairs of the file `pairs`. model: the path or name of what attends. settings: its settings, or
 * NULL. */
bool cli_align_begin(cli_align_output *out, const char *command, const char *pairs, size_t count,
                     const char *model, const sa_settings *settings, sa_error *error);

/* Writes one pair, as `each` of sa_align: `output` is a cli_align_output. */
bool cli_align_add(void *output, size_t index, const sa_alignment *given, sa_error *error);

/* Saves the files that hold all pairs, and notes what it wrote and how the links scored. */
bool cli_align_save(cli_align_output *out, size_t count, sa_error *error);

void cli_align_release(cli_align_output *out);
