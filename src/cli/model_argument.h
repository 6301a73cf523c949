/* model_argument: MODEL and PAIRS, the files named on the command line. */
#ifndef SA_CLI_MODEL_ARGUMENT_H
#define SA_CLI_MODEL_ARGUMENT_H

#include "softalign.h"

/* Opens it and notes denormal numbers. `force_attention`, the option's value, is read into
 * *override; both may be NULL. */
sa_model *cli_model_open(const char *path, int threads, const char *force_attention,
                         sa_attention_override *override, sa_error *error);

/* Opens pairs whose alignments matter, and notes why they are not read. */
bool cli_pairs_open(sa_corpus *corpus, const char *path, sa_error *error);

#endif
