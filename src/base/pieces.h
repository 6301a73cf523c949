/* pieces: tasks that may fail, and a long list cut into consecutive pieces, one for each thread. */
#pragma once

#include "base/thread.h"

/* Does task i, or fails. */
typedef bool sa_task_work(void *context, int i, sa_error *error);

/* Runs the tasks 0 .. count-1 in the pool; those that are not done when the job is to end early
 * (sa_stopping) fail with SA_CHECK. Returns the error of the first task that fails. */
bool sa_tasks_run(sa_pool *pool, int count, sa_task_work *work, void *context, sa_error *error);

/* Does what is to be done with `count` items from `first` on. */
typedef bool sa_piece_work(void *context, int piece, size_t first, size_t count, sa_error *error);

/* Returns into how many pieces `count` items are cut for that many threads (0: one per core): fewer
 * if they would be short, at least 1. */
int sa_pieces_for(int threads, size_t count);

/* Runs the work for all pieces at the same time. Fails as the first of the pieces that fail. */
bool sa_pieces_run(int pieces, size_t count, sa_piece_work *work, void *context, sa_error *error);
