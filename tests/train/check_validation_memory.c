/* Validations, frames and models that are kept while calls for memory fail, each alone and with all
 * later ones: no block is lost, and the error names memory. */
#include "support/memory_failures.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "train/session.h"

/* Forcing to the disk costs nothing here. */
int fsync(int fd) {
    (void)fd;
    return 0;
}

static const sa_pair filmed = {.source = "w1", .target = "v1 v2"};
static sa_session opened;

/* After one update on two pairs, of which one is for validation, too. */
static void open_session(void) {
    static sa_settings settings;
    static sa_train_options training;
    static char valid[128];
    const char *pairs = "w1 w2\tv1 v2\nw2 w3\tv3\n", *second = strstr(pairs, "w2 w3");
    set_up();
    strcpy(valid, scratch_path("valid.tsv"));
    scratch_write(train_path, pairs, strlen(pairs));
    scratch_write(valid, second, strlen(second));
    settings = small_settings();
    settings.heads = 2, settings.keep = 1;
    set_all(&settings, "tokenizer=space");
    training = (sa_train_options){.settings = &settings,
                                  .train = train_path,
                                  .valid = valid,
                                  .out = out_path,
                                  .snapshot_pairs = &filmed,
                                  .snapshot_count = 1,
                                  .overwrite = true};
    ck_assert_msg(sa_session_open(&opened, &training, &error), "%s", error.text);
    ck_assert_msg(sa_session_step(&opened, &error), "%s", error.text);
    sa_trainer_lend_memory(&opened.trainer);
}

static void close_session(void) {
    sa_session_close(&opened);
    scratch_remove();
}

/* Whether the file of the output is there, which is removed. */
static bool wrote(const char *name) {
    char path[192];
    snprintf(path, sizeof path, "%s/%s", out_path, name);
    return unlink(path) == 0;
}

static sa_validation figures;

static bool validate_it(sa_error *why) {
    sa_validation now;
    const bool good = sa_validate(&opened.model, &opened.valid, &opened.valid_data, &now, why);
    if (good && figures.loss == 0) figures = now;
    if (good) ck_assert(memcmp(&now, &figures, sizeof now) == 0);
    return good;
}

START_TEST(validations_without_memory) {
    figures = (sa_validation){0};
    ck_assert_msg(validate_it(&error), "%s", error.text);
    ck_assert_double_gt(figures.loss, 0);
    fail_allocations(validate_it); /* products do without the memory that would save work */
}
END_TEST

/* A frame exists only once all its parts do. */
static bool film_it(sa_error *why) {
    const bool good = sa_snapshots_write(&opened, why);
    bool heads = wrote("film/0001/head-1/00000001.csv");
    heads = wrote("film/0001/head-2/00000001.csv") && heads;
    const bool mean = wrote("film/0001/00000001.csv");
    ck_assert(mean == good && (heads || !mean));
    return good;
}

START_TEST(frames_without_memory) {
    fail_allocations(film_it);
}
END_TEST

static bool keep_it(sa_error *why) {
    const bool good = sa_checkpoints_keep(&opened, why);
    ck_assert_int_eq(wrote("checkpoints/00000001.safetensors"), good);
    return good;
}

/* Of an update whose validation the log has. A file of the user's keeps the folder there. */
START_TEST(models_are_kept_without_memory) {
    char note[192];
    snprintf(note, sizeof note, "%s/checkpoints", out_path);
    ck_assert_int_eq(mkdir(note, 0777), 0);
    strcat(note, "/note.txt");
    scratch_write(note, "mine", 4);
    sa_buffer_adds(&opened.log, "1,1,0.1\n");
    fail_allocations(keep_it);
    ck_assert_int_eq(access(note, F_OK), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("validation_memory", &tests);
    tcase_add_checked_fixture(tests, open_session, close_session);
    tcase_set_timeout(tests, 20);
    tcase_add_test(tests, validations_without_memory);
    tcase_add_test(tests, frames_without_memory);
    tcase_add_test(tests, models_are_kept_without_memory);
    return suite_run(suite);
}
