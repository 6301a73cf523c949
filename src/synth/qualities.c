/* How people and things are: sentences around to be and an adjective. */
#include "synth/frames.h"

#include "synth/french.h"

#include <stddef.h>
#include <string.h>

enum {
    PLACES = SA_ROOM | SA_OUTDOORS | SA_GOAL | SA_SIGHT,
    THINGS = SA_GOODS | SA_POCKET | SA_READING | SA_SOUND | SA_SHOW | SA_LESSON | SA_WASHABLE |
             SA_FOOD | SA_DRINK | PLACES,
};

/* A person, where there is no noun. */
static const sa_noun anyone = {.traits = SA_MOOD};

static sa_word_span write_french_adjective(sa_draft *draft, const sa_adjective *adjective,
                                           const sa_subject *subject) {
    char french[SA_DRAFT_LETTERS];
    sa_french_adjective(adjective, subject->feminine, subject->plural, NULL, french);
    return sa_draft_target(draft, french);
}

void sa_adjective_write(sa_draft *draft, const sa_adjective *adjective, const sa_subject *subject) {
    sa_word_span english = sa_draft_source(draft, adjective->english);
    sa_draft_link(draft, english, write_french_adjective(draft, adjective, subject));
}

static void write_degree(sa_draft *draft, const sa_adjective *adjective) {
    static const sa_phrase degrees[] = {{"very", "très", NULL}, {"too", "trop", NULL}};
    int pick = adjective->graded ? sa_draft_pick(draft, 6) : 5;
    if (pick < 2) sa_draft_phrase(draft, &degrees[pick]);
}

static void write_quality(sa_draft *draft, sa_clause *clause, const sa_adjective *adjective) {
    bool past = adjective->passing && sa_draft_chance(draft, 2);
    sa_clause_be(clause, past);
    sa_clause_write(draft, clause);
    write_degree(draft, adjective);
    sa_adjective_write(draft, adjective, &clause->subject);
    if (past)
        sa_time_write(draft, SA_TIME_PAST, true);
    else if (adjective->passing && sa_draft_chance(draft, 4))
        sa_time_write(draft, SA_TIME_NOW, false);
}

/* "my sister is very tired", "were you ill yesterday?" */
static void write_person_quality(sa_draft *draft, sa_mood mood) {
    sa_clause clause = {.subject = sa_subject_draw(draft, mood == SA_INTERROGATIVE), .mood = mood};
    write_quality(draft, &clause, sa_adjective_draw(draft, &anyone));
}

/* A noun phrase with one of the traits, without an adjective for the same trait. */
static sa_noun_phrase draw_thing(sa_draft *draft, unsigned kinds, const sa_adjective **said) {
    static const int owners[] = {SA_MY, SA_MY, SA_YOUR, SA_HIS, SA_HER, SA_OUR, SA_THEIR};
    const sa_noun *noun = sa_noun_draw(draft, kinds, ~0u, NULL);
    sa_noun_phrase group =
        sa_noun_phrase_draw(draft, noun, SA_THE | SA_OWN | SA_THIS, *SA_DRAW(draft, owners));
    *said = sa_adjective_draw(draft, noun);
    group.before = NULL;
    if (group.after && group.after->traits & (*said)->traits) group.after = NULL;
    return group;
}

/* "this wine is too expensive" */
static void write_thing_quality(sa_draft *draft, sa_mood mood) {
    const sa_adjective *adjective;
    sa_noun_phrase group = draw_thing(draft, THINGS, &adjective);
    sa_clause clause = {.subject = sa_subject_of(&group), .mood = mood};
    write_quality(draft, &clause, adjective);
}

/* "the door of the hotel is closed" */
static void write_part_quality(sa_draft *draft, sa_mood mood) {
    static const sa_phrase of = {"of", "de", NULL};
    const sa_adjective *adjective;
    sa_noun_phrase part = draw_thing(draft, SA_PART, &adjective);
    const sa_noun *building = sa_noun_draw(draft, SA_LODGING | SA_WORKPLACE, 0, NULL);
    part.determiner = SA_THE;
    sa_clause clause = {.subject = sa_subject_of(&part), .mood = mood};
    clause.subject.joint = &of;
    clause.subject.groups[clause.subject.count++] =
        (sa_noun_phrase){.noun = building, .determiner = SA_THE};
    write_quality(draft, &clause, adjective);
}

static const sa_adjective *draw_compared(sa_draft *draft) {
    int count = 0;
    for (const sa_adjective *row = sa_adjectives; row->english; row++) count += row->more != NULL;
    int left = sa_draft_pick(draft, count);
    const sa_adjective *row = sa_adjectives;
    while (!row->more || left-- > 0) row++;
    return row;
}

/* "my brother is taller than my uncle": only things of the same kind are compared. */
static void write_comparison(sa_draft *draft, sa_mood mood) {
    static const unsigned sorts[] = {SA_PERSON, SA_ANIMAL, SA_FOOD | SA_DRINK, PLACES, THINGS};
    const sa_adjective *adjective = draw_compared(draft);
    const sa_noun *noun =
        sa_noun_draw(draft, SA_PERSON | SA_ANIMAL | THINGS, adjective->traits, NULL);
    int sort = 0;
    while (!(noun->kinds & sorts[sort])) sort++;
    const sa_noun *other = sa_noun_draw(draft, sorts[sort], adjective->traits, noun);
    sa_require(other); /* every compared trait has two nouns of a kind */
    sa_noun_phrase one = sa_noun_phrase_draw(draft, noun, SA_THE | SA_OWN, SA_MY);
    sa_noun_phrase two = sa_noun_phrase_draw(draft, other, SA_THE | SA_OWN, SA_MY);
    one.before = one.after = two.before = two.after = NULL;

    sa_clause clause = {.subject = sa_subject_of(&one), .mood = mood};
    sa_clause_be(&clause, false);
    sa_clause_write(draft, &clause);
    sa_word_span more = sa_draft_source(draft, adjective->more), quality = more;
    if (!strcmp(adjective->more, "more")) quality = sa_draft_source(draft, adjective->english);
    sa_draft_link(draft, more, sa_draft_target(draft, "plus"));
    sa_draft_link(draft, quality, write_french_adjective(draft, adjective, &clause.subject));
    sa_phrase_write(draft, "than", "que", NULL);
    sa_noun_phrase_write(draft, &two, SA_AFFIRMATIVE);
}

/* "the books that we bought are interesting": the French participle agrees with the books. */
static void write_relative(sa_draft *draft, sa_mood mood) {
    const sa_verb *verb = sa_transitive_verbs;
    int left = sa_draft_pick(draft, 4);
    while (!(verb->forms & SA_RELATIVE) || left-- > 0) verb++;
    const sa_adjective *adjective;
    sa_noun_phrase group = draw_thing(draft, verb->kinds, &adjective);
    group.determiner = SA_THE;
    sa_clause outer = {.subject = sa_subject_of(&group), .mood = mood};
    sa_clause inner = {.subject = sa_subject_draw(draft, true)};
    sa_clause_conjugate(&inner, verb, SA_PAST_TENSE);
    sa_french_participle(verb->participle, outer.subject.feminine, outer.subject.plural,
                         inner.rest);
    outer.subject.that = &inner;
    write_quality(draft, &outer, adjective);
}

const sa_frame sa_quality_frames[] = {
    {70, write_person_quality, SA_ALLOW_ANY_MOOD}, {60, write_thing_quality, SA_ALLOW_ANY_MOOD},
    {20, write_part_quality, SA_ALLOW_ANY_MOOD},   {30, write_comparison, SA_ALLOW_ANY_MOOD},
    {30, write_relative, SA_ALLOW_ANY_MOOD},       {0},
};
