/* agree: agreement at a distance. The verb and the adjective at the end follow the first noun, in
 * number and in gender; the nouns of the clauses in between, of any number and gender, are
 * distractors.
 *
 *   S -> the N (that V the N){0,3} is Adj .
 *
 * English marks the number by "is" and "are", but only the first noun determines the gender. */
#include "synth/grammar.h"

/* Writes a person or an animal, half of the time a feminine one, although the lexicon has more
 * masculine nouns. */
static sa_subject write_being(sa_draft *draft) {
    unsigned gender = sa_draft_chance(draft, 2) ? SA_FEMININE : SA_MASCULINE;
    const sa_query being = {.kinds = SA_PERSON | SA_ANIMAL, .uses = gender, .inflected = true};
    sa_noun_phrase group = sa_noun_phrase_definite(draft, sa_draft_choose(draft, "noun", &being));
    sa_noun_phrase_write(draft, &group, SA_AFFIRMATIVE);
    return sa_subject_of(&group);
}

/* Writes "that looks for"; the verb agrees with the noun before it. */
static void write_doing(sa_draft *draft, const sa_subject *subject) {
    static const char *const verbs[] = {"see", "help", "call", "watch", "look for", "wait for"};
    sa_clause clause = {.draft = draft, .subject = *subject};
    const sa_word *verb = sa_word_find("transitive", *SA_DRAW(draft, verbs));
    sa_clause_conjugate(&clause, verb, SA_STATE, NULL);
    sa_draft_pair(draft, "that", "qui");
    sa_draft_pair(draft, clause.main, clause.finite);
}

void sa_synth_agree(sa_draft *draft) {
    int clauses = sa_draft_pick(draft, 4);
    sa_clause clause = {.draft = draft, .subject = write_being(draft)};
    sa_word_span noun = sa_draft_last(&draft->source);
    sa_subject last = clause.subject;
    for (; clauses > 0; clauses--) {
        write_doing(draft, &last);
        last = write_being(draft);
    }
    sa_clause_be(&clause, false);
    sa_draft_pair(draft, clause.auxiliary, clause.finite);
    sa_draft_link_possible(draft, noun, sa_draft_last(&draft->target));
    const unsigned traits = clause.subject.groups[0].noun->traits;
    sa_clause_write_adjective(&clause, sa_adjective_draw(draft, traits, SA_ALONE));
    sa_draft_link_possible(draft, noun, sa_draft_last(&draft->target));
    sa_french_finish(draft, ".");
}
