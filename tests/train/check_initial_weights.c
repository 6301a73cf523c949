/* Weights that a training begins with: those of another model, whose words it extends, and word
 * vectors; what is said about them and what is refused. */
#include "base/container.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "train/session.h"

#include <math.h>

static char first_model[160];

/* The first file has two source and three target words; two and three are new in the second. */
static void train_first(void) {
    static const char pairs[] = "a b\tx y w\nb\ty w\na\tx w\nb a\ty x w\n",
                      more[] = "a b\tx y\nc b\ty z\na\tx\nd a\tu t x\n";
    set_up();
    scratch_write(train_path, pairs, sizeof pairs - 1);
    scratch_write(scratch_path("more"), more, sizeof more - 1);
    sa_settings settings = small_settings();
    settings.steps = 3;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    snprintf(first_model, sizeof first_model, "%s/first", scratch);
    char best[160];
    snprintf(best, sizeof best, "%s/best.safetensors", out_path);
    ck_assert_int_eq(rename(best, first_model), 0);
}

/* A training that moves no weight far: one step of a tiny rate. */
static sa_settings still_settings(void) {
    sa_settings settings = small_settings();
    settings.steps = 1, settings.lr = 1e-9;
    ck_assert(sa_settings_set(&settings, "optimizer", "sgd", &error));
    return settings;
}

static bool train_more(sa_train_options training) {
    sa_train_result outcome;
    training.train = scratch_path("more"), training.out = out_path, training.report = take_note;
    training.overwrite = true;
    *notes = 0;
    return sa_train(&training, &outcome, &error);
}

/* By which several processes see that they begin with the same file. */
START_TEST(a_training_knows_the_file_that_it_continues) {
    sa_container file;
    sa_session session;
    const sa_settings settings = still_settings();
    const char *more = scratch_path("more");
    const sa_train_options training = {.settings = &settings,
                                       .train = more,
                                       .out = out_path,
                                       .overwrite = true,
                                       .init_from = first_model};
    ck_assert_msg(sa_container_open(&file, first_model, 1, NULL, &error), "%s", error.text);
    ck_assert_msg(sa_session_open(&session, &training, &error), "%s", error.text);
    ck_assert_uint_eq(session.checksum, file.checksum);
    ck_assert_uint_ne(session.checksum, 0);
    sa_session_close(&session);
    sa_container_close(&file);
}
END_TEST

START_TEST(all_weights_are_kept) {
    sa_container from, to;
    const sa_settings settings = still_settings();
    ck_assert_msg(train_more((sa_train_options){.settings = &settings, .init_from = first_model}),
                  "%s", error.text);
    ck_assert_msg(sa_container_open(&from, first_model, 1, NULL, &error), "%s", error.text);
    ck_assert_msg(sa_container_open(&to, last_path, 1, NULL, &error), "%s", error.text);
    size_t kept = 0, added = 0, grown = 0;
    for (size_t i = 0; i < from.count; i++) {
        const sa_tensor *old = &from.tensors[i], *new = sa_container_find(&to, old->name);
        if (old->type != SA_F32) continue;
        ck_assert_msg(new != NULL, "no %s", old->name);
        ck_assert_uint_ge(new->size, old->size);
        kept += old->size / sizeof(float), added += (new->size - old->size) / sizeof(float);
        grown += new->size > old->size;
        for (size_t k = 0; k < old->size / sizeof(float); k++) {
            float was, is;
            memcpy(&was, (const char *)old->data + k * sizeof was, sizeof was);
            memcpy(&is, (const char *)new->data + k * sizeof is, sizeof is);
            ck_assert_msg(fabs((double)was - (double)is) < 1e-6, "%s, number %zu: %g, was %g",
                          old->name, k, (double)is, (double)was);
        }
    }
    char note[400];
    snprintf(note, sizeof note,
             "weights of '%s': all %zu are kept; 2 source and 3 target words are new, with %zu "
             "weights; optimizer and schedule start anew",
             first_model, kept, added);
    ck_assert_msg(strstr(notes, note) != NULL, "%s\ninstead of\n%s", notes, note);
    ck_assert_uint_eq(grown, 4); /* the embeddings, and the weights and biases of the output */
    sa_container_close(&from), sa_container_close(&to);
}
END_TEST

START_TEST(another_shape_is_refused) {
    sa_settings settings = still_settings();
    settings.hidden = 5;
    ck_assert(!train_more((sa_train_options){.settings = &settings, .init_from = first_model}));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_msg(
        strstr(error.text, "was trained with --hidden 4, which --init-from cannot change"), "%s",
        error.text);
    settings = still_settings();
    ck_assert(!train_more((sa_train_options){.settings = &settings, .init_from = "none"}));
    ck_assert_int_eq(error.code, SA_OPEN);
}
END_TEST

/* ---- Word vectors ---------------------------------------------------------------------------- */

static const char *vectors(const char *text) {
    const char *path = scratch_path("vectors");
    scratch_write(path, text, strlen(text));
    return path;
}

START_TEST(known_words_get_their_vectors) {
    static const float c[] = {.125f, -.25f, 2, 1}, a[] = {1, 2, 3, 4};
    sa_container file;
    sa_settings settings = still_settings();
    const char *path = vectors("c .125 -.25 2 1\nunheard 9 9 9 9\na 1 2 3 4\n");
    settings.freeze_embeddings = _i;
    ck_assert_msg(train_more((sa_train_options){.settings = &settings, .embeddings = {path}}), "%s",
                  error.text);
    char note[300];
    snprintf(note, sizeof note, "source embeddings: 2 of 4 words found in '%s'%s", path,
             _i & 1 ? "; frozen" : "");
    ck_assert_msg(strstr(notes, note) != NULL, "%s", notes);
    ck_assert(_i & 1 || !strstr(notes, "frozen"));
    ck_assert_msg(sa_container_open(&file, last_path, 1, NULL, &error), "%s", error.text);
    const sa_tensor *E = sa_container_find(&file, "source.E");
    int found = 0;
    for (int row = 0; row < E->shape[0]; row++) {
        float x[4];
        bool is_c = true, is_a = true;
        memcpy(x, (const char *)E->data + (size_t)row * sizeof x, sizeof x);
        for (int k = 0; k < 4; k++)
            is_c = is_c && fabs((double)(x[k] - c[k])) < 1e-6,
            is_a = is_a && fabs((double)(x[k] - a[k])) < 1e-6;
        found += is_c + is_a;
    }
    ck_assert_int_eq(found, 2);
    sa_container_close(&file);
}
END_TEST

START_TEST(vectors_of_no_word_are_refused) {
    static const char *const sides[] = {"source", "target"};
    const sa_settings settings = still_settings();
    const char *path = vectors("unheard 9 9 9 9\n");
    char wanted[200];
    sa_train_options training = {.settings = &settings};
    training.embeddings[_i] = path;
    ck_assert(!train_more(training));
    snprintf(wanted, sizeof wanted, "%s: none of the %s words is in it", path, sides[_i]);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_DATA);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("initial_weights", &tests);
    tcase_add_checked_fixture(tests, train_first, scratch_remove);
    tcase_add_test(tests, a_training_knows_the_file_that_it_continues);
    tcase_add_test(tests, all_weights_are_kept);
    tcase_add_test(tests, another_shape_is_refused);
    tcase_add_loop_test(tests, known_words_get_their_vectors, 0, 4);
    tcase_add_loop_test(tests, vectors_of_no_word_are_refused, 0, 2);
    return suite_run(suite);
}
