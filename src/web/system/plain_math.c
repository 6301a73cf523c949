/* plain_math: exp, exp2, log, log2, log1p, pow, sin and cos of <math.h>. WebAssembly lacks them,
 * and C libraries differ in the last bits; with these, the module and a native program give the
 * same bits. Relative errors are a few units in the last place; for pow, a few units in the last
 * place of y log x. */
#include <math.h>

#define LN2_HIGH 0x1.62e42fefap-1 /* ln 2 in two parts; n times the first is exact */
#define LN2_LOW 0x1.cf79abc9e3b3ap-40
#define LN2 0x1.62e42fefa39efp-1
#define HALF_PI_HIGH 0x1.921fb544p0 /* pi / 2 in three parts */
#define HALF_PI_MIDDLE 0x1.0b4611a6p-34
#define HALF_PI_LOW 0x1.3198a2e037073p-69

/* Returns sum_k x^k coefficient[k], the highest k first in the array. */
static double polynomial(double x, const double *coefficient, int count) {
    double sum = coefficient[0];
    for (int k = 1; k < count; k++) sum = sum * x + coefficient[k];
    return sum;
}

/* Returns e^r for |r| <= ln 2 / 2, from its series. */
static double exp_near_zero(double r) {
    static const double inverse_factorial[] = {
        1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0, 1 / 362880.0, 1 / 40320.0,
        1 / 5040.0,       1 / 720.0,       1 / 120.0,      1 / 24.0,      1 / 6.0,      0.5,
    };
    return 1 + (r + r * r * polynomial(r, inverse_factorial, 12));
}

double exp(double x) {
    if (!(x > -746)) return x != x ? x : 0;
    if (x > 710) return INFINITY;
    const double n = round(x / LN2);
    return ldexp(exp_near_zero(x - n * LN2_HIGH - n * LN2_LOW), (int)n);
}

double exp2(double x) {
    if (!(x > -1076)) return x != x ? x : 0;
    if (x > 1025) return INFINITY;
    const double n = round(x);
    return ldexp(exp_near_zero((x - n) * LN2), (int)n);
}

/* Splits a positive finite x into m 2^n, with m from sqrt(1/2) to sqrt(2); returns m. */
static double split(double x, int *n) {
    x = frexp(x, n);
    if (x > 0x1.6a09e667f3bcdp-1) return x;
    --*n;
    return 2 * x;
}

/* Returns log m = 2 artanh s with s = (m - 1) / (m + 1), for m near 1, as m - 1 minus a
 * correction. */
static double log_near_one(double m) {
    static const double odd[] = {2 / 21.0, 2 / 19.0, 2 / 17.0, 2 / 15.0, 2 / 13.0,
                                 2 / 11.0, 2 / 9.0,  2 / 7.0,  2 / 5.0,  2 / 3.0};
    const double f = m - 1, s = f / (2 + f), z = s * s, half = f * f / 2;
    return f - (half - s * (half + z * polynomial(z, odd, 10)));
}

/* Returns the log of a number that is not positive and finite, or 0 for one that is. */
static double log_limit(double x) {
    if (x != x || x == INFINITY) return x;
    if (x == 0) return -INFINITY;
    return x < 0 ? NAN : 0;
}

double log(double x) {
    int n;
    const double limit = log_limit(x);
    if (limit != 0) return limit;
    const double m = split(x, &n);
    return n * LN2_HIGH + (log_near_one(m) + n * LN2_LOW);
}

double log2(double x) {
    int n;
    const double limit = log_limit(x);
    if (limit != 0) return limit;
    const double m = split(x, &n);
    return n + log_near_one(m) / LN2;
}

double log1p(double x) {
    const double one = 1 + x;
    return one == 1 || one == INFINITY ? x : log(one) * (x / (one - 1));
}

/* Computes whole powers by squaring, which is exact for as long as it can be. */
static double whole_power(double x, int n) {
    double power = 1;
    for (unsigned left = (unsigned)(n < 0 ? -n : n); left; left >>= 1, x *= x)
        if (left & 1) power *= x;
    return n < 0 ? 1 / power : power;
}

double pow(double x, double y) {
    enum { WHOLE = 1 << 20 };
    if (y > -WHOLE && y < WHOLE && y == (double)(int)y) return whole_power(x, (int)y);
    if (x == 1) return 1;
    if (x == 0) return y < 0 ? INFINITY : y != y ? y : 0;
    return exp(y * log(x));
}

/* Return sin and cos of r, |r| <= pi / 4, from their series. */
static double sin_near_zero(double r) {
    static const double series[] = {
        1 / 355687428096000.0, -1 / 1307674368000.0, 1 / 6227020800.0, -1 / 39916800.0,
        1 / 362880.0,          -1 / 5040.0,          1 / 120.0,        -1 / 6.0};
    const double z = r * r;
    return r + r * z * polynomial(z, series, 8);
}

static double cos_near_zero(double r) {
    static const double series[] = {
        -1 / 6402373705728000.0, 1 / 20922789888000.0, -1 / 87178291200.0, 1 / 479001600.0,
        -1 / 3628800.0,          1 / 40320.0,          -1 / 720.0,         1 / 24.0};
    const double z = r * r, half = z / 2, one = 1 - half;
    return one + ((1 - one - half) + z * z * polynomial(z, series, 8));
}

/* Returns sin(x + quarters pi / 2). Positions and angles are far below 2^20, up to where the parts
 * of pi / 2 are exact enough. */
static double sine(double x, int quarters) {
    if (!(fabs(x) < 0x1p20)) return NAN;
    const double n = round(x / (HALF_PI_HIGH + HALF_PI_MIDDLE));
    const double r = x - n * HALF_PI_HIGH - n * HALF_PI_MIDDLE - n * HALF_PI_LOW;
    const unsigned quadrant = (unsigned)((int)n + quarters) & 3;
    const double value = quadrant & 1 ? cos_near_zero(r) : sin_near_zero(r);
    return quadrant & 2 ? -value : value;
}

double sin(double x) {
    return sine(x, 0);
}

double cos(double x) {
    return sine(x, 1);
}
