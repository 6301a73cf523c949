/* Whether alignments count words between blanks where the tokenizer splits them; links of subwords,
 * and the spelling of words. */
#include "data/encoding.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static sa_error error;

static size_t found(sa_pair *pairs, size_t count, bool gold) {
    sa_settings settings;
    size_t sentences = 99;
    const sa_corpus corpus = {.name = "pairs", .pairs = pairs, .count = count, .gold = gold};
    sa_settings_init(&settings);
    ck_assert_msg(sa_gold_counts_blanks(&corpus, &settings, &sentences, &error), "%s", error.text);
    return sentences;
}

/* "so," is two words, and one between blanks. */
static const struct {
    const char *source, *target, *gold;
    bool splits, reaches; /* reaches: a link names a word beyond those between blanks */
} pairs[] = {
    {"so, yes", "ja", "0-0 1-0", true, false}, {"yes", "ja, so", "0-0 0-1", true, false},
    {"so, yes", "ja", "", false, false},       {"so yes", "ja", "0-0 1-0", false, false},
    {"so, yes", "ja", "2-0", true, true},      {"yes", "ja, so", "0-2", true, true},
    {"so yes", "ja", "2-0", false, true},
};

START_TEST(three_sentences_show_it) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t count = 1; count <= 4; count++) {
            sa_pair some[5];
            for (size_t k = 0; k < count; k++)
                some[k] = (sa_pair){
                    .source = pairs[i].source, .target = pairs[i].target, .gold = pairs[i].gold};
            const size_t wanted = pairs[i].splits && !pairs[i].reaches && count >= 3 ? count : 0;
            ck_assert_msg(found(some, count, true) == wanted, "%s: %zu of %zu", pairs[i].source,
                          found(some, count, true), count);
            ck_assert_uint_eq(found(some, count, false), 0);
            some[count] = (sa_pair){.source = "so, yes", .target = "ja", .gold = "2-0"};
            ck_assert_uint_eq(found(some, count + 1, true), 0); /* one that counts all words */
        }
}
END_TEST

/* ---- Tokens ---------------------------------------------------------------------------------- */

static void build(sa_text_codec codec[2], sa_pair *some, size_t count,
                  const sa_settings *settings) {
    const sa_corpus corpus = {.name = "pairs", .pairs = some, .count = count};
    codec[0] = codec[1] = (sa_text_codec){0};
    ck_assert_msg(sa_text_codecs_build(&codec[0], &codec[1], &corpus, NULL, settings, NULL, &error),
                  "%s", error.text);
}

static void release(sa_text_codec codec[2]) {
    sa_text_codec_release(&codec[0]), sa_text_codec_release(&codec[1]);
}

/* The link of a word is one of each of its subwords, where only one side has subwords. */
START_TEST(links_of_words_go_to_the_subwords_of_one_side) {
    sa_pair pair = {.source = "ab c", .target = "ab c", .gold = "0-0 1p1"};
    static const sa_link links[2][3] = {{{0, 0, false}, {0, 1, false}, {1, 2, true}},
                                        {{0, 0, false}, {1, 0, false}, {2, 1, true}}};
    for (int side = 0; side < 2; side++) {
        sa_settings settings;
        sa_text_codec codec[2];
        sa_settings_init(&settings);
        settings.source_tokenizer = 1 + (side ? SA_TOKENIZER_BPE : SA_TOKENIZER_WORD);
        settings.target_tokenizer = 1 + (side ? SA_TOKENIZER_WORD : SA_TOKENIZER_BPE);
        settings.bpe_merges = 0; /* every character is a subword */
        build(codec, &pair, 1, &settings);
        const sa_corpus corpus = {.name = "pairs", .pairs = &pair, .count = 1, .gold = true};
        sa_gold_alignment *gold =
            sa_gold_make(&codec[0], &codec[1], &corpus, &pair, NULL, 1, &error);
        ck_assert_msg(gold != NULL, "%s", error.text);
        ck_assert_uint_eq(gold->count, 3);
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(gold->links[i].source, links[side][i].source);
            ck_assert_int_eq(gold->links[i].target, links[side][i].target);
            ck_assert_int_eq(gold->links[i].possible, links[side][i].possible);
        }
        sa_gold_release(gold, 1);
        release(codec);
    }
}
END_TEST

static void spelled(const sa_text_codec *codec, const char *text, const char *wanted) {
    sa_sentence made;
    char shown[64] = "";
    ck_assert(sa_text_codec_encode(codec, NULL, text, &codec->vocab, NULL, false, &made, &error));
    const char **words = sa_surface_words(codec, text, &made, &error);
    ck_assert_ptr_nonnull(words);
    for (int i = 0; i < made.len; i++) strcat(strcat(shown, i ? " | " : ""), words[i]);
    ck_assert_str_eq(shown, wanted);
    free(words);
    free((int32_t *)(uintptr_t)made.ids);
}

/* Words as the text spells them; in lower case "<UNK>" is one word, so that others would stand in
 * the wrong place: then as the vocabulary spells them. */
START_TEST(words_are_spelled_as_in_the_text) {
    sa_pair pair = {.source = "the cat", .target = "le chat"};
    sa_settings settings;
    sa_text_codec codec[2];
    sa_settings_init(&settings);
    settings.lowercase = true;
    build(codec, &pair, 1, &settings);
    spelled(&codec[0], "The DOG", "The | DOG | </s>");
    spelled(&codec[0], "<unk> CAT", "<unk> | CAT | </s>");
    spelled(&codec[0], "<UNK> CAT", "<unk> | cat | </s>");
    release(codec);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("encoding", &tests);
    tcase_add_test(tests, three_sentences_show_it);
    tcase_add_test(tests, links_of_words_go_to_the_subwords_of_one_side);
    tcase_add_test(tests, words_are_spelled_as_in_the_text);
    return suite_run(suite);
}
