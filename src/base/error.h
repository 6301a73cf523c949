/* error: how failures of the environment (files, options, memory) are reported.
 *
 * A function that can fail takes an sa_error as its last argument and returns false (or NULL) after
 * filling it in where the failure happened, with the file and line concerned. Programming errors
 * trap (sa_trap) instead, so that equations need no error paths. */
#pragma once

#include <softalign.h>
#include <stdbool.h>
#include <stddef.h>

/* Fills `error` (which may be NULL) and returns false, so that callers write `return sa_fail(...)`.
 * Control characters of the formatted text are escaped: it is safe to print to a terminal. */
bool sa_fail(sa_error *error, sa_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails with a message from errno: "cannot open 'x': No such file or directory". `verb` is "open",
 * "read", "write" ...; the code should be SA_OPEN or SA_IO. */
bool sa_fail_errno(sa_error *error, sa_code code, const char *verb, const char *path);

/* Fails with SA_LIMIT: out of memory. */
bool sa_fail_memory(sa_error *error, size_t bytes);

/* Copies `size` bytes of untrusted text into `out` (capacity >= 4, always terminated), with control
 * characters, bidirectional overrides and bytes that are not UTF-8 written as \xNN or \u{NNNN}, and
 * truncated with an ellipsis. Returns out. */
const char *sa_escape(char *out, size_t capacity, const char *text, size_t size);

/* Writes the first character of `text` (size >= 1) as sa_escape does, terminated. Returns its
 * length in the text, in bytes. */
enum { SA_ESCAPED = 16 };
size_t sa_escape_first(char escaped[SA_ESCAPED], const char *text, size_t size);

/* Returns the code point at text (UINT32_MAX: not UTF-8), and sets its length in bytes, at least
 * 1. */
uint32_t sa_utf8_codepoint(const char *text, size_t size, size_t *length);
/* Returns whether the bytes are strict UTF-8 (no overlong forms, no surrogates, nothing above
 * U+10FFFF). If not, *bad is the offset of the first wrong byte. */
bool sa_utf8_valid(const char *text, size_t size, size_t *bad);

/* Aborts on a programming error, such as a shape that does not match or a name bound twice. Bad
 * input never leads here. */
#define sa_require(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) sa_trap(#condition, __FILE__, __LINE__);                                 \
    } while (0)
_Noreturn void sa_trap(const char *condition, const char *file, int line);

/* Tells an analyzer that sees only one file at a time (scripts/dev/lint) that these functions
 * return false. */
#ifdef SA_STATIC_ANALYSIS
#define sa_fail(...) (sa_fail(__VA_ARGS__) && false)
#define sa_fail_errno(...) (sa_fail_errno(__VA_ARGS__) && false)
#define sa_fail_memory(...) (sa_fail_memory(__VA_ARGS__) && false)
#endif

/* Checks that the pointer is not NULL. */
bool sa_given(const void *pointer, const char *name, sa_error *error);

/* Checks that the number is in the range. */
bool sa_within(int64_t number, int64_t min, int64_t max, const char *name, sa_error *error);

/* Checks that count fits in an int (which also rejects negative ints converted to size_t), and that
 * the array is not NULL unless count is 0. */
bool sa_given_array(const void *array, size_t count, const char *name, sa_error *error);

/* Does the same; also checks that no text is NULL, and that all are UTF-8. */
bool sa_given_texts(const char *const *texts, size_t count, const char *name, sa_error *error);
bool sa_given_pairs(const sa_pair *pairs, size_t count, const char *name, sa_error *error);

/* Checks the sizes of the alignment and its words, which must be UTF-8; the weights may be NULL. */
bool sa_given_alignment(const sa_alignment *alignment, const char *name, sa_error *error);

/* Checks a corpus that was opened, or that a program put together. */
bool sa_given_corpus(const sa_corpus *corpus, const char *name, sa_error *error);
