/* Unknown words in translations: each is replaced by the most attended source word, or by its
 * translation in a dictionary. */
#include "base/memory.h"
#include "inference/model.h"
#include "support/small_training.h"
#include "support/suite.h"

/* Of these pairs only one word a side is frequent enough to be known. */
static sa_model *trained(void) {
    sa_buffer pairs = {0};
    sa_settings settings = small_settings();
    settings.min_freq = 5, settings.steps = 150, settings.valid_every = 50, settings.lr = 0.01;
    for (int i = 0; i < 40; i++) sa_buffer_addf(&pairs, "the w%d\tle v%d\n", i, i);
    scratch_write(train_path, pairs.text, pairs.size);
    sa_buffer_release(&pairs);
    ck_assert_msg(train(&settings, false), "%s", error.text);
    sa_model *model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    return model;
}

/* The second word of the translation of "the zork". */
static char *second_word(sa_model *model, bool replace, const sa_corpus *dictionary) {
    sa_search search;
    sa_translation out = {0};
    const char *const source = "the zork";
    sa_search_init(&search);
    search.replace_unknown = replace, search.dictionary = dictionary;
    ck_assert_msg(sa_translate(model, &source, 1, &search, &out, &error), "%s", error.text);
    ck_assert_msg(strncmp(out.text, "le ", 3) == 0, "%s", out.text);
    char *word = strdup(out.text + 3);
    sa_translations_release(&out, 1);
    return word;
}

START_TEST(unknown_words_are_replaced) {
    sa_pair both[] = {{.source = "zork", .target = "zorque"}, {.source = "the", .target = "ce"}};
    sa_pair neither[] = {{.source = "a", .target = "b"}};
    enum { SYNONYMS = 9 };
    sa_pair many[SYNONYMS];
    char targets[SYNONYMS][16];
    sa_model *model = trained();
    char *unknown = second_word(model, false, NULL), *taken = second_word(model, true, NULL);
    ck_assert_str_eq(unknown, "<unk>");
    const bool last = strcmp(taken, "zork") == 0;
    ck_assert_msg(last || strcmp(taken, "the") == 0, "%s", taken);
    char *known = second_word(model, true, &(sa_corpus){.pairs = both, .count = 2, .name = "both"});
    for (int i = 0; i < SYNONYMS; i++) {
        sprintf(targets[i], "synonym%d", i);
        many[i] = (sa_pair){.source = last ? "zork" : "the", .target = targets[i]};
    }
    for (size_t count = 1; count <= SYNONYMS; count++) { /* the first pair, however many follow */
        char *first =
            second_word(model, true, &(sa_corpus){.pairs = many, .count = count, .name = "many"});
        ck_assert_str_eq(first, "synonym0");
        free(first);
    }
    char *missing =
        second_word(model, true, &(sa_corpus){.pairs = neither, .count = 1, .name = "neither"});
    ck_assert_str_eq(known, last ? "zorque" : "ce");
    ck_assert_str_eq(missing, taken);
    free(unknown), free(taken), free(known), free(missing);
    sa_model_close(model);
}
END_TEST

/* Each unknown word becomes the source word that has most of its own row. */
START_TEST(words_are_replaced_row_by_row) {
    static const char *const sources[] = {"the zork", "zork the", "zork the a", "a the zork b"};
    int later = 0;
    sa_model *model = trained();
    for (int i = 0; i < 4; i++) {
        sa_search search;
        sa_translation plain = {0}, replaced = {0};
        sa_search_init(&search);
        search.weights = true;
        ck_assert(sa_translate(model, &sources[i], 1, &search, &plain, &error));
        search.replace_unknown = true;
        ck_assert(sa_translate(model, &sources[i], 1, &search, &replaced, &error));
        ck_assert_int_eq(plain.words, replaced.words);
        const int S = plain.sources;
        for (int t = 0; t < plain.words; t++) {
            if (strcmp(plain.target[t], "<unk>") != 0) {
                ck_assert_str_eq(plain.target[t], replaced.target[t]);
                continue;
            }
            int most = 0;
            for (int j = 1; j < S - 1; j++)
                if (plain.weights[t * S + j] > plain.weights[t * S + most]) most = j;
            ck_assert_str_eq(replaced.target[t], plain.source[most]);
            later += t > 0 && most > 0;
        }
        sa_translations_release(&plain, 1), sa_translations_release(&replaced, 1);
    }
    ck_assert_int_gt(later, 0);
    sa_model_close(model);
}
END_TEST

/* With all weight on one column, a word of its own or EOS: an unknown word that attends to EOS
 * stays unknown. (The other sign of v_a turns the largest score into the smallest.) */
START_TEST(words_that_attend_to_no_word_stay_unknown) {
    sa_model *model = trained();
    const sa_mat v = model->w.decoder.attention.v_a;
    const char *const source = "zork";
    int replaced = 0, stayed = 0;
    for (int sign = 0; sign < 2; sign++) {
        sa_search search;
        sa_translation out = {0};
        sa_search_init(&search);
        search.weights = search.replace_unknown = true;
        search.override.kind = SA_OVERRIDE_ONE_HOT;
        ck_assert_msg(sa_translate(model, &source, 1, &search, &out, &error), "%s", error.text);
        for (int t = 0; t < out.words; t++) {
            const bool attends = out.weights[t * out.sources] == 1;
            ck_assert_str_eq(out.source[0], source);
            if (strcmp(out.target[t], "<unk>") == 0) ck_assert(!attends), stayed++;
            if (strcmp(out.target[t], source) == 0) ck_assert(attends), replaced++;
        }
        sa_translations_release(&out, 1);
        sa_scale(-1, v);
    }
    ck_assert_int_gt(replaced, 0);
    ck_assert_int_gt(stayed, 0);
    sa_model_close(model);
}
END_TEST

/* Words of a given beginning stay as they were spelled; only those after it are replaced. */
START_TEST(words_after_a_beginning_are_replaced) {
    static const char *const source = "the zork", *const beginnings[] = {"", "le", "le quux"};
    sa_model *model = trained();
    for (int i = 0; i < 3; i++) {
        sa_search search;
        sa_translation out = {0};
        sa_search_init(&search);
        search.replace_unknown = true, search.target_prefix = &beginnings[i];
        ck_assert_msg(sa_translate(model, &source, 1, &search, &out, &error), "%s", error.text);
        ck_assert_msg(strncmp(out.text, beginnings[i], strlen(beginnings[i])) == 0, "%s", out.text);
        ck_assert_msg(i == 2 || strcmp(out.text, "le zork") == 0 || strcmp(out.text, "le the") == 0,
                      "%s", out.text);
        sa_translations_release(&out, 1);
    }
    sa_model_close(model);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("unknown", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, unknown_words_are_replaced);
    tcase_add_test(tests, words_are_replaced_row_by_row);
    tcase_add_test(tests, words_that_attend_to_no_word_stay_unknown);
    tcase_add_test(tests, words_after_a_beginning_are_replaced);
    return suite_run(suite);
}
