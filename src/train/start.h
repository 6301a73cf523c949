/* start: a training up to its first update, from scratch or resumed. */
#ifndef SA_TRAIN_START_H
#define SA_TRAIN_START_H

#include "train/session.h"

/* The name of a file of a training that the folder holds, or NULL in *found. SA_OPEN: the folder
 * cannot be examined. */
bool sa_training_find(const char *folder, const char **found, sa_error *error);

/* Removes the files of a training from its folder; sa_snapshots_open removes its film. */
bool sa_training_remove(const char *folder, sa_error *error);

/* Locks the output folder, reads the pairs, initializes the model or reads the checkpoint. SA_BUSY:
 * the folder holds a training that is neither resumed nor to be overwritten. The session is closed
 * by sa_session_close also after a failure. */
bool sa_session_open(sa_session *session, const sa_train_options *training, sa_error *error);

#endif
