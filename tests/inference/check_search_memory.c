/* Searches whose calls for memory fail, each alone and with all later ones. */
#include "support/memory_failures.h"
#include "support/search_model.h"
#include "support/suite.h"

static bool search_two(sa_error *why) {
    const sa_sentence *from = sources;
    const sa_seq2seq *one = &w;
    sa_hypothesis found[2 * 2] = {0};
    const bool good = search_batch(&one, 1, &from, (sa_outlines){0}, 2, found, why);
    for (int i = 0; i < 2 * search.nbest; i++) {
        ck_assert(!good || !found[i].weights == !search.weights);
        ck_assert(good || (!found[i].ids && !found[i].weights));
        free(found[i].ids), free(found[i].weights);
    }
    return good;
}

/* With attention weights each hypothesis takes two blocks, of which either may be missing. */
START_TEST(memory_runs_out) {
    model_open(0, A, 0);
    search.beam = search.nbest = 1 + _i % 2;
    search.weights = _i / 2 % 2;
    search.sample = _i / 4;
    ck_assert_int_eq(fail_allocations(search_two), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("search_memory", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, memory_runs_out, 0, 8);
    return suite_run(suite);
}
