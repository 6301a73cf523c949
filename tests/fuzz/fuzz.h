/* fuzz: what the targets share. A target is a C file with LLVMFuzzerTestOneInput, which takes
 * any bytes as a user's input and asserts properties of the result. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include "base/memory.h"
#include "base/utf8.h"

#include <check.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- An input and its parts ------------------------------------------------------------------ */

typedef struct fuzz_input {
    const char *at;
    size_t size;
} fuzz_input;

static inline fuzz_input fuzz_input_of(const uint8_t *data, size_t size) {
    return (fuzz_input){(const char *)data, size};
}

/* The next byte; 0 at the end. */
static inline unsigned fuzz_byte(fuzz_input *input) {
    if (!input->size) return 0;
    input->size--;
    return (unsigned char)*input->at++;
}

/* Everything up to the next byte `end`, which is skipped, or the end of the input. */
static inline fuzz_input fuzz_until(fuzz_input *input, char end) {
    const char *stop = input->size ? memchr(input->at, end, input->size) : NULL;
    const fuzz_input part = {input->at, stop ? (size_t)(stop - input->at) : input->size};
    input->at += part.size + (stop != NULL);
    input->size -= part.size + (stop != NULL);
    return part;
}

/* A terminated copy on the heap, so that a sanitizer sees reads beyond its end. */
static inline char *fuzz_copy(fuzz_input part) {
    char *copy = malloc(part.size + 1);
    ck_assert(copy != NULL);
    if (part.size) memcpy(copy, part.at, part.size);
    copy[part.size] = 0;
    return copy;
}

static inline char *fuzz_line(fuzz_input *input) {
    return fuzz_copy(fuzz_until(input, '\n'));
}

static inline bool fuzz_is_utf8(const char *text, size_t size) {
    size_t bad;
    return sa_utf8_valid(text, size, &bad);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* The path of a file in memory with these bytes; each slot holds one file. */
enum { FUZZ_FILES = 4 };
static inline const char *fuzz_file(int slot, const void *bytes, size_t size) {
    static char path[FUZZ_FILES][32];
    static int made[FUZZ_FILES];
    if (!made[slot]) made[slot] = memfd_create("fuzz", MFD_CLOEXEC);
    ck_assert(made[slot] > 0 && ftruncate(made[slot], 0) == 0);
    for (size_t at = 0; at < size;) {
        const ssize_t done = pwrite(made[slot], (const char *)bytes + at, size - at, (off_t)at);
        ck_assert(done > 0);
        at += (size_t)done;
    }
    snprintf(path[slot], sizeof *path, "/proc/self/fd/%d", made[slot]);
    return path[slot];
}

/* The path of a file that the program may replace, in a memory file system if there is one. */
static inline const char *fuzz_scratch(void) {
    static char path[64];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, sizeof path, "%s/softalign-fuzz-%d", folder, (int)getpid());
    return path;
}

/* ---- What must hold of every refusal --------------------------------------------------------- */

/* A message that is safe on a terminal: not empty, one line, UTF-8. */
static inline void fuzz_expect_error(const sa_error *error, sa_code one, sa_code other) {
    const size_t size = strnlen(error->text, sizeof error->text);
    ck_assert_msg(error->code == one || error->code == other, "%d: %s", error->code, error->text);
    ck_assert(size > 0 && size < sizeof error->text);
    ck_assert_msg(fuzz_is_utf8(error->text, size), "%s", error->text);
    for (size_t i = 0; i < size; i++)
        ck_assert((unsigned char)error->text[i] >= ' ' && error->text[i] != 0x7f);
}

#endif
