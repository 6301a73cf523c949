/* exp, tanh and sigmoid of tensor/vec.c against libm's double functions: for every STRIDEth float
 * (the argument, or 97; 1 tests all) and for every float around an edge. Built once for each
 * instruction set that the program may choose. */
#include "tensor/vec.c"

#include <stdio.h>
#include <stdlib.h>

#define BOUND 4e-7 /* what tensor/vec.h promises */

typedef struct function {
    const char *name;
    void (*own)(float *x, int size);
    double (*right)(double x);
    double least, most; /* beyond these results, ours are only not nearer to 1 */
} function;

static void own_exp(float *x, int size) {
    for (int i = 0; i < size; i++) x[i] = exp_of(x[i]);
}

static double logistic(double x) {
    return 1 / (1 + exp(-x));
}

/* The polynomials of exp end at e^-87 and e^88. */
static const function functions[] = {
    {"exp", own_exp, exp, 1.7e-38, 1.6e38},
    {"tanh", tanh_in_place, tanh, 0, 2},
    {"sigmoid", sigmoid_in_place, logistic, 1.7e-38, 2},
};

static double worst;
static long wrong, checked;

static void check(const function *f, float x, float y) {
    const double right = f->right((double)x), size = fabs(right);
    bool good;
    if (isnan(x))
        good = isnan(y);
    else if (size > f->most)
        good = isfinite(y) && (double)y >= f->most;
    else if (size < f->least)
        good = y >= 0 && (double)y <= f->least;
    else {
        const double apart = size > 0 ? fabs((double)y - right) / size : fabs((double)y);
        good = apart <= BOUND;
        worst = fmax(worst, apart);
    }
    checked++;
    if (!good && ++wrong <= 10)
        printf("%s(%a) is %a, not %a\n", f->name, (double)x, (double)y, right);
}

enum { RUN = 4096 };
static float x[RUN], y[RUN];
static int waiting;

static void check_waiting(const function *f) {
    memcpy(y, x, sizeof y);
    f->own(y, waiting);
    for (int i = 0; i < waiting; i++) check(f, x[i], y[i]);
    waiting = 0;
}

static void add(const function *f, uint32_t bits) {
    memcpy(&x[waiting++], &bits, sizeof bits);
    if (waiting == RUN) check_waiting(f);
}

/* Zero, denormals, the ends of the polynomials, where tanh changes its formula, infinity, NaN. */
static void add_edges(const function *f) {
    static const float edges[] = {
        0,  1e-45f, 1.17549435e-38f, 0.25f,       0.5f,           1,       43.5f, 44,
        87, 88,     88.7228394f,     103.972084f, 3.40282347e38f, INFINITY};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        uint32_t bits;
        memcpy(&bits, &edges[i], sizeof bits);
        for (uint32_t k = 0; k < 4000; k++) { /* beyond infinity stand the NaNs */
            add(f, bits + k), add(f, (bits + k) ^ 0x80000000);
            if (bits >= k) add(f, bits - k), add(f, (bits - k) ^ 0x80000000);
        }
    }
}

int main(int count, char **arguments) {
    const uint64_t stride = count > 1 ? strtoull(arguments[1], NULL, 10) : 97;
    if (!stride) return 2;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const function *f = &functions[i];
        worst = 0, checked = 0;
        add_edges(f);
        for (uint64_t bits = 0; bits <= UINT32_MAX; bits += stride) add(f, (uint32_t)bits);
        check_waiting(f);
        printf("%s: %ld floats, worst relative error %.2e\n", f->name, checked, worst);
    }
    return wrong > 0;
}
