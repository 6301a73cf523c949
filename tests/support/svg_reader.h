/* svg_reader: a strict reader of the program's own SVG. */
#ifndef TEST_SVG_READER_H
#define TEST_SVG_READER_H

#include "base/utf8.h"
#include "report/drawing.h"
#include "support/assertions.h"
#include "support/spans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads one character or entity of the text between tags. */
static inline const char *svg_decode(const char *at, sa_buffer *out) {
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (int i = 0; *at == '&' && i < 5; i++) {
        if (!begins_with(at, entities[i])) continue;
        sa_buffer_add(out, &"&<>\"'"[i], 1);
        return at + strlen(entities[i]);
    }
    ck_assert_msg(*at && !strchr("&<>", *at), "not text: '%s'", at);
    sa_buffer_add(out, at, 1);
    return at + 1;
}

/* Reads a tag: its name ("/text" for an end), and attributes with the characters that the program
 * writes. Returns the rest. */
static inline const char *svg_tag(const char *at, char *name, size_t capacity, bool *closed) {
    const size_t size = span_in(at + 1, "abcdefghijklmnopqrstuvwxyz") +
                        (at[1] == '/' ? 1 + span_in(at + 2, "abcdefghijklmnopqrstuvwxyz") : 0);
    ck_assert(*at == '<');
    snprintf(name, capacity, "%.*s", (int)size, at + 1);
    for (at += 1 + strlen(name); *at == ' ';) {
        at += 1 + span_in(at + 1, "abcdefghijklmnopqrstuvwxyzB-");
        ck_assert_msg(at[0] == '=' && at[1] == '"', "no attribute: '%s'", at);
        at += 2 + span_in(at + 2, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789#.:/-() ");
        ck_assert_msg(*at == '"', "within an attribute: '%s'", at);
        at++;
    }
    *closed = *at == '/';
    at += *closed;
    ck_assert_msg(*at == '>', "a tag does not end: '%s'", at);
    return at + 1;
}

/* The text that a word is drawn as. */
static inline char *svg_shown(const char *text_buffer) {
    sa_buffer out = {0};
    sa_buffer_adds(&out, "");
    for (; *text_buffer; text_buffer++)
        if (strncmp(text_buffer, "\xef\xbf\xbe", 3) == 0 ||
            strncmp(text_buffer, "\xef\xbf\xbf", 3) == 0) {
            sa_buffer_adds(&out, "\xef\xbf\xbd");
            text_buffer += 2;
        } else {
            sa_buffer_add(&out, text_buffer, 1);
        }
    return out.text;
}

/* Expects one rectangle or text per shape, and the shape's word in every text. */
static inline void svg_expect(const sa_drawing *drawing, const char *svg) {
    const char *at = strstr(svg, "?>\n") + 3;
    char name[32];
    bool closed;
    size_t bad;
    ck_assert(sa_utf8_valid(svg, strlen(svg), &bad));
    for (const char *c = svg; *c; c++) ck_assert((unsigned char)*c >= ' ' || *c == '\n');
    at = svg_tag(at, name, sizeof name, &closed);
    ck_assert(strcmp(name, "svg") == 0 && !closed && *at++ == '\n');
    for (size_t i = 0; i < drawing->count; i++, at++) {
        const sa_shape *shape = &drawing->shapes[i];
        at = svg_tag(at, name, sizeof name, &closed);
        ck_assert_str_eq(name, shape->kind == SA_SHAPE_TEXT ? "text" : "rect");
        ck_assert(closed == (shape->kind != SA_SHAPE_TEXT));
        if (!closed) {
            sa_buffer content = {0};
            sa_buffer_adds(&content, "");
            while (*at != '<') at = svg_decode(at, &content);
            char *wanted = svg_shown(drawing->text_buffer.text + shape->text);
            ck_assert_str_eq(content.text, wanted);
            sa_buffer_release(&content);
            free(wanted);
            at = svg_tag(at, name, sizeof name, &closed);
            ck_assert_str_eq(name, "/text");
        }
        ck_assert(*at == '\n');
    }
    ck_assert_str_eq(at, "</svg>\n");
}

#endif
