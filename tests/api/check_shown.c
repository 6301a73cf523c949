/* Copies of alignments, and pages made of them. */
#include "metrics/linking.h"
#include "support/small_training.h"
#include "support/suite.h"

static const char *words[2] = {"a@@", "b"};
static double many[5 * 4]; /* the mean, and four heads */
static sa_alignment alignment;
static sa_page *page;

static void prepare(void) {
    set_up();
    for (int i = 0; i < 20; i++) many[i] = 1. / (3 + i);
    alignment = (sa_alignment){.targets = 2,
                               .sources = 2,
                               .heads = 4,
                               .layers = 1,
                               .target = words,
                               .source = words,
                               .weights = many};
    page = sa_page_open("title", "model", NULL, &error);
    ck_assert_ptr_nonnull(page);
}

static void finish(void) {
    sa_page_close(page);
    scratch_remove();
}

static void expect_usage(bool good, const char *message) {
    ck_assert_msg(!good && error.code == SA_USAGE && strstr(error.text, message), "%d '%s'",
                  (int)error.code, error.text);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static const double p[2] = {-0.25, -1.5};
static const bool unknown[2] = {false, true};

START_TEST(a_copy_has_the_same_bits_in_memory_of_its_own) {
    sa_alignment copy;
    alignment.log_probability = -1.75;
    alignment.token_log_probabilities = alignment.generation_probabilities = p;
    alignment.source_unknown = unknown;
    ck_assert_msg(sa_alignment_copy(&alignment, &copy, &error), "%s", error.text);
    ck_assert_ptr_ne(copy.weights, many);
    ck_assert_uint_eq(sa_alignment_size(&copy), 20);
    ck_assert_mem_eq(copy.weights, many, sizeof many);
    ck_assert_mem_eq(copy.token_log_probabilities, p, sizeof p);
    ck_assert_mem_eq(copy.generation_probabilities, p, sizeof p);
    ck_assert_mem_eq(copy.source_unknown, unknown, sizeof unknown);
    ck_assert_ptr_null(copy.target_unknown);
    ck_assert_double_eq(copy.log_probability, -1.75);
    ck_assert_int_eq(copy.targets, 2);
    ck_assert_str_eq(copy.target[0], "a@@"); /* no word is merged with the next */
    ck_assert_str_eq(copy.source[1], "b");
    sa_alignment_release(&copy);
}
END_TEST

/* ---- Pages ----------------------------------------------------------------------------------- */

static bool add(const char *gold) {
    return sa_page_add_alignment(page, &alignment, SA_SITE_CROSS, gold, &error);
}

START_TEST(texts_stay_texts) {
    static const char *evil[2] = {"</script><b>", "\" onload=\"x"};
    alignment.source = evil;
    ck_assert_msg(add("0-0"), "%s", error.text);
    sa_page_close(page);
    page = sa_page_open("<i>", "\xff&", NULL, &error);
    ck_assert(page && add("0-0"));
    const char *html = sa_page_html(page, &error);
    ck_assert_ptr_nonnull(html);
    ck_assert_ptr_nonnull(strstr(html, "\\u003c/script\\u003e\\u003cb\\u003e"));
    ck_assert_ptr_nonnull(strstr(html, "\\u003ci\\u003e"));
    ck_assert_ptr_null(strstr(html, "</script><b>"));
    ck_assert_ptr_null(strstr(html, "<i>"));
    ck_assert_ptr_eq(sa_page_html(page, &error), html);
}
END_TEST

/* Zero layers, as in an alignment that was only cleared, are one. */
START_TEST(layers_need_not_be_told) {
    sa_buffer first = {0};
    for (alignment.layers = 1; alignment.layers >= 0; alignment.layers--) {
        ck_assert_msg(add("0-0"), "%s", error.text);
        ck_assert_ptr_eq(sa_alignment_weights(&alignment, 1, 4), many + 16);
        ck_assert_ptr_null(sa_alignment_weights(&alignment, 2, 1));
        const char *html = sa_page_html(page, &error);
        ck_assert_ptr_nonnull(strstr(html, "\"heads\":\""));
        if (first.text) ck_assert_str_eq(html, first.text);
        sa_buffer_adds(&first, html);
        sa_page_close(page);
        page = sa_page_open("title", "model", NULL, &error);
    }
    sa_buffer_release(&first);
}
END_TEST

START_TEST(what_does_not_fit_is_refused) {
    static const char *bad[2] = {"\xff", "b"};
    sa_settings settings = small_settings();
    settings.attention = 77;
    expect_usage(sa_page_open("title", "model", &settings, &error), "attention");
    ck_assert(!add("1-0") && error.code == SA_DATA); /* the last word is EOS */
    ck_assert(!add("x") && error.code == SA_DATA);
    alignment.target = bad;
    expect_usage(add(NULL), "'alignment->target[0]' is not UTF-8");
    alignment.target = words, alignment.heads = 0;
    expect_usage(add(NULL), "alignment->heads");
    alignment.heads = 1, alignment.weights = NULL;
    expect_usage(add(NULL), "alignment->weights");
    ck_assert(!sa_page_add_training(page, out_path, &error) && error.code == SA_OPEN);
    ck_assert_ptr_nonnull(sa_page_html(page, &error));
    alignment.weights = many;
    expect_usage(add(NULL), "'page' is complete");
}
END_TEST

/* ---- Comparison ------------------------------------------------------------------------------ */

static volatile sig_atomic_t stop;
static int ends;

static void stop_at_the_first(void *context, const sa_progress *progress) {
    (void)context;
    ends += !progress;
    if (progress && progress->kind == SA_PROGRESS_VALIDATION) stop = 1;
}

START_TEST(a_comparison_is_resumed) {
    sa_compare_result result;
    sa_settings settings = small_settings();
    settings.steps = 6;
    sa_compare_options comparing = {.train = train_path,
                                    .test = train_path,
                                    .models = "fixed,transformer",
                                    .out = out_path,
                                    .settings = &settings,
                                    .seeds = 1,
                                    .html = strcpy(last_path, scratch_path("page.html")),
                                    .report = stop_at_the_first,
                                    .stop = &stop};
    ck_assert_msg(sa_compare(&comparing, &result, &error), "%s", error.text);
    ck_assert(result.stopped && !result.table && !result.json);
    ck_assert_int_eq(ends, 1);
    stop = 0, comparing.report = NULL;
    ck_assert_msg(sa_compare(&comparing, &result, &error), "%s", error.text);
    ck_assert(!result.stopped && strstr(result.json, "\"fixed\""));
    ck_assert_ptr_nonnull(strstr(result.table, "transformer"));
    sa_compare_result_release(&result);
    settings.steps = 7;
    ck_assert(!sa_compare(&comparing, &result, &error) && error.code == SA_BUSY);
    comparing.seeds = 0;
    expect_usage(sa_compare(&comparing, &result, &error), "seeds");
    comparing.seeds = 1, comparing.train = "-";
    expect_usage(sa_compare(&comparing, &result, &error), "standard input");
    const sa_compare_options whole = comparing;
    static const char *const names[] = {"train", "test", "models", "out", "settings"};
    for (int i = 0; i < 5; i++) {
        comparing = whole;
        *(i == 0   ? &comparing.train
          : i == 1 ? &comparing.test
          : i == 2 ? &comparing.models
                   : &comparing.out) = NULL;
        if (i == 4) comparing.out = whole.out, comparing.settings = NULL;
        expect_usage(sa_compare(&comparing, &result, &error), names[i]);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("shown", &tests);
    tcase_add_checked_fixture(tests, prepare, finish);
    tcase_set_timeout(tests, 20);
    tcase_add_test(tests, a_copy_has_the_same_bits_in_memory_of_its_own);
    tcase_add_test(tests, texts_stay_texts);
    tcase_add_test(tests, layers_need_not_be_told);
    tcase_add_test(tests, what_does_not_fit_is_refused);
    tcase_add_test(tests, a_comparison_is_resumed);
    return suite_run(suite);
}
