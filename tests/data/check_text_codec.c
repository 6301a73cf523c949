/* Subwords of texts: learned from pairs, segmented, in the user's spelling, and joined again. */
#include "data/text_codec.h"

#include <stdlib.h>
#include <string.h>

#include "support/decoding.h"
#include "support/suite.h"

static sa_error error;
static sa_text_codec source, target;

static const sa_pair pairs[] = {
    {"low low low lower lower newest newest", "bas bas Bas bas", NULL, 1},
    {"Lower, slow; new.", "l'air bas, naïf", NULL, 2},
};
static const sa_corpus corpus = {.pairs = (sa_pair *)(uintptr_t)pairs, .count = 2, .name = "x.tsv"};

static void build_of(const char *tokenizer, const char *merges, const char *sharing,
                     const char *lowercase) {
    sa_settings settings;
    sa_settings_init(&settings);
    ck_assert(sa_settings_set(&settings, "tokenizer", tokenizer, &error));
    ck_assert(sa_settings_set(&settings, "bpe-merges", merges, &error));
    ck_assert(sa_settings_set(&settings, "bpe", sharing, &error));
    ck_assert(sa_settings_set(&settings, "lowercase", lowercase, &error));
    ck_assert_msg(sa_text_codecs_build(&source, &target, &corpus, NULL, &settings, NULL, &error),
                  "%s", error.text);
}

static void build(const char *merges, const char *sharing, const char *lowercase) {
    build_of("bpe", merges, sharing, lowercase);
}

static void release(void) {
    sa_text_codec_release(&source);
    sa_text_codec_release(&target);
}

static void merges_are(const sa_text_codec *codec, const char *expected) {
    sa_buffer out = {0};
    sa_bpe_write(&codec->bpe, &out);
    ck_assert_str_eq(out.text + strlen("#version: 0.2\n"), expected);
    sa_buffer_release(&out);
}

static void splits_into(const sa_text_codec *codec, const char *text, bool lower,
                        const char *expected) {
    sa_tokens tokens = {0};
    sa_buffer shown = {0};
    ck_assert(sa_text_codec_split(codec, NULL, text, lower, &tokens, &error));
    for (size_t i = 0; i < tokens.count; i++)
        sa_buffer_addf(&shown, "%s%.*s", i ? " " : "", (int)tokens.token[i].size,
                       tokens.token[i].text);
    ck_assert_str_eq(shown.text, expected);
    sa_buffer_release(&shown);
    sa_tokens_release(&tokens);
}

START_TEST(merges_are_learned_of_words_not_of_spaces) {
    build("3", "separate", "no");
    /* 5 lo, 2 of each other pair of lower and newest; the last in byte order comes first */
    merges_are(&source, "l o\nw e\nlo w</w>\n");
    merges_are(&target, "a s</w>\nb as</w>\n");
    splits_into(&source, "low, slow.", false, "low , s@@ low .");
    splits_into(&target, "Bas l'air", false, "B@@ as l@@ ' a@@ i@@ r");
    release();
}
END_TEST

START_TEST(joint_merges_cut_both_sides_alike) {
    build("5", "joint", "no");
    ck_assert(sa_bpe_equal(&source.bpe, &target.bpe));
    ck_assert_uint_eq(source.bpe.pairs.count, 5);
    release();
    build("5", "separate", "no");
    ck_assert(!sa_bpe_equal(&source.bpe, &target.bpe));
    ck_assert(!sa_text_codec_equal(&source, &target));
    release();
}
END_TEST

START_TEST(equal_codecs_cut_texts_alike) {
    sa_text_codec other[2];
    build_of("space-bpe", "2", "separate", "no");
    ck_assert(!sa_text_codec_equal(&source, &target)); /* in their merges only */
    other[0] = source, other[1] = target;
    source = target = (sa_text_codec){0};
    build_of("space-bpe", "2", "separate", "no");
    ck_assert(sa_text_codec_equal(&source, &other[0]) && sa_text_codec_equal(&target, &other[1]));
    source.lowercase = true;
    ck_assert(!sa_text_codec_equal(&source, &other[0]));
    release();
    source = other[0], target = other[1];
    release();
}
END_TEST

/* A sign with a mark of its spaces is one subword; without merges, so are only characters. */
START_TEST(signs_with_marks_are_not_cut) {
    static const sa_pair some[] = {{"ab, b, a ,b", "x", NULL, 1}, {"ab, a", "x", NULL, 2}};
    const sa_corpus few = {.pairs = (sa_pair *)(uintptr_t)some, .count = 2, .name = "x.tsv"};
    sa_settings settings;
    sa_settings_init(&settings);
    settings.tokenizer = SA_TOKENIZER_BPE, settings.bpe_merges = 0;
    ck_assert_msg(sa_text_codecs_build(&source, &target, &few, NULL, &settings, NULL, &error), "%s",
                  error.text);
    splits_into(&source, "ab, b ,a", false, "a@@ b , b ▁,￭ a");
    release();
}
END_TEST

/* The unknown subword that outputs have is read as one, and the word before it goes on. */
START_TEST(unknown_subwords_are_read_again) {
    build("3", "separate", "no");
    splits_into(&source, "low<unk> <unk> (<unk> slo<unk><unk>r", false,
                "lo@@ w@@ <unk> <unk> ( <unk> s@@ lo@@ <unk> <unk> r");
    release();
    build_of("space-bpe", "3", "separate", "yes");
    splits_into(&source, "LOW<unk> <unk> low<unk>", false, "lo@@ w@@ <unk> <unk> lo@@ w@@ <unk>");
    release();
}
END_TEST

/* A lower-case model segments "LOWER" as "lower". */
START_TEST(subwords_are_in_lower_case) {
    build("4", "separate", "yes");
    merges_are(&source, "l o\nw e\nlo w</w>\nwe r</w>\n");
    splits_into(&source, "LOWER Low", true, "lo@@ wer low");
    splits_into(&source, "LOWER Low", false, "lo@@ wer low");
    splits_into(&target, "NAÏF", false, "n@@ a@@ ï@@ f");
    release();
}
END_TEST

static void comes_back(const char *text) {
    sa_sentence made;
    sa_buffer out = {0};
    ck_assert(sa_text_codec_encode(&target, NULL, text, &target.vocab, NULL, false, &made, &error));
    decode_ids(&target, made.ids, made.len, &out);
    ck_assert_str_eq(out.text, text);
    sa_buffer_release(&out);
    free((int32_t *)(uintptr_t)made.ids);
}

START_TEST(subwords_are_joined_again) {
    build("2", "separate", "no");
    comes_back("l'air bas, naïf");
    comes_back("bas Bas");
    comes_back("naïf, bas l'air");
    release();
}
END_TEST

/* Tokenized text is joined as it was, with a space between tokens. */
START_TEST(tokens_of_the_user_stay) {
    build_of("space-bpe", "3", "separate", "no");
    merges_are(&source, "l o\nw e\nn e\n"); /* "new." is a word, too */
    splits_into(&source, "low , slow;", false, "lo@@ w , s@@ lo@@ w@@ ;");
    comes_back("bas , naïf");
    comes_back("bas, , , l'air bas");
    release();
}
END_TEST

START_TEST(unfinished_words_are_joined_too) {
    static const struct {
        const char *tokens[4], *expected;
    } cases[] = {
        {{"lo@@", "w@@"}, "low"}, /* the output ended within a word */
        {{"lo@@", "<unk>", "b"}, "lo<unk> b"},
        {{"l@@", "'", "eau"}, "l'eau"}, /* words are joined as words are */
        {{"@@", "b"}, "@@ b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sa_token tokens[4];
        size_t count = 0;
        for (; count < 4 && cases[i].tokens[count]; count++)
            tokens[count] = (sa_token){cases[i].tokens[count], strlen(cases[i].tokens[count])};
        sa_buffer out = {0};
        sa_tokenizer_join(&sa_tokenizers[3], tokens, count, &(sa_spacing){0}, &out);
        ck_assert_str_eq(out.text, cases[i].expected);
        sa_buffer_release(&out);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("text_codec", &tests);
    tcase_add_test(tests, merges_are_learned_of_words_not_of_spaces);
    tcase_add_test(tests, joint_merges_cut_both_sides_alike);
    tcase_add_test(tests, equal_codecs_cut_texts_alike);
    tcase_add_test(tests, signs_with_marks_are_not_cut);
    tcase_add_test(tests, unknown_subwords_are_read_again);
    tcase_add_test(tests, subwords_are_in_lower_case);
    tcase_add_test(tests, subwords_are_joined_again);
    tcase_add_test(tests, tokens_of_the_user_stay);
    tcase_add_test(tests, unfinished_words_are_joined_too);
    return suite_run(suite);
}
