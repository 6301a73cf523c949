/* filming: where a model that is being trained looks, validation by validation. */
#ifndef SA_FILMING_H
#define SA_FILMING_H

#include "session/session.h"

/* Makes the folders of the film. Frames of another training, and those of a resumed one that its
 * log does not know, are removed: the film is always that of the training beside it. */
bool sa_snapshots_open(const sa_session *session, sa_error *error);

/* Writes the next frame of each pair; nothing without pairs. */
bool sa_snapshots_write(sa_session *session, sa_error *error);

#endif
