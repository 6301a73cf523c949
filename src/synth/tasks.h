/* tasks: the toy corpora. Each is a synchronous grammar, or a function where an answer must be
 * computed. */
#pragma once

#include "synth/draft.h"

typedef struct sa_task {
    const char *name;
    const char *summary;           /* shown by the help */
    const unsigned char *grammar;  /* its text, a file of corpora/grammars; or NULL: */
    void (*draw)(sa_draft *draft); /* writes a pair into an empty draft */
} sa_task;

extern const sa_task sa_tasks[]; /* ends with a NULL name */
