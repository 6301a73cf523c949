/* Attention, explanations, gradient checks, proofs and pictures while calls for memory fail, each
 * alone and with all later ones: no block is lost, and the error names memory. */
#include "lab/lab.h"
#include "report/figure.h"
#include "support/memory_failures.h"
#include "support/small_training.h"
#include "support/suite.h"

static sa_model *model;

static void open_model(const char *options) {
    sa_settings settings = small_settings();
    settings.ffn = 4, settings.steps = 1;
    set_all(&settings, options);
    ck_assert_msg(train(&settings, false), "%s", error.text);
    model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
}

/* ---- Attention on numbers -------------------------------------------------------------------- */

static sa_attend_options attending;

static bool attend_it(sa_error *why) {
    sa_attend_result out;
    if (!sa_attend(&attending, &out, why)) return false;
    sa_attend_result_release(&out);
    return true;
}

START_TEST(attention_without_memory) {
    static const double numbers[] = {1, 0, 0, 2, 1, 1, 3, 4};
    const sa_table x = {"x", 4, 2, numbers};
    attending = (sa_attend_options){.attention = SA_ATTENTION_GAUSSIAN,
                                    .heads = 1,
                                    .bandwidth = SA_BANDWIDTH_FIT,
                                    .degree = 1,
                                    .query = x,
                                    .keys = x,
                                    .values = x};
    ck_assert_int_eq(fail_allocations(attend_it), 0);
    attending = (sa_attend_options){.heads = 1, .values = x, .weights = {"w", 2, 4, numbers}};
    ck_assert_int_eq(fail_allocations(attend_it), 0);
}
END_TEST

/* ---- Explanations ---------------------------------------------------------------------------- */

static sa_explain_options explaining;
static int values;

static void count(void *context, const sa_explain_pair *pair, const sa_explain_value *value) {
    (void)context, (void)pair;
    values += value != NULL;
}

static bool explain_it(sa_error *why) {
    values = 0;
    const bool good = sa_explain(model, &explaining, why);
    ck_assert(!good || values > 9);
    return good;
}

START_TEST(explanations_without_memory) {
    static const sa_explain_options options[] = {
        {.source = "w1 zork", .step = 1},
        {.source = "w1 zork", .target = "v1", .step = 1, .layer = 1}};
    open_model(_i ? "model=transformer attention=scaled-dot" : "copy=yes");
    explaining = options[_i], explaining.each = count;
    ck_assert_int_eq(fail_allocations(explain_it), 0);
    sa_model_close(model);
}
END_TEST

/* ---- Gradients and proofs -------------------------------------------------------------------- */

static sa_settings checked;
static const char *broken;

/* Of the largest element of each tensor; a fault that is found is what is wanted. */
static bool check_it(sa_error *why) {
    const sa_lab_job job = {.options = {.settings = &checked, .broken = broken}, .sample = 1 << 20};
    const bool good = sa_lab_check(&job, why);
    return broken ? why->code == SA_CHECK : good;
}

START_TEST(gradients_without_memory) {
    checked = small_settings();
    checked.embed = checked.hidden = checked.attn = checked.maxout = 2;
    ck_assert_int_eq(fail_allocations(check_it), 0);
    broken = "gru.gates";
    ck_assert_int_eq(fail_allocations(check_it), 0);
    broken = NULL;
}
END_TEST

static sa_corpus proven;

static bool prove_it(sa_error *why) {
    return sa_prove(model, &(sa_prove_options){.corpus = &proven, .limit = 2}, why);
}

START_TEST(proofs_without_memory) {
    sa_pair pairs[] = {{.source = "w1 w2", .target = "v2"}, {.source = "w3", .target = "v5 v1"}};
    proven = (sa_corpus){.pairs = pairs, .count = 2, .name = "pairs"};
    open_model("");
    ck_assert_int_eq(fail_allocations(prove_it), 0);
    sa_model_close(model);
}
END_TEST

/* ---- Pictures -------------------------------------------------------------------------------- */

static bool draw_it(sa_error *why) {
    static const char *const words[] = {"a", "b"};
    static const double weights[] = {1, 0, 0.5, 0.5};
    const sa_alignment alignment = {.targets = 2,
                                    .sources = 2,
                                    .heads = 1,
                                    .layers = 1,
                                    .target = words,
                                    .source = words,
                                    .weights = weights};
    sa_drawing drawing;
    const bool good = sa_figure_draw(&alignment, &(sa_figure){0}, &drawing, why);
    sa_drawing_release(&drawing);
    return good;
}

START_TEST(pictures_without_memory) {
    ck_assert_int_eq(fail_allocations(draw_it), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("lab_memory", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_set_timeout(tests, 20);
    tcase_add_test(tests, attention_without_memory);
    tcase_add_loop_test(tests, explanations_without_memory, 0, 2);
    tcase_add_test(tests, gradients_without_memory);
    tcase_add_test(tests, proofs_without_memory);
    tcase_add_test(tests, pictures_without_memory);
    return suite_run(suite);
}
