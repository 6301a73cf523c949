/* eval: the evaluation of a model on pairs.
 *
 *   eval_print      the scores as text and JSON
 *   eval_diagnosis  the diagnosis as text and JSON */
#ifndef SA_CLI_EVAL_H
#define SA_CLI_EVAL_H

#include "metrics/bootstrap.h"

#include <jansson.h>
#include <softalign.h>

typedef struct eval_options {
    const char *per_sentence, *force_attention, *train;
    bool by_length, confidence, diagnose, reference_length, json;
    int max_len, precision, threads;
    sa_search search;
    sa_metrics metrics;
    sa_link_options linking;
    sa_resampling resampling;
} eval_options;

typedef struct evaluation {
    const eval_options *options;
    sa_search search; /* options->search with its override */
    sa_model *model;
    sa_corpus corpus, train;
    sa_sentence_result *each; /* [corpus.count] */
    sa_metric_stats *stats;   /* [corpus.count], NULL: no intervals are wanted */
    sa_diagnosis diagnosis;   /* empty if not wanted */
} evaluation;

/* Print the scores of all pairs and, if wanted, by source length. */
bool eval_print_text(const evaluation *work, sa_error *error);
bool eval_print_json(const evaluation *work, sa_error *error);

bool eval_diagnoses(const eval_options *options);
void eval_add_diagnosis(const evaluation *work, sa_buffer *out);
json_t *eval_json_diagnosis(const evaluation *work);

#endif
