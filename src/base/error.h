/* error: how a failure of the world (files, options, memory) travels.
 *
 * A function that can fail takes an sa_error last and returns false (or NULL) after filling it in
 * where the failure happened, with the file and line that the user must look at. Programming
 * mistakes are no errors: they trap (sa_trap), so that equations carry no error paths. */
#ifndef SA_BASE_ERROR_H
#define SA_BASE_ERROR_H

#include <softalign.h>
#include <stdbool.h>
#include <stddef.h>

/* Fills `error` (which may be NULL) and returns false, so that callers write `return sa_fail(...)`.
 * Control characters of the formatted text are escaped: it is safe to print to a terminal. */
bool sa_fail(sa_error *error, sa_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "cannot open 'x': No such file or directory" from errno. `verb` is "open", "read", "write" ...;
 * the code should be SA_OPEN or SA_IO. */
bool sa_fail_errno(sa_error *error, sa_code code, const char *verb, const char *path);

/* The one message for memory that could not be had. */
bool sa_fail_memory(sa_error *error, size_t bytes);

/* Copies `size` bytes of untrusted text into `out` (capacity `room` >= 4, always terminated), with
 * control characters, bidirectional overrides and bytes that are not UTF-8 written as \xNN or
 * \u{NNNN}, and cut with an ellipsis when too long. Returns out. */
const char *sa_escape(char *out, size_t capacity, const char *text, size_t size);

/* The length of the character at `text`, and its code point: 0 when these bytes are no UTF-8. */
size_t sa_utf8_decode(const char *text, size_t size, uint32_t *code);

/* Stops the program because of a mistake in the program: a shape that does not fit, a name bound
 * twice. Never reached by bad input. */
#define sa_require(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) sa_trap(#condition, __FILE__, __LINE__);                                 \
    } while (0)
_Noreturn void sa_trap(const char *condition, const char *file, int line);

/* What an analyser that sees one file at a time (scripts/lint) cannot know. */
#ifdef SA_STATIC_ANALYSIS
#define sa_fail(...) (sa_fail(__VA_ARGS__) && false)
#define sa_fail_errno(...) (sa_fail_errno(__VA_ARGS__) && false)
#define sa_fail_memory(...) (sa_fail_memory(__VA_ARGS__) && false)
#endif

#endif
