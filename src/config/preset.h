/* preset: lists the presets, those of papers before those for corpora. */
#ifndef SA_CONFIG_PRESET_H
#define SA_CONFIG_PRESET_H

#include <stddef.h>

/* The name of a preset, NULL after the last. */
const char *sa_preset_name(size_t row);

/* The preset of a model family when none is given; NULL: the defaults. */
const char *sa_preset_default(int model);

#endif
