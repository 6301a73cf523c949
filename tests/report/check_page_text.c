/* The title, the notes and the place of a page: what becomes of them, and what is refused. */
#include "report/html_report.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <sys/stat.h>

static sa_error error;
static sa_buffer out;

static const char *notes_of(const char *text) {
    const char *path = scratch_path("notes");
    scratch_write(path, text, strlen(text));
    return path;
}

/* Writes a page of two models with those texts: three sentences, a film of five, two files. */
static bool write_page(const char *title, const char *notes, const char *open_at) {
    sa_html_report report;
    const sa_page_text text = {title, notes, open_at};
    sa_html_report_init(&report, "align", "own title", 2);
    json_object_update_new(
        report.data,
        json_pack("{s:[{s:i, s:i}, {s:i, s:i}], s:[{s:[i, i, i, i, i]}], s:{s:s, s:s}, s:[n, []]}",
                  "models", "layers", 2, "heads", 4, "layers", 3, "heads", 1, "film", "scenes", 1,
                  2, 3, 4, 5, "files", "table.csv", "", "log.csv", "", "matrices"));
    for (int i = 0; i < 3; i++) json_array_append_new(report.sentences, json_integer(i));
    report.offered = 3;
    sa_buffer_release(&out);
    out = (sa_buffer){0};
    return sa_page_end(&report, true, &text, &out, &error);
}

static void expect_in_page(const char *part) {
    ck_assert_msg(strstr(out.text, part) != NULL, "the page has no %s", part);
}

/* ---- Notes ----------------------------------------------------------------------------------- */

static const struct {
    const char *notes, *wanted; /* in the page, < as it is escaped there; or the message */
} notes[] = {
    {"\xef\xbb\xbf# A title\n\nSee\nthis.\n\nAnd that.\n",
     "\"notes\":{\"title\":\"A title\",\"see\":[\"See this.\",\"And "
     "that.\"],\"items\":[],\"links\":"
     "[]}"},
    {"Question: Why?\nReally?\n\nMore.\n\nAnswer:  So.\n\nThus.\nExercise: Do.\nSolution: Done.\n",
     "\"notes\":{\"see\":[],\"items\":[{\"kind\":\"Question\",\"text\":[\"Why? "
     "Really?\",\"More.\"],"
     "\"answer\":[\"So.\",\"Thus.\"]},{\"kind\":\"Exercise\",\"text\":[\"Do.\"],\"answer\":[\"Done."
     "\"]}],\"links\":[]}"},
    {"a\n```sh\nb\n\n# c\n```\nd\n```\n```\n",
     "\"see\":[\"a\",{\"code\":\"b\\n\\n# c\\n\"},\"d\",{\"code\":\"\"}]"},
    {"[one](a.html)\n[two](https://example.org/x)\n[no](b) link\n",
     "\"see\":[\"[no](b) link\"],\"items\":[],\"links\":[{\"text\":\"one\",\"target\":\"a.html\"},{"
     "\"text\":\"two\",\"target\":\"https://example.org/x\"}]"},
    {"See\n# A title\nthat.\n", "\"title\":\"A title\",\"see\":[\"See\",\"that.\"]"},
    {"", "\"notes\":{\"see\":[],\"items\":[],\"links\":[]}"},
    {"Questions: none\n", "\"see\":[\"Questions: none\"]"},
    {"# One\n# Two\n", "notes:2: notes have one heading, '# TITLE'"},
    {"## Two\n", "notes:1: notes have one heading, '# TITLE'"},
    {"a\n\nAnswer: b\n", "notes:3: an answer without a question"},
    {"[x](http://example.org)\n",
     "notes:1: a link must lead to a file next to the page or to https://"},
    {"[x](javascript:1)\n", "notes:1: a link must lead to a file next to the page or to https://"},
    {"a\n```\nb\n", "notes:3: ``` begins code that does not end"},
    {"a\n\xff\n", "notes:2: not UTF-8 at byte 1: 0xFF (perhaps an 8-bit code like Latin-1)"},
};
enum { NOTES = sizeof notes / sizeof *notes };

START_TEST(notes_become_blocks) {
    const char *path = notes_of(notes[_i].notes);
    const sa_page_text text = {.notes = path};
    const bool good = notes[_i].wanted[0] == '"';
    ck_assert_int_eq(sa_page_text_check(&text, "page.html", &error), good);
    ck_assert_int_eq(write_page(NULL, path, NULL), good);
    if (good)
        expect_in_page(notes[_i].wanted);
    else {
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_str_eq(error.text + strlen(path) - strlen("notes"), notes[_i].wanted);
    }
}
END_TEST

START_TEST(the_given_title_comes_first) {
    const char *path = notes_of("# Of the notes\n");
    ck_assert(write_page(NULL, NULL, NULL));
    expect_in_page("\"title\":\"own title\"");
    ck_assert(write_page(NULL, path, NULL));
    expect_in_page("\"title\":\"Of the notes\"");
    ck_assert(write_page("Given", path, NULL));
    expect_in_page("\"title\":\"Given\"");
}
END_TEST

/* ---- Places ---------------------------------------------------------------------------------- */

static const struct {
    const char *place, *wanted,
        *message; /* of the page; message: before it, too, if wanted is "" */
} places[] = {
    {"figure=attention,sentence=2,layer=3,head=4,word=9",
     "\"open\":{\"figure\":\"viewer\",\"sentence\":2,\"layer\":3,\"head\":4,\"word\":9}", NULL},
    {"figure=film,update=0", "\"open\":{\"figure\":\"films\",\"update\":0}", NULL},
    {"figure=curves,column=loss", "\"open\":{\"figure\":\"curves\",\"column\":\"loss\"}", NULL},
    {"figure=bars", "\"open\":{\"figure\":\"bars\"}", NULL},
    {"figure=table", "\"open\":{\"figure\":\"results\"}", NULL},
    {"sentence=5", "\"open\":{\"sentence\":5}", NULL},
    {"figure=viewer", "",
     "--open-at figure=viewer: expected table, bars, lengths, curves, film or attention"},
    {"layer=0", "", "--open-at layer=0: expected a number from 1"},
    {"update=-1", "", "--open-at update=-1: expected a number from 1"},
    {"word=x", "", "--open-at word=x: expected a number from 1"},
    {"rows=1", "",
     "--open-at 'rows': expected figure, sentence, word, layer, head, update or column"},
    {"layer", "", "--open-at 'layer': expected NAME=VALUE"},
    {"layer=1,", "", "--open-at '': expected NAME=VALUE"},
};
enum { PLACES = sizeof places / sizeof *places };

START_TEST(places_are_on_the_page) {
    const sa_page_text text = {.open_at = places[_i].place};
    const bool wrong = places[_i].message, always = wrong && places[_i].wanted;
    ck_assert_int_eq(sa_page_text_check(&text, "page.html", &error), !always);
    ck_assert_int_eq(write_page(NULL, NULL, places[_i].place), !wrong);
    if (wrong) {
        ck_assert_str_eq(error.text, places[_i].message);
        ck_assert_int_eq(error.code, SA_USAGE);
    } else
        expect_in_page(places[_i].wanted);
}
END_TEST

/* A pipe can be read only once and is refused; a missing file cannot be opened. */
START_TEST(notes_are_a_file) {
    char wanted[256];
    const char *path = scratch_path("pipe");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(!sa_page_text_check(&(sa_page_text){"t", path, NULL}, "page.html", &error));
    snprintf(wanted, sizeof wanted, "--notes: '%s' is read twice, so it must be a regular file",
             path);
    ck_assert_str_eq(error.text, wanted);
    path = scratch_path("none");
    ck_assert(!sa_page_text_check(&(sa_page_text){"t", path, NULL}, "page.html", &error));
    snprintf(wanted, sizeof wanted, "cannot open '%s': No such file or directory", path);
    ck_assert_str_eq(error.text, wanted);
}
END_TEST

START_TEST(texts_need_a_page) {
    const sa_page_text texts[] = {{.title = "t"}, {.notes = "n"}, {.open_at = "layer=1"}};
    ck_assert(sa_page_text_check(&(sa_page_text){0}, NULL, &error));
    for (int i = 0; i < 3; i++) {
        ck_assert(!sa_page_text_check(&texts[i], NULL, &error));
        ck_assert_str_eq(error.text, "--title, --notes and --open-at need --html FILE");
    }
    static const sa_page_text wrong[] = {{.title = "\xff"}, {.open_at = "\xff"}, {.notes = "-"}};
    static const char *const messages[] = {
        "--title: not UTF-8", "--open-at: not UTF-8",
        "--notes: '-' is read twice, so it must be a regular file"};
    for (int i = 0; i < 3; i++) {
        ck_assert(!sa_page_text_check(&wrong[i], "page.html", &error));
        ck_assert_str_eq(error.text, messages[i]);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("page_text", &tests);
    tcase_add_unchecked_fixture(tests, scratch_make, scratch_remove);
    tcase_add_loop_test(tests, notes_become_blocks, 0, NOTES);
    tcase_add_test(tests, the_given_title_comes_first);
    tcase_add_loop_test(tests, places_are_on_the_page, 0, PLACES);
    tcase_add_test(tests, notes_are_a_file);
    tcase_add_test(tests, texts_need_a_page);
    return suite_run(suite);
}
