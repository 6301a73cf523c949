/* Whether alignments count words between blanks where the tokenizer splits them. */
#include "data/encoding.h"
#include "support/suite.h"

static size_t found(sa_pair *pairs, size_t count, bool gold) {
    sa_settings settings;
    sa_error error;
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

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("encoding", &tests);
    tcase_add_test(tests, three_sentences_show_it);
    return suite_run(suite);
}
