#include "base/pieces.h"
#include "base/memory.h"
#include "base/thread.h"

#include <stdlib.h>

int sa_pieces_for(int threads, size_t count) {
    enum { SHORTEST = 512 };
    const size_t most = (size_t)(threads > 0 ? threads : sa_cpu_count()), all = count / SHORTEST;
    return all < 1 ? 1 : all < most ? (int)all : (int)most;
}

typedef struct piece_list {
    size_t pieces, count;
    sa_piece_work *work;
    void *context;
    sa_error *error; /* [pieces] with code SA_OK where the work is done */
} piece_list;

static void run_piece(void *context, int piece) {
    const piece_list *all = context;
    const size_t i = (size_t)piece, first = all->count * i / all->pieces;
    all->work(all->context, piece, first, all->count * (i + 1) / all->pieces - first,
              &all->error[i]);
}

bool sa_pieces_run(int pieces, size_t count, sa_piece_work *work, void *context, sa_error *error) {
    if (pieces == 1) return work(context, 0, 0, count, error);
    sa_error *errors = sa_new((size_t)pieces, sizeof *errors, error);
    sa_pool *pool = errors ? sa_pool_open(pieces, error) : NULL;
    piece_list all = {(size_t)pieces, count, work, context, errors};
    int done = 0;
    if (pool) sa_pool_run(pool, pieces, run_piece, &all);
    while (pool && done < pieces && !errors[done].code) done++;
    if (pool && done < pieces && error) *error = errors[done];
    sa_pool_close(pool);
    free(errors);
    return done == pieces;
}
