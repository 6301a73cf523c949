/* metrics: what a system's lines are worth beside their references, by every measure at once.
 *
 * A tally holds whole numbers only. Those of sentences add up in any order to the same sum, and
 * every figure is made of a sum: of one sentence, of a band of lengths, of a whole corpus, of a
 * sample drawn from it. */
#ifndef SA_METRICS_METRICS_H
#define SA_METRICS_METRICS_H

#include "base/option.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"

extern const sa_option sa_metrics_options[]; /* of sa_metrics */

typedef struct sa_metric_stats {
    sa_bleu bleu;
    sa_chrf chrf;
    int64_t sentences, exact; /* exact: equal to a reference but for white space */
    int64_t tokens, same;     /* of the reference with the most at the same place */
} sa_metric_stats;

/* A text of so many bytes in lower case, freed with free(); NULL: memory. Unicode is known
 * elsewhere (text/utf8). */
typedef char *(*sa_lowercase_fn)(const char *text, size_t size, sa_error *error);

/* Counts one sentence. */
bool sa_metric_stats_compute(sa_metric_stats *stats, const sa_metrics *metrics,
                             sa_lowercase_fn lower, const char *hypothesis,
                             const char *const *references, size_t count, sa_error *error);
void sa_metric_stats_add(sa_metric_stats *sum, const sa_metric_stats *one);

/* A figure made of tallies. */
typedef struct sa_metric {
    const char *key;   /* for programs */
    const char *title; /* for people */
    double whole;      /* what they read as all: shares are shown in per cent */
    double (*score)(const sa_metric_stats *stats, const sa_metrics *metrics);
    /* Appends the name by which scores of this kind may be compared; NULL: it has none. */
    void (*name)(const sa_metrics *metrics, sa_buffer *out);
    /* Appends its settings as "key:value|". */
    void (*settings)(const sa_metrics *metrics, sa_buffer *out);
} sa_metric;

enum { SA_METRIC_BLEU, SA_METRIC_CHRF, SA_METRIC_EXACT, SA_METRIC_TOKENS, SA_METRIC_COUNT };
extern const sa_metric sa_metric_list[SA_METRIC_COUNT];

/* Appends "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|softalign:0.1.0", or the title of a
 * measure without settings. drawn: what stands behind nrefs when samples were drawn, as
 * "bs:1000|seed:1|", or "". */
void sa_metric_signature(const sa_metric *measure, const sa_metrics *metrics, size_t references,
                         const char *drawn, sa_buffer *out);

#endif
