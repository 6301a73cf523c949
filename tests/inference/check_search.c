/* Search against forced decoding: all possible translations, greedy steps by hand, batches, and
 * degenerate models. */
#include "support/search_model.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

/* What must hold of every translation. */
static void check_found(sa_sentence source, const sa_hypothesis *found) {
    const int longest = (int)ceil(search.max_ratio * source.len) + SHORTEST;
    ck_assert_int_ge(found->len, 1);
    ck_assert_int_le(found->len, longest);
    ck_assert_int_eq(found->complete, found->ids[found->len - 1] == SA_EOS);
    if (!found->complete) ck_assert_int_eq(found->len, longest);
    for (int i = 0; i < found->len; i++) {
        ck_assert_int_ge(found->ids[i], 0);
        ck_assert_int_lt(found->ids[i], K);
        ck_assert_int_ne(found->ids[i], SA_BOS);
        ck_assert(i == found->len - 1 || found->ids[i] != SA_EOS);
        ck_assert(!search.no_unknown || found->ids[i] != SA_UNK);
    }
    double log_p;
    force(source, &(sa_sentence){found->ids, found->len}, 1, &log_p);
    ck_assert_double_eq_tol(found->log_p, log_p, 1e-5 * (1 + fabs(log_p)));
    ck_assert_double_eq_tol(found->score, found->log_p / pow(found->len, search.length_power),
                            1e-12 * (1 + fabs(log_p)));
}

/* ---- Against forced decoding ----------------------------------------------------------------- */

/* Forced decoding tries every word at every step. */
START_TEST(greedy_search_takes_the_most_likely_word) {
    model_open(_i, SA_EOS, -1);
    sa_hypothesis *found = find(sources, SOURCES);
    for (int s = 0; s < SOURCES; s++) {
        check_found(sources[s], &found[s]);
        int32_t tried[K][SHORTEST];
        sa_sentence targets[K];
        double log_p[K];
        for (int i = 0; i < found[s].len; i++) {
            for (int32_t word = 0; word < K; word++) {
                memcpy(tried[word], found[s].ids, sizeof(int32_t) * (size_t)i);
                tried[word][i] = word;
                targets[word] = (sa_sentence){tried[word], i + 1};
            }
            force(sources[s], targets, K, log_p);
            for (int word = 0; word < K; word++)
                if (word != SA_BOS) ck_assert_double_ge(log_p[found[s].ids[i]], log_p[word] - 1e-5);
        }
    }
    release(found, SOURCES);
}
END_TEST

/* Number i of the MOST outputs of A and B that end with EOS or have the largest length. */
static sa_sentence output_of(int i, int32_t *words) {
    int len = 0, rest = i + 1, high = 1 << SHORTEST;
    while (!(rest & high)) high >>= 1;
    for (int bit = high >> 1; bit; bit >>= 1) words[len++] = rest & bit ? B : A;
    if (len < SHORTEST) words[len++] = SA_EOS;
    return (sa_sentence){words, len};
}

static int falling(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

START_TEST(an_exhaustive_beam_finds_the_best) {
    static int32_t words[MOST][SHORTEST];
    static sa_sentence outputs[MOST];
    static double scores[MOST];
    model_open(_i, SA_EOS, 0);
    search.no_unknown = true;
    search.length_power = _i % 3 / 2.0;
    search.beam = search.nbest = MOST + 3;
    for (int i = 0; i < MOST; i++) outputs[i] = output_of(i, words[i]);
    force(sources[3], outputs, MOST, scores);
    for (int i = 0; i < MOST; i++) scores[i] /= pow(outputs[i].len, search.length_power);
    qsort(scores, MOST, sizeof *scores, falling);
    sa_hypothesis *found = find(sources + 3, 1);
    for (int i = 0; i < MOST; i++) {
        ck_assert_ptr_nonnull(found[i].ids);
        ck_assert_double_eq_tol(found[i].score, scores[i], 1e-5 * (0.1 + fabs(scores[i])));
    }
    for (int i = MOST; i < search.nbest; i++) ck_assert_ptr_null(found[i].ids);
    for (int i = 0; i < MOST; i += 97) check_found(sources[3], &found[i]);
    release(found, 1);
}
END_TEST

/* A beam may lose a translation that a smaller one finds (model 8, source 1, beam 2), but the
 * exhaustive beam finds the best, and the sum over all sentences grows with every doubling. */
START_TEST(larger_beams_are_not_worse) {
    enum { BEAMS = 12 };
    double best[BEAMS][SOURCES], before = -INFINITY;
    model_open(_i, SA_EOS, 0);
    search.no_unknown = true;
    search.length_power = _i % 3 / 2.0;
    for (int k = 0; k < BEAMS; k++) {
        double sum = 0;
        search.beam = k < BEAMS - 1 ? 1 << k : MOST + 3;
        sa_hypothesis *found = find(sources, SOURCES);
        for (int s = 0; s < SOURCES; s++) sum += best[k][s] = found[s].score;
        release(found, SOURCES);
        ck_assert_double_ge(sum, before - 1e-5 * fabs(sum));
        before = sum;
    }
    for (int s = 0; s < SOURCES; s++)
        for (int k = 0; k < BEAMS; k++)
            ck_assert_double_ge(best[BEAMS - 1][s], best[k][s] - 1e-5 * (0.1 + fabs(best[k][s])));
}
END_TEST

START_TEST(the_nbest_list_is_sorted_without_duplicates) {
    model_open(_i, SA_EOS, 0);
    search.beam = search.nbest = 4;
    search.max_ratio = 0.5;
    sa_hypothesis *found = find(sources, SOURCES);
    for (int s = 0; s < SOURCES; s++)
        for (int i = 0; i < search.nbest; i++) {
            const sa_hypothesis *one = &found[s * search.nbest + i];
            check_found(sources[s], one);
            if (i) ck_assert_double_le(one->score, one[-1].score);
            for (int k = 1; k <= i; k++)
                ck_assert(one->len != one[-k].len ||
                          memcmp(one->ids, one[-k].ids, sizeof(int32_t) * (size_t)one->len) != 0);
        }
    release(found, SOURCES);
}
END_TEST

/* ---- A beam by hand -------------------------------------------------------------------------- */

typedef struct output {
    double log_p; /* first, so that `falling` compares it */
    int32_t ids[SHORTEST];
    int len;
} output;

/* Every output of `live` with every word after it, most probable first. */
static int continue_outputs(sa_sentence source, const output *live, int count, output *next) {
    sa_sentence targets[4 * K];
    double log_p[4 * K];
    int made = 0;
    for (int i = 0; i < count; i++)
        for (int32_t word = 0; word < K; word++) {
            if (word == SA_BOS) continue;
            next[made] = live[i];
            next[made].ids[next[made].len++] = word;
            targets[made] = (sa_sentence){next[made].ids, next[made].len};
            made++;
        }
    force(source, targets, made, log_p);
    for (int i = 0; i < made; i++) next[i].log_p = log_p[i];
    qsort(next, (size_t)made, sizeof *next, falling);
    return made;
}

/* The log p of what a beam finds, sorted; returns how many. */
static int beam_by_hand(sa_sentence source, int beam, double *found) {
    output live[4] = {{.len = 0}}, next[4 * K];
    int count = 1, ended = 0;
    for (int step = 1; step <= SHORTEST && count; step++) {
        const int made = continue_outputs(source, live, count, next), open = beam - ended;
        count = 0;
        for (int i = 0; i < made && i < open; i++)
            if (next[i].ids[step - 1] == SA_EOS || step == SHORTEST)
                found[ended++] = next[i].log_p;
            else
                live[count++] = next[i];
    }
    qsort(found, (size_t)ended, sizeof *found, falling);
    return ended;
}

START_TEST(a_beam_shrinks_by_finished_hypotheses) {
    model_open(_i, SA_EOS, 1);
    search.beam = search.nbest = 2 + _i % 3;
    search.length_power = 0;
    sa_hypothesis *found = find(sources, SOURCES);
    for (int s = 0; s < SOURCES; s++) {
        double wanted[4];
        ck_assert_int_eq(beam_by_hand(sources[s], search.beam, wanted), search.beam);
        for (int i = 0; i < search.nbest; i++)
            ck_assert_double_eq_tol(found[s * search.nbest + i].log_p, wanted[i],
                                    1e-5 * (0.1 + fabs(wanted[i])));
    }
    release(found, SOURCES);
}
END_TEST

/* ---- A large vocabulary ---------------------------------------------------------------------- */

enum { LARGE = 1300, BEAM = 4, BEGUN = 2 };

typedef struct beginning {
    double log_p; /* first, as above */
    int32_t ids[BEGUN];
} beginning;

static void large_model_open(int seed) {
    sa_settings settings;
    model_open(0, SA_EOS, 0); /* makes the sources */
    sa_settings_init(&settings);
    settings.embed = settings.hidden = settings.attn = settings.maxout = 4;
    sizes = sa_sizes_of(&settings, K, LARGE);
    sa_seq2seq_plan(&sizes, &plan);
    weights = sa_mat_alloc(&numbers, 1, (int)plan.size);
    dice = sa_rng_seed((uint64_t)seed, 2);
    draw(weights, 1.5);
    sa_seq2seq_bind_buffer(&sizes, weights.x, &w);
}

/* Every beginning with every word after it but EOS and BOS, most probable first. */
static void begin_with_all(const beginning *live, int count, int step, beginning *next) {
    static sa_sentence targets[LARGE];
    static double log_p[LARGE];
    for (int i = 0; i < count; i++) {
        beginning *own = next + i * LARGE;
        for (int32_t word = 0; word < LARGE; word++) {
            own[word] = live[i], own[word].ids[step] = word;
            targets[word] = (sa_sentence){own[word].ids, step + 1};
        }
        force(sources[3], targets, LARGE, log_p);
        for (int word = 0; word < LARGE; word++)
            own[word].log_p = word == SA_EOS || word == SA_BOS ? -INFINITY : log_p[word];
    }
    qsort(next, (size_t)(count * LARGE), sizeof *next, falling);
}

/* Outputs of two words and EOS. */
START_TEST(a_beam_looks_through_a_large_vocabulary) {
    static beginning next[BEAM * LARGE], live[BEAM];
    const int length = BEGUN + 1;
    const sa_seq2seq *one = &w;
    const sa_sentence *from = sources + 3;
    sa_hypothesis found[BEAM];
    double totals[BEAM];
    large_model_open(_i);
    search.beam = search.nbest = BEAM;
    begin_with_all(&(beginning){0}, 1, 0, next);
    memcpy(live, next, sizeof live);
    begin_with_all(live, BEAM, 1, next);
    ck_assert(search_batch(&one, 1, &from, (sa_outlines){.lengths = &length}, 1, found, NULL));
    for (int i = 0; i < BEAM; i++) {
        ck_assert(found[i].ids && found[i].len == length);
        force(sources[3], &(sa_sentence){found[i].ids, BEGUN}, 1, &totals[i]);
        free(found[i].ids);
    }
    qsort(totals, BEAM, sizeof *totals, falling);
    for (int i = 0; i < BEAM; i++)
        ck_assert_double_eq_tol(totals[i], next[i].log_p, 1e-5 * (1 + fabs(next[i].log_p)));
}
END_TEST

/* ---- Batches --------------------------------------------------------------------------------- */

START_TEST(a_batch_is_searched_as_its_sentences_alone) {
    model_open(_i, SA_EOS, 0);
    search.beam = 1 + _i % 4;
    search.nbest = 1 + _i % 2;
    if (search.nbest > search.beam) search.nbest = search.beam;
    sa_hypothesis *all = find(sources, SOURCES);
    for (int s = 0; s < SOURCES; s++) {
        sa_hypothesis *alone = find(sources + s, 1), *here = all + s * search.nbest;
        for (int i = 0; i < search.nbest; i++) {
            ck_assert_double_eq_tol(here[i].score, alone[i].score,
                                    1e-5 * (0.1 + fabs(alone[i].score)));
            ck_assert_int_eq(here[i].len, alone[i].len);
            ck_assert_mem_eq(here[i].ids, alone[i].ids, sizeof(int32_t) * (size_t)alone[i].len);
        }
        release(alone, 1);
    }
    release(all, SOURCES);
}
END_TEST

/* Packed weights multiply at most 24 rows at once: of the best hypotheses first, then of those that
 * may still enter the list. What is found is the same. */
START_TEST(many_hypotheses_take_turns) {
    enum { WIDE = 8 };
    const sa_seq2seq *const models[] = {&w, &w};
    const sa_sentence *const views[] = {sources, sources};
    sa_store store = {.use = SA_STORE_INFERENCE, .rows = SOURCES * WIDE};
    model_open(_i, SA_EOS, -1);
    search.beam = search.nbest = WIDE;
    search.sample = _i == 3;
    sa_hypothesis *plain = find(sources, SOURCES);
    ck_assert(sa_seq2seq_open_stored(&sizes, weights.x, &store, &w, NULL));
    ck_assert_int_lt(sa_weight_most_rows(w.decoder.readout.W_o, SOURCES * WIDE), SOURCES * WIDE);
    for (int number = 1; number <= 2; number++) {
        sa_hypothesis found[SOURCES * WIDE] = {0};
        ck_assert(search_batch(models, number, views, (sa_outlines){0}, SOURCES, found, NULL));
        for (int i = 0; i < SOURCES * WIDE; i++) {
            ck_assert_int_eq(!found[i].ids, !plain[i].ids);
            ck_assert_int_eq(found[i].len, plain[i].len);
            ck_assert_double_eq_tol(found[i].score, plain[i].score,
                                    1e-4 * (1 + fabs(plain[i].score)));
            free(found[i].ids);
        }
    }
    release(plain, SOURCES);
    sa_store_release(&store);
}
END_TEST

/* ---- Degenerate models ----------------------------------------------------------------------- */

START_TEST(a_model_that_ends_at_once_and_one_that_never_ends) {
    model_open(_i, SA_EOS, 60);
    search.beam = 1 + _i;
    sa_hypothesis *found = find(sources, SOURCES);
    for (int s = 0; s < SOURCES; s++) {
        check_found(sources[s], &found[s]);
        ck_assert_int_eq(found[s].len, 1);
        ck_assert(found[s].complete);
    }
    release(found, SOURCES);
    model_open(_i, SA_EOS, -90);
    search.max_ratio = 1.5;
    found = find(sources, SOURCES);
    for (int s = 0; s < SOURCES; s++) {
        check_found(sources[s], &found[s]);
        ck_assert(!found[s].complete);
    }
    release(found, SOURCES);
}
END_TEST

/* The most likely word by far is one that must not be generated. */
START_TEST(forbidden_words_are_not_generated) {
    model_open(_i, SA_UNK, 60);
    search.beam = 1 + _i;
    sa_hypothesis *found = find(sources, SOURCES);
    for (int s = 0; s < SOURCES; s++) ck_assert_int_eq(found[s].ids[0], SA_UNK);
    release(found, SOURCES);
    for (int32_t word = SA_UNK; word <= SA_BOS; word += SA_BOS - SA_UNK) {
        model_open(_i, word, 60);
        search.beam = 1 + _i;
        search.no_unknown = word == SA_UNK;
        found = find(sources, SOURCES);
        for (int s = 0; s < SOURCES; s++) check_found(sources[s], &found[s]);
        release(found, SOURCES);
    }
}
END_TEST

START_TEST(a_model_of_nans_stops) {
    model_open(_i, SA_EOS, 0);
    fill(weights, NAN);
    search.beam = 1 + _i;
    sa_hypothesis *found = find(sources, SOURCES);
    for (int s = 0; s < SOURCES; s++) {
        ck_assert_int_le(found[s].len, SHORTEST);
        for (int i = 0; i < found[s].len; i++) {
            ck_assert_int_ge(found[s].ids[i], 0);
            ck_assert_int_lt(found[s].ids[i], K);
        }
        ck_assert(isnan(found[s].score));
    }
    release(found, SOURCES);
}
END_TEST

/* What follows the likeliest word is no number. The best two outputs, of which EOS alone is only
 * one, have not gone on from that word. */
START_TEST(a_number_is_better_than_none) {
    model_open(_i, B, 3);
    fill(sa_rows(w.decoder.E, B, 1), NAN);
    search.beam = search.nbest = 4;
    sa_hypothesis *found = find(sources, SOURCES);
    for (int s = 0; s < SOURCES * search.nbest; s += search.nbest)
        for (int k = s; k < s + 2; k++) {
            ck_assert(found[k].ids && isfinite(found[k].score));
            for (int i = 0; i + 1 < found[k].len; i++) ck_assert_int_ne(found[k].ids[i], B);
        }
    release(found, SOURCES);
}
END_TEST

/* The sanitizers are many times slower and check memory, which does not depend on the numbers. Two
 * seeds have both scores and numbers of layers. */
enum { SEEDS = TEST_SANITIZED ? 2 : 6 };

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("search", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, greedy_search_takes_the_most_likely_word, 0, SEEDS);
    tcase_add_loop_test(tests, an_exhaustive_beam_finds_the_best, 0, SEEDS);
    tcase_add_loop_test(tests, larger_beams_are_not_worse, 0, 4 * SEEDS);
    tcase_add_loop_test(tests, the_nbest_list_is_sorted_without_duplicates, 0, SEEDS);
    tcase_add_loop_test(tests, a_beam_shrinks_by_finished_hypotheses, 0, 9);
    tcase_add_loop_test(tests, a_beam_looks_through_a_large_vocabulary, 0, TEST_SANITIZED ? 1 : 8);
    tcase_add_loop_test(tests, a_batch_is_searched_as_its_sentences_alone, 0, 2 * SEEDS);
    tcase_add_loop_test(tests, a_model_that_ends_at_once_and_one_that_never_ends, 0, 3);
    tcase_add_loop_test(tests, forbidden_words_are_not_generated, 0, 3);
    tcase_add_loop_test(tests, many_hypotheses_take_turns, 0, 4);
    tcase_add_loop_test(tests, a_model_of_nans_stops, 0, 3);
    tcase_add_loop_test(tests, a_number_is_better_than_none, 0, 3);
    return suite_run(suite);
}
