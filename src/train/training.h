/* training: the parts of a training's loop. */
#ifndef SA_TRAIN_TRAINING_H
#define SA_TRAIN_TRAINING_H

#include "train/session.h"

/* Makes an update. */
bool sa_session_step(sa_session *session, sa_error *error);

/* Whether a scheduled validation follows the last update. */
bool sa_session_validation_due(const sa_session *session);

/* Validates the model and saves it if it is the best so far. A scheduled validation is part of the
 * training; one at a stop does not change its state, so that resuming gives the bits of a training
 * that was never stopped. */
bool sa_session_validate(sa_session *session, bool scheduled, sa_error *error);

/* Why training ends now, or NULL. */
const char *sa_session_reason_to_stop(const sa_session *session);

#endif
