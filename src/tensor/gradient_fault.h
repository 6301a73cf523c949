/* term: named backward terms that the gradient laboratory can leave out.
 *
 * A backward pass asks sa_gradient_intact("gru.reset") around a term; in the program that is the
 * constant true and costs nothing. In the double copy the term named to sa_gradient_fault_inject is
 * dropped, and the gradient check must notice. The names stand in one table
 * (lab/gradient_faults.c); a test plants each. */
#ifndef SA_MATH_TERM_H
#define SA_MATH_TERM_H

#include <stdbool.h>

#ifdef SA_DOUBLE
bool sa_gradient_intact(const char *name); /* false when this term is left out */
#else
static inline bool sa_gradient_intact(const char *name) {
    (void)name;
    return true;
}
#endif

#endif
