/* trace: what a forward pass computes on its way and does not keep. A line such as
 * sa_trace("e", alpha, head) hands a matrix, which the lines after it change, to a reader such as
 * `softalign explain`. Single precision has no readers. */
#pragma once

#include "tensor/mat.h"

typedef struct sa_tracer sa_tracer;
struct sa_tracer {
    /* of: the sa_head that the numbers of an attention belong to; otherwise NULL */
    void (*take)(sa_tracer *tracer, const char *name, sa_mat x, const void *of);
};

#ifdef SA_DOUBLE
extern _Thread_local sa_tracer *sa_tracing; /* of this thread, or NULL; in vec.c */
#endif

static inline void sa_trace(const char *name, sa_mat x, const void *of) {
#ifdef SA_DOUBLE
    if (sa_tracing) sa_tracing->take(sa_tracing, name, x, of);
#endif
}
