/* A training's state: what is told of it, what of it is believed when it is taken up again, and
 * what is refused before it begins. */
#include "base/container.h"
#include "base/memory.h"
#include "session.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <math.h>
#include <softalign.h>

static sa_error error;
static char train_path[128], out_path[128], last_path[160];

static void set_up(void) {
    sa_buffer text = {0};
    for (int i = 0; i < 60; i++) sa_buffer_addf(&text, "w%d w%d\tv%d v%d\n", i, i / 2, i / 2, i);
    scratch_make();
    strcpy(train_path, scratch_path("train.tsv"));
    strcpy(out_path, scratch_path("out"));
    snprintf(last_path, sizeof last_path, "%s/last.safetensors", out_path);
    scratch_write(train_path, text.text, text.size);
    sa_buffer_release(&text);
}

static sa_settings small_settings(void) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.embed = settings.hidden = settings.attn = settings.maxout = 4;
    settings.shards = 1;
    settings.threads = 1;
    settings.max_time = 0;
    settings.epochs = 0;
    settings.patience = 0;
    settings.steps = 20;
    settings.valid_every = 3;
    return settings;
}

static bool train(const sa_settings *settings, bool resume) {
    sa_outcome outcome;
    const sa_training training = {
        .settings = settings, .train = train_path, .out = out_path, .resume = resume};
    return sa_train(&training, &outcome, &error);
}

/* ---- What is told ---------------------------------------------------------------------------- */

/* Updates before this run, and at its end. */
typedef struct expected {
    int64_t first, last;
    int validations;
} expected;

static void check_left(void *context, const sa_progress *progress) {
    expected *run = context;
    if (progress->kind != SA_VALIDATION) return;
    run->validations++;
    const double each = progress->spent.seconds / (double)(progress->step - run->first);
    ck_assert_double_eq_tol(progress->seconds_left, each * (double)(run->last - progress->step),
                            1e-9);
}

START_TEST(time_left_follows_the_speed_of_this_run) {
    sa_settings settings = small_settings();
    sa_outcome outcome;
    expected run = {.last = 20};
    sa_training training = {.settings = &settings,
                            .train = train_path,
                            .out = out_path,
                            .report = check_left,
                            .context = &run};
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    ck_assert_int_eq(run.validations, 7); /* 3 to 18, and the stop */
    run = (expected){.first = 20, .last = 40};
    settings.steps = 40;
    training.resume = true;
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    ck_assert_int_eq(run.validations, 8); /* 21 to 39, and the stop */
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
    double wanted = 1, saved[SA_FIGURE_COUNT];
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
    ck_assert(sa_container_open(&file, last_path, &error));
    const sa_tensor *figures = sa_container_find(&file, "training.figures");
    ck_assert_uint_eq(figures->size, sizeof saved);
    memcpy(saved, figures->data, sizeof saved);
    ck_assert_double_eq(saved[SA_FIGURE_RATE], wanted);
    sa_container_close(&file);
    free(log);
}
END_TEST

/* ---- What is believed ------------------------------------------------------------------------ */

static const sa_tensor *tensor_of(const sa_container *file, const char *name) {
    const sa_tensor *tensor = sa_container_find(file, name);
    ck_assert_ptr_nonnull(tensor);
    return tensor;
}

/* Writes the last model again with number i of a tensor replaced. */
static void alter(const char *name, size_t i, const void *number) {
    sa_container file;
    ck_assert(sa_container_open(&file, last_path, &error));
    const sa_tensor *tensor = tensor_of(&file, name);
    const size_t size = sa_types[tensor->type].size;
    ck_assert_uint_le((i + 1) * size, tensor->size);
    memcpy(file.bytes + ((const char *)tensor->data - file.bytes) + i * size, number, size);
    static const char *const keys[] = {"settings", "spaced_marks", "core", "program"};
    sa_text texts[4];
    for (int k = 0; k < 4; k++) texts[k] = (sa_text){keys[k], sa_container_text(&file, keys[k])};
    ck_assert(sa_container_write(last_path, file.tensors, file.count, texts, 4, &error));
    sa_container_close(&file);
}

static const struct count {
    int place;
    int64_t number;
    bool good;
} counts[] = {
    {SA_AT_STEP, -1, false},           {SA_AT_STEP, INT64_MAX, false},
    {SA_AT_APPLIED, INT64_MIN, false}, {SA_AT_WORDS, INT64_MAX, false},
    {SA_AT_BAD, INT32_MAX, false},     {SA_AT_BAD, (int64_t)1 << 32, false},
    {SA_AT_EPOCH, INT32_MAX, false},   {SA_AT_EPOCH, -1, false},
    {SA_AT_POSITION, 1000, false},     {SA_AT_ROWS, -5, false},
    {SA_AT_STALE, 1 << 20, true},      {SA_AT_EPOCH, 1 << 30, true},
};

START_TEST(impossible_counts_are_refused) {
    const sa_settings settings = small_settings();
    ck_assert_msg(train(&settings, false), "%s", error.text);
    alter("training.at", (size_t)counts[_i].place, &counts[_i].number);
    const bool good = train(&settings, true);
    ck_assert_msg(good == counts[_i].good, "%s", error.text);
    if (!good) ck_assert_int_eq(error.code, SA_DATA);
}
END_TEST

static const struct memory {
    const char *tensor;
    float number;
} memories[] = {
    {"optimizer.first", NAN}, {"optimizer.first", -INFINITY}, {"optimizer.second", NAN},
    {"optimizer.second", -1}, {"optimizer.second", INFINITY},
};

START_TEST(damaged_memories_are_refused) {
    const sa_settings settings = small_settings();
    ck_assert_msg(train(&settings, false), "%s", error.text);
    alter(memories[_i].tensor, 7, &memories[_i].number);
    ck_assert(!train(&settings, true));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_ptr_nonnull(strstr(error.text, "number 7"));
}
END_TEST

/* ---- What is refused ------------------------------------------------------------------------- */

START_TEST(settings_beyond_their_range) {
    sa_settings settings = small_settings();
    const sa_gradcheck check = {.settings = &settings};
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

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("session", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, time_left_follows_the_speed_of_this_run);
    tcase_add_test(tests, a_training_that_is_over_adds_nothing);
    tcase_add_loop_test(tests, the_rate_waits_for_its_patience, 1, 4);
    tcase_add_loop_test(tests, impossible_counts_are_refused, 0, sizeof counts / sizeof *counts);
    tcase_add_loop_test(tests, damaged_memories_are_refused, 0, sizeof memories / sizeof *memories);
    tcase_add_test(tests, settings_beyond_their_range);
    tcase_add_test(tests, a_model_larger_than_its_file_may_be);
    tcase_add_test(tests, a_training_that_diverges);
    return suite_run(suite);
}
