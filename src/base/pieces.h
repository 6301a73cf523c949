/* pieces: a long list cut into consecutive pieces, one for each thread. */
#pragma once

#include "base/error.h"

/* Does what is to be done with `count` items from `first` on. */
typedef bool sa_piece_work(void *context, int piece, size_t first, size_t count, sa_error *error);

/* Returns into how many pieces `count` items are cut for that many threads (0: one per core): fewer
 * if they would be short, at least 1. */
int sa_pieces_for(int threads, size_t count);

/* Runs the work for all pieces at the same time. Fails as the first of the pieces that fail. */
bool sa_pieces_run(int pieces, size_t count, sa_piece_work *work, void *context, sa_error *error);
