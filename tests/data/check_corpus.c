/* PAIRS: tables and parallel files, gold columns, and the message of every broken line. */
#include "data/corpus.h"
#include "support/scratch.h"

#include <softalign/lab.h>
#include <zlib.h>

static sa_corpus corpus;
static sa_error error;

static const char *table(const char *bytes, size_t size) {
    const char *path = scratch_path("x.tsv");
    scratch_write(path, bytes, size);
    return path;
}

/* Opens a table of these bytes. */
static void opens(const char *bytes) {
    const char *path = table(bytes, strlen(bytes));
    ck_assert_msg(sa_corpus_open(&corpus, path, &error), "%s", error.text);
    ck_assert_str_eq(corpus.name, path);
}

static void is_pair(size_t i, const char *source, const char *target, const char *gold,
                    size_t line) {
    ck_assert_uint_lt(i, corpus.count);
    ck_assert_str_eq(corpus.pairs[i].source, source);
    ck_assert_str_eq(corpus.pairs[i].target, target);
    ck_assert_pstr_eq(corpus.pairs[i].gold, gold);
    ck_assert_uint_eq(corpus.pairs[i].line, line);
}

/* Opening fails with this message, in which '@' is the folder. */
static void fails(const char *path, sa_code code, const char *message) {
    char expected[512];
    size_t used = 0;
    for (; *message; message++)
        used += (size_t)(*message == '@'
                             ? snprintf(expected + used, sizeof expected - used, "%s/", scratch)
                             : snprintf(expected + used, sizeof expected - used, "%c", *message));
    error = (sa_error){0};
    ck_assert(!sa_corpus_open(&corpus, path, &error));
    ck_assert_str_eq(error.text, expected);
    ck_assert_int_eq(error.code, code);
    ck_assert_ptr_null(corpus.pairs);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

START_TEST(sources_may_stand_alone) {
    const char *path = scratch_path("x.tsv");
    scratch_write(path, "a cat\n\nsee\tvoir\n", 16);
    ck_assert(sa_corpus_open_any(&corpus, path, NULL, true, &error));
    ck_assert(corpus.count == 2 && corpus.lines == 3 && corpus.empty == 1);
    is_pair(0, "a cat", "", NULL, 1);
    is_pair(1, "see", "voir", NULL, 3);
    sa_corpus_close(&corpus);
    fails(path, SA_DATA, "@x.tsv:1: no tab; expected source TAB target");
    scratch_write(path, "a cat\nsee\n", 10);
    fails(path, SA_DATA,
          "@x.tsv:1: no tab; expected source TAB target ('paste SOURCES TARGETS' makes such lines; "
          "texts alone, for a decoder-only model, have the source '-')");
}
END_TEST

START_TEST(pairs_are_read) {
    opens("a cat\tun chat\nsee\tvoir\tmore\teven more\n");
    ck_assert_uint_eq(corpus.count, 2);
    ck_assert_uint_eq(corpus.lines, 2);
    ck_assert_uint_eq(corpus.empty, 0);
    ck_assert(!corpus.gold);
    ck_assert_ptr_null(corpus.pairs[0].id);
    ck_assert_str_eq(corpus.pairs[1].id, "even more");
    is_pair(0, "a cat", "un chat", NULL, 1);
    is_pair(1, "see", "voir", NULL, 2);
    sa_corpus_close(&corpus);
    ck_assert_ptr_null(corpus.pairs);
}
END_TEST

START_TEST(line_ends_and_marks_are_taken_off) {
    opens("\xef\xbb\xbf"
          "a\tb\r\n c \t d\n\xef\xbb\xbf"
          "e\tf\r");
    ck_assert_uint_eq(corpus.count, 3);
    is_pair(0, "a", "b", NULL, 1);
    is_pair(1, " c ", " d", NULL, 2);
    is_pair(2,
            "\xef\xbb\xbf"
            "e",
            "f", NULL, 3); /* only at the start */
    sa_corpus_close(&corpus);
}
END_TEST

START_TEST(text_is_put_into_normal_form) {
    opens("e\xcc\x81te\xcc\x81\t\xe2\x84\xab"
          "\xe2\x80\xa8"
          "b\n");
    is_pair(0, "été",
            "Å\xe2\x80\xa8"
            "b",
            NULL, 1);
    sa_corpus_close(&corpus);
}
END_TEST

START_TEST(empty_sides_are_left_out_and_counted) {
    opens("\n \t \na\t\n\tb\nc\td\n\xc2\xa0\te\n   \nf\tg\t\n");
    ck_assert_uint_eq(corpus.lines, 8);
    ck_assert_uint_eq(corpus.empty, 6);
    ck_assert_uint_eq(corpus.count, 2);
    is_pair(0, "c", "d", NULL, 5);
    is_pair(1, "f", "g", NULL, 8);
    sa_corpus_close(&corpus);
}
END_TEST

START_TEST(nothing_to_read_is_an_error) {
    fails(table("", 0), SA_DATA, "@x.tsv: no sentence pairs (0 lines, 0 with an empty side)");
    fails(table("\n\n", 2), SA_DATA, "@x.tsv: no sentence pairs (2 lines, 2 with an empty side)");
    fails(table("\xef\xbb\xbf", 3), SA_DATA,
          "@x.tsv: no sentence pairs (0 lines, 0 with an empty side)");
    fails(table("\xef\xbb\xbf\n", 4), SA_DATA,
          "@x.tsv: no sentence pairs (1 lines, 1 with an empty side)");
    fails(table("a\t\n", 3), SA_DATA, "@x.tsv: no sentence pairs (1 lines, 1 with an empty side)");
}
END_TEST

#define BYTES(text) text, sizeof text - 1

static const struct {
    const char *bytes;
    size_t size;
    const char *message;
} broken[] = {
    {BYTES("a\tb\nno tab here\n"), "@x.tsv:2: no tab; expected source TAB target"},
    {BYTES("a\tb\nc\td\0e\n"), "@x.tsv:2: NUL byte (is this text, in UTF-8?)"},
    {BYTES("a\tb\rc\td\r"), "@x.tsv:1: carriage return inside a line"},
    {BYTES("a\tb\nc\td\xe9\n"),
     "@x.tsv:2: not UTF-8 at byte 4: 0xE9 (perhaps an 8-bit code like Latin-1)"},
    {BYTES("a\tb\xc3"), "@x.tsv:1: not UTF-8 at byte 4: 0xC3 (perhaps an 8-bit code like Latin-1)"},
    {BYTES("\xff\xfe"
           "a\0\t\0b\0\n\0"),
     "@x.tsv:1: not UTF-8 (looks like UTF-16LE); this converts it: iconv -f UTF-16LE -t UTF-8 "
     "FILE > NEW"},
    {BYTES("\0a\0\t\0b\0\n"),
     "@x.tsv:1: not UTF-8 (looks like UTF-16BE); this converts it: iconv -f UTF-16BE -t UTF-8 "
     "FILE > NEW"},
    {BYTES("PK\3\4\x14\0\0\0"),
     "@x.tsv:1: not UTF-8 (looks like a zip archive); this converts it: unzip -p FILE > NEW"},
    {BYTES("a\tb\t0-0\nc\td\n"), "@x.tsv:2: no third column; line 1 has an alignment there"},
    {BYTES("\na\tb\t0-0\nc\td\n"), "@x.tsv:3: no third column; line 2 has an alignment there"},
    {BYTES("a\tb\t0-0\nc\td\t0-0 1\n"),
     "@x.tsv:2: alignment: '1' is not a link; expected source-target as in 0-0 or 2p1"},
    {BYTES("a\tb\t0-0\n\n\tb\tCC-BY\n"),
     "@x.tsv:3: alignment: 'CC-BY' is not a link; expected source-target as in 0-0 or 2p1"},
};

START_TEST(broken_lines_are_named) {
    fails(table(broken[_i].bytes, broken[_i].size), SA_DATA, broken[_i].message);
}
END_TEST

START_TEST(missing_files_are_named) {
    fails(scratch_path("none.tsv"), SA_OPEN, "cannot open '@none.tsv': No such file or directory");
}
END_TEST

/* ---- Gold alignments ------------------------------------------------------------------------- */

START_TEST(the_first_pair_tells_of_gold) {
    opens("a b\tc d\t0-0 1p1\nc\td\t\ne\tf\t0-0\tmore\n");
    ck_assert(corpus.gold);
    is_pair(0, "a b", "c d", "0-0 1p1", 1);
    is_pair(1, "c", "d", "", 2);
    is_pair(2, "e", "f", "0-0", 3);
    sa_corpus_close(&corpus);
}
END_TEST

static const struct {
    const char *lines, *note;
} ungilded[] = {
    {"a\tb\t0:0\nc\td\t0-0\n", ":1: no third column is read as an alignment: '0:0' is not a link; "
                               "expected source-target as in 0-0 or 2p1"},
    {"a\tb\t \nc\td\t0-0\n", ":1: no third column is read as an alignment: it is blank here"},
    {"\nc\td\ne\tf\t\ng\th\t0-0\n",
     ":2: no third column is read as an alignment: this line has none"},
    {"a\tb\nc\td\t\n", NULL},
    {"\tb\t0:0\nc\td\n", NULL},
    {"a\tb\t0-0\n", NULL},
};

START_TEST(alignments_that_are_not_read_are_noted) {
    opens(ungilded[_i].lines);
    ck_assert_int_eq(!ungilded[_i].note, !corpus.note);
    if (corpus.note) {
        const size_t name = strlen(corpus.name);
        ck_assert_mem_eq(corpus.note, corpus.name, name);
        ck_assert_str_eq(corpus.note + name, ungilded[_i].note);
        ck_assert(!corpus.gold);
    }
    sa_corpus_close(&corpus);
}
END_TEST

START_TEST(other_third_columns_are_ignored) {
    opens("a\tb\tCC-BY 2.0\nc\td\t0-0\n");
    ck_assert(!corpus.gold);
    is_pair(0, "a", "b", NULL, 1);
    is_pair(1, "c", "d", NULL, 2);
    sa_corpus_close(&corpus);
    opens("a\tb\t \nc\td\t0-0\n"); /* blank is no alignment */
    ck_assert(!corpus.gold);
    sa_corpus_close(&corpus);
}
END_TEST

/* Lines that are not pairs do not decide about the gold column. */
START_TEST(lines_left_out_do_not_tell_of_gold) {
    opens("\n\tx\na\tb\t0-0\n");
    ck_assert(corpus.gold);
    is_pair(0, "a", "b", "0-0", 3);
    sa_corpus_close(&corpus);
    opens("\tx\t0-0\na\tb\n");
    ck_assert(!corpus.gold);
    is_pair(0, "a", "b", NULL, 2);
    sa_corpus_close(&corpus);
}
END_TEST

/* ---- Two files ------------------------------------------------------------------------------- */

/* "SRC,TGT" of two files of these texts. */
static const char *parallel(const char *source, const char *target) {
    static char path[256];
    scratch_write(scratch_path("s"), source, strlen(source));
    scratch_write(scratch_path("t"), target, strlen(target));
    snprintf(path, sizeof path, "%s,%s", scratch_path("s"), scratch_path("t"));
    return path;
}

/* A file of alignments for the table "a b\tc d", an empty line, "c\td\t0-0". */
static bool aligns(const char *lines) {
    const char *path = scratch_path("x.align");
    scratch_write(path, lines, strlen(lines));
    opens("a b\tc d\t1-1\n\nc\td\t0-0\n");
    error = (sa_error){0};
    return sa_corpus_read_alignments(&corpus, path, &error);
}

START_TEST(alignments_of_a_file) {
    ck_assert_msg(aligns("0-0 1p1\n\n\n"), "%s", error.text);
    ck_assert(corpus.gold);
    is_pair(0, "a b", "c d", "0-0 1p1", 1);
    is_pair(1, "c", "d", "", 3);
    sa_corpus_close(&corpus);
    static const struct {
        const char *lines, *message;
    } wrong[] = {
        {"0-0\n\n", "' has 2 lines but '"},
        {"0-0\n\n\n\n", "' has 4 lines but '"},
        {"0-0\n\n0:0\n", ".align:3: alignment: '0:0' is not a link"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert(!aligns(wrong[i].lines));
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_msg(strstr(error.text, wrong[i].message), "%s", error.text);
        sa_corpus_close(&corpus);
    }
    opens("a\tb\n");
    ck_assert(!sa_corpus_read_alignments(&corpus, "none.align", &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    sa_corpus_close(&corpus);
    sa_pair own = {"a", "b", NULL, 1}; /* of a program that has its pairs in memory */
    const sa_corpus made = {.pairs = &own, .count = 1, .lines = 1, .name = "own"};
    corpus = made;
    ck_assert(!sa_corpus_read_alignments(&corpus, scratch_path("x.align"), &error));
    ck_assert_str_eq(error.text, "'corpus->owned' is NULL");
    ck_assert_int_eq(error.code, SA_USAGE);
}
END_TEST

START_TEST(two_files_go_line_by_line) {
    const char *path =
        parallel("one\n\n\xef\xbb\xbftwo\ttabs\r\nthree", "\xef\xbb\xbfun\nx\ndeux\ntrois\n");
    ck_assert_msg(sa_corpus_open(&corpus, path, &error), "%s", error.text);
    ck_assert_str_eq(corpus.name, path);
    ck_assert_uint_eq(corpus.lines, 4);
    ck_assert_uint_eq(corpus.empty, 1);
    is_pair(0, "one", "un", NULL, 1);
    is_pair(1, "\xef\xbb\xbftwo\ttabs", "deux", NULL, 3);
    is_pair(2, "three", "trois", NULL, 4);
    for (int i = 0; i < 3; i++) ck_assert_ptr_null(corpus.pairs[i].id);
    ck_assert_ptr_null(corpus.note);
    sa_corpus_close(&corpus);
    ck_assert_msg(sa_corpus_open(&corpus, parallel("0-0\n", "1-1\n"), &error), "%s", error.text);
    is_pair(0, "0-0", "1-1", NULL, 1);
    ck_assert(!corpus.gold);
    sa_corpus_close(&corpus);
}
END_TEST

START_TEST(unequal_files_are_refused) {
    fails(parallel("a\nb\nc\n", "x\n"), SA_DATA,
          "'@s' has 3 lines but '@t' has 1: line 2 has no partner");
    fails(parallel("a\n", "x\ny"), SA_DATA,
          "'@s' has 1 lines but '@t' has 2: line 2 has no partner");
    fails(parallel("", "x\n"), SA_DATA, "'@s' has 0 lines but '@t' has 1: line 1 has no partner");
}
END_TEST

START_TEST(broken_lines_of_either_file_are_named) {
    fails(parallel("a\nb\xff\n", "x\ny\n"), SA_DATA,
          "@s:2: not UTF-8 at byte 2: 0xFF (perhaps an 8-bit code like Latin-1)");
    fails(parallel("a\nb\n", "x\ny\rz\n"), SA_DATA, "@t:2: carriage return inside a line");
}
END_TEST

START_TEST(files_of_a_pair_that_cannot_be_read) {
    char path[256];
    parallel("a\n", "b\n");
    snprintf(path, sizeof path, "%s,%s", scratch_path("s"), scratch_path("none"));
    fails(path, SA_OPEN, "cannot open '@none': No such file or directory");
    snprintf(path, sizeof path, "%s,%s", scratch_path("none"), scratch_path("t"));
    fails(path, SA_OPEN, "cannot open '@none': No such file or directory");
    snprintf(path, sizeof path, "%s,%s", scratch_path("s"), scratch_path("s"));
    fails(path, SA_USAGE, "source and target are the same file '@s'");
    snprintf(path, sizeof path, "%s,%s/./s", scratch_path("s"), scratch); /* by another name */
    fails(path, SA_USAGE, "source and target are the same file '@s'");
    snprintf(path, sizeof path, "%s,", scratch_path("s"));
    fails(path, SA_OPEN, "cannot open '': No such file or directory");
}
END_TEST

START_TEST(a_comma_may_stand_in_a_name) {
    const char *path = scratch_path("a,b.tsv");
    scratch_write(path, "x\ty\n", 4);
    ck_assert(sa_corpus_open(&corpus, path, &error));
    is_pair(0, "x", "y", NULL, 1);
    sa_corpus_close(&corpus);
}
END_TEST

/* ---- Where text comes from ------------------------------------------------------------------- */

START_TEST(gzip_is_unpacked) {
    const char *path = scratch_path("x.tsv"); /* the name does not matter */
    gzFile file = gzopen(path, "wb");
    ck_assert_int_eq(gzputs(file, "\xef\xbb\xbf"
                                  "a\tb\n"),
                     7);
    ck_assert_int_eq(gzclose(file), Z_OK);
    ck_assert(sa_corpus_open(&corpus, path, &error));
    is_pair(0, "a", "b", NULL, 1);
    sa_corpus_close(&corpus);
    ck_assert_int_eq(truncate(path, 15), 0);
    fails(path, SA_DATA, "@x.tsv: gzip: unexpected end of file");
}
END_TEST

/* Only the name shows that cells without quotes are CSV, not text with a comma. */
START_TEST(the_ending_before_gz_names_the_format) {
    static const char *const names[] = {"pairs.csv.gz", "pairs.csv.GZ"};
    for (int i = 0; i < 2; i++) {
        const char *path = scratch_path(names[i]);
        gzFile file = gzopen(path, "wb");
        ck_assert_int_eq(gzputs(file, "a cat,un chat\n"), 14);
        ck_assert_int_eq(gzclose(file), Z_OK);
        ck_assert_msg(sa_corpus_open(&corpus, path, &error), "%s", error.text);
        is_pair(0, "a cat", "un chat", NULL, 1);
        sa_corpus_close(&corpus);
    }
    const char *path = scratch_path(".gz");
    scratch_write(path, "a cat,un chat\n", 14);
    fails(path, SA_DATA,
          "@.gz:1: no tab; expected source TAB target (or, for CSV, a name that ends in .csv or a "
          "header)");
}
END_TEST

START_TEST(a_dash_is_standard_input) {
    const int file = open(table("a\tb\nc\n", 6), O_RDONLY);
    ck_assert_int_ge(dup2(file, STDIN_FILENO), 0);
    fails("-", SA_DATA, "standard input:2: no tab; expected source TAB target");
    ck_assert_int_eq(lseek(STDIN_FILENO, 0, SEEK_SET), 0);
    ck_assert_int_eq(ftruncate(open(scratch_path("x.tsv"), O_WRONLY), 4), 0);
    ck_assert(sa_corpus_open(&corpus, "-", &error));
    ck_assert_str_eq(corpus.name, "standard input");
    is_pair(0, "a", "b", NULL, 1);
    sa_corpus_close(&corpus);
}
END_TEST

START_TEST(names_in_messages_are_safe_to_print) {
    const char *path = scratch_path("\x1b[2Jx");
    scratch_write(path, "no tab", 6);
    ck_assert(!sa_corpus_open(&corpus, path, &error));
    ck_assert_ptr_null(strchr(error.text, '\x1b'));
    ck_assert_ptr_nonnull(strstr(error.text, "x:1: no tab"));
}
END_TEST

START_TEST(some_pairs_outlive_the_others) {
    sa_corpus part;
    opens("a\tA\t0-0\t1\n\nb\tB\t0-0\t2\nc\tC\t\t3\nd\tD\t\t\n");
    ck_assert(sa_corpus_select(&part, &corpus, (bool[]){false, true, false, true}, &error));
    ck_assert_ptr_eq(part.name, corpus.name);
    sa_corpus_close(&corpus), corpus = part;
    ck_assert(corpus.count == 2 && corpus.lines == 5 && corpus.empty == 1 && corpus.gold);
    is_pair(0, "b", "B", "0-0", 3);
    ck_assert_str_eq(corpus.pairs[0].id, "2");
    is_pair(1, "d", "D", "", 5);
    ck_assert_ptr_null(corpus.pairs[1].id);
    sa_corpus_close(&corpus);
    opens("a\tA\t0:0\nb\tB\n");
    ck_assert(sa_corpus_select(&part, &corpus, (bool[]){false, true}, &error));
    ck_assert_ptr_nonnull(corpus.note);
    ck_assert_str_eq(part.note, corpus.note);
    sa_corpus_close(&part), sa_corpus_close(&corpus);
}
END_TEST

START_TEST(the_hash_is_of_every_text_in_its_place) {
    /* source, target and alignment of two pairs */
    static const char *const texts[][6] = {
        {"a", "b", "0-0", "c", "d", ""}, {"a", "b", "0-0", "x", "d", ""},
        {"a", "b", "0-0", "c", "x", ""}, {"b", "a", "0-0", "c", "d", ""},
        {"c", "d", "0-0", "a", "b", ""}, {"a", "b", "1-1", "c", "d", ""},
    };
    uint64_t hash[6][2];
    for (int i = 0; i < 6; i++) {
        sa_pair pairs[] = {{texts[i][0], texts[i][1], texts[i][2], 1},
                           {texts[i][3], texts[i][4], texts[i][5], 2}};
        const sa_corpus two = {.pairs = pairs, .count = 2};
        for (int gold = 0; gold < 2; gold++) hash[i][gold] = sa_corpus_hash(&two, gold);
    }
    for (int i = 1; i < 5; i++) ck_assert_uint_ne(hash[i][0], hash[0][0]);
    ck_assert_uint_eq(hash[5][0], hash[0][0]); /* only the alignments differ */
    ck_assert_uint_ne(hash[5][1], hash[0][1]);
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

int main(void) {
    Suite *suite = suite_create("corpus");
    TCase *cases = tcase_create("corpus");
    tcase_add_checked_fixture(cases, scratch_make, scratch_remove);
    tcase_add_test(cases, sources_may_stand_alone);
    tcase_add_test(cases, pairs_are_read);
    tcase_add_test(cases, line_ends_and_marks_are_taken_off);
    tcase_add_test(cases, text_is_put_into_normal_form);
    tcase_add_test(cases, empty_sides_are_left_out_and_counted);
    tcase_add_test(cases, nothing_to_read_is_an_error);
    tcase_add_loop_test(cases, broken_lines_are_named, 0, COUNT(broken));
    tcase_add_test(cases, missing_files_are_named);
    tcase_add_test(cases, the_first_pair_tells_of_gold);
    tcase_add_test(cases, other_third_columns_are_ignored);
    tcase_add_loop_test(cases, alignments_that_are_not_read_are_noted, 0,
                        sizeof ungilded / sizeof *ungilded);
    tcase_add_test(cases, lines_left_out_do_not_tell_of_gold);
    tcase_add_test(cases, alignments_of_a_file);
    tcase_add_test(cases, two_files_go_line_by_line);
    tcase_add_test(cases, unequal_files_are_refused);
    tcase_add_test(cases, broken_lines_of_either_file_are_named);
    tcase_add_test(cases, files_of_a_pair_that_cannot_be_read);
    tcase_add_test(cases, a_comma_may_stand_in_a_name);
    tcase_add_test(cases, gzip_is_unpacked);
    tcase_add_test(cases, the_ending_before_gz_names_the_format);
    tcase_add_test(cases, a_dash_is_standard_input);
    tcase_add_test(cases, some_pairs_outlive_the_others);
    tcase_add_test(cases, the_hash_is_of_every_text_in_its_place);
    tcase_add_test(cases, names_in_messages_are_safe_to_print);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
