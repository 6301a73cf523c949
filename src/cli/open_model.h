/* model: opening models as the commands do. */
#ifndef SA_CLI_MODEL_H
#define SA_CLI_MODEL_H

#include "softalign.h"

/* NULL on failure. `way`: of --force-attention, or NULL; read into *override (NULL without one). */
sa_model *cli_model_open(const char *path, int threads, const char *way,
                         sa_attention_override *override, sa_error *error);

#endif
