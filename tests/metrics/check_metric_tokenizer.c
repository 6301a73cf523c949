/* The tokens of the metrics, against sacreBLEU 2.6's (tests/golden/own.13a.tsv) and by hand; those
 * of zh by its definition: characters of its table set apart, then the rules of 13a alone (no
 * entities, no space around the line); text without spaces between words. */
#include "base/option.h"
#include "base/utf8.h"
#include "metrics/metrics.h"
#include "metrics/ngram.h"
#include "support/pairs.h"
#include "support/suite.h"

static void cut_both(void *out, char *left, char *right) {
    sa_metric_tokenizers[0].tokenize(left, out);
    sa_buffer_adds(out, "\t");
    sa_metric_tokenizers[0].tokenize(right, out);
    sa_buffer_adds(out, "\n");
}

START_TEST(tokens_are_those_of_13a) {
    sa_buffer ours = {0};
    sa_file theirs;
    ck_assert_str_eq(SA_NAME(sa_metric_tokenizers, 0), "13a");
    ck_assert_int_eq(for_pairs(OWN ".tsv", cut_both, &ours), 32);
    ck_assert(sa_file_read(&theirs, OWN ".13a.tsv", 1 << 20, NULL));
    ck_assert_str_eq(ours.text, theirs.data);
    sa_file_release(&theirs);
    sa_buffer_release(&ours);
}
END_TEST

static const struct {
    const char *text, *tokens[4]; /* 13a, none, char, zh */
} cuts[] = {
    {"", {"", "", "", ""}},
    {" \t\xc2\xa0\xe3\x80\x80 ", {"", "", "", ""}},
    {"a  b\xe2\x80\xaf"
     "c",
     {"a b c", "a b c", "a b c", "a b c"}},
    {"1.5, 2,000 .5 5. end.",
     {"1.5 , 2,000 . 5 5 . end .", "1.5, 2,000 .5 5. end.", "1 . 5 , 2 , 0 0 0 . 5 5 . e n d .",
      "1.5 , 2,000 . 5 5 . end ."}},
    {"don't 1990-2000",
     {"don't 1990 - 2000", "don't 1990-2000", "d o n ' t 1 9 9 0 - 2 0 0 0", "don't 1990 - 2000"}},
    {"pre-war", {"pre-war", "pre-war", "p r e - w a r", "pre-war"}},
    /* an entity made by another stays, unless it is undone later */
    {"&amp;quot;", {"& quot ;", "&amp;quot;", "& a m p ; q u o t ;", "& amp ; quot ;"}},
    {"&quot;&lt;&gt;",
     {"\" < >", "&quot;&lt;&gt;", "& q u o t ; & l t ; & g t ;", "& quot ; & lt ; & gt ;"}},
    {"&amp;lt;&amp;amp;",
     {"< & amp ;", "&amp;lt;&amp;amp;", "& a m p ; l t ; & a m p ; a m p ;",
      "& amp ; lt ; & amp ; amp ;"}},
    {"a\x1c"
     "b\xe1\x9a\x80"
     "c\xc2\x85"
     "d\xe2\x80\xa8"
     "e\xe2\x81\x9f"
     "f",
     {"a b c d e f", "a b c d e f", "a b c d e f", "a b c d e f"}},
    {"a+b", {"a + b", "a+b", "a + b", "a + b"}},
    /* the first and the second are white space */
    {"a\rb\xe2\x80\x8a"
     "c\x0e"
     "d",
     {"a b c\x0e"
      "d",
      "a b c\x0e"
      "d",
      "a b c \x0e d",
      "a b c\x0e"
      "d"}},
    {"a<skipped>b", {"ab", "a<skipped>b", "a < s k i p p e d > b", "a < skipped > b"}},
    {"...", {". . .", "...", ". . .", ". . ."}},
    {"«été»", {"«été»", "«été»", "« é t é »", "«été»"}},
    {"zero\xe2\x80\x8bwidth", /* is no white space */
     {"zero\xe2\x80\x8bwidth", "zero\xe2\x80\x8bwidth", "z e r o \xe2\x80\x8b w i d t h",
      "zero \xe2\x80\x8b width"}},
    {"\xf0\x9f\x98\x80.今日。",
     {"\xf0\x9f\x98\x80 . 今日。", "\xf0\x9f\x98\x80.今日。", "\xf0\x9f\x98\x80 . 今 日 。",
      "\xf0\x9f\x98\x80 . 今 日 。"}},
    {" .5 今天5. ", {". 5 今天5 .", ".5 今天5.", ". 5 今 天 5 .", ".5 今 天 5."}},
    {"“你好”，他说——3.5元。",
     {"“你好”，他说——3.5元。", "“你好”，他说——3.5元。", "“ 你 好 ” ， 他 说 — — 3 . 5 元 。",
      "“ 你 好 ” ， 他 说 — — 3.5 元 。"}},
    {"𠀀字ＡＢ🙂☃か",
     {"𠀀字ＡＢ🙂☃か", "𠀀字ＡＢ🙂☃か", "𠀀 字 Ａ Ｂ 🙂 ☃ か",
      "𠀀 字 Ａ Ｂ 🙂 ☃ か"}},
};

START_TEST(tokens_by_hand) {
    for (size_t row = 0; sa_metric_tokenizers[row].name; row++) {
        sa_buffer out = {0};
        sa_buffer_adds(&out, "");
        sa_metric_tokenizers[row].tokenize(cuts[_i].text, &out);
        ck_assert_str_eq(out.text, cuts[_i].tokens[row]);
        sa_buffer_release(&out);
    }
}
END_TEST

/* The first character of every other range is set apart by zh, that of the next one is not. */
static const uint32_t bounds[] = {
    0x2001, 0x2a6e, 0x2e80, 0x2fe0, 0x2ff0, 0x3040, 0x3100, 0x3130, 0x31a0,
    0x31f0, 0x3200, 0x4db6, 0x4e00, 0x9fbc, 0xf900, 0xfa2e, 0xfa30, 0xfa6b,
    0xfa70, 0xfada, 0xfe10, 0xfe20, 0xfe30, 0xfe50, 0xff00, 0xfff0,
};

static bool is_apart(uint32_t code) {
    char text[8] = "a";
    sa_buffer out = {0};
    strcpy(text + 1 + sa_utf8_encode(code, text + 1), "a");
    sa_metric_tokenizers[SA_METRIC_TOKENIZER_ZH].tokenize(text, &out);
    const bool apart = strchr(out.text, ' ');
    sa_buffer_release(&out);
    return apart;
}

START_TEST(characters_of_zh) {
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        ck_assert_int_eq(is_apart(bounds[i]), i % 2 == 0);
        ck_assert_int_eq(is_apart(bounds[i] - 1),
                         i % 2 != 0 || bounds[i] == 0x2001); /* U+2000 is a space */
    }
    ck_assert(!is_apart(0x20000) && !is_apart(0x2f800) && !is_apart(0x10ffff));
}
END_TEST

/* ---- Text without spaces --------------------------------------------------------------------- */

static const struct {
    const char *text;
    bool lacks;
} targets[] = {
    {"猫が魚を食べる。", true},
    {"你好，世界！我们走吧", true},
    {"ฉันชอบกินข้าวผัด", true},
    {"ខ្ញុំចូលចិត្តអានសៀវភៅ", true},
    {"កកកកកក", true}, /* the first letter of the block */
    {"ຂ້ອຍມັກອ່ານປຶ້ມ", true},
    {"ကျွန်တော်စာဖတ်ရတာကြိုက်တယ်", true},
    /* six letters from space to space; five may be a word; half of the letters are not most */
    {"我们走吧我们走吧 我们走吧我们走吧 我们", true},
    {"猫が魚を見", false},
    {"東京都abc", false},
    {"猫 が 魚 を 食べる 。", false}, /* segmented */
    {"ฉัน ชอบ กิน ข้าว ผัด", false},
    {"Rindfleischetikettierungsüberwachung", false},
    {"나는 책을 좋아한다", false},
    {"Ich sah 東京 im Herbst", false},
    {"", false},
};

START_TEST(text_without_spaces_is_found) {
    sa_pair pair = {.source = "a", .target = targets[_i].text};
    const sa_corpus corpus = {.pairs = &pair, .count = 1};
    ck_assert_msg(sa_targets_lack_spaces(&corpus) == targets[_i].lacks, "%s", pair.target);
}
END_TEST

/* Words have five letters at most, on average over the first thousand sentences. */
START_TEST(the_first_thousand_sentences_tell) {
    enum { READ = 1000 };
    static sa_pair pairs[READ + 1];
    sa_corpus corpus = {.pairs = pairs, .count = READ + 1};
    for (int i = 0; i < READ; i++) pairs[i] = (sa_pair){.source = "a", .target = "我们走吧我"};
    pairs[READ] = (sa_pair){.source = "a", .target = "我们走吧我们走吧"};
    ck_assert(!sa_targets_lack_spaces(&corpus));
    pairs[READ - 1].target = "我们走吧我们";
    ck_assert(sa_targets_lack_spaces(&corpus));
}
END_TEST

/* ---- White space ----------------------------------------------------------------------------- */

/* What Python's str.split() cuts at. */
static bool is_space(int code) {
    return (code >= 9 && code <= 13) || (code >= 0x1c && code <= 0x20) || code == 0x85 ||
           code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
           code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

/* Writes a character below U+10000 as UTF-8. */
static void put(char *text, int code) {
    int size = 0;
    if (code >= 0x800) text[size++] = (char)(0xe0 | code >> 12);
    if (code >= 0x80)
        text[size++] = (char)(code >= 0x800 ? 0x80 | (code >> 6 & 63) : 0xc0 | code >> 6);
    text[size++] = (char)(code >= 0x80 ? 0x80 | (code & 63) : code);
    text[size] = 0;
}

START_TEST(words_end_at_white_space_alone) {
    for (int code = 1; code < 0x3100; code++) {
        char text[8] = "a";
        size_t size;
        put(text + 1, code);
        const char *end = text, *word = sa_metric_next_word(&end, &size);
        ck_assert_ptr_eq(word, text);
        ck_assert_msg(size == (is_space(code) ? 1 : strlen(text)), "U+%04X", (unsigned)code);
        ck_assert_ptr_null(sa_metric_next_word(&end, &size));
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("cut", &tests);
    tcase_add_test(tests, tokens_are_those_of_13a);
    tcase_add_loop_test(tests, tokens_by_hand, 0, sizeof cuts / sizeof *cuts);
    tcase_add_test(tests, characters_of_zh);
    tcase_add_loop_test(tests, text_without_spaces_is_found, 0, sizeof targets / sizeof *targets);
    tcase_add_test(tests, the_first_thousand_sentences_tell);
    tcase_add_test(tests, words_end_at_white_space_alone);
    return suite_run(suite);
}
