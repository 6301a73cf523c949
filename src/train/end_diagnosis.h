/* end_diagnosis: the worst finding about the best model, when a training has ended. */
#ifndef SA_TRAIN_END_DIAGNOSIS_H
#define SA_TRAIN_END_DIAGNOSIS_H

#include "train/session.h"

/* On 200 validation pairs at most. The model is saved by now: a failure is only noted. */
void sa_session_diagnose(sa_session *session, sa_train_result *result);

#endif
