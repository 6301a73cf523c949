/* Alignments in Pharaoh format. */
#include "data/corpus.h"
#include "metrics/linking.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(reads_sure_and_possible_links) {
    sa_link *links;
    size_t count;
    ck_assert(sa_links_parse(" 0-0 12p3\t2147483646-07 ", &links, &count, NULL));
    ck_assert_uint_eq(count, 3);
    ck_assert(links[0].source == 0 && links[0].target == 0 && !links[0].possible);
    ck_assert(links[1].source == 12 && links[1].target == 3 && links[1].possible);
    ck_assert(links[2].source == INT_MAX - 1 && links[2].target == 7 && !links[2].possible);
    free(links);
}
END_TEST

START_TEST(blank_text_has_no_links) {
    static const char *const texts[] = {"", "  ", "\t"};
    for (size_t i = 0; i < 3; i++) {
        sa_link *links;
        size_t count = 9;
        ck_assert(sa_links_parse(texts[i], &links, &count, NULL));
        ck_assert_uint_eq(count, 0);
        free(links);
    }
}
END_TEST

START_TEST(many_links_keep_their_order) {
    char text[4000] = "";
    for (int i = 0; i < 300; i++) sprintf(text + strlen(text), "%d-%d ", i, 299 - i);
    sa_link *links;
    size_t count;
    ck_assert(sa_links_parse(text, &links, &count, NULL));
    ck_assert_uint_eq(count, 300);
    for (int i = 0; i < 300; i++) ck_assert(links[i].source == i && links[i].target == 299 - i);
    free(links);
}
END_TEST

START_TEST(refuses_anything_else) {
    static const char *const texts[] = {"0",   "0-",      "-0",           "0-0-0",    "0_0",
                                        "a-b", "0-0,1-1", "0 - 0",        "0--1",     "+0-0",
                                        "0P0", "0-0x",    "2147483647-0", "Bonjour ."};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sa_link *links = NULL;
        size_t count;
        sa_error error;
        ck_assert_msg(!sa_links_parse(texts[i], &links, &count, &error), "%s", texts[i]);
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_ptr_null(links);
    }
}
END_TEST

START_TEST(the_message_names_the_link) {
    sa_link *links;
    size_t count;
    sa_error error;
    ck_assert(!sa_links_parse("0-0 1-x 2-2", &links, &count, &error));
    ck_assert_str_eq(error.text, "'1-x' is not a link; expected source-target as in 0-0 or 2p1");
#define TEN "0123456789"
    ck_assert(!sa_links_parse(TEN TEN TEN TEN "x", &links, &count, &error)); /* or its beginning */
    ck_assert_str_eq(error.text, "'" TEN TEN TEN TEN
                                 "' is not a link; expected source-target as in 0-0 or 2p1");
}
END_TEST

START_TEST(lines_of_files_may_count_from_1_and_begin_with_a_number) {
    sa_link *links;
    size_t count;
    ck_assert(sa_links_parse_line("12\t1-1 3p2", 1, &links, &count, NULL));
    ck_assert_uint_eq(count, 2);
    ck_assert(links[0].source == 0 && links[0].target == 0 && !links[0].possible);
    ck_assert(links[1].source == 2 && links[1].target == 1 && links[1].possible);
    free(links);
    ck_assert(sa_links_parse_line("7\t", 0, &links, &count, NULL));
    ck_assert_uint_eq(count, 0);
    free(links);
    sa_error error;
    ck_assert(!sa_links_parse_line("1-1 2p0", 1, &links, &count, &error));
    ck_assert_str_eq(error.text, "link 2p0: positions count from 1");
    ck_assert(!sa_links_parse_line("7 1-1", 0, &links, &count, &error)); /* no tab */
}
END_TEST

/* ---- Files in the format of NAACL 2003 ------------------------------------------------------- */

static const char by_sentence[] = "1 1 2\n1 3 0 S\n1 3 4 P 0.5\n3 2 1 S\n3 1 7\n";

static const struct {
    const char *bytes;
    size_t lines;
    int base;
    const char *text; /* lines of links, or the message */
} files[] = {
    {by_sentence, 0, 0, "0-1 2p3 \n\n1-0 0-6 \n"},
    {by_sentence, 3, 0, "0-1 2p3 \n\n1-0 0-6 \n"},
    {by_sentence, 4, 1, "1-2 3p4 \n\n2-1 1-7 \n\n"},
    {"2 1 1\n", 2, 0, "\n0-0 \n"},
    {by_sentence, 2, 0, "4: expected a sentence from 1 to 2"},
    {"2 1 1\n1 1 1\n", 0, 0, "2: expected a sentence from 2 to 16777216"},
    {"0 1 1\n", 0, 0, "1: expected a sentence from 1 to 16777216"},
    {"\xef\xbb\xbf"
     "1 1 1\n",
     1, 0, "0-0 \n"}, /* a byte order mark */
    {"1 1 1\n1 1\n", 1, 0, "2: expected a sentence from 1 to 1"},
    {"1 1 1 Q\n", 1, 0, "1: expected a sentence from 1 to 1"},
    {"\n1 1 1\n\n1 2 0\n1 2 2 S\n", 1, 0, "\n1 1 1\n\n1 2 0\n1 2 2 S\n"}, /* no number first */
    {"1 1 1\n\n1 2 0\n1 0 2\n1 2 2 S\n", 1, 0, "0-0 1-1 \n"},             /* 0: no word */
    {"123456789 1 1\n", 0, 0, "1: expected a sentence from 1 to 16777216"},
    {"1 1234567890 1\n", 1, 0, "1 1234567890 1\n"}, /* no number */
    {"0-0 1-1\n", 1, 0, "0-0 1-1\n"},
};
enum { FILES = sizeof files / sizeof *files };

START_TEST(naacl_files_become_lines_of_links) {
    sa_error error;
    sa_text_lines reader;
    const bool naacl = !strchr(files[_i].bytes, '-');
    bool open_end = !naacl; /* stays as it is */
    const char *path = scratch_path("links.wa");
    scratch_write(path, files[_i].bytes, strlen(files[_i].bytes));
    if (sa_link_file_open(&reader, path, files[_i].lines, files[_i].base, &open_end, &error)) {
        ck_assert_int_eq(open_end, !naacl || !files[_i].lines);
        ck_assert_str_eq(reader.file.data, files[_i].text);
        ck_assert_uint_eq(reader.file.size, strlen(files[_i].text));
        sa_file_release(&reader.file);
    } else {
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_msg(strstr(error.text, files[_i].text), "%s", error.text);
    }
}
END_TEST

START_TEST(settled_links_are_sorted_and_single) {
    sa_link links[] = {{2, 1, false}, {0, 5, true}, {2, 0, false}, {0, 5, false}, {2, 1, true}};
    ck_assert_uint_eq(sa_links_deduplicate(links, 5), 3);
    ck_assert(links[0].source == 0 && links[0].target == 5 && !links[0].possible);
    ck_assert(links[1].source == 2 && links[1].target == 0);
    ck_assert(links[2].source == 2 && links[2].target == 1 && !links[2].possible);
    ck_assert_uint_eq(sa_links_deduplicate(NULL, 0), 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("links");
    TCase *cases = tcase_create("links");
    tcase_add_test(cases, reads_sure_and_possible_links);
    tcase_add_test(cases, blank_text_has_no_links);
    tcase_add_test(cases, many_links_keep_their_order);
    tcase_add_test(cases, refuses_anything_else);
    tcase_add_test(cases, the_message_names_the_link);
    tcase_add_test(cases, lines_of_files_may_count_from_1_and_begin_with_a_number);
    tcase_add_unchecked_fixture(cases, scratch_make, scratch_remove);
    tcase_add_loop_test(cases, naacl_files_become_lines_of_links, 0, FILES);
    tcase_add_test(cases, settled_links_are_sorted_and_single);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
