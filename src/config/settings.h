/* settings: the options of sa_settings and sa_search, presets, and the settings of a model file.
 * The names of choices come from the tables of the modules that implement them: a new score,
 * optimizer or tokenizer needs no change here. */
#pragma once

#include "base/container.h"
#include "base/json.h"
#include "base/option.h"

#include <softalign/lab.h>

extern const sa_option sa_settings_options[]; /* the options of sa_settings, grouped by scope */
extern const sa_option sa_search_options[];   /* the options of sa_search, without nbest */

/* Returns whether the family of the model (--model) ignores an option. */
bool sa_settings_ignores(const sa_settings *settings, const sa_option *option);

/* Returns whether compared models must agree on the option, because they need the same data and
 * batches. */
bool sa_settings_is_common(const sa_option *option);

/* Checks that all settings are in range and consistent. SA_USAGE names the ones that are not. */
bool sa_settings_check(const sa_settings *settings, sa_error *error);

/* Returns the settings for using a model: options of SA_SCOPE_TRAINING have their defaults, so none
 * of them affects inference. */
sa_settings sa_settings_of_use(const sa_settings *settings);

/* Returns all settings except SA_SCOPE_RUN as a JSON object, in the order of the options. Free it
 * with free(); NULL: out of memory. */
char *sa_settings_write(const sa_settings *settings, sa_error *error);

/* Reads such an object; SA_SCOPE_RUN stays unchanged. A missing key takes its default, so the
 * default of a new option must be the behavior of older programs. SA_DATA names `file` and a key
 * that is unknown, of the wrong type or out of range. */
bool sa_settings_read(sa_settings *settings, const char *text, const char *file, sa_error *error);

/* Returns a number, true, false or a word. */
json_t *sa_settings_json(const sa_option *option, double number);

/* Reads the settings of a model file. SA_DATA names the file: it has no settings, they cannot be
 * read, or they are inconsistent. */
bool sa_settings_read_file(sa_settings *settings, const sa_container *file, sa_error *error);

/* Checks that a training can be resumed whose file has the settings `text`. SA_USAGE names an
 * option of an earlier version that is gone; the model can still be used. */
bool sa_settings_check_resumable(const char *text, const char *file, sa_error *error);

/* Returns the first option outside SA_SCOPE_RUN in which the two differ, or NULL. */
const sa_option *sa_settings_find_difference(const sa_settings *one, const sa_settings *other);

/* Fails with SA_USAGE: says that the model at `path` was trained with the stored value of this
 * option, and `why` that does not work. Explains a value of 0 as the option's help does. */
bool sa_settings_fail_difference(const sa_option *option, const sa_settings *stored,
                                 const char *path, const char *why, sa_error *error);

/* The presets of presets.txt, papers before corpora. The build makes the table from the text. */
typedef struct sa_preset {
    const char *name, *text;
} sa_preset;
extern const sa_preset sa_presets[]; /* ends with a NULL name */

/* Returns the name of entry i of a list, NULL after the last, and two texts about it, such as its
 * formula and citation; a list may have fewer. */
typedef const char *sa_info(size_t i, const char **first, const char **second);

/* The equations that options of train choose from; ends with a NULL option. */
typedef struct sa_formulas {
    const char *option, *title;
    sa_info *info;
} sa_formulas;
extern const sa_formulas sa_formula_tables[];

/* Returns the default preset of a model family; NULL: none. */
const char *sa_preset_default(int model);
