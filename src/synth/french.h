/* french: how French words change: plural, gender, and what happens where words meet. */
#ifndef SA_SYNTH_FRENCH_H
#define SA_SYNTH_FRENCH_H

#include "synth/draft.h"
#include "synth/words.h"

/* Whether a word begins with a vowel sound (l'homme, but le héros). */
bool sa_french_vowel(const char *word);

/* The plural of a noun or of a masculine adjective: chats, journaux, gâteaux, souris; where more
 * words follow, of the first: pommes de terre. */
void sa_french_plural(const char *word, char out[SA_DRAFT_LETTERS]);

/* An adjective or participle agreeing with its noun; `next` is the word that follows, or NULL. */
void sa_french_adjective(const sa_adjective *adjective, bool feminine, bool plural,
                         const char *next, char out[SA_DRAFT_LETTERS]);
void sa_french_participle(const char *participle, bool feminine, bool plural,
                          char out[SA_DRAFT_LETTERS]);

/* Writes together what must be: le + arbre -> l'arbre, que + il -> qu'il, de + le -> du,
 * à + les -> aux, si + il -> s'il. Links follow their words. */
void sa_french_finish(sa_draft *draft);

#endif
