/* compat: compatibility functions e = f(q, k), the rows that --attention, its help, the tests and
 * the README's table walk.
 *
 * A new score is two functions and one row. The query and the key reach them already mapped: q =
 * W_a s and k = U_a h are made outside, the keys once per sentence. */
#ifndef SA_ATTN_COMPAT_H
#define SA_ATTN_COMPAT_H

#include "base/mat.h"

typedef struct sa_compat {
    const char *name, *formula, *citation;
    bool vector; /* it has a vector v_a of n' numbers */

    /* e_ij = f(q_i, k_j)    q [Q x n'], k [S x n'], v_a [1 x n'], e [Q x S], scratch [S x n'] */
    void (*forward)(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);

    /* dq, dk and dv_a are added to. */
    void (*backward)(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk, sa_mat dv_a,
                     sa_mat scratch);
} sa_compat;

extern const sa_compat sa_compats[]; /* ends with a NULL name */

/* For the option rows: the name of a row, NULL after the last. */
const char *sa_compat_name(size_t row);

#endif
