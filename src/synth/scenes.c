/* Where things are, what there is, how one feels, and why. */
#include "synth/frames.h"

#include <stddef.h>
#include <stdio.h>

static const int owners[] = {SA_MY, SA_MY, SA_YOUR, SA_HIS, SA_HER, SA_OUR, SA_THEIR};

/* ---- Where ---------------------------------------------------------------------------------- */

/* Things and their places: small things are on furniture, people and animals in places, buildings
 * next to others. */
typedef enum thing_sort { LYING, BEING, STANDING, SORTS } thing_sort;

/* A noun phrase of that kind; with SA_A or SA_NUMBER not a family member. */
static sa_noun_phrase draw_located(sa_draft *draft, thing_sort sort, unsigned determiners) {
    static const unsigned kinds[SORTS] = {SA_POCKET, SA_PERSON | SA_ANIMAL, SA_SERVICE};
    bool strangers = sort == BEING && determiners & SA_A;
    unsigned traits = strangers ? SA_ADULT | SA_CHILD | SA_SIZE : 0;
    const sa_noun *noun = sa_noun_draw(draft, kinds[sort], traits, NULL);
    sa_noun_phrase group = sa_noun_phrase_draw(draft, noun, determiners, *SA_DRAW(draft, owners));
    if (sort == STANDING) group.plural = false;
    return group;
}

static sa_noun_phrase draw_place(sa_draft *draft, unsigned kinds, const sa_noun *except) {
    sa_noun_phrase group =
        sa_noun_phrase_draw(draft, sa_noun_draw(draft, kinds, 0, except), SA_THE, 0);
    group.plural = false;
    return group;
}

static void write_where(sa_draft *draft, thing_sort sort, const sa_noun *noun) {
    static const sa_phrase on[] = {{"on", "sur", NULL}, {"under", "sous", NULL}};
    static const sa_phrase beside[] = {
        {"near", "près de", NULL},
        {"next to", "à côté de", "0-0 0-1 1-2"},
        {"behind", "derrière", NULL},
        {"in front of", "devant", NULL},
    };
    if (sort == BEING) {
        sa_noun_phrase place =
            draw_place(draft, SA_ROOM | SA_OUTDOORS | SA_SERVICE | SA_WORKPLACE, noun);
        sa_place_write(draft, &place, false);
        return;
    }
    sa_noun_phrase place = draw_place(draft, sort == LYING ? SA_SURFACE : SA_SERVICE, noun);
    sa_draft_phrase(draft, sort == LYING ? SA_DRAW(draft, on) : SA_DRAW(draft, beside));
    sa_noun_phrase_write(draft, &place, SA_AFFIRMATIVE);
}

/* "the key is under the bed" */
static void write_location(sa_draft *draft, sa_mood mood) {
    thing_sort sort = (thing_sort)sa_draft_pick(draft, SORTS);
    sa_noun_phrase group = draw_located(draft, sort, sort == STANDING ? SA_THE : SA_THE | SA_OWN);
    sa_clause clause = {.subject = sa_subject_of(&group), .mood = mood};
    sa_clause_be(&clause, false);
    sa_clause_write(draft, &clause);
    write_where(draft, sort, group.noun);
}

/* "where are my keys?", in French without est-ce que */
static void write_where_question(sa_draft *draft, sa_mood mood) {
    thing_sort sort = (thing_sort)sa_draft_pick(draft, SORTS);
    sa_noun_phrase group = draw_located(draft, sort, sort == STANDING ? SA_THE : SA_THE | SA_OWN);
    sa_phrase_write(draft, "where", "où", NULL);
    sa_phrase_write(draft, group.plural ? "are" : "is", group.plural ? "sont" : "est", NULL);
    sa_noun_phrase_write(draft, &group, mood);
}

/* "there is a bank near the station": il y a, where y behaves as a pronoun object does. */
static void write_existence(sa_draft *draft, sa_mood mood) {
    static const sa_phrase there = {"there", "il", NULL}, y = {NULL, "y", NULL};
    thing_sort sort = (thing_sort)sa_draft_pick(draft, SORTS);
    bool many = sort != STANDING && mood == SA_AFFIRMATIVE;
    sa_noun_phrase group = draw_located(draft, sort, many ? SA_A | SA_NUMBER | SA_SOME : SA_A);
    sa_clause clause = {.subject = {.pronoun = &there}, .mood = mood, .object = &y};
    clause.auxiliary = group.plural ? "are" : "is";
    clause.finite = "a";
    sa_clause_write(draft, &clause);
    sa_noun_phrase_write(draft, &group, mood);
    write_where(draft, sort, group.noun);
}

/* ---- How one feels -------------------------------------------------------------------------- */

static const sa_phrase feelings[] = {{"hungry", "faim", NULL},
                                     {"thirsty", "soif", NULL},
                                     {"sleepy", "sommeil", NULL},
                                     {"right", "raison", NULL},
                                     {"wrong", "tort", NULL}};

/* "are you hungry?" */
static void write_feeling(sa_draft *draft, sa_mood mood) {
    sa_clause clause = {.subject = sa_subject_draw(draft, mood == SA_INTERROGATIVE), .mood = mood};
    const sa_phrase *feeling = SA_DRAW(draft, feelings);
    sa_clause_feel(&clause, feeling->source, feeling->target);
    sa_clause_write(draft, &clause);
}

/* "the girl is afraid of the dog": la fille a peur du chien */
static void write_fear(sa_draft *draft, sa_mood mood) {
    sa_clause clause = {.subject = sa_subject_draw(draft, mood == SA_INTERROGATIVE), .mood = mood};
    sa_noun_phrase group =
        sa_noun_phrase_draw(draft, sa_noun_draw(draft, SA_ANIMAL, 0, NULL), SA_THE, 0);
    sa_clause_feel(&clause, "afraid", "peur");
    sa_clause_write(draft, &clause);
    sa_phrase_write(draft, "of", "de", NULL);
    sa_noun_phrase_write(draft, &group, SA_AFFIRMATIVE);
}

/* "she needs an umbrella": elle a besoin d'un parapluie */
static void write_need(sa_draft *draft, sa_mood mood) {
    sa_clause clause = {.subject = sa_subject_draw(draft, mood == SA_INTERROGATIVE), .mood = mood};
    const sa_noun *noun = sa_noun_draw(draft, SA_GOODS | SA_POCKET, 0, NULL);
    sa_noun_phrase group =
        sa_noun_phrase_draw(draft, noun, SA_THE | SA_A | SA_OWN | SA_THIS, clause.subject.owner);
    sa_verb need = *sa_verb_find("have"); /* avoir besoin de */
    need.base = "need";
    need.third = "needs";
    sa_clause_conjugate(&clause, &need, SA_SIMPLE);
    snprintf(clause.rest, sizeof clause.rest, "besoin");
    sa_clause_write(draft, &clause);
    sa_draft_link_possible(draft, sa_draft_last(&draft->source), sa_draft_target(draft, "de"));
    sa_noun_phrase_write(draft, &group, SA_AFFIRMATIVE);
}

/* "my son is seven years old": mon fils a sept ans */
static void write_age(sa_draft *draft, sa_mood mood) {
    const sa_noun *noun = sa_noun_draw(draft, SA_PERSON | SA_ANIMAL, SA_MINOR, NULL);
    sa_noun_phrase group =
        sa_noun_phrase_draw(draft, noun, SA_THE | SA_OWN | SA_THIS, *SA_DRAW(draft, owners));
    sa_clause clause = {.subject = sa_subject_of(&group), .mood = mood};
    sa_clause_feel(&clause, NULL, "");
    sa_clause_write(draft, &clause);
    sa_draft_phrase(draft, &sa_numbers[sa_draft_pick(draft, SA_NUMBERS)]);
    sa_phrase_write(draft, "years old", "ans", "0-0 1p0");
}

/* "is it cold in the kitchen?" */
static void write_weather(sa_draft *draft, sa_mood mood) {
    static const sa_phrase it = {"it", "il", NULL};
    static const struct {
        const char *english, *finite, *rest;
        unsigned places;
    } weathers[] = {{"cold", "fait", "froid", SA_ROOM | SA_OUTDOORS | SA_SIGHT},
                    {"hot", "fait", "chaud", SA_ROOM | SA_OUTDOORS | SA_SIGHT},
                    {"raining", "pleut", "", SA_OUTDOORS},
                    {"snowing", "neige", "", SA_OUTDOORS}};
    int row = sa_draft_pick(draft, 4);
    sa_clause clause = {.subject = {.pronoun = &it}, .mood = mood, .auxiliary = "is"};
    clause.main = weathers[row].english;
    clause.finite = weathers[row].finite;
    snprintf(clause.rest, sizeof clause.rest, "%s", weathers[row].rest);
    sa_clause_write(draft, &clause);
    sa_noun_phrase place = draw_place(draft, weathers[row].places, NULL);
    if (sa_draft_chance(draft, 2)) sa_place_write(draft, &place, false);
    if (sa_draft_chance(draft, 2)) sa_time_write(draft, SA_TIME_NOW, false);
}

/* ---- Two clauses ---------------------------------------------------------------------------- */

/* The first states prevent people from doing things, the others do not. */
enum { REASONS = 3, TROUBLES = 6 };

/* "they are ill", "they are hungry" */
static void write_state(sa_draft *draft, const sa_subject *subject, int choices) {
    static const char *const states[REASONS] = {"ill", "tired", "busy"};
    sa_clause clause = {.subject = *subject};
    int row = sa_draft_pick(draft, choices);
    if (row < REASONS) {
        sa_clause_be(&clause, false);
        sa_clause_write(draft, &clause);
        sa_adjective_write(draft, sa_adjective_find(states[row]), subject);
    } else {
        sa_clause_feel(&clause, feelings[row - REASONS].source, feelings[row - REASONS].target);
        sa_clause_write(draft, &clause);
    }
}

/* "he cannot play in the park because he is ill" */
static void write_because(sa_draft *draft, sa_mood mood) {
    sa_subject subject = sa_subject_draw(draft, false), again = sa_subject_again(&subject);
    sa_activity_write(draft, &subject, mood, SA_NOW | SA_PLAN);
    sa_phrase_write(draft, "because", "parce que", NULL);
    write_state(draft, &again, REASONS);
}

/* "we are tired but we must go to the market" */
static void write_but(sa_draft *draft, sa_mood mood) {
    sa_subject subject = sa_subject_draw(draft, false), again = sa_subject_again(&subject);
    write_state(draft, &subject, TROUBLES);
    sa_phrase_write(draft, "but", "mais", NULL);
    sa_activity_write(draft, &again, mood, SA_PLAN);
}

/* "I am washing the car and my son is playing in the garden" */
static void write_and(sa_draft *draft, sa_mood mood) {
    sa_subject one = sa_subject_draw(draft, false), two = sa_subject_draw_named(draft);
    sa_activity_write(draft, &one, mood, SA_NOW);
    sa_phrase_write(draft, "and", "et", NULL);
    sa_activity_write(draft, &two, mood, SA_NOW);
}

const sa_frame sa_scene_frames[] = {
    {50, write_location, SA_ALLOW_ANY_MOOD},  {25, write_where_question, SA_ALLOW_INTERROGATIVE},
    {50, write_existence, SA_ALLOW_ANY_MOOD}, {20, write_feeling, SA_ALLOW_ANY_MOOD},
    {15, write_fear, SA_ALLOW_ANY_MOOD},      {25, write_need, SA_ALLOW_ANY_MOOD},
    {12, write_age, SA_ALLOW_ANY_MOOD},       {12, write_weather, SA_ALLOW_ANY_MOOD},
    {30, write_because, SA_ALLOW_NEGATIVE},   {30, write_but, SA_ALLOW_AFFIRMATIVE},
    {30, write_and, SA_ALLOW_AFFIRMATIVE},    {0},
};
