/* normalizer: from the scores z of a query to its weights p: the table that --normalizer, its help,
 * `compare` and the tests iterate over.
 *
 * A new normalizer is two functions and one row: EXTENDING.md. Causality and windows are not its
 * business: it gets the scores of the keys that the query sees, and those alone. */
#pragma once

#include "layers/basic.h"

struct sa_attention_sizes;

typedef struct sa_normalizer {
    const char *name, *formula, *citation;
    bool exponent;    /* it has the alpha of --entmax-alpha, which may be learned for each head */
    bool exponential; /* weights are in proportion to the exponentials of the scores */
    bool sparse;      /* weights may be exactly 0, where they have no gradient */
    bool null_key;    /* words may have less than 1: what is left is that of no word */
    const char *any_sum; /* why the weights of a query may have any sum; NULL: they do not */

    /* Every row z of scores becomes a row p of weights. */
    void (*forward)(sa_real alpha, sa_mat z);

    /* From the weights p, which are 0 also for keys that the query does not see: dp becomes dz,
     * which is 0 where p is. The derivative by alpha is added to *dalpha; NULL: it is not learned.
     */
    void (*backward)(sa_real alpha, sa_mat p, sa_mat dp, sa_real *dalpha);
    /* In place of it where p does not tell enough: also from the scores z, which are computed
     * again. As forward, it gets the keys that the query sees, and those alone. */
    void (*scored_backward)(sa_real alpha, sa_mat z, sa_mat p, sa_mat dp, sa_real *dalpha);

    /* Every score z_j becomes its distance from the value at which p has a kink; the gradient check
     * stays away from 0. NULL: p is smooth. */
    void (*kinks)(sa_real alpha, sa_mat z);

    const sa_part *part; /* what its attention has besides (parts.h), or NULL */
    const char
        *learned; /* the name of the number that sa_learned_number_part puts for alpha, ... */
    double start; /* ... and its value before training */
    /* Why it refuses an attention of these sizes, in the words of config/settings.h, or NULL. */
    const char *(*refuse)(const struct sa_attention_sizes *sizes);
} sa_normalizer;

extern const sa_normalizer sa_normalizers[]; /* ends with a NULL name */
extern const sa_normalizer sa_no_normalizer; /* p = z, of scores that are weights already */

/* p_j = exp(z_j) / sum_k exp(z_k) */
void sa_softmax_forward(sa_real alpha, sa_mat z);
/* p = z and dz = dp, where a part makes the weights of the scores. */
void sa_keep_scores(sa_real alpha, sa_mat z);
void sa_keep_scores_backward(sa_real alpha, sa_mat p, sa_mat dp, sa_real *dalpha);
