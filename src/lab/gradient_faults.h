/* term: the table of backward terms, and the one that is left out. */
#ifndef SA_LAB_TERM_H
#define SA_LAB_TERM_H

#include "tensor/gradient_fault.h"

/* Leaves out the term of that name from now on; NULL: none. False when there is no such term. */
bool sa_gradient_fault_inject(const char *name);

/* Whether a backward pass has come by the term since then. */
bool sa_gradient_fault_hit(void);

#endif
