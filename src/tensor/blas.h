/* blas: matrix products. The only file that includes <cblas.h> is blas.c.
 *
 * Rows are words, columns are units, weights are [out x in]; so a layer is y = x W' (nt), its
 * gradient with respect to x is dy W (nn), and with respect to W it is dy' x (tn). Shapes that do
 * not fit trap. A product of one row goes through the faster matrix-vector routine, so its last
 * bits may differ from the same row inside a block. */
#pragma once

#include "tensor/mat.h"

/* c = beta c + a b, of a' in the place of a, or of b' in that of b; beta is 0 or 1 */
void sa_gemm(bool a_transposed, sa_mat a, bool b_transposed, sa_mat b, sa_real beta, sa_mat c);

/* c = beta c + a b    a [M x K], b [K x N], c [M x N] */
static inline void sa_gemm_nn(sa_mat a, sa_mat b, sa_real beta, sa_mat c) {
    sa_gemm(false, a, false, b, beta, c);
}

/* c = beta c + a b'   a [M x K], b [N x K], c [M x N] */
static inline void sa_gemm_nt(sa_mat a, sa_mat b, sa_real beta, sa_mat c) {
    sa_gemm(false, a, true, b, beta, c);
}

/* c = beta c + a' b   a [K x M], b [K x N], c [M x N] */
static inline void sa_gemm_tn(sa_mat a, sa_mat b, sa_real beta, sa_mat c) {
    sa_gemm(true, a, false, b, beta, c);
}

/* Makes OpenBLAS work in the calling thread only (threads are ours, above it). Call once before
 * the first product. */
void sa_blas_init(void);
/* SA_LIMIT if there is no memory left for the buffers that OpenBLAS maps at each thread's first
 * product; OpenBLAS would wait forever. So all else that the threads need comes first. */
bool sa_blas_check_memory(int threads, sa_error *error);
/* The kernel set OpenBLAS chose for this machine, such as "SkylakeX". */
const char *sa_blas_core(void);
/* sa_blas_version, sa_blas_library and sa_blas_one_thread of softalign.h are here, too. */
