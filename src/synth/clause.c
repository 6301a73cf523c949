#include "synth/clause.h"

#include "synth/french.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- Subjects ------------------------------------------------------------------------------- */

enum { I, YOU, HE, SHE, WE, THEY };
static const sa_phrase pronouns[] = {{"i", "je", NULL},    {"you", "vous", NULL},
                                     {"he", "il", NULL},   {"she", "elle", NULL},
                                     {"we", "nous", NULL}, {"they", "ils", NULL}};

static sa_subject pronoun(int row) {
    static const int persons[] = {SA_JE, SA_VOUS, SA_IL, SA_IL, SA_NOUS, SA_ILS};
    static const int owners[] = {SA_MY, SA_YOUR, SA_HIS, SA_HER, SA_OUR, SA_THEIR};
    return (sa_subject){.pronoun = &pronouns[row],
                        .person = persons[row],
                        .feminine = row == SHE,
                        .plural = row == WE || row == THEY,
                        .owner = owners[row]};
}

sa_subject sa_subject_of(const sa_noun_phrase *group) {
    bool feminine = group->noun->feminine, plural = group->plural;
    return (sa_subject){.groups = {*group},
                        .count = 1,
                        .person = plural ? SA_ILS : SA_IL,
                        .feminine = feminine,
                        .plural = plural,
                        .owner = plural     ? SA_THEIR
                                 : feminine ? SA_HER
                                            : SA_HIS};
}

/* Several people are never all female: English has only they, where French distinguishes elles. */
static sa_noun_phrase draw_person(sa_draft *draft, const sa_noun *except) {
    static const int owners[] = {SA_MY, SA_MY, SA_MY, SA_YOUR, SA_HIS, SA_HER, SA_OUR, SA_THEIR};
    const sa_noun *noun = sa_noun_draw(draft, SA_PERSON, 0, except);
    sa_noun_phrase group =
        sa_noun_phrase_draw(draft, noun, SA_THE | SA_OWN, *SA_DRAW(draft, owners));
    group.plural = group.plural && !noun->feminine;
    return group;
}

sa_subject sa_subject_draw_named(sa_draft *draft) {
    static const sa_phrase both = {"and", "et", NULL};
    sa_noun_phrase first = draw_person(draft, NULL);
    sa_subject subject = sa_subject_of(&first);
    if (!subject.feminine && sa_draft_chance(draft, 8)) {
        subject.joint = &both;
        subject.groups[subject.count++] = draw_person(draft, first.noun);
        subject.plural = true;
        subject.person = SA_ILS;
        subject.owner = SA_THEIR;
    }
    return subject;
}

sa_subject sa_subject_draw(sa_draft *draft, bool asked) {
    static const int said_rows[] = {I, I, YOU, YOU, HE, SHE, WE, WE, THEY};
    static const int asked_rows[] = {YOU, YOU, YOU, HE, SHE, WE, THEY};
    if (sa_draft_chance(draft, 3)) return sa_subject_draw_named(draft);
    return pronoun(*(asked ? SA_DRAW(draft, asked_rows) : SA_DRAW(draft, said_rows)));
}

sa_subject sa_subject_again(const sa_subject *subject) {
    if (subject->pronoun) return *subject;
    return pronoun(subject->plural ? THEY : subject->feminine ? SHE : HE);
}

static void write_subject(sa_draft *draft, const sa_subject *subject) {
    if (subject->pronoun) sa_draft_phrase(draft, subject->pronoun);
    for (int i = 0; i < subject->count; i++) {
        if (i) sa_draft_phrase(draft, subject->joint);
        sa_noun_phrase_write(draft, &subject->groups[i], SA_AFFIRMATIVE);
    }
    if (subject->that) {
        sa_draft_phrase(draft, &(sa_phrase){"that", "que", NULL});
        sa_clause_write(draft, subject->that);
    }
}

/* ---- Verbs ---------------------------------------------------------------------------------- */

static const char *const be_french[SA_PERSONS] = {"suis", "est", "sommes", "êtes", "sont"};
static const char *const was_french[SA_PERSONS] = {"étais", "était", "étions", "étiez", "étaient"};
static const char *const can_french[SA_PERSONS] = {"peux", "peut", "pouvons", "pouvez", "peuvent"};
static const char *const must_french[SA_PERSONS] = {"dois", "doit", "devons", "devez", "doivent"};

static const char *present_of(const char *verb, int person) {
    return sa_verb_find(verb)->present[person];
}

static const char *be_english(int person) {
    return person == SA_JE ? "am" : person == SA_IL ? "is" : "are";
}

static const char *was_english(int person) {
    return person == SA_JE || person == SA_IL ? "was" : "were";
}

/* The verb that changes with the subject, with `do` where English needs it. */
static void simple(sa_clause *clause, const char *base, const char *third, const char **verb) {
    bool he = clause->subject.person == SA_IL;
    bool support = clause->mood != SA_AFFIRMATIVE && !clause->never;
    if (support) clause->auxiliary = he ? "does" : "do";
    *verb = he && !support ? third : base;
}

static void past(sa_clause *clause, const sa_verb *verb) {
    const sa_subject *subject = &clause->subject;
    if (clause->mood != SA_AFFIRMATIVE) clause->auxiliary = "did";
    clause->main = clause->mood != SA_AFFIRMATIVE ? verb->base : verb->past;
    clause->finite = verb->etre ? be_french[subject->person] : present_of("have", subject->person);
    sa_french_participle(verb->participle, verb->etre && subject->feminine,
                         verb->etre && subject->plural, clause->rest);
}

static void infinitive(sa_clause *clause, const sa_verb *verb, const char *auxiliary,
                       const char *finite) {
    clause->auxiliary = auxiliary;
    clause->main = verb->base;
    clause->finite = finite;
    snprintf(clause->rest, sizeof clause->rest, "%s", verb->infinitive);
}

void sa_clause_conjugate(sa_clause *clause, const sa_verb *verb, sa_verb_form form) {
    int person = clause->subject.person;
    switch (form) {
    case SA_SIMPLE:
        simple(clause, verb->base, verb->third, &clause->main);
        clause->finite = verb->present[person];
        break;
    case SA_PROGRESSIVE:
        clause->auxiliary = be_english(person);
        clause->main = verb->ing;
        clause->finite = verb->present[person];
        break;
    case SA_PAST_TENSE:
        past(clause, verb);
        break;
    case SA_GOING:
        infinitive(clause, verb, be_english(person), present_of("go", person));
        clause->lead = "going";
        break;
    case SA_WANT:
        infinitive(clause, verb, NULL, present_of("want", person));
        simple(clause, "want", "wants", &clause->lead);
        break;
    case SA_CAN:
        infinitive(clause, verb, "can", can_french[person]);
        break;
    case SA_MUST:
        infinitive(clause, verb, "must", must_french[person]);
        break;
    }
}

void sa_clause_be(sa_clause *clause, bool was) {
    int person = clause->subject.person;
    clause->auxiliary = was ? was_english(person) : be_english(person);
    clause->finite = was ? was_french[person] : be_french[person];
}

void sa_clause_feel(sa_clause *clause, const char *english, const char *french) {
    int person = clause->subject.person;
    clause->auxiliary = be_english(person);
    clause->main = english;
    clause->finite = present_of("have", person);
    snprintf(clause->rest, sizeof clause->rest, "%s", french);
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Positions of the verb's words; count 0: none. */
typedef struct verb_spans {
    sa_word_span auxiliary, not, often, lead, to, main, object;
} verb_spans;

static void write_english(sa_draft *draft, const sa_clause *clause, verb_spans *at) {
    bool denied = clause->mood == SA_NEGATIVE;
    if (denied && clause->auxiliary && !strcmp(clause->auxiliary, "can")) {
        at->auxiliary = at->not = sa_draft_source(draft, "cannot");
    } else {
        if (clause->mood != SA_INTERROGATIVE)
            at->auxiliary = sa_draft_source(draft, clause->auxiliary);
        if (denied) at->not = sa_draft_source(draft, clause->never ? "never" : "not");
    }
    if (clause->often) at->often = sa_draft_source(draft, clause->often->source);
    at->lead = sa_draft_source(draft, clause->lead);
    if (clause->lead) at->to = sa_draft_source(draft, "to");
    at->main = sa_draft_source(draft, clause->main);
    if (clause->object) at->object = sa_draft_source(draft, clause->object->source);
}

static void write_object(sa_draft *draft, const sa_clause *clause, const verb_spans *at) {
    if (clause->object)
        sa_draft_link(draft, at->object, sa_draft_target(draft, clause->object->target));
}

/* Links the finite verb with the word that carries its meaning: the leading verb (wants to),
 * otherwise the auxiliary of a second verb (did eat), otherwise the verb itself (is eating). */
static void link_finite(sa_draft *draft, const sa_clause *clause, const verb_spans *at,
                        sa_word_span finite) {
    if (clause->lead) {
        sa_draft_link(draft, at->lead, finite);
        sa_draft_link_possible(draft, at->auxiliary, finite);
    } else if (clause->auxiliary && (clause->rest[0] || !clause->main)) {
        sa_draft_link(draft, at->auxiliary, finite);
    } else {
        sa_draft_link(draft, at->main, finite);
        sa_draft_link_possible(draft, at->auxiliary, finite);
    }
}

static void write_french(sa_draft *draft, const sa_clause *clause, const verb_spans *at) {
    bool denied = clause->mood == SA_NEGATIVE;
    if (denied) sa_draft_link(draft, at->not, sa_draft_target(draft, "ne"));
    if (!clause->rest[0]) write_object(draft, clause, at);
    link_finite(draft, clause, at, sa_draft_target(draft, clause->finite));
    if (denied)
        sa_draft_link(draft, at->not, sa_draft_target(draft, clause->never ? "jamais" : "pas"));
    if (clause->often)
        sa_draft_link(draft, at->often, sa_draft_target(draft, clause->often->target));
    if (!clause->rest[0]) return;
    write_object(draft, clause, at);
    sa_word_span rest = sa_draft_target(draft, clause->rest);
    sa_draft_link(draft, at->main, rest);
    sa_draft_link_possible(draft, at->to, rest);
}

void sa_clause_write(sa_draft *draft, const sa_clause *clause) {
    verb_spans at = {0};
    if (clause->mood == SA_INTERROGATIVE) {
        at.auxiliary = sa_draft_source(draft, clause->auxiliary);
        sa_draft_link_possible(draft, at.auxiliary, sa_draft_target(draft, "est-ce que"));
    }
    write_subject(draft, &clause->subject);
    write_english(draft, clause, &at);
    write_french(draft, clause, &at);
}
