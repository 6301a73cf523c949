/* Files of pairs: names of columns that look like languages, the longest lines and texts, and lines
 * that are not text. */
#include "data/corpus.h"
#include "data/pair_reader.h"
#include "support/scratch.h"
#include "support/suite.h"

static sa_corpus corpus;
static sa_error error;

static const char *file(const char *name, const sa_buffer *text) {
    const char *path = scratch_path(name);
    scratch_write(path, text->text, text->size);
    return path;
}

static const char *short_file(const char *name, const char *text) {
    const char *path = scratch_path(name);
    scratch_write(path, text, strlen(text));
    return path;
}

/* The error has this code, and this text after the scratch folder. */
static void failed_with(sa_code code, const char *text) {
    ck_assert_str_eq(error.text + strlen(scratch) + 1, text);
    ck_assert_int_eq(error.code, code);
}

/* ---- Names of columns ------------------------------------------------------------------------ */

START_TEST(names_are_listed_until_they_fill_256_bytes) {
    enum { COLUMNS = 99, LISTED = 37 }; /* the first takes 5 bytes, each other one 7: 257 */
    sa_buffer text = {0}, wanted = {0};
    for (int i = 0; i < COLUMNS; i++) sa_buffer_addf(&text, "%sc%02d", i ? "," : "", i);
    sa_buffer_adds(&wanted, "x.csv: which two are source and target? (--columns); there are: ");
    for (int i = 0; i < LISTED; i++) sa_buffer_addf(&wanted, "%s'c%02d'", i ? ", " : "", i);
    ck_assert(!sa_corpus_open(&corpus, file("x.csv", &text), &error));
    failed_with(SA_USAGE, wanted.text);
    sa_buffer_release(&text), sa_buffer_release(&wanted);
}
END_TEST

/* A country, a script or a part of the world; with anything else, the first row is a pair. */
START_TEST(a_language_may_have_a_region) {
    static const struct {
        const char *name;
        bool known;
    } names[] = {{"en", true},       {"en_GB", true},    {"en-gb", true},    {"en_gb", false},
                 {"zh_Hans", true},  {"zh_hans", false}, {"zh_HANS", false}, {"zh_2020", false},
                 {"zh_2abc", false}, {"es_419", true},   {"es-abc", false},  {"en_", false},
                 {"en_x", false},    {"en_Latin", false}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s,de\na cat,eine Katze\n", names[i].name);
        const bool opened = sa_corpus_open(&corpus, short_file("x.csv", text), &error);
        ck_assert_msg(opened, "%s", error.text);
        ck_assert_msg(corpus.count == (names[i].known ? 1 : 2), "%s", names[i].name);
        ck_assert_str_eq(corpus.pairs[corpus.count - 1].target, "eine Katze");
        sa_corpus_close(&corpus);
    }
}
END_TEST

/* Which has no room for an ending that names a format. */
START_TEST(a_file_may_have_a_short_name) {
    static const char *const names[] = {"x", "xy", ".gz"};
    const int before = open(".", O_RDONLY | O_DIRECTORY);
    ck_assert(before >= 0 && chdir(scratch) == 0);
    for (int i = 0; i < 3; i++) {
        scratch_write(names[i], "a, b\tc\n", 7);
        const bool opened = sa_corpus_open(&corpus, names[i], &error);
        ck_assert_msg(opened, "%s", error.text);
        ck_assert_str_eq(corpus.pairs[0].source, "a, b");
        sa_corpus_close(&corpus);
    }
    ck_assert_int_eq(fchdir(before), 0);
    close(before);
}
END_TEST

/* ---- Limits ---------------------------------------------------------------------------------- */

/* Opens a file of a start, so many bytes x, and an end. */
static bool open_long(const char *name, const char *start, size_t size, const char *end) {
    sa_buffer text = {0};
    char *middle = sa_new(size, 1, &error);
    memset(middle, 'x', size);
    sa_buffer_adds(&text, start);
    sa_buffer_add(&text, middle, size);
    sa_buffer_adds(&text, end);
    const bool good = sa_corpus_open(&corpus, file(name, &text), &error);
    sa_buffer_release(&text);
    free(middle);
    return good;
}

/* Also where lines are only read to see which format they have. */
START_TEST(a_line_has_at_most_a_mebibyte) {
    static const char *const starts[] = {"a\t", "\"a\",", "\"a\"\t"};
    for (int i = 0; i < 3; i++) {
        const size_t most = SA_LINE_LIMIT - strlen(starts[i]);
        ck_assert_msg(open_long("x.txt", starts[i], most, "\n"), "%s", error.text);
        ck_assert_uint_eq(strlen(corpus.pairs[0].target), most);
        sa_corpus_close(&corpus);
        ck_assert(!open_long("x.txt", starts[i], most + 1, "\n"));
        failed_with(SA_LIMIT, "x.txt:1: line longer than 1048576 bytes");
    }
}
END_TEST

#ifdef SOFTALIGN_EXPAT

/* Where lines mean nothing. */
START_TEST(a_segment_has_at_most_a_mebibyte) {
    static const char start[] = "<tmx>\n<tu><tuv xml:lang=\"en\"><seg>",
                      end[] = "</seg></tuv><tuv xml:lang=\"fr\"><seg>b</seg></tuv></tu></tmx>";
    ck_assert_msg(open_long("x.tmx", start, SA_LINE_LIMIT, end), "%s", error.text);
    ck_assert_uint_eq(strlen(corpus.pairs[0].source), SA_LINE_LIMIT);
    sa_corpus_close(&corpus);
    ck_assert(!open_long("x.tmx", start, SA_LINE_LIMIT + 1, end));
    failed_with(SA_LIMIT, "x.tmx:2: 'en' is longer than 1048576 bytes");
}
END_TEST

/* The file is parsed in parts of 64 KiB, which end within units, and at its end or a byte off. */
START_TEST(a_long_tmx_is_read_to_its_end) {
    enum { PART = 1 << 16, UNITS = 1500 };
    for (size_t size = 3 * PART - 1; size <= 3 * PART + 1; size++) {
        sa_buffer text = {0};
        sa_buffer_adds(&text, "<tmx>\n");
        for (int i = 0; i < UNITS; i++)
            sa_buffer_addf(&text,
                           "<tu><tuv xml:lang=\"en-US\"><seg>a%d</seg></tuv>"
                           "<tuv xml:lang=\"fr\"><seg>b%d</seg></tuv></tu>\n",
                           i, i);
        ck_assert_uint_gt(text.size, 2 * PART);
        sa_buffer_pad(&text, (int)(size - text.size - strlen("</tmx>")));
        sa_buffer_adds(&text, "</tmx>");
        ck_assert_uint_eq(text.size, size);
        ck_assert_msg(sa_corpus_open(&corpus, file("x.tmx", &text), &error), "%s", error.text);
        ck_assert_uint_eq(corpus.count, UNITS);
        for (int i = 0; i < UNITS; i++) {
            ck_assert_int_eq(atoi(corpus.pairs[i].source + 1), i);
            ck_assert_int_eq(atoi(corpus.pairs[i].target + 1), i);
            ck_assert_uint_eq(corpus.pairs[i].line, (size_t)i + 2);
        }
        sa_corpus_close(&corpus);
        sa_buffer_release(&text);
    }
}
END_TEST

#endif

/* ---- Lines that are not text ----------------------------------------------------------------- */

/* Reads rows, of which some may be no text: "line:source=target" of each, with nothing around the
 * sign where there is none. Returns whether all were read. */
static bool read_leniently(const char *path, const char *rows) {
    sa_pair_reader reader;
    sa_buffer shown = {0};
    ck_assert_msg(sa_pair_reader_open(&reader, path, NULL, &error), "%s", error.text);
    reader.records.lenient = true;
    while (sa_pair_reader_next(&reader, &error)) {
        char *const *text = reader.text;
        sa_buffer_addf(&shown, "%s%zu:%s=%s", shown.size ? " " : "", reader.records.line,
                       text[SA_PAIR_SOURCE] ? text[SA_PAIR_SOURCE] : "",
                       text[SA_PAIR_TARGET] ? text[SA_PAIR_TARGET] : "");
    }
    const bool good = !reader.records.text.failed;
    ck_assert_str_eq(shown.text, rows);
    sa_buffer_release(&shown);
    sa_pair_reader_close(&reader);
    return good;
}

static const char *two_files(const char *source, const char *target) {
    static char both[256];
    snprintf(both, sizeof both, "%s,%s", short_file("s", source), short_file("t", target));
    return both;
}

START_TEST(lines_that_are_no_text_may_be_passed_over) {
    ck_assert(
        read_leniently(short_file("x.tsv", "\xff\na\tb\n\xff\tc\nd\te\n"), "1:= 2:a=b 3:= 4:d=e"));
    ck_assert(
        read_leniently(two_files("a\n\xff\nc\nd\n", "A\nB\n\xff\nD\n"), "1:a=A 2:= 3:= 4:d=D"));
    /* but not what else is wrong */
    ck_assert(!read_leniently(two_files("a\n\xff\nc\n", "A\nB\n"), "1:a=A 2:="));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_msg(strstr(error.text, "line 3 has no partner"), "%s", error.text);
}
END_TEST

START_TEST(a_line_that_is_too_long_is_not_passed_over) {
    sa_buffer text = {0};
    sa_buffer_adds(&text, "a\tb\n");
    for (size_t i = 0; i <= SA_LINE_LIMIT / 16; i++) sa_buffer_adds(&text, "0123456789abcdef");
    ck_assert(!read_leniently(file("x.tsv", &text), "1:a=b"));
    failed_with(SA_LIMIT, "x.tsv:2: line longer than 1048576 bytes");
    sa_buffer_release(&text);
}
END_TEST

/* Where columns are named, or only one is left, other rows must still have them. */
START_TEST(a_row_without_cells_has_no_columns_to_miss) {
    sa_pair_reader reader;
    ck_assert(
        sa_pair_reader_open(&reader, short_file("x.tsv", "a\tb\tc\n\xff\nd\n"), "1,3", &error));
    reader.records.lenient = true;
    ck_assert(sa_pair_reader_next(&reader, &error));
    ck_assert_str_eq(reader.text[SA_PAIR_TARGET], "c");
    ck_assert(sa_pair_reader_next(&reader, &error));
    for (int i = 0; i < SA_PAIR_TEXTS; i++) ck_assert_ptr_null(reader.text[i]);
    ck_assert(!sa_pair_reader_next(&reader, &error));
    failed_with(SA_DATA, "x.tsv:3: no column 3 (--columns)");
    sa_pair_reader_close(&reader);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("pair_limits", &tests);
    tcase_add_checked_fixture(tests, scratch_make, scratch_remove);
    tcase_add_test(tests, names_are_listed_until_they_fill_256_bytes);
    tcase_add_test(tests, a_language_may_have_a_region);
    tcase_add_test(tests, a_file_may_have_a_short_name);
    tcase_add_test(tests, a_line_has_at_most_a_mebibyte);
#ifdef SOFTALIGN_EXPAT
    tcase_add_test(tests, a_segment_has_at_most_a_mebibyte);
    tcase_add_test(tests, a_long_tmx_is_read_to_its_end);
#endif
    tcase_add_test(tests, lines_that_are_no_text_may_be_passed_over);
    tcase_add_test(tests, a_line_that_is_too_long_is_not_passed_over);
    tcase_add_test(tests, a_row_without_cells_has_no_columns_to_miss);
    return suite_run(suite);
}
