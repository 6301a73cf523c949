/* golden: texts that are compared with files of tests/golden. */
#ifndef TEST_GOLDEN_H
#define TEST_GOLDEN_H

#include "base/memory.h"
#include "support/assertions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compares the text with that file, and releases it. If they differ, the new text is written to the
 * folder of the tests: where the change is meant, look at it and copy it. */
static inline void expect_golden(sa_buffer *text, const char *name) {
    enum { MOST = 1 << 16 };
    char path[160], *wanted = malloc(MOST);
    snprintf(path, sizeof path, TEST_ROOT "/tests/golden/%s", name);
    ck_assert(wanted && !text->failed);
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(wanted, 1, MOST, file) : 0;
    if (file) fclose(file);
    if (text->size != size || memcmp(text->text, wanted, size) != 0) {
        file = fopen(name, "wb");
        ck_assert(file && fwrite(text->text, 1, text->size, file) == text->size);
        fclose(file);
        ck_abort_msg("%s in the folder of the tests differs from the one in tests/golden", name);
    }
    free(wanted);
    sa_buffer_release(text);
}

#endif
