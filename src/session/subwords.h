/* subwords: --bpe-dropout in a training. */
#ifndef SA_SESSION_SUBWORDS_H
#define SA_SESSION_SUBWORDS_H

#include "session/session.h"

/* Cuts the training pairs into the subwords of this epoch, before the batcher begins it. */
bool sa_session_cut_again(sa_session *session, int64_t epoch, sa_error *error);

/* The longest side that a batch can have, where `length` is the longest without dropout. */
int sa_session_longest(const sa_session *session, int length);

#endif
