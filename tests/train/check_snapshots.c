/* The frames that a training records of some pairs, and the models that it keeps: which there are,
 * what they show, and which a later run removes. */
#include "report/matrix.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <sys/stat.h>
#include <unistd.h>

static const sa_pair filmed[] = {{.source = "w1 w2", .target = "v1 v2"},
                                 {.source = "w3", .target = "v4"}};

static void run_keeping(int steps, bool resume, int keep) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    settings.heads = 2, settings.steps = steps, settings.keep = keep;
    const sa_train_options training = {.settings = &settings,
                                       .train = train_path,
                                       .out = out_path,
                                       .snapshot_pairs = filmed,
                                       .snapshot_count = 2,
                                       .resume = resume,
                                       .overwrite = !resume};
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
}

static void run(int steps, bool resume) {
    run_keeping(steps, resume, 0);
}

static const char *in_film(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/film/%s", out_path, name);
    return path;
}

static bool there(const char *name) {
    return access(in_film(name), F_OK) == 0;
}

static void put(const char *name) {
    scratch_write(in_film(name), "x", 1);
}

/* In every folder: the frames of updates 0, 3 and 6, and no other. */
static void expect_frames(void) {
    static const char *const folders[] = {"0001", "0001/head-1", "0001/head-2", "0002/head-2"};
    for (int i = 0; i < 4; i++)
        for (int step = 0; step < 12; step++) {
            char name[64];
            snprintf(name, sizeof name, "%s/%08d.csv", folders[i], step);
            ck_assert_msg(there(name) == (step % 3 == 0 && step <= 6), "%s", name);
        }
    ck_assert(!there("0001/head-3") && !there("0003"));
}

START_TEST(a_resumed_training_keeps_what_it_knows) {
    run(6, false);
    expect_frames();
    put("0001/00000007.csv"), put("0001/head-1/00000099.csv"), put("0002/00000100.csv");
    put("0001/note.txt"), put("0001/0000003.csv"), put("0001/00000003.csv.old");
    mkdir(in_film("0007"), 0777), put("0007/00000009.csv"); /* of another run */
    mkdir(in_film("007"), 0777), put("007/00000009.csv");   /* not of a film: too few digits */
    put("0008");                                            /* no folder */
    run(6, true);
    expect_frames();
    ck_assert(!there("0001/head-1/00000099.csv") && !there("0002/00000100.csv"));
    ck_assert(there("0001/note.txt") && there("0001/0000003.csv"));
    ck_assert(there("0001/00000003.csv.old") && there("007/00000009.csv") && there("0008"));
    ck_assert(!there("0007"));
}
END_TEST

START_TEST(a_new_training_keeps_no_frame) {
    run(6, false);
    put("0002/00000012.csv");
    mkdir(in_film("0003"), 0777), put("0003/00000000.csv");
    mkdir(in_film("0001/head-7"), 0777), put("0001/head-7/00000000.csv");
    run(6, false);
    expect_frames();
    ck_assert(!there("0003") && !there("0001/head-7") && !there("0002/00000012.csv"));
}
END_TEST

/* It would be the mean once more. */
START_TEST(a_single_head_has_no_frames_of_its_own) {
    sa_settings settings = small_settings();
    settings.steps = 3;
    ck_assert_msg(train_with((sa_train_options){
                      .settings = &settings, .snapshot_pairs = filmed, .snapshot_count = 2}),
                  "%s", error.text);
    ck_assert(there("0001/00000003.csv") && there("0002/00000003.csv"));
    ck_assert(!there("0001/head-1") && !there("0002/head-1"));
}
END_TEST

/* A number has at least eight digits, and no more than an int64_t holds. */
START_TEST(other_numbers_are_no_frames) {
    run(6, false);
    put("0001/0000000000000000007.csv"), put("0001/000000000000000007.csv"); /* 19 and 18 digits */
    put("0001/0000007.csv"), put("0001/head-1/00000007.CSV");
    mkdir(in_film("0001/head-x"), 0777), put("0001/head-x/00000007.csv");
    run(6, true);
    expect_frames();
    ck_assert(there("0001/0000000000000000007.csv") && !there("0001/000000000000000007.csv"));
    ck_assert(there("0001/0000007.csv") && there("0001/head-1/00000007.CSV"));
    ck_assert(there("0001/head-x/00000007.csv"));
}
END_TEST

/* Compares the frames after the last update with the attention of the last model. */
static bool expect_matrices(void *context, size_t index, const sa_alignment *alignment,
                            sa_error *why) {
    (void)why;
    for (int head = 0; head <= 2; head++) {
        char name[64], folder[32] = "";
        size_t size;
        sa_buffer wanted = {0};
        sa_alignment own = *alignment;
        own.weights = sa_alignment_weights(alignment, 0, head);
        sa_matrix_csv(&own, false, &wanted);
        if (head) snprintf(folder, sizeof folder, "/head-%d", head);
        snprintf(name, sizeof name, "%04zu%s/00000006.csv", index + 1, folder);
        char *frame = scratch_read(in_film(name), &size);
        ck_assert_str_eq(frame, wanted.text);
        free(frame);
        sa_buffer_release(&wanted);
    }
    ++*(int *)context;
    return true;
}

START_TEST(frames_show_the_attention) {
    int seen = 0;
    run(6, false);
    sa_model *model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    ck_assert(sa_align(model, NULL, filmed, 2, expect_matrices, &seen, &error));
    ck_assert_int_eq(seen, 2);
    sa_model_close(model);
}
END_TEST

/* ---- Models that are kept -------------------------------------------------------------------- */

/* Returns the updates after which models are kept, in order. */
static const char *kept(void) {
    static char steps[128];
    *steps = 0;
    for (int step = 0; step < 40; step++) {
        char path[256];
        snprintf(path, sizeof path, "%s/checkpoints/%08d.safetensors", out_path, step);
        if (access(path, F_OK) == 0) sprintf(steps + strlen(steps), "%d ", step);
    }
    return steps;
}

/* The newest, that of the end included; a training that goes on does not know the one of its end.
 */
START_TEST(the_newest_models_are_kept) {
    char path[256];
    size_t size[2];
    run_keeping(6, false, 0);
    ck_assert_str_eq(kept(), "");
    run_keeping(10, false, 2); /* validations after 3, 6, 9 and at the end */
    ck_assert_str_eq(kept(), "9 10 ");
    snprintf(path, sizeof path, "%s/checkpoints/notes.txt", out_path);
    scratch_write(path, "mine", 4);
    snprintf(path, sizeof path, "%s/checkpoints/00000030.safetensors", out_path);
    scratch_write(path, "of another", 10);
    run_keeping(15, true, 3);
    ck_assert_str_eq(kept(), "9 12 15 ");
    snprintf(path, sizeof path, "%s/checkpoints/notes.txt", out_path);
    ck_assert_int_eq(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/checkpoints/00000015.safetensors", out_path);
    sa_model *model = sa_model_open(path, 1, &error), *last = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model && last, "%s", error.text);
    const char *name;
    int rows, cols;
    const float *x;
    for (size_t i = 0; (x = sa_model_tensor(last, i, &name, &rows, &cols)); i++)
        ck_assert_mem_eq(sa_model_tensor(model, i, &name, &rows, &cols), x,
                         (size_t)(rows ? rows : 1) * (size_t)cols * sizeof *x);
    sa_model_close(model), sa_model_close(last);
    char *file = scratch_read(path, &size[0]), *whole = scratch_read(last_path, &size[1]);
    ck_assert_uint_lt(size[0], size[1]); /* without the state of the training */
    free(file), free(whole);
    run_keeping(6, false, 1);
    ck_assert_str_eq(kept(), "6 ");
}
END_TEST

/* Validations that are not the best lower the rate, here soon to one that moves no weight. */
START_TEST(a_lower_rate_moves_less) {
    sa_settings settings = small_settings();
    settings.lr = 0.3, settings.lr_decay = 0.01, settings.lr_patience = 1;
    settings.steps = 60, settings.keep = 20;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    sa_model *last = sa_model_open(last_path, 1, &error);
    int moved = 0, same = 0;
    for (int step = 3; step < 60; step += 3) {
        char path[256];
        const char *name;
        int rows, cols;
        bool equal = true;
        const float *x;
        snprintf(path, sizeof path, "%s/checkpoints/%08d.safetensors", out_path, step);
        sa_model *model = sa_model_open(path, 1, &error);
        ck_assert_msg(model != NULL, "%s", error.text);
        for (size_t i = 0; (x = sa_model_tensor(last, i, &name, &rows, &cols)); i++)
            equal &= memcmp(sa_model_tensor(model, i, &name, &rows, &cols), x,
                            (size_t)(rows ? rows : 1) * (size_t)cols * sizeof *x) == 0;
        ck_assert(equal || !same);
        moved += !equal, same += equal;
        sa_model_close(model);
    }
    ck_assert(moved > 0 && same > 1);
    sa_model_close(last);
}
END_TEST

START_TEST(a_model_that_cannot_be_removed) {
    char path[256], wanted[300];
    run_keeping(3, false, 1);
    snprintf(path, sizeof path, "%s/checkpoints", out_path);
    snprintf(wanted, sizeof wanted, "cannot tidy up '%s': Is a directory", path);
    strcat(path, "/00000099.safetensors");
    ck_assert_int_eq(mkdir(path, 0700), 0);
    sa_settings settings = small_settings();
    settings.heads = 2, settings.steps = 6, settings.keep = 1;
    ck_assert(!train(&settings, true));
    ck_assert_int_eq(error.code, SA_IO);
    ck_assert_str_eq(error.text, wanted);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("snapshots", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, a_resumed_training_keeps_what_it_knows);
    tcase_add_test(tests, a_new_training_keeps_no_frame);
    tcase_add_test(tests, a_single_head_has_no_frames_of_its_own);
    tcase_add_test(tests, other_numbers_are_no_frames);
    tcase_add_test(tests, frames_show_the_attention);
    tcase_add_test(tests, the_newest_models_are_kept);
    tcase_add_test(tests, a_lower_rate_moves_less);
    tcase_add_test(tests, a_model_that_cannot_be_removed);
    return suite_run(suite);
}
