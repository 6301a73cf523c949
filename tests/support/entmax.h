/* entmax: the weights of every normalizer by another way than the library's: bisection of the sum,
 * and formulas as they stand in the papers. */
#ifndef TEST_ENTMAX_H
#define TEST_ENTMAX_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* p_j = [(alpha - 1) z_j - tau]_+^(1 / (alpha - 1)); returns tau. */
static inline double entmax(double alpha, const double *z, int size, double *p) {
    double most = -INFINITY, low, high;
    for (int j = 0; j < size; j++) most = fmax(most, (alpha - 1) * z[j]);
    low = most - 1, high = most;
    for (int step = 0; step < 200; step++) {
        const double tau = (low + high) / 2;
        double sum = 0;
        for (int j = 0; j < size; j++) {
            const double above = (alpha - 1) * z[j] - tau;
            sum += p[j] = above > 0 ? pow(above, 1 / (alpha - 1)) : 0;
        }
        *(sum > 1 ? &low : &high) = tau;
    }
    return low;
}

/* By the name of the normalizer; false: this test does not know it. */
static inline bool normalize(const char *name, double alpha, const double *z, int size, double *p) {
    const bool null = strncmp(name, "null", 4) == 0; /* null-key: of scores less the null key's */
    if (strcmp(name, "sparsemax") == 0) alpha = 2;
    if (strcmp(name, "sparsemax") == 0 || strcmp(name, "entmax") == 0) {
        entmax(alpha, z, size, p);
        return true;
    }
    if (strcmp(name, "ssmax") == 0) {
        double all = 0;
        for (int j = 0; j < size; j++) all += p[j] = pow(size, alpha * z[j]);
        for (int j = 0; j < size; j++) p[j] /= all;
        return true;
    }
    if (strcmp(name, "stick-breaking") == 0) {
        double left = 1;
        p[size - 1] = 0;
        for (int j = size - 2; j >= 0; j--) {
            p[j] = left / (1 + exp(-z[j]));
            left -= p[j];
        }
        return true;
    }
    if (strcmp(name, "softpick") == 0) {
        double all = 1e-8;
        for (int j = 0; j < size; j++) all += fabs(exp(z[j]) - 1);
        for (int j = 0; j < size; j++) p[j] = fmax(0, exp(z[j]) - 1) / all;
        return true;
    }
    if (strcmp(name, "sigmoid") == 0) {
        for (int j = 0; j < size; j++) p[j] = 1 / (1 + size * exp(-z[j] - alpha));
        return true;
    }
    const bool sink = strcmp(name, "sink") == 0;
    double sum = sink ? exp(alpha) : null;
    for (int j = 0; j < size; j++) sum += exp(z[j]);
    for (int j = 0; j < size; j++) p[j] = exp(z[j]) / sum;
    return null || sink || strcmp(name, "softmax") == 0 || strcmp(name, "selective") == 0;
}

#endif
