/* The machine's peak: sgemm on square matrices, in GFLOP/s, with this many threads, the best of
 * three sizes; and which OpenBLAS it is.
 *
 *   peak THREADS    prints "GFLOP/S CORE CONFIGURATION..." */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LARGEST = 2048, REPEATS = 3 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of a few products; the first one, which wakes the threads, is not counted. */
static double rate(int n, const float *a, const float *b, float *c) {
    double seconds[REPEATS];
    for (int i = -1; i < REPEATS; i++) {
        const double begin = now();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
        if (i >= 0) seconds[i] = now() - begin;
    }
    qsort(seconds, REPEATS, sizeof *seconds, by_size);
    return 2e-9 * n * n * n / seconds[REPEATS / 2];
}

int main(int count, char **arguments) {
    const size_t size = (size_t)LARGEST * LARGEST;
    float *x = malloc(3 * size * sizeof *x);
    const int threads = count == 2 ? atoi(arguments[1]) : 0;
    if (!x || threads < 1) {
        fprintf(stderr, x ? "peak: expected THREADS\n" : "peak: out of memory\n");
        return 2;
    }
    for (size_t i = 0; i < 3 * size; i++) x[i] = (float)(i % 17) / 17 - 0.5f;
    openblas_set_num_threads(threads);
    double best = 0;
    for (int n = LARGEST / 4; n <= LARGEST; n *= 2) {
        const double found = rate(n, x, x + size, x + 2 * size);
        if (found > best) best = found;
    }
    printf("%.1f %s %s\n", best, openblas_get_corename(), openblas_get_config());
    free(x);
    return 0;
}
