#include "attention/location_aware.h"
#include "tensor/blas.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

sa_location_aware sa_location_aware_bind(sa_binder *binder, const char *part, int size, int filters,
                                         int width) {
    return (sa_location_aware){.F = sa_bind_table(binder, part, "F", filters, width, SA_INIT_INPUT),
                               .W_f =
                                   sa_bind_table(binder, part, "W_f", size, filters, SA_INIT_INPUT),
                               .b_a = sa_bind_vector(binder, part, "b_a", size, SA_INIT_ZERO)};
}

sa_location_aware sa_location_aware_head(sa_location_aware w, int heads, int k) {
    const int size = w.b_a.cols / heads;
    return (sa_location_aware){w.F, sa_rows(w.W_f, k * size, size), sa_cols(w.b_a, k * size, size)};
}

/* The words j whose j - o is one of S words, too. */
static int first_of(int o) {
    return o > 0 ? o : 0;
}

static int end_of(int o, int S) {
    return o < 0 ? S + o : S;
}

/* Equation 8: f_ij = sum_o F_o alpha_{i-1,j-o} */
static void filter_forward(sa_mat F, sa_mat alpha, sa_mat f) {
    const int r = F.cols / 2;
    sa_zero(f);
    for (int l = 0; l < F.rows; l++)
        for (int o = -r; o <= r; o++)
            for (int j = first_of(o); j < end_of(o, f.rows); j++)
                sa_row(f, j)[l] += sa_row(F, l)[o + r] * alpha.x[j - o];
}

static void filter_backward(sa_mat F, sa_mat alpha, sa_mat df, sa_mat dalpha, sa_mat dF) {
    const int r = F.cols / 2;
    const bool filters = sa_gradient_intact("location-aware.filters"),
               previous = sa_gradient_intact("location-aware.previous");
    for (int l = 0; l < F.rows; l++)
        for (int o = -r; o <= r; o++)
            for (int j = first_of(o); j < end_of(o, df.rows); j++) {
                const sa_real d = sa_row(df, j)[l];
                if (filters) sa_row(dF, l)[o + r] += d * alpha.x[j - o];
                if (previous) dalpha.x[j - o] += d * sa_row(F, l)[o + r];
            }
}

/* Equation 9, what it adds to Bahdanau's score: k_j + W_f f_ij + b_a */
void sa_location_aware_forward(sa_location_aware w, sa_mat alpha, sa_mat f, sa_mat k) {
    filter_forward(w.F, alpha, f);
    sa_gemm_nt(f, w.W_f, 1, k);
    for (int j = 0; j < k.rows; j++) sa_axpy(1, w.b_a.x, sa_row(k, j), k.cols);
}

void sa_location_aware_backward(sa_location_aware w, sa_mat alpha, sa_mat f, sa_mat dk, sa_mat df,
                                sa_mat dalpha, sa_location_aware dw) {
    for (int j = 0; sa_gradient_intact("location-aware.bias") && j < dk.rows; j++)
        sa_axpy(1, sa_row(dk, j), dw.b_a.x, dk.cols);
    if (sa_gradient_intact("location-aware.weights")) sa_gemm_tn(dk, f, 1, dw.W_f);
    sa_gemm_nn(dk, w.W_f, 0, df);
    filter_backward(w.F, alpha, df, dalpha, dw.F);
}
