/* align: alignments as heatmaps, tables, links, pictures and a page: the outputs of align
 * and ibm1. */
#ifndef SA_CLI_ALIGN_H
#define SA_CLI_ALIGN_H

#include "cli/pictures.h"
#include "metrics/linking.h"
#include "report/html_report.h"

/* Outputs in one file for all pairs, and in a file for each. */
enum { CLI_TIDY, CLI_PHARAOH, CLI_SOFT, CLI_JSONL, CLI_HTML, CLI_ALIGN_TEXTS };
enum { CLI_CSV, CLI_NPY, CLI_ALL_HEADS, CLI_ALIGN_FOLDERS };

/* What is written, as options. */
typedef struct cli_align_options {
    const char *text[CLI_ALIGN_TEXTS], *folder[CLI_ALIGN_FOLDERS];
    bool terminal, merge, spreadsheet;
    sa_link_options linking;
    cli_pictures pictures;
    sa_page_text page;
} cli_align_options;

extern const sa_option cli_align_output_options[]; /* its texts, folders and switches */

/* The sets of these options, in a command's struct that has them at offset `at`, but for its own
 * set, which comes first. */
#define CLI_ALIGN_OUTPUT_SETS(at)                                                                  \
    {"Output", cli_align_output_options, at},                                                      \
        {"Pictures", cli_pictures_options, (at) + offsetof(cli_align_options, pictures)},          \
        {"Page", sa_page_text_options, (at) + offsetof(cli_align_options, page)}, {                \
        "Links", sa_linking_options, (at) + offsetof(cli_align_options, linking)                   \
    }

/* Whether the matrices go to standard output: if that is wanted, or nothing else is. */
bool cli_align_prints(const cli_align_options *options);

/* Checks the options that were read. SA_USAGE. */
bool cli_align_options_check(const cli_align_options *options, sa_error *error);

typedef struct cli_align_output {
    const cli_align_options *options;
    const sa_corpus *corpus;
    sa_attention_site site;
    int layer, head; /* shown: from 1, or 0 for the mean over layers; SA_HEADS_... */
    bool subwords;   /* the tokens are subwords */
    bool prints;     /* the matrices go to standard output */
    bool noted;      /* missing fonts were noted */
    sa_terminal screen;
    sa_buffer text[CLI_ALIGN_TEXTS], picture;
    sa_html_report report;
} cli_align_output;

/* Creates the folders and, where it is wanted, begins the page of `command` on the first `count`
 * pairs of the file `pairs`. model: the path or name of what attends. settings: its settings or
 * NULL. */
bool cli_align_output_open(cli_align_output *out, const char *command, const char *pairs,
                           size_t count, const char *model, const sa_settings *settings,
                           sa_error *error);

/* Writes one pair, as the `each` of sa_align: `output` is a cli_align_output. */
bool cli_align_output_add(void *output, size_t index, const sa_alignment *alignment,
                          sa_error *error);

/* Saves the files that hold all pairs and says what was written. */
bool cli_align_output_save(cli_align_output *out, size_t count, sa_error *error);
void cli_align_output_release(cli_align_output *out);

#endif
