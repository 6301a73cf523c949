/* Trainings, validations and comparisons whose calls for memory fail, each alone and with all later
 * ones. */
#include "support/memory_failures.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "train/compare.h"
#include "train/session.h"

#include <math.h>
#include <signal.h>

/* Forcing to the disk costs nothing here. */
int fsync(int fd) {
    (void)fd;
    return 0;
}

static const sa_pair filmed = {.source = "a b", .target = "x y"};
static char one_path[128]; /* of the only pair for validations and tests */

static void make_pairs(void) {
    static const char pairs[] = "a b\tx y\nb a\ty x\n", one[] = "b a\ty x\n";
    set_up();
    strcpy(one_path, scratch_path("one.tsv"));
    scratch_write(train_path, pairs, sizeof pairs - 1);
    scratch_write(one_path, one, sizeof one - 1);
}

/* The smallest models and files that do all that a training can. */
static sa_settings smallest(void) {
    sa_settings own = small_settings();
    own.embed = own.hidden = own.attn = own.maxout = own.heads = 1;
    own.steps = own.valid_every = 1;
    return own;
}

/* The CRC-32 of a file in the folder of the training. */
static uLong sum_of(const char *name) {
    static unsigned char bytes[1 << 16];
    char path[192];
    snprintf(path, sizeof path, "%s/%s", out_path, name);
    const int fd = open(path, O_RDONLY);
    const ssize_t size = read(fd, bytes, sizeof bytes);
    close(fd);
    return crc32_z(0, bytes, size > 0 ? (size_t)size : 0);
}

/* What jansson allocates does not fail: a record has a thousand numbers. */
static void *spared_malloc(size_t size) {
    return count_block(__real_malloc(size));
}

static void spare_json(void) {
    json_set_alloc_funcs(spared_malloc, free);
}

/* ---- Trainings ------------------------------------------------------------------------------- */

static sa_settings settings;
static uLong best_sum, last_sum, mean_sum;

static bool train_it(sa_error *why) {
    sa_train_result outcome;
    const sa_train_options training = {.settings = &settings,
                                       .train = train_path,
                                       .valid = one_path,
                                       .out = out_path,
                                       .report = take_note,
                                       .overwrite = true};
    *notes = 0;
    spare_json();
    return sa_train(&training, &outcome, why);
}

/* With the memory that it needs it leaves and tells what it always does. */
static bool train_the_same(sa_error *why) {
    if (!train_it(why)) return false;
    ck_assert_uint_eq(sum_of("best.safetensors"), best_sum);
    ck_assert_uint_eq(sum_of("last.safetensors"), last_sum);
    ck_assert_uint_eq(sum_of("average.safetensors"), mean_sum);
    ck_assert_ptr_nonnull(strstr(notes, "are also among the training pairs"));
    return true;
}

START_TEST(a_training_without_memory) {
    settings = smallest();
    settings.average = 1;
    ck_assert_msg(train_it(&error), "%s", error.text);
    best_sum = sum_of("best.safetensors"), last_sum = sum_of("last.safetensors");
    mean_sum = sum_of("average.safetensors");
    memory_step = 2;
    fail_allocations(train_the_same);
    memory_step = 1;
}
END_TEST

/* ---- Validations ----------------------------------------------------------------------------- */

static sa_session opened;
static bool asks;    /* for the error */
static bool blocked; /* the best model cannot be saved */

static bool validate_it(sa_error *why) {
    sa_session session = opened;
    session.log = (sa_buffer){0};
    sa_buffer_adds(&session.log, SA_LOG_HEADER);
    spare_json();
    bool good = sa_session_validate(&session, true, asks ? why : NULL);
    if (!good && !asks) sa_fail_memory(why, 0);
    if (good) ck_assert(isfinite(session.best.loss) && session.counts.validations == 1);
    if (good) ck_assert_int_eq(session.save_error.code, blocked ? SA_IO : 0);
    if (good && !blocked) {
        ck_assert_ptr_null(session.unsaved);
        ck_assert_uint_eq(sum_of("best.safetensors"), best_sum);
    }
    free(session.unsaved);
    sa_buffer_release(&session.log);
    return good;
}

/* Its model is saved or, where it cannot be, kept in memory. */
START_TEST(a_validation_without_memory) {
    const sa_train_options training = {.settings = &settings,
                                       .train = train_path,
                                       .valid = one_path,
                                       .out = out_path,
                                       .snapshot_pairs = &filmed,
                                       .snapshot_count = 1};
    char best[192];
    settings = smallest();
    settings.keep = 1;
    ck_assert_msg(sa_session_open(&opened, &training, &error), "%s", error.text);
    ck_assert_msg(sa_model_write(&opened.model, opened.path[SA_BEST], NULL, 0, &error), "%s",
                  error.text);
    best_sum = sum_of("best.safetensors");
    asks = true, blocked = false;
    ck_assert_int_eq(fail_allocations(validate_it), 0);
    ck_assert_int_eq(access(scratch_path("out/checkpoints/00000000.safetensors"), F_OK), 0);
    asks = false, memory_step = 7;
    ck_assert_int_eq(fail_allocations(validate_it), 0);
    snprintf(best, sizeof best, "%s/best.safetensors", out_path);
    ck_assert(unlink(best) == 0 && mkdir(best, 0777) == 0);
    asks = blocked = true, memory_step = 2;
    fail_allocations(validate_it); /* what is not written may lack something */
    memory_step = 1;
    sa_session_close(&opened);
}
END_TEST

/* ---- Comparisons ----------------------------------------------------------------------------- */

static sa_compare_options comparing;
static char *table;
static bool spares;

static bool compare_it(sa_error *why) {
    sa_compare_result result;
    if (spares) spare_json();
    if (!sa_compare(&comparing, &result, why)) return false;
    if (table) ck_assert_str_eq(result.table, table);
    if (!table) table = strdup(result.table);
    sa_compare_result_release(&result);
    return true;
}

static void begin_comparison(void) {
    settings = smallest();
    comparing = (sa_compare_options){.settings = &settings,
                                     .train = train_path,
                                     .valid = one_path,
                                     .test = one_path,
                                     .models = "luong",
                                     .out = out_path,
                                     .seeds = 1};
    spares = true;
    ck_assert_msg(compare_it(&error), "%s", error.text);
}

static void end_comparison(void) {
    free(table);
    table = NULL;
}

/* All runs are done: they are read, and the tables and the page are written. */
START_TEST(a_comparison_without_memory) {
    begin_comparison();
    ck_assert_int_eq(fail_allocations(compare_it), 0);
    spares = false, memory_step = 193;
    fail_allocations(compare_it); /* the writer of JSON does without some */
    spares = true, memory_step = 7;
    comparing.html = scratch_path("page.html");
    fail_allocations(compare_it);
    memory_step = 1;
    end_comparison();
}
END_TEST

static char *unscored;
static size_t unscored_size;

/* Scores a run again. */
static bool score_it(sa_error *why) {
    const int fd = open(scratch_path("out/luong-s1/run.json"), O_WRONLY | O_TRUNC);
    ck_assert_int_eq(write(fd, unscored, unscored_size), (ssize_t)unscored_size);
    close(fd);
    return compare_it(why);
}

START_TEST(scores_without_memory) {
    begin_comparison();
    const char *path = scratch_path("out/luong-s1/run.json");
    json_t *record = json_load_file(path, 0, NULL);
    json_object_set_new(record, "test", json_string("0"));
    json_dump_file(record, path, 0);
    json_decref(record);
    unscored = scratch_read(path, &unscored_size);
    ck_assert_msg(score_it(&error), "%s", error.text);
    memory_step = 7;
    ck_assert_int_eq(fail_allocations(score_it), 0);
    memory_step = 1;
    free(unscored);
    end_comparison();
}
END_TEST

/* ---- Lists of models ------------------------------------------------------------------------- */

static bool read_list(sa_error *why) {
    static const volatile sig_atomic_t never;
    const sa_compare_options options = {
        .models = "fixed,luong:dot", .out = "out", .settings = &settings, .seeds = 2};
    sa_comparison all = {.options = &options, .stop = &never};
    const bool good = sa_compare_read_models(&all, why);
    if (good) ck_assert_str_eq(all.runs[3].folder, "out/luong-dot-s2");
    if (!good) ck_assert_ptr_null(strstr(why->text, "(null)"));
    for (size_t i = 0; all.runs && i < all.model_count * all.seeds; i++) free(all.runs[i].folder);
    for (size_t i = 0; i < all.model_count; i++) free(all.models[i].name);
    free(all.runs), free(all.models);
    return good;
}

START_TEST(a_list_of_models_without_memory) {
    settings = smallest();
    ck_assert_int_eq(fail_allocations(read_list), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("training_memory", &tests);
    tcase_add_checked_fixture(tests, make_pairs, scratch_remove);
    tcase_set_timeout(tests, 20);
    tcase_add_test(tests, a_training_without_memory);
    tcase_add_test(tests, a_validation_without_memory);
    tcase_add_test(tests, a_comparison_without_memory);
    tcase_add_test(tests, scores_without_memory);
    tcase_add_test(tests, a_list_of_models_without_memory);
    return suite_run(suite);
}
