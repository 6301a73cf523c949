/* score_links: reads the lines of parallel files and scores word alignments, for `softalign
 * score`. */
#pragma once

#include "metrics/metrics.h"

#include <softalign/lab.h>

typedef struct score_options {
    const char *against, *source, *target, *reverse;
    bool confidence, json, alignments, shift;
    int links_base, gold_base, combine;
    sa_resampling resampling;
    sa_metrics metrics;
} score_options;

typedef struct score_file {
    const char *name;
    char **line; /* [count] valid UTF-8 */
    size_t count, capacity;
    bool open_end; /* links may lack the last sentences, which have none */
} score_file;

/* Reads the files; only the first path must not be NULL. SA_DATA: a file is empty or not UTF-8, or
 * has not as many lines as the first. base: the index of the first position in LINKS, GOLD and
 * REVERSE, the first three files; NULL: all are texts. */
bool score_files_read(score_file *files, const char *const *paths, size_t count, const int *base,
                      sa_error *error);

void score_files_release(score_file *files, size_t count);

/* Scores the alignments words[0] against the gold alignments words[1] and prints the scores. */
bool score_links(const score_options *options, const char *const *words, sa_error *error);
