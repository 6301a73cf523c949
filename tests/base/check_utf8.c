/* Unicode: validity, normal form, classes, clusters, columns. */
#include "base/memory.h"
#include "base/utf8.h"
#include "support/memory_failures.h"
#include "support/suite.h"

#include <stdio.h>
#include <time.h>

/* ---- Validity -------------------------------------------------------------------------------- */

START_TEST(valid_text_is_valid) {
    static const char *const texts[] = {
        "",       "plain",        "\x7f",         "\xc2\x80",         "\xdf\xbf",
        "été",    "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",     "\xef\xbf\xbf",
        "日本語", "👩‍🚀",  "\xef\xbb\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t bad = 99;
        ck_assert_msg(sa_utf8_valid(texts[i], strlen(texts[i]), &bad), "text %zu", i);
        ck_assert_uint_eq(bad, 99);
    }
}
END_TEST

static const struct {
    const char *text;
    size_t bad;
} invalid[] = {
    {"\x80", 0},                 /* a continuation without a beginning */
    {"ab\xbf", 2},               /* the same further on */
    {"\xc0\x80", 0},             /* overlong NUL */
    {"\xc1\xbf", 0},             /* overlong DEL */
    {"\xe0\x9f\xbf", 0},         /* overlong U+07FF */
    {"\xf0\x8f\xbf\xbf", 0},     /* overlong U+FFFF */
    {"\xed\xa0\x80", 0},         /* the first surrogate */
    {"x\xed\xbf\xbf", 1},        /* the last surrogate */
    {"\xf4\x90\x80\x80", 0},     /* U+110000 */
    {"\xf8\x88\x80\x80\x80", 0}, /* five bytes */
    {"\xfe", 0},                 /* never in UTF-8 */
    {"caf\xe9", 3},              /* Latin-1 */
    {"\xc3", 0},                 /* cut at the end, after 1 of 2 */
    {"a\xe2\x82", 1},            /* 2 of 3 */
    {"a\xf0\x9f\x98", 1},        /* 3 of 4 */
    {"\xe2\x28\xa1", 0},         /* a beginning without its continuation */
};

START_TEST(invalid_text_is_found_at_its_byte) {
    size_t bad = 99;
    ck_assert(!sa_utf8_valid(invalid[_i].text, strlen(invalid[_i].text), &bad));
    ck_assert_uint_eq(bad, invalid[_i].bad);
}
END_TEST

START_TEST(only_the_given_bytes_are_looked_at) {
    size_t bad = 99;
    ck_assert(sa_utf8_valid("ab\xff", 2, &bad));
    ck_assert(!sa_utf8_valid("é", 1, &bad));
    ck_assert_uint_eq(bad, 0);
}
END_TEST

/* What follows the first bytes in files as programs write them plays no part. */
START_TEST(files_are_recognized_by_their_first_bytes) {
    static const struct {
        const char bytes[24], *format;
    } files[] = {
        {"\x89PNG\r\n\x1a\n", "a PNG picture"},
        {"\177ELF\2\1\1", "a program"},
        {"%PDF-1.5\n", "a PDF file"},
        {"PAR1\x15\x04", "a Parquet file"},
        {"BZh91AY&SY", "a bzip2 file"},
        {"\x28\xb5\x2f\xfd\x24\x0c", "a Zstandard file"},
        {"\x89HDF\r\n\x1a\n", "an HDF5 file"},
        {"\x08\x07\x12\x07pytorch", "a protocol buffer (an ONNX file?)"},
        {"GGUF\3", "a GGUF file"},
        {"\x93NUMPY\1", "a NumPy .npy file"},
        {"\x80\2}q", "a Python pickle (a PyTorch .pt file?)"},
        {"\x1c\0\0\0TFL3\x14", "a TensorFlow Lite file"},
        {"\x1f\x8b\x08\x08", "a gzip file"},
        {"PK\3\4\x14\0\0\0\x08", "a zip archive (a PyTorch .pt or a NumPy .npz file?)"},
        {"<!DOCTYPE html><html>", "a web page"},
        {"<!doctype html><html>", "a web page"},
        {"<html lang=\"en\">", "a web page"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *command,
            *format = sa_file_format(files[i].bytes, sizeof files[i].bytes, false, &command);
        ck_assert_msg(format && !strcmp(format, files[i].format), "%s: %s", files[i].format,
                      format);
    }
}
END_TEST

START_TEST(other_files_are_recognized) {
    const char *command = NULL;
    ck_assert_str_eq(sa_file_format("\xff\xfe"
                                    "a\0",
                                    4, true, &command),
                     "UTF-16LE");
    ck_assert_str_eq(sa_file_format("\xfe\xff\0a", 4, true, &command), "UTF-16BE");
    ck_assert_str_eq(sa_file_format("\xff\xfe\0\0", 4, true, &command), "UTF-32LE");
    ck_assert_str_eq(sa_file_format("\0\0\xfe\xff", 4, true, &command), "UTF-32BE");
    ck_assert_str_eq(sa_file_format("a\0\0\0", 4, true, &command), "UTF-32LE");
    ck_assert_str_eq(sa_file_format("\0\0\0a", 4, true, &command), "UTF-32BE");
    ck_assert_str_eq(sa_file_format("a\0b\0", 4, true, &command), "UTF-16LE");
    ck_assert_str_eq(sa_file_format("\0a\0b", 4, true, &command), "UTF-16BE");
    ck_assert_str_eq(sa_file_format("PK\3\4rest", 8, true, &command), "a zip archive");
    ck_assert_str_eq(sa_file_format("\xfd"
                                    "7zXZ\0",
                                    6, true, &command),
                     "an xz file");
    ck_assert_str_eq(sa_file_format("\177ELF", 4, true, &command), "a program");
    static const char xml[] = "<?xml version";
    ck_assert_str_eq(sa_file_format(xml, sizeof xml - 1, false, &command), "an XML file");
    ck_assert_ptr_null(sa_file_format(xml, sizeof xml - 1, true, &command));
    ck_assert_str_eq(sa_file_format("{}", 2, false, &command), "a JSON text");
    /* similar, but not: every other position of a letter among zeros */
    static const char nearly[][4] = {{"a\0\0b"}, {"\0\0\0"}, {"\0\0ab"}, {"\0\0a"},
                                     {"a\0bc"},  {"\0abc"},  {"\0ab"},   {"\0a"}};
    for (size_t i = 0; i < sizeof nearly / sizeof *nearly; i++)
        ck_assert_msg(!sa_file_format(nearly[i], 4, true, &command), "row %zu", i);
    ck_assert_ptr_null(sa_file_format("text", 4, true, &command));
    ck_assert_ptr_null(sa_file_format("\xff", 1, true, &command));
    ck_assert_ptr_null(sa_file_format("", 0, true, &command));
}
END_TEST

/* ---- Normal form ----------------------------------------------------------------------------- */

static void normal(const char *text, bool lower, const char *expected) {
    char *got = sa_utf8_normalize(text, strlen(text), lower, NULL);
    ck_assert_str_eq(got, expected);
    free(got);
}

START_TEST(text_is_composed) {
    normal("", false, "");
    normal("e\xcc\x81t\xc3\xa9", false, "été");
    normal("\xc3\xbc\xcc\x81", false, "ǘ");
    normal("\xe2\x84\xab", false, "Å"); /* the Ångström sign */
    normal("\xe1\x84\x80\xe1\x85\xa1", false, "가");
    normal("q\xcc\x87\xcc\xa3", false, "q\xcc\xa3\xcc\x87"); /* marks in their order */
    normal("ﬁ ½ ２ …", false, "ﬁ ½ ２ …");                   /* no NFKC */
    normal("a\xc2\xa0"
           "b\xe2\x80\xaf"
           "c",
           false,
           "a\xc2\xa0"
           "b\xe2\x80\xaf"
           "c");
}
END_TEST

/* Marks above and below by turns, of which ordering moves every second one. */
START_TEST(marks_are_bounded) {
    enum { PAIRS = 80000, JOINER = 30 };
    sa_buffer marks = {0}, few = {0};
    sa_buffer_adds(&marks, "a");
    for (int i = 0; i < PAIRS; i++) sa_buffer_adds(&marks, "\u0307\u0316");
    const clock_t begin = clock();
    char *got = sa_utf8_normalize(marks.text, marks.size, false, NULL);
    ck_assert_double_lt((double)(clock() - begin) / CLOCKS_PER_SEC,
                        5); /* minutes without a bound */
    ck_assert_ptr_nonnull(strstr(got, "\u034f"));
    ck_assert_uint_eq(strlen(got), /* the first mark above is composed with the a: as long */
                      strlen("ȧ") + marks.size - 3 + 2 * ((2 * PAIRS - 1) / JOINER));
    free(got);
    sa_buffer_add(&few, marks.text, 1 + 2 * JOINER); /* 30 marks stay as they are */
    got = sa_utf8_normalize(few.text, few.size, false, NULL);
    ck_assert_ptr_null(strstr(got, "\u034f"));
    free(got);
    sa_buffer_release(&marks), sa_buffer_release(&few);
}
END_TEST

/* Of a run of 31, the last: no marks themselves, these characters decompose into two. */
START_TEST(what_decomposes_into_marks_is_bounded) {
    static const struct {
        const char *text;
        bool bounded;
    } rows[] = {{"\u0f73", true}, {"\u0f75", true}, {"\u0f81", true}, {"\u0f77", false}};
    char text[3 * 31 + 1] = "";
    for (int i = 0; i < 31; i++) strcat(text, rows[_i].text);
    char *got = sa_utf8_normalize(text, strlen(text), false, NULL);
    const char *joiner = strstr(got, "\u034f");
    ck_assert_int_eq(joiner != NULL, rows[_i].bounded);
    if (joiner) ck_assert_uint_eq(strlen(joiner), strlen("\u034f\u0f71\u0f72"));
    free(got);
}
END_TEST

START_TEST(a_text_that_is_given_is_composed) {
    sa_error error;
    char *text = sa_utf8_text("source", "e\u0301", &error);
    ck_assert_str_eq(text, "é");
    free(text);
    ck_assert_ptr_null(sa_utf8_text("source", NULL, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_str_eq(error.text, "'source' is NULL");
    ck_assert_ptr_null(sa_utf8_text("source", "ab\xff", &error));
    ck_assert_str_eq(error.text, "the source is not UTF-8 at byte 3: 0xFF");
}
END_TEST

START_TEST(lower_case_goes_letter_by_letter) {
    normal("ÉTÉ Straße ΟΔΟΣ Ж", true, "été straße οδοσ ж");
    normal("E\xcc\x81", true, "é");
    normal("İI", true, "ii"); /* as simple mapping says, in any locale */
    normal("AB", false, "AB");
}
END_TEST

static bool lower_twice(sa_error *error) {
    char *composed = sa_utf8_normalize("E\xcc\x81", 3, true, error);
    char *lower = composed ? sa_utf8_lower("ΟΔΟΣ", strlen("ΟΔΟΣ"), error) : NULL;
    const bool good = lower;
    free(composed), free(lower);
    return good;
}

static bool bound_marks(sa_error *error) {
    char marks[2 * 100 + 1] = "";
    for (int i = 0; i < 100; i++) strcat(marks, "\u0316");
    char *bounded = sa_utf8_normalize(marks, strlen(marks), false, error);
    const bool good = bounded;
    free(bounded);
    return good;
}

START_TEST(text_without_memory_for_it) {
    ck_assert_int_eq(fail_allocations(lower_twice), 0);
    ck_assert_int_eq(fail_allocations(bound_marks), 0);
}
END_TEST

/* ---- Kinds ----------------------------------------------------------------------------------- */

static void kind(const char *text, sa_char_class expected) {
    size_t length = 0;
    ck_assert_msg(sa_utf8_char_class(text, strlen(text), &length) == expected, "'%s'", text);
    ck_assert_uint_eq(length, strlen(text));
}

static const struct {
    const char *text, *lower;
} lowered[] = {
    {"", ""},
    {"Été ÇA ẞß", "été ça ßß"},
    {"e\xcc\x81 E\xcc\x81", "e\xcc\x81 e\xcc\x81"}, /* not composed */
    {"İI", "i\xcc\x87i"},
    {"ΟΔΟΣ ΟΔΟΣ.", "οδος οδος."}, /* at the end of a word, */
    {"Σ", "σ"},
    {"ΣΟΦΟΣ ΑΣΑ Σ", "σοφος ασα σ"},           /* not at its beginning, in it or alone; */
    {"ΑΣ'Α ΑΣ' ΑΣ", "ασ'α ας' ας"},           /* what is no letter does not */
    {"Α'Σ Α\xcc\x81Σ", "α'ς α\xcc\x81ς"},     /* part them: */
    {"Α\u20ddΣ ΑʰΣ Α^Σ", "α\u20ddς αʰς α^ς"}, /* a circle around a letter, a raised h, an accent; */
    {"ǅΣ aªΣ ºΣ", "ǆς aªς ºς"},               /* but these are letters with case: a digraph, */
    {"ⅣΣ ⓀΣ ↀΣ ⓪Σ 日Σ", "ⅳς ⓚς ↀσ ⓪σ 日σ"},   /* ordinals, numerals, circled letters */
};

START_TEST(lower_case_of_whole_texts) {
    char *lower = sa_utf8_lower(lowered[_i].text, strlen(lowered[_i].text), NULL);
    ck_assert_str_eq(lower, lowered[_i].lower);
    free(lower);
}
END_TEST

START_TEST(kinds) {
    static const struct {
        sa_char_class kind;
        const char *texts[14];
    } rows[] = {
        {SA_CHAR_SPACE,
         {" ", "\t", "\v", "\xc2\x85", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\xa8", "\xe2\x80\xa9",
          "\xe3\x80\x80", "\xe2\x80\x8b", "\r"}},
        {SA_CHAR_LETTER,
         {"a", "É", "ß", "ж", "ع", "ก", "한", "_", "\xcc\x81", "\xe2\x80\x8d", "\xc2\xad", "ǅ", "ʰ",
          "\u20dd"}},
        {SA_CHAR_LETTER, {"Ａ", "Ｚ", "ａ", "ｚ", "\u200c"}},
        {SA_CHAR_DIGIT, {"0", "٣", "²", "½", "Ⅳ", "５", "０", "９"}},
        {SA_CHAR_HAN,
         {"日", "々", "の", "カ", "ー", "。", "「", "？", "！", "𠀀", "ｶ", "〜", "［", "～"}},
        {SA_CHAR_HAN, {"、", "一", "\u30ff", "\u31ff", "\u9fff", "／", "＠", "｀", "\uff9f"}},
        {SA_CHAR_OPENING, {"(", "[", "{", "«", "“", "‘", "„", "‹"}},
        {SA_CHAR_CLOSING, {")", "]", "}", "»", "”", "’", "›"}},
        {SA_CHAR_CURRENCY, {"$", "€", "£", "¥", "¢"}},
        {SA_CHAR_OTHER, {"'", "\"", "-", "–", "?", "%", "/", "😀", "+", "\x01", "\xef\xbb\xbf"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < 14 && rows[i].texts[k]; k++) kind(rows[i].texts[k], rows[i].kind);
}
END_TEST

START_TEST(letters) {
    static const char *const yes[] = {"a", "É", "ǅ", "ʰ", "ß", "ع", "日"};
    static const char *const no[] = {"1", "_", " ", "\xcc\x81", "'", "Ⅳ", "€"};
    for (int i = 0; i < 7; i++) {
        size_t length = 0;
        const uint32_t is = sa_utf8_codepoint(yes[i], strlen(yes[i]), &length);
        ck_assert_msg(sa_utf8_is_letter(is), "'%s'", yes[i]);
        ck_assert_uint_eq(length, strlen(yes[i]));
        const uint32_t none = sa_utf8_codepoint(no[i], strlen(no[i]), &length);
        ck_assert_msg(!sa_utf8_is_letter(none), "'%s'", no[i]);
        ck_assert_uint_eq(length, strlen(no[i]));
    }
}
END_TEST

/* ---- Clusters and columns -------------------------------------------------------------------- */

START_TEST(a_cluster_is_what_a_reader_calls_a_character) {
    static const char *const whole[] = {"a",  "é",  "q\xcc\xa3\xcc\x87", "👩‍🚀", "👍🏽",
                                        "🇫🇷", "각", "1️⃣",           "नि"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        char text[64];
        snprintf(text, sizeof text, "%sx", whole[i]);
        ck_assert_msg(sa_utf8_grapheme_size(text, strlen(text)) == strlen(whole[i]), "'%s'",
                      whole[i]);
    }
    ck_assert_uint_eq(sa_utf8_grapheme_size("🇫🇷🇩🇪", 16), 8); /* two flags */
    ck_assert_uint_eq(sa_utf8_grapheme_size("é", 2), 2);
}
END_TEST

START_TEST(the_first_letter_with_a_direction_decides) {
    ck_assert(!sa_utf8_is_rtl("", 0));
    ck_assert(!sa_utf8_is_rtl("chat", 4));
    ck_assert(!sa_utf8_is_rtl("12.", 3));
    ck_assert(!sa_utf8_is_rtl("日本", 6));
    ck_assert(sa_utf8_is_rtl("قطة", strlen("قطة")));
    ck_assert(sa_utf8_is_rtl("(«שלום", strlen("(«שלום")));
    ck_assert(!sa_utf8_is_rtl("a قطة", strlen("a قطة")));
}
END_TEST

/* Whichever comes first; left-to-right if there are equally many. */
START_TEST(most_letters_decide_the_direction_of_a_sentence) {
    static const struct {
        const char *words[3];
        bool rtl;
    } rows[] = {
        {{"12", "?", "3,5"}, false},    {{"ab", "של", "."}, false},    {{"a", "שלום", "bc"}, true},
        {{"של", "abc", "</s>"}, false}, {{"a", "قطة", "سوداء"}, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(sa_utf8_words_are_rtl(rows[i].words, 3) == rows[i].rtl, "row %zu", i);
    ck_assert(!sa_utf8_words_are_rtl(NULL, 0));
}
END_TEST

START_TEST(widths_are_terminal_columns) {
    ck_assert_int_eq(sa_utf8_width("", 0), 0);
    ck_assert_int_eq(sa_utf8_width("été", 5), 3);
    ck_assert_int_eq(sa_utf8_width("e\xcc\x81", 3), 1);
    ck_assert_int_eq(sa_utf8_width("日本", 6), 4);
    ck_assert_int_eq(sa_utf8_width("\xff", 1), 1);
    ck_assert_int_eq(
        sa_utf8_width("👩‍👩‍👧‍👦", strlen("👩‍👩‍👧‍👦")), 2);
    ck_assert_int_eq(sa_utf8_width("👍🏽", strlen("👍🏽")), 2);
    ck_assert_int_eq(sa_utf8_width("🇫🇷🇯🇵", strlen("🇫🇷🇯🇵")), 4);
    ck_assert_int_eq(sa_utf8_width("❤️a", strlen("❤️a")), 3);
    ck_assert_int_eq(sa_utf8_width("x\ufe0f \ufe0f", 8), 2);
    ck_assert_int_eq(sa_utf8_width("1️⃣", strlen("1️⃣")), 2);
    ck_assert_int_eq(sa_utf8_width("한국", strlen("한국")), 4);
    ck_assert_int_eq(sa_utf8_width("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 9), 2); /* han */
}
END_TEST

/* Up to four marks are shown on a letter. */
START_TEST(words_are_fitted_into_columns) {
    static const struct {
        const char *word;
        int columns;
        const char *fit;
        int width;
    } rows[] = {
        {"", 3, "", 0},
        {"abc", 3, "abc", 3},
        {"abcd", 3, "ab…", 3},
        {"日本語", 6, "日本語", 6},
        {"日本語", 5, "日本…", 5},
        {"日本語", 4, "日…", 3},
        {"a\x1b", 9, "a\\x1B", 5},
        {"xa\u0300\u0301\u0302\u0303y", 9, "xa\u0300\u0301\u0302\u0303y", 3},
        {"xa\u0300\u0301\u0302\u0303\u0304y", 9, "x…", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char fit[64];
        ck_assert_int_eq(sa_utf8_fit(rows[i].word, rows[i].columns, fit, sizeof fit),
                         rows[i].width);
        ck_assert_str_eq(fit, rows[i].fit);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("utf8");
    TCase *valid = tcase_create("validity");
    tcase_add_test(valid, valid_text_is_valid);
    tcase_add_loop_test(valid, invalid_text_is_found_at_its_byte, 0,
                        (int)(sizeof invalid / sizeof *invalid));
    tcase_add_test(valid, only_the_given_bytes_are_looked_at);
    tcase_add_test(valid, files_are_recognized_by_their_first_bytes);
    tcase_add_test(valid, other_files_are_recognized);
    suite_add_tcase(suite, valid);

    TCase *form = tcase_create("form");
    tcase_add_test(form, text_is_composed);
    tcase_add_test(form, marks_are_bounded);
    tcase_add_loop_test(form, what_decomposes_into_marks_is_bounded, 0, 4);
    tcase_add_test(form, a_text_that_is_given_is_composed);
    tcase_add_test(form, lower_case_goes_letter_by_letter);
    tcase_add_loop_test(form, lower_case_of_whole_texts, 0,
                        (int)(sizeof lowered / sizeof *lowered));
    tcase_add_test(form, text_without_memory_for_it);
    tcase_add_test(form, kinds);
    tcase_add_test(form, letters);
    tcase_add_test(form, a_cluster_is_what_a_reader_calls_a_character);
    tcase_add_test(form, widths_are_terminal_columns);
    tcase_add_test(form, the_first_letter_with_a_direction_decides);
    tcase_add_test(form, most_letters_decide_the_direction_of_a_sentence);
    tcase_add_test(form, words_are_fitted_into_columns);
    suite_add_tcase(suite, form);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
