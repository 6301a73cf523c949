/* Cleaning: damaged text and text that only looks so, scripts, and the reasons to reject pairs. */
#include "data/clean.h"

#include <string.h>

#include "support/suite.h"

static sa_error error;

/* ---- Damage ---------------------------------------------------------------------------------- */

static const char *const damaged[] = {
    "caf\xc3\x83\xc2\xa9",                   /* cafÃ©: é */
    "\xc3\x83\xc2\xa9t\xc3\x83\xc2\xa9",     /* Ã©tÃ© */
    "voil\xc3\x83\xc2\xa0",                  /* voilÃ and a no-break space: à */
    "Stra\xc3\x83\xc5\xb8x",                 /* StraÃŸx: ß, by Windows-1252 */
    "\xc3\x82\xc2\xab oui \xc3\x82\xc2\xbb", /* Â« oui Â» */
    "don\xc3\xa2\xe2\x82\xac\xe2\x84\xa2t",  /* donâ€™t: ’ */
    "5 \xc3\xa2\xe2\x80\x9a\xc2\xac",        /* 5 â‚¬: € */
    "\xc3\x90\xc2\xb0\xc3\x90\xc2\xb2",      /* Ð°Ð²: ав */
    "\xc3\xb0\xc5\xb8\xcb\x9c\xe2\x82\xac",  /* ðŸ˜€ */
    "\xc3\xa6\xe2\x80\x94\xc2\xa5",          /* æ—¥: 日 */
    "\xc3\x8e\xc2\xb1\xc3\x8e\xc2\xb2",      /* Î±Î²: αβ */
    "é\xc3\x83\xc2\xbb",                     /* éÃ»: û, not after a capital */
    "a\xef\xbf\xbdx",                        /* U+FFFD */
    "a\x01",
    "\x7f",
    "a\xc2\x92s", /* control characters, of C1 too */
    "a\xffx",
    "\xc3",
    "\xed\xa0\x80", /* no UTF-8 */
};

START_TEST(damage_is_seen) {
    ck_assert_msg(sa_encoding_is_broken(damaged[_i], strlen(damaged[_i])), "%s", damaged[_i]);
}
END_TEST

static const char *const sound[] = {
    "",
    "õ¿¿¿", /* no byte of UTF-8 */
    "ð¿",   /* a beginning without an end */
    "«ÉÃ»", /* after a capital: a quotation mark */
    "Ì¨",   /* a mark, */
    "à¤¾",  /* Devanagari, */
    "â¿´",  /* a sign, */
    "ð›°°", /* shorthand, */
    "ð¿¿¿", /* nothing: all rarer than what is seen */
    "Ð»",   /* л, but also a letter and a quotation mark */
    "ã»»",  /* the same, twice */
    "plain",
    "Été à Noël, ça va ?",
    "«CAFÉ»",
    "« CAFÉ »",
    "„Spaß“",
    "„SPASS“",
    "”TÄÄLLÄ”",
    "Å være",
    "Å\xc2\xa0være",
    "NÃO",
    "IRMÃ…",
    "São Tomé",
    "Âge",
    "œuvre",
    "Œuvre…",
    "«À»",
    "Ünïcödé ÀÉÎÕÜ",
    "5 €",
    "l’été",
    "â",
    "Привет, мир",
    "日本語。",
    "😀👍🏽",
    "ð æ þ Ð Ñ ñandú",
    "ÉTÉ’S",
    "ß–a",
    "a\xc2\xadx",
    "Île—là",
    "ÎÏ",
    "Ångström",
    "20 °C ± 1 §",
    "ÑANDÚ",
};

START_TEST(sound_text_is_left_alone) {
    ck_assert_msg(!sa_encoding_is_broken(sound[_i], strlen(sound[_i])), "%s", sound[_i]);
}
END_TEST

/* ---- Scripts --------------------------------------------------------------------------------- */

static const struct {
    const char *text, *script;
} scripts[] = {
    {"a", "latin"},    {"ñ", "latin"},    {"ß", "latin"},  {"ế", "latin"},    {"λ", "greek"},
    {"ж", "cyrillic"}, {"ա", "armenian"}, {"א", "hebrew"}, {"ع", "arabic"},   {"अ", "devanagari"},
    {"ক", "bengali"},  {"அ", "tamil"},    {"ก", "thai"},   {"ა", "georgian"}, {"አ", "ethiopic"},
    {"ក", "khmer"},    {"日", "han"},     {"か", "han"},   {"カ", "han"},     {"한", "hangul"},
    {"ꓐ", "other"},    {"ｱ", "han"},      {"Ａ", "latin"},
};

START_TEST(letters_have_scripts) {
    size_t counts[SA_SCRIPTS] = {0};
    sa_script_count(scripts[_i].text, strlen(scripts[_i].text), counts);
    for (size_t k = 0; k < SA_SCRIPTS; k++)
        ck_assert_int_eq(counts[k] > 0, strcmp(sa_script_name(k), scripts[_i].script) == 0);
    ck_assert_ptr_null(sa_script_name(SA_SCRIPTS));
}
END_TEST

START_TEST(only_letters_count) {
    size_t counts[SA_SCRIPTS] = {0};
    sa_script_count("1, 2! a_b €\xcc\x81", strlen("1, 2! a_b €\xcc\x81"), counts);
    ck_assert_uint_eq(counts[SA_SCRIPT_LATIN], 2);
    ck_assert_uint_eq(counts[SA_SCRIPT_OTHER], 0);
}
END_TEST

/* ---- Pairs ----------------------------------------------------------------------------------- */

static sa_token token(const char *text) {
    return (sa_token){text, text ? strlen(text) : 0};
}

static void judge(sa_cleaner *cleaner, const char *source, const char *target, const char *key) {
    sa_reject_reason flaw;
    const sa_token side[2] = {token(source), token(target)};
    ck_assert(sa_cleaner_check(cleaner, side, &flaw, &error));
    ck_assert_msg(strcmp(flaw == SA_REJECT_NONE ? "kept" : sa_rejects[flaw].key, key) == 0,
                  "%s | %s: %s", source, target,
                  flaw == SA_REJECT_NONE ? "kept" : sa_rejects[flaw].key);
}

static void open_cleaner(sa_cleaner *cleaner, sa_cleaning *cleaning, const char *name,
                         const char *value) {
    sa_options_init(sa_cleaning_options, cleaning);
    if (name)
        ck_assert(
            sa_option_set(sa_option_find(sa_cleaning_options, name), cleaning, value, &error));
    *cleaner = (sa_cleaner){.cleaning = cleaning};
    const sa_token english[2] = {token("Some words of English."),
                                 token("Несколько самых русских слов.")};
    ck_assert(sa_cleaner_count(cleaner, english, &error));
    sa_cleaner_finish_counts(cleaner);
}

START_TEST(pairs_are_judged) {
    sa_cleaning cleaning;
    sa_cleaner cleaner;
    open_cleaner(&cleaner, &cleaning, NULL, NULL);
    ck_assert_str_eq(sa_script_name((size_t)cleaner.script[1]), "cyrillic");
    judge(&cleaner, "one", NULL, "no_tab");
    judge(&cleaner, "one \xc3\x83\xc2\xa9", "один", "damaged");
    judge(&cleaner, "one", "оди\xff", "damaged");
    judge(&cleaner, " \xc2\xa0", "один", "empty");
    judge(&cleaner, "one", "", "empty");
    judge(&cleaner, "one two three four", "один", "kept");
    judge(&cleaner, "one two three four.", "один", "ratio");
    judge(&cleaner, "one", "один два три, четыре", "ratio");
    judge(&cleaner, "один", "один", "script");
    judge(&cleaner, "one", "one", "script");
    judge(&cleaner, "Tom", "это Tom", "kept"); /* half and half */
    judge(&cleaner, "Tom", "я Tom", "script");
    judge(&cleaner, "12 %", "12 %", "kept"); /* no letters, no script */
    judge(&cleaner, "twice", "дважды", "kept");
    judge(&cleaner, "twice", "дважды", "repeated");
    judge(&cleaner, " twice", "дважды\xc2\xa0 ", "repeated");
    judge(&cleaner, "twice", "два раза", "kept");
    judge(&cleaner, "Twice", "дважды", "kept");
    judge(&cleaner, "caf\xc3\xa9", "кафе", "kept");
    judge(&cleaner, "cafe\xcc\x81", "кафе", "repeated"); /* the same in NFC */
    sa_cleaner_release(&cleaner);
}
END_TEST

START_TEST(options_decide) {
    static const struct {
        const char *name, *value, *source, *target, *key;
    } cases[] = {
        {"max-len", "2", "one two", "один два", "kept"},
        {"max-len", "2", "one two", "один два.", "too_long"},
        {"max-ratio", "1.5", "one two three", "один два", "kept"},
        {"max-ratio", "1.4", "one two three", "один два", "ratio"},
        {"max-ratio", "0", "one two three four five", "один", "kept"},
        {"target-script", "any", "one", "one", "kept"},
        {"target-script", "latin", "one", "один", "script"},
        {"source-script", "cyrillic", "one", "один", "script"},
        {"drop-same", "yes", "12  %", "12 %", "equal_sides"},
        {"drop-same", "yes", "12 %", "13 %", "kept"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sa_cleaning cleaning;
        sa_cleaner cleaner;
        open_cleaner(&cleaner, &cleaning, cases[i].name, cases[i].value);
        judge(&cleaner, cases[i].source, cases[i].target, cases[i].key);
        sa_cleaner_release(&cleaner);
    }
}
END_TEST

START_TEST(what_is_unique_is_chosen) {
    static const struct {
        const char *unique, *other_target, *other_source, *same;
    } cases[] = {
        {"pair", "kept", "kept", "repeated"},
        {"source", "repeated", "kept", "repeated"},
        {"target", "kept", "repeated", "repeated"},
        {"nothing", "kept", "kept", "kept"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sa_cleaning cleaning;
        sa_cleaner cleaner;
        open_cleaner(&cleaner, &cleaning, "unique", cases[i].unique);
        judge(&cleaner, "one", "один", "kept");
        judge(&cleaner, "one", "раз", cases[i].other_target);
        judge(&cleaner, "a", "один", cases[i].other_source);
        judge(&cleaner, "one", "один", cases[i].same);
        sa_cleaner_release(&cleaner);
    }
}
END_TEST

START_TEST(a_mixed_side_has_no_script) {
    sa_cleaning cleaning;
    sa_cleaner cleaner;
    sa_options_init(sa_cleaning_options, &cleaning);
    cleaner = (sa_cleaner){.cleaning = &cleaning};
    const sa_token mixed[2] = {token("abcд"), token("abдж")};
    ck_assert(sa_cleaner_count(&cleaner, mixed, &error));
    sa_cleaner_finish_counts(&cleaner);
    ck_assert_int_eq(cleaner.script[0], SA_SCRIPT_LATIN);
    ck_assert_int_eq(cleaner.script[1], -1);
    sa_cleaner_release(&cleaner);
}
END_TEST

/* Four kana per English word in the corpus: eight for one are twice too many. */
START_TEST(lengths_are_compared_with_those_of_all_pairs) {
    static const struct {
        const char *source, *target, *key;
    } cases[] = {
        {"one", "かなかな", "kept"},          {"one", "かなかなかな", "kept"},
        {"one", "かなかなかなかな", "ratio"}, {"one two three", "かなかな", "ratio"},
        {"one two", "かなかなかな", "kept"},
    };
    sa_cleaning cleaning;
    sa_cleaner cleaner;
    sa_options_init(sa_cleaning_options, &cleaning);
    cleaning.max_ratio = 1.5;
    cleaner = (sa_cleaner){.cleaning = &cleaning};
    const sa_token all[2] = {token("one two three"), token("かなかなかなかなかなかな")};
    ck_assert(sa_cleaner_count(&cleaner, all, &error));
    const sa_token broken[2] = {token("one \xff"), token("かな")}; /* counts for nothing */
    ck_assert(sa_cleaner_count(&cleaner, broken, &error));
    sa_cleaner_finish_counts(&cleaner);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        judge(&cleaner, cases[i].source, cases[i].target, cases[i].key);
    sa_cleaner_release(&cleaner);
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
    {"ຂ້ອຍມັກອ່ານປຶ້ມ", true},
    {"ကျွန်တော်စာဖတ်ရတာကြိုက်တယ်", true},
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

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("clean", &tests);
    tcase_add_loop_test(tests, damage_is_seen, 0, sizeof damaged / sizeof *damaged);
    tcase_add_loop_test(tests, sound_text_is_left_alone, 0, sizeof sound / sizeof *sound);
    tcase_add_loop_test(tests, letters_have_scripts, 0, sizeof scripts / sizeof *scripts);
    tcase_add_test(tests, only_letters_count);
    tcase_add_test(tests, pairs_are_judged);
    tcase_add_test(tests, options_decide);
    tcase_add_test(tests, what_is_unique_is_chosen);
    tcase_add_test(tests, a_mixed_side_has_no_script);
    tcase_add_test(tests, lengths_are_compared_with_those_of_all_pairs);
    tcase_add_loop_test(tests, text_without_spaces_is_found, 0, sizeof targets / sizeof *targets);
    return suite_run(suite);
}
