#include "math/blas.h"

#include <string.h>

/* Sixteen numbers at a time: four pieces of four rows become four of four columns. */
enum { SIDE = 4 };
typedef sa_real piece __attribute__((vector_size(SIDE * sizeof(sa_real))));

static void turn_square(const sa_real *from, int ld, sa_real *to, int to_ld) {
    piece a, b, c, d;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + ld, sizeof b);
    memcpy(&c, from + 2 * (ptrdiff_t)ld, sizeof c);
    memcpy(&d, from + 3 * (ptrdiff_t)ld, sizeof d);
    const piece ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
                ab_ = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                cd_ = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const piece column[SIDE] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
                                __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                                __builtin_shufflevector(ab_, cd_, 0, 1, 4, 5),
                                __builtin_shufflevector(ab_, cd_, 2, 3, 6, 7)};
    for (int j = 0; j < SIDE; j++) memcpy(to + j * (ptrdiff_t)to_ld, &column[j], sizeof(piece));
}

/* Rows first .. first+count-1: a band narrow enough for the lines that are written to stay in the
 * first cache. */
static void turn_band(sa_mat W, int first, int count, sa_real *to) {
    const int rows = count / SIDE * SIDE, cols = W.cols / SIDE * SIDE;
    for (int j = 0; j < W.cols; j++)
        for (int i = j < cols ? rows : 0; i < count; i++)
            to[(ptrdiff_t)j * W.rows + first + i] = sa_row(W, first + i)[j];
    for (int j = 0; j < cols; j += SIDE)
        for (int i = 0; i < rows; i += SIDE)
            turn_square(sa_row(W, first + i) + j, W.ld, to + (ptrdiff_t)j * W.rows + first + i,
                        W.rows);
}

sa_mat sa_turned_layout(sa_arena *arena, sa_mat W, int rows) {
    enum { FEW = 4 };
    return rows < FEW ? (sa_mat){0} : sa_mat_take(arena, W.cols, W.rows);
}

sa_mat sa_turned(sa_mat W, sa_mat room) {
    enum { BAND = 16 };
    if (!room.x || !W.x) return W;
    sa_require(room.rows == W.cols && room.cols == W.rows && room.ld == W.rows);
    for (int i = 0; i < W.rows; i += BAND)
        turn_band(W, i, W.rows - i < BAND ? W.rows - i : BAND, room.x);
    W.turned = room.x;
    W.turned_ld = room.ld;
    return W;
}
