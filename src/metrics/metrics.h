/* metrics: all metrics of a system's lines against their references.
 *
 * The statistics of a sentence are integers, so that sums do not depend on the order. Every metric
 * is computed from a sum: of one sentence, a band of lengths, a corpus, or a bootstrap sample. */
#pragma once

#include "base/option.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"

extern const sa_option sa_metrics_options[]; /* the options of sa_metrics */

/* The options of sa_metrics, except lowercase. place(FIELD): the scope and the offset of a field.
 */
#define SA_METRICS_ROWS(place)                                                                     \
    {"tokenize", SA_CHOICE(place(tokenize), 0, sa_metric_tokenizers),                              \
     "tokenization for BLEU and token accuracy; zh for Chinese, char for other text without "      \
     "spaces between words"},                                                                      \
        {"smooth", SA_CHOICE(place(smooth), 0, sa_smoothings),                                     \
         "smoothing of BLEU for orders without a matching n-gram"},                                \
        {"smooth-value", SA_REAL(place(smooth_value), 0, 0, 1000, "X"),                            \
         "smoothing value of floor and add-k; 0: 0.1 for floor, 1 for add-k"},                     \
        {"effective-order", SA_SWITCH(place(effective_order)),                                     \
         "skip BLEU orders that the hypothesis is too short for; meant for single sentences"},     \
        {"chrf-order", SA_INT(place(chrf_order), 6, 1, SA_CHRF_CHARACTERS, "N"),                   \
         "maximum order of character n-grams in chrF"},                                            \
        {"chrf-word-order", SA_INT(place(chrf_word_order), 0, 0, SA_CHRF_WORDS, "N"),              \
         "maximum order of word n-grams in chrF; 2: chrF++"},                                      \
        {"chrf-beta", SA_INT(place(chrf_beta), 2, 1, 100, "N"),                                    \
         "weight of recall against precision in chrF"},                                            \
        {"chrf-whitespace", SA_SWITCH(place(chrf_whitespace)),                                     \
         "include whitespace in chrF's character n-grams"},                                        \
    {                                                                                              \
        "chrf-eps", SA_SWITCH(place(chrf_eps)),                                                    \
            "average chrF over all orders, with epsilon smoothing of those without n-grams "       \
            "(chrF++.py, NLTK)"                                                                    \
    }

typedef struct sa_metric_stats {
    sa_bleu bleu;
    sa_chrf chrf;
    int64_t sentences, exact; /* exact: equal to a reference, ignoring white space */
    int64_t tokens, same;     /* same: equal at equal positions */
    int64_t edits, edited;    /* edits to the nearest reference; its tokens */
} sa_metric_stats;

/* Computes the statistics of one sentence. */
bool sa_metric_stats_compute(sa_metric_stats *stats, const sa_metrics *metrics,
                             const char *hypothesis, const char *const *references, size_t count,
                             sa_error *error);
void sa_metric_stats_add(sa_metric_stats *sum, const sa_metric_stats *one);

/* A metric. */
typedef struct sa_metric {
    const char *key;   /* for programs */
    const char *title; /* for people */
    double whole;      /* factor for people: fractions are shown as percentages */
    size_t offset;     /* in sa_metric_values */
} sa_metric;

enum {
    SA_METRIC_BLEU,
    SA_METRIC_CHRF,
    SA_METRIC_EXACT,
    SA_METRIC_TOKENS,
    SA_METRIC_PER,
    SA_METRIC_COUNT
};
extern const sa_metric sa_metric_list[SA_METRIC_COUNT];

/* Appends the signature of BLEU or chrF, such as
 * "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|softalign:0.2.0", or the title of another
 * metric. drawn: for bootstrap samples, what follows nrefs, such as "bs:1000|seed:1|"; otherwise
 * "". */
void sa_metric_signature(int metric, const sa_metrics *metrics, size_t references,
                         const char *drawn, sa_buffer *out);

/* Computes all metrics from a sum of statistics. */
sa_metric_values sa_metric_values_of(const sa_metric_stats *sum, const sa_metrics *metrics);
double sa_metric_value(const sa_metric_values *values, int metric);

/* Returns whether most letters of the targets belong to scripts that put no spaces between words
 * (Han and kana, Thai, Lao, Khmer, Burmese, Tibetan), and the targets have none. Segmented text has
 * spaces. */
bool sa_targets_lack_spaces(const sa_corpus *corpus);

/* What to tell the user in that case. */
#define SA_UNSPACED_NOTE                                                                           \
    "there are no spaces between the words of the targets: BLEU takes whole clauses for words; "   \
    "--tokenize char counts characters, zh Chinese ones"

/* ---- By length ------------------------------------------------------------------------------- */

/* Bands of source length (Bahdanau et al. 2015, figure 2). */
typedef struct sa_length_band {
    int min, max;     /* source words, without EOS */
    const char *name; /* "6-10" */
} sa_length_band;

enum { SA_LENGTH_BANDS = 8 };
/* The bands have no gaps; the last one is unlimited. Ends with a NULL name. */
extern const sa_length_band sa_length_bands[SA_LENGTH_BANDS + 1];

/* Returns whether a sentence of `words` source words belongs to the band. */
int sa_length_band_contains(const sa_length_band *band, int words);

/* ---- Bootstrap ------------------------------------------------------------------------------- */

/* Confidence intervals and significance tests by bootstrap resampling (Koehn 2004): the metrics of
 * many samples of the sentences, drawn with replacement. Two systems are compared on the same
 * samples. */
typedef struct sa_resampling {
    int samples;
    int64_t seed; /* equal seeds and sentence counts give equal samples */
} sa_resampling;

extern const sa_option sa_resampling_options[]; /* the options of sa_resampling */

/* Returns the values of every metric on every sample, [SA_METRIC_COUNT * samples], to be freed with
 * free(); NULL: out of memory. count > 0. */
double *sa_bootstrap_values(const sa_metric_stats *each, size_t count, const sa_metrics *metrics,
                            const sa_resampling *resampling, sa_error *error);

/* The mean of the samples and the interval that contains 95 % of them: n/40 are cut off at each
 * end. */
typedef struct sa_confidence_interval {
    double mean, low, high;
} sa_confidence_interval;
/* Computes the interval; sorts the values. */
sa_confidence_interval sa_confidence_interval_of(double *values, int samples);

/* Returns the two-sided p-value of the paired bootstrap (Koehn 2004) for two systems that differ by
 * `difference`, from the differences d_i on the samples, which are centred as if there were none:
 *
 *   p = (c + 1) / (samples + 1),  c = number of samples with |d_i - mean d| >= |difference|
 *
 * 1 for equal outputs. NaN if a d_i is NaN. */
double sa_bootstrap_p_value(const double *differences, int samples, double difference);

/* Returns the p-value that sacreBLEU 2 prints: the same with |d_i| - mean |d| > |difference|. It
 * is about half as large, and for equal outputs the smallest there is. */
double sa_sacrebleu_p_value(const double *differences, int samples, double difference);

/* Returns p[i], corrected for `count` tests of one table by the method of Holm (1979):
 *
 *   max_{j: p_j <= p_i} min(1, p_j |{k: p_k >= p_j}|)
 *
 * Tests whose p is NaN do not count. */
double sa_holm_p_value(const double *p, size_t count, size_t i);
