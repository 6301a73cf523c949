/* The tokens of the metrics, against sacreBLEU 2.6's (tests/golden/own.13a.tsv) and by hand. */
#include "base/option.h"
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
    const char *text, *tokens[3]; /* 13a, none, char */
} cuts[] = {
    {"", {"", "", ""}},
    {" \t\xc2\xa0\xe3\x80\x80 ", {"", "", ""}},
    {"a  b\xe2\x80\xaf"
     "c",
     {"a b c", "a b c", "a b c"}},
    {"1.5, 2,000 .5 5. end.",
     {"1.5 , 2,000 . 5 5 . end .", "1.5, 2,000 .5 5. end.", "1 . 5 , 2 , 0 0 0 . 5 5 . e n d ."}},
    {"don't 1990-2000", {"don't 1990 - 2000", "don't 1990-2000", "d o n ' t 1 9 9 0 - 2 0 0 0"}},
    {"pre-war", {"pre-war", "pre-war", "p r e - w a r"}},
    /* an entity made by another stays, unless it is undone later */
    {"&amp;quot;", {"& quot ;", "&amp;quot;", "& a m p ; q u o t ;"}},
    {"&quot;&lt;&gt;", {"\" < >", "&quot;&lt;&gt;", "& q u o t ; & l t ; & g t ;"}},
    {"&amp;lt;&amp;amp;", {"< & amp ;", "&amp;lt;&amp;amp;", "& a m p ; l t ; & a m p ; a m p ;"}},
    {"a\x1c"
     "b\xe1\x9a\x80"
     "c\xc2\x85"
     "d\xe2\x80\xa8"
     "e\xe2\x81\x9f"
     "f",
     {"a b c d e f", "a b c d e f", "a b c d e f"}},
    {"a<skipped>b", {"ab", "a<skipped>b", "a < s k i p p e d > b"}},
    {"...", {". . .", "...", ". . ."}},
    {"«été»", {"«été»", "«été»", "« é t é »"}},
    {"zero\xe2\x80\x8bwidth", /* is no white space */
     {"zero\xe2\x80\x8bwidth", "zero\xe2\x80\x8bwidth", "z e r o \xe2\x80\x8b w i d t h"}},
    {"\xf0\x9f\x98\x80.今日。",
     {"\xf0\x9f\x98\x80 . 今日。", "\xf0\x9f\x98\x80.今日。", "\xf0\x9f\x98\x80 . 今 日 。"}},
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

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("cut", &tests);
    tcase_add_test(tests, tokens_are_those_of_13a);
    tcase_add_loop_test(tests, tokens_by_hand, 0, sizeof cuts / sizeof *cuts);
    return suite_run(suite);
}
