/* gradient_faults: drops one result of a backward pass, so that tests can prove that the gradient
 * check notices.
 *
 * No equation knows of it. The linker gives calls of a function to its wrapper here (CMake takes
 * the names of the functions from these files, for the option --wrap), and the wrapper lets one
 * result go into a matrix that nobody reads, or clears it afterwards. A linker wraps what one file
 * calls and another defines, also by way of a row of a table: functions of a row stand in another
 * file than the table. To add a fault: a row of the table, and a line in the wrapper of the
 * function. */
#pragma once

#include "attention/parts.h"

/* What a function of a score or a hook of a part adds to: nothing is left of it, or one of its
 * results is lost. */
typedef enum sa_fault_result {
    SA_FAULT_ALL,
    SA_FAULT_Q,
    SA_FAULT_K,
    SA_FAULT_V_A,
    SA_FAULT_WEIGHTS, /* d->alpha */
    SA_FAULT_STATE,   /* the derivative by the step before */
    SA_FAULT_ROW,     /* what the part has of each query */
    SA_FAULT_MATRIX,  /* number `matrix` of its gradients, with which its struct begins */
} sa_fault_result;

typedef struct sa_gradient_fault {
    const char *name, *dropped;
    const char *options;           /* of a model that has the term; empty: the default model */
    const sa_score *score, *other; /* rows with the same function are meant, too; or NULL */
    const sa_part *part;           /* with a backward hook at this place; or NULL */
    sa_place place;
    sa_fault_result result;
    int third, last; /* columns of a score's result: one third, or one from the end; 0: all */
    int matrix;
} sa_gradient_fault;

extern const sa_gradient_fault
    sa_gradient_faults[]; /* gradient_faults.tsv; ends with a NULL name */

const sa_gradient_fault *sa_gradient_fault_find(const char *name); /* NULL: there is none */

/* Drops the term of that name from now on, in this thread; NULL: none. False if there is no such
 * term. */
bool sa_gradient_fault_inject(const char *name);

/* Whether a backward pass has reached the term since then. */
bool sa_gradient_fault_hit(void);

/* ---- For the wrappers ------------------------------------------------------------------------ */

/* What is called, and what is called instead. */
#define SA_WRAPPED(function) __typeof__(function) __real_##function, __wrap_##function

/* Whether the term is to be dropped. Ask it only where the model has the term. */
bool sa_broken(const char *term);
const sa_gradient_fault *sa_injected_fault(void); /* or NULL */

/* Where a result is added: to the result, or if the term is to be dropped to a matrix of that
 * shape, which the next call of this function uses again. */
sa_mat sa_unless_broken(const char *term, sa_mat result);
