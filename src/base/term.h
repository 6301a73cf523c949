/* term: named backward terms that the gradient laboratory can leave out.
 *
 * A backward pass asks sa_term("gru.reset") around a term; in the float program that is the
 * constant true and costs nothing. In the double copy the term named by sa_term_broken is dropped,
 * and the gradient check must notice. The names stand in one table, sa_terms, each planted by a
 * test. */
#ifndef SA_BASE_TERM_H
#define SA_BASE_TERM_H

#include <stdbool.h>

typedef struct sa_term_row {
    const char *name;    /* module.term */
    const char *dropped; /* the term that goes missing, as a formula */
} sa_term_row;

extern const sa_term_row sa_terms[]; /* ends with a NULL name */

#ifdef SA_DOUBLE
extern const char *sa_term_broken; /* NULL: nothing is broken */
bool sa_term(const char *name);
#else
static inline bool sa_term(const char *name) {
    (void)name;
    return true;
}
#endif

#endif
