/* head_option: the values of --head. */
#ifndef SA_CLI_HEAD_OPTION_H
#define SA_CLI_HEAD_OPTION_H

#include "report/matrix.h"

/* The words that --head takes instead of a number. */
const char *cli_heads_word(size_t i);

/* text: a number, "mean" (or 0), "max", or NULL for all heads; *head: SA_HEADS_... or a number. */
bool cli_heads_read(const char *text, int *head, sa_error *error);

/* Reduces the alignment to one head; SA_HEADS_ALL leaves it. *owned (may become NULL) is to be
 * freed after the alignment. */
bool cli_heads_select(int head, sa_alignment *alignment, double **owned, sa_error *error);

#endif
