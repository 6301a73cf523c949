/* Resuming: which files of a training are accepted, and what is reported. */
#include "base/container.h"
#include "base/memory.h"
#include "support/memory_failures.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "train/session.h"

#include <math.h>

/* Forcing to the disk costs nothing here. */
int fsync(int fd) {
    (void)fd;
    return 0;
}

static sa_session opened;

/* ---- What is believed ------------------------------------------------------------------------ */

static const sa_tensor *tensor_of(const sa_container *file, const char *name) {
    const sa_tensor *tensor = sa_container_find(file, name);
    ck_assert_ptr_nonnull(tensor);
    return tensor;
}

/* Writes the last model again, with the first `count` of its texts. */
static void rewrite(sa_container *file, size_t count) {
    static const char *const keys[] = {"settings", "spaced_marks", "program", "core"};
    sa_metadata texts[4];
    for (int k = 0; k < 4; k++)
        texts[k] = (sa_metadata){keys[k], sa_container_metadata(file, keys[k])};
    ck_assert(sa_container_write(last_path, file->tensors, file->count, texts, count, &error));
    sa_container_close(file);
}

/* The last model with number i of a tensor replaced. */
static void alter(const char *name, size_t i, const void *number) {
    sa_container file;
    ck_assert(sa_container_open(&file, last_path, 1, NULL, &error));
    const sa_tensor *tensor = tensor_of(&file, name);
    const size_t size = sa_dtypes[tensor->type].size;
    ck_assert_uint_le((i + 1) * size, tensor->size);
    memcpy(file.memory + ((const char *)tensor->data - file.memory) + i * size, number, size);
    rewrite(&file, 4);
}

/* The last model without a tensor, whose rank it returns. */
static int drop(const char *name) {
    sa_container file;
    ck_assert(sa_container_open(&file, last_path, 1, NULL, &error));
    const size_t at = (size_t)(tensor_of(&file, name) - file.tensors);
    const int rank = file.tensors[at].rank;
    memmove(file.tensors + at, file.tensors + at + 1, (--file.count - at) * sizeof *file.tensors);
    rewrite(&file, 4);
    return rank;
}

static const struct count {
    int place;
    int64_t number;
    bool good;
} counts[] = {
    {SA_STATE_COUNT(batches), -1, false},
    {SA_STATE_COUNT(batches), INT64_MAX, false},
    {SA_STATE_COUNT(updates), INT64_MIN, false},
    {SA_STATE_COUNT(words), INT64_MAX, false},
    {SA_STATE_COUNT(bad_batches), INT32_MAX, false},
    {SA_STATE_COUNT(bad_batches), (int64_t)1 << 32, false},
    {SA_STATE_COUNT(epoch), INT32_MAX, false},
    {SA_STATE_COUNT(epoch), -1, false},
    {SA_STATE_COUNT(position), 1000, false},
    {SA_STATE_COUNT(validations), -5, false},
    {SA_STATE_COUNT(stale), 1 << 20, true},
    {SA_STATE_COUNT(epoch), 1 << 30, true},
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

/* Batches in a row without a finite gradient: an update ends the row. */
START_TEST(bad_batches_are_counted_in_a_row) {
    sa_settings settings = small_settings();
    int64_t bad = 7, saved;
    sa_container file;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    alter("training.at", SA_STATE_COUNT(bad_batches), &bad);
    settings.steps += 3;
    ck_assert_msg(train(&settings, true), "%s", error.text);
    ck_assert(sa_container_open(&file, last_path, 1, NULL, &error));
    memcpy(&saved,
           (const char *)tensor_of(&file, "training.at")->data + 8 * SA_STATE_COUNT(bad_batches),
           8);
    ck_assert_int_eq(saved, 0);
    sa_container_close(&file);
}
END_TEST

/* Each number has a place of its own, in the file and in the training that goes on. */
START_TEST(a_state_is_read_and_written_whole) {
    static const struct count numbers[] = {
        {SA_STATE_COUNT(batches), 23, true},    {SA_STATE_COUNT(updates), 17, true},
        {SA_STATE_COUNT(bad_batches), 7, true}, {SA_STATE_COUNT(epoch), 5, true},
        {SA_STATE_COUNT(position), 14, true},   {SA_STATE_COUNT(stale), 2, true},
        {SA_STATE_COUNT(validations), 4, true}, {SA_STATE_COUNT(words), 42, true},
    };
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    const double rate = 0.25;
    sa_settings settings = small_settings();
    const sa_train_options training = {
        .settings = &settings, .train = train_path, .out = out_path, .resume = true};
    sa_trainer *trainer = &opened.trainer;
    int64_t saved[SA_STATE_COUNTS];
    sa_container file;
    settings.batch = 7; /* an epoch begins with full batches */
    ck_assert_msg(train(&settings, false), "%s", error.text);
    for (int i = 0; i < NUMBERS; i++)
        alter("training.at", (size_t)numbers[i].place, &numbers[i].number);
    alter("training.figures", SA_STATE_FIGURE(lr_factor), &rate);
    ck_assert_msg(sa_session_open(&opened, &training, &error), "%s", error.text);
    ck_assert(trainer->step == 23 && trainer->applied == 17 && trainer->nonfinite == 7);
    ck_assert_int_eq(opened.first_step, 23);
    ck_assert_double_eq(trainer->decay, rate);
    ck_assert(opened.batcher.epoch == 5 && opened.batcher.position == 14);
    trainer->step += 1, trainer->applied += 2, trainer->nonfinite += 3;
    ck_assert_msg(sa_checkpoint_write(&opened, &error), "%s", error.text);
    sa_session_close(&opened);
    ck_assert(sa_container_open(&file, last_path, 1, NULL, &error));
    memcpy(saved, tensor_of(&file, "training.at")->data, sizeof saved);
    for (int i = 0; i < NUMBERS; i++)
        ck_assert_int_eq(saved[numbers[i].place], numbers[i].number + (i < 3 ? i + 1 : 0));
    sa_container_close(&file);
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

static const struct {
    int place;
    double number;
    const char *message; /* NULL: it is taken */
} figures[] = {
    {SA_STATE_FIGURE(best.loss), INFINITY, NULL},
    {SA_STATE_FIGURE(best.loss), NAN, "is not finite at number 0"},
    {SA_STATE_FIGURE(loss), -INFINITY, "is not finite at number 3"},
    {SA_STATE_FIGURE(lr_factor), 1.5, "holds an impossible rate"},
    {SA_STATE_FIGURE(lr_factor), 0, "holds an impossible rate"},
    {SA_STATE_FIGURE(lr_factor), 0.5, NULL},
};

START_TEST(impossible_figures_are_refused) {
    const sa_settings settings = small_settings();
    ck_assert_msg(train(&settings, false), "%s", error.text);
    alter("training.figures", (size_t)figures[_i].place, &figures[_i].number);
    const bool good = train(&settings, true);
    ck_assert_msg(good == !figures[_i].message, "%s", error.text);
    if (good) return;
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_ptr_nonnull(strstr(error.text, figures[_i].message));
}
END_TEST

START_TEST(a_baseline_that_is_no_number_is_refused) {
    sa_settings settings = small_settings();
    const double numbers[] = {-12.5, NAN, -INFINITY};
    settings.attention = SA_ATTENTION_HARD;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    alter("training.baseline", 0, &numbers[_i]);
    ck_assert_msg(train(&settings, true) == (_i == 0), "%s", error.text);
    if (_i) ck_assert_ptr_nonnull(strstr(error.text, "'training.baseline' is not finite"));
}
END_TEST

START_TEST(a_missing_tensor_is_named) {
    static const char *const names[] = {"training.at",         "optimizer.first",
                                        "optimizer.second",    "average.weights",
                                        "average.validations", "training.baseline"};
    sa_settings settings = small_settings();
    settings.attention = SA_ATTENTION_HARD;
    settings.average = 2;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    const bool of_means = strncmp(names[_i], "average.", 8) == 0;
    ck_assert_int_eq(drop(names[_i]), of_means ? 2 : 1);
    ck_assert(!train(&settings, true));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_msg(strstr(error.text, names[_i]) != NULL, "%s", error.text);
}
END_TEST

/* Earlier versions did not save a hash of the links: then they may be others. */
START_TEST(a_state_without_its_links_is_resumed) {
    sa_settings settings = small_settings();
    char links[128], changed[128];
    sa_buffer lines[2] = {{0}, {0}};
    for (int i = 0; i < 60; i++)
        for (int k = 0; k < 2; k++) sa_buffer_adds(&lines[k], k ? "0-0 1-1\n" : "0-1 1-0\n");
    strcpy(links, scratch_path("links")), strcpy(changed, scratch_path("changed"));
    scratch_write(links, lines[0].text, lines[0].size);
    scratch_write(changed, lines[1].text, lines[1].size);
    sa_buffer_release(&lines[0]), sa_buffer_release(&lines[1]);
    settings.guided_alignment = 0.5, settings.steps = 3;
    ck_assert(train_with((sa_train_options){.settings = &settings, .alignments = links}));
    const sa_train_options other = {.settings = &settings, .alignments = changed, .resume = true};
    settings.steps = 6;
    ck_assert(!train_with(other));
    ck_assert_ptr_nonnull(strstr(error.text, "the alignments have changed since"));
    ck_assert_int_eq(drop("training.alignments"), 1);
    ck_assert_msg(train_with(other), "%s", error.text);
}
END_TEST

/* The log says no more than what is there of it: it is no part of the state. Only its header must
 * be there, without which its rows mean nothing. */
START_TEST(the_log_is_taken_as_far_as_it_goes) {
    static const struct {
        const char *log, *left, *message;
    } logs[] = {
        {SA_LOG_HEADER, SA_LOG_HEADER, NULL},
        {SA_LOG_HEADER "1,3\n1,6", SA_LOG_HEADER "1,3\n", NULL},
        {NULL, "", "/log.csv': No such file or directory"},
        {"", "", "/log.csv:1: not the header of a training's log"},
        {"epoch,step\n", "", "/log.csv:1: not the header of a training's log"},
        {"time" SA_LOG_HEADER "1,3\n", "", "/log.csv:1: not the header of a training's log"},
        {"1,3,0.1\n1,6,0.2\n", "", "/log.csv:1: not the header of a training's log"}};
    sa_settings settings = small_settings();
    ck_assert_msg(train(&settings, false), "%s", error.text);
    const char *path = scratch_path("out/log.csv"), *left = logs[_i].left;
    if (logs[_i].log)
        scratch_write(path, logs[_i].log, strlen(logs[_i].log));
    else
        ck_assert_int_eq(unlink(path), 0);
    settings.steps = 23;
    const bool good = train(&settings, true);
    ck_assert_int_eq(good, !logs[_i].message);
    if (!good) {
        ck_assert_int_eq(error.code, logs[_i].log ? SA_DATA : SA_OPEN);
        ck_assert_msg(strstr(error.text, logs[_i].message) != NULL, "%s", error.text);
        return;
    }
    size_t size;
    char *log = scratch_read(scratch_path("out/log.csv"), &size);
    ck_assert_mem_eq(log, left, strlen(left));
    const char *added = log + strlen(left), *more = strchr(added, '\n');
    ck_assert_msg(strstr(added, ",21,") == strchr(added, ','), "%s", added);
    ck_assert_msg(strstr(more, ",23,") == strchr(more, ','), "%s", more); /* the stop */
    free(log);
}
END_TEST

START_TEST(denormal_weights_are_told_of) {
    const sa_settings settings = small_settings();
    const float tiny = 1e-40f;
    char wanted[256];
    ck_assert_msg(train(&settings, false), "%s", error.text);
    alter("source.E", 5, &tiny);
    ck_assert(train_with((sa_train_options){.settings = &settings, .resume = true}));
    snprintf(wanted, sizeof wanted, "note: '%s': 1 denormal numbers are read as zero", last_path);
    ck_assert_msg(strstr(notes, wanted) != NULL, "%s", notes);
}
END_TEST

START_TEST(a_model_of_no_known_processor) {
    const sa_settings settings = small_settings();
    sa_container file;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    ck_assert(sa_container_open(&file, last_path, 1, NULL, &error));
    rewrite(&file, 3);
    ck_assert(train_with((sa_train_options){.settings = &settings, .resume = true}));
    ck_assert_ptr_null(strstr(notes, "processor"));
}
END_TEST

START_TEST(a_model_that_is_not_there) {
    const sa_settings settings = small_settings();
    ck_assert(!train(&settings, true));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_ptr_nonnull(strstr(error.text, "/last.safetensors': No such file or directory"));
}
END_TEST

/* ---- Without memory -------------------------------------------------------------------------- */

static sa_settings starved_settings;
static sa_train_options starved_training;

static bool open_it(sa_error *why) {
    sa_session session;
    bool good = sa_session_open(&session, &starved_training, why);
    if (good && session.log.failed) good = sa_fail_memory(why, 0); /* reported when it is saved */
    sa_session_close(&session);
    return good;
}

/* The CRC-32 of the saved state. */
static uLong saved_sum(void) {
    static unsigned char bytes[1 << 16];
    const int fd = open(last_path, O_RDONLY);
    const ssize_t size = read(fd, bytes, sizeof bytes);
    close(fd);
    return crc32_z(0, bytes, size > 0 ? (size_t)size : 0);
}

static sa_corpus tested;

/* What is checked before a comparison. */
static bool check_it(sa_error *why) {
    return sa_training_check(&starved_training, &tested, true, why);
}

static uLong wanted_sum;

/* The writer of JSON does without some memory: if it leaves something out, this fails. */
static bool save_it(sa_error *why) {
    return sa_checkpoint_write(&opened, why) && saved_sum() == wanted_sum;
}

static bool log_it(sa_error *why) {
    sa_session session = opened;
    session.log = (sa_buffer){0};
    sa_buffer_addf(&session.log, "%300s", "a row");
    const bool good = sa_checkpoint_write(&session, why);
    sa_buffer_release(&session.log);
    return good;
}

/* Few pairs and all that a training can read. */
START_TEST(a_training_without_memory_for_it) {
    static const char pairs[] = "ab ab\tc d\nab b\td\nb ab\tc\n", links[] = "0-0\n0-0\n1-0\n";
    char valid[128], alignments[128];
    strcpy(valid, scratch_path("valid.tsv"));
    strcpy(alignments, scratch_path("links"));
    scratch_write(train_path, pairs, sizeof pairs - 1);
    scratch_write(valid, pairs, sizeof pairs - 1);
    scratch_write(alignments, links, sizeof links - 1);
    starved_settings = small_settings();
    starved_settings.average = 2, starved_settings.guided_alignment = 0.5;
    ck_assert(sa_settings_set(&starved_settings, "tokenizer", "bpe", &error));
    starved_training = (sa_train_options){.settings = &starved_settings,
                                          .overwrite = true,
                                          .train = train_path,
                                          .valid = _i ? valid : NULL,
                                          .alignments = alignments,
                                          .glossaries = "ab",
                                          .out = out_path};
    ck_assert_int_eq(fail_allocations(open_it), 0);
    sa_pair test = {.source = "ab", .target = "c", .gold = "0-0"};
    tested = (sa_corpus){.pairs = &test, .count = 1, .name = "test", .gold = true};
    ck_assert_int_eq(fail_allocations(check_it), 0);
    ck_assert_msg(sa_session_open(&opened, &starved_training, &error), "%s", error.text);
    ck_assert_msg(sa_checkpoint_write(&opened, &error), "%s", error.text);
    wanted_sum = saved_sum();
    fail_allocations(save_it);
    fail_allocations(log_it);
    ck_assert_msg(sa_checkpoint_write(&opened, &error), "%s", error.text); /* the log as it is */
    sa_session_close(&opened);
    starved_training.init_from = last_path;
    ck_assert_int_eq(fail_allocations(open_it), 0);
    starved_training.init_from = NULL;
    starved_training.resume = true, starved_training.overwrite = false;
    ck_assert_int_eq(fail_allocations(open_it), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("checkpoint", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, bad_batches_are_counted_in_a_row);
    tcase_add_test(tests, a_state_is_read_and_written_whole);
    tcase_add_loop_test(tests, impossible_counts_are_refused, 0, sizeof counts / sizeof *counts);
    tcase_add_loop_test(tests, damaged_memories_are_refused, 0, sizeof memories / sizeof *memories);
    tcase_add_loop_test(tests, impossible_figures_are_refused, 0, sizeof figures / sizeof *figures);
    tcase_add_loop_test(tests, a_baseline_that_is_no_number_is_refused, 0, 3);
    tcase_add_loop_test(tests, a_missing_tensor_is_named, 0, 6);
    tcase_add_test(tests, a_state_without_its_links_is_resumed);
    tcase_add_loop_test(tests, the_log_is_taken_as_far_as_it_goes, 0, 7);
    tcase_add_test(tests, denormal_weights_are_told_of);
    tcase_add_test(tests, a_model_of_no_known_processor);
    tcase_add_test(tests, a_model_that_is_not_there);
    tcase_add_loop_test(tests, a_training_without_memory_for_it, 0, 2);
    tcase_set_timeout(tests, 20);
    return suite_run(suite);
}
