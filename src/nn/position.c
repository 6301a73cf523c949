#include "nn/position.h"

#include <math.h>

const char *sa_position_name(size_t row) {
    static const char *const names[] = {
        [SA_POSITIONS_NONE] = "none", [SA_POSITIONS_SINUSOIDAL] = "sinusoidal"};
    return row < sizeof names / sizeof *names ? names[row] : NULL;
}

/* Section 3.5: PE(t, 2i) = sin(t / 10000^(2i/m)), PE(t, 2i+1) = cos(t / 10000^(2i/m)) */
void sa_position_add(int t, sa_mat x) {
    for (int k = 0; k < x.cols; k++) {
        const double angle = t / pow(10000, (double)(k - k % 2) / x.cols);
        const sa_real pe = (sa_real)(k % 2 ? cos(angle) : sin(angle));
        for (int i = 0; i < x.rows; i++) sa_row(x, i)[k] += pe;
    }
}
