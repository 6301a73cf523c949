/* grammar: the English and French that the tasks share: inflection, noun phrases, clauses, times.
 */
#pragma once

#include "synth/draft.h"

/* ---- French inflection, elision and contraction --------------------------------------------- */

/* Returns whether a word begins with a vowel sound (l'homme, but le héros). */
bool sa_french_vowel(const char *word);

/* Writes the plural of a noun or a masculine adjective: chats, journaux, gâteaux, souris; in a
 * compound, the plural of its first word: pommes de terre. */
void sa_french_plural(const char *word, char out[SA_DRAFT_LETTERS]);

/* Writes an adjective or participle agreeing with its noun; `next` is the word that follows, or
 * NULL. */
void sa_french_adjective(const sa_word *adjective, bool feminine, bool plural, const char *next,
                         char out[SA_DRAFT_LETTERS]);
void sa_french_participle(const char *participle, bool feminine, bool plural,
                          char out[SA_DRAFT_LETTERS]);

/* Appends the mark (unless NULL), then elides and contracts: le + arbre -> l'arbre, que + il ->
 * qu'il, de + le -> du, à + les -> aux, si + il -> s'il. Links follow their words. */
void sa_french_finish(sa_draft *draft, const char *mark);

/* ---- Noun phrases: a noun with its determiner and adjectives --------------------------------- */

/* Affirmative, interrogative or negative: some bread, any bread, (not) any bread. */
typedef enum sa_mood { SA_AFFIRMATIVE, SA_INTERROGATIVE, SA_NEGATIVE } sa_mood;

/* The persons of English pronouns and possessors (my, your, his ...). */
enum { SA_I, SA_YOU, SA_HE, SA_SHE, SA_WE, SA_THEY, SA_ANYONE };

typedef struct sa_noun_phrase {
    const sa_word *noun;
    bool plural;
    unsigned determiner;           /* one of SA_THE, SA_A ... */
    int owner;                     /* SA_OWN: whose */
    const sa_word *number;         /* SA_NUMBER: how many */
    const sa_word *before, *after; /* adjectives, by their position in French; or NULL */
} sa_noun_phrase;

/* Draws a noun of one of the kinds with one of the traits (0: any), but not `except` (may be NULL).
 * NULL: there is none. */
const sa_word *sa_noun_draw(sa_draft *draft, unsigned kinds, unsigned traits,
                            const sa_word *except);

/* Draws one of the determiners that suit the noun, and perhaps adjectives. */
sa_noun_phrase sa_noun_phrase_draw(sa_draft *draft, const sa_word *noun, unsigned determiners,
                                   int owner);
/* Does the same with a noun of these kinds and traits; SA_ANYONE draws the owner. */
sa_noun_phrase sa_noun_phrase_of(sa_draft *draft, unsigned kinds, unsigned traits,
                                 const sa_word *except, unsigned determiners, int owner);

/* Draws an adjective that suits the traits for that use: SA_BEFORE or SA_AFTER the noun in French,
 * SA_ALONE ("the car is ..."). NULL: there is none. */
const sa_word *sa_adjective_draw(sa_draft *draft, unsigned traits, unsigned use);

/* Writes the phrase. In a negative clause "a" and "some" become de: je n'ai pas de pain. */
void sa_noun_phrase_write(sa_draft *draft, const sa_noun_phrase *group, sa_mood mood);

/* Writes "at the hotel", "in this park"; with `motion`, "to the hotel". */
void sa_place_write(sa_draft *draft, const sa_noun_phrase *group, bool motion);

/* ---- Subjects ------------------------------------------------------------------------------- */

typedef struct sa_subject {
    const sa_word *pronoun;   /* or NULL: */
    sa_noun_phrase groups[2]; /* the teacher; my father and my mother; the door of the house */
    int count;
    const char *const *joint;     /* between two groups: sa_and, sa_of */
    const struct sa_clause *that; /* the book that we bought; or NULL */
    int who;                      /* SA_I ... */
    bool feminine, plural;
} sa_subject;

extern const char *const sa_and[2], *const sa_of[2];

/* Draws a pronoun or people; `asked`: not "I", because people do not ask about themselves. */
sa_subject sa_subject_draw(sa_draft *draft, bool asked);
sa_subject sa_subject_draw_people(sa_draft *draft);
/* Returns a subject that consists of one group: things, places, people. */
sa_subject sa_subject_of(const sa_noun_phrase *group);
/* Returns the pronoun for SA_I, SA_YOU ..., also for a subject that was named before. */
sa_subject sa_subject_pronoun(int who);

/* ---- Clauses: a subject with its verb, affirmative, interrogative or negative ---------------- */

/* English moves or inserts an auxiliary (does she eat? she does not eat); French asks with est-ce
 * que and puts ne ... pas around the finite verb. */
typedef struct sa_clause {
    sa_draft *draft;
    sa_subject subject;
    sa_mood mood;
    bool never;          /* with SA_NEGATIVE, for a state or habit: never instead of not */
    const sa_word *verb; /* the verb that was conjugated, and how: SA_STATE, SA_HABIT, SA_NOW ... */
    unsigned tense;
    /* English: he (is) (not) (going) (to) (eat); French: il (va) (pas) (manger) */
    const char *auxiliary, *lead, *main;
    const char *finite;
    char rest[SA_DRAFT_LETTERS];
    const sa_word *often;  /* an adverb that goes with a habit, or NULL */
    const sa_word *object; /* a pronoun: him, le; or NULL */
} sa_clause;

/* Fills in the verb; draft, subject, mood and never must be set. SA_STATE and SA_HABIT give the
 * simple present, SA_NOW the progressive, the past the (in French composed) past; SA_PLAN gives
 * `plan` and an infinitive: "go", "want", "can" or "must". */
void sa_clause_conjugate(sa_clause *clause, const sa_word *verb, unsigned tense, const char *plan);
/* Fills in "is" with être, in the present or (past) as était. */
void sa_clause_be(sa_clause *clause, bool past);
/* Fills in what French expresses with avoir: "needs" (base and third person), a besoin; without
 * `third`, "is hungry", a faim. */
void sa_clause_have(sa_clause *clause, const char *english, const char *third, const char *french);

/* Writes the clause from its subject to its verb and object pronoun. */
void sa_clause_write(const sa_clause *clause);
/* Writes the adjective after "is", agreeing with the subject. */
void sa_clause_write_adjective(const sa_clause *clause, const sa_word *adjective);

/* Writes a time that fits a habit, now, the past or a plan. `far`: also times months and years
 * away. */
void sa_time_write(sa_draft *draft, unsigned tense, bool far);

/* ---- The grammars of sa_tasks: each writes one sentence pair into an empty draft - */

void sa_synth_phrases(sa_draft *draft);
void sa_synth_length(sa_draft *draft);
void sa_synth_dates(sa_draft *draft);
void sa_synth_reverse(sa_draft *draft);
void sa_synth_copy(sa_draft *draft);
void sa_synth_recall(sa_draft *draft);
void sa_synth_assign(sa_draft *draft);
void sa_synth_trigger(sa_draft *draft);
void sa_synth_induction(sa_draft *draft);
