/* The pages of an explanation: where lines break, what is cut, which words are shown. */
#include "base/utf8.h"
#include "report/explanation.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 40 };

static const char *const sources[] = {"le", "猫猫", "a\x1b[2J",
                                      "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7",
                                      "anticonstitutionnellement"};
static const int numbers[] = {4, 0, 7, 8, 9};
static const sa_explain_pair pair = {true, 5, 2, sources, sources, numbers, numbers};
static sa_explanation paper;

static void begin(int digits, bool wide) {
    paper = (sa_explanation){.digits = digits, .wide = wide, .titled = true, .step = 1};
}

static void add(sa_explain_value line) {
    line.step = 1;
    if (!line.chosen) line.chosen = -1;
    sa_explanation_add(&paper, &pair, &line);
}

static void expect(const char *text) {
    sa_explanation_add(&paper, &pair, NULL);
    ck_assert(!paper.out.failed);
    ck_assert_str_eq(paper.out.text, text);
    sa_explanation_release(&paper);
}

static void add_vector(const char *letters, int count, const double *x) {
    add((sa_explain_value){
        .letters = letters, .shape = SA_SHAPE_VECTOR, .rows = 1, .cols = count, .numbers = x});
}

START_TEST(vectors_stand_under_each_other) {
    begin(2, false);
    add_vector("s_i", 3, (double[]){-1, .125, -.001});
    add_vector("a very long label", 2, (double[]){1234567, 0});
    add_vector("13 characters", 1, (double[]){1}); /* and a blank; 14 leave no room for it */
    add_vector("14 characters.", 1, (double[]){1});
    expect("    s_i              -1.00    0.12    0.00\n"
           "    a very long label\n"
           "                   1234567.00       0.00\n"
           "    13 characters     1.00\n"
           "    14 characters.\n"
           "                      1.00\n");
}
END_TEST

START_TEST(long_vectors_are_cut_or_go_on_below) {
    double x[12];
    for (int k = 0; k < 12; k++) x[k] = k;
    begin(1, false);
    add_vector("x", 10, x);
    add_vector("y", 11, x);
    expect("    x                  0.0     1.0     2.0     3.0     4.0     5.0     6.0     7.0     "
           "8.0     9.0\n"
           "    y                  0.0     1.0     2.0     3.0     4.0     ...     7.0     8.0     "
           "9.0    10.0\n");
    begin(1, true);
    add_vector("y", 12, x);
    expect("    y                  0.0     1.0     2.0     3.0     4.0     5.0     6.0     7.0     "
           "8.0     9.0\n"
           "                      10.0    11.0\n");
}
END_TEST

/* Of numbers so wide that fewer than three fit between the margins, the first and the last are
 * still there, and with --wide all of them. */
START_TEST(wide_numbers_make_longer_lines) {
    static const double x[] = {3e14, -3e14, 3e13, 2e14, 1e14};
    for (int digits = 24; digits <= 85; digits++) { /* columns of 40 to 101 */
        char first[SA_EXPLANATION_TEXT_CAPACITY], last[SA_EXPLANATION_TEXT_CAPACITY];
        sa_explanation_format_number(x[0], digits, first);
        sa_explanation_format_number(x[4], digits, last);
        for (int wide = 0; wide < 2; wide++) {
            begin(digits, wide);
            add_vector("x", 5, x);
            sa_explanation_add(&paper, &pair, NULL);
            const char *at = strstr(paper.out.text, first);
            ck_assert_ptr_nonnull(at);
            ck_assert(wide == !strstr(at, "..."));
            ck_assert_ptr_nonnull(at = strstr(at, last));
            ck_assert_str_eq(at + strlen(last), "\n");
            sa_explanation_release(&paper);
        }
    }
}
END_TEST

/* Numbers above 1e15 have an exponent, so that others are wider. */
START_TEST(the_widest_number_makes_the_column) {
    static const double x[] = {3e38, 1e14, -1};
    begin(1, false);
    add_vector("x", 3, x);
    expect("    x                        3.0e+38 100000000000000.0              -1.0\n");
}
END_TEST

START_TEST(equations_keep_their_place_on_the_right) {
    static const char longest[] = "x = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o";
    const sa_explain_value one = {.equation = "c = h",
                                  .citation = "A.1.2",
                                  .letters = "c",
                                  .shape = SA_SHAPE_NUMBER,
                                  .rows = 1,
                                  .cols = 1,
                                  .numbers = (double[]){1}};
    sa_explain_value other = one;
    other.equation = longest, other.citation = "Somebody and somebody else 2015, A.1.2";
    begin(0, false);
    add(one), add(other), add(other);
    char text[1024];
    snprintf(text, sizeof text,
             "  c = h%93s\n    c                    1\n  %s\n%100s\n    c                    1\n"
             "  %s\n    c                    1\n",
             "A.1.2", longest, other.citation, longest);
    expect(text);
}
END_TEST

/* Two columns of blanks at least. */
START_TEST(a_citation_stands_beside_what_leaves_it_room) {
    char text[1024], fits[92] = "", longer[93] = "";
    memset(fits, 'x', 91), memset(longer, 'x', 92);
    sa_explain_value one = {.equation = fits,
                            .citation = "A.1.2",
                            .letters = "c",
                            .shape = SA_SHAPE_NUMBER,
                            .rows = 1,
                            .cols = 1,
                            .numbers = (double[]){1}};
    begin(0, false);
    add(one);
    one.equation = longer, one.citation = "A.1.3";
    add(one);
    one.citation = NULL;
    add(one);
    snprintf(text, sizeof text,
             "  %s  A.1.2\n    c                    1\n"
             "  %s\n%100s\n    c                    1\n  %s\n    c                    1\n",
             fits, longer, "A.1.3", longer);
    expect(text);
}
END_TEST

static sa_explain_value column(const char *letters, int rows, const double *x) {
    return (sa_explain_value){.letters = letters,
                              .shape = SA_SHAPE_COLUMN,
                              .rows = rows,
                              .cols = 1,
                              .numbers = x,
                              .about = SA_ROWS_SOURCE,
                              .row = sources};
}

START_TEST(columns_stand_side_by_side) {
    begin(1, false);
    add(column("e", 2, (double[]){-3, .5}));
    add(column("exp", 2, (double[]){NAN, 12}));
    add(column("alpha", 2, (double[]){0, .5}));
    add(column("new", 1, (double[]){.5})); /* a bar is of the last of several */
    expect("                       e   exp  alpha\n"
           "     1 le           -3.0          0.0\n"
           "     2 猫猫          0.5  12.0    0.5  ████\n"
           "                    new\n"
           "     1 le           0.5\n");
}
END_TEST

/* One column about one word, with the number 2. */
#define TABLE(letters)                                                                             \
    "                    " letters "\n"                                                            \
    "     1 le           2\n"

/* Other words, another head or section, or a matrix end the table. */
START_TEST(tables_end_where_others_begin) {
    static const double two[] = {2};
    sa_explain_value one = column("e", 1, two);
    begin(0, false);
    add(one);
    one.letters = "f", one.about = SA_ROWS_TARGET;
    add(one);
    one.letters = "g", one.head = 1;
    add(one);
    one.letters = "h", one.head = 2;
    add(one);
    one.letters = "k", one.section = "The new state";
    add(one);
    one.letters = "m", one.section = NULL, one.shape = SA_SHAPE_MATRIX;
    add(one);
    expect(TABLE("e") TABLE("f") "  -- head 1 --\n" TABLE("g") "  -- head 2 --\n" TABLE(
        "h") "\nThe new state\n  -- head 2 --\n" TABLE("k") "  m\n     1 le                2\n");
}
END_TEST

/* A role may be empty, or unknown. */
START_TEST(heads_have_their_roles) {
    json_t *roles = json_pack("[s, s]", "", "previous");
    sa_explain_value one = column("e", 1, (double[]){2});
    begin(0, false);
    paper.roles = roles;
    for (one.head = 1; one.head <= 3; one.head++) add(one);
    expect("  -- head 1 --\n" TABLE("e") "  -- head 2: previous --\n" TABLE(
        "e") "  -- head 3 --\n" TABLE("e"));
    json_decref(roles);
}
END_TEST

/* In eighths of a column, only for what may be a probability. */
START_TEST(probabilities_have_bars) {
    sa_explain_value one = column("e", 5, (double[]){0, 0, 0, 0, 0});
    begin(2, false);
    one.row = NULL;
    add(one);
    one.letters = "p", one.numbers = (double[]){1, .4, .02, 1.5, -.25};
    add(one);
    expect("                       e      p\n"
           "     1              0.00   1.00  ████████\n"
           "     2              0.00   0.40  ███▎\n"
           "     3              0.00   0.02  ▏\n"
           "     4              0.00   1.50\n"
           "     5              0.00  -0.25\n");
}
END_TEST

/* What the letters say stands in the equation. */
START_TEST(an_equation_is_the_heading_of_a_matrix) {
    sa_explain_value table = column("h", 1, (double[]){1, 2});
    table.shape = SA_SHAPE_MATRIX, table.cols = 2, table.equation = "h = W x";
    begin(0, false);
    add(table);
    expect("  h = W x\n"
           "     1 le                1       2\n");
}
END_TEST

/* Eight stand side by side; the ninth begins the next table. */
START_TEST(eight_columns_stand_side_by_side) {
    sa_explain_value one = column("a", 1, (double[]){1});
    begin(0, false);
    for (int k = 0; k < 9; k++) add(one);
    expect("                    a  a  a  a  a  a  a  a\n"
           "     1 le           1  1  1  1  1  1  1  1  ████████\n"
           "                    a\n"
           "     1 le           1\n");
}
END_TEST

START_TEST(a_row_of_a_matrix_has_its_numbers) {
    sa_explain_value table = column("h", 2, (double[]){1, 2, 3, 4, 5, 6});
    table.shape = SA_SHAPE_MATRIX, table.cols = 3;
    begin(0, false);
    add(table);
    expect("  h\n"
           "     1 le                1       2       3\n"
           "     2 猫猫              4       5       6\n");
}
END_TEST

/* Every row begins in the same column, whatever its word is made of. */
START_TEST(labels_are_as_wide_as_they_look) {
    begin(1, false);
    sa_explain_value table = column("h", 5, (double[]){1, 1, 1, 1, 1});
    table.shape = SA_SHAPE_MATRIX;
    add(table);
    sa_explanation_add(&paper, &pair, NULL);
    char *line = strchr(paper.out.text, '\n') + 1;
    for (int j = 0; j < 5; j++) {
        char *end = strchr(line, '\n'), *at = line;
        int columns = 0;
        while (at < end) {
            const size_t next = sa_utf8_grapheme_size(at, (size_t)(end - at));
            columns += sa_utf8_width(at, next);
            at += next;
        }
        ck_assert_int_eq(columns, SA_EXPLANATION_LABEL + 8);
        line = end + 1;
    }
    ck_assert_ptr_null(strchr(paper.out.text, '\x1b'));
    ck_assert_ptr_nonnull(strstr(paper.out.text, "anticonst…"));
    sa_explanation_release(&paper);
}
END_TEST

/* Words that are equally likely come in their order. */
START_TEST(equally_likely_words_keep_their_order) {
    static const char *const words[] = {"the", "cat", "a", "dog", "is", "on", "it"};
    sa_explain_value one = column("logits", 7, (double[]){3, 1, 0, 1, 2, 0, 0});
    begin(3, false);
    one.about = SA_ROWS_VOCABULARY, one.row = words, one.chosen = 3;
    add(one);
    one.letters = "p", one.numbers = (double[]){.5, .125, 0, .125, .25, 0, 0};
    add(one);
    expect("                    logits      p\n"
           "      the            3.000  0.500  ████\n"
           "      is             2.000  0.250  ██\n"
           "      cat            1.000  0.125  █\n"
           "    > dog            1.000  0.125  █\n"
           "      a              0.000  0.000\n");
}
END_TEST

/* The chosen word, even the first, stands below better ones; a single column has all words. */
START_TEST(the_first_word_may_be_chosen) {
    static const char *const words[] = {"<unk>", "a", "b", "c", "d", "e", "f"};
    static const double zeros[7], scores[] = {0, 2, 3, 4, 5, 6, 7};
    sa_explain_value one = column("e", 7, zeros);
    begin(0, false);
    one.about = SA_ROWS_VOCABULARY, one.row = words, one.step = 1, one.chosen = 0;
    sa_explanation_add(&paper, &pair, &one);
    one.letters = "p", one.numbers = scores;
    sa_explanation_add(&paper, &pair, &one);
    expect("                    e  p\n"
           "      f             0  7\n"
           "      e             0  6\n"
           "      d             0  5\n"
           "      c             0  4\n"
           "      b             0  3\n"
           "    > <unk>         0  0\n");
    begin(0, false);
    one.rows = 2;
    sa_explanation_add(&paper, &pair, &one);
    expect("                    p\n"
           "    > <unk>         0\n"
           "      a             2\n");
}
END_TEST

/* The five likeliest words and the one that is written. */
START_TEST(likely_words_are_shown) {
    const char *words[MANY];
    double p[MANY], logits[MANY];
    char names[MANY][16];
    for (int k = 0; k < MANY; k++) {
        snprintf(names[k], sizeof names[k], "w%d", k);
        words[k] = names[k];
        p[k] = k % 8 == 3 ? .125 + k / 1024. : 0;
        logits[k] = k;
    }
    begin(3, false);
    sa_explain_value one = column("logits", MANY, logits);
    one.about = SA_ROWS_VOCABULARY, one.row = words, one.chosen = 38;
    add(one);
    one.letters = "p", one.numbers = p;
    add(one);
    sa_explanation_add(&paper, &pair, NULL);
    const char *shown[] = {"  w35 ", "  w27 ", "  w19 ", "  w11 ", "  w3 ", "> w38 "};
    const char *at = paper.out.text;
    for (int k = 0; k < 6; k++) {
        at = strstr(at, shown[k]);
        ck_assert_msg(at, "no %s: %s", shown[k], paper.out.text);
    }
    int lines = 0;
    for (at = paper.out.text; (at = strchr(at, '\n')); at++) lines++;
    ck_assert_int_eq(lines, 1 + 6);
    sa_explanation_release(&paper);
}
END_TEST

/* Of a vocabulary of three, all are shown, the likeliest first. */
START_TEST(few_words_are_all_shown) {
    static const char *const few[] = {"a", "b", "c"};
    sa_explain_value one = {.letters = "z",
                            .shape = SA_SHAPE_COLUMN,
                            .rows = 3,
                            .cols = 1,
                            .numbers = (double[]){1, 3, 2},
                            .about = SA_ROWS_VOCABULARY,
                            .row = few,
                            .chosen = 2};
    begin(2, false);
    add(one);
    one.letters = "p", one.numbers = (double[]){0, .75, .25};
    add(one);
    expect("                       z     p\n"
           "      b             3.00  0.75  ██████\n"
           "    > c             2.00  0.25  ██\n"
           "      a             1.00  0.00\n");
}
END_TEST

/* A step and the title are named once. */
START_TEST(values_of_a_step_share_its_heading) {
    const sa_explain_value one = {.step = 2,
                                  .letters = "c",
                                  .shape = SA_SHAPE_NUMBER,
                                  .rows = 1,
                                  .cols = 1,
                                  .numbers = (double[]){1}};
    begin(0, false);
    sa_explanation_add(&paper, &pair, &one);
    sa_explanation_add(&paper, &pair, &one);
    expect("\n== Step 2 of 2: y_1 = le, y_2 = 猫猫 ==\n"
           "    c                    1\n"
           "    c                    1\n");
}
END_TEST

START_TEST(title_and_step) {
    sa_explain_value one = {.step = 2,
                            .section = "Attention",
                            .head = 3,
                            .letters = "c",
                            .shape = SA_SHAPE_NUMBER,
                            .rows = 1,
                            .cols = 1,
                            .numbers = (double[]){1}};
    paper = (sa_explanation){.digits = 1};
    sa_explanation_add(&paper, &pair, &one);
    one.section = NULL, one.letters = "d"; /* nothing is said twice */
    sa_explanation_add(&paper, &pair, &one);
    one.section = "The new state";
    sa_explanation_add(&paper, &pair, &one);
    expect("Source: le (4) 猫猫 (0, unknown) a\\x1B[2J (7) 👩\u200d👧 (8) anticonstitutionnellement "
           "(9)\n"
           "Target, given: le (4) 猫猫 (0, unknown)\n"
           "\n== Step 2 of 2: y_1 = le, y_2 = 猫猫 ==\n"
           "\nAttention\n  -- head 3 --\n"
           "    c                  1.0\n"
           "    d                  1.0\n"
           "\nThe new state\n  -- head 3 --\n"
           "    d                  1.0\n");
}
END_TEST

/* "Source:" and " ab (1)" have 7 columns: a line may have 100. */
START_TEST(sentences_are_broken_at_the_margin) {
    const char *words[16];
    int ids[16];
    for (int i = 0; i < 16; i++) words[i] = i == 12 ? "abcd" : "ab", ids[i] = 1;
    const sa_explain_pair long_pair = {false, 16, 1, words, words, ids, ids};
    const sa_explain_value one = {.step = 1,
                                  .letters = "c",
                                  .shape = SA_SHAPE_NUMBER,
                                  .rows = 1,
                                  .cols = 1,
                                  .numbers = (double[]){1}};
    paper = (sa_explanation){.digits = 1};
    sa_explanation_add(&paper, &long_pair, &one);
    expect("Source: ab (1) ab (1) ab (1) ab (1) ab (1) ab (1) ab (1) ab (1) ab (1) ab (1) ab (1) "
           "ab (1) abcd (1)\n"
           "        ab (1) ab (1) ab (1)\n"
           "Target, as the model translates: ab (1)\n"
           "\n== Step 1 of 1: y_0 = <s>, y_1 = ab ==\n"
           "    c                  1.0\n");
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("paper", &tests);
    tcase_add_test(tests, vectors_stand_under_each_other);
    tcase_add_test(tests, long_vectors_are_cut_or_go_on_below);
    tcase_add_test(tests, wide_numbers_make_longer_lines);
    tcase_add_test(tests, the_widest_number_makes_the_column);
    tcase_add_test(tests, equations_keep_their_place_on_the_right);
    tcase_add_test(tests, a_citation_stands_beside_what_leaves_it_room);
    tcase_add_test(tests, columns_stand_side_by_side);
    tcase_add_test(tests, tables_end_where_others_begin);
    tcase_add_test(tests, heads_have_their_roles);
    tcase_add_test(tests, probabilities_have_bars);
    tcase_add_test(tests, an_equation_is_the_heading_of_a_matrix);
    tcase_add_test(tests, eight_columns_stand_side_by_side);
    tcase_add_test(tests, a_row_of_a_matrix_has_its_numbers);
    tcase_add_test(tests, labels_are_as_wide_as_they_look);
    tcase_add_test(tests, the_first_word_may_be_chosen);
    tcase_add_test(tests, likely_words_are_shown);
    tcase_add_test(tests, equally_likely_words_keep_their_order);
    tcase_add_test(tests, few_words_are_all_shown);
    tcase_add_test(tests, values_of_a_step_share_its_heading);
    tcase_add_test(tests, title_and_step);
    tcase_add_test(tests, sentences_are_broken_at_the_margin);
    return suite_run(suite);
}
