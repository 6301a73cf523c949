/* snapshots: the attention of a model during its training, recorded as a film. */
#ifndef SA_TRAIN_SNAPSHOTS_H
#define SA_TRAIN_SNAPSHOTS_H

#include "train/session.h"

/* Creates the folders of the film. Removes the frames of other trainings and, when resuming, those
 * of updates that the log does not have. */
bool sa_snapshots_open(const sa_session *session, sa_error *error);

/* Writes the next frame of each pair. */
bool sa_snapshots_write(sa_session *session, sa_error *error);

#endif
