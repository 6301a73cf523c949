/* Text codecs and datasets. */
#include "data/dataset.h"
#include "data/encoding.h"
#include "support/decoding.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sa_error error;
static sa_text_codec source, target;
static sa_dataset dataset;

#define PAIRS(...)                                                                                 \
    (sa_corpus) {                                                                                  \
        .pairs = (sa_pair[]){__VA_ARGS__},                                                         \
        .count = sizeof((sa_pair[]){__VA_ARGS__}) / sizeof(sa_pair), .name = "x.tsv",              \
    }

static sa_settings settings_for(const char *tokenizer, int max_len) {
    sa_settings settings;
    sa_settings_init(&settings);
    ck_assert(sa_settings_set(&settings, "tokenizer", tokenizer, &error));
    settings.max_len = max_len;
    return settings;
}

static void build(const sa_corpus *corpus, const bool *use, const sa_settings *settings) {
    ck_assert_msg(sa_text_codecs_build(&source, &target, corpus, use, settings, NULL, &error), "%s",
                  error.text);
}

static void release(void) {
    sa_dataset_release(&dataset);
    sa_text_codec_release(&source);
    sa_text_codec_release(&target);
}

static void words_are(const sa_text_codec *codec, const char *blob) {
    ck_assert_uint_eq(codec->vocab.text.size, strlen(blob));
    ck_assert_mem_eq(codec->vocab.text.text, blob, strlen(blob));
}

/* ---- Coders ---------------------------------------------------------------------------------- */

static void encodes(const sa_text_codec *codec, const char *text, const char *numbers) {
    sa_sentence made;
    char shown[128] = "";
    ck_assert(sa_text_codec_encode(codec, NULL, text, &codec->vocab, NULL, false, &made, &error));
    for (int i = 0; i < made.len; i++)
        snprintf(shown + strlen(shown), sizeof shown - strlen(shown), i ? " %d" : "%d",
                 made.ids[i]);
    ck_assert_str_eq(shown, numbers);
    free((int32_t *)(uintptr_t)made.ids);
}

START_TEST(each_side_has_its_words) {
    const sa_corpus corpus = PAIRS({"a b a", "x", NULL, 1}, {"a", "y y x", NULL, 2});
    const sa_settings settings = settings_for("word", 50);
    build(&corpus, NULL, &settings);
    words_are(&source, "a\nb\n");
    words_are(&target, "x\ny\n");
    release();
}
END_TEST

START_TEST(only_used_and_short_pairs_give_words) {
    const sa_corpus corpus = PAIRS({"one two three", "x", NULL, 1}, {"a", "y y y", NULL, 2},
                                   {"b c", "z z", NULL, 3}, {"unused", "w", NULL, 4});
    const bool use[] = {true, true, true, false};
    const sa_settings settings = settings_for("word", 2);
    build(&corpus, use, &settings);
    words_are(&source, "b\nc\n");
    words_are(&target, "z\n");
    release();
}
END_TEST

START_TEST(settings_shape_the_vocabulary) {
    const sa_corpus corpus = PAIRS({"A a b", "x x y y z", NULL, 1});
    sa_settings settings = settings_for("word", 50);
    settings.lowercase = true;
    settings.min_freq = 2;
    settings.vocab = 1;
    build(&corpus, NULL, &settings);
    words_are(&source, "a\n");
    words_are(&target, "x\n");
    release();
}
END_TEST

START_TEST(each_side_has_its_table_of_spaces) {
    const sa_corpus corpus = PAIRS({"What? No! Yes?", "Quoi ? Non ! Oui?", NULL, 1});
    const sa_settings settings = settings_for("word", 50);
    build(&corpus, NULL, &settings);
    ck_assert_int_eq(strncmp(source.spaces.text.text, "any ? ￭\n", strlen("any ? ￭\n")), 0);
    ck_assert_ptr_nonnull(strstr(source.spaces.text.text, "\nword ? ￭\n"));
    ck_assert_ptr_nonnull(strstr(target.spaces.text.text, "\nword ? ▁\n"));
    words_are(&target, "!\n?\nNon\nOui\nQuoi\n￭?\n");
    encodes(&target, "Quoi? Non! Oui ?", "7 8 5 3 6 4 1"); /* an unknown mark is left out */
    release();
}
END_TEST

START_TEST(too_long_pairs_alone_are_an_error) {
    const sa_corpus corpus = PAIRS({"a b c", "x", NULL, 1}, {"a", "x y z", NULL, 2});
    const sa_settings settings = settings_for("word", 2);
    ck_assert(!sa_text_codecs_build(&source, &target, &corpus, NULL, &settings, NULL, &error));
    ck_assert_str_eq(error.text,
                     "x.tsv: no pairs left: every one has a side above 2 tokens (--max-len)");
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_ptr_null(source.vocab.text.text);
    ck_assert_ptr_null(target.vocab.text.text);
}
END_TEST

START_TEST(too_rare_words_alone_are_an_error) {
    const sa_corpus corpus = PAIRS({"a a a", "x y z", NULL, 1});
    sa_settings settings = settings_for("word", 50);
    settings.min_freq = 2;
    ck_assert(!sa_text_codecs_build(&source, &target, &corpus, NULL, &settings, NULL, &error));
    ck_assert_str_eq(error.text, "no word occurs 2 times or more (--min-freq)");
    ck_assert_ptr_null(source.vocab.text.text);
}
END_TEST

START_TEST(text_is_encoded) {
    const sa_corpus corpus = PAIRS({"The cat, the cat", "x", NULL, 1});
    sa_settings settings = settings_for("word", 50);
    settings.lowercase = true;
    build(&corpus, NULL, &settings);
    words_are(&source, "cat\nthe\n,\n");
    encodes(&source, "THE CAT", "4 3 1");
    encodes(&source, "the dog,", "4 0 5 1");
    encodes(&source, "", "1");
    encodes(&source, "</s> <unk>", "0 0 0 0 0 1"); /* ordinary text: < / s > and a word */
    release();
}
END_TEST

START_TEST(ids_are_decoded) {
    const sa_corpus corpus = PAIRS({"x", "Oui ! Qu'il aille .", NULL, 1});
    const sa_settings settings = settings_for("word", 50);
    build(&corpus, NULL, &settings);
    sa_sentence made;
    sa_buffer text = {0};
    ck_assert(sa_text_codec_encode(&target, NULL, "Qu'il aille. Oui!", &target.vocab, NULL, false,
                                   &made, &error));
    decode_ids(&target, made.ids, made.len, &text);
    ck_assert_str_eq(text.text, "Qu'il aille . Oui !");
    free((int32_t *)(uintptr_t)made.ids);
    sa_buffer_release(&text);
    decode_ids(&target, (const int32_t[]){SA_UNK, SA_EOS}, 2, &text);
    ck_assert_str_eq(text.text, "<unk>");
    sa_buffer_release(&text);
    release();
}
END_TEST

/* ---- Datasets -------------------------------------------------------------------------------- */

static void sentence_is(const sa_sentence *sentence, int len, const int32_t *ids) {
    ck_assert_int_eq(sentence->len, len);
    ck_assert_mem_eq(sentence->ids, ids, sizeof *ids * (size_t)len);
}

START_TEST(pairs_become_sentences) {
    const sa_corpus corpus =
        PAIRS({"a", "x x", NULL, 1}, {"a b c", "x", NULL, 2}, {"b a", "y", NULL, 5});
    sa_settings settings = settings_for("word", 2);
    build(&corpus, NULL, &settings);
    ck_assert(sa_dataset_build(&dataset, &corpus, NULL, &source, &target, 2, &settings, &error));
    ck_assert_uint_eq(dataset.count, 2);
    ck_assert_uint_eq(dataset.too_long, 1);
    ck_assert_uint_eq(dataset.pair[0], 0);
    ck_assert_uint_eq(dataset.pair[1], 2);
    sentence_is(&dataset.source[0], 2, (const int32_t[]){3, SA_EOS});
    sentence_is(&dataset.target[0], 3, (const int32_t[]){3, 3, SA_EOS});
    sentence_is(&dataset.source[1], 3, (const int32_t[]){4, 3, SA_EOS});
    sentence_is(&dataset.target[1], 2, (const int32_t[]){4, SA_EOS});
    ck_assert_int_eq(dataset.longest_source, 3);
    ck_assert_int_eq(dataset.longest_target, 3);
    ck_assert_int_eq(dataset.target_words, 5);
    const sa_corpus all = sa_dataset_pairs(&dataset, &corpus, 9, &error),
                    one = sa_dataset_pairs(&dataset, &corpus, 1, &error);
    ck_assert(all.count == 2 && one.count == 1);
    ck_assert_ptr_eq(all.pairs[1].source, corpus.pairs[2].source);
    ck_assert_ptr_eq(one.pairs[0].source, corpus.pairs[0].source);
    free(all.pairs), free(one.pairs);
    sa_dataset_release(&dataset);

    ck_assert(sa_dataset_build(&dataset, &corpus, NULL, &source, &target, 0, &settings, &error));
    ck_assert_uint_eq(dataset.count, 3); /* 0: no limit */
    ck_assert_uint_eq(dataset.too_long, 0);
    sentence_is(&dataset.source[1], 4, (const int32_t[]){3, 4, SA_UNK, SA_EOS});
    release();
}
END_TEST

START_TEST(only_used_pairs_are_encoded) {
    const sa_corpus corpus = PAIRS({"a", "x", NULL, 1}, {"b", "y", NULL, 2}, {"c", "z", NULL, 3});
    const sa_settings settings = settings_for("char", 5);
    build(&corpus, NULL, &settings);
    ck_assert(sa_dataset_build(&dataset, &corpus, (const bool[]){false, true, false}, &source,
                               &target, 5, &settings, &error));
    ck_assert_uint_eq(dataset.count, 1);
    ck_assert_uint_eq(dataset.pair[0], 1);
    sentence_is(&dataset.source[0], 2, (const int32_t[]){4, SA_EOS});
    release();
}
END_TEST

/* Target words x and y are known; what the source has beyond them is numbered in each pair anew. */
START_TEST(copying_numbers_unknown_words) {
    const sa_corpus corpus = PAIRS({"a x", "x x", NULL, 1}, {"b z q z", "y y q", NULL, 2});
    sa_settings settings = settings_for("word", 5);
    settings.min_freq = 2;
    sa_settings copying = settings;
    copying.copy = true;
    build(&corpus, NULL, &settings);
    words_are(&target, "x\ny\n");
    ck_assert(sa_dataset_build(&dataset, &corpus, NULL, &source, &target, 0, &settings, &error));
    ck_assert_ptr_null(dataset.source[0].extended);
    const uint64_t hash = dataset.hash;
    sa_dataset_release(&dataset);
    ck_assert(sa_dataset_build(&dataset, &corpus, NULL, &source, &target, 0, &copying, &error));
    static const int32_t wanted[] = {5, 3, SA_EOS, 3, 3, SA_EOS, 5,     6,
                                     7, 6, SA_EOS, 4, 4, 7,      SA_EOS};
    const int32_t *const extended[] = {dataset.source[0].extended, dataset.target[0].extended,
                                       dataset.source[1].extended, dataset.target[1].extended};
    const int first[] = {0, 3, 6, 11, 15};
    for (int i = 0; i < 4; i++)
        ck_assert_mem_eq(extended[i], wanted + first[i],
                         sizeof *wanted * (size_t)(first[i + 1] - first[i]));
    ck_assert_uint_ne(dataset.hash, hash);
    static const char *const words[] = {"b", "z", "q", "z"}, *const spelled[] = {"x", "y", "b", "z",
                                                                                 "q"};
    for (int32_t id = 3; id <= 7; id++) {
        const sa_token word = sa_word_of(&target.vocab, id, &dataset.source[1], words);
        ck_assert_uint_eq(word.size, 1);
        ck_assert_int_eq(*word.text, *spelled[id - 3]);
    }
    release();
}
END_TEST

/* A pair with a side that is too long, on either side, is left out with its unknown words. */
START_TEST(copying_leaves_out_long_pairs) {
    const sa_corpus corpus = PAIRS({"q r s", "x", NULL, 1}, {"x", "q r s", NULL, 2},
                                   {"q r s", "q r s", NULL, 3}, {"z q", "q x", NULL, 4});
    sa_settings settings = settings_for("word", 5);
    settings.copy = true, settings.min_freq = 4; /* the target knows no word but x */
    const sa_corpus known = PAIRS({"x x x x", "x x x x", NULL, 1});
    build(&known, NULL, &settings);
    ck_assert(sa_dataset_build(&dataset, &corpus, NULL, &source, &target, 2, &settings, &error));
    ck_assert(dataset.count == 1 && dataset.too_long == 3 && dataset.pair[0] == 3);
    const int32_t from[] = {4, 5, SA_EOS}, to[] = {5, 3, SA_EOS};
    ck_assert_mem_eq(dataset.source[0].extended, from, sizeof from);
    ck_assert_mem_eq(dataset.target[0].extended, to, sizeof to);
    release();
}
END_TEST

/* The source has the subword "ab"; with those of the target its words would be read as "a" and "b".
 */
START_TEST(copying_reads_each_side_in_its_own_subwords) {
    const sa_corpus corpus = PAIRS({"ab ab", "cd cd", NULL, 1}, {"ab ab", "cd cd", NULL, 2});
    sa_settings settings = settings_for("bpe", 9);
    ck_assert(sa_settings_set(&settings, "bpe", "separate", &error));
    settings.bpe_merges = 9, settings.copy = true;
    build(&corpus, NULL, &settings);
    ck_assert(sa_dataset_build(&dataset, &corpus, NULL, &source, &target, 0, &settings, &error));
    words_are(&target, "cd\n");
    const int32_t new = SA_SPECIAL_TOKENS + 1, ab = dataset.source[0].ids[0];
    sentence_is(&dataset.source[0], 3, (const int32_t[]){ab, ab, SA_EOS});
    const int32_t wanted[] = {new, new, SA_EOS};
    ck_assert_mem_eq(dataset.source[0].extended, wanted, sizeof wanted);
    release();
}
END_TEST

START_TEST(the_hash_tells_datasets_apart) {
    const sa_corpus corpus = PAIRS({"a", "x", NULL, 1}, {"b", "y", NULL, 2});
    const sa_corpus swapped = PAIRS({"b", "y", NULL, 1}, {"a", "x", NULL, 2});
    const sa_settings settings = settings_for("word", 5);
    build(&corpus, NULL, &settings);
    const sa_corpus source_differs = PAIRS({"a", "x", NULL, 1}, {"a", "y", NULL, 2});
    const sa_corpus target_differs = PAIRS({"a", "x", NULL, 1}, {"b", "x", NULL, 2});
    const sa_corpus *const given[] = {&corpus, &corpus, &swapped, &source_differs, &target_differs};
    uint64_t hash[5];
    for (int i = 0; i < 5; i++) {
        ck_assert(
            sa_dataset_build(&dataset, given[i], NULL, &source, &target, 5, &settings, &error));
        hash[i] = dataset.hash;
        sa_dataset_release(&dataset);
    }
    ck_assert_uint_eq(hash[0], hash[1]);
    for (int i = 2; i < 5; i++) ck_assert_uint_ne(hash[0], hash[i]);
    release();
}
END_TEST

START_TEST(no_pair_left_is_an_error) {
    const sa_corpus corpus = PAIRS({"a b", "x", NULL, 1});
    const sa_settings settings = settings_for("word", 5);
    build(&corpus, NULL, &settings);
    ck_assert(!sa_dataset_build(&dataset, &corpus, NULL, &source, &target, 1, &settings, &error));
    ck_assert_str_eq(error.text,
                     "x.tsv: no pairs left: every one has a side above 1 tokens (--max-len)");
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_ptr_null(dataset.source);
    release();
}
END_TEST

static sa_corpus many_pairs(size_t count) {
    sa_corpus corpus = {.pairs = calloc(count, sizeof(sa_pair)), .count = count, .name = "x.tsv"};
    for (size_t i = 0; i < count; i++) {
        char *text = malloc(64);
        snprintf(text, 64, "w%zu, w%zu z%zu!", i * 7919 % 977, i % 13, i * i % 1009);
        corpus.pairs[i] = (sa_pair){text, text + 3, NULL, i + 1};
    }
    return corpus;
}

START_TEST(threads_change_nothing) {
    const sa_corpus corpus = many_pairs(2500);
    static const char *const tokenizers[] = {"word", "space", "bpe"};
    for (int i = 0; i < 3; i++) {
        sa_settings settings = settings_for(tokenizers[i], 24);
        sa_text_codec first[2] = {0};
        uint64_t hash = 0;
        settings.bpe_merges = 100;
        for (int threads = 1; threads < 5; threads++) {
            settings.threads = threads;
            build(&corpus, NULL, &settings);
            ck_assert(
                sa_dataset_build(&dataset, &corpus, NULL, &source, &target, 24, &settings, &error));
            if (threads == 1) {
                hash = dataset.hash;
                ck_assert_uint_gt(dataset.count, 2000);
                first[0] = source, first[1] = target;
                source = target = (sa_text_codec){0};
                sa_dataset_release(&dataset);
                continue;
            }
            ck_assert(sa_text_codec_equal(&source, &first[0]));
            ck_assert(sa_vocab_equal(&source.vocab, &first[0].vocab));
            ck_assert(sa_vocab_equal(&target.vocab, &first[1].vocab));
            ck_assert_uint_eq(dataset.hash, hash);
            release();
        }
        sa_text_codec_release(&first[0]), sa_text_codec_release(&first[1]);
    }
    for (size_t i = 0; i < corpus.count; i++) free((char *)(uintptr_t)corpus.pairs[i].source);
    free(corpus.pairs);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("dataset");
    TCase *codecs = tcase_create("codecs");
    tcase_add_test(codecs, each_side_has_its_words);
    tcase_add_test(codecs, only_used_and_short_pairs_give_words);
    tcase_add_test(codecs, settings_shape_the_vocabulary);
    tcase_add_test(codecs, each_side_has_its_table_of_spaces);
    tcase_add_test(codecs, too_long_pairs_alone_are_an_error);
    tcase_add_test(codecs, too_rare_words_alone_are_an_error);
    tcase_add_test(codecs, text_is_encoded);
    tcase_add_test(codecs, ids_are_decoded);
    suite_add_tcase(suite, codecs);

    TCase *datasets = tcase_create("datasets");
    tcase_add_test(datasets, pairs_become_sentences);
    tcase_add_test(datasets, only_used_pairs_are_encoded);
    tcase_add_test(datasets, copying_numbers_unknown_words);
    tcase_add_test(datasets, copying_leaves_out_long_pairs);
    tcase_add_test(datasets, copying_reads_each_side_in_its_own_subwords);
    tcase_add_test(datasets, the_hash_tells_datasets_apart);
    tcase_add_test(datasets, no_pair_left_is_an_error);
    tcase_add_test(datasets, threads_change_nothing);
    suite_add_tcase(suite, datasets);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
