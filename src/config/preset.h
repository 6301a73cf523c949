/* preset: the presets that sa_preset_name lists, those of papers before those for corpora. */
#ifndef SA_CONFIG_PRESET_H
#define SA_CONFIG_PRESET_H

#include <softalign.h>

/* The preset of a model family when none is given; NULL: the defaults. */
const char *sa_preset_default(int model);

#endif
