/* validation: how good a model that is being trained is on the validation pairs. */
#ifndef SA_VALIDATION_H
#define SA_VALIDATION_H

#include "inference/model.h"

typedef struct sa_validation {
    double loss;       /* per target word, teacher-forced */
    double bleu, chrf; /* of greedy translations */
} sa_validation;

/* Whether one validation is better than the other by a --criterion. */
bool sa_validation_better(int criterion, sa_validation one, sa_validation other);

/* How good the model is on encoded pairs of the corpus. */
bool sa_validate(sa_model *model, const sa_corpus *corpus, const sa_dataset *pairs,
                 sa_validation *out, sa_error *error);

#endif
