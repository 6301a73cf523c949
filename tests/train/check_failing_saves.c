/* Trainings whose saves fail, once, for a while or to the end: what goes on, what is saved in the
 * end, and what is said. */
#include "support/small_training.h"
#include "support/suite.h"
#include "support/system_failures.h"

/* ---- A disk that is full --------------------------------------------------------------------- */

static int failures;      /* of saves that are still to come */
static bool leaves;       /* the folder goes away after the last of them */
static char moved[128];   /* where it goes */
static int bests, others; /* validations that were the best so far, and those that were not */

/* Each failure is told of; then the next one is planned. */
static void fail_again(void *context, const sa_progress *progress) {
    take_note(context, progress);
    if (progress->kind == SA_PROGRESS_VALIDATION)
        bests += progress->best, others += !progress->best;
    if (progress->kind != SA_PROGRESS_NOTE || !strstr(progress->note, "training goes on")) return;
    if (--failures > 0) plan_failure("renameat", 1, ENOSPC);
    if (!failures && leaves) ck_assert_int_eq(rename(out_path, moved), 0);
}

/* Trains while the first saves fail. */
static bool train_failing(const sa_settings *settings, int saves, sa_error *why) {
    sa_train_result outcome;
    const sa_train_options training = {.settings = settings,
                                       .train = train_path,
                                       .out = out_path,
                                       .report = fail_again,
                                       .overwrite = true};
    failures = saves, bests = others = 0;
    *notes = 0;
    plan_failure(saves ? "renameat" : NULL, 1, ENOSPC);
    const bool good = sa_train(&training, &outcome, why);
    plan_failure(NULL, 0, 0);
    return good;
}

static char *bytes_of(const char *name, size_t *size) {
    char path[64];
    snprintf(path, sizeof path, "out/%s", name);
    return scratch_read(scratch_path(path), size);
}

static bool there(const char *name) {
    char path[192];
    snprintf(path, sizeof path, "%s/%s", out_path, name);
    return access(path, F_OK) == 0;
}

/* As long as it cannot be saved, the best model is kept in memory, whether the models after it are
 * better, and take its place, or worse. */
START_TEST(the_best_model_waits_for_the_disk) {
    static const char *const names[] = {"best.safetensors", "last.safetensors"};
    sa_settings settings = small_settings();
    char *wanted[2];
    size_t size[2], got;
    settings.lr = _i ? 0.3 : 0.01;
    ck_assert_msg(train_failing(&settings, 0, &error), "%s", error.text);
    for (int k = 0; k < 2; k++) wanted[k] = bytes_of(names[k], &size[k]);
    ck_assert_int_eq(bests + others, 7);
    ck_assert(_i ? bests > 0 && others > 1 : bests == 7);
    for (int saves = 2; saves <= 7; saves += _i ? 1 : 5) {
        ck_assert_msg(train_failing(&settings, saves, &error), "%s", error.text);
        ck_assert_int_eq(failures, 0);
        for (int k = 0; k < 2; k++) {
            char *file = bytes_of(names[k], &got);
            ck_assert_uint_eq(got, size[k]);
            ck_assert_msg(memcmp(file, wanted[k], got) == 0, "%s after %d", names[k], saves);
            free(file);
        }
    }
    free(wanted[0]), free(wanted[1]);
}
END_TEST

/* The last save is tried twice; then the reason is the error, if anyone asks for it. */
START_TEST(a_disk_that_stays_full_fails_in_the_end) {
    const sa_settings settings = small_settings();
    char wanted[256];
    snprintf(wanted, sizeof wanted, "cannot write '%s/best.safetensors': No space left on device",
             out_path);
    for (int asks = 1; asks >= 0; asks--) {
        ck_assert(!train_failing(&settings, 1000, asks ? &error : NULL));
        ck_assert_int_eq(failures, 1000 - 8); /* 6 validations, the last one, once more */
        ck_assert(!there("best.safetensors") && !there("last.safetensors"));
    }
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_IO);
}
END_TEST

/* That is an error of another kind, which ends the training at once. */
START_TEST(a_folder_that_goes_away_before_the_last_save) {
    sa_settings settings = small_settings();
    char wanted[256];
    strcpy(moved, scratch_path("moved"));
    snprintf(wanted, sizeof wanted, "cannot open '%s/': No such file or directory", out_path);
    settings.steps = 1; /* so that the only validation is that of the end */
    leaves = true;
    const bool good = train_failing(&settings, 1, &error);
    leaves = false;
    ck_assert(!good);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_OPEN);
}
END_TEST

static void move_away(void *context, const sa_progress *progress) {
    (void)context;
    if (progress->kind == SA_PROGRESS_VALIDATION) rename(out_path, moved);
}

START_TEST(an_error_that_nobody_asks_for) {
    const sa_settings settings = small_settings();
    sa_train_result outcome;
    const sa_train_options training = {
        .settings = &settings, .train = train_path, .out = out_path, .report = move_away};
    strcpy(moved, scratch_path("moved"));
    ck_assert(!sa_train(&training, &outcome, NULL));
    ck_assert_int_eq(outcome.steps, 6); /* the second validation finds no folder */
}
END_TEST

/* ---- What is in the way ---------------------------------------------------------------------- */

START_TEST(mean_weights_that_cannot_be_written) {
    sa_settings settings = small_settings();
    char path[192], wanted[256];
    ck_assert_int_eq(mkdir(out_path, 0777), 0);
    snprintf(path, sizeof path, "%s/average.safetensors", out_path);
    snprintf(wanted, sizeof wanted, "cannot write '%s': Is a directory", path);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    settings.average = 2;
    ck_assert(!train_with((sa_train_options){.settings = &settings}));
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_IO);
    ck_assert_ptr_null(strstr(notes, "mean weights"));
    ck_assert(there("best.safetensors") && there("last.safetensors"));
}
END_TEST

/* The old training stays: nothing of the new one would stand next to a part of it. */
START_TEST(an_old_training_that_cannot_be_removed_stays) {
    static const char *const names[] = {"best.safetensors", "last.safetensors", "log.csv"};
    sa_settings settings = small_settings();
    char film[192], wanted[256], *before[3];
    size_t size[3], got;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    for (int k = 0; k < 3; k++) before[k] = bytes_of(names[k], &size[k]);
    snprintf(film, sizeof film, "%s/film", out_path);
    snprintf(wanted, sizeof wanted, "cannot tidy up '%s': Too many levels of symbolic links", film);
    ck_assert_int_eq(symlink("film", film), 0);
    settings.seed = 2;
    ck_assert(!train_with((sa_train_options){.settings = &settings}));
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_IO);
    for (int k = 0; k < 3; k++) {
        char *after = bytes_of(names[k], &got);
        ck_assert_uint_eq(got, size[k]);
        ck_assert_mem_eq(after, before[k], got);
        free(after), free(before[k]);
    }
}
END_TEST

/* Whichever of its files cannot be removed at first, in the end there is only the new training. */
START_TEST(an_old_training_is_removed_later) {
    sa_settings settings = small_settings();
    size_t size, got;
    settings.seed = 2;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    char *wanted = bytes_of("best.safetensors", &size);
    for (int which = 1; which <= 4; which++) {
        settings.seed = 1, settings.average = 2;
        ck_assert_msg(train(&settings, false), "%s", error.text);
        settings.seed = 2, settings.average = 0;
        plan_failure("unlink", which, EPERM);
        const bool good = train_with((sa_train_options){.settings = &settings});
        ck_assert_msg(good, "%s", error.text);
        ck_assert_int_le(plan.when, 0);
        ck_assert_ptr_nonnull(strstr(notes, "': Operation not permitted; training goes on"));
        ck_assert(!there("average.safetensors"));
        char *file = bytes_of("best.safetensors", &got);
        ck_assert_uint_eq(got, size);
        ck_assert_mem_eq(file, wanted, size);
        free(file);
    }
    free(wanted);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("failing_saves", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_loop_test(tests, the_best_model_waits_for_the_disk, 0, 2);
    tcase_add_test(tests, a_disk_that_stays_full_fails_in_the_end);
    tcase_add_test(tests, a_folder_that_goes_away_before_the_last_save);
    tcase_add_test(tests, an_error_that_nobody_asks_for);
    tcase_add_test(tests, mean_weights_that_cannot_be_written);
    tcase_add_test(tests, an_old_training_that_cannot_be_removed_stays);
    tcase_add_test(tests, an_old_training_is_removed_later);
    return suite_run(suite);
}
