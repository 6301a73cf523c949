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

/* What a save that was killed left behind. */
START_TEST(temporary_files_are_no_frames) {
    static const char *const names[] = {"0001/.softalign-0123456789abcdef.tmp",
                                        "0002/head-2/.softalign-fedcba9876543210.tmp"};
    run(6, false);
    put(names[0]), put(names[1]);
    put("0001/.softalign-0123.tmp"); /* of something else */
    run(6, true);
    expect_frames();
    ck_assert(!there(names[0]) && !there(names[1]) && there("0001/.softalign-0123.tmp"));
}
END_TEST

/* Returns the number of updates before the film could not be made. */
static int64_t updates_without_film(void) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    settings.heads = 2, settings.steps = 3;
    const sa_train_options training = {.settings = &settings,
                                       .train = train_path,
                                       .out = out_path,
                                       .snapshot_pairs = filmed,
                                       .snapshot_count = 2,
                                       .overwrite = true};
    ck_assert(!sa_train(&training, &outcome, &error));
    return outcome.steps;
}

/* It is begun before the first update. In its way are a link to itself and files. */
START_TEST(a_film_that_cannot_be_made_begins_no_training) {
    static const struct {
        const char *place, *message;
        int code;
    } cases[] = {
        {"film", "/film': Too many levels of symbolic links", SA_IO},
        {"film", "/film/0001': Not a directory", SA_OPEN},
        {"film/0001", "/film/0001/head-1': Not a directory", SA_OPEN},
        {"film/0001/head-2", "/film/0001/head-2/': Not a directory", SA_OPEN},
    };
    for (int i = 0; i < 4; i++) {
        char path[256];
        const char *folder = scratch_path("out/film/0001");
        snprintf(path, sizeof path, "%s/%s", out_path, cases[i].place);
        mkdir(out_path, 0777), mkdir(scratch_path("out/film"), 0777), mkdir(folder, 0777);
        rmdir(path);
        if (i < 2) rmdir(folder), rmdir(path);
        if (i == 0)
            ck_assert_int_eq(symlink("film", path), 0);
        else
            scratch_write(path, "x", 1);
        ck_assert_int_eq(updates_without_film(), 0);
        ck_assert_msg(strstr(error.text, cases[i].message), "%d: %s", i, error.text);
        ck_assert_int_eq(error.code, cases[i].code);
        ck_assert_int_eq(access(last_path, F_OK), -1);
        ck_assert_int_eq(unlink(path), 0);
    }
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

static void hinder(void *context, const sa_progress *progress) {
    take_note(context, progress);
    char path[256];
    snprintf(path, sizeof path, "%s/checkpoints/00000099.safetensors", out_path);
    if (progress->kind == SA_PROGRESS_VALIDATION) mkdir(path, 0777);
}

/* In the middle of a training, too, that is an error that may pass: it goes on, and tells why. */
START_TEST(a_model_that_cannot_be_removed_later) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    char wanted[256];
    const sa_train_options training = {
        .settings = &settings, .train = train_path, .out = out_path, .report = hinder};
    settings.steps = 9, settings.keep = 1;
    *notes = 0;
    ck_assert(!sa_train(&training, &outcome, &error));
    ck_assert_int_eq(outcome.steps, 9);
    snprintf(wanted, sizeof wanted, "cannot tidy up '%s/checkpoints': Is a directory", out_path);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_IO);
    ck_assert_ptr_nonnull(strstr(notes, "Is a directory; training goes on"));
}
END_TEST

/* A file is in the place of their folder. */
START_TEST(models_that_cannot_be_kept) {
    sa_settings settings = small_settings();
    char path[192], wanted[256];
    settings.keep = 1;
    ck_assert_int_eq(mkdir(out_path, 0777), 0);
    snprintf(path, sizeof path, "%s/checkpoints", out_path);
    scratch_write(path, "x", 1);
    ck_assert(!train(&settings, false));
    snprintf(wanted, sizeof wanted, "cannot open '%s/': Not a directory", path);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_OPEN);
}
END_TEST

static sig_atomic_t stop;

static void stop_early(void *context, const sa_progress *progress) {
    (void)context;
    stop = progress->kind == SA_PROGRESS_VALIDATION;
}

/* Weights without a validation are saved when a user stops, but not kept. */
START_TEST(a_stop_keeps_no_model) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    const sa_train_options training = {.settings = &settings,
                                       .train = train_path,
                                       .out = out_path,
                                       .report = stop_early,
                                       .stop = &stop};
    settings.keep = 5, settings.valid_every = 1;
    stop = 0;
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    ck_assert_str_eq(outcome.reason, "stopped");
    ck_assert_str_eq(kept(), "1 ");
    stop = 1;
    settings.seed = 2;
    ck_assert_msg(train_with((sa_train_options){.settings = &settings, .stop = &stop}), "%s",
                  error.text);
    ck_assert_str_eq(kept(), "");
    ck_assert_int_eq(access(last_path, F_OK), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("snapshots", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, a_resumed_training_keeps_what_it_knows);
    tcase_add_test(tests, a_new_training_keeps_no_frame);
    tcase_add_test(tests, temporary_files_are_no_frames);
    tcase_add_test(tests, a_film_that_cannot_be_made_begins_no_training);
    tcase_add_test(tests, a_single_head_has_no_frames_of_its_own);
    tcase_add_test(tests, other_numbers_are_no_frames);
    tcase_add_test(tests, frames_show_the_attention);
    tcase_add_test(tests, the_newest_models_are_kept);
    tcase_add_test(tests, a_lower_rate_moves_less);
    tcase_add_test(tests, a_model_that_cannot_be_removed);
    tcase_add_test(tests, a_model_that_cannot_be_removed_later);
    tcase_add_test(tests, models_that_cannot_be_kept);
    tcase_add_test(tests, a_stop_keeps_no_model);
    return suite_run(suite);
}
