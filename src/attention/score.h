/* score: attention scores e = f(q, k), a table for --attention, its help, `compare` and the tests.
 * (Bahdanau's "alignment model" is Luong's "score" and Vaswani's "compatibility function".)
 *
 * A new score is two functions and one row: EXTENDING.md. The row says how the query q is made of
 * the decoder's state s and the key k of an annotation h; heads.c does it, the keys once per
 * sentence. */
#pragma once

#include "layers/basic.h"
#include "layers/params.h"

typedef enum sa_query_projection {
    SA_QUERY_IDENTITY,  /* q = s */
    SA_QUERY_PROJECTED, /* q = W_a s, n' numbers */
    SA_QUERY_POSITIONS, /* q = W_a s, one number for each source position up to S_max */
    SA_QUERY_MIXTURE,   /* q = W_a s, three numbers for each component of a mixture */
} sa_query_projection;

typedef enum sa_key_projection {
    SA_KEY_NONE,        /* no numbers: the score does not read the source */
    SA_KEY_UNITS,       /* k = U_a h, n' numbers, each a unit with a role of its own */
    SA_KEY_PRODUCT,     /* k = U_a h, n' numbers, of which only products and lengths matter:
                           rotations of q and k leave the score as it is */
    SA_KEY_STATE_SIZED, /* k = W_a h, as many numbers as s has, in a product */
    SA_KEY_IDENTITY,    /* k = h itself, which must have as many numbers as s */
} sa_key_projection;

/* Asks for the score's own parameters v_a, of which every head has an equal part, for n' units
 * (`size`) of all heads and sentences of at most max_positions words. */
typedef sa_mat sa_score_parameters(sa_binder *binder, const char *prefix, int size, int heads,
                                   int max_positions);

/* e_ij = f(q_i, k_j)    q [Q x dq], k [S x dk], v_a [1 x ..], e [Q x S], scratch [S x dk] */
typedef void sa_score_function(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);

/* dq, dk and dv_a are added to; de may be overwritten. */
typedef void sa_score_derivative(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                                 sa_mat dv_a, sa_mat scratch);

typedef struct sa_score {
    const char *name, *formula, *citation;
    sa_query_projection query;
    sa_key_projection key;
    sa_score_parameters *bind; /* NULL: it has none */
    sa_score_function *forward;
    sa_score_derivative *backward;
    const sa_part *part; /* what its attention has besides (parts.h), or NULL */
} sa_score;

extern const sa_score sa_scores[]; /* ends with a NULL name */

/* k = U_a h */
static inline bool sa_key_projected(const sa_score *score) {
    return score->key == SA_KEY_UNITS || score->key == SA_KEY_PRODUCT;
}

/* Whether projections of q and k may be rotated together. */
static inline bool sa_score_rotates(const sa_score *score) {
    return score->key == SA_KEY_PRODUCT || score->key == SA_KEY_STATE_SIZED;
}

/* Bahdanau's, and those of the files in parts/ whose parts they have. */
sa_score_parameters sa_additive_bind, sa_monotonic_bind, sa_graves_bind;
sa_score_function sa_additive_forward, sa_location_forward, sa_linear_score_forward,
    sa_monotonic_score_forward, sa_graves_forward;
sa_score_derivative sa_additive_backward, sa_location_backward, sa_linear_score_backward,
    sa_monotonic_score_backward, sa_graves_backward;
