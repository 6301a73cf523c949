/* diagnostics: common problems of attention models, each with an explanation. */
#pragma once

#include "base/error.h"
#include "metrics/diagnostic_rows.h"

#include <softalign/report.h>

/* Counts over all pairs. */
typedef struct sa_diagnostic_stats {
    sa_attention_stats attention;
    bool uniform_by_design;            /* the model has --attention uniform */
    bool identical_tokens_align;       /* identical tokens probably translate each other */
    double aer, aer_before, aer_after; /* NaN: unknown */
    size_t sentences, over, under;     /* all; too long or repetitive; too short */
    size_t source_words, unknown_source, target_words, unknown_target;
    size_t train_pairs;                /* 0: unknown */
    size_t known_sources, known_pairs; /* how many of the sentences are among the training pairs */
} sa_diagnostic_stats;

typedef enum sa_case_kind { SA_CASE_NONE, SA_CASE_OVER, SA_CASE_UNDER } sa_case_kind;

typedef struct sa_diagnostic {
    const char *name;
    const char *measure; /* what the figure measures */
    double threshold;    /* a figure this large is a problem */
    sa_case_kind cases;  /* pairs to show as examples */
    const char *lesson;
} sa_diagnostic;

/* The table that scripts/dev/embed makes from diagnostics.txt, like the names of the problems:
 * SA_DIAGNOSTIC_OFF_BY_ONE ... */
extern const sa_diagnostic sa_diagnostics[SA_DIAGNOSTICS];

/* Computes the figure of a problem; NaN if it is unknown. Returns whether it reaches the
 * threshold. */
bool sa_diagnostic_applies(const sa_diagnostic_stats *stats, size_t problem, double *figure);
