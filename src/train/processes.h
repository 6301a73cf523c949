/* processes: what the processes that train one model decide together. Alone, each decides for
 * itself. */
#ifndef SA_TRAIN_PROCESSES_H
#define SA_TRAIN_PROCESSES_H

#include "train/session.h"

/* The figures of a validation, by the first process. */
bool sa_processes_validate(sa_session *session, sa_validation *out, sa_error *error);

/* *stop: that of any process. *late: that of the first, whose clock counts. */
void sa_processes_stop(const sa_session *session, bool *stop, bool *late);

/* Whether all have the same weights. SA_CHECK names the host of a process that has others. */
bool sa_processes_compare(const sa_session *session, sa_error *error);
/* The same after every hundredth update. */
bool sa_processes_check(const sa_session *session, sa_error *error);

/* Of the words of all processes, the first that is not the one most have; -1: all are equal. */
int sa_processes_odd(const uint64_t words[], int count);

#endif
