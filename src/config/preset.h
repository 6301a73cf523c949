/* preset: the presets of src/config/presets.txt, those of papers before those for corpora. */
#ifndef SA_CONFIG_PRESET_H
#define SA_CONFIG_PRESET_H

#include <softalign.h>

/* The build makes the table of the text. */
typedef struct sa_preset {
    const char *name, *text;
} sa_preset;
extern const sa_preset sa_presets[]; /* ends with a NULL name */

/* The preset of a model family when none is given; NULL: the defaults. */
const char *sa_preset_default(int model);

#endif
