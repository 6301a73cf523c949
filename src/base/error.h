/* error: how failures of the environment (files, options, memory) are reported.
 *
 * A function that can fail takes an sa_error as its last argument and returns false (or NULL) after
 * filling it in where the failure happened, with the file and line concerned. Programming errors
 * trap (sa_trap) instead, so that equations need no error paths. */
#pragma once

#include <softalign/lab.h>
#include <softalign/report.h>
#include <stdbool.h>
#include <stddef.h>

/* Fills `error` (which may be NULL) and returns false, so that callers write `return sa_fail(...)`.
 * Control characters of the formatted text are escaped: it is safe to print to a terminal. */
bool sa_fail(sa_error *error, sa_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How modules that know no options speak of them: a message names a setting by its field in braces,
 * "{max_len} %d", and its reader gets the option, "--max-len 50". Options of `config` are called
 * like their fields for this. sa_fail does it by itself; this is for other formats. Returns out. */
const char *sa_name_options(char *out, size_t capacity, const char *format)
    __attribute__((format_arg(3)));

/* "cannot open 'x': No such file or directory" from errno. `verb` is "open", "read", "write" ...;
 * the code should be SA_OPEN or SA_IO. */
bool sa_fail_errno(sa_error *error, sa_code code, const char *verb, const char *path);

/* SA_LIMIT: out of memory. */
bool sa_fail_memory(sa_error *error, size_t bytes);

/* Copies `size` bytes of untrusted text into `out` (capacity >= 4, always terminated), with control
 * characters, bidirectional overrides and bytes that are not UTF-8 written as \xNN or \u{NNNN}, and
 * truncated with an ellipsis. Returns out. */
const char *sa_escape(char *out, size_t capacity, const char *text, size_t size);

/* Writes the first character of `text` (size >= 1) as sa_escape does, terminated, and returns how
 * many bytes of the text that is. */
enum { SA_ESCAPED = 16 };
size_t sa_escape_first(char escaped[SA_ESCAPED], const char *text, size_t size);

/* The length of the UTF-8 character at `text`, with its code point in *code; 0 when invalid. */
size_t sa_utf8_decode(const char *text, size_t size, uint32_t *code);
/* Whether the bytes are strict UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
 * If not, *bad is the offset of the first wrong byte. */
bool sa_utf8_valid(const char *text, size_t size, size_t *bad);

/* Aborts on a programming error, such as a shape that does not match or a name bound twice. Bad
 * input never gets here. */
#define sa_require(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) sa_trap(#condition, __FILE__, __LINE__);                                 \
    } while (0)
_Noreturn void sa_trap(const char *condition, const char *file, int line);

/* Tells an analyzer that sees one file at a time (scripts/dev/lint) that these return false. */
#ifdef SA_STATIC_ANALYSIS
#define sa_fail(...) (sa_fail(__VA_ARGS__) && false)
#define sa_fail_errno(...) (sa_fail_errno(__VA_ARGS__) && false)
#define sa_fail_memory(...) (sa_fail_memory(__VA_ARGS__) && false)
#endif

/* The pointer is not NULL. */
bool sa_given(const void *pointer, const char *name, sa_error *error);

/* The number is in the range. */
bool sa_within(int64_t number, int64_t min, int64_t max, const char *name, sa_error *error);

/* The count is no more than an int holds, as a negative number passed for it is not; and unless it
 * is 0, the array is not NULL. */
bool sa_given_array(const void *array, size_t count, const char *name, sa_error *error);

/* The same for arrays whose texts must not be NULL, either, and must be UTF-8. */
bool sa_given_texts(const char *const *texts, size_t count, const char *name, sa_error *error);
bool sa_given_pairs(const sa_pair *pairs, size_t count, const char *name, sa_error *error);

/* Its sizes and words, which must be UTF-8; its weights may be NULL. */
bool sa_given_alignment(const sa_alignment *alignment, const char *name, sa_error *error);

/* A corpus that was opened, or put together by a program. */
bool sa_given_corpus(const sa_corpus *corpus, const char *name, sa_error *error);
