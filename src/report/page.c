#include "report/page.h"

#include <math.h>
#include <string.h>

void sa_page_write(const char *json, sa_buffer *out) {
    sa_buffer_adds(out, (const char *)sa_page_before);
    while (*json) { /* they occur only in strings, where JSON allows escapes */
        const size_t plain = strcspn(json, "<>&");
        sa_buffer_add(out, json, plain);
        json += plain;
        if (*json) sa_buffer_addf(out, "\\u%04x", (unsigned)*json++);
    }
    sa_buffer_adds(out, (const char *)sa_page_after);
}

/* 0 .. 1000: weights; above ZEROS: a number of zeros; above NEGATIVE: weights below 0. */
enum { THOUSANDTHS = 1000, ZEROS = 1024, NEGATIVE = 3072 };

static void add_number(int number, sa_buffer *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    sa_buffer_add(out, (const char[]){digits[number / 64], digits[number % 64]}, 2);
}

void sa_page_encode_weights(const double *weights, size_t count, sa_buffer *out) {
    int zeros = 0;
    for (size_t i = 0; i < count; i++) {
        const int part = (int)lround(fmin(fmax(weights[i], -1), 1) * THOUSANDTHS);
        if (!part && zeros < NEGATIVE - ZEROS) {
            zeros++;
            continue;
        }
        if (zeros) add_number(ZEROS + zeros, out);
        zeros = !part;
        if (part) add_number(part > 0 ? part : NEGATIVE - part, out);
    }
    if (zeros) add_number(ZEROS + zeros, out);
}
