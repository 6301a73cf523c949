/* What a training says: notes about pairs and threads, and the loss while it runs. */
#include "support/small_training.h"
#include "support/suite.h"
#include "train/session.h"

#include <math.h>
#include <signal.h>

static volatile sig_atomic_t stop;

/* A model that hardly moves is about as good as chance among 60 words. */
static void watch_loss(void *context, const sa_progress *progress) {
    if (progress->kind != SA_PROGRESS_STEP) return;
    ck_assert_double_gt(progress->loss, log(20));
    ck_assert_double_lt(progress->loss, log(180));
    stop = 1;
}

START_TEST(the_loss_is_told_while_it_trains) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    settings.lr = 1e-9, settings.steps = INT32_MAX, settings.valid_every = 1000000000;
    ck_assert(sa_settings_set(&settings, "optimizer", "sgd", &error));
    stop = 0;
    ck_assert_msg(sa_train(&(sa_train_options){.settings = &settings,
                                               .train = train_path,
                                               .out = out_path,
                                               .report = watch_loss,
                                               .stop = &stop},
                           &outcome, &error),
                  "%s", error.text);
    ck_assert_str_eq(outcome.reason, "stopped");
}
END_TEST

static void train_noting(const sa_settings *settings, bool resume) {
    sa_train_result outcome;
    *notes = 0;
    ck_assert_msg(sa_train(&(sa_train_options){.settings = settings,
                                               .train = train_path,
                                               .out = out_path,
                                               .resume = resume,
                                               .overwrite = !resume,
                                               .report = take_note},
                           &outcome, &error),
                  "%s", error.text);
}

START_TEST(threads_and_shards_are_told) {
    sa_settings settings = small_settings();
    train_noting(&settings, false);
    ck_assert_ptr_nonnull(strstr(notes, "1 shard, 1 thread"));
    ck_assert_ptr_null(strstr(notes, "1 threads"));
    ck_assert_ptr_null(strstr(notes, "resumed"));
    settings.steps = 22;
    train_noting(&settings, true);
    ck_assert_ptr_nonnull(strstr(notes, "1 shard, 1 thread, resumed"));
    settings.threads = settings.shards = 2;
    train_noting(&settings, false);
    ck_assert_msg(strstr(notes, "2 shards, 2 threads") || sysconf(_SC_NPROCESSORS_ONLN) < 2, "%s",
                  notes);
}
END_TEST

/* Two processes with two threads each have more than three shards need. A process has as many as
 * its node gives it only where the settings do not say how many. */
START_TEST(threads_of_all_processes_are_told) {
    static const char *const hosts[] = {"a", "a"};
    sa_exchange two = {
        .size = 2, .threads = 3, .cores = 4, .where = "2 processes on 1 host", .hosts = hosts};
    sa_settings settings = small_settings();
    sa_session session;
    const sa_train_options training = {
        .settings = &settings, .train = train_path, .out = out_path, .report = take_note};
    for (int i = 0; i < 3; i++) {
        settings.threads = i < 2 ? 2 : 0, settings.shards = i ? 4 : 3;
        *notes = 0;
        sa_session_processes = &two;
        const bool good = sa_session_open(&session, &training, &error);
        sa_session_processes = NULL;
        ck_assert_msg(good, "%s", error.text);
        ck_assert_ptr_nonnull(
            strstr(notes, i < 2 ? "shards, 2 processes on 1 host, each with 2 threads"
                                : "shards, 2 processes on 1 host, each with 3 threads"));
        ck_assert_int_eq(strstr(notes, "(updates use 3: see --shards)") != NULL, i == 0);
        sa_session_close(&session);
    }
}
END_TEST

/* 60 pairs are few for a recurrent model of more than 64 units. */
START_TEST(few_pairs_are_told_of) {
    static const struct {
        int model, hidden;
        bool told;
    } cases[] = {{SA_MODEL_RECURRENT, 65, true},
                 {SA_MODEL_RECURRENT, 64, false},
                 {SA_MODEL_TRANSFORMER, 65, false}};
    for (int i = 0; i < 3; i++) {
        sa_settings settings = small_settings();
        settings.model = cases[i].model, settings.hidden = cases[i].hidden, settings.steps = 1;
        train_noting(&settings, false);
        ck_assert_msg(!strstr(notes, "with so few pairs") == !cases[i].told, "%d: %s", i, notes);
    }
}
END_TEST

/* 200 pairs are not few any more. */
START_TEST(few_pairs_are_fewer_than_200) {
    char valid[128], heart[200];
    snprintf(heart, sizeof heart, "to learn so few pairs by heart, add --valid %s", train_path);
    for (int count = 199; count <= 201; count++) {
        sa_settings settings = small_settings();
        sa_buffer text = {0};
        settings.steps = 1, settings.hidden = 65;
        for (int i = 0; i < count; i++) sa_buffer_addf(&text, "w%d\tv%d\n", i % 9, i);
        scratch_write(train_path, text.text, text.size);
        strcpy(valid, scratch_path("valid.tsv"));
        scratch_write(valid, "w1\tv1\n", 6);
        ck_assert_msg(train_with((sa_train_options){.settings = &settings, .valid = valid}), "%s",
                      error.text);
        ck_assert_msg(!strstr(notes, "with so few pairs") == (count >= 200), "%s", notes);
        ck_assert_ptr_null(strstr(notes, heart)); /* validation pairs are given */
        sa_buffer_release(&text);
    }
}
END_TEST

/* With pairs held out of so few, the best model is often that of the first epochs. */
START_TEST(few_pairs_can_be_learned_by_heart) {
    sa_settings settings = small_settings();
    char valid[200];
    settings.steps = 1;
    train_noting(&settings, false);
    snprintf(valid, sizeof valid, "to learn so few pairs by heart, add --valid %s", train_path);
    ck_assert_msg(strstr(notes, valid), "%s", notes);
}
END_TEST

START_TEST(a_lost_best_model_is_told_of) {
    sa_settings settings = small_settings();
    char best[160];
    train_noting(&settings, false);
    snprintf(best, sizeof best, "%s/best.safetensors", out_path);
    ck_assert_int_eq(unlink(best), 0);
    settings.steps = 24;
    train_noting(&settings, true);
    ck_assert_msg(strstr(notes, "note: the best model is lost: cannot open"), "%s", notes);
    ck_assert_int_eq(access(best, R_OK), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("notes", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, the_loss_is_told_while_it_trains);
    tcase_add_test(tests, threads_and_shards_are_told);
    tcase_add_test(tests, threads_of_all_processes_are_told);
    tcase_add_test(tests, few_pairs_are_told_of);
    tcase_add_test(tests, few_pairs_are_fewer_than_200);
    tcase_add_test(tests, few_pairs_can_be_learned_by_heart);
    tcase_add_test(tests, a_lost_best_model_is_told_of);
    return suite_run(suite);
}
