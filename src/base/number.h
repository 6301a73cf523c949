/* number: numbers as text, with '.' as the decimal point whatever locale the program around the
 * library has chosen. */
#ifndef SA_BASE_NUMBER_H
#define SA_BASE_NUMBER_H

#include "base/memory.h"
#include <stdint.h>

/* Reads a decimal number ("12", "-0.5", ".5", "1e-3") that fills the whole text. False, and *value
 * untouched, for anything else: spaces, commas, hexadecimal, "inf", "nan", a number beyond the
 * range of double. A number too small for double reads as the nearest one, perhaps 0. */
bool sa_number_parse(const char *text, double *value);

/* The same for a whole number: digits with an optional sign, within int64_t. */
bool sa_integer_parse(const char *text, int64_t *value);

/* Appends as few digits as name the value. Whole numbers up to 1e15 are written in full. A value
 * that is exactly a float gets at most 9 digits, which read back as the same float; any other value
 * at most 17, which read back as the same double. Otherwise "inf", "-inf" or "nan". */
void sa_number_add(sa_buffer *out, double value);

/* The same with as many digits as read back as the same double, whatever the value. */
void sa_number_add_exact(sa_buffer *out, double value);

/* Appends the value rounded to `decimals` digits behind the point (none: no point). */
void sa_number_add_fixed(sa_buffer *out, double value, int decimals);

#endif
