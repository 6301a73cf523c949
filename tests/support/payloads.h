/* payloads: words that try to act: formulas, markup, escape sequences, directions,
 * read from golden/payloads.txt: one a line, in which \xNN is a byte and \\ a backslash, so that
 * bash reads it too: printf '%b'. */
#ifndef TEST_PAYLOADS_H
#define TEST_PAYLOADS_H

#include "support/assertions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOADS_MOST = 1000 };
static char *payloads[PAYLOADS_MOST];
static int payload_count;

/* Decodes a line in place. */
static inline void payload_decode(char *line) {
    char *out = line;
    for (const char *at = line; *at && *at != '\n';) {
        unsigned byte;
        if (sscanf(at, "\\x%2X", &byte) == 1) {
            *out++ = (char)byte;
            at += 4;
        } else {
            at += *at == '\\';
            *out++ = *at++;
        }
    }
    *out = 0;
}

/* A fixture for tcase_add_unchecked_fixture. */
static inline void payloads_read(void) {
    FILE *file = fopen(TEST_ROOT "/tests/golden/payloads.txt", "r");
    char *line = NULL;
    size_t capacity = 0;
    ck_assert_ptr_nonnull(file);
    for (; getline(&line, &capacity, file) > 0; line = NULL) {
        ck_assert_int_lt(payload_count, PAYLOADS_MOST);
        payload_decode(line);
        payloads[payload_count++] = line;
    }
    free(line);
    fclose(file);
}

static inline void payloads_free(void) {
    while (payload_count) free(payloads[--payload_count]);
}

#endif
