/* scratch: a temporary folder for tests that write files. */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

#include "support/assertions.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[64];

/* Fixtures for tcase_add_checked_fixture. */
static inline void scratch_make(void) {
    strcpy(scratch, "/tmp/softalign-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
}

/* Files in the folder, hidden ones included. */
static inline int scratch_files(void) {
    int count = -2; /* . and .. */
    DIR *list = opendir(scratch);
    ck_assert_ptr_nonnull(list);
    while (readdir(list)) count++;
    closedir(list);
    return count;
}

/* Empties an open folder and closes it. */
static inline void scratch_empty(int folder) {
    DIR *list = fdopendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (unlinkat(folder, name, 0) == 0) continue;
        scratch_empty(openat(folder, name, O_RDONLY | O_DIRECTORY));
        unlinkat(folder, name, AT_REMOVEDIR);
    }
    if (list) closedir(list);
}

static inline void scratch_remove(void) {
    scratch_empty(open(scratch, O_RDONLY | O_DIRECTORY));
    rmdir(scratch);
}

/* The path of a file in the folder; the last four results stay valid. */
static inline const char *scratch_path(const char *name) {
    static char paths[4][128];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

static inline void scratch_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* The bytes of a file, to be freed. */
static inline char *scratch_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    struct stat about;
    ck_assert_int_eq(fstat(fileno(file), &about), 0);
    char *bytes = calloc(1, (size_t)about.st_size + 1); /* ends with a 0 */
    *size = fread(bytes, 1, (size_t)about.st_size, file);
    ck_assert_uint_eq(*size, about.st_size);
    fclose(file);
    return bytes;
}

#endif
