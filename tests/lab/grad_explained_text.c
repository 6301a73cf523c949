/* sa_lab_explain: the sections, names, equations and citations of all values of all models, as
 * tests/golden/explanations.txt has them, each once. A change of that file is to be read. */
#include "base/file.h"
#include "base/memory.h"
#include "support/explained_values.h"
#include "support/suite.h"

static const char *const subjects[] = {"", "source", "vocabulary", "target"};

/* Appends a line, if it has not been seen before. */
static void add_new(const struct line *one, sa_buffer *out) {
    sa_buffer text = {0};
    const sa_explain_value *value = &one->head;
    if (*one->section) sa_buffer_addf(&text, "== %s\n", one->section);
    if (*one->equation) sa_buffer_addf(&text, "%s [%s]\n", one->equation, one->citation);
    sa_buffer_addf(&text, "    %s: %s, %s\n", one->name, one->letters,
                   value->shape == SA_SHAPE_NUMBER   ? "a number"
                   : value->shape == SA_SHAPE_VECTOR ? "a vector"
                                                     : subjects[value->about]);
    if (!out->text || !strstr(out->text, text.text)) sa_buffer_adds(out, text.text);
    sa_buffer_release(&text);
}

static void add_all(const sa_explain_options *options, sa_buffer *out) {
    ck_assert(explain_with(options, NULL));
    for (int i = 0; i < count; i++) add_new(&lines[i], out);
    release();
    numbers_open();
}

/* Two steps of a recurrent model, or every attention of a layer of another one. */
static void add_model(sa_settings chosen, sa_buffer *out) {
    static const sa_explain_options options[] = {{.step = 1},
                                                 {.step = 2},
                                                 {.step = 2, .layer = 1, .site = SA_SITE_CROSS},
                                                 {.step = 2, .layer = 1, .site = SA_SITE_ENCODER},
                                                 {.step = 2, .layer = 1, .site = SA_SITE_DECODER}};
    static const int first[] = {0, 2, 4}, end[] = {2, 5, 5}; /* of each family */
    for (int k = first[chosen.model]; k < end[chosen.model]; k++) {
        settings = chosen;
        add_all(&options[k], out);
    }
}

/* Options whose texts depend on each other. */
static const struct {
    int model;
    const char *options[4][2];
} combined[] = {
    {SA_MODEL_RECURRENT, {{"encoder", "none"}, {"positions", "sinusoidal"}}},
    {SA_MODEL_RECURRENT, {{"encoder", "none"}, {"decoder", "fixed"}}},
    {SA_MODEL_RECURRENT, {{"encoder", "uni"}, {"decoder", "fixed"}}},
    {SA_MODEL_RECURRENT, {{"encoder", "uni"}, {"decoder-init", "backward"}}},
    {SA_MODEL_RECURRENT, {{"layers", "2"}, {"decoder-layers", "2"}, {"decoder-init", "last"}}},
    {SA_MODEL_TRANSFORMER, {{"attention", "general"}, {"positions", "rope"}}},
    {SA_MODEL_TRANSFORMER, {{"merged", "yes"}, {"norm", "pre"}}},
    {SA_MODEL_TRANSFORMER, {{"merged", "yes"}, {"norm", "post"}}},
};

/* Of every option alone, and of these. */
START_TEST(texts_stay) {
    sa_file file;
    sa_error error;
    sa_buffer all = {0};
    for (int i = 0; i < count_models(); i++) add_model(variant_settings(i), &all);
    for (size_t i = 0; i < sizeof combined / sizeof *combined; i++) {
        sa_settings chosen = small_of(combined[i].model);
        for (int k = 0; k < 4 && combined[i].options[k][0]; k++)
            ck_assert_msg(sa_settings_set(&chosen, combined[i].options[k][0],
                                          combined[i].options[k][1], &error),
                          "%s", error.text);
        ck_assert_msg(sa_settings_check(&chosen, &error), "%s", error.text);
        add_model(chosen, &all);
    }
    ck_assert(
        sa_file_read(&file, TEST_ROOT "/tests/golden/explanations.txt", SA_FILE_LIMIT, &error));
    char *text = sa_copy(file.data, file.size, &error);
    size_t at = 0, line = 0; /* where they begin to differ, and the beginning of that line */
    for (; all.text[at] && all.text[at] == text[at]; at++)
        if (all.text[at] == '\n') line = at + 1;
    if (all.text[at] != text[at]) {
        FILE *out = fopen("explanations.txt", "w");
        ck_assert(out && fputs(all.text, out) >= 0 && fclose(out) == 0);
        ck_abort_msg(
            "'%.99s' is not '%.99s': explanations.txt in the folder of the tests has all of it",
            all.text + line, text + line);
    }
    free(text);
    sa_file_release(&file);
    sa_buffer_release(&all);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("explained_text", &tests);
    tcase_add_checked_fixture(tests, numbers_open, release);
    tcase_add_test(tests, texts_stay);
    return suite_run(suite);
}
