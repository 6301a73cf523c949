#include "layers/position.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

const char *sa_position_name(size_t row) {
    static const char *const names[] = {[SA_POSITIONS_NONE] = "none",
                                        [SA_POSITIONS_SINUSOIDAL] = "sinusoidal",
                                        [SA_POSITIONS_LEARNED] = "learned"};
    return row < sizeof names / sizeof *names ? names[row] : NULL;
}

void sa_positions_bind(sa_binder *binder, const char *part, int kind, int max_positions, int m,
                       sa_positions *w) {
    *w = (sa_positions){.kind = kind};
    if (kind == SA_POSITIONS_LEARNED)
        w->P = sa_bind_table(binder, part, "P", max_positions, m, SA_INIT_INPUT);
}

/* Section 3.5: PE(t, 2i) = sin(t / 10000^(2i/m)), PE(t, 2i+1) = cos(t / 10000^(2i/m)) */
static void sinusoids(int first, sa_mat table) {
    for (int k = 0; k < table.cols; k++) {
        const double wave = pow(10000, (double)(k - k % 2) / table.cols);
        for (int t = 0; t < table.rows; t++) {
            const double angle = (first + t) / wave;
            sa_row(table, t)[k] = (sa_real)(k % 2 ? cos(angle) : sin(angle));
        }
    }
}

static sa_mat learned(const sa_positions *w, int t) {
    return sa_rows(w->P, t < w->P.rows ? t : w->P.rows - 1, 1);
}

void sa_positions_table(const sa_positions *w, int first, sa_mat table) {
    if (w->kind == SA_POSITIONS_SINUSOIDAL) sinusoids(first, table);
    for (int t = 0; w->kind == SA_POSITIONS_LEARNED && t < table.rows; t++)
        sa_copy_mat(learned(w, first + t), sa_rows(table, t, 1));
}

void sa_positions_backward(int t, sa_mat dx, sa_positions *dw) {
    if (dw->kind == SA_POSITIONS_LEARNED && sa_gradient_intact("position.learned"))
        sa_sum_rows(dx, learned(dw, t).x);
}
