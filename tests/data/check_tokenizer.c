/* The tokenizers char and space, and the properties of all tokenizers. */
#include "base/option.h"
#include "base/utf8.h"
#include "data/tokenizer.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static const sa_tokenizer *row(const char *name) {
    for (const sa_tokenizer *at = sa_tokenizers; at->name; at++)
        if (strcmp(at->name, name) == 0) return at;
    ck_abort_msg("no tokenizer %s", name);
    return NULL;
}

static void cut(const char *name, const char *text, size_t count, const char *const *expected) {
    sa_tokens tokens = {0};
    ck_assert(row(name)->split(text, strlen(text), &tokens, NULL));
    ck_assert_uint_eq(tokens.count, count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(tokens.token[i].size, strlen(expected[i]));
        ck_assert_mem_eq(tokens.token[i].text, expected[i], tokens.token[i].size);
    }
    sa_tokens_release(&tokens);
    ck_assert_ptr_null(tokens.token);
}
#define CUT(name, text, ...)                                                                       \
    cut(name, text, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                        \
        (const char *[]){__VA_ARGS__})

START_TEST(rows_are_listed) {
    ck_assert_str_eq(SA_NAME(sa_tokenizers, 0), "word");
    ck_assert_str_eq(SA_NAME(sa_tokenizers, 1), "char");
    ck_assert_str_eq(SA_NAME(sa_tokenizers, 2), "space");
    ck_assert_str_eq(SA_NAME(sa_tokenizers, 3), "bpe");
    ck_assert_str_eq(SA_NAME(sa_tokenizers, 4), "space-bpe");
    ck_assert_ptr_null(SA_NAME(sa_tokenizers, 5));
    ck_assert_ptr_null(SA_NAME(sa_tokenizers, 6));
}
END_TEST

START_TEST(char_gives_characters_and_spaces) {
    CUT("char", "a b\t", "a", " ", "b", "\t");
    CUT("char", "a<unk> <un", "a", "<unk>", " ", "<", "u", "n");
    CUT("word", "l'<unk>, <unk>s", "l'", "<unk>", ",", "<unk>", "s");
    CUT("char", "04.03", "0", "4", ".", "0", "3");
    CUT("char", "né q\xcc\xa3\xcc\x87", "n", "é", " ", "q\xcc\xa3\xcc\x87");
    CUT("char", "👩‍🚀🇫🇷🇩🇪👍🏽", "👩‍🚀", "🇫🇷", "🇩🇪", "👍🏽");
    CUT("char",
        "a\xc2\xa0"
        "b",
        "a", "\xc2\xa0", "b");
    cut("char", "", 0, NULL);
}
END_TEST

START_TEST(space_gives_what_stands_between) {
    CUT("space", "  I'm (not) here.\t</s> ", "I'm", "(not)", "here.", "</s>");
    CUT("space",
        "a\xc2\xa0"
        "b\xe2\x80\xa8"
        "c",
        "a", "b", "c");
    cut("space", " \t", 0, NULL);
}
END_TEST

/* A text that has single spaces between its tokens comes back byte for byte. */
START_TEST(text_comes_back) {
    static const char text[] = "l'homme  a dit :\t« non » 👩‍🚀";
    static const struct {
        const char *name, *expected;
    } joins[] = {
        {"char", text},
        {"space", "l'homme a dit : « non » 👩‍🚀"},
    };
    for (size_t i = 0; i < 2; i++) {
        sa_tokens tokens = {0};
        sa_buffer joined = {0};
        ck_assert(row(joins[i].name)->split(text, strlen(text), &tokens, NULL));
        sa_tokenizer_join(row(joins[i].name), tokens.token, tokens.count, &(sa_spacing){0},
                          &joined);
        ck_assert_str_eq(joined.text, joins[i].expected);
        sa_buffer_release(&joined);
        sa_tokens_release(&tokens);
    }
}
END_TEST

/* The tokens of `unit` repeated `times` after `start`: none too long, valid, nothing lost. */
static void flood(const sa_tokenizer *tokenizer, const char *start, const char *unit,
                  size_t times) {
    sa_buffer text = {0};
    sa_tokens tokens = {0};
    size_t sum = 0, bad;
    sa_buffer_adds(&text, start);
    for (size_t i = 0; i < times; i++) sa_buffer_adds(&text, unit);
    ck_assert(tokenizer->split(text.text, text.size, &tokens, NULL));
    for (size_t i = 0; i < tokens.count; i++) {
        ck_assert_uint_gt(tokens.token[i].size, 0);
        ck_assert_uint_le(tokens.token[i].size, SA_TOKEN_MAX);
        ck_assert(sa_utf8_valid(tokens.token[i].text, tokens.token[i].size, &bad));
        ck_assert_ptr_eq(tokens.token[i].text, text.text + sum);
        sum += tokens.token[i].size;
    }
    ck_assert_uint_eq(sum, text.size);
    sa_tokens_release(&tokens);
    sa_buffer_release(&text);
}

/* Quadratic work would run into the time limit of a test. */
START_TEST(monsters_are_cut_in_linear_time) {
    for (const sa_tokenizer *tokenizer = sa_tokenizers; tokenizer->name; tokenizer++) {
        flood(tokenizer, "z", "\xcc\x81", 200000); /* combining marks on one base */
        flood(tokenizer, "", "x", 20000);
        flood(tokenizer, "", "é", 10000);
        flood(tokenizer, "", "a-", 10000);
        flood(tokenizer, "a", "👩‍🚀", 2000);
        flood(tokenizer, "👩", "\xe2\x80\x8d👩", 30000); /* one endless family */
    }
}
END_TEST

START_TEST(a_long_token_is_cut_between_its_characters) {
    char text[SA_TOKEN_MAX + 8];
    sa_tokens tokens = {0};
    memset(text, 'x', sizeof text);
    ck_assert(sa_tokens_push_split(&tokens, text, SA_TOKEN_MAX, NULL));
    ck_assert_uint_eq(tokens.count, 1);
    memcpy(text + SA_TOKEN_MAX - 1, "e\xcc\x81", 3); /* é, one byte before the limit */
    ck_assert(sa_tokens_push_split(&tokens, text, SA_TOKEN_MAX + 4, NULL));
    ck_assert_uint_eq(tokens.count, 3);
    ck_assert_uint_eq(tokens.token[1].size, SA_TOKEN_MAX - 1);
    ck_assert_uint_eq(tokens.token[2].size, 5);
    ck_assert(sa_tokens_push_split(&tokens, text, 0, NULL));
    ck_assert_uint_eq(tokens.count, 3);
    char *whole = memcpy(malloc(SA_TOKEN_MAX + 2), text, SA_TOKEN_MAX + 2); /* up to the accent */
    ck_assert(sa_tokens_push_split(&tokens, whole, SA_TOKEN_MAX + 2, NULL));
    ck_assert_uint_eq(tokens.count, 5);
    ck_assert_uint_eq(tokens.token[3].size, SA_TOKEN_MAX - 1);
    ck_assert_uint_eq(tokens.token[4].size, 3);
    free(whole);
    sa_tokens_release(&tokens);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("tokenizer");
    TCase *cases = tcase_create("tokenizer");
    tcase_add_test(cases, rows_are_listed);
    tcase_add_test(cases, char_gives_characters_and_spaces);
    tcase_add_test(cases, space_gives_what_stands_between);
    tcase_add_test(cases, text_comes_back);
    tcase_add_test(cases, monsters_are_cut_in_linear_time);
    tcase_add_test(cases, a_long_token_is_cut_between_its_characters);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
