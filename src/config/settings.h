/* settings: the option rows of sa_settings and sa_search, presets, and the settings of a model
 * file.
 *
 * The names of choices come from the tables of the modules that implement them: a new score,
 * optimizer or tokenizer needs no change here. */
#pragma once

#include "base/container.h"
#include "base/option.h"

extern const sa_option sa_settings_options[]; /* of sa_settings, grouped by scope */
extern const sa_option sa_search_options[];   /* of sa_search, without nbest */

/* Whether the family of the model (--model) ignores an option. */
bool sa_settings_ignores(const sa_settings *settings, const sa_option *option);

/* Whether models that are compared must have the same value: another would give one other data or
 * batches than the others. */
bool sa_settings_is_common(const sa_option *option);

/* Whether all settings are in range and consistent; SA_USAGE names those that are not. */
bool sa_settings_check(const sa_settings *settings, sa_error *error);

/* The settings that a model is used with: those of SA_SCOPE_TRAINING have their defaults, whatever
 * it was trained with, so that none reaches inference. */
sa_settings sa_settings_of_use(const sa_settings *settings);

/* All settings except those of SA_SCOPE_RUN as a JSON object, in the order of the rows. Freed with
 * free(); NULL: out of memory. */
char *sa_settings_write(const sa_settings *settings, sa_error *error);

/* Reads them back; those of SA_SCOPE_RUN are unchanged. Earlier names of keys and choices are
 * understood, and a missing key takes its default: therefore the default of a new option must be
 * the behavior of older programs. SA_DATA names `file` and a key that is unknown, of the wrong type
 * or out of range. */
bool sa_settings_read(sa_settings *settings, const char *text, const char *file, sa_error *error);

/* The settings of a model file. SA_DATA names the file if it has none, and as above, or what they
 * contradict. */
bool sa_settings_read_file(sa_settings *settings, const sa_container *file, sa_error *error);

/* Whether a training with the settings `text` of a file can go on. SA_USAGE names what it was
 * trained with and this program has no more; models of such a training can be read. */
bool sa_settings_check_resumable(const char *text, const char *file, sa_error *error);

/* The first option outside SA_SCOPE_RUN in which the two differ, or NULL. */
const sa_option *sa_settings_find_difference(const sa_settings *one, const sa_settings *other);

/* SA_USAGE: what is at `path` was trained with the stored value of this option, and `why` that is
 * in the way. The text says what 0 means, as the option's help does. */
bool sa_settings_fail_difference(const sa_option *option, const sa_settings *stored,
                                 const char *path, const char *why, sa_error *error);

/* The presets of presets.txt, those of papers before those for corpora. The build makes the table
 * of the text. */
typedef struct sa_preset {
    const char *name, *text;
} sa_preset;
extern const sa_preset sa_presets[]; /* ends with a NULL name */

/* The preset of a model family when none is given; NULL: the defaults. */
const char *sa_preset_default(int model);
