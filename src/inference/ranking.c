#include "inference/ranking.h"

#include <math.h>
#include <stdlib.h>

static double by_length(int len, double power) {
    return pow(len, power);
}

/* Equation 14 of Wu et al. 2016 */
static double gnmt(int len, double power) {
    return pow((5.0 + len) / 6, power);
}

static double none(int len, double power) {
    (void)len, (void)power;
    return 1;
}

const sa_length_penalty sa_length_penalties[] = {
    [SA_LENGTH_PENALTY_AVERAGE] = {"average", "log p / len^power", by_length},
    [SA_LENGTH_PENALTY_GNMT] = {"gnmt", "log p / ((5 + len) / 6)^power", gnmt},
    [SA_LENGTH_PENALTY_NONE] = {"none", "log p", none},
    {.name = NULL},
};

const char *sa_length_penalty_name(size_t row) {
    return row < sizeof sa_length_penalties / sizeof *sa_length_penalties
               ? sa_length_penalties[row].name
               : NULL;
}

double sa_coverage_penalty(const sa_real *sums, int S) {
    double penalty = 0;
    for (int j = 0; j < S; j++) {
        const double seen = (double)sums[j];
        if (seen < 1) penalty += log(seen > 1e-30 ? seen : 1e-30); /* not minus infinity */
    }
    return penalty;
}

/* The more likely first, NaN last; ties by token id, so that the order does not depend on qsort. */
static int by_log_p(const void *a, const void *b) {
    const sa_candidate *one = a, *other = b;
    const int order = (one->log_p < other->log_p || isnan(one->log_p)) -
                      (one->log_p > other->log_p || isnan(other->log_p));
    if (order) return order;
    return (one->word > other->word) - (one->word < other->word);
}

int sa_sample(sa_candidate *list, int count, double temperature, int top_k, double top_p,
              sa_rng *rng) {
    double sum = 0, mass = 0;
    int most = top_k && top_k < count ? top_k : count, last = 0;
    qsort(list, (size_t)count, sizeof *list, by_log_p);
    for (int i = 0; i < most; i++) sum += exp((list[i].log_p - list[0].log_p) / temperature);
    while (last < most && mass < top_p * sum)
        mass += exp((list[last++].log_p - list[0].log_p) / temperature);
    double left = sa_rng_uniform(rng) * mass;
    for (int i = 0; i < last; i++) {
        left -= exp((list[i].log_p - list[0].log_p) / temperature);
        if (left < 0) return i;
    }
    return last ? last - 1 : 0;
}
