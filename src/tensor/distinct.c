#include "tensor/distinct.h"
#include "tensor/vec.h"

#include <stdint.h>
#include <string.h>

/* Of the bits of some numbers in the row. */
static unsigned hash_of(const sa_real *row, int size) {
    const int step = size > 16 ? size / 16 : 1;
    uint64_t hash = 0;
    for (int i = 0; i < size; i += step) {
        uint32_t bits;
        memcpy(&bits, row + i, sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
    }
    return (unsigned)hash;
}

int sa_distinct_rows(sa_mat x, int same[SA_DISTINCT_ROWS], int first[SA_DISTINCT_ROWS]) {
    enum { PLACES = 2 * SA_DISTINCT_ROWS };
    short table[PLACES];
    int count = 0;
    sa_require(x.rows <= SA_DISTINCT_ROWS);
    memset(table, -1, sizeof table);
    for (int i = 0; i < x.rows; i++) {
        const sa_real *row = sa_row(x, i);
        unsigned at = hash_of(row, x.cols) % PLACES;
        while (table[at] >= 0 &&
               memcmp(sa_row(x, first[table[at]]), row, sizeof *row * (size_t)x.cols) != 0)
            at = (at + 1) % PLACES;
        if (table[at] < 0) {
            first[count] = i;
            table[at] = (short)count++;
        }
        same[i] = table[at];
    }
    return count;
}

void sa_gather_rows(sa_mat from, const int *index, sa_mat to) {
    sa_require(from.cols == to.cols);
    for (int i = 0; i < to.rows; i++)
        memcpy(sa_row(to, i), sa_row(from, index[i]), sizeof(sa_real) * (size_t)to.cols);
}

void sa_add_gathered(sa_mat from, const int *index, sa_mat to) {
    sa_require(from.cols == to.cols);
    for (int i = 0; i < to.rows; i++) sa_axpy(1, sa_row(from, index[i]), sa_row(to, i), to.cols);
}
