/* Batches: every pair once an epoch, similar lengths together, the same from the same seed. */
#include "data/batcher.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS = 2503, BATCH = 16, FETCH = 20 * BATCH };

static sa_sentence source[PAIRS], target[PAIRS];
static sa_batcher batcher;

static void set_up(void) {
    for (size_t i = 0; i < PAIRS; i++) {
        source[i].len = 2 + (int)(i * 7919 % 23);
        target[i].len = 2 + (int)(i * 104729 % 31);
    }
    ck_assert(sa_batcher_open(&batcher, source, target, PAIRS, BATCH, 0, 5, NULL));
}

static void tear_down(void) {
    sa_batcher_close(&batcher);
    ck_assert_ptr_null(batcher.order);
}

/* Fills list with one epoch and returns the number of batches. */
static int serve(sa_batcher *from, size_t list[PAIRS]) {
    int batches = 0, size;
    size_t used = 0;
    do {
        const size_t *pairs = sa_batcher_next(from, &size);
        ck_assert_int_gt(size, 0);
        ck_assert_int_le(size, BATCH);
        ck_assert_uint_le(used + (size_t)size, PAIRS);
        memcpy(list + used, pairs, sizeof *list * (size_t)size);
        used += (size_t)size;
        batches++;
        ck_assert_uint_eq(from->position, used);
    } while (from->position < from->count);
    ck_assert_uint_eq(used, PAIRS);
    return batches;
}

START_TEST(every_pair_comes_once_an_epoch) {
    static size_t list[PAIRS];
    for (int epoch = 0; epoch < 3; epoch++) {
        bool seen[PAIRS] = {false};
        ck_assert_int_eq(serve(&batcher, list), (PAIRS + BATCH - 1) / BATCH);
        ck_assert_int_eq(batcher.epoch, epoch);
        for (size_t i = 0; i < PAIRS; i++) {
            ck_assert_uint_lt(list[i], PAIRS);
            ck_assert(!seen[list[i]]);
            seen[list[i]] = true;
        }
    }
}
END_TEST

START_TEST(epochs_and_seeds_differ) {
    static size_t first[PAIRS], second[PAIRS], other[PAIRS];
    serve(&batcher, first);
    serve(&batcher, second);
    ck_assert_mem_ne(first, second, sizeof first);
    sa_batcher seeded;
    ck_assert(sa_batcher_open(&seeded, source, target, PAIRS, BATCH, 0, 6, NULL));
    serve(&seeded, other);
    ck_assert_mem_ne(first, other, sizeof first);
    sa_batcher_close(&seeded);
}
END_TEST

static bool falls_behind(size_t a, size_t b) {
    return target[a].len < target[b].len ||
           (target[a].len == target[b].len && source[a].len <= source[b].len);
}

/* The batches of a fetch together are one sorted list, but they come in random order. */
START_TEST(a_fetch_is_sorted_and_its_batches_shuffled) {
    static size_t list[PAIRS];
    serve(&batcher, list);
    size_t disorder = 0;
    for (size_t start = 0; start < PAIRS; start += FETCH) {
        const size_t end = start + FETCH < PAIRS ? start + FETCH : PAIRS;
        for (size_t i = start + 1; i < end; i++)
            if ((i - start) % BATCH)
                ck_assert(falls_behind(list[i - 1], list[i]));
            else
                disorder += !falls_behind(list[i - 1], list[i]);
        for (size_t one = start; one < end; one += BATCH) /* batches do not overlap */
            for (size_t two = start; two < one; two += BATCH) {
                const size_t last_one = one + BATCH < end ? one + BATCH - 1 : end - 1;
                ck_assert(falls_behind(list[two + BATCH - 1], list[one]) ||
                          falls_behind(list[last_one], list[two]));
            }
    }
    ck_assert_uint_gt(disorder, PAIRS / BATCH / 4);
}
END_TEST

/* A fetch contains pairs from the whole data. */
START_TEST(fetches_are_shuffled) {
    static size_t list[PAIRS];
    serve(&batcher, list);
    for (size_t start = 0; start + FETCH <= PAIRS; start += FETCH) {
        size_t low = 0;
        for (size_t i = start; i < start + FETCH; i++) low += list[i] < PAIRS / 2;
        ck_assert_uint_gt(low, FETCH / 3);
        ck_assert_uint_lt(low, FETCH * 2 / 3);
    }
}
END_TEST

START_TEST(epoch_and_position_are_all_there_is) {
    int size, again;
    for (int i = 0; i < 200; i++) { /* past the first epoch's end */
        const int64_t epoch = batcher.epoch;
        const size_t position = batcher.position;
        size_t kept[BATCH];
        const size_t *pairs = sa_batcher_next(&batcher, &size);
        memcpy(kept, pairs, sizeof *kept * (size_t)size);
        sa_batcher other;
        ck_assert(sa_batcher_open(&other, source, target, PAIRS, BATCH, 0, 5, NULL));
        sa_batcher_seek(&other, epoch, position);
        pairs = sa_batcher_next(&other, &again);
        ck_assert_int_eq(size, again);
        ck_assert_mem_eq(pairs, kept, sizeof *kept * (size_t)size);
        ck_assert_int_eq(other.epoch, batcher.epoch);
        ck_assert_uint_eq(other.position, batcher.position);
        sa_batcher_close(&other);
    }
    ck_assert_int_eq(batcher.epoch, 1);
}
END_TEST

static int longest_side(const size_t *pairs, int size) {
    int words[2] = {0, 0};
    for (int i = 0; i < size; i++) {
        words[0] += source[pairs[i]].len;
        words[1] += target[pairs[i]].len;
    }
    return words[0] > words[1] ? words[0] : words[1];
}

/* Batches of at most 100 tokens a side, all but the last of a fetch so full that the next pair in
 * order of length would be too much; a limit of 30 tokens is below the longest pairs. */
START_TEST(batches_of_words) {
    enum { EPOCHS = 2 };
    const int words = _i ? 30 : 100;
    sa_batcher by_words, again;
    ck_assert(sa_batcher_open(&by_words, source, target, PAIRS, BATCH, words, 5, NULL));
    ck_assert(sa_batcher_open(&again, source, target, PAIRS, BATCH, words, 5, NULL));
    int alone = 0, thin = 0, batches = 0, sizes = 0;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        bool seen[PAIRS] = {false};
        size_t served = 0, smallest = PAIRS, largest = 0;
        do {
            int size, same;
            const size_t position = served;
            const size_t *pairs = sa_batcher_next(&by_words, &size);
            sa_batcher_seek(&again, epoch, position);
            ck_assert_mem_eq(sa_batcher_next(&again, &same), pairs, sizeof *pairs * (size_t)size);
            ck_assert_int_eq(same, size);
            ck_assert_uint_eq(by_words.position, served += (size_t)size);
            for (int i = 0; i < size; i++) {
                ck_assert(!seen[pairs[i]]);
                seen[pairs[i]] = true;
                if (i) ck_assert(falls_behind(pairs[i - 1], pairs[i]));
            }
            const int most = longest_side(pairs, size);
            ck_assert(most <= words || size == 1);
            alone += most > words;
            thin += most < words - 31;
            smallest = (size_t)size < smallest ? (size_t)size : smallest;
            largest = (size_t)size > largest ? (size_t)size : largest;
            batches++;
        } while (by_words.position < PAIRS);
        ck_assert_uint_eq(served, PAIRS);
        ck_assert_int_eq(by_words.epoch, epoch);
        sizes += (int)(largest - smallest);
    }
    ck_assert(_i ? alone > 0 : alone == 0);
    ck_assert_int_le(thin, batches / 20 + EPOCHS);
    ck_assert_int_gt(sizes, 2 * EPOCHS); /* batches of short sentences are larger */
    sa_batcher_close(&by_words), sa_batcher_close(&again);
}
END_TEST

/* Six pairs of equal lengths: as many in a batch as fill one side to the last word. */
START_TEST(batches_are_filled_to_the_last_word) {
    static const struct {
        int source, target, words, size;
    } cases[] = {{1, 2, 4, 2}, {2, 1, 4, 2}, {1, 2, 5, 2}, {2, 1, 5, 2}, {2, 2, 6, 3},
                 {3, 1, 2, 1}, {1, 3, 2, 1}, {1, 1, 6, 6}, {1, 1, 7, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sa_sentence left[6], right[6];
        sa_batcher few;
        int size;
        for (int k = 0; k < 6; k++)
            left[k] = (sa_sentence){.len = cases[i].source},
            right[k] = (sa_sentence){.len = cases[i].target};
        ck_assert(sa_batcher_open(&few, left, right, 6, BATCH, cases[i].words, 1, NULL));
        for (int served = 0; served < 6; served += size) {
            sa_batcher_next(&few, &size);
            ck_assert_int_eq(size, cases[i].size);
        }
        sa_batcher_close(&few);
    }
}
END_TEST

START_TEST(one_pair_is_a_batch) {
    sa_batcher one;
    int size;
    ck_assert(sa_batcher_open(&one, source, target, 1, 64, 0, 1, NULL));
    for (int epoch = 0; epoch < 3; epoch++) {
        ck_assert_uint_eq(*sa_batcher_next(&one, &size), 0);
        ck_assert_int_eq(size, 1);
        ck_assert_int_eq(one.epoch, epoch);
    }
    sa_batcher_close(&one);
}
END_TEST

START_TEST(too_many_pairs_are_refused) {
    sa_batcher none;
    sa_error error;
    ck_assert(!sa_batcher_open(&none, NULL, NULL, (size_t)UINT32_MAX + 1, 64, 0, 1, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_str_eq(error.text, "more than 4294967295 pairs");
}
END_TEST

START_TEST(long_sentences_come_first_in_order) {
    const sa_sentence sentences[] = {{NULL, 2}, {NULL, 5}, {NULL, 2}, {NULL, 7}, {NULL, 5}};
    size_t order[5] = {9, 9, 9, 9, 9};
    sa_sentences_sort_by_length(sentences, 5, order);
    ck_assert_mem_eq(order, ((const size_t[]){3, 1, 4, 0, 2}), sizeof order);
    sa_sentences_sort_by_length(sentences, 0, NULL);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("batcher");
    TCase *cases = tcase_create("batcher");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, every_pair_comes_once_an_epoch);
    tcase_add_test(cases, epochs_and_seeds_differ);
    tcase_add_test(cases, a_fetch_is_sorted_and_its_batches_shuffled);
    tcase_add_test(cases, fetches_are_shuffled);
    tcase_add_test(cases, epoch_and_position_are_all_there_is);
    tcase_add_loop_test(cases, batches_of_words, 0, 2);
    tcase_add_test(cases, batches_are_filled_to_the_last_word);
    tcase_add_test(cases, one_pair_is_a_batch);
    tcase_add_test(cases, too_many_pairs_are_refused);
    tcase_add_test(cases, long_sentences_come_first_in_order);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
