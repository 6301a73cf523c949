/* score: the entries of the tables of scores (score.c) and normalizers (normalizer.c). */
#pragma once

#include "tensor/mat.h"

typedef struct sa_part sa_part;
typedef struct sa_binder sa_binder;
typedef struct sa_attention_sizes sa_attention_sizes;

typedef enum sa_query_projection {
    SA_QUERY_IDENTITY,  /* q = s */
    SA_QUERY_PROJECTED, /* q = W_a s of size n_a */
    SA_QUERY_POSITIONS, /* q = W_a s, a score for each source position up to S_max */
    SA_QUERY_MIXTURE,   /* q = W_a s, three values for each component of a mixture */
} sa_query_projection;

typedef enum sa_key_projection {
    SA_KEY_NONE,    /* no keys: the score does not read the source */
    SA_KEY_UNITS,   /* k = U_a h of size n_a, where each unit has its own role */
    SA_KEY_PRODUCT, /* k = U_a h of size n_a, for which only products and lengths matter: rotating q
                       and k together does not change the score */
    SA_KEY_STATE_SIZED, /* k = W_a h of the same size as s, in a product */
    SA_KEY_IDENTITY,    /* k = h, which must be as wide as s */
} sa_key_projection;

/* Binds the score's own parameters v_a, of which each head gets an equal slice, for n_a units
 * (`size`) of all heads together and sentences of at most max_positions words. */
typedef sa_mat sa_score_parameters(sa_binder *binder, const char *prefix, int size, int heads,
                                   int max_positions);
/* e_ij = f(q_i, k_j)    v_a [1 x ..], q [Q x d_k], k [S x d_k] -> e [Q x S]; scratch [S x d_k] */
typedef void sa_score_function(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
/* Accumulates into dq, dk and dv_a; may overwrite de. */
typedef void sa_score_derivative(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                                 sa_mat dv_a, sa_mat scratch);

/* An attention score. (Bahdanau's "alignment model" is Luong's "score" and Vaswani's "compatibility
 * function".) heads.c makes q and k as the entry says; it makes the keys once per sentence. */
typedef struct sa_score {
    const char *name, *formula, *citation;
    sa_query_projection query;
    sa_key_projection key;
    sa_score_parameters *bind; /* NULL: it has no parameters */
    sa_score_function *forward;
    sa_score_derivative *backward;
    const sa_part *part; /* the part that this score requires, or NULL */
} sa_score;

extern const sa_score sa_scores[]; /* in the order of SA_ATTENTION_...; ends with a NULL name */

/* Turns the scores e of a query into its weights alpha, given only the keys that it sees. */
typedef struct sa_normalizer {
    const char *name, *formula, *citation;
    bool exponent;    /* takes the exponent --entmax-alpha, which each head may learn */
    bool exponential; /* weights are proportional to the exponentials of the scores */
    bool sparse;      /* weights may be exactly 0, where they have no gradient */
    bool null_key; /* the weights of real words may sum to less than 1; a null key gets the rest */
    const char *any_sum; /* why the weights of a query may have any sum; NULL: they sum to 1 */
    /* Turns every row e into alpha [Q x S]. exponent: the number that each head may learn. */
    void (*forward)(sa_real exponent, sa_mat e);
    /* Turns dalpha into de, which is 0 where alpha is, as it is for keys that the query does not
     * see. Accumulates into *dexponent, unless that is NULL. */
    void (*backward)(sa_real exponent, sa_mat alpha, sa_mat dalpha, sa_real *dexponent);
    /* Used instead if alpha alone does not determine the gradient: it also gets the scores e,
     * computed again, and, like forward, only the keys that the query sees. */
    void (*scored_backward)(sa_real exponent, sa_mat e, sa_mat alpha, sa_mat dalpha,
                            sa_real *dexponent);
    /* Turns every e_j into its distance from the value at which alpha has a kink. NULL: it is
     * smooth. */
    void (*kinks)(sa_real exponent, sa_mat e);
    const sa_part *part; /* the part that this normalizer requires, or NULL */
    const char *learned; /* the parameter that each head learns as the exponent, or NULL, ... */
    double start;        /* ... and its value before training */
    /* Returns why it refuses these sizes, worded as in config/settings.h, or NULL. */
    const char *(*refuse)(const sa_attention_sizes *sizes);
} sa_normalizer;

extern const sa_normalizer sa_normalizers[]; /* as SA_NORMALIZER_...; ends with a NULL name */
