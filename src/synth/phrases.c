/* phrases: everyday English with its French translation. A sentence is one of the frames,
 * affirmative, interrogative or negative.
 *
 * Every English sentence has one translation: you is always vous, they is ils, I and we are
 * masculine, and no verb has a form that could be two tenses. Everything is in lower case, so that
 * each word has one spelling. */
#include "synth/grammar.h"

#include <string.h>

/* Draws and writes a noun phrase that is affirmative in every kind of clause. */
static void write_noun(sa_draft *draft, unsigned kinds, const sa_word *except, unsigned determiners,
                       int owner) {
    sa_noun_phrase group = sa_noun_phrase_of(draft, kinds, 0, except, determiners, owner);
    sa_noun_phrase_write(draft, &group, SA_AFFIRMATIVE);
}

/* ---- What somebody does: the verb ------------------------------------------------------------ */

/* Draws an adverb of frequency, which a habit often has. */
static void draw_often(sa_draft *draft, sa_clause *clause) {
    if (clause->mood == SA_AFFIRMATIVE && sa_draft_chance(draft, 4)) clause->mood = SA_NEGATIVE;
    clause->never = clause->mood == SA_NEGATIVE;
    if (!clause->never) clause->often = sa_draft_draw(draft, "often", 0);
}

/* Conjugates the verb in one of these tenses. Plans, which do not inflect it, are half as
 * frequent. */
static void write_verb(sa_draft *draft, sa_clause *clause, const sa_word *verb, unsigned tenses) {
    static const unsigned all[] = {SA_STATE, SA_STATE, SA_HABIT, SA_HABIT, SA_NOW,
                                   SA_NOW,   SA_PAST,  SA_PAST,  SA_PLAN};
    static const char *const plans[] = {"go", "go", "want", "can", "must"};
    unsigned list[sizeof all / sizeof all[0]];
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (verb->uses & tenses & all[i]) list[count++] = all[i];
    unsigned tense = list[sa_draft_pick(draft, count)];
    const char *plan = NULL;
    if (tense == SA_PLAN)
        plan = plans[sa_draft_pick(draft, clause->mood == SA_INTERROGATIVE ? 4 : 5)];
    /* What happens to people (never now) has no fixed time. */
    if (tense == SA_HABIT && (!(verb->uses & SA_NOW) || sa_draft_chance(draft, 2)))
        draw_often(draft, clause);
    sa_clause_conjugate(clause, verb, tense, plan);
    sa_clause_write(clause);
}

/* Draws a verb from the list with one of the tenses, for one of the kinds of objects or places (0:
 * any). */
static const sa_word *draw_verb(sa_draft *draft, const char *list, unsigned kinds,
                                unsigned tenses) {
    return sa_draft_choose(draft, list, &(sa_query){.kinds = kinds, .uses = tenses});
}

static void write_some_verb(sa_draft *draft, sa_clause *clause, const char *list, unsigned kinds,
                            unsigned tenses) {
    write_verb(draft, clause, draw_verb(draft, list, kinds, tenses), tenses);
}

/* Writes a time. "I eat meat" alone is not clearly a habit. Nobody plans an everyday action for
 * next year. */
static void write_time(sa_draft *draft, const sa_clause *clause) {
    bool habit = clause->tense == SA_HABIT, needed = !clause->often && !clause->never;
    if (habit ? needed : clause->tense != SA_STATE && sa_draft_chance(draft, 3))
        sa_time_write(draft, clause->tense, !(clause->verb->uses & SA_HABIT));
}

/* ---- With an object -------------------------------------------------------------------------- */

/* Returns the subject's only noun, which the object should not repeat. */
static const sa_word *noun_of(const sa_subject *subject) {
    return subject->count == 1 ? subject->groups[0].noun : NULL;
}

static void write_object(sa_draft *draft, const sa_clause *clause, const sa_word *verb) {
    const sa_word *own = noun_of(&clause->subject);
    int owner = clause->subject.who;
    unsigned determiners = verb->determiners;
    if (clause->mood == SA_NEGATIVE)
        determiners &= ~(unsigned)SA_NUMBER; /* how many did she not eat? */
    sa_noun_phrase first = sa_noun_phrase_of(draft, verb->kinds, 0, own, determiners, owner);
    sa_noun_phrase_write(draft, &first, clause->mood);
    if (clause->mood != SA_AFFIRMATIVE || !sa_draft_chance(draft, 10)) return;
    const sa_word *other = sa_noun_draw(draft, first.noun->kinds & verb->kinds, 0, first.noun);
    if (!other || other == own) return;
    sa_noun_phrase second = sa_noun_phrase_draw(draft, other, first.determiner, owner);
    sa_draft_pair(draft, "and", "et");
    sa_noun_phrase_write(draft, &second, clause->mood);
}

static void write_verb_and_object(sa_draft *draft, sa_clause *clause, unsigned tenses) {
    write_some_verb(draft, clause, "transitive", 0, tenses);
    write_object(draft, clause, clause->verb);
}

static void write_transitive(sa_draft *draft, sa_clause *clause) {
    write_verb_and_object(draft, clause, ~0u);
    write_time(draft, clause);
}

/* Writes "she is waiting for them": elle les attend. Never in the past, where the participle would
 * agree. */
static void write_pronoun_object(sa_draft *draft, sa_clause *clause) {
    enum { YOU = 2, OTHERS = 3 };
    int who = clause->subject.who, row = sa_draft_pick(draft, 6);
    bool own = who == SA_I || who == SA_WE ? row < YOU : who == SA_YOU && row == YOU;
    clause->object = &sa_word_list_find("object pronoun")->words[own ? row + OTHERS : row];
    write_some_verb(draft, clause, "transitive", SA_PERSON, SA_STATE | SA_HABIT | SA_NOW | SA_PLAN);
    write_time(draft, clause);
}

/* Writes "I gave the key to my neighbour" */
static void write_gift(sa_draft *draft, sa_clause *clause) {
    int who = clause->subject.who;
    const sa_word *verb = sa_word_find("giving", "give");
    write_verb(draft, clause, verb, ~0u);
    const sa_word *gift = sa_noun_draw(draft, verb->kinds, 0, NULL);
    const sa_word *receiver = sa_noun_draw(draft, SA_PERSON, 0, noun_of(&clause->subject));
    sa_noun_phrase what = sa_noun_phrase_draw(draft, gift, verb->determiners, who);
    sa_noun_phrase whom = sa_noun_phrase_draw(draft, receiver, SA_THE | SA_OWN, who);
    sa_noun_phrase_write(draft, &what, clause->mood);
    sa_draft_pair(draft, "to", "à");
    sa_noun_phrase_write(draft, &whom, SA_AFFIRMATIVE);
    write_time(draft, clause);
}

/* ---- Without an object ----------------------------------------------------------------------- */

static void write_where(sa_draft *draft, const sa_word *verb) {
    static const unsigned determiners[] = {SA_THE, SA_THE, SA_THE, SA_THIS, SA_A};
    if (!verb->kinds) return;
    const sa_word *noun = sa_noun_draw(draft, verb->kinds, 0, NULL);
    unsigned determiner = determiners[sa_draft_pick(draft, verb->kinds & SA_HOME ? 5 : 4)];
    sa_noun_phrase place = sa_noun_phrase_draw(draft, noun, determiner, 0);
    place.plural = false;
    sa_place_write(draft, &place, verb->uses & SA_TOWARDS);
}

/* Writes a verb with a place. Children do not work. */
static void write_placed_verb(sa_draft *draft, sa_clause *clause, unsigned tenses) {
    const sa_subject *subject = &clause->subject;
    unsigned places = 0; /* any */
    for (int i = 0; i < subject->count; i++)
        /* Each group has its noun: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        if (subject->groups[i].noun->traits & SA_CHILD) places = ~(unsigned)SA_WORKPLACE;
    write_some_verb(draft, clause, "intransitive", places, tenses);
}

static void write_intransitive(sa_draft *draft, sa_clause *clause) {
    write_placed_verb(draft, clause, ~0u);
    const sa_word *verb = clause->verb;
    if (verb->uses & SA_ETRE || clause->tense == SA_STATE || !sa_draft_chance(draft, 4))
        write_where(draft, verb);
    if (!(verb->kinds & SA_LODGING) && sa_draft_chance(draft, 5)) {
        sa_draft_pair(draft, "with", "avec");
        write_noun(draft, SA_PERSON, noun_of(&clause->subject), SA_THE | SA_OWN,
                   clause->subject.who);
    }
    write_time(draft, clause);
}

/* Writes any action of the subject in one of the tenses, with its object or place. */
static void write_activity(sa_draft *draft, sa_clause *clause, unsigned tenses) {
    if (sa_draft_chance(draft, 2)) {
        write_verb_and_object(draft, clause, tenses);
    } else {
        write_placed_verb(draft, clause, tenses);
        write_where(draft, clause->verb);
    }
}

/* Writes "the train leaves at nine o'clock" */
static void write_timetable(sa_draft *draft, sa_clause *clause) {
    static const unsigned tenses[] = {SA_HABIT, SA_PAST, SA_PLAN};
    sa_noun_phrase group = sa_noun_phrase_of(draft, SA_VEHICLE, 0, NULL, SA_THE, 0);
    clause->subject = sa_subject_of(&group);
    unsigned tense = *SA_DRAW(draft, tenses);
    sa_clause_conjugate(clause, draw_verb(draft, "intransitive", 0, SA_TIMETABLE), tense, "go");
    sa_clause_write(clause);
    sa_time_write(draft, tense, false);
}

/* ---- Questions and requests ------------------------------------------------------------------ */

/* Writes "when did you buy this car?" */
static void write_when_question(sa_draft *draft, sa_clause *clause) {
    sa_draft_phrase(draft, sa_draft_draw(draft, "question", 0));
    clause->subject = sa_subject_draw(draft, true);
    write_verb_and_object(draft, clause, SA_PAST | SA_PLAN);
}

/* Writes "where do you live?", "why are you playing in the street?" */
static void write_place_question(sa_draft *draft, sa_clause *clause) {
    bool why = sa_draft_chance(draft, 2);
    sa_draft_pair(draft, why ? "why" : "where", why ? "pourquoi" : "où");
    clause->subject = sa_subject_draw(draft, true);
    write_some_verb(draft, clause, "intransitive",
                    SA_HOME | SA_OUTDOORS | SA_WORKPLACE | SA_LODGING,
                    SA_STATE | SA_NOW | SA_PAST | SA_PLAN);
    if (why) write_where(draft, clause->verb);
}

/* Writes "what are you looking for?", "who is she waiting for?" */
static void write_object_question(sa_draft *draft, sa_clause *clause) {
    bool who = sa_draft_chance(draft, 3);
    unsigned kinds = who ? (unsigned)SA_PERSON : ~(unsigned)SA_PERSON;
    sa_draft_pair(draft, who ? "who" : "what", who ? "qui" : "que");
    clause->subject = sa_subject_draw(draft, true);
    write_some_verb(draft, clause, "transitive", kinds, SA_NOW | SA_PAST | SA_PLAN);
}

/* Writes "please open the door", "do not play in the street": vous is the French imperative too. */
static void write_request(sa_draft *draft, sa_clause *clause) {
    bool denied = clause->mood == SA_NEGATIVE, transitive = !sa_draft_chance(draft, 4);
    const sa_word *verb = draw_verb(draft, transitive ? "transitive" : "intransitive", 0,
                                    denied ? SA_WARNING : SA_REQUEST);
    sa_word_span first = sa_draft_source(draft, denied ? "do" : "please"), not = {0};
    if (denied) {
        sa_draft_link_possible(draft, first, sa_draft_target(draft, "ne"));
        not = sa_draft_source(draft, "not");
        sa_draft_link(draft, not, sa_draft_last(&draft->target));
    }
    sa_draft_pair(draft, verb->english, verb->present[SA_VOUS]);
    if (denied) sa_draft_link(draft, not, sa_draft_target(draft, "pas"));
    clause->subject.who = SA_YOU;
    if (transitive)
        write_object(draft, clause, verb);
    else
        write_where(draft, verb);
    if (denied) return;
    sa_draft_target(draft, ",");
    sa_draft_link(draft, first, sa_draft_target(draft, "si il vous plaît"));
}

/* ---- How people and things are: to be and an adjective --------------------------------------- */

enum {
    PLACES = SA_ROOM | SA_OUTDOORS | SA_GOAL | SA_SIGHT,
    THINGS = SA_GOODS | SA_POCKET | SA_READING | SA_SOUND | SA_SHOW | SA_LESSON | SA_WASHABLE |
             SA_FOOD | SA_DRINK | PLACES,
};

static void write_quality(sa_draft *draft, sa_clause *clause, const sa_word *adjective) {
    bool passing = adjective->uses & SA_PASSING, past = passing && sa_draft_chance(draft, 2);
    sa_clause_be(clause, past);
    sa_clause_write(clause);
    int degree = adjective->uses & SA_GRADED ? sa_draft_pick(draft, 6) : 5;
    if (degree == 0) sa_draft_pair(draft, "very", "très");
    if (degree == 1) sa_draft_pair(draft, "too", "trop");
    sa_clause_write_adjective(clause, adjective);
    if (past)
        sa_time_write(draft, SA_PAST, true);
    else if (passing && sa_draft_chance(draft, 4))
        sa_time_write(draft, SA_NOW, false);
}

/* Writes "my sister is very tired", "were you ill yesterday?" */
static void write_person_quality(sa_draft *draft, sa_clause *clause) {
    write_quality(draft, clause, sa_adjective_draw(draft, SA_MOOD, SA_ALONE));
}

/* Makes a thing the subject. Returns the adjective said of it, which repeats none of its own. */
static const sa_word *draw_thing(sa_draft *draft, sa_clause *clause, unsigned kinds) {
    sa_noun_phrase group =
        sa_noun_phrase_of(draft, kinds, ~0u, NULL, SA_THE | SA_OWN | SA_THIS, SA_ANYONE);
    const sa_word *said = sa_adjective_draw(draft, group.noun->traits, SA_ALONE);
    group.before = NULL;
    if (group.after && group.after->traits & said->traits) group.after = NULL;
    clause->subject = sa_subject_of(&group);
    return said;
}

/* Writes "this wine is too expensive" */
static void write_thing_quality(sa_draft *draft, sa_clause *clause) {
    write_quality(draft, clause, draw_thing(draft, clause, THINGS));
}

/* Writes "the door of the hotel is closed" */
static void write_part_quality(sa_draft *draft, sa_clause *clause) {
    const sa_word *adjective = draw_thing(draft, clause, SA_PART);
    const sa_word *building = sa_noun_draw(draft, SA_LODGING | SA_WORKPLACE, 0, NULL);
    clause->subject.groups[0].determiner = SA_THE;
    clause->subject.groups[1] = (sa_noun_phrase){.noun = building, .determiner = SA_THE};
    clause->subject.count = 2;
    clause->subject.joint = sa_of;
    write_quality(draft, clause, adjective);
}

/* Writes "my brother is taller than my uncle": only things of the same kind are compared. */
static void write_comparison(sa_draft *draft, sa_clause *clause) {
    static const unsigned sorts[] = {SA_PERSON, SA_ANIMAL, SA_FOOD | SA_DRINK, PLACES, THINGS};
    const sa_word *adjective = sa_draft_choose(draft, "adjective", &(sa_query){.inflected = true});
    unsigned traits = adjective->traits;
    const sa_word *noun = sa_noun_draw(draft, SA_PERSON | SA_ANIMAL | THINGS, traits, NULL);
    int sort = 0;
    while (!(noun->kinds & sorts[sort])) sort++;
    const sa_word *other = sa_noun_draw(draft, sorts[sort], traits, noun);
    sa_require(other); /* every compared trait has two nouns of a kind */
    sa_noun_phrase one = sa_noun_phrase_draw(draft, noun, SA_THE | SA_OWN, SA_I);
    sa_noun_phrase two = sa_noun_phrase_draw(draft, other, SA_THE | SA_OWN, SA_I);
    one.before = one.after = two.before = two.after = NULL;

    clause->subject = sa_subject_of(&one);
    sa_clause_be(clause, false);
    sa_clause_write(clause);
    sa_draft_pair(draft, adjective->more, "plus");
    sa_word said = *adjective;
    if (strcmp(said.more, "more") != 0) said.english = NULL; /* "taller" has said it */
    sa_clause_write_adjective(clause, &said);
    sa_draft_link(draft, sa_draft_last(&draft->source), sa_draft_last(&draft->target));
    sa_draft_pair(draft, "than", "que");
    sa_noun_phrase_write(draft, &two, SA_AFFIRMATIVE);
}

/* Writes "the books that we bought are interesting": the French participle agrees with the
 * books. */
static void write_relative(sa_draft *draft, sa_clause *clause) {
    const sa_word *verb = draw_verb(draft, "transitive", 0, SA_RELATIVE);
    const sa_word *adjective = draw_thing(draft, clause, verb->kinds);
    sa_subject *subject = &clause->subject;
    subject->groups[0].determiner = SA_THE;
    sa_clause inner = {.draft = draft, .subject = sa_subject_draw(draft, true)};
    sa_clause_conjugate(&inner, verb, SA_PAST, NULL);
    sa_french_participle(verb->participle, subject->feminine, subject->plural, inner.rest);
    subject->that = &inner;
    write_quality(draft, clause, adjective);
    subject->that = NULL;
}

/* ---- Where things are ------------------------------------------------------------------------ */

/* Things and their places: small things are on furniture, people and animals in places, buildings
 * next to others. */
typedef enum thing_sort { LYING, BEING, STANDING, SORTS } thing_sort;

/* Makes a thing with one of the determiners the subject; with SA_A, never a family member. */
static thing_sort draw_located(sa_draft *draft, sa_clause *clause, unsigned determiners) {
    static const unsigned kinds[SORTS] = {SA_POCKET, SA_PERSON | SA_ANIMAL, SA_SERVICE};
    thing_sort sort = (thing_sort)sa_draft_pick(draft, SORTS);
    bool strangers = sort == BEING && determiners & SA_A;
    unsigned traits = strangers ? SA_ADULT | SA_CHILD | SA_SIZE : 0;
    if (sort == STANDING) determiners &= SA_THE | SA_A;
    sa_noun_phrase group =
        sa_noun_phrase_of(draft, kinds[sort], traits, NULL, determiners, SA_ANYONE);
    if (sort == STANDING) group.plural = false;
    clause->subject = sa_subject_of(&group);
    sa_clause_be(clause, false);
    return sort;
}

static sa_noun_phrase draw_place(sa_draft *draft, unsigned kinds, const sa_word *except) {
    sa_noun_phrase group = sa_noun_phrase_of(draft, kinds, 0, except, SA_THE, 0);
    group.plural = false;
    return group;
}

static void write_place_of(sa_draft *draft, thing_sort sort, const sa_word *noun) {
    static const unsigned places[SORTS] = {
        SA_SURFACE, SA_ROOM | SA_OUTDOORS | SA_SERVICE | SA_WORKPLACE, SA_SERVICE};
    sa_noun_phrase place = draw_place(draft, places[sort], noun);
    if (sort == BEING) {
        sa_place_write(draft, &place, false);
        return;
    }
    sa_draft_phrase(draft, sa_draft_draw(draft, sort == LYING ? "on" : "beside", 0));
    sa_noun_phrase_write(draft, &place, SA_AFFIRMATIVE);
}

/* Writes "the key is under the bed" */
static void write_location(sa_draft *draft, sa_clause *clause) {
    thing_sort sort = draw_located(draft, clause, SA_THE | SA_OWN);
    sa_clause_write(clause);
    write_place_of(draft, sort, clause->subject.groups[0].noun);
}

/* Writes "where are my keys?", in French without est-ce que */
static void write_where_question(sa_draft *draft, sa_clause *clause) {
    draw_located(draft, clause, SA_THE | SA_OWN);
    sa_draft_pair(draft, "where", "où");
    sa_draft_pair(draft, clause->auxiliary, clause->finite);
    sa_noun_phrase_write(draft, &clause->subject.groups[0], clause->mood);
}

/* Writes "there is a bank near the station": il y a, where y behaves as a pronoun object does. */
static void write_existence(sa_draft *draft, sa_clause *clause) {
    static const sa_word there = {.english = "there", .french = "il"}, y = {.french = "y"};
    bool many = clause->mood == SA_AFFIRMATIVE;
    thing_sort sort = draw_located(draft, clause, many ? SA_A | SA_NUMBER | SA_SOME : SA_A);
    sa_noun_phrase group = clause->subject.groups[0];
    clause->subject = (sa_subject){.pronoun = &there};
    clause->object = &y;
    clause->finite = "a";
    sa_clause_write(clause);
    sa_noun_phrase_write(draft, &group, clause->mood);
    write_place_of(draft, sort, group.noun);
}

/* ---- How one feels, and why ------------------------------------------------------------------ */

/* Writes "are you hungry?" */
static void write_feeling(sa_draft *draft, sa_clause *clause) {
    const sa_word *feeling = sa_draft_draw(draft, "feeling", 0);
    sa_clause_have(clause, feeling->english, NULL, feeling->french);
    sa_clause_write(clause);
}

/* Writes "the girl is afraid of the dog": la fille a peur du chien */
static void write_fear(sa_draft *draft, sa_clause *clause) {
    sa_clause_have(clause, "afraid", NULL, "peur");
    sa_clause_write(clause);
    sa_draft_pair(draft, "of", "de");
    write_noun(draft, SA_ANIMAL, NULL, SA_THE, 0);
}

/* Writes "she needs an umbrella": elle a besoin d'un parapluie */
static void write_need(sa_draft *draft, sa_clause *clause) {
    sa_clause_have(clause, "need", "needs", "besoin");
    sa_clause_write(clause);
    sa_draft_link_possible(draft, sa_draft_last(&draft->source), sa_draft_target(draft, "de"));
    write_noun(draft, SA_GOODS | SA_POCKET, NULL, SA_THE | SA_A | SA_OWN | SA_THIS,
               clause->subject.who);
}

/* Writes "my son is seven years old": mon fils a sept ans */
static void write_age(sa_draft *draft, sa_clause *clause) {
    sa_noun_phrase group = sa_noun_phrase_of(draft, SA_PERSON | SA_ANIMAL, SA_MINOR, NULL,
                                             SA_THE | SA_OWN | SA_THIS, SA_ANYONE);
    clause->subject = sa_subject_of(&group);
    sa_clause_have(clause, NULL, NULL, "");
    sa_clause_write(clause);
    sa_draft_phrase(draft, sa_draft_draw(draft, "number", 0));
    sa_draft_phrase(draft, sa_word_find("age", "years old"));
}

/* Writes "is it cold in the kitchen?" */
static void write_weather(sa_draft *draft, sa_clause *clause) {
    static const sa_word it = {.english = "it", .french = "il"};
    const sa_word *weather = sa_draft_draw(draft, "weather", 0);
    clause->subject = (sa_subject){.pronoun = &it, .who = SA_HE};
    sa_clause_have(clause, weather->english, NULL, weather->french ? weather->french : "");
    clause->finite = weather->present[SA_IL];
    sa_clause_write(clause);
    sa_noun_phrase place = draw_place(draft, weather->kinds, NULL);
    if (sa_draft_chance(draft, 2)) sa_place_write(draft, &place, false);
    if (sa_draft_chance(draft, 2)) sa_time_write(draft, SA_NOW, false);
}

/* Writes "they are ill", "they are hungry": one of the troubles, but none of the last `except`. */
static void write_trouble(sa_draft *draft, sa_clause *clause, int except) {
    const sa_word *trouble = sa_draft_draw(draft, "trouble", except);
    bool adjective = trouble->feminine;
    if (adjective)
        sa_clause_be(clause, false);
    else
        sa_clause_have(clause, trouble->english, NULL, trouble->french);
    sa_clause_write(clause);
    if (adjective) sa_clause_write_adjective(clause, trouble);
}

/* Writes "he cannot play in the park because he is ill": whoever is hungry can */
static void write_because(sa_draft *draft, sa_clause *clause) {
    enum { FEELINGS = 3 };
    sa_clause why = {.draft = draft, .subject = sa_subject_pronoun(clause->subject.who)};
    write_activity(draft, clause, SA_NOW | SA_PLAN);
    sa_draft_pair(draft, "because", "parce que");
    write_trouble(draft, &why, FEELINGS);
}

/* Writes "we are tired but we must go to the market" */
static void write_but(sa_draft *draft, sa_clause *clause) {
    sa_clause but = {.draft = draft, .subject = sa_subject_pronoun(clause->subject.who)};
    write_trouble(draft, clause, 0);
    sa_draft_pair(draft, "but", "mais");
    write_activity(draft, &but, SA_PLAN);
}

/* Writes "I am washing the car and my son is playing in the garden" */
static void write_and(sa_draft *draft, sa_clause *clause) {
    sa_clause other = {.draft = draft, .subject = sa_subject_draw_people(draft)};
    write_activity(draft, clause, SA_NOW);
    sa_draft_pair(draft, "and", "et");
    write_activity(draft, &other, SA_NOW);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

typedef struct sentence_frame {
    int weight; /* relative frequency */
    void (*write)(sa_draft *draft, sa_clause *clause);
    int moods[3];  /* relative frequencies of affirmative, interrogative, negative */
    bool somebody; /* begins with any subject */
} sentence_frame;

static const sentence_frame frames[] = {
    {520, write_transitive, {3, 1, 1}, .somebody = true},
    {70, write_pronoun_object, {3, 1, 1}, .somebody = true},
    {45, write_gift, {3, 1, 1}, .somebody = true},
    {220, write_intransitive, {3, 1, 1}, .somebody = true},
    {15, write_timetable, {3, 1, 1}},
    {25, write_when_question, {0, 1, 0}},
    {25, write_place_question, {0, 1, 0}},
    {30, write_object_question, {0, 1, 0}},
    {40, write_request, {3, 0, 1}},
    {70, write_person_quality, {3, 1, 1}, .somebody = true},
    {60, write_thing_quality, {3, 1, 1}},
    {20, write_part_quality, {3, 1, 1}},
    {30, write_comparison, {3, 1, 1}},
    {30, write_relative, {3, 1, 1}},
    {50, write_location, {3, 1, 1}},
    {25, write_where_question, {0, 1, 0}},
    {50, write_existence, {3, 1, 1}},
    {20, write_feeling, {3, 1, 1}, .somebody = true},
    {15, write_fear, {3, 1, 1}, .somebody = true},
    {25, write_need, {3, 1, 1}, .somebody = true},
    {12, write_age, {3, 1, 1}},
    {12, write_weather, {3, 1, 1}},
    {30, write_because, {0, 0, 1}, .somebody = true},
    {30, write_but, {3, 0, 0}, .somebody = true},
    {30, write_and, {3, 0, 0}, .somebody = true},
};
enum { FRAMES = sizeof frames / sizeof frames[0] };

void sa_synth_phrases(sa_draft *draft) {
    int sum = 0, mood = 0;
    for (int i = 0; i < FRAMES; i++) sum += frames[i].weight;
    const sentence_frame *frame = frames;
    for (int left = sa_draft_pick(draft, sum); left >= frame->weight; frame++)
        left -= frame->weight;
    const int *moods = frame->moods;
    for (int left = sa_draft_pick(draft, moods[0] + moods[1] + moods[2]); left >= moods[mood];)
        left -= moods[mood++];

    sa_clause clause = {.draft = draft, .mood = (sa_mood)mood};
    if (frame->somebody) clause.subject = sa_subject_draw(draft, mood == SA_INTERROGATIVE);
    frame->write(draft, &clause);
    sa_french_finish(draft, mood == SA_INTERROGATIVE ? "?" : ".");
}
