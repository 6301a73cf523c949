/* Arenas, and the batches built in them: every token once, in the orders of batch.h. */
#include "base/batch.h"
#include "support/suite.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>

static sa_arena arena;

static void set_up(void) {
    ck_assert(sa_arena_init(&arena, 1 << 16, NULL));
}

static void tear_down(void) {
    sa_arena_release(&arena);
    ck_assert_ptr_null(arena.base);
}

/* ---- Arena ----------------------------------------------------------------------------------- */

START_TEST(allocations_are_aligned_and_disjoint) {
    char *piece[20];
    for (size_t i = 0; i < 20; i++) {
        piece[i] = sa_arena_alloc(&arena, 3 * i, 7);
        ck_assert_uint_eq((uintptr_t)piece[i] % 64, 0);
        memset(piece[i], (int)i, 21 * i);
    }
    for (size_t i = 0; i < 20; i++)
        for (size_t k = 0; k < 21 * i; k++) ck_assert_int_eq(piece[i][k], (char)i);
}
END_TEST

START_TEST(a_dry_run_counts_what_a_real_one_takes) {
    const size_t sizes[] = {1, 0, 63, 64, 65, 1000};
    sa_arena dry = {0}, real;
    for (int i = 0; i < 6; i++) ck_assert_ptr_null(sa_arena_alloc(&dry, sizes[i], 1));
    ck_assert_uint_eq(dry.used, 64 + 0 + 64 + 64 + 128 + 1024);
    ck_assert(sa_arena_init(&real, dry.used, NULL));
    for (int i = 0; i < 6; i++) ck_assert_ptr_nonnull(sa_arena_alloc(&real, sizes[i], 1));
    ck_assert_uint_eq(real.used, real.size);
    real.used = 0; /* releases everything */
    ck_assert_ptr_eq(sa_arena_alloc(&real, dry.used, 1), real.base);
    sa_arena_release(&real);
}
END_TEST

/* Sizes that overflow when they are rounded up to cache lines. */
START_TEST(memory_that_cannot_be_had_is_an_error) {
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 62};
    sa_error error = {0};
    sa_arena none;
    ck_assert(!sa_arena_init(&none, sizes[_i], &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    sa_arena_release(&none);
}
END_TEST

/* Programming errors trap: an allocation too large, a size that overflows. */
START_TEST(a_size_that_does_not_fit_traps) {
    static const struct {
        size_t count, size;
    } wrong[] = {{(1 << 16) + 1, 1}, {SIZE_MAX, 2}, {SIZE_MAX, 1}};
    sa_arena_alloc(&arena, 1, 1);
    sa_arena_alloc(&arena, wrong[_i].count, wrong[_i].size);
}
END_TEST

/* ---- Batches --------------------------------------------------------------------------------- */

enum { COUNT = 6, LONGEST = 7 };
static const int lengths[2][COUNT] = {{3, 7, 1, 3, 5, 3}, {2, 2, 6, 1, 2, 4}};
static int32_t ids[2][COUNT][LONGEST];
static sa_sentence sentences[2][COUNT];

/* Token t of sentence i of a side is 100 side + 10 i + t: all are different. */
static void write_sentences(void) {
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < COUNT; i++) {
            for (int t = 0; t < LONGEST; t++) ids[side][i][t] = 100 * side + 10 * i + t;
            sentences[side][i] = (sa_sentence){ids[side][i], lengths[side][i]};
        }
}

/* The invariants of batch.h, for any sentences. */
static void check_side(const sa_batch_side *side, const sa_sentence *of, int count) {
    int words = 0, longest = 0;
    for (int i = 0; i < count; i++) {
        words += of[i].len;
        longest = of[i].len > longest ? of[i].len : longest;
    }
    ck_assert_int_eq(side->sentences, count);
    ck_assert_int_eq(side->words, words);
    ck_assert_int_eq(side->steps, longest);
    ck_assert_int_eq(side->first[0], 0);
    ck_assert_int_eq(side->first[count], words);
    ck_assert_int_eq(side->active[longest], 0);
    ck_assert_int_eq(side->start[0], 0);
    ck_assert_int_eq(side->start[longest], words);
    for (int b = 0; b < count; b++) {
        const int i = side->order[b];
        ck_assert_int_eq(side->len[b], of[i].len);
        ck_assert_int_eq(side->first[b + 1] - side->first[b], of[i].len);
        if (b) /* decreasing, ties as given */
            ck_assert(side->len[b] < side->len[b - 1] ||
                      (side->len[b] == side->len[b - 1] && i > side->order[b - 1]));
        for (int t = 0; t < of[i].len; t++) {
            ck_assert_int_lt(b, side->active[t]);
            ck_assert_int_eq(side->ids[side->start[t] + b], of[i].ids[t]);
            ck_assert_int_eq(side->extended[side->start[t] + b], sa_sentence_extended(&of[i])[t]);
        }
    }
    for (int t = 0; t < longest; t++)
        ck_assert_int_eq(side->start[t + 1] - side->start[t], side->active[t]);
}

START_TEST(both_sides_are_laid_out) {
    write_sentences();
    sa_batch batch = sa_batch_build(&arena, sentences[0], sentences[1], COUNT);
    ck_assert_int_eq(batch.whole, COUNT);
    check_side(&batch.source, sentences[0], COUNT);
    check_side(&batch.target, sentences[1], COUNT);
    ck_assert_mem_eq(batch.source.order, ((const int[]){1, 4, 0, 3, 5, 2}), sizeof(int[COUNT]));
    ck_assert_mem_eq(batch.source.active, ((const int[]){6, 5, 5, 2, 2, 1, 1, 0}), sizeof(int[8]));
    ck_assert_mem_eq(batch.target.order, ((const int[]){2, 5, 0, 1, 4, 3}), sizeof(int[COUNT]));
    ck_assert_mem_eq(batch.target.start, ((const int[]){0, 6, 11, 13, 15, 16, 17}), sizeof(int[7]));
    for (int b = 0; b < COUNT; b++)
        ck_assert_int_eq(batch.source.order[batch.source_of[b]], batch.target.order[b]);
}
END_TEST

/* Of sentences without extended ids beside others their ids count. */
START_TEST(any_sentence_may_have_extended_ids) {
    static const int32_t extended[LONGEST] = {500, 501, 502};
    write_sentences();
    sentences[0][3].extended = extended;
    const sa_batch batch = sa_batch_build(&arena, sentences[0], NULL, COUNT);
    check_side(&batch.source, sentences[0], COUNT);
}
END_TEST

START_TEST(one_sentence_is_a_batch) {
    write_sentences();
    sa_batch batch = sa_batch_build(&arena, sentences[0] + 1, sentences[1] + 1, 1);
    check_side(&batch.source, sentences[0] + 1, 1);
    check_side(&batch.target, sentences[1] + 1, 1);
    ck_assert_int_eq(batch.source_of[0], 0);
}
END_TEST

START_TEST(without_targets_that_side_is_empty) {
    write_sentences();
    sa_batch batch = sa_batch_build(&arena, sentences[0], NULL, COUNT);
    check_side(&batch.source, sentences[0], COUNT);
    ck_assert_int_eq(batch.target.sentences, 0);
    ck_assert_int_eq(batch.target.words, 0);
    ck_assert_ptr_null(batch.source_of);
}
END_TEST

/* A dry run reads lengths alone: the words may be missing. */
START_TEST(a_dry_run_knows_the_size) {
    write_sentences();
    sa_sentence wordless[2][COUNT];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < COUNT; i++) wordless[side][i] = (sa_sentence){NULL, lengths[side][i]};
    sa_arena dry = {0};
    sa_batch batch = sa_batch_build(&dry, wordless[0], wordless[1], COUNT);
    ck_assert_int_eq(batch.source.words, 22);
    ck_assert_int_eq(batch.target.steps, 6);
    sa_batch_build(&arena, sentences[0], sentences[1], COUNT);
    ck_assert_uint_eq(dry.used, arena.used);
}
END_TEST

START_TEST(an_empty_sentence_traps) {
    write_sentences();
    sentences[0][3].len = 0;
    sa_batch_build(&arena, sentences[0], NULL, COUNT);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("batch", &tests);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, allocations_are_aligned_and_disjoint);
    tcase_add_test(tests, a_dry_run_counts_what_a_real_one_takes);
    tcase_add_loop_test(tests, memory_that_cannot_be_had_is_an_error, 0, 2);
    tcase_add_loop_test_raise_signal(tests, a_size_that_does_not_fit_traps, SIGABRT, 0, 3);
    tcase_add_test(tests, both_sides_are_laid_out);
    tcase_add_test(tests, any_sentence_may_have_extended_ids);
    tcase_add_test(tests, one_sentence_is_a_batch);
    tcase_add_test(tests, without_targets_that_side_is_empty);
    tcase_add_test(tests, a_dry_run_knows_the_size);
    tcase_add_test_raise_signal(tests, an_empty_sentence_traps, SIGABRT);
    return suite_run(suite);
}
