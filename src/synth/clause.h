/* clause: a subject with its verb, affirmative, interrogative or negative, in both languages.
 * English moves or inserts an auxiliary (does she eat? she does not eat); French asks with est-ce
 * que and puts ne ... pas around the finite verb. */
#ifndef SA_SYNTH_CLAUSE_H
#define SA_SYNTH_CLAUSE_H

#include "synth/group.h"

typedef struct sa_subject {
    const sa_phrase *pronoun; /* or NULL: */
    sa_noun_phrase groups[2]; /* the teacher; my father and my mother; the door of the house */
    int count;
    const sa_phrase *joint;       /* between two groups: and, of */
    const struct sa_clause *that; /* the book that we bought; or NULL */
    int person;                   /* SA_JE ... */
    bool feminine, plural;
    int owner; /* SA_MY ...: the possessive of its own things */
} sa_subject;

/* Pronouns and people. `asked`: not I, because nobody asks about oneself. */
sa_subject sa_subject_draw(sa_draft *draft, bool asked);
sa_subject sa_subject_draw_named(sa_draft *draft); /* people alone */
/* A subject of one group: things, places, people. */
sa_subject sa_subject_of(const sa_noun_phrase *group);
/* He, she or they for a subject that was named before; a pronoun is unchanged. */
sa_subject sa_subject_again(const sa_subject *subject);

typedef enum sa_verb_form {
    SA_SIMPLE,
    SA_PROGRESSIVE,
    SA_PAST_TENSE, /* passé composé */
    SA_GOING,      /* going to, want to, can, must and an infinitive */
    SA_WANT,
    SA_CAN,
    SA_MUST,
} sa_verb_form;

typedef struct sa_clause {
    sa_subject subject;
    sa_mood mood;
    bool never; /* SA_NEGATIVE and SA_SIMPLE: never instead of not */
    /* English: he (is) (not) (going) (to) (eat); French: il (va) (pas) (manger) */
    const char *auxiliary, *lead, *main;
    const char *finite;
    char rest[SA_DRAFT_LETTERS];
    const sa_phrase *often;  /* an adverb of SA_SIMPLE, or NULL */
    const sa_phrase *object; /* a pronoun: him, le; or NULL */
} sa_clause;

/* Fills in the verb; subject, mood and never must be set. */
void sa_clause_conjugate(sa_clause *clause, const sa_verb *verb, sa_verb_form form);
/* "is" with être, now or (past) as était; "is hungry" with avoir and `rest`. */
void sa_clause_be(sa_clause *clause, bool past);
void sa_clause_feel(sa_clause *clause, const char *english, const char *french);

/* Writes the clause from its subject to its verb and object pronoun. */
void sa_clause_write(sa_draft *draft, const sa_clause *clause);

#endif
