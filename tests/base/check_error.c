/* Messages that are safe to print, and memory whose sizes cannot overflow. */
#include "base/error.h"
#include "base/memory.h"
#include "support/suite.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text that others wrote ------------------------------------------------------------------ */

static const struct {
    const char *text, *shown;
} escapes[] = {
    {"", ""},
    {"plain text", "plain text"},
    {"d\xc3\xa9j\xc3\xa0 \xe2\x82\xac \xf0\x9f\x98\x80",
     "d\xc3\xa9j\xc3\xa0 \xe2\x82\xac \xf0\x9f\x98\x80"},
    {"tab\there\nline\x1b[2J\x7f", "tab\\x09here\\x0Aline\\x1B[2J\\x7F"},
    {"\xc2\x9b"
     "31m",
     "\\u{009B}31m"}, /* a control sequence in one code point */
    {"a\xe2\x80\xaew\xe2\x81\xa6", "a\\u{202E}w\\u{2066}"},
    {"\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\\u{200E}\\u{200F}\\u{061C}"},
    {"\xe2\x80\xa8\xef\xbb\xbf", "\\u{2028}\\u{FEFF}"},
    /* the last of a kind, and what follows it, such as the spaces in French numbers */
    {"\xc2\x9f!\xc2\xa0!", "\\u{009F}!\xc2\xa0!"},
    {"\xe2\x80\xae\xe2\x80\xaf", "\\u{202E}\xe2\x80\xaf"},
    {"\xe2\x81\xa9\xe2\x81\xaa", "\\u{2069}\xe2\x81\xaa"},
    {"\xf3\xa0\x80\x80\xf3\xa0\x82\x80", "\\u{E0000}\xf3\xa0\x82\x80"},
    {"\xf3\xa0\x81\x81", "\\u{E0041}"},           /* a tag character */
    {"\xff\xc3(", "\\xFF\\xC3("},                 /* not UTF-8 */
    {"\xc0\xaf", "\\xC0\\xAF"},                   /* overlong */
    {"\xe0\x80\xaf", "\\xE0\\x80\\xAF"},          /* the same in three bytes */
    {"\xf0\x8f\xbf\xbf", "\\xF0\\x8F\\xBF\\xBF"}, /* and in four */
    {"\xed\xa0\x80", "\\xED\\xA0\\x80"},          /* half of a surrogate pair */
    {"\xf4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"}, /* above U+10FFFF */
    {"end\xe2\x82", "end\\xE2\\x82"},             /* cut short */
};
enum { ESCAPES = sizeof escapes / sizeof *escapes };

START_TEST(what_could_change_a_terminal_is_escaped) {
    char out[128];
    const char *text = escapes[_i].text;
    ck_assert_ptr_eq(sa_escape(out, sizeof out, text, strlen(text)), out);
    ck_assert_str_eq(out, escapes[_i].shown);
}
END_TEST

START_TEST(a_zero_byte_is_text_like_any_other) {
    char out[32];
    ck_assert_str_eq(sa_escape(out, sizeof out, "a\0b", 3), "a\\x00b");
}
END_TEST

/* At every size: terminated, nothing written past the end, cut between characters. */
START_TEST(long_text_is_cut_with_an_ellipsis) {
    const char *text = "ab\xe2\x82\xac\x01z\xc3\xa9";
    const char *const whole = "ab\xe2\x82\xac\\x01z\xc3\xa9";
    for (size_t capacity = 4; capacity < 24; capacity++) {
        char out[32];
        memset(out, '#', sizeof out);
        sa_escape(out, capacity, text, strlen(text));
        const size_t size = strnlen(out, capacity);
        ck_assert_uint_lt(size, capacity);
        for (size_t i = capacity; i < sizeof out; i++) ck_assert_int_eq(out[i], '#');
        if (strcmp(out, whole) == 0) continue;
        ck_assert_uint_ge(size, 3);
        ck_assert_str_eq(out + size - 3, "\xe2\x80\xa6");
        ck_assert_mem_eq(out, whole, size - 3);
        ck_assert_int_ne(whole[size - 3] & 0xc0, 0x80);
        ck_assert_uint_lt(capacity, strlen(whole) + 4);
    }
}
END_TEST

/* ---- Errors ---------------------------------------------------------------------------------- */

START_TEST(a_failure_says_what_and_where) {
    sa_error error = {0};
    ck_assert(!sa_fail(&error, SA_DATA, "%s:%d: no tab", "x\ny.tsv", 12));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_str_eq(error.text, "x\\x0Ay.tsv:12: no tab");
    ck_assert(!sa_fail(NULL, SA_DATA, "nobody reads %s", "this"));
    errno = ENOENT;
    ck_assert(!sa_fail_errno(&error, SA_OPEN, "open", "a\x1b.tsv"));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_str_eq(error.text, "cannot open 'a\\x1B.tsv': No such file or directory");
    errno = ENOMEM; /* the file is not to blame */
    ck_assert(!sa_fail_errno(&error, SA_OPEN, "open", "x"));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert(!sa_fail_memory(&error, 7));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_str_eq(error.text, "out of memory (7 bytes wanted)");
}
END_TEST

START_TEST(a_message_is_never_longer_than_its_room) {
    sa_error error;
    char *long_name = malloc(5001);
    memset(long_name, 'x', 5000);
    long_name[5000] = 0;
    ck_assert(!sa_fail(&error, SA_USAGE, "%s", long_name));
    ck_assert_uint_lt(strlen(error.text), sizeof error.text);
    ck_assert_uint_gt(strlen(error.text), sizeof error.text - 8);
    ck_assert_str_eq(error.text + strlen(error.text) - 4, "x\xe2\x80\xa6");
    free(long_name);
}
END_TEST

/* However long the condition is. */
START_TEST(a_mistake_of_the_program_ends_it) {
    char condition[1000];
    memset(condition, 'x', sizeof condition - 1);
    condition[sizeof condition - 1] = 0;
    sa_trap(_i ? condition : "rows > 0", "file.c", 12);
}
END_TEST

/* ---- Arguments ------------------------------------------------------------------------------- */

static void refused(bool good, const sa_error *error, const char *message) {
    ck_assert_int_eq(good, !message);
    if (good) return;
    ck_assert_int_eq(error->code, SA_USAGE);
    ck_assert_str_eq(error->text, message);
}

static const struct {
    int targets, sources, heads, layers;
    const char *words[2][2]; /* of the target and the source */
    const char *message;
} alignments[] = {
    {2, 1, 0, 0, {{"a", "b"}, {"c"}}, NULL},
    {0, 1, 1, 1, {{"a"}, {"c"}}, "'it->targets' is 0: expected 1 to 2147483647"},
    {1, -1, 1, 1, {{"a"}, {"c"}}, "'it->sources' is -1: expected 1 to 2147483647"},
    {1, 1, -1, 1, {{"a"}, {"c"}}, "'it->heads' is -1: expected 0 to 2147483647"},
    {1, 1, 1, -5, {{"a"}, {"c"}}, "'it->layers' is -5: expected 0 to 2147483647"},
    {2, 1, 1, 1, {{"a"}, {"c"}}, "'it->target[1]' is NULL"},
    {1, 2, 1, 1, {{"a"}, {"c"}}, "'it->source[1]' is NULL"},
    {1, 2, 1, 1, {{"a"}, {"c", "d\xff"}}, "'it->source[1]' is not UTF-8 at byte 2: 0xFF"},
};
enum { ALIGNMENTS = sizeof alignments / sizeof *alignments };

START_TEST(an_alignment_must_be_whole) {
    sa_error error;
    const sa_alignment it = {.targets = alignments[_i].targets,
                             .sources = alignments[_i].sources,
                             .heads = alignments[_i].heads,
                             .layers = alignments[_i].layers,
                             .target = alignments[_i].words[0],
                             .source = alignments[_i].words[1]};
    refused(sa_given_alignment(&it, "it", &error), &error, alignments[_i].message);
}
END_TEST

static const struct {
    const char *name;
    sa_pair pairs[2];
    bool gold;
    const char *message;
} corpora[] = {
    {"x", {{.source = "a", .target = "b"}, {.source = "", .target = ""}}, false, NULL},
    {"x", {{.source = "a", .target = "b"}, {.target = "b"}}, false, "'it[1].source' is NULL"},
    {"x", {{.source = "a"}, {.source = "a", .target = "b"}}, false, "'it[0].target' is NULL"},
    {NULL, {{.source = "a", .target = "b"}}, false, "'it->name' is NULL"},
    {"x",
     {{.source = "a", .target = "b", .gold = "0-0"}, {.source = "a", .target = "b"}},
     true,
     "'it[1].gold' is NULL"},
};
enum { CORPORA = sizeof corpora / sizeof *corpora };

START_TEST(a_corpus_must_be_whole) {
    sa_error error;
    sa_pair pairs[2] = {corpora[_i].pairs[0], corpora[_i].pairs[1]};
    const sa_corpus it = {
        .name = corpora[_i].name, .pairs = pairs, .count = 2, .gold = corpora[_i].gold};
    refused(sa_given_corpus(&it, "it", &error), &error, corpora[_i].message);
}
END_TEST

/* ---- Memory ---------------------------------------------------------------------------------- */

START_TEST(new_memory_is_zero_and_never_nothing) {
    unsigned char *bytes = sa_new(100, 7, NULL);
    for (int i = 0; i < 700; i++) ck_assert_uint_eq(bytes[i], 0);
    free(bytes);
    void *none = sa_new(0, 8, NULL);
    ck_assert_ptr_nonnull(none);
    free(none);
    char *copy = sa_copy("abcdef", 3, NULL);
    ck_assert_str_eq(copy, "abc");
    free(copy);
}
END_TEST

START_TEST(a_size_that_overflows_is_refused) {
    int *array = NULL;
    size_t capacity = 0;
    sa_error error = {0};
    ck_assert(sa_reserve(&array, &capacity, 3, sizeof *array, NULL));
    array[2] = 77;
    void *place = array;
    ck_assert(!sa_resize(&place, SIZE_MAX / 2, 4, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_ptr_eq(place, array);
    const size_t before = capacity;
    error.code = SA_OK;
    ck_assert(!sa_reserve(&array, &capacity, SIZE_MAX / 2, sizeof *array, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_uint_eq(capacity, before);
    ck_assert_int_eq(array[2], 77);
    ck_assert_ptr_null(sa_copy("", SIZE_MAX, NULL));
    ck_assert(sa_resize(&place, 0, 4, &error)); /* to nothing, which is no failure */
    ck_assert_ptr_nonnull(place);
    free(place);
}
END_TEST

START_TEST(an_array_grows_by_doubling_and_keeps_its_items) {
    uint16_t *array = NULL;
    size_t capacity = 0, growths = 0;
    for (size_t i = 0; i < 10000; i++) {
        const size_t before = capacity;
        ck_assert(sa_reserve(&array, &capacity, i + 1, sizeof *array, NULL));
        ck_assert_uint_gt(capacity, i);
        growths += capacity != before;
        array[i] = (uint16_t)i;
    }
    ck_assert_uint_le(growths, 11);
    for (size_t i = 0; i < 10000; i++) ck_assert_uint_eq(array[i], i);
    free(array);
}
END_TEST

/* ---- Buffers --------------------------------------------------------------------------------- */

START_TEST(a_buffer_holds_all_that_was_added) {
    sa_buffer buffer = {0};
    char long_text[600];
    memset(long_text, 'y', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    sa_buffer_add(&buffer, "", 0);
    ck_assert_str_eq(buffer.text, "");
    sa_buffer_adds(&buffer, "one ");
    sa_buffer_add(&buffer, "two!", 3);
    sa_buffer_addf(&buffer, " %d%%", 3);
    ck_assert_str_eq(buffer.text, "one two 3%");
    sa_buffer_addf(&buffer, "<%s>", long_text); /* longer than the buffer on the stack */
    ck_assert_uint_eq(buffer.size, 10 + 601);
    ck_assert_mem_eq(buffer.text + 10, "<yyy", 4);
    ck_assert_str_eq(buffer.text + 609, "y>");
    ck_assert(!buffer.failed);
    sa_buffer_release(&buffer);
    ck_assert_ptr_null(buffer.text);
}
END_TEST

/* The first that do not fit into the buffer on the stack, and the last that do. */
START_TEST(formatted_text_is_whole_at_every_length) {
    for (size_t size = 250; size < 260; size++) {
        sa_buffer buffer = {0};
        sa_buffer_addf(&buffer, "%*s", (int)size, "x");
        ck_assert_uint_eq(buffer.size, size);
        ck_assert_uint_eq(strlen(buffer.text), size);
        ck_assert_int_eq(buffer.text[size - 1], 'x');
        sa_buffer_release(&buffer);
    }
}
END_TEST

START_TEST(what_follows_a_failure_is_dropped) {
    sa_buffer buffer = {0};
    sa_buffer_adds(&buffer, "kept");
    sa_buffer_add(&buffer, "too much", SIZE_MAX - 3);
    ck_assert(buffer.failed);
    sa_buffer_adds(&buffer, " lost");
    sa_buffer_addf(&buffer, "%300s", "lost");
    ck_assert_str_eq(buffer.text, "kept");
    ck_assert_uint_eq(buffer.size, 4);
    sa_buffer_release(&buffer);
}
END_TEST

START_TEST(text_for_a_terminal) {
    const char text[] = "a\tb\r\n\x1b]0;t\a\xc2\x85\xe2\x80\xa8\xe2\x80\xae\xff\xc3\xa9";
    sa_buffer safe = {0};
    sa_buffer_add_safe(&safe, text, sizeof text, "\n\t");
    ck_assert_str_eq(safe.text, "a\tb\\x0D\n\\x1B]0;t\\x07\\u{0085}\\u{2028}\\u{202E}\\xFF\xc3\xa9"
                                "\\x00");
    safe.size = 0;
    sa_buffer_add_safe(&safe, "a\tb\n", 4, "\n");
    ck_assert_str_eq(safe.text, "a\\x09b\n");
    sa_buffer_release(&safe);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("error", &tests);
    tcase_add_test(tests, text_for_a_terminal);
    tcase_add_loop_test(tests, what_could_change_a_terminal_is_escaped, 0, ESCAPES);
    tcase_add_test(tests, a_zero_byte_is_text_like_any_other);
    tcase_add_test(tests, long_text_is_cut_with_an_ellipsis);
    tcase_add_test(tests, a_failure_says_what_and_where);
    tcase_add_loop_test_raise_signal(tests, a_mistake_of_the_program_ends_it, SIGABRT, 0, 2);
    tcase_add_test(tests, a_message_is_never_longer_than_its_room);
    tcase_add_loop_test(tests, an_alignment_must_be_whole, 0, ALIGNMENTS);
    tcase_add_loop_test(tests, a_corpus_must_be_whole, 0, CORPORA);
    tcase_add_test(tests, new_memory_is_zero_and_never_nothing);
    tcase_add_test(tests, a_size_that_overflows_is_refused);
    tcase_add_test(tests, an_array_grows_by_doubling_and_keeps_its_items);
    tcase_add_test(tests, a_buffer_holds_all_that_was_added);
    tcase_add_test(tests, formatted_text_is_whole_at_every_length);
    tcase_add_test(tests, what_follows_a_failure_is_dropped);
    return suite_run(suite);
}
