#include "layers/embedding.h"
#include "tensor/vec.h"

#include <string.h>

void sa_embedding_forward(sa_mat E, const int32_t *ids, sa_mat y) {
    for (int i = 0; i < y.rows; i++) {
        sa_require(ids[i] >= 0 && ids[i] < E.rows);
        memcpy(sa_row(y, i), sa_row(E, ids[i]), sizeof(sa_real) * (size_t)y.cols);
    }
}

void sa_embedding_backward(const int32_t *ids, sa_mat dy, sa_mat dE) {
    for (int i = 0; i < dy.rows; i++) sa_axpy(1, sa_row(dy, i), sa_row(dE, ids[i]), dy.cols);
}

const int32_t *sa_embedding_inputs(sa_arena *arena, const sa_batch_side *side) {
    int32_t *inputs = sa_arena_alloc(arena, (size_t)side->words, sizeof *inputs);
    if (!arena->base) return inputs;
    for (int t = 0; t < side->steps; t++)
        for (int b = 0; b < side->active[t]; b++)
            inputs[side->start[t] + b] = t ? side->ids[side->start[t - 1] + b] : SA_BOS;
    return inputs;
}
