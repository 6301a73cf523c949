#include "base/option.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const sa_option *sa_option_find(const sa_option *options, const char *name) {
    for (; options->name; options++)
        if (strcmp(options->name, name) == 0) return options;
    return NULL;
}

bool sa_option_is_text(const sa_option *option) {
    return option->kind >= SA_OPTION_TEXT;
}

const char *sa_row_name(const void *table, size_t stride, size_t i) {
    const char *const *name = table;
    for (; i && *name; i--) name = (const void *)((const char *)name + stride);
    return *name;
}

const char *sa_option_choice(const sa_option *option, size_t i) {
    if (!option) return NULL;
    if (option->names) return sa_row_name(option->names, option->stride, i);
    return option->choice ? option->choice(i) : NULL;
}

int sa_option_find_choice(const sa_option *option, const char *name) {
    const char *choice;
    for (int i = 0; (choice = sa_option_choice(option, (size_t)i)); i++)
        if (strcmp(choice, name) == 0) return i;
    return -1;
}

const char *sa_option_word(const sa_option *option, double number) {
    const char *word;
    for (size_t i = 0; !sa_option_is_text(option) && (word = sa_option_choice(option, i)); i++)
        if (number == (double)i) return word;
    return NULL;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static bool whole(const sa_option *option) {
    return option->kind == SA_OPTION_INT || option->kind == SA_OPTION_INT64;
}

static bool in_range(const sa_option *option, double number) {
    if (option->kind == SA_OPTION_SWITCH) return number == 0 || number == 1;
    return sa_option_word(option, number) ||
           (option->kind < SA_OPTION_SWITCH && number >= option->min && number <= option->max &&
            (!whole(option) || number == trunc(number)));
}

bool sa_option_set_number(const sa_option *option, void *fields, double number) {
    if (!in_range(option, number)) return false;
    void *field = (char *)fields + option->offset;
    if (option->kind == SA_OPTION_INT64)
        *(int64_t *)field = (int64_t)number;
    else if (option->kind == SA_OPTION_REAL)
        *(double *)field = number;
    else if (option->kind == SA_OPTION_SWITCH)
        *(bool *)field = number != 0;
    else
        *(int *)field = (int)number;
    return true;
}

double sa_option_get(const sa_option *option, const void *fields) {
    const void *field = (const char *)fields + option->offset;
    if (sa_option_is_text(option)) return NAN;
    if (option->kind == SA_OPTION_INT64) return (double)*(const int64_t *)field;
    if (option->kind == SA_OPTION_REAL) return *(const double *)field;
    if (option->kind == SA_OPTION_SWITCH) return *(const bool *)field;
    return *(const int *)field;
}

static void set_text(const sa_option *option, void *fields, const char *text) {
    *(const char **)(void *)((char *)fields + option->offset) = text;
}

const sa_option *sa_option_at(const sa_option *options, size_t i) {
    for (size_t option = 0; option <= i; option++)
        if (!options[option].name) return NULL;
    return &options[i];
}

void sa_options_init(const sa_option *options, void *fields) {
    for (; fields && options->name; options++) {
        if (sa_option_is_text(options))
            set_text(options, fields, NULL);
        else
            sa_require(sa_option_set_number(options, fields, options->default_value));
    }
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Returns the number that the text denotes, or NaN, which no option allows. */
static double parse(const sa_option *option, const char *text) {
    double number;
    int64_t integer;
    if (option->kind == SA_OPTION_SWITCH)
        return strcmp(text, "yes") == 0 ? 1 : strcmp(text, "no") == 0 ? 0 : NAN;
    const int choice = sa_option_find_choice(option, text);
    if (option->kind == SA_OPTION_CHOICE || choice >= 0) return choice;
    if (whole(option)) return sa_integer_parse(text, &integer) ? (double)integer : NAN;
    return sa_number_parse(text, &number) && !sa_option_word(option, number) ? number : NAN;
}

static bool fail_out_of_range(const sa_option *option, const char *text, sa_error *error) {
    const char *choice;
    sa_buffer range = {0};
    sa_nearest nearest = {.wanted = text};
    for (size_t i = 0; (choice = sa_option_choice(option, i)); i++)
        sa_nearest_consider(&nearest, choice);
    sa_option_format_range(option, false, &range);
    sa_fail(error, SA_USAGE, "--%s '%s': expected %s%s", option->name, text,
            range.failed ? "another value" : range.text, sa_nearest_hint(&nearest));
    sa_buffer_release(&range);
    return false;
}

bool sa_option_set(const sa_option *option, void *fields, const char *text, sa_error *error) {
    if (!sa_given(text, "value", error)) return false;
    if (!sa_option_is_text(option))
        return sa_option_set_number(option, fields, parse(option, text)) ||
               fail_out_of_range(option, text, error);
    if (!*text)
        return sa_fail(error, SA_USAGE, "--%s: the %s is empty", option->name, option->value);
    set_text(option, fields, text);
    return true;
}

bool sa_options_set(const sa_option *options, void *fields, const char *name, const char *text,
                    sa_error *error) {
    if (!sa_given(name, "name", error)) return false;
    const sa_option *option = sa_option_find(options, name);
    if (option) return sa_option_set(option, fields, text, error);
    sa_nearest nearest = {.wanted = name};
    for (option = options; option->name; option++) sa_nearest_consider(&nearest, option->name);
    return sa_fail(error, SA_USAGE, "unknown option '%s'%s", name, sa_nearest_hint(&nearest));
}

bool sa_options_check(const sa_option *options, const void *fields, sa_error *error) {
    for (; options->name; options++) {
        if (sa_option_is_text(options)) continue;
        const double number = sa_option_get(options, fields);
        if (in_range(options, number)) continue;
        sa_buffer text = {0};
        sa_number_add(&text, number);
        fail_out_of_range(options, text.failed ? "" : text.text, error);
        sa_buffer_release(&text);
        return false;
    }
    return true;
}

void sa_option_format(const sa_option *option, double number, sa_buffer *out) {
    if (option->kind == SA_OPTION_SWITCH)
        sa_buffer_adds(out, number != 0 ? "yes" : "no");
    else if (sa_option_word(option, number))
        sa_buffer_adds(out, sa_option_word(option, number));
    else
        sa_number_add(out, number);
}

void sa_option_add_argument(const sa_option *option, double number, sa_buffer *out) {
    const bool is_switch = option->kind == SA_OPTION_SWITCH;
    sa_buffer_addf(out, "--%s", option->name);
    if (is_switch && number != 0) return;
    sa_buffer_adds(out, is_switch ? "=" : " ");
    sa_option_format(option, number, out);
}

void sa_option_format_range(const sa_option *option, bool brief, sa_buffer *out) {
    if (option->kind == SA_OPTION_SWITCH) {
        sa_buffer_adds(out, "yes or no");
    } else if (option->kind == SA_OPTION_CHOICE) {
        for (size_t i = 0; sa_option_choice(option, i); i++) {
            if (i) sa_buffer_adds(out, sa_option_choice(option, i + 1) ? ", " : " or ");
            sa_buffer_adds(out, sa_option_choice(option, i));
        }
    } else if (!sa_option_is_text(option)) {
        if (!brief) sa_buffer_adds(out, whole(option) ? "a whole number from " : "a number from ");
        sa_number_add(out, option->min);
        sa_buffer_adds(out, " to ");
        sa_number_add(out, option->max);
        for (size_t i = 0; sa_option_choice(option, i); i++)
            sa_buffer_addf(out, " or %s", sa_option_choice(option, i));
    }
}

/* ---- The nearest name ------------------------------------------------------------------------ */

enum { LONGEST = 63 };

static uint64_t minimum(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t sa_edit_distance(const uint64_t *from, size_t from_size, const uint64_t *to,
                          size_t to_size, uint64_t *row) {
    for (size_t j = 0; j <= to_size; j++) row[j] = j; /* distance from from[0..i) to to[0..j) */
    for (size_t i = 1; i <= from_size; i++) {
        uint64_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= to_size; j++) {
            const uint64_t replaced = diagonal + (from[i - 1] != to[j - 1]);
            diagonal = row[j];
            row[j] = minimum(replaced, minimum(row[j], row[j - 1]) + 1);
        }
    }
    return row[to_size];
}

void sa_nearest_consider(sa_nearest *nearest, const char *candidate) {
    uint64_t from[LONGEST], to[LONGEST], row[LONGEST + 1];
    size_t wanted = strlen(nearest->wanted), size = strlen(candidate);
    if (wanted > LONGEST || size > LONGEST) return;
    for (size_t i = 0; i < wanted; i++) from[i] = (unsigned char)nearest->wanted[i];
    for (size_t j = 0; j < size; j++) to[j] = (unsigned char)candidate[j];
    size_t distance = (size_t)sa_edit_distance(from, wanted, to, size, row);
    size_t longer = wanted > size ? wanted : size;
    if (distance > (longer + 2) / 3 || (nearest->name && distance >= nearest->distance)) return;
    nearest->name = candidate;
    nearest->distance = distance;
}

const char *sa_nearest_hint(sa_nearest *nearest) {
    if (nearest->name)
        snprintf(nearest->hint, sizeof nearest->hint, " (did you mean '%s%s'?)",
                 nearest->prefix ? nearest->prefix : "", nearest->name);
    return nearest->hint;
}

const char *sa_nearest_hint_in(sa_nearest *nearest, const char *(*name)(size_t i)) {
    for (size_t i = 0; name && name(i); i++) sa_nearest_consider(nearest, name(i));
    return sa_nearest_hint(nearest);
}
