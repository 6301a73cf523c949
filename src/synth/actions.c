/* What somebody does: sentences around a verb of action. */
#include "synth/frames.h"

#include <stddef.h>

/* ---- The form of the verb ------------------------------------------------------------------- */

static bool fits(const sa_verb *verb, unsigned kinds, unsigned forms) {
    return verb->forms & forms && (!kinds || verb->kinds & kinds);
}

/* A verb with one of the forms for one of the kinds of objects or places (0: any). */
static const sa_verb *draw_verb(sa_draft *draft, const sa_verb *verbs, unsigned kinds,
                                unsigned forms) {
    int count = 0;
    for (const sa_verb *verb = verbs; verb->base; verb++) count += fits(verb, kinds, forms);
    int left = sa_draft_pick(draft, count);
    const sa_verb *verb = verbs;
    while (!fits(verb, kinds, forms) || left-- > 0) verb++;
    return verb;
}

/* One of the verb's forms as a bit; plans, which do not inflect the verb, are half as frequent. */
static unsigned draw_form(sa_draft *draft, unsigned forms) {
    static const unsigned all[] = {SA_STATE, SA_STATE, SA_HABIT, SA_HABIT, SA_NOW,
                                   SA_NOW,   SA_PAST,  SA_PAST,  SA_PLAN};
    unsigned list[sizeof all / sizeof all[0]];
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (forms & all[i]) list[count++] = all[i];
    sa_require(count > 0);
    return list[sa_draft_pick(draft, count)];
}

/* Adverbs of frequency: before the English verb, after the French one. */
static void draw_often(sa_draft *draft, sa_clause *clause) {
    static const sa_phrase adverbs[] = {
        {"often", "souvent", NULL}, {"always", "toujours", NULL}, {"sometimes", "parfois", NULL}};
    if (clause->mood == SA_AFFIRMATIVE && sa_draft_chance(draft, 4)) clause->mood = SA_NEGATIVE;
    if (clause->mood == SA_NEGATIVE)
        clause->never = true;
    else
        clause->often = SA_DRAW(draft, adverbs);
}

/* Conjugates the verb in that form; *time is the kind of time that fits. Returns whether a time is
 * required: "I eat meat" alone is not clearly a habit. */
static bool conjugate(sa_draft *draft, sa_clause *clause, const sa_verb *verb, unsigned form,
                      sa_time *time) {
    static const sa_verb_form plans[] = {SA_GOING, SA_GOING, SA_WANT, SA_CAN, SA_MUST};
    switch (form) {
    case SA_STATE:
        *time = SA_TIME_NOW;
        sa_clause_conjugate(clause, verb, SA_SIMPLE);
        return false;
    case SA_HABIT: /* what happens to people has no fixed time */
        *time = SA_TIME_HABIT;
        if (!(verb->forms & SA_NOW) || sa_draft_chance(draft, 2)) draw_often(draft, clause);
        sa_clause_conjugate(clause, verb, SA_SIMPLE);
        return !clause->often && !clause->never;
    case SA_NOW:
        *time = SA_TIME_NOW;
        sa_clause_conjugate(clause, verb, SA_PROGRESSIVE);
        return false;
    case SA_PAST:
        *time = SA_TIME_PAST;
        sa_clause_conjugate(clause, verb, SA_PAST_TENSE);
        return false;
    default:
        *time = SA_TIME_FUTURE;
        sa_clause_conjugate(clause, verb,
                            plans[sa_draft_pick(draft, clause->mood == SA_INTERROGATIVE ? 4 : 5)]);
        return false;
    }
}

/* Nobody plans an everyday action for next year. */
static void write_time(sa_draft *draft, bool needed, const sa_verb *verb, unsigned form,
                       sa_time time) {
    if (needed || (form != SA_STATE && form != SA_HABIT && sa_draft_chance(draft, 3)))
        sa_time_write(draft, time, !(verb->forms & SA_HABIT));
}

/* ---- With an object ------------------------------------------------------------------------- */

/* The only noun of the subject, which its object should not repeat. */
static const sa_noun *noun_of(const sa_subject *subject) {
    return subject->count == 1 ? subject->groups[0].noun : NULL;
}

static void write_object(sa_draft *draft, const sa_clause *clause, const sa_verb *verb) {
    const sa_subject *subject = &clause->subject;
    const sa_noun *noun = sa_noun_draw(draft, verb->kinds, 0, noun_of(subject));
    unsigned determiners = verb->determiners;
    if (clause->mood == SA_NEGATIVE)
        determiners &= ~(unsigned)SA_NUMBER; /* how many did she not eat? */
    sa_noun_phrase first = sa_noun_phrase_draw(draft, noun, determiners, subject->owner);
    sa_noun_phrase_write(draft, &first, clause->mood);
    if (clause->mood != SA_AFFIRMATIVE || !sa_draft_chance(draft, 10)) return;
    const sa_noun *other = sa_noun_draw(draft, noun->kinds & verb->kinds, 0, noun);
    if (!other || other == noun_of(subject)) return;
    sa_noun_phrase second = sa_noun_phrase_draw(draft, other, first.determiner, subject->owner);
    sa_phrase_write(draft, "and", "et", NULL);
    sa_noun_phrase_write(draft, &second, clause->mood);
}

static void write_transitive(sa_draft *draft, sa_mood mood) {
    sa_time time;
    sa_clause clause = {.subject = sa_subject_draw(draft, mood == SA_INTERROGATIVE), .mood = mood};
    const sa_verb *verb = draw_verb(draft, sa_transitive_verbs, 0, ~0u);
    unsigned form = draw_form(draft, verb->forms);
    bool needed = conjugate(draft, &clause, verb, form, &time);
    sa_clause_write(draft, &clause);
    write_object(draft, &clause, verb);
    write_time(draft, needed, verb, form, time);
}

/* "she is waiting for them": elle les attend. Never in the past, where the participle would agree.
 */
static void write_pronoun_object(sa_draft *draft, sa_mood mood) {
    static const sa_phrase objects[] = {{"me", "me", NULL},    {"us", "nous", NULL},
                                        {"you", "vous", NULL}, {"him", "le", NULL},
                                        {"her", "la", NULL},   {"them", "les", NULL}};
    enum { YOU = 2, OTHERS = 3 };
    sa_time time;
    sa_clause clause = {.subject = sa_subject_draw(draft, mood == SA_INTERROGATIVE), .mood = mood};
    int person = clause.subject.person, row = sa_draft_pick(draft, 6);
    bool own = (person == SA_JE || person == SA_NOUS) ? row < YOU : person == SA_VOUS && row == YOU;
    clause.object = &objects[own ? row + OTHERS : row];
    const unsigned forms = SA_STATE | SA_HABIT | SA_NOW | SA_PLAN;
    const sa_verb *verb = draw_verb(draft, sa_transitive_verbs, SA_PERSON, forms);
    unsigned form = draw_form(draft, verb->forms & forms);
    bool needed = conjugate(draft, &clause, verb, form, &time);
    sa_clause_write(draft, &clause);
    write_time(draft, needed, verb, form, time);
}

/* "I gave the key to my neighbour" */
static void write_gift(sa_draft *draft, sa_mood mood) {
    sa_time time;
    sa_clause clause = {.subject = sa_subject_draw(draft, mood == SA_INTERROGATIVE), .mood = mood};
    const sa_subject *subject = &clause.subject;
    const sa_verb *verb = &sa_giving_verb;
    unsigned form = draw_form(draft, verb->forms);
    bool needed = conjugate(draft, &clause, verb, form, &time);
    const sa_noun *gift = sa_noun_draw(draft, verb->kinds, 0, NULL);
    const sa_noun *receiver = sa_noun_draw(draft, SA_PERSON, 0, noun_of(subject));
    sa_noun_phrase groups[] = {
        sa_noun_phrase_draw(draft, gift, verb->determiners, subject->owner),
        sa_noun_phrase_draw(draft, receiver, SA_THE | SA_OWN, subject->owner)};
    sa_clause_write(draft, &clause);
    sa_noun_phrase_write(draft, &groups[0], mood);
    sa_phrase_write(draft, "to", "à", NULL);
    sa_noun_phrase_write(draft, &groups[1], SA_AFFIRMATIVE);
    write_time(draft, needed, verb, form, time);
}

/* ---- Without an object ---------------------------------------------------------------------- */

static void write_where(sa_draft *draft, const sa_verb *verb) {
    static const unsigned determiners[] = {SA_THE, SA_THE, SA_THE, SA_THIS, SA_A};
    const sa_noun *noun = sa_noun_draw(draft, verb->kinds, 0, NULL);
    if (!noun) return;
    int choices = verb->kinds & SA_HOME ? 5 : 4;
    sa_noun_phrase place =
        sa_noun_phrase_draw(draft, noun, determiners[sa_draft_pick(draft, choices)], 0);
    place.plural = false;
    sa_place_write(draft, &place, verb->forms & SA_TOWARDS);
}

static void write_company(sa_draft *draft, const sa_subject *subject) {
    const sa_noun *noun = sa_noun_draw(draft, SA_PERSON, 0, noun_of(subject));
    sa_noun_phrase group = sa_noun_phrase_draw(draft, noun, SA_THE | SA_OWN, subject->owner);
    sa_phrase_write(draft, "with", "avec", NULL);
    sa_noun_phrase_write(draft, &group, SA_AFFIRMATIVE);
}

/* The kinds of places of the subject's actions: children do not work. 0: any. */
static unsigned places_for(const sa_subject *subject) {
    for (int i = 0; i < subject->count; i++)
        /* Each of the groups has its noun: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        if (subject->groups[i].noun->traits & SA_CHILD) return ~(unsigned)SA_WORKPLACE;
    return 0;
}

void sa_activity_write(sa_draft *draft, const sa_subject *subject, sa_mood mood, unsigned forms) {
    sa_time time;
    sa_clause clause = {.subject = *subject, .mood = mood};
    bool transitive = sa_draft_chance(draft, 2);
    const sa_verb *verb = transitive
                              ? draw_verb(draft, sa_transitive_verbs, 0, forms)
                              : draw_verb(draft, sa_intransitive_verbs, places_for(subject), forms);
    conjugate(draft, &clause, verb, draw_form(draft, verb->forms & forms), &time);
    sa_clause_write(draft, &clause);
    if (transitive)
        write_object(draft, &clause, verb);
    else
        write_where(draft, verb);
}

static void write_intransitive(sa_draft *draft, sa_mood mood) {
    sa_time time;
    sa_clause clause = {.subject = sa_subject_draw(draft, mood == SA_INTERROGATIVE), .mood = mood};
    const sa_verb *verb = draw_verb(draft, sa_intransitive_verbs, places_for(&clause.subject), ~0u);
    unsigned form = draw_form(draft, verb->forms);
    bool needed = conjugate(draft, &clause, verb, form, &time);
    sa_clause_write(draft, &clause);
    if (verb->etre || form == SA_STATE || !sa_draft_chance(draft, 4)) write_where(draft, verb);
    if (!(verb->kinds & SA_LODGING) && sa_draft_chance(draft, 5))
        write_company(draft, &clause.subject);
    write_time(draft, needed, verb, form, time);
}

/* "the train leaves at nine o'clock" */
static void write_timetable(sa_draft *draft, sa_mood mood) {
    static const struct {
        sa_verb_form form;
        sa_time time;
    } forms[] = {
        {SA_SIMPLE, SA_TIME_HABIT}, {SA_PAST_TENSE, SA_TIME_PAST}, {SA_GOING, SA_TIME_FUTURE}};
    sa_noun_phrase group =
        sa_noun_phrase_draw(draft, sa_noun_draw(draft, SA_VEHICLE, 0, NULL), SA_THE, 0);
    sa_clause clause = {.subject = sa_subject_of(&group), .mood = mood};
    int row = sa_draft_pick(draft, 3);
    sa_clause_conjugate(&clause, draw_verb(draft, sa_intransitive_verbs, 0, SA_TIMETABLE),
                        forms[row].form);
    sa_clause_write(draft, &clause);
    sa_time_write(draft, forms[row].time, false);
}

/* ---- Questions and requests ----------------------------------------------------------------- */

/* "when did you buy this car?" */
static void write_when_question(sa_draft *draft, sa_mood mood) {
    static const sa_phrase words[] = {
        {"when", "quand", NULL}, {"why", "pourquoi", NULL}, {"where", "où", NULL}};
    sa_time time;
    sa_draft_phrase(draft, SA_DRAW(draft, words));
    sa_clause clause = {.subject = sa_subject_draw(draft, true), .mood = mood};
    const unsigned forms = SA_PAST | SA_PLAN;
    const sa_verb *verb = draw_verb(draft, sa_transitive_verbs, 0, forms);
    conjugate(draft, &clause, verb, draw_form(draft, verb->forms & forms), &time);
    sa_clause_write(draft, &clause);
    write_object(draft, &clause, verb);
}

/* "where do you live?", "why are you playing in the street?" */
static void write_place_question(sa_draft *draft, sa_mood mood) {
    static const sa_phrase words[] = {{"where", "où", NULL}, {"why", "pourquoi", NULL}};
    sa_time time;
    bool why = sa_draft_chance(draft, 2);
    sa_draft_phrase(draft, &words[why]);
    sa_clause clause = {.subject = sa_subject_draw(draft, true), .mood = mood};
    const sa_verb *verb = draw_verb(draft, sa_intransitive_verbs,
                                    SA_HOME | SA_OUTDOORS | SA_WORKPLACE | SA_LODGING, ~0u);
    const unsigned forms = SA_STATE | SA_NOW | SA_PAST | SA_PLAN;
    conjugate(draft, &clause, verb, draw_form(draft, verb->forms & forms), &time);
    sa_clause_write(draft, &clause);
    if (why) write_where(draft, verb);
}

/* "what are you looking for?", "who is she waiting for?" */
static void write_object_question(sa_draft *draft, sa_mood mood) {
    static const sa_phrase words[] = {{"what", "que", NULL}, {"who", "qui", NULL}};
    sa_time time;
    bool who = sa_draft_chance(draft, 3);
    sa_draft_phrase(draft, &words[who]);
    sa_clause clause = {.subject = sa_subject_draw(draft, true), .mood = mood};
    const unsigned forms = SA_NOW | SA_PAST | SA_PLAN;
    const sa_verb *verb = draw_verb(draft, sa_transitive_verbs,
                                    who ? (unsigned)SA_PERSON : ~(unsigned)SA_PERSON, forms);
    conjugate(draft, &clause, verb, draw_form(draft, verb->forms & forms), &time);
    sa_clause_write(draft, &clause);
}

/* "please open the door", "do not play in the street": vous is the French imperative too. */
static void write_request(sa_draft *draft, sa_mood mood) {
    bool denied = mood == SA_NEGATIVE, transitive = !sa_draft_chance(draft, 4);
    const sa_verb *verb = draw_verb(draft, transitive ? sa_transitive_verbs : sa_intransitive_verbs,
                                    0, denied ? SA_WARNING : SA_REQUEST);
    sa_word_span not = {0}, please = {0};
    if (denied) {
        sa_word_span auxiliary = sa_draft_source(draft, "do"), ne = sa_draft_target(draft, "ne");
        not = sa_draft_source(draft, "not");
        sa_draft_link_possible(draft, auxiliary, ne);
        sa_draft_link(draft, not, ne);
    } else {
        please = sa_draft_source(draft, "please");
    }
    sa_phrase_write(draft, verb->base, verb->present[SA_VOUS], NULL);
    if (denied) sa_draft_link(draft, not, sa_draft_target(draft, "pas"));
    sa_clause you = {.subject = {.owner = SA_YOUR}, .mood = denied ? SA_NEGATIVE : SA_AFFIRMATIVE};
    if (transitive)
        write_object(draft, &you, verb);
    else
        write_where(draft, verb);
    if (denied) return;
    sa_draft_target(draft, ",");
    sa_draft_link(draft, please, sa_draft_target(draft, "si il vous plaît"));
}

const sa_frame sa_action_frames[] = {
    {520, write_transitive, SA_ALLOW_ANY_MOOD},
    {70, write_pronoun_object, SA_ALLOW_ANY_MOOD},
    {45, write_gift, SA_ALLOW_ANY_MOOD},
    {220, write_intransitive, SA_ALLOW_ANY_MOOD},
    {15, write_timetable, SA_ALLOW_ANY_MOOD},
    {25, write_when_question, SA_ALLOW_INTERROGATIVE},
    {25, write_place_question, SA_ALLOW_INTERROGATIVE},
    {30, write_object_question, SA_ALLOW_INTERROGATIVE},
    {40, write_request, SA_ALLOW_AFFIRMATIVE | SA_ALLOW_NEGATIVE},
    {0},
};
