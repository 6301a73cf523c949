/* Time in a training, by a clock that stands still but for updates and validations: what is
 * reported, and when a limit ends it. */
#include "support/small_training.h"
#include "support/suite.h"
#include "train/session.h"

#include <math.h>
#include <signal.h>
#include <time.h>

enum { PAIRS = 60, TOKENS = 3, MOST = 32 };

static double now, update_seconds, validation_seconds; /* seconds after validations are done, */
static double before_seconds; /* and while they still have everything before them */
static double look_seconds;   /* of a look at the clock */
static double later_seconds;  /* of an update after a validation, if not 0 */
static volatile sig_atomic_t stop;
static int stop_in;                 /* the update in which a user asks to stop; 0: none */
static int stop_before, stop_after; /* the validation before or after which one does */
static int spoiled;                 /* the update whose gradient is not finite; 0: none */

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    now += look_seconds;
    *time = (struct timespec){(time_t)now, (long)(1e9 * (now - floor(now)))};
    return 0;
}

enum { UPDATES = 64 };
static sa_step_result made[UPDATES]; /* by the updates of a training */
static int made_count;

bool __real_sa_trainer_step(sa_trainer *trainer, const sa_sentence *source,
                            const sa_sentence *target, const size_t *pairs, int count,
                            sa_step_result *result, sa_error *error);
bool __wrap_sa_trainer_step(sa_trainer *trainer, const sa_sentence *source,
                            const sa_sentence *target, const size_t *pairs, int count,
                            sa_step_result *result, sa_error *error);
bool __wrap_sa_trainer_step(sa_trainer *trainer, const sa_sentence *source,
                            const sa_sentence *target, const size_t *pairs, int count,
                            sa_step_result *result, sa_error *why) {
    now += update_seconds;
    if (stop_in && --stop_in == 0) stop = 1;
    const bool good = __real_sa_trainer_step(trainer, source, target, pairs, count, result, why);
    if (good && trainer->step == spoiled) result->applied = false, trainer->applied--;
    if (good && made_count < UPDATES) made[made_count++] = *result;
    return good;
}

bool __real_sa_validate(sa_model *model, const sa_corpus *corpus, const sa_dataset *pairs,
                        sa_validation *out, sa_error *error);
bool __wrap_sa_validate(sa_model *model, const sa_corpus *corpus, const sa_dataset *pairs,
                        sa_validation *out, sa_error *error);
bool __wrap_sa_validate(sa_model *model, const sa_corpus *corpus, const sa_dataset *pairs,
                        sa_validation *out, sa_error *why) {
    now += before_seconds;
    if (stop_before && --stop_before == 0) stop = 1;
    const bool good = __real_sa_validate(model, corpus, pairs, out, why);
    if (stop_after && --stop_after == 0) stop = 1;
    now += validation_seconds;
    if (later_seconds > 0) update_seconds = later_seconds;
    return good;
}

static sa_progress rows[MOST], steps[MOST], parts[MOST];
static int row_count, step_count, part_count;
static int batch; /* pairs of an update */
static sa_train_result outcome;

static void keep(void *context, const sa_progress *progress) {
    take_note(context, progress);
    if (progress->kind == SA_PROGRESS_VALIDATION && row_count < MOST) rows[row_count++] = *progress;
    if (progress->kind == SA_PROGRESS_STEP && step_count < MOST) steps[step_count++] = *progress;
    if (progress->kind == SA_PROGRESS_VALIDATING && part_count < MOST)
        parts[part_count++] = *progress;
}

/* Validates after every third update. */
static void train_for(int step_limit, int epochs, double seconds, sa_train_options training) {
    sa_settings settings = small_settings();
    settings.steps = step_limit, settings.epochs = epochs, settings.max_time = seconds;
    settings.batch = batch;
    training.settings = &settings, training.train = train_path, training.out = out_path;
    training.report = keep, training.overwrite = !training.resume;
    row_count = step_count = part_count = made_count = 0;
    *notes = 0;
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
}

static void set_clock(void) {
    set_up();
    now = 1000, update_seconds = 1, validation_seconds = 5, before_seconds = look_seconds = 0;
    later_seconds = 0;
    stop = stop_in = stop_before = stop_after = spoiled = 0;
    batch = PAIRS; /* all pairs that are not held out */
}

/* A validation is not part of the time of updates, nor of words per second. */
START_TEST(validations_count_for_themselves) {
    train_for(8, 0, 0, (sa_train_options){0});
    const double words = (double)(TOKENS * (PAIRS - (int64_t)outcome.valid_pairs));
    static const double seconds[] = {3, 11, 18}, left[] = {5, 2 * 11.0 / 6, 0};
    ck_assert_int_eq(row_count, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(rows[i].spent.seconds, seconds[i]);
        ck_assert_double_eq(rows[i].spent.updating, i < 2 ? 3 * (i + 1) : 8);
        ck_assert_double_eq_tol(rows[i].words_per_second, words, 1e-9);
        ck_assert_double_eq_tol(rows[i].seconds_left, left[i], 1e-12);
    }
    ck_assert_double_eq(outcome.spent.seconds, 23);
    ck_assert_double_eq(outcome.spent.updating, 8);
    ck_assert_int_eq(step_count, 8); /* each takes more than a fifth of a second */
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(steps[i].step, i + 1);
        ck_assert_double_eq_tol(steps[i].words_per_second, words, 1e-9);
    }
}
END_TEST

/* The mean loss since the last report of its kind, and the norm of the last gradient. */
START_TEST(reports_tell_of_their_updates) {
    train_for(8, 0, 0, (sa_train_options){0});
    ck_assert(row_count == 3 && step_count == 8 && made_count == 8);
    for (int i = 0, k = 0; i < 3; i++) {
        double loss = 0;
        int words = 0;
        for (; k < rows[i].step; k++) loss += made[k].loss, words += made[k].words;
        ck_assert_double_eq_tol(rows[i].loss, loss / words, 1e-12);
        ck_assert_double_eq(rows[i].gradient_norm, made[k - 1].l2_norm);
    }
    for (int i = 0; i < 8; i++) {
        ck_assert_double_eq_tol(steps[i].loss, made[i].loss / made[i].words, 1e-12);
        ck_assert_double_eq(steps[i].gradient_norm, made[i].l2_norm);
    }
}
END_TEST

/* A note gives its number, and its words are not counted. */
START_TEST(an_update_without_a_finite_gradient_is_left_out) {
    spoiled = 2;
    train_for(3, 0, 0, (sa_train_options){0});
    ck_assert_msg(strstr(notes, "note: update 2 had no finite gradient and was left out") != NULL,
                  "%s", notes);
    ck_assert(outcome.steps == 3 && row_count == 1);
    ck_assert_int_eq(outcome.spent.words, made[0].words + made[2].words);
    ck_assert_double_eq(outcome.spent.updating, 3);
    ck_assert_double_eq_tol(rows[0].loss,
                            (made[0].loss + made[2].loss) / (made[0].words + made[2].words), 1e-12);
}
END_TEST

START_TEST(updates_are_reported_five_times_a_second) {
    update_seconds = 0.0625; /* four of them take more than 0.2 s */
    validation_seconds = 0;
    train_for(12, 0, 0, (sa_train_options){0});
    const double words = (double)(TOKENS * (PAIRS - (int64_t)outcome.valid_pairs));
    ck_assert_int_eq(step_count, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(steps[i].step, 4 * (i + 1));
        ck_assert_double_eq_tol(steps[i].words_per_second, words / 0.0625, 1e-6);
        ck_assert_double_lt(steps[i].loss, log(180)); /* a mean over four updates, no sum */
        ck_assert_double_gt(steps[i].loss, log(20));
    }
}
END_TEST

/* The nearest limit counts: of updates, of epochs (one is one update here), of time. */
START_TEST(the_nearest_limit_is_ahead) {
    static const struct {
        int steps, epochs;
        double seconds, left; /* after 3 updates in 3 s */
    } cases[] = {{9, 0, 0, 6},  {0, 8, 0, 5},     {0, 0, 30, 27},  {9, 8, 0, 5},
                 {7, 8, 30, 4}, {50, 60, 20, 17}, {50, 0, 40, 37}, {4, 0, 2000, 1}};
    for (int i = 0; i < 8; i++) {
        train_for(cases[i].steps, cases[i].epochs, cases[i].seconds, (sa_train_options){0});
        ck_assert_double_eq_tol(rows[0].seconds_left, cases[i].left, 1e-12);
        ck_assert_int_ge(row_count, 2);
        ck_assert_double_ge(rows[row_count - 1].seconds_left, 0);
    }
}
END_TEST

/* Two epochs of four updates each. */
START_TEST(epochs_have_several_updates) {
    batch = 15;
    train_for(0, 2, 0, (sa_train_options){.valid = train_path});
    ck_assert_str_eq(outcome.reason, "epochs");
    ck_assert_int_eq(outcome.steps, 8);
    ck_assert_double_eq_tol(rows[0].seconds_left, 5, 1e-12); /* after 3 updates in 3 s */
}
END_TEST

/* Three updates and a validation take 8 s. A training ends when its last validation, which takes as
 * long as the one before it, would end after the limit; one that is due is still made if it ends by
 * a tenth of the limit and a second later. */
START_TEST(a_limit_leaves_time_for_a_validation) {
    static const struct {
        double limit;
        int steps, rows;
        double seconds;
    } cases[] = {
        {24, 9, 3, 24},                     /* the limit itself */
        {25, 9, 3, 24},                     /* 24 + 5 are too many */
        {29.5, 10, 4, 30}, {32, 12, 4, 32}, /* due at 27: until 32 */
        {28.5, 9, 3, 24},  {40, 15, 5, 40}, {100, 36, 12, 96},
    };
    for (int i = 0; i < 7; i++) {
        train_for(0, 0, cases[i].limit, (sa_train_options){0});
        ck_assert_str_eq(outcome.reason, "time");
        ck_assert_msg(outcome.steps == cases[i].steps && row_count == cases[i].rows &&
                          outcome.spent.seconds == cases[i].seconds,
                      "%d: %d updates, %d validations, %g s", i, (int)outcome.steps, row_count,
                      outcome.spent.seconds);
    }
}
END_TEST

/* Before the first validation its time is taken to be that of updates on as many words: here, as
 * all pairs are validated, of one update of 10 s (it takes 5). It counts if it is at most half of
 * the limit. */
START_TEST(the_first_validation_is_estimated) {
    static const struct {
        double limit;
        int steps, rows;
        double seconds;
    } cases[] = {
        {30, 2, 1, 25}, /* 20 + 10 are the limit */
        {31, 3, 0, 30}, /* the third is due, and would end at 40, after 1 + 1.1 * 31 */
        {20, 1, 1, 15}, /* half of the limit */
        {19, 2, 0, 20}, /* more than half: updates until the limit */
        {40, 3, 1, 35}, /* due at 30: 30 + 10 <= 1 + 1.1 * 40 */
        {36, 3, 1, 35}, /* still within 40.6 */
        {35, 3, 0, 30}, /* later than 39.5 */
    };
    update_seconds = 10;
    for (int i = 0; i < 7; i++) {
        train_for(0, 0, cases[i].limit, (sa_train_options){.valid = train_path});
        ck_assert_str_eq(outcome.reason, "time");
        ck_assert_msg(outcome.steps == cases[i].steps && row_count == cases[i].rows &&
                          outcome.spent.seconds == cases[i].seconds,
                      "%d: %d updates, %d validations, %g s", i, (int)outcome.steps, row_count,
                      outcome.spent.seconds);
        if (!row_count)
            ck_assert(isinf(outcome.best_loss) && outcome.best_bleu == -1 &&
                      outcome.best_chrf == -1);
    }
}
END_TEST

/* Seconds before this run count, but say nothing of its speed. */
START_TEST(time_goes_on_after_a_resume) {
    train_for(3, 0, 0, (sa_train_options){0});
    train_for(6, 0, 0, (sa_train_options){.resume = true, .spent = {100, 50, 1000}});
    const int64_t words = TOKENS * (PAIRS - (int64_t)outcome.valid_pairs);
    ck_assert_double_eq(rows[0].spent.seconds, 103);
    ck_assert_double_eq(rows[0].spent.updating, 53);
    ck_assert_int_eq(rows[0].spent.words, 1000 + 3 * words);
    ck_assert_double_eq(outcome.spent.seconds, 108);
    train_for(0, 0, 109, (sa_train_options){.resume = true, .spent = {100, 50, 1000}});
    ck_assert_str_eq(outcome.reason, "time");
    ck_assert_double_le(outcome.spent.seconds, 110);
}
END_TEST

/* Weights for whose validation there is no time are saved. */
START_TEST(weights_without_a_validation_are_saved) {
    static const char note[] = "note: the last weights are saved, but not validated",
                      none[] = "; nor were others, so best.safetensors holds them";
    char best[160];
    snprintf(best, sizeof best, "%s/best.safetensors", out_path);
    update_seconds = 4;
    train_for(0, 0, 2, (sa_train_options){0}); /* its first update ends after 1 + 1.1 * 2 */
    ck_assert_str_eq(outcome.reason, "time");
    ck_assert_int_eq(row_count, 0);
    ck_assert_ptr_nonnull(strstr(notes, note));
    ck_assert_ptr_nonnull(strstr(notes, none));
    ck_assert(isinf(outcome.best_loss));
    ck_assert_int_eq(access(best, R_OK), 0);
    update_seconds = 1, validation_seconds = 20; /* the second would end after 1 + 1.1 * 40 */
    train_for(0, 0, 40, (sa_train_options){0});
    ck_assert_int_eq(row_count, 1);
    ck_assert_int_eq(outcome.steps, 3);
    validation_seconds = 30;
    train_for(0, 0, 34, (sa_train_options){0});
    ck_assert_int_eq(outcome.steps, 4);
    ck_assert_int_eq(row_count, 1);
    ck_assert_ptr_nonnull(strstr(notes, note));
    ck_assert_ptr_null(strstr(notes, none));
}
END_TEST

static char moved[128];

static void move_away(void *context, const sa_progress *progress) {
    (void)context;
    if (progress->kind == SA_PROGRESS_STEP) ck_assert_int_eq(rename(out_path, moved), 0);
}

/* Where they cannot be saved, the training has failed, though it had no time for more. */
START_TEST(weights_that_are_neither_validated_nor_saved) {
    sa_settings settings = small_settings();
    char wanted[192];
    const sa_train_options training = {
        .settings = &settings, .train = train_path, .out = out_path, .report = move_away};
    settings.max_time = 2, update_seconds = 4;
    strcpy(moved, scratch_path("moved"));
    ck_assert(!sa_train(&training, &outcome, &error));
    snprintf(wanted, sizeof wanted, "cannot open '%s/': No such file or directory", out_path);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_int_eq(outcome.steps, 1);
}
END_TEST

/* The limit ends no update: one that ends long after it counts. */
START_TEST(an_update_ends_after_the_limit) {
    later_seconds = 60;
    train_for(0, 0, 40, (sa_train_options){0}); /* 3 + 5 + 60 s, after 1 + 1.1 * 40 */
    ck_assert_str_eq(outcome.reason, "time");
    ck_assert_int_eq(outcome.steps, 4);
    ck_assert_double_eq(outcome.spent.updating, 63);
}
END_TEST

/* An update in which the user asks to stop is dropped: the training goes on from before it. */
START_TEST(a_dropped_update_does_not_count) {
    stop_in = 5;
    train_for(8, 0, 0, (sa_train_options){.stop = &stop});
    const int64_t words = TOKENS * (PAIRS - (int64_t)outcome.valid_pairs);
    ck_assert_str_eq(outcome.reason, "stopped");
    ck_assert_int_eq(outcome.steps, 4);
    ck_assert_int_eq(outcome.spent.words, 4 * words);
    ck_assert_double_eq(outcome.spent.updating, 4);
    stop = 0;
    train_for(8, 0, 0, (sa_train_options){.resume = true});
    ck_assert_int_eq(outcome.steps, 8);
    ck_assert_int_eq(outcome.epochs, 8);
    ck_assert_int_eq(steps[0].step, 5);
}
END_TEST

/* A validation in which the user asks to stop is dropped, and is the first thing that is done when
 * the training goes on, with the figures that it would have had. */
START_TEST(a_stopped_validation_is_made_later) {
    sa_progress whole[2];
    train_for(6, 0, 0, (sa_train_options){0});
    ck_assert_int_eq(row_count, 2);
    memcpy(whole, rows, sizeof whole);
    for (int turn = 1; turn <= 2; turn++) {
        stop_before = turn;
        train_for(6, 0, 0, (sa_train_options){.stop = &stop});
        ck_assert_str_eq(outcome.reason, "stopped");
        ck_assert(outcome.steps == 3 * turn && row_count == turn - 1);
        stop = 0;
        train_for(6, 0, 0, (sa_train_options){.resume = true});
        ck_assert_int_eq(row_count, 3 - turn);
        ck_assert_int_eq(rows[0].step, 3 * turn);
        ck_assert_double_eq(rows[0].valid_loss, whole[turn - 1].valid_loss);
        ck_assert_double_eq(rows[0].loss, whole[turn - 1].loss);
    }
}
END_TEST

/* The frames of a film are a part of it. */
START_TEST(a_validation_without_its_frames_is_dropped) {
    const sa_pair pair = {.source = "w1 w0", .target = "v0 v1"};
    const char *frame = scratch_path("out/film/0001/00000003.csv");
    sa_train_options training = {.snapshot_pairs = &pair, .snapshot_count = 1, .stop = &stop};
    stop_after = 1;
    train_for(3, 0, 0, training);
    ck_assert_str_eq(outcome.reason, "stopped");
    ck_assert(row_count == 0 && access(frame, F_OK) == -1);
    stop = 0, training.resume = true;
    train_for(3, 0, 0, training);
    ck_assert(row_count == 1 && rows[0].step == 3 && access(frame, F_OK) == 0);
}
END_TEST

/* It ends when the time is up, and leaves no row; one that ends a second before that leaves one. */
START_TEST(a_validation_that_takes_too_long_is_dropped) {
    for (int late = 0; late < 2; late++) {
        before_seconds = late ? 21 : 19; /* it begins after 3 s, and may last until 1 + 1.1 * 20 */
        train_for(3, 0, 20, (sa_train_options){0});
        ck_assert_int_eq(row_count, !late);
        ck_assert_int_eq(strstr(notes, "are saved, but not validated") != NULL, late);
        ck_assert_int_eq(isinf(outcome.best_loss) != 0, late);
    }
}
END_TEST

/* A user who stops waits for what is saved: the best model, too, if there was none before. */
START_TEST(who_stops_is_told_what_is_saved) {
    char last[192], best[192];
    snprintf(last, sizeof last, "saved %s", last_path);
    snprintf(best, sizeof best, "saved %s/best.safetensors", out_path);
    for (int turn = 0; turn < 2; turn++) {
        stop = 0, stop_in = turn ? 5 : 2;
        train_for(8, 0, 0, (sa_train_options){.stop = &stop});
        ck_assert_str_eq(outcome.reason, "stopped");
        ck_assert_int_eq(outcome.steps, turn ? 4 : 1);
        ck_assert_msg(strstr(notes, last) != NULL, "%s", notes);
        ck_assert_msg((strstr(notes, best) != NULL) == (turn == 0), "%s", notes);
    }
    stop = stop_in = 0;
    train_for(8, 0, 0, (sa_train_options){0});
    ck_assert_ptr_null(strstr(notes, "saved "));
}
END_TEST

/* A validation that takes long says how far it is: in its first half it predicts, then it
 * translates. */
START_TEST(a_long_validation_is_reported) {
    int halves[2] = {0};
    look_seconds = 0.25;
    train_for(3, 0, 0, (sa_train_options){.valid = train_path});
    ck_assert_int_gt(part_count, 1);
    for (int i = 0; i < part_count; i++) {
        ck_assert(parts[i].validated >= 0 && parts[i].validated < 1);
        ck_assert(i == 0 || parts[i].validated >= parts[i - 1].validated);
        halves[parts[i].validated >= 0.5]++;
        ck_assert_int_eq(parts[i].step, 3);
        ck_assert(isnan(parts[i].loss) && isnan(parts[i].guided_loss));
    }
    ck_assert(halves[0] > 0 && halves[1] > 0);
    look_seconds = 0;
    train_for(3, 0, 0, (sa_train_options){.valid = train_path});
    ck_assert_int_eq(part_count, 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("training_time", &tests);
    tcase_add_checked_fixture(tests, set_clock, scratch_remove);
    tcase_add_test(tests, validations_count_for_themselves);
    tcase_add_test(tests, reports_tell_of_their_updates);
    tcase_add_test(tests, an_update_without_a_finite_gradient_is_left_out);
    tcase_add_test(tests, updates_are_reported_five_times_a_second);
    tcase_add_test(tests, the_nearest_limit_is_ahead);
    tcase_add_test(tests, epochs_have_several_updates);
    tcase_add_test(tests, a_limit_leaves_time_for_a_validation);
    tcase_add_test(tests, the_first_validation_is_estimated);
    tcase_add_test(tests, time_goes_on_after_a_resume);
    tcase_add_test(tests, weights_without_a_validation_are_saved);
    tcase_add_test(tests, weights_that_are_neither_validated_nor_saved);
    tcase_add_test(tests, an_update_ends_after_the_limit);
    tcase_add_test(tests, a_dropped_update_does_not_count);
    tcase_add_test(tests, a_stopped_validation_is_made_later);
    tcase_add_test(tests, a_validation_without_its_frames_is_dropped);
    tcase_add_test(tests, a_validation_that_takes_too_long_is_dropped);
    tcase_add_test(tests, who_stops_is_told_what_is_saved);
    tcase_add_test(tests, a_long_validation_is_reported);
    return suite_run(suite);
}
