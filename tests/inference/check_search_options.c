/* The options of search: attention weights, scores, samples, ensembles. */
#include "inference/search.h"
#include "support/search_model.h"
#include "support/suite.h"

#include <limits.h>
#include <math.h>

/* The attention weights of teacher forcing with what was found. */
static void check_weights(sa_sentence source, const sa_hypothesis *found) {
    sa_arena arena = {0};
    sa_batch batch;
    sa_pass pass;
    const sa_sentence target = {found->ids, found->len};
    for (int dry = 1; dry >= 0; dry--) {
        batch = sa_batch_build(&arena, &source, &target, 1);
        sa_pass_layout(&arena, &w, &batch, false, &pass);
        if (dry) ck_assert(sa_arena_init(&arena, arena.used, NULL));
    }
    sa_seq2seq_loss(&w, &batch, (sa_regularizer){0}, &pass, NULL);
    for (int t = 0; t < found->len; t++)
        for (int j = 0; j < source.len; j++) {
            double alpha = 0;
            for (int k = 0; k < w.decoder.attention.heads; k++)
                alpha += (double)sa_attention_head(pass.decoder.rows.attention.alpha, t,
                                                   w.decoder.attention.heads, k, source.len)
                             .x[j] /
                         w.decoder.attention.heads;
            ck_assert_double_eq_tol((double)found->weights[t * source.len + j], alpha, 1e-5);
        }
    sa_arena_release(&arena);
}

START_TEST(translations_have_attention_weights) {
    model_open(_i, SA_EOS, 0);
    search.beam = search.nbest = 3;
    search.weights = true;
    sa_hypothesis *found = find(sources, SOURCES);
    for (int i = 0; i < SOURCES * search.nbest; i++)
        if (found[i].ids) check_weights(sources[i / search.nbest], &found[i]);
    release(found, SOURCES);
}
END_TEST

/* score = log p / divisor + beta sum_j log min(sum_i alpha_ij, 1) */
START_TEST(scores_follow_length_and_coverage_penalty) {
    model_open(_i, SA_EOS, 0);
    search.beam = search.nbest = 3;
    search.weights = true;
    search.length_penalty = _i % 3;
    search.length_power = 0.7;
    search.coverage = 0.4;
    sa_hypothesis *found = find(sources, SOURCES);
    for (int i = 0; i < SOURCES * search.nbest; i++) {
        const int S = sources[i / search.nbest].len, len = found[i].len;
        const double divisors[] = {pow(len, 0.7), pow((5.0 + len) / 6, 0.7), 1};
        double penalty = 0;
        if (!found[i].ids) continue;
        for (int j = 0; j < S; j++) {
            double sum = 0;
            for (int t = 0; t < len; t++) sum += (double)found[i].weights[t * S + j];
            if (sum < 1) penalty += log(fmax(sum, 1e-30));
        }
        ck_assert_double_eq_tol(found[i].score,
                                found[i].log_p / divisors[search.length_penalty] + 0.4 * penalty,
                                1e-4 * (1 + fabs(found[i].score)));
    }
    release(found, SOURCES);
}
END_TEST

/* A penalty needs the weights, also where nobody asks for them. */
START_TEST(coverage_counts_without_weights) {
    model_open(_i, SA_EOS, 0);
    search.beam = search.nbest = 3;
    search.coverage = 0.4;
    sa_hypothesis *found[2];
    for (int way = 0; way < 2; way++) {
        search.weights = way;
        found[way] = find(sources, SOURCES);
    }
    for (int i = 0; i < SOURCES * search.nbest; i++) {
        ck_assert_double_eq(found[0][i].score, found[1][i].score);
        ck_assert_int_eq(found[0][i].len, found[1][i].len);
    }
    release(found[0], SOURCES), release(found[1], SOURCES);
}
END_TEST

START_TEST(translations_have_the_minimum_length) {
    model_open(_i, SA_EOS, 60);
    search.min_length = 1 + _i;
    sa_hypothesis *found = find(sources, SOURCES);
    for (int s = 0; s < SOURCES; s++) {
        ck_assert(found[s].complete);
        ck_assert_int_eq(found[s].len, search.min_length + 1);
    }
    release(found, SOURCES);
}
END_TEST

/* Every output begins with the given words, whatever the search would prefer, has their probability
 * and goes on as the model does after them. */
START_TEST(translations_begin_with_given_words) {
    static const int32_t given[] = {B, SA_UNK, A, SA_EOS}, none[] = {SA_EOS};
    const sa_seq2seq *one = &w;
    const sa_sentence *from = sources;
    sa_sentence prefixes[SOURCES], forced[K];
    for (int s = 0; s < SOURCES; s++)
        prefixes[s] = s % 2 ? (sa_sentence){given, 4} : (sa_sentence){none, 1};
    model_open(_i % 5, SA_EOS, _i % 2 ? 3 : -3);
    search.no_unknown = true;
    search.sample = _i > 4;
    sa_hypothesis *found = calloc(SOURCES, sizeof *found), *free_ones = find(sources, SOURCES);
    ck_assert(
        search_batch(&one, 1, &from, (sa_outlines){.prefixes = prefixes}, SOURCES, found, NULL));
    for (int s = 0; s < SOURCES; s++) {
        const sa_sentence whole = {found[s].ids, found[s].len};
        double log_p[K];
        force(sources[s], &whole, 1, log_p);
        ck_assert_double_eq_tol(found[s].log_p, log_p[0], 1e-5 * (1 + fabs(log_p[0])));
        if (s % 2 == 0) {
            ck_assert_int_eq(found[s].len, free_ones[s].len);
            ck_assert_mem_eq(found[s].ids, free_ones[s].ids, sizeof *given * (size_t)found[s].len);
            continue;
        }
        ck_assert_int_ge(found[s].len, 4);
        ck_assert_mem_eq(found[s].ids, given, 3 * sizeof *given);
        int32_t tried[K][4];
        for (int32_t word = 0; word < K; word++) {
            memcpy(tried[word], given, sizeof given);
            tried[word][3] = word, forced[word] = (sa_sentence){tried[word], 4};
        }
        force(sources[s], forced, K, log_p);
        for (int word = 0; word < K && !search.sample; word++)
            if (word != SA_BOS && word != SA_UNK)
                ck_assert_double_ge(log_p[found[s].ids[3]], log_p[word] - 1e-5);
    }
    release(found, SOURCES), release(free_ones, SOURCES);
}
END_TEST

/* A prefix ends before the last word of a given length; longer than the longest output, it is kept
 * and one more word follows. */
START_TEST(prefixes_and_lengths) {
    static const int32_t given[] = {A, B, A, B, A, B, A, B, A, B, A, B, SA_EOS};
    const sa_seq2seq *one = &w;
    const sa_sentence prefix = {given, 13}, *from = sources;
    const int length = 3;
    sa_hypothesis found;
    model_open(_i, SA_EOS, -60);
    ck_assert(search_batch(&one, 1, &from, (sa_outlines){&length, &prefix}, 1, &found, NULL));
    ck_assert_int_eq(found.len, 3);
    ck_assert_mem_eq(found.ids, ((int32_t[]){A, B, SA_EOS}), 3 * sizeof *given);
    free(found.ids);
    ck_assert(search_batch(&one, 1, &from, (sa_outlines){.prefixes = &prefix}, 1, &found, NULL));
    ck_assert_int_eq(found.len, 13);
    ck_assert_mem_eq(found.ids, given, 12 * sizeof *given);
    free(found.ids);
}
END_TEST

/* The frequencies of the first words of many samples. */
/* Every output has the given length, whatever the search would prefer, and ends once. */
START_TEST(translations_have_given_lengths) {
    int lengths[SOURCES]; /* beyond what max_ratio allows, too */
    const sa_seq2seq *one = &w;
    const sa_sentence *from = sources;
    for (int s = 0; s < SOURCES; s++) lengths[s] = 1 + (7 * s + 4) % 11;
    model_open(_i, SA_EOS, _i % 2 ? 3 : -3);
    search.beam = search.nbest = 1 + _i % 3;
    search.sample = _i > 3;
    search.min_length = _i % 2 * 5;
    sa_hypothesis *found = calloc((size_t)(SOURCES * search.nbest), sizeof *found);
    ck_assert(
        search_batch(&one, 1, &from, (sa_outlines){.lengths = lengths}, SOURCES, found, NULL));
    for (int i = 0; i < SOURCES * search.nbest; i++) {
        const int wanted = lengths[i / search.nbest];
        if (!found[i].ids) continue;
        ck_assert(found[i].complete);
        ck_assert_int_eq(found[i].len, wanted);
        for (int t = 0; t < wanted; t++)
            ck_assert_int_eq(found[i].ids[t] == SA_EOS, t + 1 == wanted);
    }
    for (int s = 0; s < SOURCES; s++) ck_assert_ptr_nonnull(found[s * search.nbest].ids);
    release(found, SOURCES);
}
END_TEST

START_TEST(samples_follow_the_probabilities) {
    enum { DRAWS = 4000 };
    int32_t tried[K];
    sa_sentence targets[K];
    double log_p[K], wanted[K], sum = 0;
    int seen[K] = {0};
    model_open(_i, SA_EOS, 0);
    search.sample = true;
    search.nbest = DRAWS;
    search.temperature = _i % 2 ? 1 : 1.7;
    for (int32_t word = 0; word < K; word++) {
        tried[word] = word;
        targets[word] = (sa_sentence){&tried[word], 1};
    }
    force(sources[3], targets, K, log_p);
    for (int word = 0; word < K; word++) {
        wanted[word] = word == SA_BOS ? 0 : exp(log_p[word] / search.temperature);
        sum += wanted[word];
    }
    sa_hypothesis *found = find(sources + 3, 1);
    for (int i = 0; i < DRAWS; i++) seen[found[i].ids[0]]++;
    for (int word = 0; word < K; word++) {
        const double p = wanted[word] / sum, deviation = sqrt(DRAWS * p * (1 - p));
        ck_assert_double_le(fabs(seen[word] - DRAWS * p), 5 * deviation + 1e-9);
    }
    release(found, 1);
}
END_TEST

/* Whatever else is in the batch; another seed draws others. */
START_TEST(samples_depend_on_seed_and_sentence) {
    int others = 0;
    model_open(_i, SA_EOS, 0);
    search.sample = true, search.temperature = 20;
    sa_hypothesis *all = find(sources, SOURCES);
    for (int s = 0; s < SOURCES; s++) {
        for (search.seed = 1; search.seed <= 2; search.seed++) {
            sa_hypothesis *alone = find(sources + s, 1);
            const bool same =
                alone->len == all[s].len &&
                memcmp(alone->ids, all[s].ids, sizeof *alone->ids * (size_t)alone->len) == 0;
            ck_assert_msg(same || search.seed == 2, "sentence %d", s);
            others += !same;
            release(alone, 1);
        }
    }
    ck_assert_int_gt(others, 0);
    release(all, SOURCES);
}
END_TEST

START_TEST(samples_respect_top_k_and_top_p) {
    sa_candidate list[] = {{0, log(0.1)}, {1, log(0.4)}, {2, log(0.3)}, {3, log(0.2)}};
    sa_rng rng = sa_rng_seed(4, 4);
    for (int i = 0; i < 500; i++) {
        sa_candidate own[4];
        memcpy(own, list, sizeof own);
        int chosen = sa_sample(own, 4, 1, 2, 1, &rng);
        ck_assert(own[chosen].word == 1 || own[chosen].word == 2);
        memcpy(own, list, sizeof own);
        chosen = sa_sample(own, 4, 1, 0, 0.65, &rng);
        ck_assert(own[chosen].word == 1 || own[chosen].word == 2);
        memcpy(own, list, sizeof own);
        chosen = sa_sample(own, 4, 1, 0, 0, &rng); /* top_p 0: the most likely */
        ck_assert_int_eq(own[chosen].word, 1);
    }
}
END_TEST

/* Of as many words as there are, or more, none is left out. */
START_TEST(samples_of_all_words) {
    static const sa_candidate list[] = {{0, -2.3}, {1, -0.9}, {2, -1.2}, {3, -1.6}};
    int seen[4] = {0};
    for (int i = 0; i < 500; i++) {
        sa_rng rng = sa_rng_seed(5, (uint64_t)i), same = rng, more = rng;
        sa_candidate own[4];
        memcpy(own, list, sizeof own);
        const int chosen = sa_sample(own, 4, 1, 0, 1, &rng);
        seen[own[chosen].word]++;
        memcpy(own, list, sizeof own);
        ck_assert_int_eq(sa_sample(own, 4, 1, 4, 1, &same), chosen);
        memcpy(own, list, sizeof own);
        ck_assert_int_eq(sa_sample(own, 4, 1, 1000, 1, &more), chosen);
    }
    for (int word = 0; word < 4; word++) ck_assert_int_gt(seen[word], 0);
}
END_TEST

/* Two models: every probability is a mean. A model with itself gives its own results. */
START_TEST(an_ensemble_averages_probabilities) {
    model_open(_i, SA_EOS, 0);
    const sa_seq2seq first = w;
    int32_t tried[K];
    sa_sentence targets[K];
    double one[K], other[K];
    for (int32_t word = 0; word < K; word++) {
        tried[word] = word;
        targets[word] = (sa_sentence){&tried[word], 1};
    }
    force(sources[3], targets, K, one);
    model_open(_i, SA_EOS, 1); /* the same shapes, other weights */
    draw(weights, 1);
    force(sources[3], targets, K, other);
    const sa_seq2seq *const models[] = {&first, &w};
    const sa_sentence *const views[] = {sources + 3, sources + 3};
    sa_hypothesis found;
    ck_assert(search_batch(models, 2, views, (sa_outlines){0}, 1, &found, NULL));
    double best = -INFINITY;
    for (int word = 0; word < K; word++)
        if (word != SA_BOS) best = fmax(best, log((exp(one[word]) + exp(other[word])) / 2));
    const int32_t word = found.ids[0];
    ck_assert_double_eq_tol(log((exp(one[word]) + exp(other[word])) / 2), best, 1e-5);
    free(found.ids);
}
END_TEST

/* The second model reads each sentence in tokens of its own, so its batch has another order. */
START_TEST(an_ensemble_reads_sources_of_other_lengths) {
    model_open(_i, SA_EOS, 0);
    const sa_seq2seq first = w;
    sa_sentence other[SOURCES];
    sa_hypothesis found[SOURCES], alone;
    for (int i = 0; i < SOURCES; i++) other[i] = sources[(3 * i + 1) % SOURCES];
    model_open(_i, SA_EOS, 1);
    draw(weights, 1);
    search.beam = 3;
    const sa_seq2seq *const models[] = {&first, &w};
    const sa_sentence *const all[] = {sources, other};
    ck_assert(search_batch(models, 2, all, (sa_outlines){0}, SOURCES, found, NULL));
    for (int i = 0; i < SOURCES; i++) {
        const sa_sentence *const views[] = {sources + i, other + i};
        ck_assert(search_batch(models, 2, views, (sa_outlines){0}, 1, &alone, NULL));
        ck_assert_int_eq(found[i].len, alone.len);
        ck_assert_mem_eq(found[i].ids, alone.ids, (size_t)alone.len * sizeof *alone.ids);
        ck_assert_double_eq_tol(found[i].log_p, alone.log_p, 1e-4);
        free(found[i].ids), free(alone.ids);
    }
}
END_TEST

static void open_decoder_only(int seed) {
    sa_settings settings;
    sa_settings_init(&settings);
    ck_assert(sa_settings_preset(&settings, "gpt-toy", NULL));
    settings.tie = SA_TIE_THREE;
    settings.embed = settings.attn = settings.ffn = 8, settings.layers = 2;
    sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    weights = sa_mat_alloc(&numbers, 1, (int)plan.size);
    dice = sa_rng_seed((uint64_t)seed, 1);
    draw(weights, 1);
    sa_seq2seq_bind_buffer(&sizes, weights.x, &w);
}

/* The words that two models choose together, greedily and with a beam, have at each step the mean
 * of both probabilities, as each model alone gives them after the same words. */
START_TEST(decoder_only_models_decide_together) {
    model_open(0, SA_EOS, 0);
    open_decoder_only(1);
    const sa_seq2seq first = w;
    open_decoder_only(2);
    const sa_seq2seq second = w, *const models[] = {&first, &second};
    const sa_sentence *const views[] = {sources + 3, sources + 3};
    sa_hypothesis found;
    search.beam = 1 + 2 * _i;
    search.max_ratio = 2;
    ck_assert(search_batch(models, 2, views, (sa_outlines){0}, 1, &found, NULL));
    sa_sentence *begun = calloc((size_t)found.len, sizeof *begun);
    double *log_p[2], sum = 0;
    for (int m = 0; m < 2; m++) log_p[m] = calloc((size_t)found.len, sizeof *log_p[m]);
    for (int t = 0; t < found.len; t++) begun[t] = (sa_sentence){found.ids, t + 1};
    for (int m = 0; m < 2; m++) {
        w = *models[m];
        force(sources[3], begun, found.len, log_p[m]);
    }
    for (int t = 0; t < found.len; t++) {
        const double one = log_p[0][t] - (t ? log_p[0][t - 1] : 0);
        sum += log((exp(one) + exp(log_p[1][t] - (t ? log_p[1][t - 1] : 0))) / 2);
    }
    ck_assert_int_gt(found.len, 1);
    ck_assert_double_eq_tol(found.log_p, sum, 1e-5 * (1 + fabs(sum)));
    free(found.ids), free(begun), free(log_p[0]), free(log_p[1]);
}
END_TEST

/* A Transformer numbers the weights of all heads for all words before in an int; other models do
 * not. */
START_TEST(outputs_too_long_to_attend_to) {
    model_open(0, SA_EOS, 0);
    const sa_seq2seq first = w, *const models[] = {&first, &w};
    sa_ensemble ensemble;
    sa_settings settings;
    sa_error error = {0};
    sa_settings_init(&settings);
    settings.model = SA_MODEL_TRANSFORMER;
    settings.embed = settings.hidden = settings.attn = 8, settings.heads = 4;
    sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    weights = sa_mat_alloc(&numbers, 1, (int)plan.size);
    sa_seq2seq_bind_buffer(&sizes, weights.x, &w);
    ck_assert(sa_ensemble_open(&ensemble, models, 2, NULL, &error));
    ck_assert(sa_ensemble_check(&ensemble, INT_MAX / 4, &error));
    ck_assert(!sa_ensemble_check(&ensemble, INT_MAX / 4 + 1, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_str_eq(error.text,
                     "outputs of up to 536870912 words: model 2 can attend to 536870911 at most "
                     "(a smaller --max-ratio or --max-len helps)");
    sa_ensemble_release(&ensemble);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("ways to search", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, translations_have_attention_weights, 0, 9);
    tcase_add_loop_test(tests, scores_follow_length_and_coverage_penalty, 0, 9);
    tcase_add_loop_test(tests, coverage_counts_without_weights, 0, 3);
    tcase_add_loop_test(tests, translations_have_the_minimum_length, 0, 4);
    tcase_add_loop_test(tests, translations_have_given_lengths, 0, 6);
    tcase_add_loop_test(tests, translations_begin_with_given_words, 0, 10);
    tcase_add_loop_test(tests, prefixes_and_lengths, 0, 3);
    tcase_add_loop_test(tests, samples_follow_the_probabilities, 0, 6);
    tcase_add_loop_test(tests, samples_depend_on_seed_and_sentence, 0, 6);
    tcase_add_test(tests, outputs_too_long_to_attend_to);
    tcase_add_test(tests, samples_respect_top_k_and_top_p);
    tcase_add_test(tests, samples_of_all_words);
    tcase_add_loop_test(tests, an_ensemble_averages_probabilities, 0, 6);
    tcase_add_loop_test(tests, an_ensemble_reads_sources_of_other_lengths, 0, 6);
    tcase_add_loop_test(tests, decoder_only_models_decide_together, 0, 2);
    return suite_run(suite);
}
