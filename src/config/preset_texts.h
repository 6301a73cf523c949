/* preset_texts: the settings of papers, and those that did best on corpora. A line that begins with
 * "--" is an option and its value as on the command line, then its section in the paper or a
 * reason; other lines are notes for the reader. */
#ifndef SA_CONFIG_PRESET_TEXTS_H
#define SA_CONFIG_PRESET_TEXTS_H

typedef struct sa_preset {
    const char *name, *text;
} sa_preset;

/* Each ends with a NULL name. */
extern const sa_preset sa_paper_presets[], sa_corpus_presets[];

#endif
