/* score: attention scores e = f(q, k), the rows that --attention, its help, `compare` and the tests
 * walk. (Bahdanau's "alignment model" is Luong's "score" and Vaswani's "compatibility function".)
 *
 * A new score is two functions and one row: EXTENDING.md. The row says how the query q is made of
 * the decoder's state s and the key k of an annotation h; projection.c does it, the keys once per
 * sentence. */
#ifndef SA_ATTENTION_SCORE_H
#define SA_ATTENTION_SCORE_H

#include "attention/normalizer.h"
#include "layers/params.h"

typedef enum sa_query_projection {
    SA_QUERY_IDENTITY,  /* q = s */
    SA_QUERY_PROJECTED, /* q = W_a s, n' numbers */
    SA_QUERY_POSITIONS, /* q = W_a s, one number for each source position up to S_max */
    SA_QUERY_MIXTURE,   /* q = W_a s, three numbers for each component of a mixture */
} sa_query_projection;

typedef enum sa_key_projection {
    SA_KEY_NONE,        /* no numbers: the score does not read the source */
    SA_KEY_PROJECTED,   /* k = U_a h, n' numbers */
    SA_KEY_STATE_SIZED, /* k = W_a h, as many numbers as s has */
    SA_KEY_IDENTITY,    /* k = h itself, which must have as many numbers as s */
} sa_key_projection;

typedef struct sa_score {
    const char *name, *formula, *citation;
    sa_query_projection query;
    sa_key_projection key;
    bool rotates; /* of q and k only products and lengths matter: rotations of both leave it as it
                     is */
    /* Its own parameters v_a, of which every head has an equal part, for n' units (`size`) of all
     * heads and sentences of at most max_positions words; NULL: it has none. */
    sa_mat (*bind)(sa_binder *binder, const char *part, int size, int heads, int max_positions);

    /* e_ij = f(q_i, k_j)    q [Q x dq], k [S x dk], v_a [1 x ..], e [Q x S], scratch [S x dk] */
    void (*forward)(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);

    /* dq, dk and dv_a are added to; de may be overwritten. */
    void (*backward)(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk, sa_mat dv_a,
                     sa_mat scratch);

    const sa_normalizer *normalizer; /* its own, in place of --normalizer's; or NULL */

    bool weights; /* the scores are weights already, which may have any sum: no normalizer */
    int state;    /* numbers of a head's state; 0: the steps know nothing of each other */

    /* Before forward, of a score with a state: q [1 x dq] goes on from the step before, and leaves
     * to the next one. previous, state [1 x state] */
    void (*carry)(sa_mat v_a, sa_mat previous, sa_mat q, sa_mat state);

    /* dq becomes the derivative by q before it went on; dprevious and dv_a are added to. */
    void (*carry_backward)(sa_mat previous, sa_mat state, sa_mat dstate, sa_mat dq,
                           sa_mat dprevious, sa_mat dv_a);

    bool location_aware; /* it also reads the weights of the step before, and projected keys:
                            location_aware.h */
    int maps; /* of weights, of which each head uses the difference: 2, each with half of the head's
                 units; 0: one */

    bool directions; /* it compares directions, of which a head of one number has only the sign */

    bool kernel; /* v_a is the logarithm of a kernel's width, which `attend --bandwidth` sets */

    /* phi, if e_ij = log phi(q_i)' phi(k_j): x [1 x d] -> [1 x d]; NULL: it is no such score. A
     * component of q or k has a kink at 0. */
    void (*features)(sa_mat x, sa_mat phi);
} sa_score;

extern const sa_score sa_scores[]; /* ends with a NULL name */

/* For the option rows: the name of a row, NULL after the last. */
const char *sa_score_name(size_t row);

#endif
