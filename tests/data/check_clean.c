/* Cleaning: damaged text, and the reasons to drop pairs. */
#include "data/clean.h"

#include "base/memory.h"
#include "support/scratch.h"
#include "support/suite.h"

static sa_error error;

/* ---- Damage ---------------------------------------------------------------------------------- */

static const char *const damaged[] = {
    "a\xef\xbf\xbdx",              /* U+FFFD */
    "a\x01", "\x7f", "a\xc2\x92s", /* control characters, of C1 too */
};

START_TEST(damage_is_seen) {
    ck_assert_msg(sa_text_is_damaged(damaged[_i]), "%s", damaged[_i]);
}
END_TEST

static const char *const sound[] = {
    "",
    "plain",
    "Été à Noël, ça va ?",
    "«CAFÉ»",
    "« CAFÉ »",
    "„Spaß“",
    "„SPASS“",
    "”TÄÄLLÄ”",
    "Å være",
    "Å\xc2\xa0være",
    "5 €",
    "l’été",
    "â",
    "Привет, мир",
    "日本語。",
    "😀👍🏽",
    "caf\xc3\x83\xc2\xa9", /* cafÃ©: UTF-8 read as Latin-1 is text, too */
    "a\xc2\xadx",
    "20 °C ± 1 §",
    "ÑANDÚ",
};

START_TEST(sound_text_is_left_alone) {
    ck_assert_msg(!sa_text_is_damaged(sound[_i]), "%s", sound[_i]);
}
END_TEST

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* Cleans the lines with an option and expects what becomes of each: the key of the reason, or
 * "kept".
 */
static void expect_reasons(const char *name, const char *value, const char *lines,
                           const char *expected) {
    const char *path = scratch_path("pairs");
    sa_cleaning cleaning;
    sa_cleaned cleaned;
    sa_buffer reasons = {0};
    scratch_write(path, lines, strlen(lines));
    sa_options_init(sa_cleaning_options, &cleaning);
    const sa_option *option = name ? sa_option_find(sa_cleaning_options, name) : NULL;
    ck_assert(!option || sa_option_set(option, &cleaning, value, &error));
    ck_assert_msg(sa_clean(&cleaned, path, NULL, &cleaning, &error), "%s", error.text);
    const char *dropped = cleaned.dropped.text;
    for (size_t line = 1; line <= cleaned.lines; line++) {
        char key[32] = "";
        size_t number = 0;
        if (dropped) sscanf(dropped, "%31s %zu", key, &number);
        if (number == line) dropped = strchr(dropped, '\n') + 1;
        sa_buffer_addf(&reasons, " %s", number == line ? key : "kept");
    }
    ck_assert_str_eq(reasons.text + 1, expected);
    sa_buffer_release(&reasons);
    sa_cleaned_release(&cleaned);
}

#define MANY "Some words of English.\tНесколько самых русских слов.\n"

START_TEST(pairs_are_judged) {
    expect_reasons(NULL, NULL,
                   MANY "one\n"
                        "one \xef\xbf\xbd\tодин\n"
                        "one\tоди\xff\n"
                        " \xc2\xa0\tодин\n"
                        "one\t\n"
                        "one two three four\tодин\n"
                        "one two three four.\tодин\n"
                        "one\tодин два три, четыре\n"
                        "12 %\t12 %\n"
                        "twice\tдважды\n"
                        "twice\tдважды\n"
                        " twice\tдважды\xc2\xa0 \n"
                        "twice\tдва раза\n"
                        "Twice\tдважды\n"
                        "caf\xc3\xa9\tкафе\n"
                        "cafe\xcc\x81\tкафе\n", /* the same in NFC */
                   "kept no_tab damaged damaged empty empty kept ratio ratio kept kept repeated "
                   "repeated kept kept kept repeated");
}
END_TEST

START_TEST(options_decide) {
    static const struct {
        const char *name, *value, *line, *expected;
    } cases[] = {
        {"max-len", "4", "one two three four\tодин два три\n", "kept"},
        {"max-len", "4", "one two three\tодин два три четыре.\n", "too_long"},
        {"max-ratio", "1.5", MANY MANY MANY MANY "one two three\tодин два\n",
         "kept repeated repeated repeated kept"},
        {"max-ratio", "1.4", MANY MANY MANY MANY "one two three\tодин два\n",
         "kept repeated repeated repeated ratio"},
        {"max-ratio", "0", MANY "one two three four five\tодин\n", "kept kept"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_reasons(cases[i].name, cases[i].value, cases[i].line, cases[i].expected);
}
END_TEST

START_TEST(what_is_unique_is_chosen) {
    static const char lines[] = "one\tодин\none\tраз\na\tодин\none\tодин\n";
    expect_reasons("unique", "pair", lines, "kept kept kept repeated");
    expect_reasons("unique", "source", lines, "kept repeated kept repeated");
    expect_reasons("unique", "target", lines, "kept kept repeated repeated");
    expect_reasons("unique", "nothing", lines, "kept kept kept kept");
}
END_TEST

/* Some four kana per English word in the corpus; a damaged line does not count. */
START_TEST(lengths_are_compared_with_those_of_all_pairs) {
    expect_reasons("max-ratio", "1.5",
                   "one two three\tかなかなかなかなかなかな\n"
                   "one\tかなかな\n"
                   "one\tかなかなか\n"
                   "one\tかなかなかなかな\n"
                   "one two three\tかなかな\n"
                   "one two\tかなかなかな\n"
                   "one \xff\tかなかなかなかなかなかなかなかなかなかなかなかなかなかな\n",
                   "kept kept kept ratio ratio kept damaged");
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("clean", &tests);
    tcase_add_checked_fixture(tests, scratch_make, scratch_remove);
    tcase_add_loop_test(tests, damage_is_seen, 0, sizeof damaged / sizeof *damaged);
    tcase_add_loop_test(tests, sound_text_is_left_alone, 0, sizeof sound / sizeof *sound);
    tcase_add_test(tests, pairs_are_judged);
    tcase_add_test(tests, options_decide);
    tcase_add_test(tests, what_is_unique_is_chosen);
    tcase_add_test(tests, lengths_are_compared_with_those_of_all_pairs);
    return suite_run(suite);
}
