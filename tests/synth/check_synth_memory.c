/* Toy corpora that are made, and grammars that are read and described, while calls for memory fail,
 * each alone and with all later ones: no block is lost, and the error names memory. */
#include "support/memory_failures.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "synth/synth.h"

#include <softalign.h>

static sa_toy toy;
static char wanted[4096]; /* what is made with memory */

static bool make_it(sa_error *why) {
    sa_buffer out = {0};
    const bool good = sa_synth_write(&toy, NULL, &out, why);
    if (good && !*wanted) snprintf(wanted, sizeof wanted, "%s", out.text);
    if (good) ck_assert_str_eq(out.text, wanted);
    sa_buffer_release(&out);
    return good;
}

static const char *grammar_of(const char *text) {
    const char *path = scratch_path("g.scfg");
    scratch_write(path, text, strlen(text));
    return path;
}

static void makes_without_memory(sa_toy of) {
    sa_error error;
    toy = of;
    *wanted = 0;
    ck_assert_msg(make_it(&error), "%s", error.text);
    ck_assert_int_eq(fail_allocations(make_it), 0);
    ck_assert_uint_gt(strlen(wanted), 8);
}

/* All that a grammar can have; words and sentences enough for tables to grow. */
static const char whole[] = "%feature g m f\n"
                            "%possible the x0\n"
                            "%join le [aeiou]* ||| l'\n"
                            "%join-source a [aeiou]* ||| an\n"
                            "[S] ||| the [N:g,1] [V,2] ||| le [N:g,1] [V,2] ||| 0-0 1p0 ||| 2\n"
                            "[TEST] ||| a [N:m,1] ||| [1]\n"
                            "[N:g] ||| owl ||| hibou\n[N:g] ||| bank ||| banque\n"
                            "[N:g] ||| bank ||| rive\n[V] ||| sees ||| voit\n[V] ||| ||| dort\n"
                            "[U] ||| u ||| v\n";

START_TEST(grammars_without_memory) {
    sa_buffer text = {0};
    sa_buffer_adds(&text, whole);
    for (int i = 0; i < 40; i++) sa_buffer_addf(&text, "[N:g] ||| x%d ||| y%d\n", i, i);
    const char *path = grammar_of(text.text);
    makes_without_memory((sa_toy){.grammar = path, .pairs = 40, .seed = 1});
    makes_without_memory((sa_toy){.grammar = path, .seed = 1, .check = true});
    sa_buffer_release(&text);
}
END_TEST

START_TEST(tasks_without_memory) {
    makes_without_memory((sa_toy){.task = "sort", .pairs = 40, .seed = 1});
}
END_TEST

/* That there are only two sentences can be told once they have been counted. */
static bool lack_sentences(sa_error *why) {
    sa_buffer out = {0};
    ck_assert(!sa_synth_write(&toy, NULL, &out, why));
    sa_buffer_release(&out);
    return why->code == SA_USAGE && strstr(why->text, "all splits have 2");
}

START_TEST(too_few_sentences_without_memory) {
    toy = (sa_toy){.grammar = grammar_of("[S] ||| a ||| x\n[S] ||| b ||| y\n"), .pairs = 9};
    ck_assert_int_eq(fail_allocations(lack_sentences), 0);
}
END_TEST

static const char *made_path;

static bool generate_it(sa_error *why) {
    return sa_corpus_generate("reverse", NULL, 3, 1, SA_TEST, made_path, why);
}

START_TEST(files_without_memory) {
    size_t size;
    made_path = scratch_path("made.tsv");
    ck_assert_int_eq(fail_allocations(generate_it), 0);
    ck_assert_int_eq(scratch_files(), 1);
    char *text = scratch_read(made_path, &size);
    ck_assert_int_eq(strncmp(text, "20 48 46 47 29 28 26 18\t18 26 28", 32), 0);
    free(text);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("synth_memory", &tests);
    tcase_add_checked_fixture(tests, scratch_make, scratch_remove);
    tcase_set_timeout(tests, 20);
    tcase_add_test(tests, grammars_without_memory);
    tcase_add_test(tests, tasks_without_memory);
    tcase_add_test(tests, files_without_memory);
    tcase_add_test(tests, too_few_sentences_without_memory);
    return suite_run(suite);
}
