/* blas: the products of tensor/mat.h and their library. The only file that includes <cblas.h> is
 * blas.c. A product of one row goes through the faster matrix-vector routine, so its last bits may
 * differ from the same row inside a block. */
#pragma once

#include "tensor/mat.h"

#include <softalign/report.h>

/* Makes OpenBLAS compute only in the calling thread (the threads are ours, above it). Call it once,
 * before the first product. */
void sa_blas_init(void);
/* Fails with SA_LIMIT if no memory is left for the buffers that OpenBLAS maps at each thread's
 * first product; OpenBLAS would wait forever. So everything else that the threads need comes
 * first. */
bool sa_blas_check_memory(int threads, sa_error *error);
/* Returns the kernels that OpenBLAS chose for this machine, such as "SkylakeX". */
const char *sa_blas_core(void);
/* sa_blas_version, sa_blas_library and sa_blas_one_thread of softalign/report.h are here, too. */
