/* pairs: the two sides of every line of a tab-separated file. */
#ifndef TEST_PAIRS_H
#define TEST_PAIRS_H

#include "base/file.h"
#include "support/assertions.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OWN TEST_ROOT "/tests/golden/own"
#define METRICS TEST_ROOT "/../shared/data/metrics/"

/* Whether a file of the shared data exists; prints that the test is skipped if not. */
static inline int pairs_there(const char *path) {
    if (access(path, R_OK) == 0) return 1;
    printf("skipped: no %s\n", path);
    return 0;
}

/* Calls `each` with the text before and after the first tab; returns the number of lines. */
static inline int for_pairs(const char *path, void (*each)(void *context, char *left, char *right),
                            void *context) {
    sa_text_lines lines;
    sa_error error;
    ck_assert_msg(sa_text_lines_open(&lines, path, &error), "%s", error.text);
    while (sa_lines_next(&lines, &error)) {
        char *line = lines.line, *tab = strchr(line, '\t');
        ck_assert_ptr_nonnull(tab);
        *tab = 0;
        each(context, line, tab + 1);
    }
    ck_assert_msg(!lines.failed, "%s", error.text);
    sa_text_lines_close(&lines);
    return (int)lines.number;
}

#endif
