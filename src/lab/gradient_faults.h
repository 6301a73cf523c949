/* gradient_faults: drops one term of a backward pass, so that tests can prove that the gradient
 * check notices. */
#ifndef SA_LAB_GRADIENT_FAULTS_H
#define SA_LAB_GRADIENT_FAULTS_H

#include "tensor/gradient_fault.h"

/* Drops the term of that name from now on; NULL: none. False if there is no such term. */
bool sa_gradient_fault_inject(const char *name);

/* Whether a backward pass has reached the term since then. */
bool sa_gradient_fault_hit(void);

#endif
