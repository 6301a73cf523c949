/* gradient_fault: named terms of backward passes that a test can leave out.
 *
 * A backward pass asks sa_gradient_intact("gru.reset") around a term. In single precision that is
 * the constant true and costs nothing. In the double copy the term named to
 * sa_gradient_fault_inject is left out, and the gradient check must find the fault. The names are
 * in one table (lab/gradient_faults.c); a test injects each. The playground is compiled with
 * SA_BREAKABLE: it trains without a term in single precision, too. */
#ifndef SA_TENSOR_GRADIENT_FAULT_H
#define SA_TENSOR_GRADIENT_FAULT_H

#include <stdbool.h>

#if defined(SA_DOUBLE) || defined(SA_BREAKABLE)
bool sa_gradient_intact(const char *name); /* false when this term is left out */
#else
static inline bool sa_gradient_intact(const char *name) {
    (void)name;
    return true;
}
#endif

#endif
