/* diagnose: what is wrong with a model, in words: a row per illness. */
#ifndef SA_EVAL_DIAGNOSE_H
#define SA_EVAL_DIAGNOSE_H

#include "base/error.h"

/* What was counted over all pairs. */
typedef struct sa_symptoms {
    sa_gaze gaze;
    bool uniform_chosen;               /* equal weights are what the model was made for */
    bool twins_mean_links;             /* words in the same spelling are each other's translation */
    double aer, aer_before, aer_after; /* NaN: unknown */
    size_t sentences, over, under;     /* all; too long or repeating; too short */
    size_t source_words, unknown_source, target_words, unknown_target;
    size_t train_pairs;                /* 0: unknown */
    size_t known_sources, known_pairs; /* of the sentences, those among the training pairs */
} sa_symptoms;

typedef enum sa_cases { SA_CASES_NONE, SA_CASES_OVER, SA_CASES_UNDER } sa_cases;

typedef struct sa_illness {
    const char *name;
    const char *measure; /* what the figure is */
    /* NaN: it cannot be said */
    double (*figure)(const sa_symptoms *symptoms);
    double threshold; /* the smallest figure that is an illness */
    sa_cases cases;   /* which pairs show it */
    const char *lesson;
} sa_illness;

extern const sa_illness sa_illnesses[]; /* ends with a NULL name */

/* The next row from *row on whose figure reaches its threshold; false: no more. */
bool sa_illness_next(const sa_symptoms *symptoms, size_t *row, double *figure);

#endif
