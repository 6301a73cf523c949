/* positions: encodings of positions, which are added to embeddings, and their gradients. */
#include "layers/positions.h"

/* Section 3.5: PE(t, 2i) = sin(t / 10000^(2i/m)), PE(t, 2i+1) = cos(t / 10000^(2i/m)) */
void sa_sinusoidal_encoding(sa_mat w, int first, sa_mat table) {
    for (int k = 0; k < table.cols; k++) {
        const double wave = pow(10000, (double)(k - k % 2) / table.cols);
        for (int t = 0; t < table.rows; t++) {
            const double angle = (first + t) / wave;
            sa_row(table, t)[k] = (sa_real)(k % 2 ? cos(angle) : sin(angle));
        }
    }
}

sa_mat sa_learned_positions_bind(sa_binder *binder, const char *prefix,
                                 const sa_position_sizes *sizes) {
    return sa_bind_table(binder, prefix, "P", sizes->max_positions, sizes->m, SA_INIT_INPUT);
}

/* Returns row t of P; beyond the last row, the last one. */
static sa_mat learned_row(sa_mat P, int t) {
    return sa_rows(P, t < P.rows ? t : P.rows - 1, 1);
}

void sa_learned_encoding(sa_mat P, int first, sa_mat table) {
    for (int t = 0; t < table.rows; t++)
        sa_copy_mat(learned_row(P, first + t), sa_rows(table, t, 1));
}

void sa_learned_encoding_backward(int t, sa_mat dx, sa_mat dP) {
    sa_sum_rows(dx, learned_row(dP, t).x);
}

void sa_positions_bind(sa_binder *binder, const char *prefix, const sa_position_sizes *sizes,
                       sa_positions *w) {
    *w = (sa_positions){.kind = sizes->kind, .causal = sizes->causal};
    if (w->kind->bind) w->w = w->kind->bind(binder, prefix, sizes);
}

void sa_positions_table(const sa_positions *w, int first, sa_mat table) {
    if (w->kind->encoding) w->kind->encoding(w->w, w->first + first, table);
}

void sa_positions_backward(int t, sa_mat dx, sa_positions *dw) {
    if (dw->kind->encoding_backward) dw->kind->encoding_backward(t, dx, dw->w);
}
