/* csv_reader: a strict reader of the CSV that the program writes. */
#ifndef TEST_CSV_READER_H
#define TEST_CSV_READER_H

#include "base/memory.h"
#include "support/assertions.h"
#include "support/spans.h"

#include <stdlib.h>
#include <string.h>

/* Reads the next cell by RFC 4180. Returns the rest, which begins with a comma or the line's end.
 */
static inline const char *cells_read(const char *at, sa_buffer *cell) {
    const bool quoted = *at == '"';
    sa_buffer_release(cell);
    sa_buffer_adds(cell, "");
    if (!quoted) {
        const size_t size = span_outside(at, ",\"\n\r");
        sa_buffer_add(cell, at, size);
        return at + size;
    }
    for (at++; at[0] != '"' || at[1] == '"'; at++) {
        ck_assert_msg(*at, "a cell's quotes do not end");
        sa_buffer_add(cell, at, 1);
        at += *at == '"';
    }
    return at + 1;
}

/* Expects a cell that no spreadsheet takes for a formula, and that is the word once the ' before a
 * formula is removed. */
static inline const char *cells_expect_word(const char *at, const char *word, sa_buffer *cell) {
    static const char *const starts[] = {"=",  "+",  "-",  "@",  "\t", "\r",
                                         "\n", "＝", "＋", "－", "＠"};
    enum { STARTS = sizeof starts / sizeof *starts };
    at = cells_read(at, cell);
    const char *text = cell->text, *rest = text + strspn(text, "'");
    for (int i = 0; i < STARTS; i++) {
        const size_t size = strlen(starts[i]);
        ck_assert_msg(strncmp(text, starts[i], size) != 0, "a formula: '%s'", text);
        if (rest > text && strncmp(rest, starts[i], size) == 0) {
            ck_assert_str_eq(text + 1, word);
            return at;
        }
    }
    ck_assert_str_eq(text, word);
    return at;
}

/* Expects the word itself. */
static inline const char *cells_expect_text(const char *at, const char *word, sa_buffer *cell) {
    at = cells_read(at, cell);
    ck_assert_str_eq(cell->text, word);
    return at;
}

static inline const char *cells_expect_number(const char *at, double number, sa_buffer *cell) {
    char *end;
    at = cells_read(at, cell);
    ck_assert_double_eq(strtod(cell->text, &end), number);
    ck_assert(end > cell->text && *end == 0);
    return at;
}

/* Expects the header and the rows of one sentence in the long table, by a model of one head. */
static inline void cells_expect_tidy(const char *at, const sa_alignment *alignment,
                                     bool spreadsheet) {
    const char *(*const expect)(const char *, const char *, sa_buffer *) =
        spreadsheet ? cells_expect_word : cells_expect_text;
    sa_buffer cell = {0};
    at = strchr(at, '\n') + 1;
    for (int i = 0; i < alignment->targets * alignment->sources; i++) {
        const int t = i / alignment->sources, s = i % alignment->sources;
        at = cells_expect_number(at, 2, &cell) + 1;
        at = cells_expect_number(at, 1, &cell) + 1;
        at = cells_expect_number(at, t, &cell) + 1;
        at = expect(at, alignment->target[t], &cell) + 1;
        at = cells_expect_number(at, s, &cell) + 1;
        at = expect(at, alignment->source[s], &cell) + 1;
        at = cells_expect_number(at, alignment->weights[i], &cell);
        ck_assert_msg(begins_with(at, ",1,7,,,0,0\n"), "%.20s", at);
        at += 11;
    }
    ck_assert_int_eq(*at, 0);
    sa_buffer_release(&cell);
}

#endif
