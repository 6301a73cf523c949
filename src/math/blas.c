#include "math/blas.h"

#include <cblas.h>

#ifdef SA_DOUBLE
#define gemm cblas_dgemm
#define gemv cblas_dgemv
#define ger cblas_dger
#else
#define gemm cblas_sgemm
#define gemv cblas_sgemv
#define ger cblas_sger
#endif

/* OpenBLAS leaves c as it was when the inner dimension is empty, and its rank-one update knows no
 * beta: there c is multiplied here. */
static void multiply(sa_real beta, sa_mat c) {
    if (beta != 0) return;
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.cols; j++) sa_row(c, i)[j] = 0;
}

void sa_gemm_nn(sa_mat a, sa_mat b, sa_real beta, sa_mat c) {
    sa_require(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
    if (!c.rows || !c.cols) return;
    if (!a.cols)
        multiply(beta, c);
    else if (a.rows == 1)
        gemv(CblasRowMajor, CblasTrans, b.rows, b.cols, 1, b.x, b.ld, a.x, 1, beta, c.x, 1);
    else
        gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, c.rows, c.cols, a.cols, 1, a.x, a.ld, b.x,
             b.ld, beta, c.x, c.ld);
}

void sa_gemm_nt(sa_mat a, sa_mat b, sa_real beta, sa_mat c) {
    sa_require(a.cols == b.cols && a.rows == c.rows && b.rows == c.cols);
    if (!c.rows || !c.cols) return;
    if (!a.cols)
        multiply(beta, c);
    else if (a.rows == 1)
        gemv(CblasRowMajor, CblasNoTrans, b.rows, b.cols, 1, b.x, b.ld, a.x, 1, beta, c.x, 1);
    else
        gemm(CblasRowMajor, CblasNoTrans, CblasTrans, c.rows, c.cols, a.cols, 1, a.x, a.ld, b.x,
             b.ld, beta, c.x, c.ld);
}

void sa_gemm_tn(sa_mat a, sa_mat b, sa_real beta, sa_mat c) {
    sa_require(a.rows == b.rows && a.cols == c.rows && b.cols == c.cols);
    if (!c.rows || !c.cols) return;
    if (a.rows <= 1) {
        multiply(beta, c);
        if (a.rows) ger(CblasRowMajor, c.rows, c.cols, 1, a.x, 1, b.x, 1, c.x, c.ld);
    } else {
        gemm(CblasRowMajor, CblasTrans, CblasNoTrans, c.rows, c.cols, a.rows, 1, a.x, a.ld, b.x,
             b.ld, beta, c.x, c.ld);
    }
}

void sa_blas_init(void) {
    openblas_set_num_threads(1);
}

const char *sa_blas_core(void) {
    return openblas_get_corename();
}
