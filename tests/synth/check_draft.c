/* Drafts: words are drawn from lists, moved and merged with their links. */
#include "support/suite.h"
#include "synth/draft.h"

#include <stdlib.h>
#include <string.h>

static void writes(const sa_draft *draft, const char *line) {
    sa_buffer out = {0};
    sa_draft_write(draft, &out);
    ck_assert_str_eq(out.text, line);
    sa_buffer_release(&out);
}

START_TEST(moves_words_with_their_links) {
    sa_draft draft = {0};
    sa_draft_pair(&draft, "today", "aujourd'hui");
    sa_draft_pair(&draft, "ada", "ada");
    sa_word_span sleeps = sa_draft_pair(&draft, "is sleeping", "dort");
    sa_draft_link_possible(&draft, sleeps, (sa_word_span){0, 1});
    writes(&draft, "today ada is sleeping\taujourd'hui ada dort\t0-0 1-1 2p0 2-2 3p0 3-2\n");
    sa_draft_move(&draft, (sa_word_span){0, 1});
    writes(&draft, "today ada is sleeping\tada dort aujourd'hui\t0-2 1-0 2-1 2p2 3-1 3p2\n");
    sa_draft_move(&draft, (sa_word_span){1, 0});
    sa_draft_move(&draft, (sa_word_span){1, 2});
    writes(&draft, "today ada is sleeping\tada dort aujourd'hui\t0-2 1-0 2-1 2p2 3-1 3p2\n");
    sa_draft_move(&draft, (sa_word_span){0, 2});
    writes(&draft, "today ada is sleeping\taujourd'hui ada dort\t0-0 1-1 2p0 2-2 3p0 3-2\n");
}
END_TEST

/* Every word that fits is chosen, and no other. */
START_TEST(chooses_what_fits) {
    sa_rng rng = sa_rng_seed(1, 0);
    sa_draft draft = {.rng = &rng};
    const sa_word *cat = sa_word_find("noun", "cat");
    const sa_query query = {.kinds = SA_ANIMAL, .traits = SA_MINOR, .except = cat};
    bool dog = false, horse = false;
    for (int i = 0; i < 100; i++) {
        const char *english = sa_draft_choose(&draft, "noun", &query)->english;
        ck_assert(!strcmp(english, "dog") || !strcmp(english, "horse"));
        dog = dog || !strcmp(english, "dog");
        horse = horse || !strcmp(english, "horse");
    }
    ck_assert(dog && horse);
    const sa_rng before = rng;
    ck_assert_ptr_null(
        sa_draft_choose(&draft, "noun", &(sa_query){.kinds = SA_ANIMAL, .traits = SA_DOOR}));
    ck_assert_mem_eq(&before, &rng, sizeof rng);
}
END_TEST

int main(void) {
    TCase *all;
    Suite *suite = suite_of("synth_draft", &all);
    tcase_add_test(all, moves_words_with_their_links);
    tcase_add_test(all, chooses_what_fits);
    return suite_run(suite);
}
