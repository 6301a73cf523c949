/* diagnose: what is wrong with a model, in words: a row per illness. */
#ifndef SA_ANALYSIS_DIAGNOSTICS_H
#define SA_ANALYSIS_DIAGNOSTICS_H

#include "base/error.h"

/* What was counted over all pairs. */
typedef struct sa_diagnostic_stats {
    sa_attention_stats attention;
    bool uniform_by_design;            /* equal weights are what the model was made for */
    bool identical_tokens_align;       /* words in the same spelling are each other's translation */
    double aer, aer_before, aer_after; /* NaN: unknown */
    size_t sentences, over, under;     /* all; too long or repeating; too short */
    size_t source_words, unknown_source, target_words, unknown_target;
    size_t train_pairs;                /* 0: unknown */
    size_t known_sources, known_pairs; /* of the sentences, those among the training pairs */
} sa_diagnostic_stats;

typedef enum sa_case_kind { SA_CASE_NONE, SA_CASE_OVER, SA_CASE_UNDER } sa_case_kind;

typedef struct sa_diagnostic {
    const char *name;
    const char *measure; /* what the figure is */
    /* NaN: it cannot be said */
    double (*figure)(const sa_diagnostic_stats *stats);
    double threshold;   /* the smallest figure that is an illness */
    sa_case_kind cases; /* which pairs show it */
    const char *lesson;
} sa_diagnostic;

extern const sa_diagnostic sa_diagnostics[]; /* ends with a NULL name */

/* The next row from *row on whose figure reaches its threshold; false: no more. */
bool sa_diagnostic_next(const sa_diagnostic_stats *stats, size_t *row, double *figure);

#endif
