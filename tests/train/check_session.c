/* A training's state: its notes and reports, the checks of a resumed state, and what is refused
 * before training begins. */
#include "base/container.h"
#include "base/memory.h"
#include "base/thread.h"
#include "inference/model.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/system_failures.h"
#include "train/session.h"

#include <math.h>

/* ---- Notes ----------------------------------------------------------------------------------- */

/* Updates before this run, and at its end. */
typedef struct expected {
    int64_t first, last;
    double before; /* seconds that the caller counts, too */
    int validations;
} expected;

static void check_left(void *context, const sa_progress *progress) {
    expected *run = context;
    if (progress->kind != SA_PROGRESS_VALIDATION) return;
    run->validations++;
    const double each =
        (progress->spent.seconds - run->before) / (double)(progress->step - run->first);
    ck_assert_double_eq_tol(progress->seconds_left, each * (double)(run->last - progress->step),
                            1e-9);
}

START_TEST(time_left_follows_the_speed_of_this_run) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    expected run = {.last = 20};
    sa_train_options training = {.settings = &settings,
                                 .train = train_path,
                                 .out = out_path,
                                 .report = check_left,
                                 .context = &run};
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    ck_assert_int_eq(run.validations, 7); /* 3 to 18, and the stop */
    run = (expected){.first = 20, .last = 40, .before = 1000};
    settings.steps = 40;
    training.resume = true, training.spent.seconds = 1000;
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    ck_assert_int_eq(run.validations, 8); /* 21 to 39, and the stop */
}
END_TEST

static volatile sig_atomic_t stopped;

static void check_unknown(void *context, const sa_progress *progress) {
    if (progress->kind != SA_PROGRESS_VALIDATION) return;
    ck_assert_double_lt(progress->seconds_left, 0);
    stopped = 1;
}

START_TEST(time_left_is_unknown_without_limits) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    settings.steps = 0;
    ck_assert_msg(sa_train(&(sa_train_options){.settings = &settings,
                                               .train = train_path,
                                               .out = out_path,
                                               .report = check_unknown,
                                               .stop = &stopped},
                           &outcome, &error),
                  "%s", error.text);
    ck_assert(stopped);
}
END_TEST

/* Only the options of the run may be others. */
START_TEST(resuming_changes_no_setting) {
    char wanted[256];
    sa_settings settings = small_settings();
    settings.shards = 2;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    settings.shards = 0, settings.threads = 2, settings.steps = 21; /* 0: as they are */
    ck_assert_msg(train(&settings, true), "%s", error.text);
    settings.hidden = 5;
    ck_assert(!train(&settings, true));
    snprintf(wanted, sizeof wanted,
             "--hidden: '%s' was trained with --hidden 4, which resuming cannot change", last_path);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_USAGE);
}
END_TEST

/* One killed after its last validation has nothing left to do, and tells nothing twice. */
START_TEST(a_training_that_is_over_adds_nothing) {
    sa_settings settings = small_settings();
    settings.steps = 18;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    size_t before_size, size;
    char *before = scratch_read(scratch_path("out/log.csv"), &before_size);
    ck_assert_msg(train(&settings, true), "%s", error.text);
    char *after = scratch_read(scratch_path("out/log.csv"), &size);
    ck_assert_uint_eq(size, before_size);
    ck_assert_mem_eq(after, before, size);
    free(before), free(after);
}
END_TEST

static size_t column_of(const char *head, const char *name) {
    size_t column = 0;
    const char *at = strstr(head, name);
    ck_assert_ptr_nonnull(at);
    for (; head < at; head++) column += *head == ',';
    return column;
}

/* The rate that was saved is what the rows of the log ask for: a cut by half after every second
 * (third ..) validation in a row that was not the best. A high rate makes many of them. */
START_TEST(the_rate_waits_for_its_patience) {
    sa_settings settings = small_settings();
    settings.steps = 60, settings.lr = 0.3, settings.lr_decay = 0.5, settings.lr_patience = _i;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    size_t size;
    char *log = scratch_read(scratch_path("out/log.csv"), &size), *rest = log;
    const size_t best = column_of(log, "best");
    double wanted = 1, saved[SA_STATE_FIGURES];
    int rows = 0, stale = 0;
    for (char *line = strsep(&rest, "\n"); (line = strsep(&rest, "\n")) && *line; rows++) {
        char *field = NULL;
        for (size_t i = 0; i <= best; i++) field = strsep(&line, ",");
        stale = *field == '1' ? 0 : stale + 1;
        if (stale && stale % _i == 0) wanted /= 2;
    }
    ck_assert_int_eq(rows, 20);
    ck_assert_double_lt(wanted, 1);
    sa_container file;
    ck_assert(sa_container_open(&file, last_path, 1, NULL, &error));
    const sa_tensor *figures = sa_container_find(&file, "training.figures");
    ck_assert_uint_eq(figures->size, sizeof saved);
    memcpy(saved, figures->data, sizeof saved);
    ck_assert_double_eq(saved[SA_STATE_FIGURE(lr_factor)], wanted);
    sa_container_close(&file);
    free(log);
}
END_TEST

/* ---- Guided alignment, sub-words ------------------------------------------------------------- */

START_TEST(guided_alignment_needs_alignments) {
    sa_settings settings = small_settings();
    char wanted[256];
    settings.guided_alignment = 0.5;
    ck_assert(!train_with((sa_train_options){.settings = &settings}));
    ck_assert_int_eq(error.code, SA_DATA);
    snprintf(wanted, sizeof wanted,
             "%s: --guided-alignment needs the links of every pair: in a third column, or in a "
             "file named by --alignments",
             train_path);
    ck_assert_str_eq(error.text, wanted);
    const sa_train_options training = {.settings = &settings, .alignments = scratch_path("links")};
    ck_assert(!train_with(training));
    ck_assert_int_eq(error.code, SA_OPEN);
    sa_buffer links = {0};
    for (int i = 0; i < 60; i++) sa_buffer_adds(&links, "0-1 1-0\n");
    scratch_write(training.alignments, links.text, links.size);
    ck_assert_msg(train_with(training), "%s", error.text);
    sa_buffer_release(&links);
}
END_TEST

/* ---- Several processes ----------------------------------------------------------------------- */

static void gather_nothing(void *items, size_t size, int count) {
    (void)items, (void)size, (void)count;
}

static void sum_nothing(sa_real *numbers, size_t size,
                        void (*add)(void *context, size_t at, size_t size), void *context) {
    (void)numbers, (void)size, (void)add, (void)context;
}

/* On more cores than a batch may have shards the model can still be opened again. */
START_TEST(no_more_shards_than_a_model_may_have) {
    const char *host = "a";
    sa_exchange alone = {.size = 1,
                         .threads = 1,
                         .cores = 1000,
                         .where = "1 process on 1 host",
                         .hosts = &host,
                         .gather = gather_nothing,
                         .sum = sum_nothing};
    sa_settings settings = small_settings();
    settings.shards = 0;
    sa_session_processes = &alone;
    const bool good = train(&settings, false);
    sa_session_processes = NULL;
    ck_assert_msg(good, "%s", error.text);
    sa_model *model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model, "%s", error.text);
    ck_assert_int_eq(model->trained.shards, SA_MAX_THREADS);
    sa_model_close(model);
}
END_TEST

/* ---- What is refused ------------------------------------------------------------------------- */

START_TEST(settings_beyond_their_range) {
    sa_settings settings = small_settings();
    const sa_gradcheck_options check = {.settings = &settings};
    settings.hidden = 0;
    ck_assert(!train(&settings, false));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_str_eq(error.text, "--hidden '0': expected a whole number from 1 to 8192");
    settings = small_settings();
    settings.attention = 99;
    ck_assert(!sa_check_gradients(&check, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    settings.attention = 0;
    settings.dropout = NAN;
    ck_assert(!sa_check_gradients(&check, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_int_eq(access(out_path, F_OK), -1);
}
END_TEST

START_TEST(a_model_larger_than_its_file_may_be) {
    sa_settings settings = small_settings();
    settings.embed = settings.hidden = 8192;
    ck_assert(!train(&settings, false));
    ck_assert_int_eq(error.code, SA_LIMIT);
    const sa_tensor huge = {.name = "huge", .type = SA_F64, .rank = 1, .shape = {INT32_MAX}};
    ck_assert(!sa_container_write(last_path, &huge, 1, NULL, 0, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_int_eq(access(last_path, F_OK), -1);
}
END_TEST

/* Its own weights would fit, with those of the last hundred validations they do not. */
START_TEST(more_mean_weights_than_a_file_may_hold) {
    sa_settings settings = small_settings();
    settings.embed = 8192, settings.hidden = 128, settings.average = 100;
    ck_assert(!train(&settings, false));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_msg(strstr(error.text, " bytes in training, with those for --average; a file holds"),
                  "%s", error.text);
    ck_assert_int_eq(access(last_path, F_OK), -1);
}
END_TEST

/* The steps are so wide that the model gives no probabilities; what was saved before stays. */
START_TEST(a_training_that_diverges) {
    sa_settings settings = small_settings();
    size_t size, again;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    char *before = scratch_read(last_path, &size);
    settings.lr = 1e9;
    settings.steps = 1000;
    ck_assert(!train(&settings, false));
    ck_assert_int_eq(error.code, SA_DIVERGED);
    char *after = scratch_read(last_path, &again);
    ck_assert_uint_eq(size, again);
    ck_assert_mem_eq(before, after, size);
    free(before), free(after);
}
END_TEST

/* Ten batches in a row end a training, which saves nothing. */
START_TEST(a_training_without_finite_gradients) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    const sa_train_options training = {
        .settings = &settings, .train = train_path, .out = out_path, .report = take_note};
    settings.lr = 1e9, settings.clip = 0, settings.steps = 1000, settings.valid_every = 1000;
    set_all(&settings, "optimizer=sgd");
    *notes = 0;
    ck_assert(!sa_train(&training, &outcome, &error));
    ck_assert_int_eq(error.code, SA_DIVERGED);
    ck_assert_str_eq(error.text, "training diverged: 10 batches in a row without a finite gradient "
                                 "(a smaller --lr or --clip helps)");
    char note[96];
    for (int64_t k = 1; k <= 10; k++) { /* the last one ends the training */
        snprintf(note, sizeof note, "note: update %lld had no finite gradient and was left out",
                 (long long)(outcome.steps - 10 + k));
        ck_assert_msg((strstr(notes, note) != NULL) == (k < 10), "%s", notes);
    }
    ck_assert_int_eq(access(last_path, F_OK), -1);
}
END_TEST

static void expect_as_it_was(const sa_model *model, const sa_tensor *more, size_t count,
                             const char *tensor) {
    size_t size, again;
    char message[64], *before = scratch_read(last_path, &size);
    ck_assert(!sa_model_write(model, last_path, more, count, &error));
    ck_assert_int_eq(error.code, SA_DIVERGED);
    snprintf(message, sizeof message, "tensor '%s' is not finite any more", tensor);
    ck_assert_msg(strncmp(error.text, message, strlen(message)) == 0, "%s", error.text);
    char *after = scratch_read(last_path, &again);
    ck_assert_uint_eq(size, again);
    ck_assert_mem_eq(before, after, size);
    free(before), free(after);
}

/* Such a file could not be read again. The loss need not show it: no pair may read the number. */
START_TEST(numbers_that_are_not_finite) {
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    sa_settings settings = small_settings();
    ck_assert_msg(train(&settings, false), "%s", error.text);
    sa_model *model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model, "%s", error.text);
    const sa_param *param = &model->plan.item[_i];
    sa_real *last = model->values + param->offset + sa_param_size(param) - 1;
    const sa_real good = *last;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        *last = odd[i];
        expect_as_it_was(model, NULL, 0, param->name);
        *last = good;
        const float memory[] = {0, odd[i]};
        const sa_tensor more = {
            .name = "optimizer.first", .type = SA_F32, .rank = 1, .shape = {2}, .data = memory};
        expect_as_it_was(model, &more, 1, "optimizer.first");
    }
    ck_assert_msg(sa_model_write(model, last_path, NULL, 0, &error), "%s", error.text);
    sa_model_close(model);
}
END_TEST

/* ---- A disk that is full for a while --------------------------------------------------------- */

static char *bytes_of(const char *name, size_t *size) {
    char path[64];
    snprintf(path, sizeof path, "out/%s", name);
    return scratch_read(scratch_path(path), size);
}

/* Whichever save fails, the training goes on, and in the end its files are those of one that had no
 * trouble. */
START_TEST(a_save_that_fails_is_tried_again) {
    static const char *const names[] = {"best.safetensors", "last.safetensors"};
    sa_settings settings = small_settings();
    char *wanted[2];
    size_t size[2], got;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    for (int i = 0; i < 2; i++) wanted[i] = bytes_of(names[i], &size[i]);
    plan_failure("renameat", _i + 1, ENOSPC);
    const bool good = train_with((sa_train_options){.settings = &settings});
    ck_assert_int_le(plan.when, 0);
    ck_assert_msg(good, "%s", error.text);
    ck_assert_msg(strstr(notes, ": No space left on device; training goes on") != NULL, "%s",
                  notes);
    for (int i = 0; i < 2; i++) {
        char *file = bytes_of(names[i], &got);
        ck_assert_uint_eq(got, size[i]);
        ck_assert_mem_eq(file, wanted[i], got);
        free(file), free(wanted[i]);
    }
}
END_TEST

static void move_away(void *context, const sa_progress *progress) {
    if (progress->kind == SA_PROGRESS_VALIDATION) rename(out_path, context);
}

/* Only an error that may pass is survived. */
START_TEST(a_folder_that_goes_away_ends_a_training) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    char wanted[200], moved[128];
    strcpy(moved, scratch_path("moved"));
    snprintf(wanted, sizeof wanted, "cannot open '%s/': No such file or directory", out_path);
    const sa_train_options training = {.settings = &settings,
                                       .train = train_path,
                                       .out = out_path,
                                       .report = move_away,
                                       .context = moved};
    ck_assert(!sa_train(&training, &outcome, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_str_eq(error.text, wanted);
}
END_TEST

/* A frame of an earlier moment cannot be made later: the rest is saved, and the end tells of it. A
 * film has the frames of which it has the mean of the heads, so that is written last. */
START_TEST(a_frame_that_is_lost) {
    sa_settings settings = small_settings();
    const sa_pair pair = {.source = "w1 w0", .target = "v0 v1"};
    settings.heads = 2;
    plan_failure("renameat", 5, ENOSPC); /* of the second head in the second frame */
    ck_assert(!train_with(
        (sa_train_options){.settings = &settings, .snapshot_pairs = &pair, .snapshot_count = 1}));
    ck_assert_int_eq(error.code, SA_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "/head-2/00000003.csv': No space left on device"));
    ck_assert_int_eq(access(scratch_path("out/film/0001/head-1/00000003.csv"), F_OK), 0);
    ck_assert_int_ne(access(scratch_path("out/film/0001/00000003.csv"), F_OK), 0);
    ck_assert_int_eq(access(scratch_path("out/film/0001/00000020.csv"), F_OK), 0);
    ck_assert_int_eq(access(last_path, F_OK), 0);
}
END_TEST

/* ---- A folder that holds a training ---------------------------------------------------------- */

START_TEST(a_training_is_not_replaced_unasked) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    sa_train_options training = {.settings = &settings, .train = train_path, .out = out_path};
    size_t size, again;
    settings.steps = 3;
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    char *before = bytes_of("last.safetensors", &size);
    settings.seed = 2;
    ck_assert(!sa_train(&training, &outcome, &error));
    ck_assert_int_eq(error.code, SA_BUSY);
    ck_assert_ptr_nonnull(strstr(error.text, "' holds a training (last.safetensors): --resume"));
    char *after = bytes_of("last.safetensors", &again);
    ck_assert(size == again && memcmp(before, after, size) == 0);
    free(before), free(after);
    training.resume = training.overwrite = true;
    ck_assert(!sa_train(&training, &outcome, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    training.resume = false;
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
}
END_TEST

/* ---- OpenBLAS -------------------------------------------------------------------------------- */

static int flavor = 1; /* serial, with threads, with OpenMP */
int __wrap_openblas_get_parallel(void);
int __wrap_openblas_get_parallel(void) {
    return flavor;
}

/* Two threads at once get wrong products from a serial OpenBLAS, and changing ones with OpenMP. */
START_TEST(one_thread_where_openblas_allows_no_more) {
    sa_settings settings = small_settings();
    settings.threads = 3;
    flavor = _i;
    ck_assert(train_with((sa_train_options){.settings = &settings}));
    ck_assert(!strstr(notes, "one thread is used") == (flavor == 1));
    ck_assert_ptr_nonnull(strstr(notes, flavor == 1 ? "3 threads" : ", 1 thread"));
    settings.threads = 1; /* all that was asked for */
    ck_assert(train_with((sa_train_options){.settings = &settings}));
    ck_assert_ptr_null(strstr(notes, "one thread is used"));
    flavor = 1;
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("session", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_loop_test(tests, a_save_that_fails_is_tried_again, 0, 21);
    tcase_add_test(tests, a_folder_that_goes_away_ends_a_training);
    tcase_add_test(tests, a_frame_that_is_lost);
    tcase_add_test(tests, a_training_is_not_replaced_unasked);
    tcase_add_test(tests, time_left_follows_the_speed_of_this_run);
    tcase_add_test(tests, time_left_is_unknown_without_limits);
    tcase_add_test(tests, a_training_that_is_over_adds_nothing);
    tcase_add_loop_test(tests, the_rate_waits_for_its_patience, 1, 4);
    tcase_add_test(tests, guided_alignment_needs_alignments);
    tcase_add_test(tests, resuming_changes_no_setting);
    tcase_add_loop_test(tests, one_thread_where_openblas_allows_no_more, 0, 3);
    tcase_add_test(tests, no_more_shards_than_a_model_may_have);
    tcase_add_test(tests, settings_beyond_their_range);
    tcase_add_test(tests, a_model_larger_than_its_file_may_be);
    tcase_add_test(tests, more_mean_weights_than_a_file_may_hold);
    tcase_add_test(tests, a_training_that_diverges);
    tcase_add_test(tests, a_training_without_finite_gradients);
    tcase_add_loop_test(tests, numbers_that_are_not_finite, 0, 3);
    return suite_run(suite);
}
