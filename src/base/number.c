#include "base/number.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the locale of this thread to "C", for the C library's correctly rounded conversions; returns
 * the previous one, for uselocale. In glibc and musl "C" is static: nothing can fail or needs to be
 * freed. */
static locale_t enter_c_locale(void) {
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

/* Whatever strtod and strtoll read that is not a number here (spaces, hexadecimal, "inf", "nan")
 * contains other characters than these. */
#define OF_INTEGERS "+-0123456789"
#define OF_NUMBERS OF_INTEGERS ".eE"

bool sa_number_parse(const char *text, double *value) {
    char *end;
    const locale_t before = enter_c_locale();
    const double read = strtod(text, &end);
    uselocale(before);
    if (end == text || *end || text[strspn(text, OF_NUMBERS)] || !isfinite(read)) return false;
    *value = read;
    return true;
}

bool sa_integer_parse(const char *text, int64_t *value) {
    char *end;
    errno = 0;
    const long long read = strtoll(text, &end, 10);
    if (end == text || *end || text[strspn(text, OF_INTEGERS)] || errno) return false;
    *value = read;
    return true;
}

int sa_number_compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Tries FLT_DIG or DBL_DIG digits first, and at most 9 or 17, which are always enough. */
static void add(sa_buffer *out, double value, bool single) {
    if (!isfinite(value) || (fabs(value) <= 1e15 && value == trunc(value))) {
        sa_number_add_fixed(out, value, 0);
        return;
    }
    char text[320]; /* the compiler assumes the longest %g */
    double back;
    int digits = single ? FLT_DIG : DBL_DIG;
    const locale_t before = enter_c_locale();
    do {
        snprintf(text, sizeof text, "%.*g", digits++, value);
        back = strtod(text, NULL);
    } while (single ? (float)back != (float)value : back != value);
    uselocale(before);
    sa_buffer_adds(out, text);
}

void sa_number_add(sa_buffer *out, double value) {
    add(out, value, fabs(value) <= FLT_MAX && (double)(float)value == value);
}

void sa_number_add_exact(sa_buffer *out, double value) {
    add(out, value, false);
}

void sa_number_add_fixed(sa_buffer *out, double value, int decimals) {
    const locale_t before = enter_c_locale();
    sa_buffer_addf(out, fabs(value) > 1e15 ? "%.*e" : "%.*f", decimals,
                   isnan(value) ? (double)NAN : value); /* never "-nan" */
    uselocale(before);
}
