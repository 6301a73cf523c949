/* agree: agreement at a distance. The verb and the adjective at the end follow the first noun, in
 * number and in gender; the nouns of the clauses in between, of any number and gender, are
 * distractors.
 *
 *   S -> the N (that V the N){0,3} is Adj .
 *
 * English marks the number by "is" and "are", but only the first noun determines the gender. */
#include "synth/frames.h"
#include "synth/french.h"
#include "synth/tasks.h"

static bool is_being(const sa_noun *noun, bool feminine) {
    return noun->kinds & (SA_PERSON | SA_ANIMAL) && noun->plural && noun->feminine == feminine;
}

/* A person or an animal, feminine half of the time although the lexicon has more masculine nouns.
 */
static const sa_noun *draw_being(sa_draft *draft) {
    bool feminine = sa_draft_chance(draft, 2);
    int count = 0;
    for (const sa_noun *noun = sa_nouns; noun->english; noun++) count += is_being(noun, feminine);
    int left = sa_draft_pick(draft, count);
    const sa_noun *noun = sa_nouns;
    while (!is_being(noun, feminine) || left-- > 0) noun++;
    return noun;
}

static sa_subject write_being(sa_draft *draft) {
    sa_noun_phrase group = sa_noun_phrase_draw_definite(draft, draw_being(draft));
    sa_noun_phrase_write(draft, &group, SA_AFFIRMATIVE);
    return sa_subject_of(&group);
}

/* "that looks for": the verb agrees with the noun before it. */
static void write_doing(sa_draft *draft, const sa_subject *subject) {
    static const char *const verbs[] = {"see", "help", "call", "watch", "look for", "wait for"};
    sa_clause clause = {.subject = *subject};
    sa_clause_conjugate(&clause, sa_verb_find(*SA_DRAW(draft, verbs)), SA_SIMPLE);
    sa_phrase_write(draft, "that", "qui", NULL);
    sa_phrase_write(draft, clause.main, clause.finite, NULL);
}

void sa_synth_agree(sa_draft *draft, sa_split split) {
    (void)split;
    int clauses = sa_draft_pick(draft, 4);
    sa_subject first = write_being(draft), last = first;
    sa_word_span noun = sa_draft_last(&draft->source);
    for (; clauses > 0; clauses--) {
        write_doing(draft, &last);
        last = write_being(draft);
    }
    sa_clause clause = {.subject = first};
    sa_clause_be(&clause, false);
    sa_phrase_write(draft, clause.auxiliary, clause.finite, NULL);
    sa_draft_link_possible(draft, noun, sa_draft_last(&draft->target));
    sa_adjective_write(draft, sa_adjective_draw(draft, first.groups[0].noun), &first);
    sa_draft_link_possible(draft, noun, sa_draft_last(&draft->target));
    sa_phrase_write(draft, ".", ".", NULL);
    sa_french_finish(draft);
}
