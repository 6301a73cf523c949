/* Numbers as text. A text is a number exactly if strtod reads all of it and its characters are
 * those of a decimal number; written numbers are read as the same value. The first eight bytes
 * are also the bits of a double. */
#include "base/number.h"
#include "fuzz.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>

static void read_number(const char *text) {
    const double untouched = -99;
    double value = untouched;
    char *end;
    const bool plain = *text && !text[strspn(text, "0123456789+-.eE")];
    const double other = strtod(text, &end);
    const bool wanted = plain && !*end && isfinite(other);
    ck_assert_msg(sa_number_parse(text, &value) == wanted, "'%s'", text);
    ck_assert_msg(value == (wanted ? other : untouched), "'%s'", text);
}

static void read_integer(const char *text) {
    const int64_t untouched = -99;
    int64_t value = untouched;
    char *end;
    errno = 0;
    const intmax_t other = strtoimax(text, &end, 10);
    const bool wanted = *text && !text[strspn(text, "0123456789+-")] && !*end && !errno;
    ck_assert_msg(sa_integer_parse(text, &value) == wanted, "'%s'", text);
    ck_assert_msg(value == (wanted ? other : untouched), "'%s'", text);
}

/* Whether the text is the value in its precision. */
static bool names(const char *text, double value) {
    const bool single = fabs(value) <= FLT_MAX && (double)(float)value == value;
    double back = 0;
    if (isnan(value)) return strcmp(text, "nan") == 0;
    if (isinf(value)) return strcmp(text, value > 0 ? "inf" : "-inf") == 0;
    return sa_number_parse(text, &back) && (single ? (float)back == (float)value : back == value) &&
           signbit(back) == signbit(value);
}

static void write_number(double value) {
    char expected[512];
    double back = 0;
    sa_buffer out = {0};
    sa_number_add(&out, value);
    ck_assert_msg(names(out.text, value), "%a is written %s", value, out.text);
    sa_buffer_release(&out);
    sa_number_add_exact(&out, value);
    ck_assert_msg(names(out.text, value), "%a is written %s", value, out.text);
    ck_assert_msg(!isfinite(value) || (sa_number_parse(out.text, &back) && back == value), "%a",
                  value);
    sa_buffer_release(&out);
    for (int decimals = 0; decimals <= 6; decimals += 3) {
        snprintf(expected, sizeof expected, fabs(value) > 1e15 ? "%.*e" : "%.*f", decimals, value);
        sa_number_add_fixed(&out, value, decimals);
        ck_assert_str_eq(out.text, isnan(value) ? "nan" : expected);
        sa_buffer_release(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = fuzz_input_of(data, size);
    double value;
    if (size >= sizeof value) {
        memcpy(&value, data, sizeof value);
        write_number(value);
        write_number((double)(float)value);
    }
    char *text = fuzz_copy(input);
    read_number(text);
    read_integer(text);
    free(text);
    return 0;
}
