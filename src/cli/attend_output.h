/* attend_output: the results of `softalign attend` as CSV, JSON and HTML page. */
#ifndef SA_CLI_ATTEND_OUTPUT_H
#define SA_CLI_ATTEND_OUTPUT_H

#include "report/page_text.h"

typedef struct cli_attend_output {
    sa_attend_result result;
    /* labels of queries, keys, and columns of contexts and outputs; any may be NULL */
    const char *const *query, *const *key, *const *context, *const *output;
    bool projected; /* there is an output projection */
} cli_attend_output;

/* Prints blocks of CSV, separated by empty lines, each below its title "# scores". */
bool cli_attend_print(const cli_attend_output *output, sa_error *error);
/* Prints one JSON object; scores and weights are lists of heads, masked scores null. */
bool cli_attend_print_json(const cli_attend_output *output, sa_error *error);
/* Saves the weights of a head, from 1, as a heatmap CSV; 0: the mean over heads. */
bool cli_attend_save(const cli_attend_output *output, int head, const char *path, sa_error *error);
/* Saves the weights of all heads as an HTML page, the outputs beside the queries where they are
 * numbers. */
bool cli_attend_save_page(const cli_attend_output *output, const sa_page_text *text,
                          const char *path, sa_error *error);

#endif
