/* option: describes each option once, with its field, type, range, default and help text. Parsing,
 * range checks, --help, manual pages and the settings of a model file use these tables. */
#pragma once

#include "base/memory.h"

#include <softalign/report.h>

/* An option is {NAME, one of these, HELP}. place: its scope and the offset of its field, such as
 * SA_SCOPE_RUN, offsetof(options, beam); unit: the name of the value in the help. */
#define SA_INT(place, start, min, max, unit)                                                       \
    SA_OPTION_INT, place, start, min, max, NULL, NULL, 0, unit
#define SA_INT64(place, start, min, max, unit)                                                     \
    SA_OPTION_INT64, place, start, min, max, NULL, NULL, 0, unit
#define SA_REAL(place, start, min, max, unit)                                                      \
    SA_OPTION_REAL, place, start, min, max, NULL, NULL, 0, unit
#define SA_SWITCH(place) SA_OPTION_SWITCH, place, 0, 0, 1, NULL, NULL, 0, NULL
#define SA_CHOICE(place, start, table)                                                             \
    SA_OPTION_CHOICE, place, start, 0, 0, NULL, table, sizeof *(table), "NAME"
/* A choice whose names a function returns, and one whose words are listed at file scope. */
#define SA_CHOICE_BY(place, start, name) SA_OPTION_CHOICE, place, start, 0, 0, name, NULL, 0, "NAME"
#define SA_WORDS(place, start, ...)                                                                \
    SA_OPTION_CHOICE, place, start, 0, 0, NULL, SA_LIST(__VA_ARGS__), "NAME"
#define SA_LIST(...) (const char *const[]){__VA_ARGS__, NULL}, sizeof(char *)

/* Returns the name with which entry i of a table begins; NULL after the last. */
#define SA_NAME(table, i) sa_row_name(table, sizeof *(table), (size_t)(i))
const char *sa_row_name(const void *table, size_t stride, size_t i);

/* Returns the option with that name, or NULL. A table ends with a NULL name. */
const sa_option *sa_option_find(const sa_option *options, const char *name);
void sa_options_init(const sa_option *options, void *fields); /* the defaults; fields may be NULL */
/* Returns option i; NULL after the last. */
const sa_option *sa_option_at(const sa_option *options, size_t i);

/* Returns whether the value is a text, such as a file name. */
bool sa_option_is_text(const sa_option *option);

/* Sets the option's field from a text ("yes" or "no" for a switch). SA_USAGE names the option, the
 * text and the allowed values. */
bool sa_option_set(const sa_option *option, void *fields, const char *text, sa_error *error);

/* Sets the option with that name. SA_USAGE: as above, or the name is unknown. */
bool sa_options_set(const sa_option *options, void *fields, const char *name, const char *text,
                    sa_error *error);

/* Checks that every number, switch and choice is in range. SA_USAGE names the first one that is
 * not. */
bool sa_options_check(const sa_option *options, const void *fields, sa_error *error);

/* Sets a number, switch or choice from a number; false when it is out of range. */
bool sa_option_set_number(const sa_option *option, void *fields, double number);
/* Returns the value of a number, switch (0 or 1) or choice. */
double sa_option_get(const sa_option *option, const void *fields);
/* Appends the number as text: "64", "yes", "additive". */
void sa_option_format(const sa_option *option, double number, sa_buffer *out);

/* Appends the option with this value as command-line arguments: "--hidden 64", "--tie". */
void sa_option_add_argument(const sa_option *option, double number, sa_buffer *out);

/* Appends the allowed values: "a whole number from 1 to 8192", brief: "1 to 8192", "additive or
 * scaled-dot"; nothing for text. */
void sa_option_format_range(const sa_option *option, bool brief, sa_buffer *out);

/* Returns the word for a number, such as the name of a choice; NULL: none. */
const char *sa_option_word(const sa_option *option, double number);

/* Returns the index of a name in the option's choices, or -1. */
int sa_option_find_choice(const sa_option *option, const char *name);

/* Returns the number of insertions, deletions and replacements that turn one list of symbols into
 * the other (Levenshtein); row [to_size + 1] is workspace. */
uint64_t sa_edit_distance(const uint64_t *from, size_t from_size, const uint64_t *to,
                          size_t to_size, uint64_t *row);

typedef struct sa_nearest {
    const char *wanted; /* as typed */
    const char *prefix; /* before the name in the hint; NULL: nothing */
    const char *name;   /* the closest so far; NULL: nothing is close */
    size_t distance;
    char hint[128];
} sa_nearest;

/* Considers a candidate; the first of equally close ones wins. A candidate is close if at most a
 * third of the longer name, rounded up, differs. */
void sa_nearest_consider(sa_nearest *nearest, const char *candidate);

/* Returns " (did you mean 'NAME'?)", with the prefix, or "" if nothing is close. */
const char *sa_nearest_hint(sa_nearest *nearest);

/* Considers the names name(0), name(1) ..., up to NULL, and returns the hint. */
const char *sa_nearest_hint_in(sa_nearest *nearest, const char *(*name)(size_t i));
