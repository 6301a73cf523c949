/* normalizer: from the scores z of a query to its weights p, the rows that --normalizer, its help,
 * `compare` and the tests walk.
 *
 * A new normalizer is two functions and one row: EXTENDING.md. Causality and windows are not its
 * business: it gets the scores of the keys that the query sees, and those alone. */
#ifndef SA_ATTENTION_NORMALIZER_H
#define SA_ATTENTION_NORMALIZER_H

#include "tensor/mat.h"

typedef struct sa_normalizer {
    const char *name, *formula, *citation;
    bool exponent;    /* it has the alpha of --entmax-alpha, which may be learned for each head */
    bool exponential; /* weights are in proportion to the exponentials of the scores */
    bool sparse;      /* weights may be exactly 0, where they have no gradient */
    bool null_key;    /* a key that is no word may take weight: words may have less than 1 */
    bool learned_key; /* it is a parameter k_0, and the scores are e_j - e_0, e_0 = f(q, k_0) */

    /* Every row z of scores becomes a row p of weights. */
    void (*forward)(sa_real alpha, sa_mat z);

    /* From the weights p, which are 0 also for keys that the query does not see: dp becomes dz,
     * which is 0 where p is. The derivative by alpha is added to *dalpha; NULL: it is not learned.
     */
    void (*backward)(sa_real alpha, sa_mat p, sa_mat dp, sa_real *dalpha);

    /* Every score z_j becomes its distance from the value at which p has a kink; the gradient check
     * stays away from 0. NULL: p is smooth. */
    void (*kinks)(sa_real alpha, sa_mat z);

    /* Instead of the functions above, for weights that depend on those of the step before
     * (previous). All are [1 x S]; p is what the backward pass needs of the forward pass. Scores z
     * with noise (or none: no columns) become weights; hard: those of decoding. */
    void (*step_forward)(bool hard, sa_mat previous, sa_mat noise, sa_mat p, sa_mat z);
    /* dalpha becomes dz, dprevious is added to. */
    void (*step_backward)(sa_mat p, sa_mat alpha, sa_mat dalpha, sa_mat dprevious);

    /* After forward, where one key is drawn by its weight; NULL: none is. p [1 x S] becomes alpha,
     * 1 at the key that u < 1 draws, and p itself for u = 1; hard: at the largest, as in decoding.
     * log p of the key and the entropy of p are added to draws[0] and draws[1]. */
    void (*draw)(bool hard, sa_real u, sa_mat p, sa_mat alpha, sa_real *draws);
    /* From the derivatives by them, and not that by alpha: dalpha becomes dz. */
    void (*draw_backward)(sa_mat p, sa_mat alpha, const sa_real *ddraws, sa_mat dalpha);
} sa_normalizer;

extern const sa_normalizer sa_normalizers[]; /* ends with a NULL name */
extern const sa_normalizer sa_no_normalizer; /* p = z, of scores that are weights already */

/* For the option rows: the name of a row, NULL after the last; and the word that stands for a
 * number in --entmax-alpha. */
const char *sa_normalizer_name(size_t row);
const char *sa_entmax_alpha_name(size_t row);

/* The alpha that is learned: 1 + sigma(a). */
sa_real sa_entmax_alpha(sa_real a);
/* From the derivative by alpha to that by a. */
sa_real sa_entmax_alpha_backward(sa_real alpha, sa_real dalpha);

#endif
