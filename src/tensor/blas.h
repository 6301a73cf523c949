/* blas: the products of tensor/mat.h and their library. The only file that includes <cblas.h> is
 * blas.c. A product of one row goes through the faster matrix-vector routine, so its last bits may
 * differ from the same row inside a block. */
#pragma once

#include "tensor/mat.h"

#include <softalign/report.h>

/* Makes OpenBLAS work in the calling thread only (threads are ours, above it). Call once before
 * the first product. */
void sa_blas_init(void);
/* SA_LIMIT if there is no memory left for the buffers that OpenBLAS maps at each thread's first
 * product; OpenBLAS would wait forever. So all else that the threads need comes first. */
bool sa_blas_check_memory(int threads, sa_error *error);
/* Returns the kernel set OpenBLAS chose for this machine, such as "SkylakeX". */
const char *sa_blas_core(void);
/* sa_blas_version, sa_blas_library and sa_blas_one_thread of softalign.h are here, too. */
