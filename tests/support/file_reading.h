/* file_reading: expectations of sa_file_read. */
#ifndef TEST_FILE_READING_H
#define TEST_FILE_READING_H

#include "base/file.h"
#include "support/scratch.h"

static sa_error error;

/* Reads the file and expects these bytes. */
static inline void expect(const char *path, const char *bytes, size_t size) {
    sa_file file;
    ck_assert_msg(sa_file_read(&file, path, SA_FILE_LIMIT, &error), "%s", error.text);
    ck_assert_uint_eq(file.size, size);
    ck_assert_mem_eq(file.data, bytes, size);
    ck_assert_int_eq(file.data[size], 0);
    sa_file_release(&file);
    ck_assert_ptr_null(file.data);
}

/* Reads the file and expects a failure whose text begins with `before`, the path and `after`. */
static inline void refuse(const char *path, size_t limit, sa_code code, const char *before,
                          const char *after) {
    char text[256];
    sa_file file;
    snprintf(text, sizeof text, "%s%s%s", before, path, after);
    error = (sa_error){0};
    ck_assert(!sa_file_read(&file, path, limit, &error));
    ck_assert_ptr_null(file.data);
    ck_assert_str_eq(error.text, text);
    ck_assert_int_eq(error.code, code);
}

static inline bool read_it(sa_error *why) {
    sa_file file;
    const bool good = sa_file_read(&file, scratch_path("a"), SA_FILE_LIMIT, why);
    sa_file_release(&file);
    return good;
}

#endif
