/* score_links: word alignments, and the lines of parallel files, for `softalign score`. */
#ifndef SA_CLI_SCORE_LINKS_H
#define SA_CLI_SCORE_LINKS_H

#include "metrics/bootstrap.h"

#include <softalign.h>

typedef struct score_options {
    const char *against, *source, *target, *reverse;
    bool sentence, by_length, confidence, json, alignments, shift;
    int links_base, gold_base, combine;
    sa_resampling resampling;
    sa_metrics metrics;
} score_options;

typedef struct score_file {
    const char *name;
    char **line; /* [count] valid UTF-8 */
    size_t count, capacity;
} score_file;

/* SA_DATA: it is empty or not UTF-8. */
bool score_file_read(score_file *file, const char *path, sa_error *error);
/* The same for one that may be missing (path NULL), and has as many lines as the first: SA_DATA. */
bool score_file_read_beside(score_file *file, const char *path, const score_file *first,
                            sa_error *error);
void score_file_release(score_file *file);

/* Scores the alignments words[0] against the gold alignments words[1] and prints the scores. */
bool score_links(const score_options *options, const char *const *words, sa_error *error);

#endif
