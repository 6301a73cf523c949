/* sense: an ambiguous word, and another word of the sentence that determines its meaning.
 *
 *   S -> C A L P D .      P D L , C A .      C A L and C D .      C D L and C A .
 *
 * C is somebody who sees something, A the ambiguous word, D the deciding one, P a preposition, L
 * what may come between. Everything except D is the same for both senses, so that only D tells them
 * apart. */
#include "synth/grammar.h"

#include <stdio.h>

/* The ambiguous word in its sense, the deciding word, and their positions. */
typedef struct word_pair {
    const sa_word *sense, *decider;
    sa_word_span meaning, reason; /* spans in the target and in the source */
} word_pair;

/* Writes "the girl sees"; only the first verbs can be followed by what somebody does. */
static void write_seeing(sa_draft *draft, bool doing, const sa_word *object) {
    static const char *const verbs[] = {"see", "watch", "look for", "find", "forget"};
    sa_noun_phrase person = sa_noun_phrase_person(draft, NULL);
    sa_clause clause = {.draft = draft, .subject = sa_subject_of(&person), .object = object};
    const char *verb = doing ? verbs[sa_draft_pick(draft, 2)] : *SA_DRAW(draft, verbs);
    sa_clause_conjugate(&clause, sa_word_find("transitive", verb), SA_STATE, NULL);
    sa_clause_write(&clause);
}

/* Writes "the girl sees her duck": voit son canard, la voit se baisser */
static void write_ambiguous(sa_draft *draft, word_pair *pair) {
    static const sa_word her = {.english = "her", .french = "la"};
    const sa_word *sense = pair->sense;
    write_seeing(draft, sense->determiners & SA_OWN, sense->uses & SA_VERB ? &her : NULL);
    if (sense->uses & (SA_VERB | SA_NAME)) {
        pair->meaning = sa_draft_target(draft, sense->french);
        sa_draft_link(draft, sa_draft_source(draft, sense->english), pair->meaning);
    } else {
        sa_noun_phrase group = {.noun = sense, .determiner = sense->determiners, .owner = SA_SHE};
        sa_noun_phrase_write(draft, &group, SA_AFFIRMATIVE);
        pair->meaning = sa_draft_last(&draft->target);
    }
}

/* Writes "with the baker in the morning", or half of it, or nothing */
static void write_filler(sa_draft *draft) {
    if (sa_draft_chance(draft, 2)) {
        sa_noun_phrase person = sa_noun_phrase_person(draft, NULL);
        sa_draft_pair(draft, "with", "avec");
        sa_noun_phrase_write(draft, &person, SA_AFFIRMATIVE);
    }
    if (sa_draft_chance(draft, 2)) sa_time_write(draft, SA_HABIT, false);
}

/* Writes the two words in one or two clauses, with the deciding one first or last and the filler
 * between them. */
static void write_words(sa_draft *draft, word_pair *pair, bool decided, bool two_clauses) {
    for (int i = 0; i < 2; i++) {
        if (i) write_filler(draft);
        if (i && two_clauses) sa_draft_pair(draft, "and", "et");
        if (i && !two_clauses && decided) sa_draft_pair(draft, ",", ",");
        if (decided == (i == 1)) {
            write_ambiguous(draft, pair);
            continue;
        }
        if (two_clauses)
            write_seeing(draft, false, NULL);
        else
            sa_draft_phrase(draft, sa_draft_draw(draft, "sense preposition", 0));
        sa_noun_phrase group = sa_noun_phrase_definite(draft, pair->decider);
        sa_noun_phrase_write(draft, &group, SA_AFFIRMATIVE);
        pair->reason = sa_draft_last(&draft->source);
    }
}

void sa_synth_sense(sa_draft *draft) {
    enum { SENSES = 2 };
    const sa_word_list *senses = sa_word_list_find("sense");
    word_pair pair = {.sense = senses->words};
    pair.sense += SENSES * sa_draft_pick(draft, senses->count / SENSES);
    pair.sense += sa_draft_pick(draft, SENSES);
    char list[SA_DRAFT_LETTERS + 8];
    snprintf(list, sizeof list, "decides %s", pair.sense->french);
    pair.decider = sa_draft_draw(draft, list, 0);
    bool decided = sa_draft_chance(draft, 2);
    bool two_clauses = !sa_draft_chance(draft, 2);
    write_words(draft, &pair, decided, two_clauses);
    sa_draft_link_possible(draft, pair.reason, pair.meaning);
    sa_french_finish(draft, ".");
}
