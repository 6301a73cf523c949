/* evaluating: how good a model is on pairs. */
#ifndef SA_EVALUATING_H
#define SA_EVALUATING_H

#include "opened.h"

typedef struct sa_validation {
    double loss;       /* per target word, teacher-forced */
    double bleu, chrf; /* of greedy translations */
} sa_validation;

/* How good the model is on encoded pairs of the corpus. */
bool sa_validate(sa_model *model, const sa_corpus *corpus, const sa_dataset *pairs,
                 sa_validation *out, sa_error *error);

#endif
