#include "synth/group.h"

#include "synth/french.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const sa_phrase sa_numbers[] = {
    {"two", "deux", NULL},     {"three", "trois", NULL}, {"four", "quatre", NULL},
    {"five", "cinq", NULL},    {"six", "six", NULL},     {"seven", "sept", NULL},
    {"eight", "huit", NULL},   {"nine", "neuf", NULL},   {"ten", "dix", NULL},
    {"twelve", "douze", NULL},
};

static const struct {
    const char *english, *masculine, *feminine, *plural;
} owners[] = {
    {"my", "mon", "ma", "mes"},       {"your", "votre", "votre", "vos"},
    {"his", "son", "sa", "ses"},      {"her", "son", "sa", "ses"},
    {"our", "notre", "notre", "nos"}, {"their", "leur", "leur", "leurs"},
};

/* ---- Drawing -------------------------------------------------------------------------------- */

static bool fits(const sa_noun *noun, unsigned kinds, unsigned traits, const sa_noun *except) {
    return noun->kinds & kinds && (!traits || noun->traits & traits) && noun != except;
}

const sa_noun *sa_noun_draw(sa_draft *draft, unsigned kinds, unsigned traits,
                            const sa_noun *except) {
    int count = 0;
    for (const sa_noun *noun = sa_nouns; noun->english; noun++)
        count += fits(noun, kinds, traits, except);
    if (!count) return NULL;
    int left = sa_draft_pick(draft, count);
    const sa_noun *noun = sa_nouns;
    while (!fits(noun, kinds, traits, except) || left-- > 0) noun++;
    return noun;
}

static bool suits(const sa_adjective *adjective, const sa_noun *noun, unsigned positions) {
    return adjective->traits & noun->traits && positions >> adjective->position & 1;
}

/* An adjective for the noun among those of the positions (bits), or NULL. */
static const sa_adjective *draw_adjective(sa_draft *draft, const sa_noun *noun,
                                          unsigned positions) {
    int count = 0;
    for (const sa_adjective *row = sa_adjectives; row->english; row++)
        count += suits(row, noun, positions);
    if (!count) return NULL;
    int left = sa_draft_pick(draft, count);
    const sa_adjective *row = sa_adjectives;
    while (!suits(row, noun, positions) || left-- > 0) row++;
    return row;
}

const sa_adjective *sa_adjective_draw(sa_draft *draft, const sa_noun *noun) {
    return draw_adjective(draft, noun, 1 << SA_BEFORE | 1 << SA_AFTER | 1 << SA_ONLY_ALONE);
}

/* Those of the determiners that make sense with the noun. */
static unsigned suitable(unsigned determiners, const sa_noun *noun) {
    if (noun->kinds & SA_FAMILY) return SA_OWN;
    if (noun->kinds & SA_MASS) determiners &= ~(unsigned)(SA_A | SA_NUMBER);
    if (noun->english_preposition) determiners &= ~(unsigned)(SA_SOME | SA_BARE | SA_NUMBER);
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

static bool draw_plural(sa_draft *draft, const sa_noun_phrase *group) {
    if (!group->noun->plural || group->determiner & SA_A) return false;
    return group->determiner & (SA_SOME | SA_NUMBER | SA_BARE) || sa_draft_chance(draft, 4);
}

sa_noun_phrase sa_noun_phrase_draw(sa_draft *draft, const sa_noun *noun, unsigned determiners,
                                   int owner) {
    sa_noun_phrase group = {.noun = noun, .owner = owner};
    group.determiner = draw_bit(draft, suitable(determiners, noun));
    group.plural = draw_plural(draft, &group);
    if (group.determiner == SA_NUMBER) group.number = &sa_numbers[sa_draft_pick(draft, SA_NUMBERS)];
    int adjectives = sa_draft_pick(draft, 12); /* none in 7 of 12 groups, two in one */
    if (adjectives == 0 || adjectives == 1 || adjectives == 2)
        group.before = draw_adjective(draft, noun, 1 << SA_BEFORE | 1 << SA_ONLY_BEFORE);
    if (adjectives == 2 || adjectives == 3 || adjectives == 4)
        group.after = draw_adjective(draft, noun, 1 << SA_AFTER);
    return group;
}

sa_noun_phrase sa_noun_phrase_draw_definite(sa_draft *draft, const sa_noun *noun) {
    bool plural = noun->plural && sa_draft_chance(draft, 2);
    return (sa_noun_phrase){.noun = noun, .determiner = SA_THE, .plural = plural};
}

/* ---- Writing -------------------------------------------------------------------------------- */

static const char *english_noun(const sa_noun_phrase *group) {
    return group->plural ? group->noun->plural : group->noun->english;
}

static const char *english_article(const char *next) {
    return strchr("aeiou", next[0]) ? "an" : "a";
}

static const char *english_determiner(const sa_noun_phrase *group, sa_mood mood) {
    const sa_adjective *first = group->before ? group->before : group->after;
    switch (group->determiner) {
    case SA_THE:
        return "the";
    case SA_A:
        return english_article(first ? first->english : english_noun(group));
    case SA_SOME:
        return mood == SA_AFFIRMATIVE ? "some" : "any";
    case SA_OWN:
        return owners[group->owner].english;
    case SA_THIS:
        return group->plural ? "these" : "this";
    case SA_NUMBER:
        return group->number->source;
    default:
        return NULL;
    }
}

/* The determiner before `next`; de + le and similar pairs are contracted later. */
static const char *french_determiner(const sa_noun_phrase *group, const char *next, sa_mood mood) {
    bool feminine = group->noun->feminine, plural = group->plural;
    const char *the = plural ? "les" : feminine ? "la" : "le";
    switch (group->determiner) {
    case SA_A:
        if (mood == SA_NEGATIVE) return "de";
        return feminine ? "une" : "un";
    case SA_SOME: /* des fleurs, but de belles fleurs */
        if (mood == SA_NEGATIVE || (plural && group->before)) return "de";
        return plural ? "des" : feminine ? "de la" : "de le";
    case SA_OWN:
        if (plural) return owners[group->owner].plural;
        return feminine && !sa_french_vowel(next) ? owners[group->owner].feminine
                                                  : owners[group->owner].masculine;
    case SA_THIS:
        if (plural) return "ces";
        return feminine ? "cette" : sa_french_vowel(next) ? "cet" : "ce";
    case SA_NUMBER:
        return group->number->target;
    default:
        return the;
    }
}

void sa_noun_phrase_write(sa_draft *draft, const sa_noun_phrase *group, sa_mood mood) {
    const sa_adjective *adjectives[] = {group->before, group->after};
    sa_word_span english[2] = {{0}};
    sa_word_span determiner = sa_draft_source(draft, english_determiner(group, mood));
    for (int i = 0; i < 2; i++)
        if (adjectives[i]) english[i] = sa_draft_source(draft, adjectives[i]->english);
    sa_word_span noun = sa_draft_source(draft, english_noun(group));

    bool feminine = group->noun->feminine;
    char french[SA_DRAFT_LETTERS], adjective[2][SA_DRAFT_LETTERS];
    snprintf(french, sizeof french, "%s", group->noun->french);
    if (group->plural) sa_french_plural(group->noun->french, french);
    for (int i = 0; i < 2; i++)
        if (adjectives[i])
            sa_french_adjective(adjectives[i], feminine, group->plural, french, adjective[i]);

    const char *next = group->before ? adjective[0] : french;
    sa_word_span article = sa_draft_target(draft, french_determiner(group, next, mood));
    sa_draft_link(draft, determiner, article);
    sa_draft_link_possible(draft, noun, article);
    if (group->before) sa_draft_link(draft, english[0], sa_draft_target(draft, adjective[0]));
    sa_draft_link(draft, noun, sa_draft_target(draft, french));
    if (group->after) sa_draft_link(draft, english[1], sa_draft_target(draft, adjective[1]));
}

void sa_place_write(sa_draft *draft, const sa_noun_phrase *group, bool motion) {
    const sa_noun *noun = group->noun;
    sa_draft_phrase(draft, &(sa_phrase){motion ? "to" : noun->english_preposition,
                                        motion ? "à" : noun->french_preposition, NULL});
    sa_noun_phrase_write(draft, group, SA_AFFIRMATIVE);
}
