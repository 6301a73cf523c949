#include "base/pieces.h"
#include "base/memory.h"

#include <stdlib.h>

/* ---- Tasks ----------------------------------------------------------------------------------- */

typedef struct task_list {
    sa_task_work *work;
    void *context;
    sa_error *errors; /* of each task; code SA_OK: it is done */
} task_list;

static void run_task(void *context, int i) {
    const task_list *all = context;
    if (!sa_stopping()) all->work(all->context, i, &all->errors[i]);
    if (sa_stopping()) sa_fail(&all->errors[i], SA_CHECK, "ended early");
}

bool sa_tasks_run(sa_pool *pool, int count, sa_task_work *work, void *context, sa_error *error) {
    task_list all = {work, context, sa_new((size_t)count, sizeof *all.errors, error)};
    if (!all.errors) return false;
    sa_pool_run(pool, count, run_task, &all);
    int done = 0;
    while (done < count && all.errors[done].code == SA_OK) done++;
    if (done < count && error) *error = all.errors[done];
    free(all.errors);
    return done == count;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

int sa_pieces_for(int threads, size_t count) {
    enum { SHORTEST = 512 };
    const size_t most = (size_t)(threads > 0 ? threads : sa_cpu_count()), all = count / SHORTEST;
    return all < 1 ? 1 : all < most ? (int)all : (int)most;
}

typedef struct piece_list {
    size_t pieces, count;
    sa_piece_work *work;
    void *context;
} piece_list;

static bool run_piece(void *context, int piece, sa_error *error) {
    const piece_list *all = context;
    const size_t i = (size_t)piece, first = all->count * i / all->pieces;
    return all->work(all->context, piece, first, all->count * (i + 1) / all->pieces - first, error);
}

bool sa_pieces_run(int pieces, size_t count, sa_piece_work *work, void *context, sa_error *error) {
    if (pieces == 1) return work(context, 0, 0, count, error);
    piece_list all = {(size_t)pieces, count, work, context};
    sa_pool *pool = sa_pool_open(pieces, error);
    const bool good = pool && sa_tasks_run(pool, pieces, run_piece, &all, error);
    sa_pool_close(pool);
    return good;
}
