/* The toy corpora in which one word decides about others far from it: what agrees, what is
 * translated by several words, what is understood by its company. */
#include "support/suite.h"
#include "text/synth_french.h"
#include "text/synth_tasks.h"

#include <check.h>
#include <string.h>

enum { DRAWS = 4000 };

static void draw(sa_draft *draft, void (*task)(sa_draft *, sa_split), sa_rng *rng) {
    sa_draft_clear(draft);
    draft->rng = rng;
    task(draft, SA_TRAIN);
}

static const sa_link *link_between(const sa_draft *draft, int source, int target) {
    for (int i = 0; i < draft->link_count; i++)
        if (draft->links[i].source == source && draft->links[i].target == target)
            return &draft->links[i];
    return NULL;
}

static bool hinted(const sa_draft *draft, int source, int target) {
    const sa_link *link = link_between(draft, source, target);
    return link && link->possible;
}

/* That share of all draws, give or take a tenth of it. */
static void about(int count, int expected) {
    ck_assert_int_ge(count, expected - expected / 10);
    ck_assert_int_le(count, expected + expected / 10);
}

/* ---- agree ----------------------------------------------------------------------------------- */

/* The noun written so; *plural tells which of its numbers. */
static const sa_noun *read_noun(const char *english, bool *plural) {
    for (const sa_noun *noun = sa_nouns; noun->english; noun++) {
        *plural = noun->plural && !strcmp(noun->plural, english);
        if (*plural || !strcmp(noun->english, english)) return noun;
    }
    ck_abort_msg("%s is no noun", english);
}

START_TEST(the_end_agrees_with_the_first_noun) {
    sa_rng rng = sa_rng_seed(1, 0);
    sa_draft draft = {0};
    int feminines = 0, plurals = 0, led_astray = 0, clauses[4] = {0};
    for (int i = 0; i < DRAWS; i++) {
        draw(&draft, sa_synth_agree, &rng);
        const sa_draft_side *source = &draft.source, *target = &draft.target;
        int be = source->count - 3, est = target->count - 3;
        bool plural, other_plural;
        const sa_noun *noun = read_noun(source->words[1], &plural);
        const sa_noun *other = read_noun(source->words[be - 1], &other_plural);
        char adjective[SA_DRAFT_LETTERS];
        sa_french_adjective(sa_adjective_find(source->words[be + 1]), noun->feminine, plural, NULL,
                            adjective);
        ck_assert_str_eq(source->words[be], plural ? "are" : "is");
        ck_assert_str_eq(target->words[est], plural ? "sont" : "est");
        ck_assert_str_eq(target->words[est + 1], adjective);
        ck_assert(hinted(&draft, 1, est) && hinted(&draft, 1, est + 1));
        feminines += noun->feminine;
        plurals += plural;
        led_astray += other->feminine != noun->feminine || other_plural != plural;
        int count = 0;
        for (int k = 0; k < source->count; k++) count += !strcmp(source->words[k], "that");
        clauses[count]++;
    }
    about(feminines, DRAWS / 2);
    about(plurals, DRAWS / 2);
    about(led_astray, 3 * 3 * DRAWS / 16); /* gender or number, of the 3 in 4 with a clause */
    for (int count = 0; count < 4; count++) about(clauses[count], DRAWS / 4);
}
END_TEST

int main(void) {
    TCase *all;
    Suite *suite = suite_of("synth_tasks", &all);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, the_end_agrees_with_the_first_noun);
    return suite_run(suite);
}
