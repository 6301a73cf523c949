/* Searches of models that copy: every translation has the probability that teacher forcing gives it
 * over the extended vocabulary, also in an ensemble, where a copied word is read as <unk>. */
#include "inference/search.h"
#include "model/seq2seq.h"
#include "support/numbers.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

enum { K = 6, A = SA_SPECIAL_TOKENS, B, C, EXTENDED = K + 2, SOURCES = 2, MOST = 16 };

static const int32_t source_ids[] = {A, SA_UNK, SA_UNK, B, SA_UNK, SA_EOS, SA_UNK, C, SA_EOS};
static const int32_t source_extended[] = {A, K, K + 1, B, K, SA_EOS, K, A, SA_EOS};
static const sa_sentence sources[SOURCES] = {{source_ids, 6, source_extended},
                                             {source_ids + 6, 3, source_extended + 6}};
enum { POINTER = 4, VARIANTS };

static sa_seq2seq w[3]; /* two that copy and one that does not */
static sa_search search;

static void model_open(int number, int variant) {
    sa_settings settings;
    sa_params plan;
    sa_settings_init(&settings);
    settings.model = variant == 2;
    settings.embed = 4, settings.hidden = 6, settings.attn = 4, settings.maxout = 4;
    settings.ffn = 5, settings.heads = 1 + variant % 2;
    settings.decoder = variant == 1                       ? SA_DECODER_LUONG
                       : variant == POINTER && number < 2 ? SA_DECODER_POINTER
                                                          : 0;
    settings.input_feeding = variant == 1;
    settings.normalizer = variant == 3 ? SA_NORMALIZER_NULL : SA_NORMALIZER_SOFTMAX;
    settings.copy = number < 2;
    const sa_sizes sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    sa_mat weights = sa_mat_alloc(&numbers, 1, (int)plan.size);
    dice = sa_rng_seed((uint64_t)(7 * variant + number), 1);
    draw(weights, 1);
    sa_seq2seq_bind_buffer(&sizes, weights.x, &w[number]);
}

static void models_open(int variant) {
    for (int number = 0; number < 3; number++) model_open(number, variant);
    sa_search_init(&search);
    search.max_ratio = 0;
}

/* log p of every word of a hypothesis; minus infinity of what a model does not have. */
static void force(const sa_seq2seq *model, const sa_sentence *source, const sa_hypothesis *found,
                  double *log_p) {
    int32_t ids[MOST];
    const bool copies = model != &w[2];
    for (int t = 0; t < found->len; t++) ids[t] = found->ids[t] < K ? found->ids[t] : SA_UNK;
    const sa_sentence target = {ids, found->len, found->ids};
    const size_t used = numbers.used;
    sa_pass pass;
    sa_batch batch = sa_batch_build(&numbers, source, &target, 1);
    sa_pass_layout(&numbers, model, &batch, false, &pass);
    sa_seq2seq_loss(model, &batch, (sa_regularizer){0}, &pass, NULL);
    for (int t = 0; t < found->len; t++)
        log_p[t] = copies || found->ids[t] < K ? (double)pass.log_p[t] : -INFINITY;
    numbers.used = used;
}

/* With these models. */
static bool search_batch(const sa_seq2seq *const *models, int number,
                         const sa_sentence *const *views, int count, sa_hypothesis *found,
                         sa_error *error) {
    sa_ensemble ensemble;
    const bool good =
        sa_ensemble_open(&ensemble, models, number, NULL, error) &&
        sa_search_batch(&ensemble, views, (sa_outlines){0}, count, &search, found, error);
    sa_ensemble_release(&ensemble);
    return good;
}

/* Searches with `models` of them from the first on; returns how many words were copied. */
static int expect_forced(int first, int models) {
    const sa_seq2seq *chosen[] = {&w[first], &w[(first + 1) % 3], &w[(first + 2) % 3]};
    const sa_sentence *same[] = {sources, sources, sources};
    sa_hypothesis *found = calloc(SOURCES * (size_t)search.nbest, sizeof *found);
    sa_error error;
    int copied = 0;
    ck_assert_msg(search_batch(chosen, models, same, SOURCES, found, &error), "%s", error.text);
    for (int i = 0; i < SOURCES * search.nbest; i++) {
        double sum = 0, log_p[3][MOST];
        if (!found[i].ids) continue;
        ck_assert_int_le(found[i].len, MOST);
        for (int m = 0; m < models; m++)
            force(chosen[m], &sources[i / search.nbest], &found[i], log_p[m]);
        for (int t = 0; t < found[i].len; t++) {
            double p = 0;
            for (int m = 0; m < models; m++) p += exp(log_p[m][t]) / models;
            sum += log(p);
            ck_assert_int_lt(found[i].ids[t], i < search.nbest ? EXTENDED : K + 1);
            copied += found[i].ids[t] >= K;
        }
        ck_assert_double_eq_tol(sum, found[i].log_p, 1e-4);
        free(found[i].ids), free(found[i].weights);
    }
    free(found);
    return copied;
}

START_TEST(greedy_and_beam) {
    int copied = 0;
    models_open(_i);
    for (search.beam = 1; search.beam <= 64; search.beam *= 8) {
        search.nbest = search.beam;
        copied += expect_forced(0, 1) + expect_forced(1, 1);
    }
    ck_assert_int_gt(copied, 0);
}
END_TEST

START_TEST(samples) {
    models_open(_i);
    search.sample = true, search.nbest = 40;
    ck_assert_int_gt(expect_forced(0, 1), 0);
}
END_TEST

/* Also of a model that copies and one that does not, in both orders. */
START_TEST(ensembles) {
    int copied = 0;
    models_open(_i);
    search.beam = search.nbest = 12;
    for (int first = 0; first < 3; first++)
        for (int models = 2; models <= 3; models++) copied += expect_forced(first, models);
    ck_assert_int_gt(copied, 0);
}
END_TEST

/* A beam of one takes the most probable word: no other first word is better. All words together
 * have probability 1. */
START_TEST(greedy_takes_the_best_word) {
    models_open(_i);
    const sa_seq2seq *model = &w[0];
    const sa_sentence *from = sources;
    sa_hypothesis found;
    sa_error error;
    ck_assert(search_batch(&model, 1, &from, 1, &found, &error));
    double best = -INFINITY, sum = 0;
    int32_t best_word = -1;
    for (int32_t word = 0; word < EXTENDED; word++) {
        int32_t ids[] = {word};
        double log_p;
        force(model, sources, &(sa_hypothesis){.ids = ids, .len = 1}, &log_p);
        sum += exp(log_p);
        if (word != SA_BOS && log_p > best) best = log_p, best_word = word;
    }
    ck_assert_int_eq(found.ids[0], best_word);
    ck_assert_double_eq_tol(sum, 1, 1e-6);
    free(found.ids);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("searches that copy", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, greedy_and_beam, 0, VARIANTS);
    tcase_add_loop_test(tests, samples, 0, VARIANTS);
    tcase_add_loop_test(tests, ensembles, 0, VARIANTS);
    tcase_add_loop_test(tests, greedy_takes_the_best_word, 0, VARIANTS);
    return suite_run(suite);
}
