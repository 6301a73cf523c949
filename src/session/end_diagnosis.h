/* end_diagnosis: the worst finding about the best model, when a training has ended. */
#ifndef SA_SESSION_END_DIAGNOSIS_H
#define SA_SESSION_END_DIAGNOSIS_H

#include "session/session.h"

/* On 200 validation pairs at most. The model is saved by now: a failure is only noted. */
void sa_session_diagnose(sa_session *session, sa_train_result *result);

#endif
