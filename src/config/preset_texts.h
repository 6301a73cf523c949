/* preset_texts: the settings of a paper, or those that did best on a corpus, as the command line
 * would give them. A line that begins with "--" is one option and its value, then its place in the
 * paper or why it is so; other lines are notes for the reader. */
#ifndef SA_CONFIG_PRESET_TEXTS_H
#define SA_CONFIG_PRESET_TEXTS_H

typedef struct sa_preset {
    const char *name, *text;
} sa_preset;

/* Each ends with a row without a name. */
extern const sa_preset sa_paper_presets[], sa_corpus_presets[];

#endif
