/* Symmetrization of two alignments: by hand, and against the published procedure, transcribed word
 * for word. */
#include "base/rng.h"
#include "data/corpus.h"
#include "metrics/linking.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int way_of(const char *name) {
    for (size_t i = 0; sa_symmetrizations[i]; i++)
        if (strcmp(sa_symmetrizations[i], name) == 0) return (int)i;
    ck_abort_msg("no way '%s'", name);
}

static void expect(const char *way, const char *forward, const char *backward, const char *wanted) {
    sa_link *one, *other, *both;
    size_t one_count, other_count, count;
    char text[256] = "";
    ck_assert(sa_links_parse(forward, &one, &one_count, NULL));
    ck_assert(sa_links_parse(backward, &other, &other_count, NULL));
    ck_assert(sa_symmetrize(way_of(way), one, one_count, other, other_count, &both, &count, NULL));
    for (size_t i = 0; i < count; i++)
        sprintf(text + strlen(text), "%s%d-%d", i ? " " : "", both[i].source, both[i].target);
    ck_assert_msg(strcmp(text, wanted) == 0, "%s of '%s' and '%s': '%s', not '%s'", way, forward,
                  backward, text, wanted);
    free(one), free(other), free(both);
}

START_TEST(what_both_say_and_what_any_says) {
    expect("intersection", "1-1 0-0 2-2 0-0", "2-2 0-0 3-1", "0-0 2-2");
    expect("union", "1-1 0-0 2-2 0-0", "2-2 0-0 3-1", "0-0 1-1 2-2 3-1");
    expect("intersection", "0-0", "", "");
    expect("union", "", "0-0", "0-0");
    for (size_t i = 0; sa_symmetrizations[i]; i++) expect(sa_symmetrizations[i], "", "", "");
}
END_TEST

START_TEST(links_grow_beside_links) {
    /* 1-1 touches 0-0 and brings a new word each; 3-3 touches nothing */
    expect("grow-diag", "0-0 1-1 3-3", "0-0", "0-0 1-1");
    /* 1-0: its target word has a link, its source word has none */
    expect("grow-diag", "0-0 1-0", "0-0", "0-0 1-0");
    /* over several steps */
    expect("grow-diag", "0-0 1-1 2-2 3-3", "0-0", "0-0 1-1 2-2 3-3");
    expect("grow-diag", "3-3", "3-3 2-2 1-1 0-0", "0-0 1-1 2-2 3-3");
    /* nothing to grow on */
    expect("grow-diag", "0-0 1-1", "0-1 1-0", "");
}
END_TEST

START_TEST(links_between_linked_words_stay_out) {
    expect("grow-diag", "0-0 1-1 0-1", "0-0 1-1", "0-0 1-1");
    /* the first neighbor in order takes the word; both words of 1-1 are then taken */
    expect("grow-diag", "0-0 0-1 1-0 1-1", "0-0", "0-0 0-1 1-0");
}
END_TEST

START_TEST(the_final_step_needs_no_neighbor) {
    /* 5-5 has two new words, 5-0 one, 1-1 none */
    const char *forward = "0-0 0-1 1-0 1-1 5-0 5-5";
    expect("grow-diag", forward, "0-0", "0-0 0-1 1-0");
    expect("grow-diag-final", forward, "0-0", "0-0 0-1 1-0 5-0 5-5");
    expect("grow-diag-final-and", forward, "0-0", "0-0 0-1 1-0 5-5");
    /* the forward direction comes first, then their order */
    expect("grow-diag-final", "5-5", "4-5 5-4", "4-5 5-4 5-5");
    expect("grow-diag-final-and", "5-5", "4-5 5-4", "5-5");
    expect("grow-diag-final-and", "", "4-5 5-5", "4-5");
}
END_TEST

START_TEST(far_positions_are_refused) {
    sa_link far = {0, 1 << 20, false}, *both;
    size_t count;
    sa_error error;
    ck_assert(!sa_symmetrize(0, &far, 1, NULL, 0, &both, &count, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_str_eq(error.text, "link 0-1048576: no sentence has so many words");
    for (int side = 0; side < 2; side++) { /* the last word that there may be, and the next one */
        const sa_link last = {side ? 0 : 8191, side ? 8191 : 0, false};
        ck_assert(sa_symmetrize(0, &last, 1, NULL, 0, &both, &count, &error));
        free(both);
        far = (sa_link){side ? 0 : 8192, side ? 8192 : 0, false};
        ck_assert(!sa_symmetrize(0, NULL, 0, &far, 1, &both, &count, &error));
    }
}
END_TEST

/* ---- The procedure of Koehn et al. 2003 ------------------------------------------------------ */

enum { WORDS = 6 };
typedef struct grid {
    bool is[WORDS][WORDS];
} grid;

static bool has_source(const grid *a, int s) {
    for (int t = 0; t < WORDS; t++)
        if (a->is[s][t]) return true;
    return false;
}

static bool has_target(const grid *a, int t) {
    for (int s = 0; s < WORDS; s++)
        if (a->is[s][t]) return true;
    return false;
}

static grid grow_by_the_book(const grid *one, const grid *other) {
    grid in;
    for (int s = 0; s < WORDS; s++)
        for (int t = 0; t < WORDS; t++) in.is[s][t] = one->is[s][t] && other->is[s][t];
    for (bool grown = true; grown;) {
        grown = false;
        for (int s = 0; s < WORDS; s++)
            for (int t = 0; t < WORDS; t++)
                for (int k = 0; k < 8 && in.is[s][t]; k++) {
                    const int u = s + sa_symmetrization_neighbors[k][0],
                              v = t + sa_symmetrization_neighbors[k][1];
                    if (u < 0 || v < 0 || u >= WORDS || v >= WORDS) continue;
                    if (has_source(&in, u) && has_target(&in, v)) continue;
                    if (!one->is[u][v] && !other->is[u][v]) continue;
                    in.is[u][v] = grown = true;
                }
    }
    return in;
}

static void finish_by_the_book(grid *in, const grid *direction, bool both_words) {
    for (int s = 0; s < WORDS; s++)
        for (int t = 0; t < WORDS; t++) {
            const int linked = has_source(in, s) + has_target(in, t);
            if (direction->is[s][t] && linked < (both_words ? 1 : 2)) in->is[s][t] = true;
        }
}

static size_t list(const grid *a, sa_link *links) {
    size_t count = 0;
    for (int s = 0; s < WORDS; s++)
        for (int t = 0; t < WORDS; t++)
            if (a->is[s][t]) links[count++] = (sa_link){s, t, false};
    return count;
}

static grid symmetrized(const char *way, const grid *one, const grid *other) {
    sa_link links[2][WORDS * WORDS], *both;
    size_t count;
    grid all = {0};
    ck_assert(sa_symmetrize(way_of(way), links[0], list(one, links[0]), links[1],
                            list(other, links[1]), &both, &count, NULL));
    for (size_t i = 0; i < count; i++) all.is[both[i].source][both[i].target] = true;
    free(both);
    return all;
}

static void same(const grid *got, const grid *wanted) {
    ck_assert_mem_eq(got, wanted, sizeof *got);
}

static void within(const grid *some, const grid *all) {
    for (int s = 0; s < WORDS; s++)
        for (int t = 0; t < WORDS; t++) ck_assert(!some->is[s][t] || all->is[s][t]);
}

START_TEST(random_alignments_grow_as_published) {
    sa_rng rng = sa_rng_seed(2003, 1);
    for (int round = 0; round < 2000; round++) {
        grid one, other;
        for (int s = 0; s < WORDS; s++)
            for (int t = 0; t < WORDS; t++) {
                one.is[s][t] = sa_rng_below(&rng, 4) == 0;
                other.is[s][t] = sa_rng_below(&rng, 4) == 0;
            }
        const grid intersection = symmetrized("intersection", &one, &other);
        const grid grown = symmetrized("grow-diag", &one, &other);
        const grid final = symmetrized("grow-diag-final", &one, &other);
        const grid final_and = symmetrized("grow-diag-final-and", &one, &other);
        const grid all = symmetrized("union", &one, &other);
        const grid wanted = grow_by_the_book(&one, &other);
        same(&grown, &wanted);
        for (int both_words = 0; both_words < 2; both_words++) {
            grid finished = wanted;
            finish_by_the_book(&finished, &one, both_words);
            finish_by_the_book(&finished, &other, both_words);
            same(both_words ? &final_and : &final, &finished);
        }
        within(&intersection, &grown);
        within(&grown, &final), within(&grown, &final_and);
        within(&final, &all), within(&final_and, &all);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("combine", &tests);
    tcase_add_test(tests, what_both_say_and_what_any_says);
    tcase_add_test(tests, links_grow_beside_links);
    tcase_add_test(tests, links_between_linked_words_stay_out);
    tcase_add_test(tests, the_final_step_needs_no_neighbor);
    tcase_add_test(tests, far_positions_are_refused);
    tcase_add_test(tests, random_alignments_grow_as_published);
    return suite_run(suite);
}
