/* Vectors of words from files: the formats, what is found, and what is refused. */
#include "data/word_vectors.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <string.h>

enum { M = 3, WORDS = 6 };

static sa_error error;
static const char *path;
static sa_vocab vocab;
static float rows[(SA_SPECIAL_TOKENS + WORDS) * M];

static void set_up(void) {
    static const char blob[] = "the\n.\n￭.\nnew york\nab@@\n▁the\n";
    scratch_make();
    path = scratch_path("x.vec");
    ck_assert(sa_vocab_read(&vocab, blob, sizeof blob - 1, "m", "words", &error));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) rows[i] = 9;
}

static void tear_down(void) {
    sa_strings_release(&vocab);
    scratch_remove();
}

static bool read_bytes(const char *text, size_t size, size_t *found) {
    scratch_write(path, text, size);
    return sa_word_vectors_read(path, &vocab, M, rows, found, &error);
}

/* The row of a token has these numbers. */
static void row_is(const char *word, float x, float y, float z) {
    const float *row = rows + M * sa_vocab_find(&vocab, word, strlen(word));
    ck_assert_msg(row[0] == x && row[1] == y && row[2] == z, "%s: %g %g %g", word, (double)row[0],
                  (double)row[1], (double)row[2]);
}

/* word2vec ends lines in a space; a word may have a space in it, be no UTF-8 or look like a number.
 */
static const char *const formats[] = {
    "4 3\nthe 1 -2.5 3e2 \n. .5 0 +7 \nnew york 1 2 3 \n\xe9 4 4 4 \n",
    "the 1 -2.5 3e2\n. .5 0 +7\nnew york 1 2 3\n\xe9 4 4 4\n",
    "the\t1\t-2.5\t3e2\r\n.\t.5\t0\t+7\r\nnew york\t1\t2\t3\r\n2010\t1\t1\t1",
    "\uFEFFthe 1 -2.5 3e2\nthe 8 8 8\n. . . 1 2 3\n. .5 0 +7\nnew york 1 2 3\n 6 6 6\n",
};

START_TEST(formats_are_read) {
    size_t found;
    ck_assert_msg(read_bytes(formats[_i], strlen(formats[_i]), &found), "%s", error.text);
    ck_assert_uint_eq(found, 5);
    row_is("the", 1, -2.5F, 300);
    row_is("▁the", 1, -2.5F, 300); /* without its mark */
    row_is(".", .5F, 0, 7);
    row_is("￭.", .5F, 0, 7);
    row_is("new york", 1, 2, 3);
    row_is("ab@@", 9, 9, 9);
    row_is("<unk>", 9, 9, 9);
}
END_TEST

START_TEST(a_token_goes_before_its_word) {
    static const char *const texts[] = {"the 1 1 1\n▁the 2 2 2\nab@@ 3 3 3\n",
                                        "▁the 2 2 2\nab@@ 3 3 3\nthe 1 1 1\n"};
    size_t found;
    for (size_t i = 0; i < 2; i++) {
        ck_assert_msg(read_bytes(texts[i], strlen(texts[i]), &found), "%s", error.text);
        ck_assert_uint_eq(found, 3);
        row_is("the", 1, 1, 1);
        row_is("▁the", 2, 2, 2);
        row_is("ab@@", 3, 3, 3);
    }
}
END_TEST

#define ODD "expected a word and 3 finite numbers (--embed); there are "

static const struct {
    const char *text, *message;
} refused[] = {
    {"the 1 2\n", ":1: " ODD "2 after 'the'"},
    {"the 1 2 3\na 1 2 3 4\n", ":2: " ODD "4 after 'a'"},
    {"zebra 1 nan 3\n", ":1: " ODD "1 after 'nan'"},
    {"zebra 1 2 inf\n", ":1: " ODD "0 after 'inf'"},
    {"the 1  2 3\n", ":1: " ODD "2 after ''"},
    {"the 1 2 3\n\nx 1 2 3\n", ":2: " ODD "0 after ''"},
    {"the 1,5 2 3\n", ":1: " ODD "2 after '1,5'"},
    {"the 1 2 1e39\n", ":1: a number of 'the' is not finite"},
    {"the 1 2-2 3\n", ":1: a number of 'the' is not finite"},
    {"9 300\n", ":1: its vectors have 300 numbers, --embed is 3"},
    {"the 1 2 3\nx\r1 2 3\n", ":2: carriage return inside a line"},
};

START_TEST(other_lines_are_refused) {
    char wanted[256];
    size_t found;
    ck_assert(!read_bytes(refused[_i].text, strlen(refused[_i].text), &found));
    ck_assert_int_eq(error.code, SA_DATA);
    strcat(strcpy(wanted, path), refused[_i].message);
    ck_assert_str_eq(error.text, wanted);
}
END_TEST

START_TEST(a_file_without_the_words_changes_nothing) {
    size_t found = 1;
    ck_assert(read_bytes("zebra 1 2 3\n</s> 1 2 3\n", 23, &found));
    ck_assert_uint_eq(found, 0);
    ck_assert(read_bytes("", 0, &found));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) ck_assert(rows[i] == 9);
    ck_assert(!sa_word_vectors_read(scratch_path("none"), &vocab, M, rows, &found, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
}
END_TEST

/* A word of a file may be longer than any token: its line is passed over. */
START_TEST(a_word_may_be_longer_than_all_tokens) {
    for (size_t size = SA_SUBWORD_MAX - 8; size <= SA_SUBWORD_MAX + 16; size++) {
        sa_buffer text = {0};
        size_t found;
        for (size_t i = 0; i < size; i++) sa_buffer_adds(&text, "x");
        sa_buffer_adds(&text, " 4 5 6\nthe 1 2 3\n");
        ck_assert_msg(read_bytes(text.text, text.size, &found), "%s", error.text);
        ck_assert_uint_eq(found, 2);
        row_is("the", 1, 2, 3);
        sa_buffer_release(&text);
    }
}
END_TEST

int main(void) {
    TCase *cases;
    Suite *suite = suite_of("word_vectors", &cases);
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_loop_test(cases, formats_are_read, 0, (int)(sizeof formats / sizeof *formats));
    tcase_add_test(cases, a_token_goes_before_its_word);
    tcase_add_loop_test(cases, other_lines_are_refused, 0, (int)(sizeof refused / sizeof *refused));
    tcase_add_test(cases, a_file_without_the_words_changes_nothing);
    tcase_add_test(cases, a_word_may_be_longer_than_all_tokens);
    return suite_run(suite);
}
