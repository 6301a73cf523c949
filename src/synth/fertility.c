/* fertility: words with several words as their translation, and words that are translated together.
 *
 *   S -> C (and C) .        C -> NP (does not | never) V NP (when)        NP -> N (of N)
 *
 * One to many: potato, pomme de terre; needs, a besoin de; not, ne ... pas. Many to one: looks for,
 * cherche; thirty four, trente-quatre; of the, du. A model must know when a phrase is complete, and
 * which clause it is in. */
#include "synth/frames.h"
#include "synth/french.h"
#include "synth/tasks.h"

#include <stddef.h>
#include <stdio.h>

/* ---- Words ----------------------------------------------------------------------------------- */

static const sa_noun things[] = {
    {"potato", "potatoes", "pomme de terre", true, 0, 0, 0, 0},
    {"toothbrush", "toothbrushes", "brosse à dents", true, 0, 0, 0, 0},
    {"typewriter", "typewriters", "machine à écrire", true, 0, 0, 0, 0},
    {"handbag", "handbags", "sac à main", false, 0, 0, 0, 0},
    {"backpack", "backpacks", "sac à dos", false, 0, 0, 0, 0},
    {"swimsuit", "swimsuits", "maillot de bain", false, 0, 0, 0, 0},
    {"sailboat", "sailboats", "bateau à voile", false, 0, 0, 0, 0},
    {"washing machine", "washing machines", "machine à laver", true, 0, 0, 0, 0},
    {"sewing machine", "sewing machines", "machine à coudre", true, 0, 0, 0, 0},
    {"remote control", "remote controls", "télécommande", true, 0, 0, 0, 0},
    {"frying pan", "frying pans", "poêle", true, 0, 0, 0, 0},
    {"alarm clock", "alarm clocks", "réveil", false, 0, 0, 0, 0},
    {"paper clip", "paper clips", "trombone", false, 0, 0, 0, 0},
    {"rubber band", "rubber bands", "élastique", false, 0, 0, 0, 0},
    {"vacuum cleaner", "vacuum cleaners", "aspirateur", false, 0, 0, 0, 0},
};

static const sa_verb verbs[] = {
    /* only the forms used here */
    {.base = "ask for",
     .third = "asks for",
     .present = {[SA_IL] = "demande", [SA_ILS] = "demandent"}},
    {.base = "pick up",
     .third = "picks up",
     .present = {[SA_IL] = "ramasse", [SA_ILS] = "ramassent"}},
    {.base = "put away",
     .third = "puts away",
     .present = {[SA_IL] = "range", [SA_ILS] = "rangent"}},
    {.base = "give back",
     .third = "gives back",
     .present = {[SA_IL] = "rend", [SA_ILS] = "rendent"}},
    {.base = "throw away",
     .third = "throws away",
     .present = {[SA_IL] = "jette", [SA_ILS] = "jettent"}},
};
static const char *const known_verbs[] = {"look for", "buy", "sell"};

/* Verbs expressed as having something. */
static const struct {
    const char *base, *third, *rest;
} states[] = {{"need", "needs", "besoin de"}, {"fear", "fears", "peur de"}};

static const sa_phrase times[] = {
    {"today", "aujourd'hui", NULL},
    {"right now", "maintenant", NULL},
    {"at once", "immédiatement", NULL},
    {"nowadays", "de nos jours", NULL},
};

static const sa_phrase tens[] = {
    {"twenty", "vingt", NULL},    {"thirty", "trente", NULL},  {"forty", "quarante", NULL},
    {"fifty", "cinquante", NULL}, {"sixty", "soixante", NULL}, {"eighty", "quatre-vingt", NULL},
};
enum { UNITS = 8 }; /* the first numbers: two to nine */

static const sa_phrase of = {"of", "de", NULL};

/* ---- Nouns ----------------------------------------------------------------------------------- */

static sa_noun_phrase draw_person(sa_draft *draft, const sa_noun *except) {
    return sa_noun_phrase_draw_definite(draft, sa_noun_draw(draft, SA_PERSON, 0, except));
}

/* "the baker", "the friends of the baker" */
static sa_subject draw_subject(sa_draft *draft) {
    sa_noun_phrase person = draw_person(draft, NULL);
    sa_subject subject = sa_subject_of(&person);
    if (sa_draft_chance(draft, 3)) {
        subject.joint = &of;
        subject.groups[subject.count++] = draw_person(draft, person.noun);
    }
    return subject;
}

/* "thirty four potatoes" */
static void write_many(sa_draft *draft, const sa_noun *noun, sa_mood mood) {
    char english[SA_DRAFT_LETTERS], french[SA_DRAFT_LETTERS];
    const sa_phrase *ten = SA_DRAW(draft, tens), *unit = &sa_numbers[sa_draft_pick(draft, UNITS)];
    snprintf(english, sizeof english, "%s %s", ten->source, unit->source);
    snprintf(french, sizeof french, "%s-%s", ten->target, unit->target);
    sa_phrase number = {english, french, NULL};
    sa_noun_phrase group = {
        .noun = noun, .plural = true, .determiner = SA_NUMBER, .number = &number};
    sa_noun_phrase_write(draft, &group, mood);
}

/* "an alarm clock", "the potatoes of the baker" */
static void write_thing(sa_draft *draft, sa_mood mood) {
    bool plain = sa_draft_chance(draft, 4);
    const sa_noun *noun = plain ? sa_noun_draw(draft, SA_POCKET, 0, NULL) : SA_DRAW(draft, things);
    int way = sa_draft_pick(draft, 4);
    if (way == 0) {
        write_many(draft, noun, mood);
        return;
    }
    sa_noun_phrase group = {.noun = noun, .determiner = SA_A};
    if (way > 1) group = sa_noun_phrase_draw_definite(draft, noun);
    sa_noun_phrase_write(draft, &group, mood);
    if (way > 2) {
        sa_noun_phrase owner = draw_person(draft, NULL);
        sa_draft_phrase(draft, &of);
        sa_noun_phrase_write(draft, &owner, mood);
    }
}

/* ---- Sentences ------------------------------------------------------------------------------- */

/* "the mother needs ...": la mère a besoin de ... */
static void write_state(sa_draft *draft, sa_clause *clause) {
    int row = sa_draft_pick(draft, sizeof states / sizeof states[0]);
    sa_verb verb = *sa_verb_find("have");
    verb.base = states[row].base;
    verb.third = states[row].third;
    sa_clause_conjugate(clause, &verb, SA_SIMPLE);
    snprintf(clause->rest, sizeof clause->rest, "%s", states[row].rest);
    sa_clause_write(draft, clause);
    write_thing(draft, SA_AFFIRMATIVE); /* pas besoin d'une clé, but pas de clé */
}

/* "the baker throws away ..." */
static void write_deed(sa_draft *draft, sa_clause *clause) {
    bool known = sa_draft_chance(draft, 3);
    const sa_verb *verb =
        known ? sa_verb_find(*SA_DRAW(draft, known_verbs)) : SA_DRAW(draft, verbs);
    sa_clause_conjugate(clause, verb, SA_SIMPLE);
    sa_clause_write(draft, clause);
    write_thing(draft, clause->mood);
}

static void write_clause(sa_draft *draft) {
    sa_clause clause = {.subject = draw_subject(draft)};
    if (sa_draft_chance(draft, 2)) {
        clause.mood = SA_NEGATIVE;
        clause.never = sa_draft_chance(draft, 3);
    }
    if (sa_draft_chance(draft, 4))
        write_state(draft, &clause);
    else
        write_deed(draft, &clause);
    if (clause.mood == SA_AFFIRMATIVE && sa_draft_chance(draft, 3))
        sa_draft_phrase(draft, SA_DRAW(draft, times));
}

void sa_synth_fertility(sa_draft *draft, sa_split split) {
    (void)split;
    write_clause(draft);
    if (sa_draft_chance(draft, 2)) {
        sa_phrase_write(draft, "and", "et", NULL);
        write_clause(draft);
    }
    sa_phrase_write(draft, ".", ".", NULL);
    sa_french_finish(draft);
}
