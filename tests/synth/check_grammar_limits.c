/* Synchronous grammars at their limits: rules without a left side, features, depth, growth, the
 * symbols of a derivation and the largest number of them; corpora of users' grammars. */
#include "base/file.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "synth/scfg.h"
#include "synth/synth.h"

#include <string.h>

static sa_error error;

static sa_grammar *parsed(const char *text) {
    sa_grammar *grammar = sa_grammar_read("g", text, &error);
    ck_assert_msg(grammar != NULL, "%s", error.text);
    return grammar;
}

static void refuses(const char *text, const char *message) {
    ck_assert_msg(!sa_grammar_read("g", text, &error), "%s", text);
    ck_assert_str_eq(error.text, message);
    ck_assert_int_eq(error.code, SA_DATA);
}

/* ---- Rules and features ---------------------------------------------------------------------- */

START_TEST(a_rule_rewrites_one_category) {
    static const char *const rules[] = {
        "S ||| a ||| b\n",
        "[1] ||| a ||| b\n",
        "[S,1] ||| a ||| b\n",
        "[S] x ||| a ||| b\n",
        "[S] [S] ||| a ||| b\n",
        "||| a ||| b\n",
        "||| ||| a\n",
        "[S] a ||| b\n",
        "[S] ||| a\n",
        "[S] ||| a b [S,1] [S]\n",
        "[S]\n",
        "|||\n",
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        refuses(
            rules[i],
            "g:1: a rule is [CATEGORY] ||| source ||| target, then perhaps ||| links ||| weight");
}
END_TEST

/* As files are; a byte order mark is no part of the first rule. */
START_TEST(a_text_of_another_kind_is_named) {
    refuses("PK\3\4", "g:1: not UTF-8 (looks like a zip archive); this converts it: unzip -p FILE "
                      "> NEW");
    refuses("<!DOCTYPE html>\n",
            "g:1: not the file itself (looks like a web page); this fetches it: "
            "curl -L -o NEW the address of the raw file");
    sa_grammar *grammar = parsed("\uFEFF[A] ||| a ||| b\n");
    ck_assert_str_eq(sa_grammar_category(grammar, grammar->start[0]), "A");
    sa_grammar_free(grammar);
}
END_TEST

START_TEST(there_are_a_hundred_features) {
    for (int features = 100; features <= 101; features++) {
        sa_buffer text = {0};
        for (int i = 0; i < features; i++) sa_buffer_addf(&text, "%%feature f%d v%d\n", i, i);
        sa_buffer_adds(&text, "[S] ||| [N:f99,1] ||| [N:f99,1]\n[N:v99] ||| a ||| b\n");
        if (features == 100)
            sa_grammar_free(parsed(text.text));
        else
            refuses(text.text, "g:101: %feature NAME VALUE ...: at most 100 features of 60 values");
        sa_buffer_release(&text);
    }
}
END_TEST

/* ---- Depth and growth ------------------------------------------------------------------------ */

/* Categories C0, C1 .. that become each other one by one: the first, the last, the second, the last
 * but one .., so that a sweep over all of them, there or back, gets only one step further. */
static sa_buffer zigzag(int count) {
    sa_buffer text = {0};
    sa_buffer_adds(&text, "[S] ||| x [C0,1] ||| y [C0,1]\n");
    for (int i = 0; i < count; i++) /* rules that are not used, for the order */
        sa_buffer_addf(&text, "[U] ||| [C%d] ||| u\n", i);
    for (int k = 0; k < count; k++) {
        const int at = k % 2 ? count - 1 - k / 2 : k / 2;
        const int next = k % 2 ? (k + 1) / 2 : count - 1 - k / 2;
        if (k + 1 < count)
            sa_buffer_addf(&text, "[C%d] ||| [C%d,1] ||| [C%d,1]\n", at, next, next);
        else
            sa_buffer_addf(&text, "[C%d] ||| a ||| b\n", at);
    }
    return text;
}

START_TEST(categories_are_nested_a_thousand_deep_at_most) {
    sa_rng rng = sa_rng_seed(1, 0);
    sa_draft draft = {.rng = &rng};
    sa_buffer text = zigzag(450), line = {0};
    sa_grammar *grammar = parsed(text.text);
    ck_assert(sa_grammar_draw(grammar, &draft));
    sa_draft_write(&draft, &line);
    ck_assert_str_eq(line.text, "x a\ty b\t0-0 1-1\n");
    sa_grammar_free(grammar);
    sa_buffer_release(&text), sa_buffer_release(&line);
    text = zigzag(1050);
    refuses(text.text, "g:1: [S] has categories that are nested too deep");
    sa_buffer_release(&text);
}
END_TEST

/* Beside 90,000 rules there is time for 221 sweeps, too few for 250 categories. */
START_TEST(large_grammars_are_nested_less_deep) {
    sa_buffer text = zigzag(250);
    for (int i = 0; i < 5; i++) {
        sa_buffer_addf(&text, "%%feature f%d", i);
        for (int k = 0; k < (i ? 10 : 9); k++) sa_buffer_addf(&text, " v%d%d", i, k);
        sa_buffer_addf(&text, "\n[L%d:f%d] ||| x ||| y\n", i, i);
    }
    sa_buffer_adds(&text, "[M] ||| [L0:f0] [L1:f1] [L2:f2] [L3:f3] [L4:f4] ||| z\n");
    refuses(text.text, "g:1: [S] has categories that are nested too deep");
    sa_buffer_release(&text);
}
END_TEST

/* Three of itself each time, until no number is large enough. */
START_TEST(growth_without_end_is_seen) {
    refuses("[S] ||| [N,1] ||| [N,1]\n"
            "[N] ||| [N,1] [N,2] [N,3] ||| [N,1] [N,2] [N,3] ||| 1000\n"
            "[N] ||| a ||| b\n",
            "g:2: [N] has no end: it contains itself more often than it stops");
}
END_TEST

/* ---- Symbols --------------------------------------------------------------------------------- */

/* A derivation of 40 categories and 40 words on both sides together, where each category has 72
 * others, which are empty: 3000 symbols. */
START_TEST(a_derivation_has_3000_symbols) {
    for (int more = 0; more < 2; more++) {
        sa_rng rng = sa_rng_seed(1, 0);
        sa_draft draft = {.rng = &rng};
        sa_buffer text = {0};
        sa_buffer_adds(&text, "[S] |||");
        for (int side = 0; side < 2; side++) {
            for (int i = 1; i <= 40; i++) sa_buffer_addf(&text, " [E,%d]", i);
            for (int i = 0; i < 20 + (side ? more : 0); i++) sa_buffer_adds(&text, " w");
            sa_buffer_adds(&text, side ? "\n[E] |||" : " |||");
        }
        for (int side = 0; side < 2; side++) {
            for (int i = 1; i <= 36; i++) sa_buffer_addf(&text, " [F,%d]", i);
            sa_buffer_adds(&text, side ? "\n[F] ||| |||\n" : " |||");
        }
        sa_grammar *grammar = parsed(text.text);
        ck_assert_int_eq(sa_grammar_draw(grammar, &draft), !more);
        ck_assert_int_eq(draft.full, more);
        if (!more) ck_assert(draft.source.count == 20 && draft.target.count == 20);
        sa_grammar_free(grammar);
        sa_buffer_release(&text);
    }
}
END_TEST

/* F has 10^17 sources of 17 words and 10^18 of 18. With E's 18 of one word and ten of two, a sum of
 * products is just above 2^64; with 19 of one word, a product is. */
START_TEST(numbers_beyond_64_bits_are_many) {
    for (int words = 18; words <= 19; words++) {
        sa_buffer text = {0};
        uint64_t sum = 0;
        sa_buffer_adds(&text, "[S] ||| [F,1] [E,2] ||| [F,1] [E,2]\n");
        for (int length = 17; length <= 18; length++) {
            sa_buffer_adds(&text, "[F] |||");
            for (int i = 1; i <= length; i++) sa_buffer_addf(&text, " [D,%d]", i);
            sa_buffer_adds(&text, " |||");
            for (int i = 1; i <= length; i++) sa_buffer_addf(&text, " [D,%d]", i);
            sa_buffer_adds(&text, "\n");
        }
        for (int i = 0; i < 10; i++) sa_buffer_addf(&text, "[D] ||| %d ||| d\n", i);
        for (int i = 0; i < words; i++) sa_buffer_addf(&text, "[E] ||| e%d ||| e\n", i);
        for (int i = 0; words == 18 && i < 10; i++)
            sa_buffer_addf(&text, "[E] ||| e e%d ||| e\n", i);
        sa_grammar *grammar = parsed(text.text);
        ck_assert_int_eq(sa_grammar_count(grammar, SA_TRAIN, 0, 21, &sum, &error), 21);
        for (int length = 0; length <= 21; length++)
            ck_assert_uint_eq(grammar->count[length],
                              length >= 18 && length <= 38 - words ? SA_GRAMMAR_MANY : 0);
        ck_assert_uint_eq(sum, SA_GRAMMAR_MANY);
        sa_grammar_free(grammar);
        sa_buffer_release(&text);
    }
}
END_TEST

/* ---- Corpora ----------------------------------------------------------------------------------
 */

/* A pair has words on both sides: where a grammar derives none, another sentence is drawn. */
START_TEST(a_pair_has_two_sides) {
    sa_buffer out = {0}, text = {0};
    size_t count = 0;
    for (int i = 0; i < 40; i++) sa_buffer_addf(&text, "[S] ||| a%d ||| b%d\n", i, i);
    sa_buffer_adds(&text, "[S] ||| ||| b ||| 40\n[S] ||| a ||| ||| 40\n");
    const char *grammar = scratch_path("empty.scfg");
    ck_assert(sa_save_text(grammar, &text, &error));
    const sa_toy toy = {.grammar = grammar, .pairs = 20, .seed = 1};
    ck_assert_msg(sa_synth_write(&toy, NULL, &out, &error), "%s", error.text);
    for (char *at = out.text; *at; count++) {
        char *line = strsep(&at, "\n"), wanted[32];
        const int number = atoi(line + 1);
        snprintf(wanted, sizeof wanted, "a%d\tb%d\t0-0", number, number);
        ck_assert_str_eq(line, wanted);
    }
    ck_assert_uint_eq(count, 20);
    sa_buffer_release(&text), sa_buffer_release(&out);
}
END_TEST

/* The description of a user's grammar is that of its check, with examples of the seed. */
START_TEST(a_grammar_is_described) {
    static const char rules[] = "[S] ||| a [N,1] ||| [N,1] b\n[N] ||| c ||| d\n[N] ||| e ||| f\n";
    sa_buffer out[2] = {{0}}, text = {0};
    sa_buffer_adds(&text, rules);
    const char *path = scratch_path("described.scfg");
    ck_assert(sa_save_text(path, &text, &error));
    sa_grammar *grammar = sa_grammar_read("g", rules, &error);
    ck_assert(sa_grammar_check(grammar, 3, &out[0], &error));
    const sa_toy toy = {.grammar = path, .seed = 3, .check = true};
    ck_assert_msg(sa_synth_write(&toy, NULL, &out[1], &error), "%s", error.text);
    ck_assert_str_eq(out[1].text, out[0].text);
    sa_grammar_free(grammar);
    for (int i = 0; i < 2; i++) sa_buffer_release(&out[i]);
    sa_buffer_release(&text);
}
END_TEST

/* Under a source a line for each target word, with # below what it is linked with, ? where the link
 * is only possible. */
START_TEST(examples_show_links) {
    static const char example[] = "\na bc\n# .   x\n. ?   y\n. .   z\n";
    sa_buffer out = {0}, wanted = {0};
    sa_grammar *grammar = parsed("[S] ||| a bc ||| x y z ||| 0-0 1p1\n");
    ck_assert(sa_grammar_check(grammar, 1, &out, &error));
    for (int i = 0; i < 5; i++) sa_buffer_adds(&wanted, example);
    const char *shown = strstr(out.text, "\na bc\n");
    ck_assert_ptr_nonnull(shown);
    ck_assert_str_eq(shown, wanted.text);
    sa_grammar_free(grammar);
    sa_buffer_release(&out), sa_buffer_release(&wanted);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("grammar_limits", &tests);
    tcase_add_checked_fixture(tests, scratch_make, scratch_remove);
    tcase_add_test(tests, a_rule_rewrites_one_category);
    tcase_add_test(tests, a_text_of_another_kind_is_named);
    tcase_add_test(tests, there_are_a_hundred_features);
    tcase_add_test(tests, categories_are_nested_a_thousand_deep_at_most);
    tcase_add_test(tests, large_grammars_are_nested_less_deep);
    tcase_add_test(tests, growth_without_end_is_seen);
    tcase_add_test(tests, a_derivation_has_3000_symbols);
    tcase_add_test(tests, numbers_beyond_64_bits_are_many);
    tcase_add_test(tests, a_pair_has_two_sides);
    tcase_add_test(tests, a_grammar_is_described);
    tcase_add_test(tests, examples_show_links);
    return suite_run(suite);
}
