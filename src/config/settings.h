/* settings: the rows of sa_settings and sa_search, and the settings of a model file.
 *
 * The names of choices come from the tables of the modules that implement them, so a new score,
 * optimizer or tokenizer needs no line here. */
#ifndef SA_CONFIG_SETTINGS_H
#define SA_CONFIG_SETTINGS_H

#include "base/option.h"

extern const sa_option sa_settings_options[]; /* of sa_settings, grouped by scope */
extern const sa_option sa_search_options[];   /* of sa_search, without nbest */

/* Whether every setting is allowed and they fit together; SA_USAGE says what does not. */
bool sa_settings_check(const sa_settings *settings, sa_error *error);

/* All settings but the run's own as one JSON object, in the order of the rows. NULL when memory
 * runs out. Freed with free(). */
char *sa_settings_write(const sa_settings *settings, sa_error *error);

/* Reads them back; the run's own stay as they are. A key under its earlier name is understood, and
 * one that the file does not have takes its default: so the default of a new option must be what
 * programs did before they had it. SA_DATA names `file` and the key when one is unknown, of the
 * wrong type or out of range. */
bool sa_settings_read(sa_settings *settings, const char *text, const char *file, sa_error *error);

/* The first option not of the run in which the two differ, or NULL. */
const sa_option *sa_settings_find_difference(const sa_settings *one, const sa_settings *other);

#endif
