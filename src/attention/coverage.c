#include "attention/coverage.h"
#include "tensor/blas.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

const sa_coverage sa_coverages[] = {
    [SA_COVERAGE_NONE] = {"none", "e_j = f(q, k_j)", "Bahdanau et al. 2015", false, false},
    [SA_COVERAGE_LINGUISTIC] = {"linguistic",
                                "e_j = f(q, k_j + w_c C_j), C_j = sum of alpha_j / Phi_j over the "
                                "words before, Phi_j = N sigma(U_f h_j), N = --max-fertility",
                                "Tu et al. 2016, section 3.1.1", true, false},
    [SA_COVERAGE_LOSS] = {"loss",
                          "e_j = f(q, k_j + w_c C_j), C_j = sum of alpha_j over the words before; "
                          "the loss sum_j min(alpha_j, C_j) is trained, too",
                          "See et al. 2017, section 2.3", false, true},
    {.name = NULL},
};

const char *sa_coverage_name(size_t row) {
    return row < sizeof sa_coverages / sizeof *sa_coverages ? sa_coverages[row].name : NULL;
}

void sa_fertility_forward(sa_real N, sa_mat U_f, sa_mat h, sa_mat Phi) {
    sa_gemm_nt(h, U_f, 0, Phi);
    sa_sigmoid(Phi);
    sa_scale(N, Phi);
}

void sa_fertility_backward(sa_real N, sa_mat U_f, sa_mat h, sa_mat Phi, sa_mat dPhi, sa_mat dh,
                           sa_mat dU_f) {
    if (!sa_gradient_intact("coverage.fertility")) return;
    for (int j = 0; j < h.rows; j++) {
        const sa_real share = *sa_row(Phi, j) / N,
                      da = *sa_row(dPhi, j) * N * share * (1 - share); /* Phi = N sigma(a) */
        sa_axpy(da, U_f.x, sa_row(dh, j), h.cols);
        sa_axpy(da, sa_row(h, j), dU_f.x, h.cols);
    }
}

void sa_coverage_keys_forward(sa_mat w_c, sa_mat C, sa_mat k) {
    sa_gemm_tn(C, w_c, 1, k);
}

void sa_coverage_keys_backward(sa_mat w_c, sa_mat C, sa_mat dk, sa_mat dC, sa_mat dw_c) {
    if (sa_gradient_intact("coverage.weights")) sa_gemm_nn(C, dk, 1, dw_c);
    if (sa_gradient_intact("coverage.score")) sa_gemm_nt(w_c, dk, 1, dC);
}

static sa_real fertility_of(sa_mat Phi, int j) {
    return Phi.cols ? *sa_row(Phi, j) : 1;
}

/* Section 3.1.1 of Tu et al. 2016: C_ij = C_{i-1,j} + alpha_ij / Phi_j; in See et al. Phi = 1 */
void sa_coverage_sum_forward(sa_mat previous, sa_mat alpha, sa_mat Phi, sa_mat C) {
    for (int j = 0; j < C.cols; j++) C.x[j] = previous.x[j] + alpha.x[j] / fertility_of(Phi, j);
}

void sa_coverage_sum_backward(sa_mat alpha, sa_mat Phi, sa_mat dC, sa_mat dprevious, sa_mat dalpha,
                              sa_mat dPhi) {
    const bool sum = sa_gradient_intact("coverage.sum"),
               divisor = sa_gradient_intact("coverage.divisor");
    if (sa_gradient_intact("coverage.carry")) sa_add(dC, dprevious);
    for (int j = 0; j < dC.cols; j++) {
        const sa_real share = dC.x[j] / fertility_of(Phi, j);
        if (sum) dalpha.x[j] += share;
        if (Phi.cols && divisor) *sa_row(dPhi, j) -= share * alpha.x[j] / *sa_row(Phi, j);
    }
}

sa_real sa_coverage_loss_forward(sa_mat C, sa_mat alpha) {
    sa_real loss = 0;
    for (int j = 0; j < C.cols; j++) loss += alpha.x[j] < C.x[j] ? alpha.x[j] : C.x[j];
    return loss;
}

void sa_coverage_loss_backward(sa_mat C, sa_mat alpha, sa_real dloss, sa_mat dC, sa_mat dalpha) {
    const bool again = sa_gradient_intact("coverage.again"),
               covered = sa_gradient_intact("coverage.covered");
    for (int j = 0; j < C.cols; j++)
        if (alpha.x[j] < C.x[j])
            dalpha.x[j] += again ? dloss : 0;
        else
            dC.x[j] += covered ? dloss : 0;
}
