/* evaluating: how good a model is on pairs. */
#ifndef SA_EVALUATING_H
#define SA_EVALUATING_H

#include "opened.h"

/* Loss per target word (teacher-forced) and BLEU of greedy translations of encoded pairs. */
bool sa_validate(sa_model *model, const sa_corpus *corpus, const sa_dataset *pairs, double *loss,
                 double *bleu, sa_error *error);

#endif
