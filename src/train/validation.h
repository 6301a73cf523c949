/* validation: loss and metrics of a model on the validation pairs. */
#ifndef SA_TRAIN_VALIDATION_H
#define SA_TRAIN_VALIDATION_H

#include "inference/model.h"

typedef struct sa_validation {
    double loss;       /* per target token, teacher-forced */
    double bleu, chrf; /* of greedy translations */
} sa_validation;

/* Whether one is better than the other; criterion: SA_CRITERION_... */
bool sa_validation_better(int criterion, sa_validation one, sa_validation other);

/* Evaluates the model on encoded pairs of the corpus. */
bool sa_validate(sa_model *model, const sa_corpus *corpus, const sa_dataset *pairs,
                 sa_validation *out, sa_error *error);

#endif
