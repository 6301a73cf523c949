/* score: the metrics on any system's output.
 *
 *   score_files   lines of text, of several files side by side
 *   score_texts   hypotheses beside their references
 *   score_print   what came of it, for people
 *   score_json    the same for programs
 *   score_links   word alignments beside a gold alignment */
#ifndef SA_CLI_SCORE_H
#define SA_CLI_SCORE_H

#include "metrics/bootstrap.h"
#include "metrics/by_length.h"

#include <softalign.h>

enum { SCORE_REFERENCES = 16 };

typedef struct score_options {
    const char *against, *source, *target, *reverse;
    bool sentence, by_length, confidence, json, alignments, shift;
    int links_base, gold_base, combine;
    sa_resampling resampling;
    sa_metrics metrics;
} score_options;

/* ---- score_files ----------------------------------------------------------------------------- */

typedef struct score_file {
    const char *name;
    char **line; /* [count] valid UTF-8 */
    size_t count, capacity;
} score_file;

/* SA_DATA: it has no line, or one that is no UTF-8. */
bool score_file_read(score_file *file, const char *path, sa_error *error);
/* SA_DATA unless both have as many lines. */
bool score_files_match(const score_file *one, const score_file *other, sa_error *error);
void score_file_release(score_file *file);

/* ---- score_texts ----------------------------------------------------------------------------- */

typedef struct score_system {
    const char *name;
    sa_metric_stats *each, sum;
    sa_confidence_interval spread[SA_METRIC_COUNT]; /* when samples were drawn */
} score_system;

typedef struct score_work {
    const score_options *options;
    size_t count, references;
    bool resampled;                  /* samples were drawn */
    score_system ours, theirs;       /* theirs.each NULL: there is no other */
    double p_value[SA_METRIC_COUNT]; /* how likely the difference between the two is by chance */
    int *source_words;               /* [count], NULL: unknown */
} score_work;

/* Scores words[0] beside the files words[1] ... and prints the figures. */
bool score_texts(const score_options *options, const char *const *words, size_t count,
                 sa_error *error);

/* The sentences of a band: their sum and, if samples are wanted, the spread of every measure. sum's
 * sentences are 0 when there are none. */
bool score_band(const score_work *work, const sa_length_band *band, sa_metric_stats *sum,
                sa_confidence_interval *spreads, sa_error *error);
/* Appends the signature of a measure. */
void score_sign(const score_work *work, int measure, sa_buffer *out);

/* ---- score_print ----------------------------------------------------------------------------- */

double score_figure(const score_work *work, const sa_metric_stats *tally, int measure);
bool score_print_sentences(const score_work *work, sa_error *error);
bool score_print_text(const score_work *work, sa_error *error);

/* ---- score_json ------------------------------------------------------------------------------ */

bool score_print_json(const score_work *work, sa_error *error);

/* ---- score_links ----------------------------------------------------------------------------- */

/* Scores the alignments of words[0] beside the gold alignment words[1] and prints the figures. */
bool score_links(const score_options *options, const char *const *words, sa_error *error);

#endif
