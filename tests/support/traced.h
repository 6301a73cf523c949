/* traced: what a pass has traced under a name, the first time. */
#ifndef TEST_TRACED_H
#define TEST_TRACED_H

#include "attention/parts.h"
#include "support/numbers.h"
#include "tensor/vec.h"

#include <string.h>

typedef struct traced_reader {
    sa_tracer tracer; /* the first member */
    const char *name;
    int head;
    sa_mat x, place; /* a copy, and what was copied */
} traced_reader;

static inline void take_traced(sa_tracer *tracer, const sa_traced *one) {
    traced_reader *own = (traced_reader *)tracer;
    const sa_head *head = one->head;
    if (own->x.x || !one->name || strcmp(one->name, own->name) != 0 || head->index != own->head)
        return;
    own->place = one->x, own->x = sa_mat_alloc(&numbers, one->x.rows, one->x.cols);
    sa_copy_mat(one->x, own->x);
}

/* Runs a hook of a part on a copy of the head. */
static inline traced_reader traced_by(const sa_attention *of, const sa_part *kind, sa_place place,
                                      sa_head at, const char *name) {
    traced_reader reader = {{take_traced}, name, at.index, {0}, {0}};
    sa_tracing = &reader.tracer;
    kind->forward[place](of, sa_part_find(of, kind), &at);
    sa_tracing = NULL;
    return reader;
}

#endif
