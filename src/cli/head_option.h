/* heads: what --head shows of several heads. */
#ifndef SA_CLI_HEADS_H
#define SA_CLI_HEADS_H

#include "base/links.h"

/* Instead of a head's number, which counts from 1. */
enum { CLI_HEADS_ALL = 0, CLI_HEADS_MEAN = -1, CLI_HEADS_MAX = -2 };

/* Of the option's text: a number, "mean" (or 0), "max", or NULL: all. */
bool cli_heads_read(const char *text, int *head, sa_error *error);

/* Makes what is wanted of the heads the alignment's only one. `made`, which may become NULL, is to
 * be freed after it. */
bool cli_heads_select(int head, sa_alignment *alignment, double **owned, sa_error *error);

#endif
