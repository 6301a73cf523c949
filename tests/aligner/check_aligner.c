/* Word aligners: golden values of independent programs, and sums over all alignments of tiny pairs.
 */
#include "aligner/aligner.h"
#include "base/rng.h"
#include "support/suite.h"

#include <dirent.h>
#include <math.h>
#include <string.h>

enum { READ = 3, PAIRS = 5, WORDS = 6, A = 3, B = 4, C = 5 };

/* "a b" - "a b", "a c a" - "a c", "b" - "b b"; and pairs with a side that is too long. */
static const sa_sentence source[PAIRS] = {
    {(int32_t[]){A, B, SA_EOS}, 3, NULL}, {(int32_t[]){A, C, A, SA_EOS}, 4, NULL},
    {(int32_t[]){B, SA_EOS}, 2, NULL},    {NULL, 1000, NULL},
    {(int32_t[]){A, SA_EOS}, 2, NULL},
};
static const sa_sentence target[PAIRS] = {
    {(int32_t[]){A, B, SA_EOS}, 3, NULL},
    {(int32_t[]){A, C, SA_EOS}, 3, NULL},
    {(int32_t[]){B, B, SA_EOS}, 3, NULL},
    {(int32_t[]){A, SA_EOS}, 2, NULL},
    {NULL, 1000, NULL},
};
static const double perplexity[] = {3.0000000000000004, 2.098514775535695, 1.969638759910539,
                                    1.908837025364625};
static const struct {
    int32_t e, f;
    double t;
} lexicon_of_four[] = {
    {SA_EOS, A, 0.19359815361463203},  {SA_EOS, B, 0.7942953106994856},
    {SA_EOS, C, 0.012106535685882353}, {A, A, 0.7703268032837316},
    {A, B, 0.007413686924362402},      {A, C, 0.22225950979190592},
    {B, A, 0.037829076985696354},      {B, B, 0.9621709230143036},
    {C, A, 0.21797779742368475},       {C, C, 0.7820222025763154},
};
enum { ENTRIES = sizeof lexicon_of_four / sizeof *lexicon_of_four };

static const sa_aligner_pairs pairs = {source, target, PAIRS};
static sa_error error;
enum { LEARNED_BY_EM = SA_ALIGNER_FERTILITY, MODELS };

/* ---- Model 1 --------------------------------------------------------------------------------- */

static void compare_perplexity(void *context, int iteration, double found) {
    (void)context;
    ck_assert_double_eq_tol(found, perplexity[iteration - 1], 1e-14);
}

static sa_aligner_model model1_after(int iterations) {
    sa_aligner_model model;
    const sa_aligner_options options = {.iterations = iterations, .threads = 1};
    ck_assert_msg(
        sa_aligner_learn(&model, &options, &pairs, WORDS, WORDS, compare_perplexity, NULL, &error),
        "%s", error.text);
    ck_assert_uint_eq(model.lexicon.row[WORDS], ENTRIES);
    return model;
}

START_TEST(the_lexicon_after_four_iterations) {
    sa_aligner_model model = model1_after(4);
    for (int k = 0; k < ENTRIES; k++) {
        const int32_t e = lexicon_of_four[k].e;
        ck_assert_msg((size_t)k >= model.lexicon.row[e] && (size_t)k < model.lexicon.row[e + 1],
                      "entry %d", k);
        ck_assert_int_eq(model.lexicon.target[k], lexicon_of_four[k].f);
        ck_assert_double_eq_tol(model.lexicon.t[k], lexicon_of_four[k].t, 1e-15);
    }
    sa_aligner_model_release(&model);
}
END_TEST

/* So that every thread has several at once. */
START_TEST(pairs_that_are_repeated_change_nothing) {
    enum { TIMES = 3 * SA_MAX_THREADS };
    static sa_sentence sources[TIMES * PAIRS], targets[TIMES * PAIRS];
    for (int i = 0; i < TIMES * PAIRS; i++)
        sources[i] = source[i % PAIRS], targets[i] = target[i % PAIRS];
    for (int threads = 1; threads < 4; threads += 2) {
        sa_aligner_model model;
        const sa_aligner_options options = {.iterations = 4, .threads = threads};
        const sa_aligner_pairs many = {sources, targets, TIMES * PAIRS};
        ck_assert_msg(sa_aligner_learn(&model, &options, &many, WORDS, WORDS, NULL, NULL, &error),
                      "%s", error.text);
        for (int k = 0; k < ENTRIES; k++)
            ck_assert_double_eq_tol(model.lexicon.t[k], lexicon_of_four[k].t, 1e-12);
        sa_aligner_model_release(&model);
    }
}
END_TEST

START_TEST(weights_are_posteriors_and_leave_the_empty_word_its_own) {
    sa_aligner_model model = model1_after(4);
    static const double golden[] = {
        0.39458822876775956,
        0.11165582273583305,
        0.39458822876775956,
        0, /* the empty word: 0.10 */
        0.17943721964863682,
        0.6313515667571551,
        0.17943721964863682,
        0, /* 0.01 */
        0,
        0,
        0,
        1,
    };
    double weights[3 * 4], log_p[3];
    ck_assert(sa_aligner_weights(&model, &source[1], &target[1], weights, log_p, &error));
    for (int k = 0; k < 12; k++) ck_assert_double_eq_tol(weights[k], golden[k], 1e-15);
    const double all = 2 * 0.22225950979190592 + 0.7820222025763154 + 0.012106535685882353;
    ck_assert_double_eq_tol(log_p[1], log(all / 4), 1e-15);
    ck_assert_double_eq(log_p[2], 0);
    sa_aligner_model_release(&model);
}
END_TEST

/* Of an aligner after an iteration. */
static sa_aligner_model learned(int which, const sa_aligner_pairs *from, int words, int iterations,
                                double alpha, int threads, void (*report)(void *, int, double),
                                void *context) {
    sa_aligner_model model;
    const sa_aligner_options options = {which, iterations, threads, alpha, .samplers = 3};
    ck_assert_msg(sa_aligner_learn(&model, &options, from, words, words, report, context, &error),
                  "%s", error.text);
    return model;
}

static void count_iteration(void *context, int iteration, double value) {
    int *count = context;
    ck_assert_int_eq(iteration, ++*count);
    ck_assert_double_ge(value, 1);
}

START_TEST(iterations_are_as_many_as_announced) {
    for (int which = 0; which < MODELS; which++)
        for (int iterations = 1; iterations <= 4; iterations += 3) {
            int count = 0;
            sa_aligner_model model =
                learned(which, &pairs, WORDS, iterations, 0, 1, count_iteration, &count);
            const sa_aligner_options options = {which, iterations, 1, 0, .samplers = 3};
            ck_assert_int_eq(count, sa_aligner_iterations(&options, pairs.count));
            sa_aligner_model_release(&model);
        }
}
END_TEST

/* With t = 1e-9 and the prior of the empty word, which the aligner with fertility leaves out. */
START_TEST(an_unknown_word_comes_from_the_empty_word) {
    static const double null[MODELS] = {1. / 3, 1. / 3, 0.1, 0.15, 1};
    const sa_sentence unknown = {(int32_t[]){SA_UNK, SA_EOS}, 2, NULL};
    for (int which = 0; which < MODELS; which++) {
        sa_aligner_model model = learned(which, &pairs, WORDS, 1, 0, 1, NULL, NULL);
        double weights[2 * 3], log_p[3];
        ck_assert(sa_aligner_weights(&model, &source[0], &unknown, weights, log_p, &error));
        for (int k = 0; k < 5; k++) ck_assert_double_eq(weights[k], 0);
        ck_assert_double_eq(weights[5], 1);
        ck_assert_double_eq_tol(log_p[0], log(null[which] * 1e-9), 1e-12);
        ck_assert(sa_aligner_weights(&model, &unknown, &target[0], weights, log_p, &error));
        for (int k = 0; k < 4; k++) ck_assert_double_eq(weights[k], 0);
        for (int twice = 0; twice < 2; twice++) sa_aligner_model_release(&model);
    }
}
END_TEST

/* ---- The lexicon ----------------------------------------------------------------------------- */

START_TEST(variational_bayes_discounts_rare_words) {
    ck_assert_double_eq_tol(sa_digamma(0.01), -100.560885, 1e-6);
    ck_assert_double_eq_tol(sa_digamma(1), -0.577216, 1e-6);
    ck_assert_double_eq_tol(sa_digamma(2.5), 0.703157, 1e-6);
    static const double euler = 0.57721566490153286;
    ck_assert_double_eq_tol(sa_digamma(1), -euler, 2e-12);
    ck_assert_double_eq_tol(sa_digamma(0.5), -euler - 2 * log(2), 2e-12);
    size_t row[] = {0, 2};
    double t[3], counts[] = {2, 0.5};
    sa_lexicon lexicon = {.sources = 1, .row = row, .t = t};
    sa_lexicon_maximize(&lexicon, counts, 0.01);
    ck_assert_double_eq_tol(t[0], 0.752990, 1e-6);
    ck_assert_double_eq_tol(t[1], 0.072230, 1e-6);
    sa_lexicon_maximize(&lexicon, counts, 0);
    ck_assert_double_eq_tol(t[0], 0.8, 1e-15);
    sa_lexicon_maximize(&lexicon, (double[]){0, 0}, 0); /* nothing is known of it */
    ck_assert_double_eq_tol(t[0], 0.8, 1e-15);
    ck_assert_double_eq_tol(t[1], 0.2, 1e-15);
}
END_TEST

/* Posteriors of the first iteration: each target word comes from all words of its source alike. */
static double counts_of_one_iteration(int32_t e, int32_t f) {
    double count = 0;
    for (int p = 0; p < READ; p++)
        for (int j = 0; j < target[p].len - 1; j++)
            for (int i = 0; i < source[p].len; i++)
                if (source[p].ids[i] == e && target[p].ids[j] == f) count += 1. / source[p].len;
    return count;
}

/* psi(c + alpha) - psi(sum (c + alpha)); without alpha, relative counts. */
static void expect_lexicon(int which, double chosen, double alpha) {
    sa_aligner_model model = learned(which, &pairs, WORDS, 1, chosen, 1, NULL, NULL);
    for (int32_t e = 0; e < WORDS; e++) {
        double total = 0;
        const size_t begin = model.lexicon.row[e], end = model.lexicon.row[e + 1];
        for (size_t k = begin; k < end; k++)
            total += counts_of_one_iteration(e, model.lexicon.target[k]) + alpha;
        for (size_t k = begin; k < end; k++) {
            const double c = counts_of_one_iteration(e, model.lexicon.target[k]) + alpha;
            ck_assert_double_eq_tol(model.lexicon.t[k],
                                    alpha > 0 ? exp(sa_digamma(c) - sa_digamma(total)) : c / total,
                                    1e-14);
        }
    }
    sa_aligner_model_release(&model);
}

START_TEST(alpha_is_the_one_chosen) {
    enum { AUTO, NONE }; /* as in the option */
    expect_lexicon(0, AUTO, 0);
    expect_lexicon(0, NONE, 0);
    expect_lexicon(0, 0.3, 0.3);
    expect_lexicon(0, 1e-6, 1e-6);
    expect_lexicon(0, 0.999, 0.999);
}
END_TEST

START_TEST(each_model_has_its_own_alpha) {
    static const double own[LEARNED_BY_EM] = {1, 1, 0.01, 0.01}; /* 1: none */
    for (int which = 0; which < LEARNED_BY_EM; which++) {
        sa_aligner_model usual = learned(which, &pairs, WORDS, 2, 0, 1, NULL, NULL);
        sa_aligner_model chosen = learned(which, &pairs, WORDS, 2, own[which], 1, NULL, NULL);
        ck_assert_mem_eq(usual.lexicon.t, chosen.lexicon.t, ENTRIES * sizeof *usual.lexicon.t);
        sa_aligner_model_release(&usual), sa_aligner_model_release(&chosen);
    }
}
END_TEST

START_TEST(options_have_their_defaults_and_ranges) {
    static const struct {
        const char *name, *least, *most, *less, *more;
    } rows[] = {
        {"iterations", "0", "1000000", "-1", "1000001"},
        {"samplers", "0", "100", "-1", "101"},
        {"seed", "0", "9007199254740991", "-1", "9007199254740992"},
        {"alpha", "1e-6", "0.999", "9e-7", "0.9995"},
    };
    sa_aligner_options options;
    sa_aligner_options_init(&options);
    ck_assert(options.model == SA_ALIGNER_HMM && options.iterations == 5 && options.threads == 0);
    ck_assert(options.alpha == 0 && options.seed == 1 && options.samplers == 8);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert(sa_aligner_options_set(&options, rows[i].name, rows[i].least, &error));
        ck_assert(sa_aligner_options_set(&options, rows[i].name, rows[i].most, &error));
        ck_assert(!sa_aligner_options_set(&options, rows[i].name, rows[i].less, &error));
        ck_assert(!sa_aligner_options_set(&options, rows[i].name, rows[i].more, &error));
    }
}
END_TEST

/* p_0, the weight of the uniform distribution, and the tension that models begin with. (Before the
 * HMM, the diagonal prior has learned another one.) */
START_TEST(models_have_their_constants) {
    static const struct {
        double null, smoothing;
    } wanted[LEARNED_BY_EM] = {{0, 0}, {0, 0.2}, {0.1, 0.2}, {0.15, 0}};
    for (int which = 0; which < LEARNED_BY_EM; which++) {
        sa_aligner_model model = learned(which, &pairs, WORDS, 0, 0, 1, NULL, NULL);
        ck_assert_double_eq(model.null, wanted[which].null);
        ck_assert_double_eq(model.smoothing, wanted[which].smoothing);
        if (which != SA_ALIGNER_HMM) ck_assert_double_eq(model.tension, 4);
        sa_aligner_model_release(&model);
    }
}
END_TEST

/* ---- Model 2 --------------------------------------------------------------------------------- */

static double t_of(const sa_aligner_model *model, int32_t e, int32_t f) {
    return model->lexicon.t[sa_lexicon_find(&model->lexicon, e, f)];
}

/* From the lexicons of five and six iterations of Model 1, as all positions are alike at first, the
 * tables a and p = 0.8 a + 0.2 / (I + 1) of two iterations. Every pair has its own shape. */
START_TEST(the_tables_of_model2_after_two_iterations) {
    static const int by_length[READ] = {2, 0, 1};
    sa_aligner_model first = learned(SA_ALIGNER_MODEL1, &pairs, WORDS, 5, 1, 1, NULL, NULL);
    sa_aligner_model second = learned(SA_ALIGNER_MODEL1, &pairs, WORDS, 6, 1, 1, NULL, NULL);
    sa_aligner_model model = learned(SA_ALIGNER_MODEL2, &pairs, WORDS, 2, 1, 1, NULL, NULL);
    const double *found = model.parameters;
    ck_assert_uint_eq(model.size, 2 * 2 + 2 * 3 + 2 * 4);
    for (int p = 0; p < READ; p++) {
        const sa_sentence *e = &source[by_length[p]], *f = &target[by_length[p]];
        for (int j = 0; j < f->len - 1; j++, found += e->len) {
            double a[4], sum = 0, total = 0;
            for (int i = 0; i < e->len; i++) sum += t_of(&first, e->ids[i], f->ids[j]);
            for (int i = 0; i < e->len; i++) {
                a[i] = t_of(&first, e->ids[i], f->ids[j]) / sum;
                a[i] *= t_of(&second, e->ids[i], f->ids[j]);
                total += a[i];
            }
            for (int i = 0; i < e->len; i++)
                ck_assert_double_eq_tol(found[i], 0.8 * a[i] / total + 0.2 / e->len, 1e-14);
        }
    }
    sa_aligner_model_release(&first), sa_aligner_model_release(&second);
    sa_aligner_model_release(&model);
}
END_TEST

/* ---- The diagonal ---------------------------------------------------------------------------- */

START_TEST(the_diagonal_prior_of_four_target_and_five_source_words) {
    static const double golden[4][7] = {
        {1.774730, -.173463, .424421, .284498, .127833, .057439, .025809},
        {2.078364, -.184014, .133325, .296721, .296721, .133325, .059907},
        {2.092822, -.173201, .048709, .108403, .241256, .359912, .161719},
        {1.782706, -.144536, .021036, .046817, .104193, .231885, .516069}};
    const sa_aligner_model model = {.null = 0.08, .tension = 4};
    double table[4 * 6], derivative;
    sa_aligner_diagonal.prior(&model, 5, 4, table);
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(sa_aligner_diagonal_normalizer(4, i + 1, 4, 5, &derivative),
                                golden[i][0], 1e-6);
        ck_assert_double_eq_tol(derivative, golden[i][1], 1e-6);
        for (int j = 0; j < 5; j++)
            ck_assert_double_eq_tol(table[i * 6 + j], golden[i][2 + j], 1e-6);
        ck_assert_double_eq_tol(table[i * 6 + 5], 0.08, 1e-15);
    }
}
END_TEST

/* ---- The HMM --------------------------------------------------------------------------------- */

enum { JUMP0 = SA_JUMP_MOST };

/* Posteriors of two target and two source words, whose lexicon is given with that of the empty
 * word last; jumps get the expected counts. Returns log p. */
static double posteriors(double null, double *p, double *jumps) {
    double parameters[2 * SA_JUMPS] = {0}, log_p[2], scratch[2 * 3 * 6];
    parameters[JUMP0 - 1] = 1, parameters[JUMP0] = 2, parameters[JUMP0 + 1] = 4;
    const sa_aligner_model model = {.null = null, .parameters = parameters};
    sa_aligner_hmm.infer(&model, 2, 2, p, log_p, scratch, jumps);
    return log_p[0] + log_p[1];
}

/* The word after the one before is the likeliest, the others the less the farther. */
START_TEST(jumps_begin_at_the_next_word) {
    sa_aligner_model model = learned(SA_ALIGNER_HMM, &pairs, WORDS, 0, 0, 1, NULL, NULL);
    for (int d = -SA_JUMP_MOST; d <= SA_JUMP_MOST; d++)
        ck_assert_double_eq_tol(model.parameters[JUMP0 + d], 1 / (1 + fabs(d - 1.)), 1e-15);
    sa_aligner_model_release(&model);
}
END_TEST

START_TEST(the_hmm_of_das_haus_and_das_buch) {
    /* "das Haus" - "the house"; "das Buch" - "the book" has the same numbers. */
    double p[] = {.5, .5, 0, .25, .5, 0}, jumps[2 * SA_JUMPS] = {0};
    ck_assert_double_eq_tol(2 * posteriors(0, p, jumps), -3.137232, 1e-6);
    static const double golden[] = {.5, .5, 0, .2, .8, 0};
    for (int k = 0; k < 6; k++) ck_assert_double_eq_tol(p[k], golden[k], 1e-12);
    static const double golden_jumps[] = {.2, 1, .8};
    for (int d = 0; d < 3; d++)
        ck_assert_double_eq_tol(2 * jumps[JUMP0 - 1 + d], golden_jumps[d], 1e-12);

    double q[] = {.5, .5, 1.0 / 3, .25, .5, 1.0 / 3}, others[2 * SA_JUMPS] = {0};
    ck_assert_double_eq_tol(2 * posteriors(.2, q, others), -3.356862, 1e-6);
    static const double with_null[] = {.428571, .428571, .142857, .166667, .666667, .166667};
    for (int k = 0; k < 6; k++) ck_assert_double_eq_tol(q[k], with_null[k], 1e-6);
    static const double jumps_with_null[] = {.166667, .833333, .666667};
    for (int d = 0; d < 3; d++)
        ck_assert_double_eq_tol(2 * others[JUMP0 - 1 + d], jumps_with_null[d], 1e-6);
}
END_TEST

/* The sum over all sequences of states, of which I + i is the empty word after word i. */
enum { I = 3, J = 4 };
typedef struct enumeration {
    const sa_aligner_model *model;
    const double *t;
    int states[J];
    double sum, p[J * (I + 1)], jumps[SA_JUMPS];
} enumeration;

static double transition(const sa_aligner_model *model, int from, int to) {
    const double w = model->smoothing;
    double Z = 0;
    for (int i = 0; i < I; i++) Z += model->parameters[JUMP0 + i - from % I];
    if (to >= I) return to % I == from % I ? model->null : 0;
    return (1 - model->null) * ((1 - w) * model->parameters[JUMP0 + to - from % I] / Z + w / I);
}

static void enumerate(enumeration *all, int j, double p) {
    const double real = 1 - all->model->null, w = all->model->smoothing;
    if (j < J) {
        for (int state = 0; state < 2 * I; state++) {
            const double step = j ? transition(all->model, all->states[j - 1], state)
                                  : (state < I ? real : all->model->null) / I;
            all->states[j] = state;
            enumerate(all, j + 1, p * step * all->t[j * (I + 1) + (state < I ? state : I)]);
        }
        return;
    }
    all->sum += p;
    for (int k = 0; k < J; k++) {
        const int to = all->states[k], from = k ? all->states[k - 1] : 0;
        all->p[k * (I + 1) + (to < I ? to : I)] += p;
        if (k && to < I) /* a jump, or the share w of a leap to any word */
            all->jumps[JUMP0 + to - from % I] +=
                p * (1 - real * w / I / transition(all->model, from, to));
    }
}

START_TEST(the_hmm_sums_over_all_alignments) {
    sa_rng rng = sa_rng_seed(1, 0);
    for (int trial = 0; trial < 20; trial++) {
        double parameters[2 * SA_JUMPS], t[J * (I + 1)], p[J * (I + 1)], log_p[J];
        double scratch[2 * (I + 1) * (I + J + 3)], counts[2 * SA_JUMPS] = {0}, log_sum = 0;
        for (int k = 0; k < SA_JUMPS; k++) parameters[k] = 0.1 + sa_rng_uniform(&rng);
        for (int k = 0; k < J * (I + 1); k++) p[k] = t[k] = sa_rng_uniform(&rng);
        const sa_aligner_model model = {.null = 0.3, .smoothing = 0.2, .parameters = parameters};
        enumeration all = {.model = &model, .t = t};
        enumerate(&all, 0, 1);
        sa_aligner_hmm.infer(&model, I, J, p, log_p, scratch, counts);
        for (int j = 0; j < J; j++) log_sum += log_p[j];
        ck_assert_double_eq_tol(log_sum, log(all.sum), 1e-12);
        for (int k = 0; k < J * (I + 1); k++)
            ck_assert_double_eq_tol(p[k], all.p[k] / all.sum, 1e-12);
        for (int k = 0; k < SA_JUMPS; k++)
            ck_assert_double_eq_tol(counts[k], all.jumps[k] / all.sum, 1e-12);
    }
}
END_TEST

/* ---- All of them ----------------------------------------------------------------------------- */

enum { MOST = 30, LENGTH = 6 };
typedef struct random_pairs {
    int32_t ids[2 * MOST][LENGTH + 1];
    sa_sentence side[2][MOST];
    sa_aligner_pairs pairs;
} random_pairs;

/* Sides may be empty. */
static void draw(random_pairs *drawn, sa_rng *rng, int words) {
    for (int k = 0; k < 2 * MOST; k++) {
        const int length = (int)sa_rng_below(rng, LENGTH + 1);
        for (int i = 0; i < length; i++)
            drawn->ids[k][i] = SA_SPECIAL_TOKENS + (int32_t)sa_rng_below(rng, (uint32_t)words);
        drawn->ids[k][length] = SA_EOS;
        drawn->side[k % 2][k / 2] = (sa_sentence){drawn->ids[k], length + 1, NULL};
    }
    drawn->pairs = (sa_aligner_pairs){drawn->side[0], drawn->side[1], MOST};
}

static void falls(void *before, int iteration, double perplexity_now) {
    ck_assert_msg(perplexity_now <= *(double *)before * (1 + 1e-12),
                  "iteration %d: %.17g, then %.17g", iteration, *(double *)before, perplexity_now);
    *(double *)before = iteration == 5 ? INFINITY : perplexity_now; /* the next may be another's */
}

START_TEST(the_likelihood_never_falls) {
    sa_rng rng = sa_rng_seed(2, 0);
    static random_pairs drawn;
    for (int trial = 0; trial < 20; trial++)
        for (int which = 0; which < LEARNED_BY_EM; which++) {
            double before = INFINITY;
            draw(&drawn, &rng, 3 + trial);
            sa_aligner_model model = learned(which, &drawn.pairs, SA_SPECIAL_TOKENS + 3 + trial, 20,
                                             1, 1, falls, &before);
            sa_aligner_model_release(&model);
        }
}
END_TEST

/* Words of one pair each, and sentences of all of them in an order, which the prior learns. */
static sa_aligner_model learned_order(int which, const int *order, int words) {
    enum { LONGEST = 24, SENTENCES = 1 };
    static int32_t ids[2][LONGEST + SENTENCES][LONGEST + 1];
    sa_sentence sides[2][LONGEST + SENTENCES];
    for (int p = 0; p < words + SENTENCES; p++)
        for (int side = 0; side < 2; side++) {
            int32_t *id = ids[side][p];
            const int count = p < words ? 1 : words;
            for (int k = 0; k < count; k++) id[k] = A + (p < words ? p : side ? order[k] : k);
            id[count] = SA_EOS;
            sides[side][p] = (sa_sentence){id, count + 1, NULL};
        }
    const sa_aligner_pairs all = {sides[0], sides[1], (size_t)(words + SENTENCES)};
    return learned(which, &all, A + words, 8, 0, 1, NULL, NULL);
}

/* Straight, reversed, and from one end to the other and back: the bounds of the tension, and jumps
 * of -1 and of 16 and more, which share a parameter on each side. */
START_TEST(positions_are_learned) {
    enum { N = 20 };
    int straight[N], reversed[N], ends[N];
    for (int k = 0; k < N; k++)
        straight[k] = k, reversed[k] = N - 1 - k, ends[k] = k % 2 ? N - 1 - k % 3 : k % 3;
    sa_aligner_model model = learned_order(SA_ALIGNER_DIAGONAL, straight, N);
    ck_assert_double_eq_tol(model.tension, 14, 1e-6);
    sa_aligner_model_release(&model);
    model = learned_order(SA_ALIGNER_DIAGONAL, reversed, N);
    ck_assert_double_eq_tol(model.tension, 0.1, 1e-6);
    sa_aligner_model_release(&model);
    model = learned_order(SA_ALIGNER_HMM, reversed, N);
    for (int k = 0; k < SA_JUMPS; k++)
        ck_assert(k == SA_JUMP_MOST - 1 ||
                  model.parameters[k] < model.parameters[SA_JUMP_MOST - 1] / 10);
    sa_aligner_model_release(&model);
    model = learned_order(SA_ALIGNER_HMM, ends, N);
    for (int k = 1; k < SA_JUMPS - 1; k++) {
        ck_assert_double_lt(model.parameters[k], model.parameters[0] / 10);
        ck_assert_double_lt(model.parameters[k], model.parameters[SA_JUMPS - 1] / 10);
    }
    sa_aligner_model_release(&model);
}
END_TEST

/* Of the process, so that it sees whether an aligner has those that it was given. */
static void count_threads(void *context, int iteration, double value) {
    (void)iteration, (void)value;
    int *threads = context;
    DIR *folder = opendir("/proc/self/task");
    for (*threads = 0; folder && readdir(folder);) ++*threads;
    if (folder) closedir(folder);
}

START_TEST(threads_do_not_change_a_bit) {
    sa_rng rng = sa_rng_seed(3, 0);
    static random_pairs drawn;
    draw(&drawn, &rng, 10);
    for (int which = 0; which < MODELS; which++) {
        const int words = SA_SPECIAL_TOKENS + 10;
        int alone, together;
        sa_aligner_model one = learned(which, &drawn.pairs, words, 3, 0, 1, count_threads, &alone);
        sa_aligner_model three =
            learned(which, &drawn.pairs, words, 3, 0, 3, count_threads, &together);
        if (alone) ck_assert_int_eq(together, alone + 2);
        ck_assert_mem_eq(one.lexicon.t, three.lexicon.t,
                         one.lexicon.row[words] * sizeof *one.lexicon.t);
        if (one.size)
            ck_assert_mem_eq(one.parameters, three.parameters, one.size * sizeof *one.parameters);
        sa_aligner_model_release(&one), sa_aligner_model_release(&three);
    }
}
END_TEST

/* Words that occur once, beside empty sides. */
START_TEST(long_and_empty_sentences_have_finite_numbers) {
    enum { LONG = TEST_SANITIZED ? 100 : 300 };
    static int32_t ids[LONG + 1], empty[] = {SA_EOS};
    static double weights[(LONG + 1) * (LONG + 1)], log_p[LONG + 1];
    for (int k = 0; k < LONG; k++) ids[k] = SA_SPECIAL_TOKENS + k;
    ids[LONG] = SA_EOS;
    const sa_sentence whole = {ids, LONG + 1, NULL}, none = {empty, 1, NULL};
    const sa_sentence left[] = {whole, none, whole, none}, right[] = {whole, whole, none, none};
    for (int which = 0; which < MODELS; which++)
        for (size_t count = 1; count <= 4; count += 3) {
            const sa_aligner_pairs few = {left + (count == 1), right + (count == 1), count};
            sa_aligner_model model = learned(which, &few, SA_SPECIAL_TOKENS + LONG,
                                             count == 1 ? 3 : 1, 0, 2, NULL, NULL);
            for (size_t p = 0; p < count; p++) {
                ck_assert(sa_aligner_weights(&model, &few.source[p], &few.target[p], weights, log_p,
                                             &error));
                for (int k = 0; k < few.source[p].len * few.target[p].len; k++)
                    ck_assert(isfinite(weights[k]));
                for (int j = 0; j < few.target[p].len; j++) ck_assert(isfinite(log_p[j]));
            }
            sa_aligner_model_release(&model);
        }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("aligner", &tests);
    tcase_add_test(tests, the_lexicon_after_four_iterations);
    tcase_add_test(tests, pairs_that_are_repeated_change_nothing);
    tcase_add_test(tests, weights_are_posteriors_and_leave_the_empty_word_its_own);
    tcase_add_test(tests, iterations_are_as_many_as_announced);
    tcase_add_test(tests, an_unknown_word_comes_from_the_empty_word);
    tcase_add_test(tests, variational_bayes_discounts_rare_words);
    tcase_add_test(tests, alpha_is_the_one_chosen);
    tcase_add_test(tests, each_model_has_its_own_alpha);
    tcase_add_test(tests, options_have_their_defaults_and_ranges);
    tcase_add_test(tests, models_have_their_constants);
    tcase_add_test(tests, the_tables_of_model2_after_two_iterations);
    tcase_add_test(tests, the_diagonal_prior_of_four_target_and_five_source_words);
    tcase_add_test(tests, jumps_begin_at_the_next_word);
    tcase_add_test(tests, the_hmm_of_das_haus_and_das_buch);
    tcase_add_test(tests, the_hmm_sums_over_all_alignments);
    tcase_add_test(tests, the_likelihood_never_falls);
    tcase_add_test(tests, positions_are_learned);
    tcase_add_test(tests, threads_do_not_change_a_bit);
    tcase_add_test(tests, long_and_empty_sentences_have_finite_numbers);
    return suite_run(suite);
}
