/* The picture of a matrix in the terminal. */
#include "report/matrix.h"
#include "text/utf8.h"

#include <check.h>
#include <string.h>

static void expect(const sa_alignment *alignment, const char *picture) {
    sa_buffer out = {0};
    sa_matrix_terminal(alignment, &out);
    ck_assert(!out.failed);
    ck_assert_str_eq(out.text, picture);
    sa_buffer_release(&out);
}

/* The picture of one target and one source word that attend to each other. */
static void expect_words(const char *target, const char *source, const char *picture) {
    expect(&(sa_alignment){.targets = 1,
                           .sources = 1,
                           .target = &target,
                           .source = &source,
                           .weights = (double[]){1}},
           picture);
}

START_TEST(source_words_stand_upright_over_their_columns) {
    expect(&(sa_alignment){.targets = 3,
                           .sources = 4,
                           .target = (const char *const[]){"le", "chat", "</s>"},
                           .source = (const char *const[]){"the", "a", "cat", "</s>"},
                           .weights = (double[]){1, 0, 0, 0, /* */
                                                 0, .25, .5, .25, 0, 0, 0, 1}},
           "            < \n"
           "      t   c / \n"
           "      h   a s \n"
           "      e a t > \n"
           "  le  ██······\n"
           "chat  ··▒▒▓▓▒▒\n"
           "</s>  ······██\n"
           "\n");
}
END_TEST

START_TEST(more_weight_is_a_fuller_block) {
    static const double weights[] = {0, .049, .05, .249, .25, .499, .5, .749, .75, .999, 1};
    static const char *const source[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    expect(
        &(sa_alignment){
            .targets = 1, .sources = 11, .target = source, .source = source, .weights = weights},
        "   a b c d e f g h i j k \n"
        "a  ····░░░░▒▒▒▒▓▓▓▓██████\n"
        "\n");
}
END_TEST

START_TEST(wide_characters_and_marks_keep_the_columns) {
    expect(&(sa_alignment){.targets = 3,
                           .sources = 3,
                           .target = (const char *const[]){"日本", "e\xcc\x81te\xcc\x81", "."},
                           .source = (const char *const[]){"本日", "o\xcc\x88", "x"},
                           .weights = (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}},
           "      本    \n"
           "      日o\xcc\x88 x \n"
           "日本  ██····\n"
           " e\xcc\x81te\xcc\x81  ··██··\n"
           "   .  ····██\n"
           "\n");
}
END_TEST

START_TEST(nothing_in_a_word_reaches_the_terminal) {
    expect_words("\x1b[2J\xc2\x9b", "\xe2\x80\xae",
                 "                 \\ \n"
                 "                 u \n"
                 "                 { \n"
                 "                 2 \n"
                 "                 0 \n"
                 "                 2 \n"
                 "                 E \n"
                 "                 } \n"
                 "\\x1B[2J\\u{009B}  ██\n"
                 "\n");
}
END_TEST

START_TEST(long_words_are_cut) {
    expect_words("12345678901234567890", "x", /* as long as may be */
                 "                      x \n"
                 "12345678901234567890  ██\n\n");
    expect_words("123456789012345678901", "x",
                 "                      x \n"
                 "1234567890123456789…  ██\n\n");
    expect_words("日日日日日日日日日日日", "x", /* a wide one more would be one column too many */
                 "                     x \n"
                 "日日日日日日日日日…  ██\n\n");
    expect_words("x", "12345678901234",
                 "   1 \n   2 \n   3 \n   4 \n   5 \n   6 \n   7 \n   8 \n   9 \n"
                 "   0 \n   1 \n   2 \n   3 \n   4 \nx  ██\n\n");
    expect_words("x", "123456789012345",
                 "   1 \n   2 \n   3 \n   4 \n   5 \n   6 \n   7 \n   8 \n   9 \n"
                 "   0 \n   1 \n   2 \n   3 \n   … \nx  ██\n\n");
}
END_TEST

START_TEST(a_flood_of_marks_is_cut) {
    char flood[3001] = "a";
    while (strlen(flood) < 2999) strcat(flood, "\xcc\x81");
    expect_words(flood, flood, "   … \n…  ██\n\n");
}
END_TEST

START_TEST(twelve_long_words_a_side_fit_80_columns) {
    const char *words[12];
    double weights[144] = {0};
    for (int i = 0; i < 12; i++) words[i] = "internationalisation-of-everything";
    sa_buffer out = {0};
    sa_matrix_terminal(
        &(sa_alignment){
            .targets = 12, .sources = 12, .target = words, .source = words, .weights = weights},
        &out);
    int lines = 0;
    for (const char *at = out.text; *at; at += strcspn(at, "\n") + 1, lines++)
        ck_assert_int_le(sa_utf8_width(at, strcspn(at, "\n")), 20 + 2 + 2 * 12);
    ck_assert_int_eq(lines, 14 + 12 + 1);
    sa_buffer_release(&out);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("picture");
    TCase *cases = tcase_create("picture");
    tcase_add_test(cases, source_words_stand_upright_over_their_columns);
    tcase_add_test(cases, more_weight_is_a_fuller_block);
    tcase_add_test(cases, wide_characters_and_marks_keep_the_columns);
    tcase_add_test(cases, nothing_in_a_word_reaches_the_terminal);
    tcase_add_test(cases, long_words_are_cut);
    tcase_add_test(cases, a_flood_of_marks_is_cut);
    tcase_add_test(cases, twelve_long_words_a_side_fit_80_columns);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
