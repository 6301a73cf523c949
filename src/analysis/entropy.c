#include "analysis/entropy.h"

#include <math.h>
#include <stddef.h>

double sa_entropy_sum(const double *weights, int targets, int sources) {
    const size_t count = (size_t)targets * (size_t)sources;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (weights[i] > 0) sum -= weights[i] * log(weights[i]); /* x ln x goes to 0 with x */
    return sum;
}
