/* preset: the presets by their names, those of papers before those for corpora. */
#ifndef SA_CONFIG_PRESET_H
#define SA_CONFIG_PRESET_H

#include <stddef.h>

/* The name of a preset, NULL after the last. */
const char *sa_preset_name(size_t row);

/* The preset that a family starts from when none is named; NULL: the defaults. */
const char *sa_preset_default(int model);

#endif
