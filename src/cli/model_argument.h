/* model_argument: MODEL and PAIRS, the files named on the command line. */
#ifndef SA_CLI_MODEL_ARGUMENT_H
#define SA_CLI_MODEL_ARGUMENT_H

#include "config/settings.h"

/* The row of --max-len where a longer sentence is an error. */
#define CLI_MAX_LEN(offset)                                                                        \
    {                                                                                              \
        "max-len", SA_OPTION_INT, SA_SCOPE_RUN, offset, SA_MAX_LEN, 1, 1000000, NULL, "N",         \
            "longest sentence that is read, in tokens per side; a longer one is an error"          \
    }

/* The row of --precision where a model is used. */
#define CLI_PRECISION(offset)                                                                      \
    {                                                                                              \
        "precision", SA_OPTION_CHOICE, SA_SCOPE_RUN, offset, 0, 0, 0, sa_precision_name, "NAME",   \
            "products of weights, whatever the model was trained with: float32, or of operands "   \
            "rounded to bf16"                                                                      \
    }

/* Opens it to read sentences of up to max_len tokens and notes denormal numbers and what is slow.
 * `force_attention`, the option's value, is read into *override; both may be NULL. */
sa_model *cli_model_open(const char *path, int threads, int precision, int max_len,
                         const char *force_attention, sa_attention_override *override,
                         sa_error *error);

/* Opens pairs whose alignments matter, and notes why they are not read. */
bool cli_pairs_open(sa_corpus *corpus, const char *path, sa_error *error);

/* Of a pair the library may know the line but not the file: "line 3 ..." becomes "PATH:3 ...".
 * Returns false. */
bool cli_pairs_fail(const char *path, sa_error *error);

#endif
