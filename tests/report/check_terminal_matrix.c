/* The picture of a matrix in the terminal. */
#include "base/utf8.h"
#include "report/matrix.h"
#include "support/suite.h"

#include <string.h>

static void expect_on(sa_terminal screen, const sa_alignment *alignment, const char *picture) {
    sa_buffer out = {0};
    sa_matrix_terminal(alignment, &screen, &out);
    ck_assert(!out.failed);
    ck_assert_str_eq(out.text, picture);
    sa_buffer_release(&out);
}

/* Without colors, and as wide as it gets. */
static void expect(const sa_alignment *alignment, const char *picture) {
    expect_on((sa_terminal){0}, alignment, picture);
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

START_TEST(source_words_are_stairs_to_their_columns) {
    expect(&(sa_alignment){.targets = 3,
                           .sources = 4,
                           .target = (const char *const[]){"le", "chat", "</s>"},
                           .source = (const char *const[]){"the", "a", "cat", "</s>"},
                           .weights = (double[]){1, 0, 0, 0, /* */
                                                 0, .25, .5, .25, 0, 0, 0, 1}},
           "      the\n"
           "      │ a\n"
           "      │ │ cat\n"
           "      │ │ │ </s>\n"
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
        "   a\n"
        "   │ b\n"
        "   │ │ c\n"
        "   │ │ │ d\n"
        "   │ │ │ │ e\n"
        "   │ │ │ │ │ f\n"
        "   │ │ │ │ │ │ g\n"
        "   │ │ │ │ │ │ │ h\n"
        "   │ │ │ │ │ │ │ │ i\n"
        "   │ │ │ │ │ │ │ │ │ j\n"
        "   │ │ │ │ │ │ │ │ │ │ k\n"
        "a  ····░░░░▒▒▒▒▓▓▓▓██████\n"
        "\n");
    expect(&(sa_alignment){.targets = 1,
                           .sources = 2,
                           .target = source,
                           .source = source,
                           .weights = (double[]){-.049, -.05}},
           "   a\n   │ b\na  ··--\n\n");
}
END_TEST

START_TEST(wide_characters_and_marks_keep_the_columns) {
    expect(&(sa_alignment){.targets = 3,
                           .sources = 3,
                           .target = (const char *const[]){"日本", "e\xcc\x81te\xcc\x81", "."},
                           .source = (const char *const[]){"本日", "o\xcc\x88", "x"},
                           .weights = (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}},
           "      本日\n"
           "      │ o\xcc\x88\n"
           "      │ │ x\n"
           "日本  ██····\n"
           " e\xcc\x81te\xcc\x81  ··██··\n"
           "   .  ····██\n"
           "\n");
}
END_TEST

START_TEST(columns_of_a_source_from_right_to_left_are_reversed) {
    expect(&(sa_alignment){.targets = 1,
                           .sources = 3,
                           .target = (const char *const[]){"قط"},
                           .source = (const char *const[]){"قط", "x", "גן"},
                           .weights = (double[]){1, 0, 0}},
           "    גן\n"
           "    │ x\n"
           "    │ │ قط\n"
           "قط  ····██\n"
           "\n");
}
END_TEST

START_TEST(nothing_in_a_word_reaches_the_terminal) {
    expect_words("\x1b[2J\xc2\x9b", "\xe2\x80\xae",
                 "                 \\u{202E}\n"
                 "\\x1B[2J\\u{009B}  ██\n"
                 "\n");
}
END_TEST

START_TEST(long_words_are_cut) {
    expect_words("12345678901234567890", "x", /* as long as may be */
                 "                      x\n"
                 "12345678901234567890  ██\n\n");
    expect_words("123456789012345678901", "x",
                 "                      x\n"
                 "1234567890123456789…  ██\n\n");
    expect_words("日日日日日日日日日日日", "x", /* a wide one more would be one column too many */
                 "                     x\n"
                 "日日日日日日日日日…  ██\n\n");
    expect_words("x", "12345678901234567890", "   12345678901234567890\nx  ██\n\n");
    expect_words("x", "123456789012345678901", "   1234567890123456789…\nx  ██\n\n");
}
END_TEST

START_TEST(a_flood_of_marks_is_cut) {
    char flood[3001] = "a";
    while (strlen(flood) < 2999) strcat(flood, "\xcc\x81");
    expect_words(flood, flood, "   …\n…  ██\n\n");
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
        &(sa_terminal){0}, &out);
    int lines = 0;
    for (const char *at = out.text; *at; at += strcspn(at, "\n") + 1, lines++)
        ck_assert_int_le(sa_utf8_width(at, strcspn(at, "\n")), 20 + 2 + 2 * 11 + 20);
    ck_assert_int_eq(lines, 12 + 12 + 1);
    sa_buffer_release(&out);
}
END_TEST

static const sa_alignment cat = {.targets = 2,
                                 .sources = 3,
                                 .target = (const char *const[]){"le", "chat"},
                                 .source = (const char *const[]){"a", "b", "c"},
                                 .weights = (double[]){1, 0.5, 0, 0.2, 0.04, 0.76}};

START_TEST(cells_have_their_colors) {
    expect_on(
        (sa_terminal){.colors = SA_COLOR_MODE_TRUE}, &cat,
        "      a\n"
        "      │ b\n"
        "      │ │ c\n"
        "  le  \x1b[48;2;0;0;0m  \x1b[48;2;128;128;128m  \x1b[48;2;255;255;255m  \x1b[0m\n"
        "chat  \x1b[48;2;204;204;204m  \x1b[48;2;245;245;245m  \x1b[48;2;61;61;61m  \x1b[0m\n\n");
    expect_on((sa_terminal){.colors = SA_COLOR_MODE_256}, &cat,
              "      a\n"
              "      │ b\n"
              "      │ │ c\n"
              "  le  \x1b[48;5;16m  \x1b[48;5;243m  \x1b[48;5;231m  \x1b[0m\n"
              "chat  \x1b[48;5;251m  \x1b[48;5;255m  \x1b[48;5;237m  \x1b[0m\n\n");
    expect_on((sa_terminal){0}, &cat,
              "      a\n"
              "      │ b\n"
              "      │ │ c\n"
              "  le  ██▓▓··\n"
              "chat  ░░··██\n\n");
}
END_TEST

START_TEST(attributions_have_a_key) {
    static const double weights[] = {-19, 9.5, 0.5, 12, -3, 0};
    sa_alignment scores = cat;
    scores.weights = weights;
    *scores.method = "occlusion";
    expect(&scores, "      a\n"
                    "      │ b\n"
                    "      │ │ c\n"
                    "  le  --▓▓··\n"
                    "chat  ▓▓--··\n\n"
                    "      --  -19 nats\n"
                    "      ██  19 nats\n\n");
    expect_on(
        (sa_terminal){.colors = SA_COLOR_MODE_TRUE}, &scores,
        "      a\n      │ b\n      │ │ c\n"
        "  le  \x1b[48;2;0;112;60m  \x1b[48;2;182;149;198m  \x1b[48;2;251;249;252m  \x1b[0m\n"
        "chat  \x1b[48;2;163;120;182m  \x1b[48;2;215;232;224m  \x1b[48;2;255;255;255m  \x1b[0m\n\n"
        "      \x1b[48;2;0;112;60m  \x1b[0m  -19 nats\n"
        "      \x1b[48;2;109;42;140m  \x1b[0m  19 nats\n\n");
    scores.weights = (double[]){-20, 1, -1, 0.9, -0.9, 0}; /* from a twentieth on */
    expect(&scores, "      a\n      │ b\n      │ │ c\n  le  --░░--\nchat  ······\n\n"
                    "      --  -20 nats\n      ██  20 nats\n\n");
    expect_on((sa_terminal){.colors = SA_COLOR_MODE_256}, &scores,
              "      a\n      │ b\n      │ │ c\n"
              "  le  \x1b[48;5;29m  \x1b[48;5;54m  \x1b[48;5;29m  \x1b[0m\n"
              "chat  \x1b[48;5;255m  \x1b[48;5;231m  \x1b[48;5;231m  \x1b[0m\n\n"
              "      \x1b[48;5;29m  \x1b[0m  -20 nats\n      \x1b[48;5;54m  \x1b[0m  20 nats\n\n");
    scores.weights = (double[]){1, 2, 3, 4, 0, 0};
    *scores.method = "norms";
    expect_on((sa_terminal){.colors = SA_COLOR_MODE_256, .columns = 11}, &scores,
              "     a\n     │ b\n     │ │ c\n"
              " le  \x1b[48;5;250m  \x1b[48;5;243m  \x1b[48;5;237m  \x1b[0m\n"
              "ch…  \x1b[48;5;16m  \x1b[48;5;231m  \x1b[48;5;231m  \x1b[0m\n\n"
              "     \x1b[48;5;16m  \x1b[0m  4 norm\n\n");
}
END_TEST

START_TEST(what_is_too_wide_is_continued_below) {
    expect_on((sa_terminal){.columns = 12}, &cat,
              "      a\n      │ b\n      │ │ c\n  le  ██▓▓··\nchat  ░░··██\n\n");
    expect_on((sa_terminal){.columns = 11}, &cat, /* half of it is for words: they are cut */
              "     a\n     │ b\n     │ │ c\n le  ██▓▓··\nch…  ░░··██\n\n");
    expect_on((sa_terminal){.columns = 10}, &cat,
              "     a\n     │ b\n le  ██▓▓\nch…  ░░··\n\n"
              "     c\n le  ··\nch…  ██\n\n");
    expect_on((sa_terminal){.columns = 1}, &cat, /* a column at least */
              "   a\n…  ██\n…  ░░\n\n   b\n…  ▓▓\n…  ··\n\n   c\n…  ··\n…  ██\n\n");
}
END_TEST

/* " p_gen 0.12" takes 11 columns. */
START_TEST(p_gen_stands_after_the_row) {
    sa_alignment gated = cat;
    gated.targets = 1;
    gated.generation_probabilities = (double[]){0.125};
    expect_on((sa_terminal){.columns = 21}, &gated,
              "    a\n    │ b\n    │ │ c\nle  ██▓▓·· p_gen 0.12\n\n");
    expect_on((sa_terminal){.columns = 19}, &gated,
              "    a\n    │ b\nle  ██▓▓ p_gen 0.12\n\n"
              "    c\nle  ·· p_gen 0.12\n\n");
    expect_on((sa_terminal){.columns = 18}, &gated,
              "    a\nle  ██ p_gen 0.12\n\n    b\nle  ▓▓ p_gen 0.12\n\n"
              "    c\nle  ·· p_gen 0.12\n\n");
}
END_TEST

START_TEST(a_word_may_take_no_column) {
    expect_words("", "", "  \n  ██\n\n");
}
END_TEST

START_TEST(no_line_is_wider_than_the_screen) {
    enum { WORDS = 40, NARROWEST = 6 };
    static const char *const words[] = {"internationalisation-of-everything", "日本語の長い単語",
                                        "a", "👩‍👩‍👧‍👦❤️"};
    const char *side[WORDS];
    double weights[WORDS * WORDS] = {0};
    for (int i = 0; i < WORDS; i++) side[i] = words[i % 4];
    const sa_alignment alignment = {
        .targets = WORDS, .sources = WORDS, .target = side, .source = side, .weights = weights};
    for (int columns = NARROWEST; columns <= 120; columns++) {
        sa_buffer out = {0};
        sa_matrix_terminal(&alignment, &(sa_terminal){.columns = columns}, &out);
        for (const char *at = out.text; *at; at += strcspn(at, "\n") + 1)
            ck_assert_int_le(sa_utf8_width(at, strcspn(at, "\n")), columns);
        sa_buffer_release(&out);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("picture");
    TCase *cases = tcase_create("picture");
    tcase_add_test(cases, source_words_are_stairs_to_their_columns);
    tcase_add_test(cases, more_weight_is_a_fuller_block);
    tcase_add_test(cases, wide_characters_and_marks_keep_the_columns);
    tcase_add_test(cases, columns_of_a_source_from_right_to_left_are_reversed);
    tcase_add_test(cases, nothing_in_a_word_reaches_the_terminal);
    tcase_add_test(cases, long_words_are_cut);
    tcase_add_test(cases, a_flood_of_marks_is_cut);
    tcase_add_test(cases, twelve_long_words_a_side_fit_80_columns);
    tcase_add_test(cases, cells_have_their_colors);
    tcase_add_test(cases, attributions_have_a_key);
    tcase_add_test(cases, what_is_too_wide_is_continued_below);
    tcase_add_test(cases, p_gen_stands_after_the_row);
    tcase_add_test(cases, a_word_may_take_no_column);
    tcase_add_test(cases, no_line_is_wider_than_the_screen);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
