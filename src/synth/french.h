/* french: French inflection (plural, gender), elision and contraction. */
#ifndef SA_SYNTH_FRENCH_H
#define SA_SYNTH_FRENCH_H

#include "synth/draft.h"
#include "synth/words.h"

/* Whether a word begins with a vowel sound (l'homme, but le héros). */
bool sa_french_vowel(const char *word);

/* The plural of a noun or a masculine adjective: chats, journaux, gâteaux, souris; of a compound's
 * first word: pommes de terre. */
void sa_french_plural(const char *word, char out[SA_DRAFT_LETTERS]);

/* An adjective or participle agreeing with its noun; `next` is the word that follows, or NULL. */
void sa_french_adjective(const sa_adjective *adjective, bool feminine, bool plural,
                         const char *next, char out[SA_DRAFT_LETTERS]);
void sa_french_participle(const char *participle, bool feminine, bool plural,
                          char out[SA_DRAFT_LETTERS]);

/* Elides and contracts: le + arbre -> l'arbre, que + il -> qu'il, de + le -> du, à + les -> aux,
 * si + il -> s'il. Links follow their words. */
void sa_french_finish(sa_draft *draft);

#endif
