/* Byte-pair encoding: the merges and the subwords that subword-nmt makes (tests/golden/own.bpe*),
 * and by hand; broken files of merges; time that grows no faster than the text. */
#include "base/rng.h"
#include "data/bpe.h"
#include "data/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/memory_failures.h"
#include "support/scratch.h"
#include "support/suite.h"

static sa_error error;

/* ---- Learning -------------------------------------------------------------------------------- */

static void count_words(sa_strings *counts, const char *text) {
    for (const char *at = text; *at; at += strspn(at, " \n")) {
        const size_t size = strcspn(at, " \n");
        if (size) ck_assert(sa_strings_count(counts, (sa_token){at, size}, 1, &error));
        at += size;
    }
}

static void learn(sa_bpe *bpe, const char *text, size_t merges, int64_t least) {
    sa_strings counts = {0};
    count_words(&counts, text);
    ck_assert(sa_bpe_learn(bpe, &counts, merges, least, &error));
    sa_strings_release(&counts);
}

static sa_strings counted;

static bool learn_counted(sa_error *why) {
    sa_bpe bpe;
    const bool good = sa_bpe_learn(&bpe, &counted, 20, 1, why);
    sa_bpe_release(&bpe);
    return good;
}

static sa_bpe learned_once;

/* What has failed is asked for again, with memory. */
static bool segment_again(sa_error *why) {
    static const char *const words[] = {"newer", "lowend", "newest"};
    static const size_t wanted_of[][3] = {{2, 4, 1},  /* ne@@ wer, lo@@ we@@ n@@ d */
                                          {2, 4, 3}}; /* newe@@ r, lo@@ w@@ e@@ nd, newe@@ s@@ t */
    const size_t *wanted = wanted_of[learned_once.glossaries != NULL];
    bool good = true;
    sa_bpe_segmenter segmenter = {.bpe = &learned_once};
    for (int i = 0; i < 6; i++) {
        size_t count = 0;
        const uint32_t *sizes =
            sa_bpe_segmenter_apply(&segmenter, words[i % 3], strlen(words[i % 3]), &count, why);
        good = good && sizes;
        if (sizes) ck_assert_uint_eq(count, wanted[i % 3]);
    }
    sa_bpe_segmenter_release(&segmenter);
    return good;
}

START_TEST(segmenting_without_memory) {
    learn(&learned_once, "lower lower lowest new newest newest", 20, 1);
    ck_assert_int_eq(fail_allocations(segment_again), 0);
    ck_assert(sa_bpe_set_glossaries(&learned_once, "newe nd", false, &error));
    ck_assert_int_eq(fail_allocations(segment_again), 0);
    sa_bpe_release(&learned_once);
}
END_TEST

START_TEST(learning_without_memory) {
    count_words(&counted, "lower lower lowest new newest newest");
    ck_assert_int_eq(fail_allocations(learn_counted), 0);
    sa_strings_release(&counted);
}
END_TEST

/* Words of 32 pairs, after which the table of pairs grows with the first pair that is looked up: of
 * those beside the first merge, the one before it, or behind it where it begins a word. */
START_TEST(merging_without_memory) {
    sa_buffer text = {0};
    sa_buffer_adds(&text, _i ? "aby xabz" : "xaby abz");
    for (char c = 'c'; c < 'c' + 7; c++)
        for (char d = '0'; d < '0' + 4; d++) sa_buffer_addf(&text, " %c%c", c, d);
    count_words(&counted, text.text);
    ck_assert_uint_eq(counted.count, 30);
    ck_assert_int_eq(fail_allocations(learn_counted), 0);
    sa_strings_release(&counted), sa_buffer_release(&text);
}
END_TEST

/* The merges without the first line, " | " between them. */
static void merges_are(const sa_bpe *bpe, const char *expected) {
    sa_buffer out = {0}, shown = {0};
    sa_bpe_write(bpe, &out);
    char *line = strchr(out.text, '\n') + 1, *end;
    for (; (end = strchr(line, '\n')); line = end + 1)
        sa_buffer_addf(&shown, "%s%.*s", shown.size ? " | " : "", (int)(end - line), line);
    ck_assert_str_eq(shown.text ? shown.text : "", expected);
    sa_buffer_release(&out);
    sa_buffer_release(&shown);
}

static const struct {
    const char *text;
    size_t merges;
    int64_t least;
    const char *expected;
} learned[] = {
    {"ab ab", 10, 2, "a b</w>"},
    {"ab ab", 0, 1, ""},
    {"ab", 10, 2, ""},
    {"ab", 10, 1, "a b</w>"},
    {"a a a b b", 10, 1, ""}, /* single characters have no pairs */
    /* three times each: the last in byte order comes first, by the left symbol, then the right */
    {"ab ab ab ac ac ac bc bc bc", 2, 1, "b c</w> | a c</w>"},
    {"é1 é1 z1 z1", 1, 1, "é 1</w>"}, /* é comes after z in UTF-8 */
    {"lower lower lower low low newer", 4, 2, "l o | w e | we r</w> | lo wer</w>"},
    /* overlapping pairs all count, but are merged from the left: xx x, not x xx */
    {"xxx xxx xxxx", 9, 1, "x x | xx x</w> | xx x | xxx x</w>"},
    /* (b, c) of a b c b c x: the pair between the two is counted down once */
    {"abcbcx abcbcx", 9, 2, "b c | bc x</w> | bc bcx</w> | a bcbcx</w>"},
};

START_TEST(merges_come_by_frequency) {
    sa_bpe bpe;
    learn(&bpe, learned[_i].text, learned[_i].merges, learned[_i].least);
    merges_are(&bpe, learned[_i].expected);
    sa_bpe_release(&bpe);
}
END_TEST

/* ---- Learning by the book -------------------------------------------------------------------- */

enum { LETTERS = 6, WORDS = 12, SYMBOL = 16 };

/* A word as its symbols. */
typedef struct spelled {
    char symbol[LETTERS][SYMBOL];
    int count;
    int64_t times;
} spelled;

static void spell(spelled *word, sa_token text, int64_t times) {
    *word = (spelled){.count = (int)text.size, .times = times};
    for (size_t i = 0; i < text.size; i++)
        snprintf(word->symbol[i], SYMBOL, "%c%s", text.text[i], i + 1 < text.size ? "" : "</w>");
}

static bool stands_at(const spelled *word, int i, const char *left, const char *right) {
    return i + 1 < word->count && strcmp(word->symbol[i], left) == 0 &&
           strcmp(word->symbol[i + 1], right) == 0;
}

static int64_t frequency_of(const spelled *words, size_t count, const char *left,
                            const char *right) {
    int64_t sum = 0;
    for (size_t k = 0; k < count; k++)
        for (int i = 0; i < words[k].count; i++)
            sum += stands_at(&words[k], i, left, right) ? words[k].times : 0;
    return sum;
}

/* Finds the most frequent pair, of equals the last in byte order. Returns how often it occurs. */
static int64_t find_best(const spelled *words, size_t count, char best[2][SYMBOL]) {
    int64_t most = 0;
    for (size_t k = 0; k < count; k++)
        for (int i = 0; i + 1 < words[k].count; i++) {
            const char *left = words[k].symbol[i], *right = words[k].symbol[i + 1];
            const int64_t times = frequency_of(words, count, left, right);
            const int by_left = strcmp(left, best[0]);
            const int order = by_left ? by_left : strcmp(right, best[1]);
            if (times < most || (times == most && order <= 0)) continue;
            most = times;
            strcpy(best[0], left), strcpy(best[1], right);
        }
    return most;
}

/* Merges a pair wherever it stands, from left to right. */
static void join(spelled *word, const char *left, const char *right) {
    int kept = 0;
    for (int i = 0; i < word->count; i++, kept++) {
        const bool both = stands_at(word, i, left, right);
        memmove(word->symbol[kept], word->symbol[i], SYMBOL);
        if (both) strcat(word->symbol[kept], right), i++;
    }
    word->count = kept;
}

/* Counts all pairs anew before each merge. A merge that was there before is not listed again. */
static void learn_by_the_book(spelled *words, size_t count, int64_t least, sa_buffer *out) {
    sa_strings listed = {0};
    for (;;) {
        char best[2][SYMBOL] = {"", ""}, line[2 * SYMBOL];
        if (find_best(words, count, best) < least) break;
        const int size = snprintf(line, sizeof line, "%s %s", best[0], best[1]);
        const size_t known = listed.count;
        ck_assert_int_ge(sa_strings_add(&listed, line, (size_t)size, &error), 0);
        if (listed.count > known) sa_buffer_addf(out, "%s%s", known ? " | " : "", line);
        for (size_t k = 0; k < count; k++) join(&words[k], best[0], best[1]);
    }
    sa_strings_release(&listed);
}

START_TEST(random_words_are_learned_by_the_book) {
    sa_rng rng = sa_rng_seed(2016, 0);
    for (int round = 0; round < 50; round++) {
        const int64_t least = 1 + round % 3;
        sa_strings counts = {0};
        sa_buffer expected = {0};
        spelled words[WORDS];
        sa_bpe bpe;
        for (int k = 0; k < WORDS; k++) {
            char text[LETTERS] = "";
            const size_t size = 1 + sa_rng_below(&rng, LETTERS);
            for (size_t i = 0; i < size; i++) text[i] = (char)('a' + (int)sa_rng_below(&rng, 3));
            const int64_t times = 1 + (int64_t)sa_rng_below(&rng, 4);
            ck_assert(sa_strings_count(&counts, (sa_token){text, size}, times, &error));
        }
        for (size_t k = 0; k < counts.count; k++)
            spell(&words[k], sa_strings_get(&counts, (int32_t)k), counts.entry[k].value);
        ck_assert(sa_bpe_learn(&bpe, &counts, 1000, least, &error));
        learn_by_the_book(words, counts.count, least, &expected);
        merges_are(&bpe, expected.text ? expected.text : "");
        sa_buffer_release(&expected);
        sa_strings_release(&counts);
        sa_bpe_release(&bpe);
    }
}
END_TEST

/* ---- Cutting --------------------------------------------------------------------------------- */

static void read_merges(sa_bpe *bpe, const char *lines) {
    sa_buffer text = {0};
    sa_buffer_addf(&text, "#version: 0.2\n%s", lines);
    ck_assert_msg(sa_bpe_read(bpe, text.text, text.size, "codes", &error), "%s", error.text);
    sa_buffer_release(&text);
}

static void cuts_into(sa_bpe_segmenter *segmenter, const char *word, const char *expected) {
    size_t count;
    const uint32_t *sizes = sa_bpe_segmenter_apply(segmenter, word, strlen(word), &count, &error);
    sa_buffer shown = {0};
    ck_assert_ptr_nonnull(sizes);
    for (size_t i = 0; i < count; word += sizes[i++])
        sa_buffer_addf(&shown, "%s%.*s", i ? " " : "", (int)sizes[i], word);
    ck_assert_str_eq(shown.text, expected);
    ck_assert_str_eq(word, "");
    sa_buffer_release(&shown);
}

static const struct {
    const char *merges, *word, *expected;
} cuts[] = {
    {"l o\nlo w\ne r</w>\n", "lower", "low er"},
    {"l o\nlo w\ne r</w>\n", "low", "lo w"}, /* "w</w>" is another symbol than "w" */
    {"l o\nlo w</w>\n", "low", "low"},
    {"a b\nb c\n", "abcd", "ab c d"}, /* the earlier merge wins */
    {"b c\na b\n", "abcd", "a bc d"},
    {"x x\n", "xxxxx", "xx xx x"}, /* from the front; the last x is "x</w>" */
    {"x x\nxx xx\nxx x</w>\n", "xxxxx", "xxxx x"},
    {"a b\n", "äbé", "ä b é"},
    {"é t\nét é</w>\n", "été", "été"},
    {"", "word", "w o r d"},
    {"a b\n", "日", "日"},
};

START_TEST(words_are_cut) {
    sa_bpe bpe;
    sa_bpe_segmenter segmenter;
    read_merges(&bpe, cuts[_i].merges);
    segmenter = (sa_bpe_segmenter){.bpe = &bpe};
    for (int again = 0; again < 2; again++) /* from its cache the second time */
        cuts_into(&segmenter, cuts[_i].word, cuts[_i].expected);
    sa_bpe_segmenter_release(&segmenter);
    sa_bpe_release(&bpe);
}
END_TEST

/* With the merge of a and a final b. */
static const struct {
    const char *glossaries, *word, *expected;
} glossed[] = {
    {"USA abc", "USA", "USA"},
    {"USA abc", "xUSAyz", "x USA y z"},
    {"USA abc", "abUSAab", "ab USA ab"}, /* what is left of a word is cut as a word */
    {"USA abc", "abcUSAabcd", "abc USA abc d"},
    {"US USA", "USAUSB", "US A US B"}, /* one after another */
    {" USA  ", "USUSA", "U S USA"},
};

START_TEST(glossaries_stay_whole) {
    sa_bpe bpe;
    read_merges(&bpe, "a b</w>\n");
    ck_assert(sa_bpe_set_glossaries(&bpe, glossed[_i].glossaries, false, &error));
    sa_bpe_segmenter segmenter = {.bpe = &bpe};
    cuts_into(&segmenter, glossed[_i].word, glossed[_i].expected);
    sa_bpe_segmenter_release(&segmenter);
    sa_bpe_release(&bpe);
}
END_TEST

START_TEST(equal_merges_have_the_same_lines_and_glossaries) {
    static const struct {
        const char *lines, *glossaries;
        bool equal;
    } others[] = {
        {"a b\nc d\n", "x y", true},  {"a b\n", "x y", false},
        {"a c\nc d\n", "x y", false}, {"c b\nc d\n", "x y", false},
        {"c d\na b\n", "x y", false}, {"a b\nc d\ne f\n", "x y", false},
        {"a b\nc d\n", "x", false},   {"a b\nc d\n", "", false},
    };
    sa_bpe one, other;
    read_merges(&one, "a b\nc d\n");
    ck_assert(sa_bpe_set_glossaries(&one, "x y", false, &error));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        read_merges(&other, others[i].lines);
        ck_assert(sa_bpe_set_glossaries(&other, others[i].glossaries, false, &error));
        ck_assert_msg(sa_bpe_equal(&one, &other) == others[i].equal, "%s", others[i].lines);
        ck_assert_msg(sa_bpe_equal(&other, &one) == others[i].equal, "%s", others[i].lines);
        sa_bpe_release(&other);
    }
    sa_bpe_release(&one);
}
END_TEST

/* ---- Files of merges ------------------------------------------------------------------------- */

static const struct {
    const char *text, *message;
} broken[] = {
    {"", "codes:1: expected '#version: 0.2', the first line of merges"},
    {"a b\n", "codes:1: expected '#version: 0.2', the first line of merges"},
    {"\na b\n", "codes:1: expected '#version: 0.2', the first line of merges"},
    {"#version: 0.3\na b\n", "codes:1: expected '#version: 0.2', the first line of merges"},
    {"#version: 0.2 byte\n", "codes:1: expected '#version: 0.2', the first line of merges"},
    {"#version: 0.2\na b\nab\n", "codes:3: expected two symbols with one space between"},
    {"#version: 0.2\na b c\n", "codes:2: expected two symbols with one space between"},
    {"#version: 0.2\n a\n", "codes:2: expected two symbols with one space between"},
    {"#version: 0.2\na \n", "codes:2: expected two symbols with one space between"},
    {"#version: 0.2\na  b\n", "codes:2: expected two symbols with one space between"},
    {"#version: 0.2\na b\n\nb c\n", "codes:3: expected two symbols with one space between"},
    {"#version: 0.2\na b\nb c\na b\n", "codes:4: the same merge as on line 2"},
    {"#version: 0.2\na b\nabc d\n",
     "codes:3: 'abc' is not a character, and no line before makes it"},
    {"#version: 0.2\na bc</w>\nb c</w>\n",
     "codes:2: 'bc</w>' is not a character, and no line before makes it"},
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
    {"#version: 0.2\n" HUNDRED "x y\n",
     "codes:2: '" HUNDRED "' is not a character, and no line before makes it"},
    {"#version: 0.2\na </w>\n", "codes:2: '</w>' is not a character, and no line before makes it"},
    {"#version: 0.2\na b\nc \xff\n",
     "codes:3: not UTF-8 at byte 3: 0xFF (perhaps an 8-bit code like Latin-1)"},
};

START_TEST(broken_files_are_refused) {
    sa_bpe bpe;
    ck_assert(!sa_bpe_read(&bpe, broken[_i].text, strlen(broken[_i].text), "codes", &error));
    ck_assert_str_eq(error.text, broken[_i].message);
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_uint_eq(bpe.pairs.count, 0);
}
END_TEST

START_TEST(files_are_written_as_they_were_read) {
    static const char text[] = "#version: 0.2\na b\nab c</w>\né é\nx x\nxx x</w>\nx xx\n";
    sa_bpe bpe;
    sa_buffer out = {0};
    ck_assert(sa_bpe_read(&bpe, text, sizeof text - 1, "codes", &error));
    sa_bpe_write(&bpe, &out);
    ck_assert_str_eq(out.text, text);
    sa_buffer_release(&out);
    sa_bpe_release(&bpe);
}
END_TEST

START_TEST(files_are_read_from_disk) {
    static const char whole[] = "#version: 0.2\na b\nab c</w>\n",
                      broken_off[] = "#version: 0.2\na b\nab\n";
    sa_bpe bpe;
    char wanted[200];
    scratch_make();
    const char *path = scratch_path("codes");
    scratch_write(path, whole, sizeof whole - 1);
    ck_assert_msg(sa_bpe_open(&bpe, path, &error), "%s", error.text);
    merges_are(&bpe, "a b | ab c</w>");
    sa_bpe_release(&bpe);
    scratch_write(path, broken_off, sizeof broken_off - 1);
    ck_assert(!sa_bpe_open(&bpe, path, &error));
    snprintf(wanted, sizeof wanted, "%s:3: expected two symbols with one space between", path);
    ck_assert_str_eq(error.text, wanted);
    ck_assert(error.code == SA_DATA && !bpe.pairs.count && !bpe.symbols.count);
    ck_assert(!sa_bpe_open(&bpe, scratch_path("none"), &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_ptr_nonnull(strstr(error.text, "/none': No such file or directory"));
    scratch_remove();
}
END_TEST

/* ---- Long words ------------------------------------------------------------------------------ */

/* Learning from 64 KiB without a space and segmenting them take linear time: a quadratic algorithm
 * would take minutes. */
START_TEST(one_word_of_64_kib_takes_no_longer_than_many) {
    enum { SIZE = 1 << 16 };
    char *word = malloc(SIZE + 1);
    sa_rng rng = sa_rng_seed(1, 0);
    for (size_t i = 0; i < SIZE; i++) word[i] = (char)('a' + (_i ? sa_rng_below(&rng, 3) : 0));
    word[SIZE] = 0;
    sa_bpe bpe;
    sa_bpe_segmenter segmenter;
    size_t count;
    const clock_t before = clock();
    learn(&bpe, word, 10000, 2);
    segmenter = (sa_bpe_segmenter){.bpe = &bpe};
    ck_assert_ptr_nonnull(sa_bpe_segmenter_apply(&segmenter, word, SIZE, &count, &error));
    ck_assert_uint_lt((unsigned long)(clock() - before), 5ul * CLOCKS_PER_SEC);
    ck_assert_uint_lt(count, SIZE / 4);
    sa_bpe_segmenter_release(&segmenter);
    sa_bpe_release(&bpe);
    free(word);
}
END_TEST

/* ---- Sub-words of a word --------------------------------------------------------------------- */

static const struct {
    const char *tokens[6];
    int word[6], words;
} subwords[] = {
    {{"a", "b"}, {0, 1}, 2},
    {{"lo@@", "w@@", "er", "x", "</s>"}, {0, 0, 0, 1, 2}, 3},
    {{"lo@@", "</s>"}, {0, 1}, 2},         /* EOS is not part of a word */
    {{"lo@@", "</s>", "x"}, {0, 0, 1}, 2}, /* but a word spelled </s> is an ordinary word */
    {{"@@", "b"}, {0, 1}, 2},              /* the mark alone is a word */
    {{"@@@", "b"}, {0, 0}, 1},
    {{"lo@@"}, {0}, 1},
};

START_TEST(tokens_know_their_word) {
    int word[6], count = 0;
    while (count < 6 && subwords[_i].tokens[count]) count++;
    ck_assert_int_eq(sa_subword_word_indices(subwords[_i].tokens, count, true, word),
                     subwords[_i].words);
    for (int i = 0; i < count; i++) ck_assert_int_eq(word[i], subwords[_i].word[i]);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("bpe", &tests);
    tcase_add_loop_test(tests, merges_come_by_frequency, 0, sizeof learned / sizeof *learned);
    tcase_add_test(tests, random_words_are_learned_by_the_book);
    tcase_add_test(tests, learning_without_memory);
    tcase_add_loop_test(tests, merging_without_memory, 0, 2);
    tcase_add_test(tests, segmenting_without_memory);
    tcase_add_loop_test(tests, words_are_cut, 0, sizeof cuts / sizeof *cuts);
    tcase_add_loop_test(tests, glossaries_stay_whole, 0, sizeof glossed / sizeof *glossed);
    tcase_add_test(tests, equal_merges_have_the_same_lines_and_glossaries);
    tcase_add_loop_test(tests, broken_files_are_refused, 0, sizeof broken / sizeof *broken);
    tcase_add_test(tests, files_are_written_as_they_were_read);
    tcase_add_test(tests, files_are_read_from_disk);
    tcase_add_loop_test(tests, one_word_of_64_kib_takes_no_longer_than_many, 0, 2);
    tcase_add_loop_test(tests, tokens_know_their_word, 0, sizeof subwords / sizeof *subwords);
    return suite_run(suite);
}
