/* Roles of heads: planted heads with noise have their names, random heads have none; sums by hand.
 */
#include "base/rng.h"
#include "metrics/head_roles.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

/* ---- By hand --------------------------------------------------------------------------------- */

enum { N = 6 };
static const int32_t words[N] = {7, 8, 9, 7, 8, 8}; /* 7 and 8 come again, the last 8 twice */
static const double planted[N][N] = {
    {1},
    {0.25, 0.75},
    {0, 0.5, 0.5},
    {0, 0.75, 0.125, 0.125},        /* 7: after the first stands word 1 */
    {0, 0, 0.5, 0.25, 0.25},        /* 8: after the first stands word 2 */
    {0, 0.125, 0.25, 0, 0.5, 0.125} /* 8: words 2 and, after the second, this one itself: no */
};

START_TEST(repeated_words) {
    static const bool expected[N] = {false, false, false, true, true, true};
    for (int i = 0; i < N; i++) ck_assert_int_eq(sa_is_repeated(words, i), expected[i]);
    const int32_t twice[] = {7, 7}; /* nothing stands between */
    ck_assert(!sa_is_repeated(twice, 1));
}
END_TEST

static void expect(const sa_head_roles *sum, int role, size_t rows, double weight, double uniform) {
    ck_assert_uint_eq(sum->rows[role], rows);
    ck_assert_double_eq_tol(sum->weight[role], weight, 1e-12);
    ck_assert_double_eq_tol(sum->uniform[role], uniform, 1e-12);
}

static void expect_planted(const sa_head_roles *sum) {
    expect(sum, SA_ROLE_PREVIOUS, 4, 0.5 + 0.125 + 0.25 + 0.5, 1 / 3. + 1 / 4. + 1 / 5. + 1 / 6.);
    expect(sum, SA_ROLE_SAME, 4, 0.5 + 0.125 + 0.25 + 0.125, 1 / 3. + 1 / 4. + 1 / 5. + 1 / 6.);
    expect(sum, SA_ROLE_INDUCTION, 3, 0.75 + 0.5 + 0.25, 1 / 4. + 1 / 5. + 1 / 6.);
    expect(sum, SA_ROLE_DUPLICATE, 3, 0 + 0 + 0.125 + 0.5, 1 / 4. + 1 / 5. + 2 / 6.);
    expect(sum, SA_ROLE_NEXT, 0, 0, 0);
    expect(sum, SA_ROLE_END, 0, 0, 0);
    ck_assert_uint_eq(sum->all, 4); /* the first two rows have fewer than three keys */
    const double half = 0.5 * log(2), quarter = 0.25 * log(4), eighth = 0.125 * log(8);
    ck_assert_double_eq_tol(sum->entropy,
                            2 * half / log(3) + (2 * eighth - 0.75 * log(0.75)) / log(4) +
                                (half + 2 * quarter) / log(5) +
                                (half + quarter + 2 * eighth) / log(6),
                            1e-12);
}

START_TEST(a_planted_matrix) {
    sa_head_roles whole = {0}, parts = {0};
    for (int i = 0; i < N; i++) {
        const sa_head_row row = {i, i + 1, words, .causal = true};
        sa_head_roles_add(&whole, &row, planted[i], 0, i + 1);
        sa_head_roles_add(&parts, &row, planted[i], 0, 3);
        sa_head_roles_add(&parts, &row, planted[i] + 3, 3, N);
    }
    expect_planted(&whole);
    expect_planted(&parts);
}
END_TEST

START_TEST(a_pair_is_its_rows) {
    static const char *const source[N] = {"a", "b", "c", "a", "b", "b"};
    const sa_link gold[] = {{1, 1, false}, {2, 1, true}, {3, 4, false}};
    const sa_alignment pair = {
        .targets = N, .sources = N, .heads = 1, .layers = 1, .source = source, .weights = *planted};
    sa_head_roles decoder = {0}, encoder = {0}, cross = {0};
    sa_error error = {0};
    ck_assert(sa_head_roles_add_pair(&decoder, &pair, SA_SITE_DECODER, NULL, 0, &error));
    expect_planted(&decoder);
    ck_assert(sa_head_roles_add_pair(&encoder, &pair, SA_SITE_ENCODER, NULL, 0, &error));
    expect(&encoder, SA_ROLE_NEXT, 5, 0, 5 / 6.);
    expect(&encoder, SA_ROLE_END, 6, 0.125, 1);
    expect(&encoder, SA_ROLE_ALIGNMENT, 0, 0, 0);
    ck_assert(sa_head_roles_add_pair(&cross, &pair, SA_SITE_CROSS, gold, 3, &error));
    expect(&cross, SA_ROLE_ALIGNMENT, 2, 1, 3 / 6.);
    expect(&cross, SA_ROLE_FIRST, 6, 1.25, 1);
    expect(&cross, SA_ROLE_PREVIOUS, 0, 0, 0);
}
END_TEST

/* In a row whose every key belongs to a role, no head can show it. */
START_TEST(a_row_that_is_all_of_a_role_does_not_count) {
    static const char *const source[] = {"a", "b", "c"};
    static const double even[] = {0.5, 0.25, 0.25, 0, 1, 0, 1, 0, 0};
    const sa_link gold[] = {{0, 1, false}, {1, 1, false}, {2, 1, false}, {0, 2, false}};
    const sa_alignment pair = {
        .targets = 3, .sources = 3, .heads = 1, .layers = 1, .source = source, .weights = even};
    sa_head_roles sum = {0};
    ck_assert(sa_head_roles_add_pair(&sum, &pair, SA_SITE_CROSS, gold, 4, NULL));
    expect(&sum, SA_ROLE_ALIGNMENT, 1, 1, 1 / 3.);
}
END_TEST

/* Matrix k, of the mean, the heads and those of each layer, has k/8 on the first word. */
START_TEST(each_head_has_sums_of_its_own) {
    static const struct {
        int heads, layers, first; /* the matrix of the first head */
    } cases[] = {{2, 2, 3}, {2, 1, 1}, {1, 2, 1}};
    static const char *const source[] = {"a", "b", "c"};
    double weights[7][3][3] = {{{0}}};
    for (int k = 0; k < 7; k++)
        for (int t = 0; t < 3; t++) weights[k][t][0] = k / 8.;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int heads = cases[i].heads * cases[i].layers;
        const sa_alignment pair = {.targets = 3,
                                   .sources = 3,
                                   .heads = cases[i].heads,
                                   .layers = cases[i].layers,
                                   .source = source,
                                   .weights = **weights};
        sa_head_roles sums[5] = {{{0}}};
        sa_error error = {0};
        ck_assert(sa_head_roles_add_pair(sums, &pair, SA_SITE_CROSS, NULL, 0, &error));
        for (int k = 0; k < heads; k++)
            expect(&sums[k], SA_ROLE_FIRST, 3, 3 * (cases[i].first + k) / 8., 3 / 3.);
        ck_assert_uint_eq(sums[heads].all, 0);
    }
}
END_TEST

/* ---- Planted and random heads ---------------------------------------------------------------- */

enum { MOST = 24, PAIRS = 40 };

typedef struct probe {
    int keys[MOST], rows; /* of a pair: what each row may attend to */
    int32_t words[MOST];
    sa_link gold[MOST];
    bool self, causal;
} probe;

/* A random pair: words that do not repeat, or (blocks) the same words twice. */
static void make_pair(probe *to, bool self, bool causal, bool blocks, sa_rng *rng) {
    const int n = 8 + 2 * (int)sa_rng_below(rng, (MOST - 8) / 2 + 1);
    *to = (probe){.rows = n, .self = self, .causal = causal};
    for (int i = 0; i < n; i++) {
        to->keys[i] = causal ? i + 1 : n;
        to->words[i] = blocks ? i % (n / 2) : i;
        to->gold[i] = (sa_link){(int)sa_rng_below(rng, (uint32_t)n - 2) + 1, i, false};
    }
}

static sa_head_row row_of(const probe *pair, int i) {
    return (sa_head_row){i,
                         pair->keys[i],
                         pair->self ? pair->words : NULL,
                         pair->causal,
                         pair->self ? NULL : pair->gold,
                         pair->self ? 0 : (size_t)pair->rows};
}

/* The cell that a planted head attends to, or -1. */
static int target_of(const probe *pair, int role, int i) {
    const int half = pair->rows / 2;
    switch (role) {
    case SA_ROLE_PREVIOUS:
        return i - 1;
    case SA_ROLE_NEXT:
        return i + 1 < pair->keys[i] ? i + 1 : -1;
    case SA_ROLE_SAME:
        return i;
    case SA_ROLE_INDUCTION:
        return i >= half && i - half + 1 < i ? i - half + 1 : -1;
    case SA_ROLE_DUPLICATE:
        return i >= half ? i - half : -1;
    case SA_ROLE_FIRST:
        return 0;
    case SA_ROLE_END:
        return pair->keys[i] - 1;
    default:
        return pair->gold[i].source;
    }
}

static double normal(sa_rng *rng) {
    double sum = -6;
    for (int k = 0; k < 12; k++) sum += sa_rng_below(rng, 1u << 24) / (double)(1 << 24);
    return sum;
}

/* Fills a row with a softmax of scale * N(0, 1). */
static void random_row(double *alpha, int keys, double scale, sa_rng *rng) {
    double sum = 0;
    for (int j = 0; j < keys; j++) sum += alpha[j] = exp(scale * normal(rng));
    for (int j = 0; j < keys; j++) alpha[j] /= sum;
}

/* Names a head that puts 1 - noise on the role's cell, if there is one, and spreads the rest. */
static void name_planted(int role, bool self, bool causal, double noise, double scale, sa_rng *rng,
                         char name[SA_ROLE_NAME]) {
    const bool blocks = role == SA_ROLE_INDUCTION || role == SA_ROLE_DUPLICATE;
    sa_head_roles sum = {0};
    for (int k = 0; k < PAIRS; k++) {
        probe pair;
        make_pair(&pair, self, causal, blocks, rng);
        for (int i = 0; i < pair.rows; i++) {
            double alpha[MOST];
            const sa_head_row row = row_of(&pair, i);
            const int cell = role < SA_ROLES ? target_of(&pair, role, i) : -1;
            random_row(alpha, row.keys, scale, rng);
            for (int j = 0; cell >= 0 && j < row.keys; j++)
                alpha[j] = noise * alpha[j] + (1 - noise) * (j == cell);
            sa_head_roles_add(&sum, &row, alpha, 0, row.keys);
        }
    }
    sa_head_roles_name(&sum, name);
}

static const struct {
    int role;
    const char *name;
    bool self, causal;
} kinds[] = {
    {SA_ROLE_PREVIOUS, "previous", true, true},   {SA_ROLE_PREVIOUS, "previous", true, false},
    {SA_ROLE_NEXT, "next", true, false},          {SA_ROLE_SAME, "same", true, true},
    {SA_ROLE_SAME, "same", true, false},          {SA_ROLE_INDUCTION, "induction", true, true},
    {SA_ROLE_DUPLICATE, "duplicate", true, true}, {SA_ROLE_FIRST, "first", true, true},
    {SA_ROLE_FIRST, "first", false, false},       {SA_ROLE_END, "end", true, false},
    {SA_ROLE_END, "end", false, false},           {SA_ROLE_ALIGNMENT, "alignment", false, false}};
enum { KINDS = sizeof kinds / sizeof *kinds };

START_TEST(planted_heads_have_their_names) {
    sa_rng rng = sa_rng_seed(1, (uint64_t)_i);
    char name[SA_ROLE_NAME];
    for (int noise = 0; noise <= 5; noise++)
        for (int peaked = 0; peaked < 2; peaked++)
            for (int again = 0; again < 5; again++) {
                name_planted(kinds[_i].role, kinds[_i].self, kinds[_i].causal, noise / 10.,
                             peaked ? 3 : 0, &rng, name);
                ck_assert_str_eq(name, kinds[_i].name);
            }
    name_planted(kinds[_i].role, kinds[_i].self, kinds[_i].causal, 0.9, 3, &rng, name);
    ck_assert_str_ne(name, kinds[_i].name);
}
END_TEST

START_TEST(random_heads_have_none) {
    static const double scales[] = {0.3, 1, 3, 10};
    sa_rng rng = sa_rng_seed(2, 0);
    char name[SA_ROLE_NAME];
    for (int k = 0; k < 120; k++) {
        name_planted(SA_ROLES, k % 3 != 0, k % 3 == 1, 1, scales[k / 30], &rng, name);
        ck_assert_msg(strcmp(name, k < 30 ? "diffuse" : "mixed") == 0, "head %d is '%s'", k, name);
    }
}
END_TEST

START_TEST(two_roles_have_two_names_and_few_rows_none) {
    sa_head_roles sum = {.all = 50, .rows = {50, 0, 49, [SA_ROLE_FIRST] = 50}};
    char name[SA_ROLE_NAME];
    sum.weight[SA_ROLE_SAME] = 49; /* in too few rows */
    sum.weight[SA_ROLE_PREVIOUS] = 22, sum.weight[SA_ROLE_FIRST] = 27;
    sa_head_roles_name(&sum, name);
    ck_assert_str_eq(name, "first+previous");
    sum.weight[SA_ROLE_PREVIOUS] = 19; /* 0.38 */
    sa_head_roles_name(&sum, name);
    ck_assert_str_eq(name, "first");
    sum.entropy = 45;
    sa_head_roles_name(&sum, name);
    ck_assert_str_eq(name, "diffuse");
    sum.all = 49;
    sa_head_roles_name(&sum, name);
    ck_assert_str_eq(name, "");
}
END_TEST

START_TEST(the_second_name_is_that_of_the_next_role_if_it_is_near) {
    sa_head_roles sum = {.all = 50, .rows = {50, 0, 50, [SA_ROLE_FIRST] = 50}};
    char name[SA_ROLE_NAME];
    sum.weight[SA_ROLE_FIRST] = 40, sum.weight[SA_ROLE_PREVIOUS] = 30; /* 0.8 and 0.6 */
    sa_head_roles_name(&sum, name);
    ck_assert_str_eq(name, "first");
    sum.weight[SA_ROLE_PREVIOUS] = 34, sum.weight[SA_ROLE_SAME] = 33; /* 0.68 and 0.66 */
    sa_head_roles_name(&sum, name);
    ck_assert_str_eq(name, "first+previous");
    sum.weight[SA_ROLE_PREVIOUS] = 33, sum.weight[SA_ROLE_SAME] = 34; /* the later one */
    sa_head_roles_name(&sum, name);
    ck_assert_str_eq(name, "first+same");
    sum.weight[SA_ROLE_PREVIOUS] = sum.weight[SA_ROLE_SAME] = 40; /* the first of equal ones */
    sa_head_roles_name(&sum, name);
    ck_assert_str_eq(name, "previous+same");
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("head_roles", &tests);
    tcase_add_test(tests, repeated_words);
    tcase_add_test(tests, a_planted_matrix);
    tcase_add_test(tests, a_pair_is_its_rows);
    tcase_add_test(tests, a_row_that_is_all_of_a_role_does_not_count);
    tcase_add_test(tests, each_head_has_sums_of_its_own);
    tcase_add_loop_test(tests, planted_heads_have_their_names, 0, KINDS);
    tcase_add_test(tests, random_heads_have_none);
    tcase_add_test(tests, two_roles_have_two_names_and_few_rows_none);
    tcase_add_test(tests, the_second_name_is_that_of_the_next_role_if_it_is_near);
    return suite_run(suite);
}
