/* checkpoint: last.safetensors, which holds all that resuming needs, and log.csv beside it. */
#ifndef SA_TRAIN_CHECKPOINT_H
#define SA_TRAIN_CHECKPOINT_H

#include "base/container.h"
#include "train/session.h"

/* The first line of log.csv. */
#define SA_LOG_HEADER                                                                              \
    "epoch,step,seconds,updating,words,words_per_second,train_loss,train_perplexity,"              \
    "gradient_norm,valid_loss,valid_perplexity,valid_bleu,valid_chrf,guided_loss,best\n"

/* Writes both files. */
bool sa_checkpoint_write(sa_session *session, sa_error *error);
/* Restores the state of the training from `file`; the model has been read from it already, and the
 * pairs are encoded. */
bool sa_checkpoint_read(sa_session *session, const sa_container *file, sa_error *error);

#endif
