#include "layers/maxout.h"

void sa_maxout_forward(sa_mat pairs, sa_mat t) {
    for (int i = 0; i < t.rows; i++) {
        const sa_real *a = sa_row(pairs, i);
        sa_real *max = sa_row(t, i);
        for (int k = 0; k < t.cols; k++)
            max[k] = a[2 * k] >= a[2 * k + 1] ? a[2 * k] : a[2 * k + 1];
    }
}

void sa_maxout_backward(sa_mat pairs, sa_mat dt, sa_mat dpairs) {
    for (int i = 0; i < dt.rows; i++) {
        const sa_real *a = sa_row(pairs, i), *d = sa_row(dt, i);
        sa_real *da = sa_row(dpairs, i);
        for (int k = 0; k < dt.cols; k++) {
            bool first = a[2 * k] >= a[2 * k + 1];
            da[2 * k] = first ? d[k] : 0;
            da[2 * k + 1] = first ? 0 : d[k];
        }
    }
}
