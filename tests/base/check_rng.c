/* The generator against published numbers, and its distributions. */
#include "base/rng.h"
#include "support/suite.h"

#include <math.h>

/* The authors' own demonstrations: PCG32 seeded with (42, 54), SplitMix64 with 1234567. */
START_TEST(numbers_are_those_of_pcg32) {
    static const uint32_t published[] = {0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                         0x83d2f293, 0xbfa4784b, 0xcbed606e};
    sa_rng rng = {.stream = 54 << 1 | 1};
    sa_rng_next(&rng);
    rng.state += 42;
    sa_rng_next(&rng);
    for (int i = 0; i < 6; i++) ck_assert_uint_eq(sa_rng_next(&rng), published[i]);
}
END_TEST

START_TEST(seeds_are_mixed_as_splitmix64_does) {
    static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u,
                                         9817491932198370423u, 4593380528125082431u,
                                         16408922859458223821u};
    for (uint64_t i = 0; i < 5; i++)
        ck_assert_uint_eq(sa_hash_mix(1234567 + i * 0x9e3779b97f4a7c15u), published[i]);
}
END_TEST

START_TEST(hash_is_mixed_fnv_1a) {
    ck_assert_uint_eq(sa_hash("", 0), sa_hash_mix(0xcbf29ce484222325u));
    ck_assert_uint_eq(sa_hash("a", 1), sa_hash_mix(0xaf63dc4c8601ec8cu));
    ck_assert_uint_eq(sa_hash("foobar", 6), sa_hash_mix(0x85944171f73967e8u));
    ck_assert_uint_eq(sa_hash("foobar\xff", 6), sa_hash("foobar", 6)); /* size counts, not zero */
    ck_assert_uint_ne(sa_hash("\xff", 1), sa_hash("\x7f", 1));
}
END_TEST

START_TEST(keyed_hash_is_siphash_1_3) {
    static const uint64_t published[] = {0xabac0158050fc4dcu, 0xc9f49bf37d57ca93u,
                                         0x82cb9b024dc7d44du, 0x8bf80ab8e7ddf7fbu};
    const uint64_t key[] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
    for (uint64_t size = 0; size < 4; size++)
        ck_assert_uint_eq(sa_hash_siphash(key, "\0\1\2\3", size), published[size]);
    ck_assert_uint_eq(sa_hash_siphash(key, "\0\1\2\3\4\5\6\7\x08", 8), 0x369095118d299a8eu);
}
END_TEST

START_TEST(seed_and_stream_make_the_sequence) {
    sa_rng one = sa_rng_seed(1, 2), same = sa_rng_seed(1, 2);
    sa_rng seeded = sa_rng_seed(2, 2), other = sa_rng_seed(1, 3);
    int equal_seed = 0, equal_stream = 0;
    for (int i = 0; i < 1000; i++) {
        const uint32_t number = sa_rng_next(&one);
        ck_assert_uint_eq(number, sa_rng_next(&same));
        equal_seed += number == sa_rng_next(&seeded);
        equal_stream += number == sa_rng_next(&other);
    }
    ck_assert_int_eq(equal_seed + equal_stream, 0);
    ck_assert_uint_eq(one.stream & 1, 1);
    sa_rng saved = one; /* plain data: a copy continues equally */
    ck_assert_uint_eq(sa_rng_next(&saved), sa_rng_next(&one));
}
END_TEST

/* Chi squared with bound - 1 degrees of freedom, within five deviations of its mean. */
static void check_even(uint32_t bound) {
    enum { DRAWS = 200000, MOST = 100 };
    sa_rng rng = sa_rng_seed(9, bound);
    int count[MOST] = {0};
    double squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        const uint32_t number = sa_rng_below(&rng, bound);
        if (number >= bound) ck_abort_msg("%u is not below %u", number, bound);
        count[number]++;
    }
    const double expected = (double)DRAWS / bound;
    for (uint32_t k = 0; k < bound; k++)
        squares += (count[k] - expected) * (count[k] - expected) / expected;
    ck_assert_double_le(fabs(squares - (bound - 1)), 5 * sqrt(2.0 * bound));
}

START_TEST(below_is_even) {
    const uint32_t bounds[] = {1, 2, 3, 7, 64, 100};
    for (int i = 0; i < 6; i++) check_even(bounds[i]);
}
END_TEST

/* Of 3 * 2^30 values a plain remainder would draw the lowest third twice as often. */
START_TEST(below_has_no_bias_at_large_bounds) {
    const uint32_t bound = 3u << 30;
    sa_rng rng = sa_rng_seed(4, 4);
    int low = 0;
    for (int i = 0; i < 30000; i++) low += sa_rng_below(&rng, bound) < bound / 3;
    ck_assert_int_ge(low, 9600); /* 10000 expected, deviation 82; 15000 with the bias */
    ck_assert_int_le(low, 10400);
    uint32_t largest = 0;
    for (int i = 0; i < 1000; i++) {
        const uint32_t number = sa_rng_below(&rng, UINT32_MAX);
        if (number > largest) largest = number;
    }
    ck_assert_uint_gt(largest, UINT32_MAX / 100 * 98);
    ck_assert_uint_lt(largest, UINT32_MAX);
}
END_TEST

enum { DRAWS = 400000 };

START_TEST(uniform_is_half_open_and_exact_in_float) {
    sa_rng rng = sa_rng_seed(3, 3);
    double sum = 0, squares = 0, least = 1, most = 0;
    int outside = 0, inexact = 0;
    for (int i = 0; i < DRAWS; i++) {
        const double number = sa_rng_uniform(&rng);
        outside += !(number >= 0 && number < 1);
        inexact += (double)(float)number != number;
        sum += number, squares += number * number;
        least = fmin(least, number), most = fmax(most, number);
    }
    ck_assert_int_eq(outside, 0);
    ck_assert_int_eq(inexact, 0);
    ck_assert_double_eq_tol(sum / DRAWS, 0.5, 0.0025);
    ck_assert_double_eq_tol(squares / DRAWS, 1.0 / 3, 0.0025);
    ck_assert_double_lt(least, 1e-4);
    ck_assert_double_gt(most, 1 - 1e-4);
}
END_TEST

START_TEST(normal_has_the_moments_of_a_normal) {
    sa_rng rng = sa_rng_seed(3, 4);
    double sum[5] = {0};
    int beyond = 0;
    for (int i = 0; i < DRAWS; i++) {
        const double number = sa_rng_normal(&rng);
        for (int power = 1; power <= 4; power++) sum[power] += pow(number, power) / DRAWS;
        beyond += fabs(number) > 2;
    }
    ck_assert_double_eq_tol(sum[1], 0, 0.008); /* five deviations each */
    ck_assert_double_eq_tol(sum[2], 1, 0.0115);
    ck_assert_double_eq_tol(sum[3], 0, 0.031);
    ck_assert_double_eq_tol(sum[4], 3, 0.08);
    ck_assert_double_eq_tol((double)beyond / DRAWS, 0.0455, 0.0017);
}
END_TEST

/* The extreme arguments of the logarithm: first uniforms of 0 and of 1 - 2^-24. */
START_TEST(normal_is_finite_at_the_ends) {
    sa_rng lowest = {.state = 0, .stream = 1},
           highest = {.state = 0x07fffe0000000000u, .stream = 1};
    sa_rng copy = lowest;
    ck_assert_uint_eq(sa_rng_next(&copy), 0);
    copy = highest;
    ck_assert_uint_eq(sa_rng_next(&copy), UINT32_MAX);
    ck_assert_double_eq(fabs(sa_rng_normal(&lowest)), 0);
    ck_assert_double_le(fabs(sa_rng_normal(&highest)), 5.77); /* the root of 48 ln 2 */
}
END_TEST

/* Mean and variance are a; e^-x has the mean 2^-a. */
START_TEST(gamma_has_the_moments_of_a_gamma) {
    static const double shapes[] = {0.5, 1, 1.5, 40};
    const int n = 200000;
    for (int k = 0; k < 4; k++) {
        const double a = shapes[k];
        sa_rng rng = sa_rng_seed(5, (uint64_t)k);
        double first = 0, second = 0, shrunk = 0;
        for (int i = 0; i < n; i++) {
            const double x = sa_rng_gamma(&rng, a);
            ck_assert_double_ge(x, 0);
            first += (x - a) / n, second += (x - a) * (x - a) / n;
            shrunk += exp(-x) / n;
        }
        ck_assert_double_le(fabs(first), 4 * sqrt(a / n));
        ck_assert_double_le(fabs(second - a), 4 * sqrt((2 * a * a + 6 * a) / n));
        ck_assert_double_le(fabs(shrunk - pow(2, -a)), 4 * sqrt((pow(3, -a) - pow(4, -a)) / n));
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("rng", &tests);
    tcase_add_test(tests, numbers_are_those_of_pcg32);
    tcase_add_test(tests, gamma_has_the_moments_of_a_gamma);
    tcase_add_test(tests, seeds_are_mixed_as_splitmix64_does);
    tcase_add_test(tests, hash_is_mixed_fnv_1a);
    tcase_add_test(tests, keyed_hash_is_siphash_1_3);
    tcase_add_test(tests, seed_and_stream_make_the_sequence);
    tcase_add_test(tests, below_is_even);
    tcase_add_test(tests, below_has_no_bias_at_large_bounds);
    tcase_add_test(tests, uniform_is_half_open_and_exact_in_float);
    tcase_add_test(tests, normal_has_the_moments_of_a_normal);
    tcase_add_test(tests, normal_is_finite_at_the_ends);
    return suite_run(suite);
}
