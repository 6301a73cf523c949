/* Weights of every query for every word, causal and not, by formulas that share no code with the
 * attention: from states and annotations over projections, heads, what parts add to scores and the
 * spans to alpha. */
#include "support/attending.h"
#include "support/suite.h"
#include "support/traced.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 2, WIDTH = 4, UNITS = 8 /* of all heads */, D = UNITS / HEADS };

static bool causal;
static int H, G; /* heads, and heads of keys */

/* ---- Queries, keys and parameters ------------------------------------------------------------ */

/* Part of an attention by name; its own struct begins with its parameters. */
static const void *own_of(const char *name) {
    for (int p = 0; p < w.parts; p++)
        if (strcmp(w.part[p].kind->name, name) == 0) return w.part[p].own;
    ck_abort_msg("no part %s", name);
}

static double number_of(const char *name, int h) {
    return ((const sa_mat *)own_of(name))->x[h];
}

/* (W x)_row */
static double project(sa_mat W, int row, const sa_real *x) {
    double sum = 0;
    for (int l = 0; l < W.cols; l++) sum += sa_row(W, row)[l] * x[l];
    return sum;
}

static void query_of(int b, int i, int h, double *q) {
    for (int l = 0; l < D; l++)
        q[l] = project(w.W_a.mat, h * D + l, sa_row(states, asked.first[b] + i));
}

static void plain_key(int b, int j, int h, double *k) {
    for (int l = 0; l < D; l++)
        k[l] =
            project(w.U_a.mat, h * G / H * D + l, sa_row(memory.annotations, words_before[b] + j));
}

static double product(const double *q, const double *k) {
    double sum = 0;
    for (int l = 0; l < D; l++) sum += q[l] * k[l];
    return sum / sqrt(D);
}

static double logistic(double x) {
    return 1 / (1 + exp(-x));
}

/* ---- Scores of head h: query i and key j of sentence b, all from 0 --------------------------- */

static double plain(int b, int i, int j, int h) {
    double q[D], k[D];
    query_of(b, i, h, q), plain_key(b, j, h, k);
    return product(q, k);
}

static double additive(int b, int i, int j, int h) {
    double q[D], k[D], e = 0;
    query_of(b, i, h, q), plain_key(b, j, h, k);
    for (int l = 0; l < D; l++) e += w.v_a.x[h * D + l] * tanh(q[l] + k[l]);
    return e;
}

static double linear(int b, int i, int j, int h) {
    double q[D], k[D], e = 0;
    query_of(b, i, h, q), plain_key(b, j, h, k);
    for (int l = 0; l < D; l++)
        e += (q[l] > 0 ? q[l] + 1 : exp(q[l])) * (k[l] > 0 ? k[l] + 1 : exp(k[l]));
    return log(e);
}

/* log f of all words between the two: after the earlier one, up to and with the later one */
static double forgetting(int b, int i, int j, int h) {
    const struct {
        sa_weight W_f;
        sa_mat b_f;
    } *own = own_of("forgetting");
    double e = plain(b, i, j, h);
    for (int l = (i < j ? i : j) + 1; l <= (i < j ? j : i); l++)
        e +=
            log(logistic(own->b_f.x[h] + project(own->W_f.mat, h,
                                                 sa_row(memory.annotations, words_before[b] + l))));
    return e;
}

static double alibi(int b, int i, int j, int h) {
    return plain(b, i, j, h) - abs(i - j) * pow(2, -8. * (h + 1) / H);
}

/* A bucket for each distance so short, the words after from 16 on. */
static double t5(int b, int i, int j, int h) {
    return plain(b, i, j, h) +
           sa_row(*(const sa_mat *)own_of("t5"), h)[j > i && !causal ? 16 + j - i : abs(i - j)];
}

/* Pairs as complex numbers: the real part of q conj(k) exp(i (i - j) theta). */
static double rotated(int b, int i, int j, int h) {
    double q[D], k[D], e = 0;
    query_of(b, i, h, q), plain_key(b, j, h, k);
    for (int l = 0; l < D; l += 2)
        e += creal((q[l] + I * q[l + 1]) * (k[l] - I * k[l + 1]) *
                   cexp(I * (double)(i - j) * pow(10000, -(double)l / D)));
    return e / sqrt(D);
}

/* Keys that know how far they are, at most settings.shaw_distance words. */
static double relative(int b, int i, int j, int h) {
    const sa_mat *a_K = own_of("relative vectors");
    const int k = settings.shaw_distance;
    double q[D], sum = plain(b, i, j, h);
    query_of(b, i, h, q);
    for (int l = 0; l < D; l++)
        sum += q[l] * sa_row(*a_K, (int)fmax(-k, fmin(k, j - i)) + k)[l] / sqrt(D);
    return sum;
}

static double smeared(int b, int i, int j, int h) {
    const double s = j ? logistic(number_of("smeared keys", h)) : 1;
    return s * plain(b, i, j, h) + (j ? (1 - s) * plain(b, i, j - 1, h) : 0);
}

static double without_null_key(int b, int i, int j, int h) {
    double q[D];
    query_of(b, i, h, q);
    return plain(b, i, j, h) - product(q, ((const sa_mat *)own_of("null key"))->x + h * D);
}

/* What the words in between looked for there, in the first head. */
static double selective(int b, int i, int j, int h) {
    double e = plain(b, i, j, h);
    for (int l = j + 1; j > 0 && l < i; l++) e -= fmax(0, plain(b, l, j, 0));
    return e;
}

/* ---- Normalizers: from the n scores e of the keys that a query sees -------------------------- */

static void by_exponentials(double *e, int n, double rest) {
    double sum = rest;
    for (int j = 0; j < n; j++) sum += e[j] = exp(e[j]);
    for (int j = 0; j < n; j++) e[j] /= sum;
}

static void softmax(double *e, int n, int h) {
    (void)h;
    by_exponentials(e, n, 0);
}

static void with_null(double *e, int n, int h) {
    (void)h;
    by_exponentials(e, n, 1);
}

static void with_sink(double *e, int n, int h) {
    by_exponentials(e, n, exp(number_of("number", h)));
}

static void scalable(double *e, int n, int h) {
    for (int j = 0; j < n; j++) e[j] *= number_of("number", h) * log(n);
    by_exponentials(e, n, 0);
}

static void each_alone(double *e, int n, int h) {
    for (int j = 0; j < n; j++) e[j] = logistic(e[j] + number_of("number", h) - log(n));
}

static void softpick(double *e, int n, int h) {
    double sum = 1e-8; /* even if all are 0 */
    (void)h;
    for (int j = 0; j < n; j++) sum += fabs(exp(e[j]) - 1);
    for (int j = 0; j < n; j++) e[j] = fmax(0, exp(e[j]) - 1) / sum;
}

static void stick(double *e, int n, int h) {
    double left = 1;
    (void)h;
    e[n - 1] = 0;
    for (int j = n - 2; j >= 0; j--) {
        const double beta = logistic(e[j]);
        e[j] = left * beta;
        left *= 1 - beta;
    }
}

/* By bisection of the threshold. */
static void entmax(double *e, int n, double a) {
    double low = -1e3, high = 1e3;
    for (int step = 0; step < 200; step++) {
        double sum = 0;
        const double tau = (low + high) / 2;
        for (int j = 0; j < n; j++) sum += pow(fmax(0, (a - 1) * e[j] - tau), 1 / (a - 1));
        *(sum > 1 ? &low : &high) = tau;
    }
    for (int j = 0; j < n; j++) e[j] = pow(fmax(0, (a - 1) * e[j] - low), 1 / (a - 1));
}

static void sparsemax(double *e, int n, int h) {
    (void)h;
    entmax(e, n, 2);
}

static void given_entmax(double *e, int n, int h) {
    (void)h;
    entmax(e, n, 1.3);
}

static void learned_entmax(double *e, int n, int h) {
    entmax(e, n, 1 + logistic(number_of("number", h)));
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct {
    double (*score)(int b, int i, int j, int h);
    void (*normalize)(double *e, int n, int h);
    int attention, normalizer, positions, window, kv_heads;
    double alpha;
    bool smeared, only_causal;
} cases[] = {
    {plain, softmax, SA_ATTENTION_SCALED_DOT},
    {plain, softmax, SA_ATTENTION_SCALED_DOT, .kv_heads = 1},
    {plain, softmax, SA_ATTENTION_SCALED_DOT, .window = SA_WINDOW_SLIDING},
    {additive, softmax, SA_ATTENTION_ADDITIVE},
    {linear, softmax, SA_ATTENTION_LINEAR},
    {forgetting, softmax, SA_ATTENTION_SCALED_DOT, .positions = SA_POSITIONS_FORGETTING},
    {alibi, softmax, SA_ATTENTION_SCALED_DOT, .positions = SA_POSITIONS_ALIBI},
    {t5, softmax, SA_ATTENTION_SCALED_DOT, .positions = SA_POSITIONS_T5},
    {rotated, softmax, SA_ATTENTION_SCALED_DOT, .positions = SA_POSITIONS_ROPE},
    {relative, softmax, SA_ATTENTION_SCALED_DOT, .positions = SA_POSITIONS_SHAW, .kv_heads = 1},
    {smeared, softmax, SA_ATTENTION_SCALED_DOT, .smeared = true},
    {without_null_key, with_null, SA_ATTENTION_SCALED_DOT, SA_NORMALIZER_NULL_KEY},
    {selective, softmax, SA_ATTENTION_SCALED_DOT, SA_NORMALIZER_SELECTIVE, .only_causal = true},
    {plain, with_null, SA_ATTENTION_SCALED_DOT, SA_NORMALIZER_NULL},
    {plain, with_sink, SA_ATTENTION_SCALED_DOT, SA_NORMALIZER_SINK},
    {plain, scalable, SA_ATTENTION_SCALED_DOT, SA_NORMALIZER_SSMAX, .window = SA_WINDOW_SLIDING},
    {plain, each_alone, SA_ATTENTION_SCALED_DOT, SA_NORMALIZER_SIGMOID},
    {plain, softpick, SA_ATTENTION_SCALED_DOT, SA_NORMALIZER_SOFTPICK},
    {plain, stick, SA_ATTENTION_SCALED_DOT, SA_NORMALIZER_STICK_BREAKING, .only_causal = true},
    {plain, sparsemax, SA_ATTENTION_SCALED_DOT, SA_NORMALIZER_SPARSEMAX},
    {plain, given_entmax, SA_ATTENTION_SCALED_DOT, SA_NORMALIZER_ENTMAX, .alpha = 1.3},
    {plain, learned_entmax, SA_ATTENTION_SCALED_DOT, SA_NORMALIZER_ENTMAX,
     .alpha = SA_ENTMAX_ALPHA_LEARNED},
};
enum { CASES = sizeof cases / sizeof *cases };

static void open_case(int number) {
    attention_settings(cases[number].attention);
    settings.attn = UNITS, settings.heads = HEADS, settings.normalizer = cases[number].normalizer;
    settings.window = cases[number].window, settings.entmax_alpha = cases[number].alpha;
    settings.smeared_keys = cases[number].smeared;
    if (causal) settings.model = SA_MODEL_DECODER_ONLY, settings.prefix = SA_PREFIX_CAUSAL;
    sizes = sa_attention_sizes_of(&settings, WIDTH, WIDTH);
    sizes.kv_heads = cases[number].kv_heads;
    sizes.transformer = true, sizes.layer = 1;
    sizes.site = causal ? SA_SITE_DECODER : SA_SITE_ENCODER;
    ck_assert(attention_open(
        cases[number].positions ? &sa_position_kinds[cases[number].positions] : NULL, causal));
    sa_copy_mat(memory.annotations, states); /* it is self-attention */
    H = w.heads, G = w.kv_heads;
}

/* alpha of head h and query i over the S words of sentence b. */
static void expect(int number, int b, int i, int h, int S, double *alpha) {
    const int near = cases[number].window ? settings.window_size : S;
    const int first = i > near ? i - near : 0, last = causal ? i : i + near < S ? i + near : S - 1;
    for (int j = 0; j < S; j++)
        alpha[j] = j < first || j > last ? 0 : cases[number].score(b, i, j, h);
    cases[number].normalize(alpha + first, last - first + 1, h);
}

START_TEST(weights_follow_their_formulas) {
    causal = _i % 2;
    if (cases[_i / 2].only_causal && !causal) return;
    open_case(_i / 2);
    attend();
    for (int b = 0; b < SENTENCES; b++)
        for (int i = 0, S = words_before[b + 1] - words_before[b]; i < S; i++)
            for (int h = 0; h < H; h++) {
                double alpha[LONGEST];
                const sa_mat got = sa_attention_head(rows.alpha, asked.first[b] + i, H, h, S);
                expect(_i / 2, b, i, h, S, alpha);
                for (int j = 0; j < S; j++)
                    ck_assert_msg(fabs(got.x[j] - alpha[j]) < 1e-12,
                                  "case %d%s, sentence %d, query %d, head %d, word %d: %.17g "
                                  "instead of %.17g",
                                  _i / 2, causal ? " causal" : "", b, i, h, j, got.x[j], alpha[j]);
            }
}
END_TEST

/* What is added to the scores is traced alone, whatever the head before has left. */
START_TEST(biases_are_traced_alone) {
    traced_reader reader = {{take_traced}, "b", 1, {0}, {0}};
    causal = false;
    open_case(_i);
    sa_tracing = &reader.tracer;
    attend();
    sa_tracing = NULL;
    const int S = words_before[1];
    ck_assert(cases[_i].positions && reader.x.rows == S && reader.x.cols == S);
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++)
            ck_assert_double_eq_tol(sa_row(reader.x, i)[j],
                                    cases[_i].score(0, i, j, 1) - plain(0, i, j, 1), 1e-12);
}
END_TEST

/* ---- Two maps: each half of a head's query and key has its own ------------------------------- */

enum { HALF = D / 2 };

/* Scores of halves of a query and of the key `away` words behind it; first: of the head's units. */
static double half_product(const double *q, const double *k) {
    double sum = 0;
    for (int l = 0; l < HALF; l++) sum += q[l] * k[l];
    return sum / sqrt(HALF);
}

static double half_rotated(const double *q, const double *k, int away, int h, int first) {
    (void)h, (void)first;
    return creal((q[0] + I * q[1]) * (k[0] - I * k[1]) * cexp(-I * (double)away)) / sqrt(HALF);
}

static double half_relative(const double *q, const double *k, int away, int h, int first) {
    const sa_mat *a_K = own_of("relative vectors");
    const int most = settings.shaw_distance;
    const double *a = sa_row(*a_K, (int)fmax(-most, fmin(most, away)) + most) + first;
    (void)h;
    return half_product(q, k) + half_product(q, a);
}

static double half_without_null_key(const double *q, const double *k, int away, int h, int first) {
    (void)away;
    return half_product(q, k) -
           half_product(q, ((const sa_mat *)own_of("null key"))->x + h * D + first);
}

static const struct {
    double (*score)(const double *q, const double *k, int away, int h, int first);
    void (*normalize)(double *e, int n, int h);
    int positions, normalizer;
} halves[] = {
    {half_rotated, softmax, SA_POSITIONS_ROPE, SA_NORMALIZER_SOFTMAX},
    {half_relative, softmax, SA_POSITIONS_SHAW, SA_NORMALIZER_SOFTMAX},
    {half_without_null_key, with_null, SA_POSITIONS_NONE, SA_NORMALIZER_NULL_KEY},
};

/* alpha = A[0] - lambda A[1] */
START_TEST(both_maps_follow_their_formulas) {
    attention_settings(SA_ATTENTION_DIFFERENTIAL);
    settings.attn = UNITS, settings.heads = HEADS, settings.normalizer = halves[_i].normalizer;
    sizes = sa_attention_sizes_of(&settings, WIDTH, WIDTH);
    sizes.transformer = true, sizes.layer = 1, sizes.site = SA_SITE_ENCODER;
    ck_assert(attention_open(&sa_position_kinds[halves[_i].positions], false));
    sa_copy_mat(memory.annotations, states);
    H = w.heads, G = w.kv_heads;
    attend();
    const double lambda = sa_lambda_forward(&w);
    for (int b = 0; b < SENTENCES; b++)
        for (int i = 0, S = words_before[b + 1] - words_before[b]; i < S; i++)
            for (int h = 0; h < H; h++) {
                double A[2][LONGEST], q[D], k[D];
                const sa_mat got = sa_attention_head(rows.alpha, asked.first[b] + i, H, h, S);
                query_of(b, i, h, q);
                for (int first = 0; first < D; first += HALF) {
                    double *own = A[first / HALF];
                    for (int j = 0; j < S; j++) {
                        plain_key(b, j, h, k);
                        own[j] = halves[_i].score(q + first, k + first, j - i, h, first);
                    }
                    halves[_i].normalize(own, S, h);
                }
                for (int j = 0; j < S; j++)
                    ck_assert_double_eq_tol(got.x[j], A[0][j] - lambda * A[1][j], 1e-12);
            }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("weights", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, weights_follow_their_formulas, 0, 2 * CASES);
    tcase_add_loop_test(tests, biases_are_traced_alone, 5, 8);
    tcase_add_loop_test(tests, both_maps_follow_their_formulas, 0, 3);
    return suite_run(suite);
}
