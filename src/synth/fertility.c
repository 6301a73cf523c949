/* fertility: words that are translated by several words, and words that are translated together.
 *
 *   S -> C (and C) .        C -> NP (does not | never) V NP (when)        NP -> N (of N)
 *
 * One to many: potato, pomme de terre; needs, a besoin de; not, ne ... pas. Many to one: looks for,
 * cherche; thirty four, trente-quatre; of the, du. A model must know when a phrase is complete, and
 * which clause it is in. */
#include "synth/grammar.h"

#include <stdio.h>

/* Draws "the baker", "the friends of the baker" */
static sa_subject draw_subject(sa_draft *draft) {
    sa_noun_phrase person = sa_noun_phrase_person(draft, NULL);
    sa_subject subject = sa_subject_of(&person);
    if (sa_draft_chance(draft, 3)) {
        subject.joint = sa_of;
        subject.groups[subject.count++] = sa_noun_phrase_person(draft, person.noun);
    }
    return subject;
}

/* Writes "thirty four potatoes" */
static void write_many(sa_draft *draft, const sa_word *noun, sa_mood mood) {
    enum { UNITLESS = 2 }; /* the last numbers: ten and twelve */
    char english[2 * SA_DRAFT_LETTERS], french[2 * SA_DRAFT_LETTERS];
    const sa_word *ten = sa_draft_draw(draft, "ten", 0);
    const sa_word *unit = sa_draft_draw(draft, "number", UNITLESS);
    snprintf(english, sizeof english, "%s %s", ten->english, unit->english);
    snprintf(french, sizeof french, "%s-%s", ten->french, unit->french);
    const sa_word number = {.english = english, .french = french};
    sa_noun_phrase group = {
        .noun = noun, .plural = true, .determiner = SA_NUMBER, .number = &number};
    sa_noun_phrase_write(draft, &group, mood);
}

/* Writes "an alarm clock", "the potatoes of the baker" */
static void write_thing(sa_draft *draft, sa_mood mood) {
    bool plain = sa_draft_chance(draft, 4);
    const sa_word *noun =
        plain ? sa_noun_draw(draft, SA_POCKET, 0, NULL) : sa_draft_draw(draft, "compound", 0);
    int way = sa_draft_pick(draft, 4);
    if (way == 0) {
        write_many(draft, noun, mood);
        return;
    }
    sa_noun_phrase group = {.noun = noun, .determiner = SA_A};
    if (way > 1) group = sa_noun_phrase_definite(draft, noun);
    sa_noun_phrase_write(draft, &group, mood);
    if (way > 2) {
        sa_noun_phrase owner = sa_noun_phrase_person(draft, NULL);
        sa_draft_pair(draft, "of", "de");
        sa_noun_phrase_write(draft, &owner, mood);
    }
}

/* Writes "the mother needs ...", la mère a besoin de ...; "the baker throws away ..." */
static void write_deed(sa_draft *draft, sa_clause *clause) {
    sa_mood mood = clause->mood;
    if (sa_draft_chance(draft, 4)) {
        const sa_word *verb = sa_draft_draw(draft, "having", 0);
        sa_clause_have(clause, verb->english, verb->third, verb->french);
        mood = SA_AFFIRMATIVE; /* pas besoin d'une clé, but pas de clé */
    } else {
        const char *list = sa_draft_chance(draft, 3) ? "plain phrasal" : "phrasal";
        sa_clause_conjugate(clause, sa_draft_draw(draft, list, 0), SA_STATE, NULL);
    }
    sa_clause_write(clause);
    write_thing(draft, mood);
}

static void write_clause(sa_draft *draft) {
    sa_clause clause = {.draft = draft, .subject = draw_subject(draft)};
    if (sa_draft_chance(draft, 2)) {
        clause.mood = SA_NEGATIVE;
        clause.never = sa_draft_chance(draft, 3);
    }
    write_deed(draft, &clause);
    if (clause.mood == SA_AFFIRMATIVE && sa_draft_chance(draft, 3))
        sa_draft_phrase(draft, sa_draft_draw(draft, "fertile time", 0));
}

void sa_synth_fertility(sa_draft *draft) {
    write_clause(draft);
    if (sa_draft_chance(draft, 2)) {
        sa_draft_pair(draft, "and", "et");
        write_clause(draft);
    }
    sa_french_finish(draft, ".");
}
