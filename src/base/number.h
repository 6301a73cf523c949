/* number: numbers as text, with '.' as the decimal point in every locale. */
#pragma once

#include "base/memory.h"
#include <stdint.h>

/* Parses a whole text as a decimal number ("12", "-0.5", ".5", "1e-3"). Returns false and leaves
 * *value unchanged for anything else: spaces, commas, hexadecimal, "inf", "nan", overflow.
 * Underflow gives the nearest double, perhaps 0. */
bool sa_number_parse(const char *text, double *value);

/* Parses a whole number: digits with an optional sign, in the range of int64_t. */
bool sa_integer_parse(const char *text, int64_t *value);

/* Appends the shortest digits that read back as the same number: as a float (at most 9) when the
 * value is one, otherwise as a double (at most 17). Whole numbers up to 1e15 are written in full;
 * others are "inf", "-inf" or "nan". */
void sa_number_add(sa_buffer *out, double value);

/* Appends digits that always read back as the same double. */
void sa_number_add_exact(sa_buffer *out, double value);

/* Appends the value rounded to `decimals` digits after the point (0: no point); above 1e15, with an
 * exponent. */
void sa_number_add_fixed(sa_buffer *out, double value, int decimals);

/* Compares two doubles for qsort, ascending. */
int sa_number_compare(const void *a, const void *b);
