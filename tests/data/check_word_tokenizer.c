/* The tokenizer `word`: splitting sentences, and joining tokens without a table of spaces
 * (check_spacing.c: with one). */
#include "data/tokenizer.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

/* The tokens of a text with " | " between them. */
static char *cut(const char *text) {
    sa_tokens tokens = {0};
    sa_buffer shown = {0};
    ck_assert(sa_word_tokenizer_split(text, strlen(text), &tokens, NULL));
    sa_buffer_adds(&shown, "");
    for (size_t i = 0; i < tokens.count; i++) {
        if (i) sa_buffer_adds(&shown, " | ");
        sa_buffer_add(&shown, tokens.token[i].text, tokens.token[i].size);
    }
    sa_tokens_release(&tokens);
    return shown.text;
}

/* The tokens of a text, joined again. */
static char *rejoined(const char *text) {
    sa_tokens tokens = {0};
    sa_buffer joined = {0};
    ck_assert(sa_word_tokenizer_split(text, strlen(text), &tokens, NULL));
    sa_buffer_adds(&joined, "");
    sa_spacing_join(tokens.token, tokens.count, &(sa_spacing){0}, &joined);
    sa_tokens_release(&tokens);
    return joined.text;
}

/* ---- Splitting ------------------------------------------------------------------------------- */

static const struct {
    const char *text, *tokens;
} cuts[] = {
    {"", ""},
    {" \t ", ""},
    {"one", "one"},
    {"  A cat sleeps.  ", "A | cat | sleeps | ."},
    /* apostrophes */
    {"l'homme qu'il voit", "l' | homme | qu' | il | voit"},
    {"L’école d’Anne", "L’ | école | d’ | Anne"},
    {"JUSQU'ICI", "JUSQU' | ICI"},
    {"Qu'est-ce que c'est ?", "Qu' | est-ce | que | c' | est | ?"},
    {"est-ce qu'elle dort", "est-ce | qu' | elle | dort"},
    {"l'11 mai", "l' | 11 | mai"},
    {"l' homme", "l' | homme"},
    {"aujourd'hui quelqu'un", "aujourd'hui | quelqu'un"},
    {"I don't know, I'm new; I'd've asked",
     "I | don't | know | , | I'm | new | ; | I'd've | asked"},
    {"the 1970's music", "the | 1970's | music"},
    {"three o'clock", "three | o'clock"},
    {"the dogs' names", "the | dogs' | names"},
    {"THE DOGS' NAMES", "THE | DOGS' | NAMES"},
    {"'my cats' she said", "' | my | cats | ' | she | said"},
    {"‘my cats’ she said", "‘ | my | cats | ’ | she | said"},
    {"‘no’ to my cats’ food", "‘ | no | ’ | to | my | cats’ | food"},
    {"lorsqu'on, neighbourhood's", "lorsqu' | on | , | neighbourhood's"},
    {"the letter 's' here", "the | letter | ' | s | ' | here"},
    {"'", "'"},
    /* hyphens and dashes */
    {"peut-être a-t-il faim", "peut-être | a-t-il | faim"},
    {"a - b -- c – d", "a | - | b | - | - | c | – | d"},
    {"Vor- und Nachteile, Haus-, Hof-", "Vor- | und | Nachteile | , | Haus- | , | Hof-"},
    {"-5 and (-6) but 7-8", "-5 | and | ( | -6 | ) | but | 7-8"},
    {"-", "-"},
    {"5%-7% +-3", "5 | % | - | 7 | % | + | - | 3"},
    /* numbers */
    {"3.14 1,000 10:30 1997-03-04", "3.14 | 1,000 | 10:30 | 1997-03-04"},
    {"1,000.50, 2: end 3.", "1,000.50 | , | 2 | : | end | 3 | ."},
    {"$5 50 % m² ½ 3rd", "$ | 5 | 50 | % | m² | ½ | 3rd"},
    {"1/2 and/or", "1 | / | 2 | and | / | or"},
    /* inside words */
    {"Mr. Smith, 5 p.m. in the U.S.", "Mr | . | Smith | , | 5 | p.m | . | in | the | U.S | ."},
    {"a.b@example.org R&B x_y a&", "a.b@example.org | R&B | x_y | a | &"},
    {"co\xc2\xadop \xe0\xa4\xa8\xe0\xa4\xbf", "co\xc2\xadop | \xe0\xa4\xa8\xe0\xa4\xbf"},
    {"می\xe2\x80\x8cخواهم", "می\xe2\x80\x8cخواهم"},
    {"q\xcc\xa3\xcc\x87r", "q\xcc\xa3\xcc\x87r"},
    /* marks one by one */
    {"(in \"two\" [parts])...", "( | in | \" | two | \" | [ | parts | ] | ) | . | . | ."},
    {"What?! <s> </s>", "What | ? | ! | < | s | > | < | / | s | >"},
    {"« oui »…", "« | oui | » | …"},
    /* white space that is none in ASCII */
    {"10\xc2\xa0"
     "000\xe2\x80\xaf"
     "a\xe2\x80\xa8"
     "b\xc2\x85"
     "c\xe2\x80\x8b"
     "d\xe3\x80\x80"
     "e",
     "10 | 000 | a | b | c | d | e"},
    {"a\xef\xbb\xbf"
     "b",
     "a | \xef\xbb\xbf | b"}, /* a mark in the middle stays visible */
    /* scripts */
    {"私はTomです。", "私 | は | Tom | で | す | 。"},
    {"人々１５０人", "人 | 々 | １５０ | 人"},
    {"你好，世界！", "你 | 好 | ， | 世 | 界 | ！"},
    {"ما اسمك؟", "ما | اسمك | ؟"},
    {"한국어 문장.", "한국어 | 문장 | ."},
    {"Привет, мир", "Привет | , | мир"},
    /* emoji are one token each */
    {"ok👩‍🚀🇫🇷👍🏽!", "ok | 👩‍🚀 | 🇫🇷 | 👍🏽 | !"},
};

START_TEST(sentences_are_cut) {
    char *got = cut(cuts[_i].text);
    ck_assert_str_eq(got, cuts[_i].tokens);
    free(got);
}
END_TEST

static const struct {
    const char *text, *tokens;
} other_cuts[] = {
    {"col·lecció", "col·lecció"},
    {"EU:ssa, 1990:n", "EU:ssa | , | 1990:n"},
    {"ארה״ב חז\"ל", "ארה״ב | חז\"ל"},
    {"a\"b", "a | \" | b"}, /* no Hebrew */
    {"\u05e8\u05d0\"\u05e9 a\"\u05e9", "\u05e8\u05d0\"\u05e9 | a | \" | \u05e9"},
    {"\u05e9\"a \u0628\"\u0628", "\u05e9 | \" | a | \u0628 | \" | \u0628"}, /* nor here */
    {"ג׳ירפה וכו׳", "ג׳ירפה | וכו׳"},
    {"ինչպե՞ս։ Լա՛վ", "ինչպե՞ս | ։ | Լա՛վ"},
    {"o‘zbek bog‘", "o‘zbek | bog | ‘"},
    {"བོད་ཡིག།", "བོད་ | ཡིག | །"},
    {"٣٫٥ 1,5", "٣٫٥ | 1,5"},
    {"(see http://x.org/a_b?c=1&d=%20#e).", "( | see | http://x.org/a_b?c=1&d=%20#e | ) | ."},
    {"www.x.org/~y, www.", "www.x.org/~y | , | www | ."},
    {"http://x.org/a你好 http://x.org/é", "http://x.org/a | 你 | 好 | http://x.org/é"},
    {"<a href=\"ftp://x.y/z\">", "< | a | href | = | \" | ftp://x.y/z | \" | >"},
    {"डॉ॰ ￭▁", "डॉ॰ | ￭ | ▁"},
    {"\u0600▁\u0600 x▁\u0301", "\u0600 | ▁ | \u0600 | x | ▁ | \u0301"},
};

START_TEST(more_signs_stand_inside_words) {
    char *got = cut(other_cuts[_i].text);
    ck_assert_str_eq(got, other_cuts[_i].tokens);
    free(got);
}
END_TEST

START_TEST(only_the_given_bytes_are_cut) {
    sa_tokens tokens = {0};
    ck_assert(sa_word_tokenizer_split("l'homme", 2, &tokens, NULL));
    ck_assert_uint_eq(tokens.count, 1);
    ck_assert_uint_eq(tokens.token[0].size, 2);
    ck_assert(sa_word_tokenizer_split("5-", 2, &tokens, NULL)); /* appends */
    ck_assert_uint_eq(tokens.count, 3);
    ck_assert(sa_word_tokenizer_split("-57", 2, &tokens, NULL));
    ck_assert_uint_eq(tokens.count, 4);
    ck_assert_uint_eq(tokens.token[3].size, 2);
    sa_tokens_release(&tokens);
}
END_TEST

/* ---- Joining --------------------------------------------------------------------------------- */

static const char *const english[] = {
    "",
    "A cat sleeps.",
    "Well, I don't know; ask Mr. Smith: he's in!",
    "\"Is it five?\" she asked. \"No, six.\"",
    "'Never,' he said, 'not even then.'",
    "He said \"look at 'this'\" (and more [much more]).",
    "“Curved” and ‘single’ marks",
    "The dogs' names are Rex and Fifi.",
    "THE DOGS' NAMES ARE ON THE DOOR.",
    "It costs $5, €6 or 7 £ at 10:30 p.m. in the U.S.",
    "50% of 1,000 is 500!",
    "either/or, 24/7, km/h",
    "write to a.b@example.org about R&B",
    "wait... what?! no -- yes - maybe",
    "number #1 is -5",
    "ok 👩‍🚀 then 🇫🇷",
    "Vor- und Nachteile",
    "¿Qué? ¡Nada!",
    "ما اسمك؟ نعم، هنا",
    "한국어 문장.",
    "私はTomです。「はい、３人」",
    "你好，世界！我有5口人。",
    "x_y is a name",
};

START_TEST(text_comes_back) {
    char *got = rejoined(english[_i]);
    ck_assert_str_eq(got, english[_i]);
    free(got);
}
END_TEST

static const char *const french[] = {
    "L'homme qu'il voit, c'est l’ami d'Anne.",   "Elle a dit \"non\" (deux fois).",
    "Jusqu'à l'11 mai, presqu'île et quelqu'un", "Il est 10:30, ou 10h30.",
    "Est-ce-qu'il dort, lorsqu'elle lit?",       "Y a-t-il du pain…",
};

START_TEST(french_text_comes_back) {
    char *got = rejoined(french[_i]);
    ck_assert_str_eq(got, french[_i]);
    free(got);
}
END_TEST

/* Spaces in French are what a table is for. */
START_TEST(marks_stand_close) {
    char *got = rejoined("  10\xc2\xa0"
                         "000\t\tgens\xe2\x80\xaf! « oui »");
    ck_assert_str_eq(got, "10 000 gens! «oui»");
    free(got);
}
END_TEST

/* Tokens of a translation may be in any order. */
START_TEST(odd_tokens_are_joined_too) {
    const sa_token odd[] = {{"'", 1}, {"", 0}, {"-", 1}, {"s'", 2}, {"$", 1}};
    sa_buffer joined = {0};
    sa_spacing_join(odd, 5, &(sa_spacing){0}, &joined);
    ck_assert_str_eq(joined.text, "' - s'$");
    sa_buffer_release(&joined);
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

int main(void) {
    Suite *suite = suite_create("word");
    TCase *cases = tcase_create("word");
    tcase_add_loop_test(cases, sentences_are_cut, 0, COUNT(cuts));
    tcase_add_loop_test(cases, more_signs_stand_inside_words, 0, COUNT(other_cuts));
    tcase_add_test(cases, only_the_given_bytes_are_cut);
    tcase_add_loop_test(cases, text_comes_back, 0, COUNT(english));
    tcase_add_loop_test(cases, french_text_comes_back, 0, COUNT(french));
    tcase_add_test(cases, marks_stand_close);
    tcase_add_test(cases, odd_tokens_are_joined_too);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
