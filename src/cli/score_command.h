/* score_command: the metrics of any system's output.
 *
 *   score_files   the lines of parallel files
 *   score_texts   scores of hypotheses against references
 *   score_print   these as text
 *   score_json    these as JSON
 *   score_links   scores of word alignments against gold alignments */
#ifndef SA_CLI_SCORE_COMMAND_H
#define SA_CLI_SCORE_COMMAND_H

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

/* SA_DATA: it is empty or not UTF-8. */
bool score_file_read(score_file *file, const char *path, sa_error *error);
/* The same for one that may be missing (path NULL), and has as many lines as the first: SA_DATA. */
bool score_file_read_beside(score_file *file, const char *path, const score_file *first,
                            sa_error *error);
void score_file_release(score_file *file);

/* ---- score_texts ----------------------------------------------------------------------------- */

typedef struct score_system {
    const char *name;
    sa_metric_stats *each, sum;
    sa_confidence_interval interval[SA_METRIC_COUNT]; /* if resampled */
} score_system;

typedef struct score_work {
    const score_options *options;
    size_t count, references;
    bool resampled;                                     /* bootstrap samples were drawn */
    score_system ours, theirs;                          /* theirs.each is NULL without --against */
    double p_value[SA_METRIC_COUNT];                    /* of the difference between the two */
    sa_confidence_interval difference[SA_METRIC_COUNT]; /* of ours - theirs on the same samples */
    int *source_words;                                  /* [count], NULL: unknown */
} score_work;

/* Scores the file words[0] against the references words[1] ... and prints the scores. */
bool score_texts(const score_options *options, const char *const *words, size_t count,
                 sa_error *error);

/* The summed statistics of a band and, with --confidence, the interval of every metric;
 * sum->sentences may be 0. */
bool score_band(const score_work *work, const sa_length_band *band, sa_metric_stats *sum,
                sa_confidence_interval *intervals, sa_error *error);
/* Appends the signature of a metric. */
void score_add_signature(const score_work *work, int metric, sa_buffer *out);

/* ---- score_print ----------------------------------------------------------------------------- */

double score_value(const score_work *work, const sa_metric_stats *stats, int metric);
bool score_print_sentences(const score_work *work, sa_error *error);
bool score_print_text(const score_work *work, sa_error *error);

/* ---- score_json ------------------------------------------------------------------------------ */

bool score_print_json(const score_work *work, sa_error *error);

/* ---- score_links ----------------------------------------------------------------------------- */

/* Scores the alignments words[0] against the gold alignments words[1] and prints the scores. */
bool score_links(const score_options *options, const char *const *words, sa_error *error);

#endif
