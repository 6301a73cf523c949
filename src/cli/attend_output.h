/* attended: what `softalign attend` found, for people, programs and pictures. */
#ifndef SA_CLI_ATTENDED_H
#define SA_CLI_ATTENDED_H

#include "base/error.h"

typedef struct cli_attend_output {
    sa_attend_result result;
    /* words for the queries, the keys, and the numbers of contexts and outputs; any may be NULL */
    const char *const *query, *const *key, *const *context, *const *output;
    bool joined; /* the contexts are not yet the outputs */
} cli_attend_output;

/* Blocks of CSV on standard output, each below a line "# scores", with an empty line between. */
bool cli_attend_print(const cli_attend_output *attended, sa_error *error);
/* One JSON object; scores and weights are lists of heads, null where a query may not look. */
bool cli_attend_print_json(const cli_attend_output *attended, sa_error *error);
/* The weights of a head, counted from 1, as a heatmap CSV; 0: the mean of all. */
bool cli_attend_save(const cli_attend_output *attended, int head, const char *path,
                     sa_error *error);

#endif
