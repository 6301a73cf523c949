/* The aligner with fertility: its conditionals against their definition, its chain against the sum
 * over all alignments, and what it learns. */
#include "aligner/aligner.h"
#include "aligner/fertility.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 5, WORDS = 4, MOST = 6, MIDDLE = SA_GIBBS_JUMPS / 2 - 1 };

/* Pairs of words 0 to WORDS - 1, of which 0 is the empty word on the source's side, with the entry
 * e WORDS + f for words e and f. */
typedef struct text {
    int32_t e[PAIRS][MOST + 1], f[PAIRS][MOST];
    uint32_t entry[PAIRS][MOST * (MOST + 1)], links[WORDS * WORDS];
    sa_gibbs_pair pair[PAIRS];
    double total[WORDS], fertility[WORDS][SA_GIBBS_FERTILITIES], weight[MOST + 1];
    int count, link[PAIRS * MOST], phi[MOST + 1];
    sa_gibbs s;
} text;

static const double base = SA_GIBBS_PRIOR * WORDS;
static text all;

static int link_of(int p, int j) {
    return all.link[all.pair[p].first + (size_t)j];
}

/* Adds a pair whose words and links are drawn. */
static void add_pair(sa_rng *rng, int I, int J) {
    const int p = all.count++;
    for (int i = 0; i < I; i++) all.e[p][i] = 1 + (int32_t)sa_rng_below(rng, WORDS - 1);
    for (int j = 0; j < J; j++) all.f[p][j] = (int32_t)sa_rng_below(rng, WORDS);
    for (int k = 0; k < J * (I + 1); k++)
        all.entry[p][k] = (uint32_t)(all.e[p][k % (I + 1)] * WORDS + all.f[p][k / (I + 1)]);
    all.pair[p] = (sa_gibbs_pair){
        .e = all.e[p], .entry = all.entry[p], .I = I, .J = J, .first = (size_t)(p * MOST)};
    for (int j = 0; j < J; j++) all.link[p * MOST + j] = (int)sa_rng_below(rng, (uint32_t)I + 1);
}

/* Counts the words and jumps of all links but the one of word j of pair p, and the jumps at it. */
static void count_all(int p, int j, double *n, double *total, double *c) {
    memset(n, 0, WORDS * WORDS * sizeof *n), memset(total, 0, WORDS * sizeof *total);
    for (int d = 0; d < SA_GIBBS_JUMPS; d++) c[d] = 0.5;
    for (int q = 0; q < all.count; q++) {
        const sa_gibbs_pair *x = &all.pair[q];
        int from = 0, word = -1;
        for (int k = 0; k <= x->J; k++) {
            const int i = k < x->J ? link_of(q, k) : x->I, to = k < x->J ? i + 1 : x->I + 1;
            if (k < x->J && (q != p || k != j)) n[x->e[i] * WORDS + all.f[q][k]]++;
            if (k < x->J && (q != p || k != j)) total[x->e[i]]++;
            if (k < x->J && i == x->I) continue;
            if (q != p || word > j || k < j) c[MIDDLE + to - from]++;
            from = to, word = k;
        }
    }
}

/* The conditional of a_j = i, by definition, up to a factor. */
static double conditional(int p, int j, int i, const double *n, const double *total,
                          const double *c) {
    const sa_gibbs_pair *x = &all.pair[p];
    const int32_t e = x->e[i];
    int l = 0, r = x->I + 1, phi = 0;
    double C = 0;
    for (int k = 0; k < j; k++)
        if (link_of(p, k) < x->I) l = link_of(p, k) + 1;
    for (int k = x->J - 1; k > j; k--)
        if (link_of(p, k) < x->I) r = link_of(p, k) + 1;
    for (int k = 0; k < x->J; k++) phi += k != j && link_of(p, k) == i;
    for (int d = 0; d < SA_GIBBS_JUMPS; d++) C += c[d];
    double t = (n[e * WORDS + all.f[p][j]] + 0.001) / (total[e] + 0.001 * WORDS);
    if (i == x->I) return t * 0.2 * (all.s.stage ? C * c[MIDDLE + r - l] : 1);
    if (all.s.stage) t *= c[MIDDLE + i + 1 - l] * c[MIDDLE + r - i - 1];
    if (all.s.stage == SA_GIBBS_FERTILITY)
        t *= phi + 1 < 7 ? all.fertility[e][phi + 1] / all.fertility[e][phi] : 1e-10;
    return t;
}

static void open_text(sa_rng *rng, sa_gibbs_stage stage) {
    memset(&all, 0, sizeof all);
    for (int e = 0; e < WORDS; e++) {
        all.total[e] = base;
        for (int x = 0; x < SA_GIBBS_FERTILITIES; x++)
            all.fertility[e][x] = 0.5 + sa_rng_below(rng, 5);
    }
    all.s = (sa_gibbs){.rng = *rng,
                       .stage = stage,
                       .links = all.links,
                       .total = all.total,
                       .fertility = all.fertility,
                       .link = all.link,
                       .weight = all.weight,
                       .phi = all.phi};
}

/* Counts links and jumps as they are. */
static void count_text(void) {
    double n[WORDS * WORDS], total[WORDS];
    count_all(-1, -1, n, total, all.s.jump);
    for (int k = 0; k < WORDS * WORDS; k++) all.links[k] = (uint32_t)n[k];
    for (int e = 0; e < WORDS; e++) all.total[e] = base + total[e];
    all.s.jumps = 0;
    for (int d = 0; d < SA_GIBBS_JUMPS; d++) all.s.jumps += all.s.jump[d];
}

START_TEST(conditionals_are_those_of_the_definition) {
    sa_rng rng = sa_rng_seed(1, 0);
    for (int trial = 0; trial < 100; trial++) {
        double n[WORDS * WORDS], total[WORDS], c[SA_GIBBS_JUMPS], prior;
        open_text(&rng, (sa_gibbs_stage)_i);
        while (all.count < PAIRS)
            add_pair(&rng, (int)sa_rng_below(&rng, MOST + 1), 1 + (int)sa_rng_below(&rng, MOST));
        count_text();
        const int p = (int)sa_rng_below(&rng, PAIRS);
        const sa_gibbs_pair *x = &all.pair[p];
        const int j = (int)sa_rng_below(&rng, (uint32_t)x->J), own = link_of(p, j);
        int l = 0, r = x->I + 1;
        for (int k = 0; k < j; k++)
            if (link_of(p, k) < x->I) l = link_of(p, k) + 1;
        for (int k = x->J - 1; k > j; k--)
            if (link_of(p, k) < x->I) r = link_of(p, k) + 1;
        for (int k = 0; k < x->J; k++) all.phi[link_of(p, k)] += k != j;
        sa_gibbs_count(&all.s, x, j, l, r, -1);
        const double sum = sa_gibbs_weigh(&all.s, x, j, l, r, &prior);
        count_all(p, j, n, total, c);
        double wanted = 0;
        for (int i = 0; i <= x->I; i++) {
            const double w = conditional(p, j, i, n, total, c);
            ck_assert_double_eq_tol(all.weight[i] / w, 1, 1e-12);
            wanted += w;
        }
        ck_assert_double_eq_tol(sum / wanted, 1, 1e-12);
        sa_gibbs_count(&all.s, x, j, l, r, 1);
        ck_assert_int_eq(link_of(p, j), own);
    }
}
END_TEST

/* A seventh word of one is as unlikely as can be. */
START_TEST(fertilities_end) {
    sa_rng rng = sa_rng_seed(1, 0);
    double prior, first = 0;
    open_text(&rng, SA_GIBBS_FERTILITY);
    add_pair(&rng, 1, 1);
    count_text();
    for (int phi = 0; phi < 10; phi++) {
        const double *F = all.fertility[all.e[0][0]];
        all.phi[0] = phi;
        sa_gibbs_weigh(&all.s, &all.pair[0], 0, 0, 2, &prior);
        if (!phi) first = all.weight[0] / (F[1] / F[0]);
        ck_assert_double_eq_tol(all.weight[0] / first / (phi < 6 ? F[phi + 1] / F[phi] : 1e-10), 1,
                                1e-12);
    }
}
END_TEST

/* Jumps of 49 words back and more have one count, and so have those of 50 words on and more. */
START_TEST(far_jumps_are_counted_together) {
    enum { I = 120, LEFT = 60, RIGHT = 65 };
    static int32_t e[I + 1];
    static uint32_t entry[I + 1], links[1];
    static double weight[I + 1];
    double total[] = {1}, prior;
    int link[] = {I - 1};
    sa_gibbs s = {
        .stage = SA_GIBBS_JUMP, .links = links, .total = total, .link = link, .weight = weight};
    const sa_gibbs_pair x = {.e = e, .entry = entry, .I = I, .J = 1};
    for (int k = 0; k < SA_GIBBS_JUMPS; k++) s.jumps += s.jump[k] = k * k + 1;
    const double jumps = s.jumps;
    sa_gibbs_weigh(&s, &x, 0, LEFT, RIGHT, &prior);
    for (int i = 0; i < I; i++) {
        const double to = fmin(fmax(MIDDLE + i + 1 - LEFT, 0), 99),
                     on = fmin(fmax(MIDDLE + RIGHT - i - 1, 0), 99);
        ck_assert_double_eq_tol(weight[i] / ((to * to + 1) * (on * on + 1) * 0.001), 1, 1e-12);
    }
    sa_gibbs_count(&s, &x, 0, LEFT, RIGHT, 1); /* 60 words on, then 55 back */
    ck_assert_double_eq(s.jump[99], 99 * 99 + 2);
    ck_assert_double_eq(s.jump[0], 2);
    ck_assert_double_eq(s.jumps, jumps + 2);
}
END_TEST

/* "das Haus, the house" and "das Buch, the book", both words of the second linked with "das": what
 * "book" may come from, with F_das(2) = 0.2 and F_Buch(1) = 9, by an independent implementation. */
START_TEST(a_word_of_two_pairs_has_golden_conditionals) {
    static const double golden[][3] = {
        {.001247, .832295, .166459}, {.000015, .789462, .210523}, {0, .971223, .028777}};
    static const int links[2][2] = {{0, 1}, {0, 0}};
    sa_rng rng = sa_rng_seed(1, 0);
    open_text(&rng, (sa_gibbs_stage)_i);
    for (int p = 0; p < 2; p++) {
        add_pair(&rng, 2, 2);
        all.e[p][0] = 1, all.e[p][1] = 2 + p, all.f[p][0] = 0, all.f[p][1] = 1 + p;
        for (int k = 0; k < 6; k++)
            all.entry[p][k] = (uint32_t)(all.e[p][k % 3] * WORDS + all.f[p][k / 3]);
        for (int j = 0; j < 2; j++) all.link[all.pair[p].first + (size_t)j] = links[p][j];
    }
    count_text();
    for (int e = 0; e < WORDS; e++) all.total[e] -= SA_GIBBS_PRIOR; /* the target has three words */
    all.fertility[1][2] = 0.2 * all.fertility[1][1], all.fertility[3][1] = 9 * all.fertility[3][0];
    all.phi[0] = 1;
    double prior;
    sa_gibbs_count(&all.s, &all.pair[1], 1, 1, 3, -1);
    const double sum = sa_gibbs_weigh(&all.s, &all.pair[1], 1, 1, 3, &prior);
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(all.weight[i] / sum, golden[_i][i], 5e-7);
}
END_TEST

START_TEST(counts_follow_the_links) {
    sa_rng rng = sa_rng_seed(2, 0);
    open_text(&rng, SA_GIBBS_FERTILITY);
    while (all.count < PAIRS) add_pair(&rng, all.count, MOST); /* the first has no source words */
    count_text();
    for (int visit = 0; visit < 200; visit++) {
        const int p = visit % PAIRS, J = all.pair[p].J, row = all.pair[p].I + 2;
        float means[MOST * (MOST + 2)] = {0};
        double n[WORDS * WORDS], total[WORDS], c[SA_GIBBS_JUMPS], log_p = 0;
        all.s.log_p = 0;
        sa_gibbs_visit(&all.s, &all.pair[p], true, 0.5, means);
        count_all(-1, -1, n, total, c);
        for (int k = 0; k < WORDS * WORDS; k++) ck_assert_uint_eq(all.links[k], (uint32_t)n[k]);
        for (int e = 0; e < WORDS; e++)
            ck_assert_double_eq_tol(all.total[e], base + total[e], 1e-9);
        for (int j = 0; j < J; j++) {
            float sum = 0;
            for (int i = 0; i < row - 1; i++) sum += means[j * row + i];
            ck_assert_float_eq_tol(sum, 0.5F, 1e-6F);
            ck_assert_float_le(means[j * row + row - 1], 0);
            log_p += (double)means[j * row + row - 1];
        }
        ck_assert_double_eq_tol(log_p, 0.5 * all.s.log_p, 1e-4);
    }
}
END_TEST

/* The conditionals of a word are those beside the new links of the words before it and the old
 * links of those after it; counts that do not follow the links stay as they are. */
START_TEST(a_visit_goes_from_word_to_word) {
    sa_rng rng = sa_rng_seed(5, 0);
    for (int trial = 0; trial < 50; trial++) {
        double n[WORDS * WORDS], total[WORDS], c[SA_GIBBS_JUMPS];
        float found[MOST * (MOST + 2)] = {0}, *row = found;
        int old[MOST], new[MOST];
        const int p = trial % PAIRS;
        open_text(&rng, (sa_gibbs_stage)_i);
        while (all.count < PAIRS) add_pair(&rng, 1 + (int)sa_rng_below(&rng, MOST), MOST);
        count_text();
        count_all(-1, -1, n, total, c);
        const sa_gibbs_pair *x = &all.pair[p];
        int *link = all.link + x->first;
        memcpy(old, link, sizeof old);
        sa_gibbs_visit(&all.s, x, false, 0.25, found);
        memcpy(new, link, sizeof new);
        memcpy(link, old, sizeof old);
        for (int j = 0; j < MOST; j++, row += x->I + 2) {
            double sum = 0;
            for (int i = 0; i <= x->I; i++) sum += conditional(p, j, i, n, total, c);
            for (int i = 0; i <= x->I; i++)
                ck_assert_double_eq_tol((double)row[i],
                                        0.25 * conditional(p, j, i, n, total, c) / sum, 1e-7);
            link[j] = new[j];
        }
    }
}
END_TEST

/* Returns the logarithm of the joint probability of all links and words, with the probabilities of
 * the words integrated out (a Dirichlet prior). */
static double joint(void) {
    double n[WORDS * WORDS], total[WORDS], c[SA_GIBBS_JUMPS], log_p = 0;
    count_all(-1, -1, n, total, c);
    for (int e = 0; e < WORDS; e++) {
        log_p += lgamma(base) - lgamma(base + total[e]);
        for (int f = 0; f < WORDS; f++) log_p += lgamma(n[e * WORDS + f] + 0.001) - lgamma(0.001);
    }
    return log_p + total[0] * log(0.2);
}

/* Three words of which two come from "1 2", and one of "1": the mean conditionals of a long chain
 * are the posteriors of Model 1, and the last word's links are mostly those that share a word. */
START_TEST(the_chain_sums_over_all_alignments) {
    sa_rng rng = sa_rng_seed(3, 0);
    open_text(&rng, SA_GIBBS_WORDS);
    add_pair(&rng, 2, 2), add_pair(&rng, 1, 1);
    static const int32_t e[] = {1, 2, 0, 1, 0}, f[] = {1, 2, 1};
    static const int states[] = {3, 3, 2};
    double wanted[2][3] = {{0}}, sum = 0, largest = 0;
    for (int k = 0; k < 6; k++) all.entry[0][k] = (uint32_t)(e[k % 3] * WORDS + f[k / 3]);
    for (int i = 0; i < 2; i++) all.entry[1][i] = (uint32_t)(e[3 + i] * WORDS + f[2]);
    memcpy(all.e[0], e, 3 * sizeof *e), memcpy(all.e[1], e + 3, 2 * sizeof *e);
    memcpy(all.f[0], f, 2 * sizeof *f), all.f[1][0] = f[2];
    for (int round = 0; round < 2; round++) /* the second relative to the largest */
        for (int state = 0; state < 18; state++) {
            all.link[0] = state % states[0], all.link[1] = state / 3 % states[1];
            all.link[MOST] = state / 9;
            const double log_p = joint();
            largest = round || (state && log_p < largest) ? largest : log_p;
            if (round) sum += exp(log_p - largest);
            for (int j = 0; round && j < 2; j++) wanted[j][all.link[j]] += exp(log_p - largest);
        }
    count_text();
    enum { PASSES = 400000 };
    float means[2][4] = {{0}};
    for (int pass = 0; pass < PASSES; pass++)
        for (int p = 0; p < 2; p++)
            sa_gibbs_visit(&all.s, &all.pair[p], true, 1.0 / PASSES, p ? NULL : means[0]);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol((double)means[j][i], wanted[j][i] / sum, 0.03);
}
END_TEST

/* ---- What it learns -------------------------------------------------------------------------- */

/* 1000 / sqrt(pairs) for each iteration, 2 to a million, and before them twice a quarter of these,
 * at least one. */
START_TEST(fewer_pairs_take_more_passes) {
    static const struct {
        int iterations;
        size_t pairs;
        int passes;
    } rows[] = {
        {1, 1, 1000 + 2 * 250},
        {5, 10000, 50 + 2 * 12},
        {1, 40000, 5 + 2 * 1},
        {1, 90000, 3 + 2 * 1},
        {1, 1000000, 2 + 2 * 1},
        {0, 100, 2 + 2 * 1},
        {1000000, 1, 1000000 + 2 * 250000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sa_aligner_options options = {.model = SA_ALIGNER_FERTILITY,
                                            .iterations = rows[i].iterations};
        ck_assert_int_eq(sa_aligner_iterations(&options, rows[i].pairs), rows[i].passes);
    }
}
END_TEST

enum { TEXT = 200, LONGEST = 12, A = SA_SPECIAL_TOKENS };
enum { TWO = 4, NONE = TWO, KINDS = 8, ALL = KINDS + TWO };
static int32_t ids[2][TEXT][LONGEST + 1];
static sa_sentence side[2][TEXT];

/* Each of the first TWO words becomes two words, the next none, and the others one. */
static sa_aligner_pairs planted_text(void) {
    sa_rng rng = sa_rng_seed(4, 0);
    for (int p = 0; p < TEXT; p++) {
        int32_t *e = ids[0][p], *f = ids[1][p];
        int J = 0;
        const int I = 2 + (int)sa_rng_below(&rng, 4);
        for (int i = 0; i < I; i++) {
            e[i] = A + (int32_t)sa_rng_below(&rng, KINDS);
            if (e[i] != A + NONE) f[J++] = e[i];
            if (e[i] < A + TWO) f[J++] = e[i] + KINDS;
        }
        e[I] = f[J] = SA_EOS;
        side[0][p] = (sa_sentence){e, I + 1, NULL}, side[1][p] = (sa_sentence){f, J + 1, NULL};
    }
    return (sa_aligner_pairs){side[0], side[1], TEXT};
}

static sa_aligner_model learned(const sa_aligner_pairs *pairs, int threads, int64_t seed) {
    sa_aligner_model model;
    sa_error error;
    const sa_aligner_options options = {.model = SA_ALIGNER_FERTILITY,
                                        .iterations = 1,
                                        .threads = threads,
                                        .samplers = 3,
                                        .seed = seed};
    ck_assert_msg(sa_aligner_learn(&model, &options, pairs, A + ALL, A + ALL, NULL, NULL, &error),
                  "%s", error.text);
    return model;
}

static void note_perplexity(void *context, int iteration, double perplexity) {
    ck_assert_double_eq_tol(perplexity, 1, 1e-12);
    *(int *)context = iteration;
}

/* There is one word that the target can have. */
START_TEST(a_certain_word_has_perplexity_1) {
    static const int32_t word[] = {A, SA_EOS};
    const sa_sentence both[] = {{word, 2, NULL}, {word, 2, NULL}};
    const sa_aligner_options options = {
        .model = SA_ALIGNER_FERTILITY, .iterations = 1, .threads = 1, .samplers = 2, .seed = 1};
    sa_aligner_model model;
    int passes = 0;
    ck_assert(sa_aligner_learn(&model, &options, &(sa_aligner_pairs){both, both, 2}, A + 1, A + 1,
                               note_perplexity, &passes, NULL));
    ck_assert_int_gt(passes, 1);
    sa_aligner_model_release(&model);
}
END_TEST

static void compare_perplexity(void *context, int iteration, double perplexity) {
    ck_assert_double_eq_tol(perplexity, *(const double *)context, 1e-11);
}

/* Where there is only the empty word, a word is as probable as it is frequent: among the others of
 * the text; in a new pair, among all. */
START_TEST(words_without_a_source_have_their_frequencies) {
    static const int32_t none[] = {SA_EOS}, both[] = {A, A + 1, SA_EOS};
    static const int32_t one[] = {A, SA_EOS}, three[] = {A + 1, A, A, SA_EOS};
    const sa_sentence sources[] = {{none, 1, NULL}, {none, 1, NULL}};
    const sa_sentence targets[] = {{both, 3, NULL}, {one, 2, NULL}}, other = {three, 4, NULL};
    const sa_aligner_options options = {
        .model = SA_ALIGNER_FERTILITY, .iterations = 1, .threads = 1, .samplers = 3, .seed = 1};
    const double twice = (1 + 0.001) / (2 + 2 * 0.001), once = 0.001 / (2 + 2 * 0.001);
    double perplexity = 1 / cbrt(twice * twice * once), weights[4], log_p[4];
    sa_aligner_model model;
    ck_assert(sa_aligner_learn(&model, &options, &(sa_aligner_pairs){sources, targets, 2}, A + 2,
                               A + 2, compare_perplexity, &perplexity, NULL));
    ck_assert(sa_aligner_weights(&model, &sources[0], &targets[0], weights, log_p, NULL));
    ck_assert_double_eq_tol(log_p[0], log(twice), 1e-6);
    ck_assert_double_eq_tol(log_p[1], log(once), 1e-5);
    ck_assert(sa_aligner_weights(&model, &sources[0], &other, weights, log_p, NULL));
    ck_assert_double_eq_tol(log_p[0], log((1 + 0.001) / (3 + 2 * 0.001)), 1e-6);
    ck_assert_double_eq_tol(log_p[1], log((2 + 0.001) / (3 + 2 * 0.001)), 1e-6);
    ck_assert_double_eq(log_p[3], 0);
    sa_aligner_model_release(&model);
}
END_TEST

static void take_perplexity(void *context, int iteration, double perplexity) {
    (void)iteration;
    *(double *)context = perplexity;
}

/* The perplexity of the last pass is that of the weights which every pair has from it. */
START_TEST(pairs_keep_the_weights_of_the_last_pass) {
    sa_aligner_pairs few = planted_text();
    few.count = 20;
    const sa_aligner_options options = {
        .model = SA_ALIGNER_FERTILITY, .iterations = 1, .threads = 1, .samplers = 3};
    sa_aligner_model model;
    double perplexity = 0, sum = 0, weights[400], log_p[20];
    int words = 0;
    ck_assert(sa_aligner_learn(&model, &options, &few, A + ALL, A + ALL, take_perplexity,
                               &perplexity, NULL));
    for (size_t k = 0; k < few.count; k++) {
        const int J = few.target[k].len - 1;
        ck_assert(J < 20 && few.source[k].len * (J + 1) <= 400);
        ck_assert(sa_aligner_weights(&model, &few.source[k], &few.target[k], weights, log_p, NULL));
        for (int j = 0; j < J; j++) sum += log_p[j];
        words += J;
    }
    ck_assert_double_eq_tol(perplexity, exp(-sum / words), 1e-6 * perplexity);
    sa_aligner_model_release(&model);
}
END_TEST

/* A becomes two words and A + 1 one, the same: in a new pair only that tells whose each is. The
 * empty word becomes another. */
START_TEST(fertilities_are_learned) {
    enum { EACH = 30, THRICE = 3 * EACH };
    static const int32_t none[] = {SA_EOS}, one[] = {A, SA_EOS}, other[] = {A + 1, SA_EOS};
    static const int32_t both[] = {A, A + 1, SA_EOS}, same[] = {A, A, A, SA_EOS};
    static const int32_t nothings[] = {A + 2, A + 2, A + 2, A + 2, A + 2, SA_EOS};
    sa_sentence source[THRICE], target[THRICE];
    for (int k = 0; k < THRICE; k += 3) {
        source[k] = (sa_sentence){one, 2, NULL}, target[k] = (sa_sentence){same + 1, 3, NULL};
        source[k + 1] = (sa_sentence){other, 2, NULL};
        target[k + 1] = (sa_sentence){same + 2, 2, NULL};
        source[k + 2] = (sa_sentence){none, 1, NULL};
        target[k + 2] = (sa_sentence){nothings, 6, NULL};
    }
    const sa_aligner_options options = {
        .model = SA_ALIGNER_FERTILITY, .iterations = 1, .threads = 1, .samplers = 8};
    const sa_sentence new_source = {both, 3, NULL}, new_target = {same, 4, NULL};
    sa_aligner_model model;
    double weights[12], log_p[4];
    ck_assert(sa_aligner_learn(&model, &options, &(sa_aligner_pairs){source, target, THRICE}, A + 3,
                               A + 3, NULL, NULL, NULL));
    ck_assert(sa_aligner_weights(&model, &new_source, &new_target, weights, log_p, NULL));
    for (int j = 0; j < 3; j++) ck_assert_double_gt(weights[3 * j + (j == 2)], 0.99);
    sa_aligner_model_release(&model);
}
END_TEST

START_TEST(no_samplers_are_eight) {
    sa_aligner_pairs few = planted_text();
    sa_aligner_model models[2];
    few.count = 20;
    for (int k = 0; k < 2; k++) {
        const sa_aligner_options options = {
            .model = SA_ALIGNER_FERTILITY, .iterations = 1, .threads = 1, .samplers = 8 * k};
        ck_assert(sa_aligner_learn(&models[k], &options, &few, A + ALL, A + ALL, NULL, NULL, NULL));
    }
    ck_assert_mem_eq(models[0].lexicon.t, models[1].lexicon.t,
                     models[0].lexicon.row[A + ALL] * sizeof *models[0].lexicon.t);
    sa_aligner_model_release(&models[0]), sa_aligner_model_release(&models[1]);
}
END_TEST

/* Both words of a word, by most samplers, in a new pair and in those that were learned. */
START_TEST(it_finds_how_many_words_a_word_becomes) {
    const sa_aligner_pairs pairs = planted_text();
    sa_aligner_model model = learned(&pairs, 2, 1);
    static const int32_t e[] = {A + 5, A + NONE, A, A + 6, A + 7, A + 5, A + 1, SA_EOS};
    static const int32_t f[] = {A + 5, A,     A + KINDS,     A + 6, A + 7,
                                A + 5, A + 1, A + 1 + KINDS, SA_EOS};
    static const int wanted[] = {0, 2, 2, 3, 4, 5, 6, 6};
    const sa_sentence source = {e, 8, NULL}, target = {f, 9, NULL};
    double weights[(LONGEST + 1) * (LONGEST + 1)], log_p[LONGEST + 1];
    sa_error error;
    ck_assert(sa_aligner_weights(&model, &source, &target, weights, log_p, &error));
    for (int j = 0; j < 8; j++) {
        double sum = 0;
        for (int i = 0; i < 8; i++) sum += weights[j * 8 + i];
        ck_assert_double_le(sum, 1 + 1e-6); /* the rest is the empty word's */
        ck_assert_double_gt(weights[j * 8 + wanted[j]], 0.5);
        ck_assert(log_p[j] < 0);
    }
    for (int32_t word = 0; word < model.lexicon.sources; word++) {
        double sum = 0;
        for (size_t c = model.lexicon.row[word]; c < model.lexicon.row[word + 1]; c++)
            sum += model.lexicon.t[c];
        ck_assert_double_le(sum, 1 + 1e-9); /* of the words that occur with it */
    }
    int right = 0, words = 0;
    for (int p = 0; p < TEXT; p++) {
        const int S = side[0][p].len;
        ck_assert(sa_aligner_weights(&model, &side[0][p], &side[1][p], weights, log_p, &error));
        for (int j = 0; j < side[1][p].len - 1; j++, words++)
            for (int i = 0; i < S - 1; i++) {
                const int32_t from = side[0][p].ids[i], to = side[1][p].ids[j];
                right += weights[j * S + i] > 0.5 && (from == to || from + KINDS == to);
            }
    }
    ck_assert_int_gt(right, words * 85 / 100);
    sa_aligner_model_release(&model);
}
END_TEST

/* Fertilities of eight and more are nearly impossible: the empty word takes the other words. */
START_TEST(a_word_becomes_at_most_seven) {
    enum { SAME = 20, NINE = 9 };
    static const int32_t e[] = {A, SA_EOS},
                         f[] = {A, A + 1, A + 2, A + 3, A + 4, A + 5, A + 6, A + 7, A + 8, SA_EOS};
    sa_sentence source[SAME], target[SAME];
    double weights[2 * (NINE + 1)], log_p[NINE + 1];
    for (int p = 0; p < SAME; p++) {
        source[p] = (sa_sentence){e, 2, NULL};
        target[p] = (sa_sentence){f + p % 2, NINE + 1 - p % 2, NULL}; /* or eight */
    }
    sa_aligner_model model = learned(&(sa_aligner_pairs){source, target, SAME}, 1, 1);
    ck_assert(sa_aligner_weights(&model, &source[0], &target[0], weights, log_p, NULL));
    double sum = 0;
    for (int j = 0; j < NINE; j++) sum += weights[2 * j];
    ck_assert_double_gt(sum, 4);
    ck_assert_double_lt(sum, 7 + 1e-3);
    sa_aligner_model_release(&model);
}
END_TEST

START_TEST(a_seed_gives_the_same_bits_at_any_number_of_threads) {
    const sa_aligner_pairs pairs = planted_text();
    double weights[2][(LONGEST + 1) * (LONGEST + 1)], log_p[2][LONGEST + 1];
    sa_error error;
    sa_aligner_model one = learned(&pairs, 1, 1), three = learned(&pairs, 3, 1);
    sa_aligner_model other = learned(&pairs, 1, 2);
    const size_t size = one.lexicon.row[A + ALL] * sizeof *one.lexicon.t;
    ck_assert_mem_eq(one.lexicon.t, three.lexicon.t, size);
    ck_assert(memcmp(one.lexicon.t, other.lexicon.t, size) != 0);
    for (int p = 0; p < TEXT; p++) {
        const size_t cells = (size_t)side[0][p].len * (size_t)side[1][p].len;
        sa_aligner_weights(&one, &side[0][p], &side[1][p], weights[0], log_p[0], &error);
        sa_aligner_weights(&three, &side[0][p], &side[1][p], weights[1], log_p[1], &error);
        ck_assert_mem_eq(weights[0], weights[1], cells * sizeof **weights);
    }
    sa_aligner_model_release(&one), sa_aligner_model_release(&three);
    sa_aligner_model_release(&other);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("fertility", &tests);
    tcase_add_loop_test(tests, conditionals_are_those_of_the_definition, 0, 3);
    tcase_add_test(tests, fertilities_end);
    tcase_add_test(tests, far_jumps_are_counted_together);
    tcase_add_loop_test(tests, a_word_of_two_pairs_has_golden_conditionals, 0, 3);
    tcase_add_test(tests, counts_follow_the_links);
    tcase_add_loop_test(tests, a_visit_goes_from_word_to_word, 0, 3);
    tcase_add_test(tests, the_chain_sums_over_all_alignments);
    tcase_add_test(tests, fewer_pairs_take_more_passes);
    tcase_add_test(tests, words_without_a_source_have_their_frequencies);
    tcase_add_test(tests, pairs_keep_the_weights_of_the_last_pass);
    tcase_add_test(tests, fertilities_are_learned);
    tcase_add_test(tests, no_samplers_are_eight);
    tcase_add_test(tests, a_certain_word_has_perplexity_1);
    tcase_add_test(tests, it_finds_how_many_words_a_word_becomes);
    tcase_add_test(tests, a_word_becomes_at_most_seven);
    tcase_add_test(tests, a_seed_gives_the_same_bits_at_any_number_of_threads);
    return suite_run(suite);
}
