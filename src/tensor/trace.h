/* trace: a line such as sa_trace("f", y) hands a reader such as `softalign explain`
 * numbers of a pass that the following lines change. Single precision has no readers. */
#pragma once

#include "tensor/mat.h"

typedef struct sa_traced {
    const char *name;
    sa_mat x;
    const void *attention, *head; /* the sa_attention and sa_head whose numbers they are, or NULL */
    /* Of a part's quantity (attention/parts.h): what equations call it, an equation that begins
     * with it (or NULL) and its paper, and a sa_explain_shape. */
    const char *letters, *formula, *citation;
    int shape;
} sa_traced;

typedef struct sa_tracer sa_tracer;
struct sa_tracer {
    void (*take)(sa_tracer *tracer, const sa_traced *one);
};

#ifdef SA_DOUBLE
extern _Thread_local sa_tracer *sa_tracing; /* of this thread, or NULL; vec.c */
#endif

/* Returns whether there is a reader. */
static inline bool sa_is_traced(void) {
#ifdef SA_DOUBLE
    return sa_tracing;
#else
    return false;
#endif
}

static inline void sa_trace_all(sa_traced one) {
#ifdef SA_DOUBLE
    if (sa_tracing) sa_tracing->take(sa_tracing, &one);
#endif
}

static inline void sa_trace(const char *name, sa_mat x) {
    sa_trace_all((sa_traced){.name = name, .x = x});
}

static inline void sa_trace_head(const void *attention, const void *head, const char *name,
                                 sa_mat x) {
    sa_trace_all((sa_traced){.name = name, .x = x, .attention = attention, .head = head});
}
