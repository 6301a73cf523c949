/* fertility: the aligner of Östling and Tiedemann (2016), a hidden Markov model with fertility
 * (Zhao and Gildea 2010), learned by collapsed Gibbs sampling with Dirichlet priors.
 *
 * Its state is a link of every target word. A pass draws each anew, given all others; with the
 * counts of the other links, n(e, f) of words and c(d) of jumps, and with l and r, the source
 * positions of the nearest linked words on the left and on the right (0 and I + 1 at the ends):
 *
 *   p(a_j = i | rest)    ~ t(f_j | e_i) c(i - l) c(r - i) F_{e_i}(phi_i + 1)
 *   p(a_j = null | rest) ~ t(f_j | null) p_0 C c(r - l)
 *
 *   t(f | e) = (n(e, f) + a) / (n(e) + a V_f),  c(d) = n(d) + 1/2,  C = sum_d c(d)
 *
 * phi_i is the number of other links of e_i, and F_e(x) = P_e(x) / P_e(x - 1) with the fertilities
 * P_e, drawn before each pass from Dirichlet(n_e(x) + 1/2), n_e of the pass before. The factor C is
 * there as null takes one jump and a link two. */
#pragma once

#include "aligner/aligner_kind.h"
#include "base/rng.h"

#define SA_GIBBS_PRIOR 0.001                             /* a */
#define SA_GIBBS_NULL 0.2                                /* p_0 */
#define SA_GIBBS_UNLIKELY 1e-10                          /* F_e(7) and above */
enum { SA_GIBBS_JUMPS = 100, SA_GIBBS_FERTILITIES = 8 }; /* fertilities 0 to 7 */

/* What the conditionals know: words as Model 1, jumps as well, fertility as well. */
typedef enum sa_gibbs_stage { SA_GIBBS_WORDS, SA_GIBBS_JUMP, SA_GIBBS_FERTILITY } sa_gibbs_stage;

/* A pair: its source words, null the last; the entries of its cells [J x (I + 1)] in the lexicon;
 * which of all links are its own. */
typedef struct sa_gibbs_pair {
    uint64_t key; /* hash of all words */
    const int32_t *e;
    uint32_t *entry;
    int I, J;
    size_t first; /* of its links, from it on [J] */
} sa_gibbs_pair;

/* A sampler: its links of all target words and their counts. */
typedef struct sa_gibbs {
    sa_rng rng;
    sa_gibbs_stage stage;
    uint32_t *links;                           /* [entries + 1] n(e, f), as the lexicon */
    double *total;                             /* [sources] n(e) + a V_f */
    double (*fertility)[SA_GIBBS_FERTILITIES]; /* [sources] P_e(x), up to a factor */
    double jump[SA_GIBBS_JUMPS], jumps;        /* c(d), and C */
    int *link;                                 /* a_j of all target words; I: null */
    double log_p;                              /* sum of log p(f_j | rest) of the last pass */
    double *weight;                            /* workspace [I + 1] */
    int *phi;                                  /* workspace [I + 1] */
} sa_gibbs;

/* Adds the link of word j and its jumps to the counts (sign 1), or takes them away (-1); left,
 * right: l and r. */
void sa_gibbs_count(sa_gibbs *s, const sa_gibbs_pair *x, int j, int left, int right, int sign);

/* Computes the conditionals of a_j, which is not among the counts and phi, up to a factor, into
 * s->weight [I + 1]. Returns their sum, and sets *prior to that of their factors beside t. */
double sa_gibbs_weigh(const sa_gibbs *s, const sa_gibbs_pair *x, int j, int left, int right,
                      double *prior);

/* Draws all links of a pair anew. learns: the counts contain the pair, and follow it. p, unless it
 * is NULL: adds `share` times the conditionals and log p(f_j | rest) [J x (I + 2)]. */
void sa_gibbs_visit(sa_gibbs *s, const sa_gibbs_pair *x, bool learns, double share, float *p);
