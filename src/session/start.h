/* start: a training up to its first update, from scratch or resumed. */
#ifndef SA_SESSION_START_H
#define SA_SESSION_START_H

#include "session/session.h"

/* Locks the output folder, reads the pairs, initializes the model or reads the checkpoint. The
 * session is closed by sa_session_close also after a failure. */
bool sa_session_open(sa_session *session, const sa_train_options *training, sa_error *error);

#endif
