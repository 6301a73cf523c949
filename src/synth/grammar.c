#include "synth/grammar.h"

#include <stdio.h>
#include <string.h>

/* ---- French --------------------------------------------------------------------------------- */

static bool ends(const char *word, const char *end) {
    size_t size = strlen(word), tail = strlen(end);
    return size >= tail && !strcmp(word + size - tail, end);
}

static bool one_of(const char *word, const char *const *list) {
    while (*list && strcmp(word, *list) != 0) list++;
    return *list;
}

bool sa_french_vowel(const char *word) {
    static const char *const aspirated[] = {"héros", "huit", "onze", NULL};
    char first[3] = {word[0], word[0] & 0x80 ? word[1] : 0, 0}; /* one character */
    return strstr("aeiouyhàâéèêîôœ", first) && !one_of(word, aspirated);
}

void sa_french_plural(const char *word, char out[SA_DRAFT_LETTERS]) {
    char first[SA_DRAFT_LETTERS];
    int kept = (int)strcspn(word, " ");
    const char *ending = "s", *rest = word + kept;
    snprintf(first, sizeof first, "%.*s", kept, word);
    if (ends(first, "s") || ends(first, "x"))
        ending = "";
    else if (ends(first, "eau"))
        ending = "x";
    else if (ends(first, "al")) {
        kept--;
        ending = "ux";
    }
    snprintf(out, SA_DRAFT_LETTERS, "%.*s%s%s", kept, first, ending, rest);
}

void sa_french_adjective(const sa_word *adjective, bool feminine, bool plural, const char *next,
                         char out[SA_DRAFT_LETTERS]) {
    const char *form = feminine ? adjective->feminine : adjective->french;
    if (!feminine && !plural && adjective->liaison && next && sa_french_vowel(next))
        form = adjective->liaison;
    if (plural)
        sa_french_plural(form, out);
    else
        snprintf(out, SA_DRAFT_LETTERS, "%s", form);
}

void sa_french_participle(const char *participle, bool feminine, bool plural,
                          char out[SA_DRAFT_LETTERS]) {
    snprintf(out, SA_DRAFT_LETTERS, "%s%s%s", participle, feminine ? "e" : "",
             plural && (feminine || !ends(participle, "s")) ? "s" : "");
}

/* Elides le to l' before a vowel; the last letter of elided words is always one byte. */
static void elide(sa_draft_side *side) {
    static const char *const weak[] = {"le", "la", "de", "ne", "je", "que", "me", NULL};
    for (int i = 0; i + 1 < side->count; i++) {
        const char *next = side->words[i + 1];
        bool before_il = !strcmp(side->words[i], "si") && !strncmp(next, "il", 2);
        if (before_il || (one_of(side->words[i], weak) && sa_french_vowel(next)))
            side->words[i][strlen(side->words[i]) - 1] = '\'';
    }
}

void sa_french_finish(sa_draft *draft, const char *mark) {
    static const char *const contractions[][3] = {
        {"de", "le", "du"}, {"de", "les", "des"}, {"à", "le", "au"}, {"à", "les", "aux"}};
    sa_draft_pair(draft, mark, mark);
    elide(&draft->target);
    for (int i = 0; i + 1 < draft->target.count; i++)
        for (size_t row = 0; row < sizeof contractions / sizeof contractions[0]; row++)
            if (!strcmp(draft->target.words[i], contractions[row][0]) &&
                !strcmp(draft->target.words[i + 1], contractions[row][1])) {
                sa_draft_merge(draft, &draft->target, i, contractions[row][2]);
                break; /* the words have moved up by one */
            }
}

/* ---- Drawing noun phrases ------------------------------------------------------------------- */

const sa_word *sa_noun_draw(sa_draft *draft, unsigned kinds, unsigned traits,
                            const sa_word *except) {
    return sa_draft_choose(draft, "noun",
                           &(sa_query){.kinds = kinds, .traits = traits, .except = except});
}

const sa_word *sa_adjective_draw(sa_draft *draft, unsigned traits, unsigned use) {
    if (!traits) return NULL;
    return sa_draft_choose(draft, "adjective", &(sa_query){.traits = traits, .uses = use});
}

/* Returns those determiners that make sense with the noun. */
static unsigned suitable(unsigned determiners, const sa_word *noun) {
    if (noun->kinds & SA_FAMILY) return SA_OWN;
    if (noun->kinds & SA_MASS) determiners &= ~(unsigned)(SA_A | SA_NUMBER);
    if (noun->place) determiners &= ~(unsigned)(SA_SOME | SA_BARE | SA_NUMBER);
    if (noun->kinds & SA_SINGLE) determiners &= ~(unsigned)(SA_A | SA_SOME | SA_BARE | SA_NUMBER);
    bool strangers = noun->kinds & SA_PERSON && !(noun->kinds & SA_KNOWN);
    bool everyones = noun->kinds & (SA_GOAL | SA_SIGHT) && !(noun->kinds & SA_ROOM);
    if (strangers || everyones) determiners &= ~(unsigned)SA_OWN;
    return determiners ? determiners : SA_THE;
}

static unsigned draw_bit(sa_draft *draft, unsigned bits) {
    int left = sa_draft_pick(draft, __builtin_popcount(bits));
    while (left-- > 0) bits &= bits - 1;
    return bits & -bits;
}

sa_noun_phrase sa_noun_phrase_draw(sa_draft *draft, const sa_word *noun, unsigned determiners,
                                   int owner) {
    sa_noun_phrase group = {.noun = noun, .owner = owner};
    group.determiner = draw_bit(draft, suitable(determiners, noun));
    const unsigned many = SA_SOME | SA_NUMBER | SA_BARE;
    group.plural = noun->plural && group.determiner != SA_A &&
                   (group.determiner & many || sa_draft_chance(draft, 4));
    if (group.determiner == SA_NUMBER) group.number = sa_draft_draw(draft, "number", 0);
    int adjectives = sa_draft_pick(draft, 12); /* none in 7 groups of 12, two in one */
    if (adjectives <= 2) group.before = sa_adjective_draw(draft, noun->traits, SA_BEFORE);
    if (adjectives >= 2 && adjectives <= 4)
        group.after = sa_adjective_draw(draft, noun->traits, SA_AFTER);
    return group;
}

/* Draws an owner; "my" is more frequent than the others. */
static int draw_owner(sa_draft *draft, int ways) {
    int owner = sa_draft_pick(draft, ways) - (ways - SA_ANYONE);
    return owner < 0 ? SA_I : owner;
}

sa_noun_phrase sa_noun_phrase_of(sa_draft *draft, unsigned kinds, unsigned traits,
                                 const sa_word *except, unsigned determiners, int owner) {
    const sa_word *noun = sa_noun_draw(draft, kinds, traits, except);
    if (owner == SA_ANYONE) owner = draw_owner(draft, 7);
    return sa_noun_phrase_draw(draft, noun, determiners, owner);
}

/* ---- Writing noun phrases ------------------------------------------------------------------- */

static const char *english_noun(const sa_noun_phrase *group) {
    return group->plural ? group->noun->plural : group->noun->english;
}

/* Returns the entry of the determiner: the, a, some, this, my, two ... */
static const sa_word *find_determiner(const sa_noun_phrase *group) {
    if (group->number) return group->number;
    if (group->determiner == SA_OWN) return &sa_word_list_find("owner")->words[group->owner];
    const sa_word_list *list = sa_word_list_find("determiner");
    int row = 0;
    while (row < list->count && !(list->words[row].determiners & group->determiner)) row++;
    sa_require(row < list->count);
    return &list->words[row];
}

static const char *english_determiner(const sa_word *row, const sa_noun_phrase *group,
                                      sa_mood mood) {
    const sa_word *first = group->before ? group->before : group->after;
    const char *next = first ? first->english : english_noun(group);
    if (group->determiner == SA_A) return strchr("aeiou", next[0]) ? "an" : "a";
    if (group->determiner == SA_SOME && mood != SA_AFFIRMATIVE) return "any";
    if (group->determiner == SA_THIS && group->plural) return "these";
    return row->english;
}

/* Returns the determiner to write before `next`; de + le and similar pairs are contracted later. */
static const char *french_determiner(const sa_word *row, const sa_noun_phrase *group,
                                     const char *next, sa_mood mood) {
    bool feminine = group->noun->uses & SA_FEMININE, vowel = sa_french_vowel(next);
    if (group->number) return row->french;
    if (group->determiner & (SA_A | SA_SOME) && mood == SA_NEGATIVE) return "de";
    if (group->determiner == SA_SOME && group->plural && group->before)
        return "de"; /* des fleurs, but de belles fleurs */
    if (group->plural) return row->plural;
    if (feminine && !(vowel && group->determiner == SA_OWN)) return row->feminine;
    return vowel && row->liaison ? row->liaison : row->french;
}

void sa_noun_phrase_write(sa_draft *draft, const sa_noun_phrase *group, sa_mood mood) {
    const sa_word *adjectives[] = {group->before, group->after}, *row = find_determiner(group);
    bool feminine = group->noun->uses & SA_FEMININE;
    char french[SA_DRAFT_LETTERS], adjective[SA_DRAFT_LETTERS];
    snprintf(french, sizeof french, "%s", group->noun->french);
    if (group->plural) sa_french_plural(group->noun->french, french);
    sa_word_span determiner = sa_draft_source(draft, english_determiner(row, group, mood));
    sa_word_span others = {draft->target.count, 0}, after = {0};
    for (int i = 0; i < 2; i++) {
        if (!adjectives[i]) continue;
        sa_french_adjective(adjectives[i], feminine, group->plural, french, adjective);
        sa_draft_pair(draft, adjectives[i]->english, adjective);
        if (i) after = sa_draft_last(&draft->target);
    }
    sa_word_span noun = sa_draft_pair(draft, english_noun(group), french);
    sa_draft_move(draft, after);
    others.count = draft->target.count - others.first;
    const char *next = draft->target.words[others.first];
    sa_word_span article = sa_draft_target(draft, french_determiner(row, group, next, mood));
    sa_draft_link(draft, determiner, article);
    sa_draft_link_possible(draft, noun, article);
    sa_draft_move(draft, others);
}

void sa_place_write(sa_draft *draft, const sa_noun_phrase *group, bool motion) {
    sa_draft_pair(draft, motion ? "to" : group->noun->place,
                  motion ? "à" : group->noun->french_place);
    sa_noun_phrase_write(draft, group, SA_AFFIRMATIVE);
}

/* ---- Subjects ------------------------------------------------------------------------------- */

const char *const sa_and[2] = {"and", "et"}, *const sa_of[2] = {"of", "de"};

sa_subject sa_subject_pronoun(int who) {
    return (sa_subject){.pronoun = &sa_word_list_find("pronoun")->words[who],
                        .who = who,
                        .feminine = who == SA_SHE,
                        .plural = who == SA_WE || who == SA_THEY};
}

sa_subject sa_subject_of(const sa_noun_phrase *group) {
    sa_subject subject = {.groups = {*group}, .count = 1, .plural = group->plural};
    subject.feminine = group->noun->uses & SA_FEMININE;
    subject.who = group->plural ? SA_THEY : subject.feminine ? SA_SHE : SA_HE;
    return subject;
}

/* Draws a person or people. Several people are never all female: English has only "they" where
 * French distinguishes elles. */
static sa_noun_phrase draw_person(sa_draft *draft, const sa_word *except) {
    const sa_word *noun = sa_noun_draw(draft, SA_PERSON, 0, except);
    int owner = draw_owner(draft, 8);
    sa_noun_phrase group = sa_noun_phrase_draw(draft, noun, SA_THE | SA_OWN, owner);
    group.plural = group.plural && !(noun->uses & SA_FEMININE);
    return group;
}

sa_subject sa_subject_draw_people(sa_draft *draft) {
    sa_noun_phrase first = draw_person(draft, NULL);
    sa_subject subject = sa_subject_of(&first);
    if (!subject.feminine && sa_draft_chance(draft, 8)) {
        subject.joint = sa_and;
        subject.groups[subject.count++] = draw_person(draft, first.noun);
        subject.plural = true;
        subject.who = SA_THEY;
    }
    return subject;
}

sa_subject sa_subject_draw(sa_draft *draft, bool asked) {
    static const int said_rows[] = {SA_I,   SA_I,  SA_YOU, SA_YOU, SA_HE,
                                    SA_SHE, SA_WE, SA_WE,  SA_THEY};
    static const int asked_rows[] = {SA_YOU, SA_YOU, SA_YOU, SA_HE, SA_SHE, SA_WE, SA_THEY};
    if (sa_draft_chance(draft, 3)) return sa_subject_draw_people(draft);
    return sa_subject_pronoun(*(asked ? SA_DRAW(draft, asked_rows) : SA_DRAW(draft, said_rows)));
}

static void write_subject(sa_draft *draft, const sa_subject *subject) {
    if (subject->pronoun) sa_draft_phrase(draft, subject->pronoun);
    for (int i = 0; i < subject->count; i++) {
        if (i) sa_draft_pair(draft, subject->joint[0], subject->joint[1]);
        sa_noun_phrase_write(draft, &subject->groups[i], SA_AFFIRMATIVE);
    }
    if (subject->that) {
        sa_draft_pair(draft, "that", "que");
        sa_clause_write(subject->that);
    }
}

/* ---- Verbs ---------------------------------------------------------------------------------- */

static const char *be_english(int who) {
    return who == SA_I ? "am" : who == SA_HE || who == SA_SHE ? "is" : "are";
}

/* Returns the French verb form for the subject; elle is like il. */
static const char *present_of(const sa_clause *clause, const sa_word *verb) {
    static const int persons[] = {SA_JE, SA_VOUS, SA_IL, SA_IL, SA_NOUS, SA_ILS};
    return verb->present[persons[clause->subject.who]];
}

static const char *auxiliary(const sa_clause *clause, const char *english) {
    return present_of(clause, sa_word_find("auxiliary", english));
}

static void set_rest(sa_clause *clause, const char *french) {
    snprintf(clause->rest, sizeof clause->rest, "%s", french);
}

/* Sets the verb that changes with the subject, and `do` where English needs it. */
static const char *simple(sa_clause *clause, const char *base, const char *third) {
    bool he = clause->subject.who == SA_HE || clause->subject.who == SA_SHE;
    bool support = clause->mood != SA_AFFIRMATIVE && !clause->never;
    if (support) clause->auxiliary = he ? "does" : "do";
    return he && !support ? third : base;
}

static void past(sa_clause *clause, const sa_word *verb) {
    const sa_subject *subject = &clause->subject;
    bool support = clause->mood != SA_AFFIRMATIVE, etre = verb->uses & SA_ETRE;
    if (support) clause->auxiliary = "did";
    clause->main = support ? verb->english : verb->past;
    clause->finite = auxiliary(clause, etre ? "be" : "have");
    sa_french_participle(verb->participle, etre && subject->feminine, etre && subject->plural,
                         clause->rest);
}

static void plan(sa_clause *clause, const sa_word *verb, const char *plan) {
    clause->main = verb->english;
    clause->finite = auxiliary(clause, plan);
    set_rest(clause, verb->french);
    if (!strcmp(plan, "go")) {
        clause->auxiliary = be_english(clause->subject.who);
        clause->lead = "going";
    } else if (!strcmp(plan, "want")) {
        clause->lead = simple(clause, "want", "wants");
    } else {
        clause->auxiliary = plan;
    }
}

void sa_clause_conjugate(sa_clause *clause, const sa_word *verb, unsigned tense,
                         const char *plan_verb) {
    clause->verb = verb;
    clause->tense = tense;
    if (tense == SA_PAST) {
        past(clause, verb);
    } else if (tense == SA_PLAN) {
        plan(clause, verb, plan_verb);
    } else {
        clause->finite = present_of(clause, verb);
        if (tense == SA_NOW) clause->auxiliary = be_english(clause->subject.who);
        clause->main = tense == SA_NOW ? verb->ing : simple(clause, verb->english, verb->third);
    }
}

void sa_clause_be(sa_clause *clause, bool was) {
    const char *be = be_english(clause->subject.who);
    clause->auxiliary = !was ? be : strcmp(be, "are") ? "was" : "were";
    clause->finite = auxiliary(clause, was ? "was" : "be");
}

void sa_clause_have(sa_clause *clause, const char *english, const char *third, const char *french) {
    if (!third) clause->auxiliary = be_english(clause->subject.who);
    clause->main = third ? simple(clause, english, third) : english;
    clause->finite = auxiliary(clause, "have");
    set_rest(clause, french);
}

/* ---- Writing clauses ------------------------------------------------------------------------ */

/* Writes the clause. The finite verb is linked with the word that carries its meaning: the leading
 * verb (wants to), otherwise the auxiliary of a second verb (did eat), otherwise the verb itself
 * (is eating). */
void sa_clause_write(const sa_clause *clause) {
    sa_draft *draft = clause->draft;
    bool denied = clause->mood == SA_NEGATIVE, second = clause->rest[0];
    bool cannot = denied && clause->auxiliary && !strcmp(clause->auxiliary, "can");
    sa_word_span auxiliary = {0}, not = {0}, often = {0}, object = {0};
    if (clause->mood == SA_INTERROGATIVE) {
        auxiliary = sa_draft_source(draft, clause->auxiliary);
        sa_draft_link_possible(draft, auxiliary, sa_draft_target(draft, "est-ce que"));
    }
    write_subject(draft, &clause->subject);
    if (clause->mood != SA_INTERROGATIVE)
        auxiliary = sa_draft_source(draft, cannot ? "cannot" : clause->auxiliary);
    if (denied) not = cannot ? auxiliary : sa_draft_source(draft, clause->never ? "never" : "not");
    if (clause->often) often = sa_draft_source(draft, clause->often->english);
    sa_word_span lead = sa_draft_source(draft, clause->lead);
    sa_word_span to = sa_draft_source(draft, clause->lead ? "to" : NULL);
    sa_word_span verb = sa_draft_source(draft, clause->main);
    if (clause->object) object = sa_draft_source(draft, clause->object->english);

    if (denied) sa_draft_link(draft, not, sa_draft_target(draft, "ne"));
    if (clause->object && !second)
        sa_draft_link(draft, object, sa_draft_target(draft, clause->object->french));
    sa_word_span finite = sa_draft_target(draft, clause->finite);
    bool supports = clause->auxiliary && (second || !clause->main);
    sa_draft_link(draft, clause->lead ? lead : supports ? auxiliary : verb, finite);
    sa_draft_link_possible(draft, auxiliary, finite);
    if (denied) sa_draft_link(draft, not, sa_draft_target(draft, clause->never ? "jamais" : "pas"));
    if (clause->often) sa_draft_link(draft, often, sa_draft_target(draft, clause->often->french));
    if (clause->object && second)
        sa_draft_link(draft, object, sa_draft_target(draft, clause->object->french));
    sa_word_span rest = sa_draft_target(draft, clause->rest);
    sa_draft_link(draft, verb, rest);
    sa_draft_link_possible(draft, to, rest);
}

void sa_clause_write_adjective(const sa_clause *clause, const sa_word *adjective) {
    char french[SA_DRAFT_LETTERS];
    sa_french_adjective(adjective, clause->subject.feminine, clause->subject.plural, NULL, french);
    sa_draft_pair(clause->draft, adjective->english, french);
}

/* ---- Times ---------------------------------------------------------------------------------- */

static void write_clock(sa_draft *draft) {
    sa_draft_pair(draft, "at", "à");
    sa_draft_phrase(draft, sa_draft_draw(draft, "number", 1)); /* not twelve */
    sa_draft_pair(draft, "o'clock", "heures");
}

/* Writes "two years ago": il y a deux ans. */
static void write_ago(sa_draft *draft, bool far) {
    sa_word_span there = sa_draft_target(draft, "il y a");
    sa_draft_phrase(draft, sa_draft_draw(draft, "number", 0));
    sa_draft_phrase(draft, sa_draft_draw(draft, "unit", far ? 0 : 1));
    sa_draft_link(draft, sa_draft_source(draft, "ago"), there);
}

void sa_time_write(sa_draft *draft, unsigned tense, bool far) {
    enum { FAR = 2 }; /* the last of the past and the future */
    int way = tense & (SA_NOW | SA_STATE) ? -1 : sa_draft_pick(draft, 6);
    if (way == (tense == SA_HABIT ? 0 : 1) && tense != SA_PAST)
        write_clock(draft);
    else if (way == 1 && tense == SA_PAST)
        write_ago(draft, far);
    else if (way == 0 && tense != SA_HABIT)
        sa_draft_phrase(draft, sa_draft_draw(draft, "day", 0));
    else if (tense == SA_PAST || tense == SA_PLAN)
        sa_draft_phrase(draft,
                        sa_draft_draw(draft, tense == SA_PAST ? "past" : "future", far ? 0 : FAR));
    else
        sa_draft_phrase(draft, sa_draft_draw(draft, tense == SA_HABIT ? "habit" : "now", 0));
}
