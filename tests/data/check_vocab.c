/* Vocabularies: built from a text, read from a model file, not confused by special spellings. */
#include "base/rng.h"
#include "data/text_codec.h"
#include "data/tokenizer.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sa_error error;

/* The vocabulary of a text's tokens. */
static bool build_with(const sa_tokenizer *tokenizer, sa_vocab *vocab, const char *text,
                       int min_freq, int most) {
    sa_tokens tokens = {0};
    sa_strings counts = {0};
    ck_assert(tokenizer->split(text, strlen(text), &tokens, NULL));
    for (size_t i = 0; i < tokens.count; i++)
        ck_assert(sa_strings_count(&counts, tokens.token[i], 1, NULL));
    const bool good = sa_vocab_build(vocab, &counts, min_freq, most, &error);
    sa_tokens_release(&tokens);
    sa_strings_release(&counts);
    return good;
}

/* The same with the tokenizer `space`. */
static bool build(sa_vocab *vocab, const char *text, int min_freq, int most) {
    return build_with(&sa_tokenizers[2], vocab, text, min_freq, most);
}

static int32_t find(const sa_vocab *vocab, const char *word) {
    return sa_vocab_find(vocab, word, strlen(word));
}

/* ---- Building -------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    int min_freq, most;
    const char *blob;
} built[] = {
    {"b a", 1, 0, "a\nb\n"},
    {"b a b", 1, 0, "b\na\n"},
    {"z z y y y x", 2, 0, "y\nz\n"},
    {"z z y y y x", 1, 2, "y\nz\n"},
    {"b a c", 1, 2, "a\nb\n"}, /* equal ones in byte order */
    {"ab a abc b", 1, 0, "a\nab\nabc\nb\n"},
    {"Zebra zebra été", 1, 0, "Zebra\nzebra\nété\n"}, /* bytes, no locale */
    {"x", 1, 100, "x\n"},
    {"x x x", 3, 1, "x\n"},
};

START_TEST(words_stand_by_frequency) {
    sa_vocab vocab = {0};
    ck_assert(build(&vocab, built[_i].text, built[_i].min_freq, built[_i].most));
    ck_assert_uint_eq(vocab.text.size, strlen(built[_i].blob));
    ck_assert_mem_eq(vocab.text.text, built[_i].blob, vocab.text.size);
    sa_strings_release(&vocab);
}
END_TEST

/* New words stand behind those that there are, whose ids stay. */
START_TEST(words_are_appended) {
    static const struct {
        int min_freq, most;
        const char *blob;
    } rows[] = {{1, 0, "b\na\nd\nc\n"}, {2, 0, "b\na\nd\n"}, {1, 3, "b\na\nd\n"},
                {1, 2, "b\na\n"},       {1, 1, "b\na\n"},    {9, 0, "b\na\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sa_vocab vocab = {0};
        ck_assert(build(&vocab, "b b a", 1, 0));
        ck_assert(build(&vocab, "d d a a a c", rows[i].min_freq, rows[i].most));
        ck_assert_uint_eq(vocab.text.size, strlen(rows[i].blob));
        ck_assert_mem_eq(vocab.text.text, rows[i].blob, vocab.text.size);
        ck_assert_int_eq(find(&vocab, "a"), SA_SPECIAL_TOKENS + 1);
        sa_strings_release(&vocab);
    }
}
END_TEST

START_TEST(no_word_left_is_an_error) {
    sa_vocab vocab = {0};
    ck_assert(!build(&vocab, "a b c c", 3, 0));
    ck_assert_str_eq(error.text, "no word occurs 3 times or more (--min-freq)");
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_ptr_null(vocab.text.text);
    ck_assert(!build(&vocab, "", 1, 0));
    ck_assert_int_eq(error.code, SA_DATA);
}
END_TEST

/* ---- Numbers and words ----------------------------------------------------------------------- */

START_TEST(words_are_found_and_shown) {
    sa_vocab vocab = {0};
    ck_assert(build(&vocab, "b b b a a été", 1, 0));
    ck_assert_int_eq(sa_vocab_size(&vocab), 6);
    ck_assert_int_eq(find(&vocab, "b"), 3);
    ck_assert_int_eq(find(&vocab, "a"), 4);
    ck_assert_int_eq(find(&vocab, "été"), 5);
    ck_assert_int_eq(find(&vocab, "ét"), SA_UNK);
    ck_assert_int_eq(find(&vocab, "bb"), SA_UNK);
    ck_assert_int_eq(find(&vocab, ""), SA_UNK);
    ck_assert_int_eq(find(&vocab, "\xff"), SA_UNK);
    const sa_token word = sa_vocab_token(&vocab, 5);
    ck_assert_uint_eq(word.size, 5);
    ck_assert_mem_eq(word.text, "été", 5);
    sa_strings_release(&vocab);
}
END_TEST

START_TEST(special_symbols_have_no_spelling) {
    static const char *const spelled[] = {"<unk>", "</s>", "<s>"};
    sa_vocab vocab = {0};
    ck_assert(build(&vocab, "word", 1, 0));
    for (int32_t id = 0; id < SA_SPECIAL_TOKENS; id++) {
        const sa_token shown = sa_vocab_token(&vocab, id);
        ck_assert_uint_eq(shown.size, strlen(spelled[id]));
        ck_assert_mem_eq(shown.text, spelled[id], shown.size);
        ck_assert_int_eq(find(&vocab, spelled[id]), SA_UNK);
    }
    sa_strings_release(&vocab);
    ck_assert(build(&vocab, "<s> </s> <unk> <pad>", 1, 0));
    ck_assert_int_eq(sa_vocab_size(&vocab), SA_SPECIAL_TOKENS + 4);
    for (int32_t id = 0; id < SA_SPECIAL_TOKENS; id++) {
        ck_assert_int_ge(find(&vocab, spelled[id]), SA_SPECIAL_TOKENS);
        ck_assert_int_ne(find(&vocab, spelled[id]), SA_UNK);
    }
    sa_strings_release(&vocab);
}
END_TEST

/* Every word of a large vocabulary is found, and other words are not. */
START_TEST(many_words_are_found) {
    enum { WORDS = 5000 };
    sa_buffer text = {0};
    sa_vocab vocab = {0};
    for (unsigned i = 0; i < WORDS; i++)
        sa_buffer_addf(&text, "w%llx ", (unsigned long long)sa_hash_mix(i));
    ck_assert(build(&vocab, text.text, 1, 0));
    ck_assert_int_eq(sa_vocab_size(&vocab), WORDS + SA_SPECIAL_TOKENS);
    for (int32_t id = SA_SPECIAL_TOKENS; id < WORDS + SA_SPECIAL_TOKENS; id++) {
        const sa_token word = sa_vocab_token(&vocab, id);
        ck_assert_int_eq(sa_vocab_find(&vocab, word.text, word.size), id);
        ck_assert_int_eq(sa_vocab_find(&vocab, word.text, word.size - 1), SA_UNK);
    }
    sa_strings_release(&vocab);
    sa_buffer_release(&text);
}
END_TEST

START_TEST(equal_vocabularies_have_the_same_words_in_the_same_order) {
    static const char *const texts[] = {"b b a", "b b b a", "b b c", "a a b", "b b", "b b a c"};
    sa_vocab one = {0}, none = {0};
    ck_assert(build(&one, texts[0], 1, 0));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sa_vocab other = {0};
        ck_assert(build(&other, texts[i], 1, 0));
        ck_assert_msg(sa_vocab_equal(&one, &other) == (i < 2), "%s", texts[i]);
        sa_strings_release(&other);
    }
    ck_assert(sa_vocab_equal(&none, &none) && !sa_vocab_equal(&one, &none));
    sa_strings_release(&one);
}
END_TEST

/* ---- Reading --------------------------------------------------------------------------------- */

START_TEST(a_written_vocabulary_reads_back) {
    sa_vocab vocab = {0}, again;
    ck_assert(
        build(&vocab, "b b b a a <s> \x01 \x1b[2J 日本 👩‍🚀 =1+1 \xe2\x80\xae", 1, 0));
    ck_assert_msg(
        sa_vocab_read(&again, vocab.text.text, vocab.text.size, "m", "source.vocab", &error), "%s",
        error.text);
    ck_assert_int_eq(sa_vocab_size(&again), sa_vocab_size(&vocab));
    ck_assert_uint_eq(again.text.size, vocab.text.size);
    ck_assert_mem_eq(again.text.text, vocab.text.text, vocab.text.size);
    for (int32_t id = SA_SPECIAL_TOKENS; id < sa_vocab_size(&vocab); id++) {
        const sa_token word = sa_vocab_token(&vocab, id);
        ck_assert_int_eq(sa_vocab_find(&again, word.text, word.size), id);
    }
    sa_strings_release(&vocab);
    sa_strings_release(&again);
}
END_TEST

/* All kinds of characters for the tokenizer `char`. */
START_TEST(a_vocabulary_of_characters_reads_back) {
    sa_vocab vocab = {0}, again;
    sa_buffer line = {0};
    for (int byte = 1; byte < 0x80; byte++)
        if (byte != '\n' && byte != '\r') sa_buffer_add(&line, (char[]){(char)byte}, 1);
    sa_buffer_adds(&line, "\xc2\xa0\xc2\x85\xe2\x80\xa8\xef\xbb\xbf\xef\xbf\xbf\xf3\xa0\x81\x81");
    ck_assert(build_with(&sa_tokenizers[1], &vocab, line.text, 1, 0));
    ck_assert_msg(sa_vocab_read(&again, vocab.text.text, vocab.text.size, "m", "v", &error), "%s",
                  error.text);
    ck_assert_int_eq(sa_vocab_size(&again), sa_vocab_size(&vocab));
    sa_strings_release(&vocab);
    sa_strings_release(&again);
    sa_buffer_release(&line);
}
END_TEST

#define BLOB(text) text, sizeof text - 1

static const struct {
    const char *blob;
    size_t size;
    const char *message;
} broken[] = {
    {BLOB(""), "m: tensor 'v' does not end in a line feed"},
    {BLOB("a\nb"), "m: tensor 'v' does not end in a line feed"},
    {BLOB("\n"), "m: tensor 'v': word 1 is empty"},
    {BLOB("a\n\nb\n"), "m: tensor 'v': word 2 is empty"},
    {BLOB("a\nb\xff\n"), "m: tensor 'v': word 2 is not UTF-8"},
    {BLOB("\xed\xa0\x80\n"), "m: tensor 'v': word 1 is not UTF-8"},
    {BLOB("a\0b\n"), "m: tensor 'v': word 1 holds a byte that no line of text has"},
    {BLOB("a\r\nb\r\n"), "m: tensor 'v': word 1 holds a byte that no line of text has"},
    {BLOB("b\na\nc\na\n"), "m: tensor 'v': words 2 and 4 are the same"},
};

START_TEST(a_broken_vocabulary_is_refused) {
    sa_vocab vocab = {0};
    error = (sa_error){0};
    ck_assert(!sa_vocab_read(&vocab, broken[_i].blob, broken[_i].size, "m", "v", &error));
    ck_assert_str_eq(error.text, broken[_i].message);
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_ptr_null(vocab.text.text);
    ck_assert_uint_eq(vocab.count, 0);
}
END_TEST

START_TEST(a_long_word_is_refused) {
    char blob[SA_SUBWORD_MAX + 2];
    sa_vocab vocab = {0};
    memset(blob, 'x', sizeof blob);
    blob[SA_SUBWORD_MAX] = '\n';
    ck_assert(sa_vocab_read(&vocab, blob, SA_SUBWORD_MAX + 1, "m", "v", &error));
    sa_strings_release(&vocab);
    blob[SA_SUBWORD_MAX] = 'x';
    blob[SA_SUBWORD_MAX + 1] = '\n';
    ck_assert(!sa_vocab_read(&vocab, blob, SA_SUBWORD_MAX + 2, "m", "v", &error));
    ck_assert_str_eq(error.text, "m: tensor 'v': word 1 is too long");
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

int main(void) {
    Suite *suite = suite_create("vocab");
    TCase *cases = tcase_create("vocab");
    tcase_add_loop_test(cases, words_stand_by_frequency, 0, COUNT(built));
    tcase_add_test(cases, words_are_appended);
    tcase_add_test(cases, no_word_left_is_an_error);
    tcase_add_test(cases, words_are_found_and_shown);
    tcase_add_test(cases, special_symbols_have_no_spelling);
    tcase_add_test(cases, many_words_are_found);
    tcase_add_test(cases, equal_vocabularies_have_the_same_words_in_the_same_order);
    tcase_add_test(cases, a_written_vocabulary_reads_back);
    tcase_add_test(cases, a_vocabulary_of_characters_reads_back);
    tcase_add_loop_test(cases, a_broken_vocabulary_is_refused, 0, COUNT(broken));
    tcase_add_test(cases, a_long_word_is_refused);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
