/* Comparisons whose files are damaged, lost, of another kind or cannot be written, and comparisons
 * that a user stops: what is said, and what a later call does. */
#include "base/json.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <signal.h>

static char test_path[128], page_path[128];
static volatile sig_atomic_t stop;
static const char *stop_at; /* a note at which a user asks to stop; "": after a training */
static sa_compare_result result;

static void watch(void *context, const sa_progress *progress) {
    if (progress) take_note(context, progress);
    if (!stop_at) return;
    if (!progress)
        stop |= !*stop_at;
    else if (*stop_at && progress->kind == SA_PROGRESS_NOTE)
        stop |= strncmp(progress->note, stop_at, strlen(stop_at)) == 0;
}

/* Of one model with attention and one seed, if the options name no others. */
static bool compare(sa_compare_options options) {
    sa_settings settings = small_settings();
    settings.steps = 1;
    options.train = train_path, options.out = out_path, options.settings = &settings;
    options.test = test_path, options.report = watch, options.stop = &stop;
    if (!options.models) options.models = "luong";
    options.seeds = 1;
    *notes = 0, *error.text = 0, stop = 0;
    const bool good = sa_compare(&options, &result, &error);
    sa_compare_result_release(&result);
    return good;
}

static void put(const char *name, const char *text) {
    char path[192];
    snprintf(path, sizeof path, "%s/%s", out_path, name);
    scratch_write(path, text, strlen(text));
}

/* Replaces a file of the comparison by an empty folder, and back by nothing. */
static void make_folder(const char *name) {
    char path[192];
    snprintf(path, sizeof path, "%s/%s", out_path, name);
    unlink(path);
    ck_assert_int_eq(mkdir(path, 0777), 0);
}

static void remove_folder(const char *name) {
    char path[192];
    snprintf(path, sizeof path, "%s/%s", out_path, name);
    ck_assert_int_eq(rmdir(path), 0);
}

static bool there(const char *name) {
    char path[192];
    snprintf(path, sizeof path, "%s/%s", out_path, name);
    return access(path, F_OK) == 0;
}

/* The error begins with a text around the folder of the comparison. */
static void expect(sa_code code, const char *before, const char *after) {
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%s%s%s", before, out_path, after);
    ck_assert_msg(strncmp(error.text, wanted, strlen(wanted)) == 0, "%s, not %s", error.text,
                  wanted);
    ck_assert_int_eq(error.code, code);
}

static json_t *load_record(void) {
    json_t *record = json_load_file(scratch_path("out/luong-s1/run.json"), 0, NULL);
    ck_assert_ptr_nonnull(record);
    return record;
}

static void save_record(json_t *record) {
    ck_assert_int_eq(json_dump_file(record, scratch_path("out/luong-s1/run.json"), 0), 0);
    json_decref(record);
}

static void make_pairs(void) {
    static const char pairs[] = "w1 w0\tv0 v1\nw2 w1\tv1 v2\n";
    set_up();
    strcpy(test_path, scratch_path("test.tsv"));
    strcpy(page_path, scratch_path("page.html"));
    scratch_write(test_path, pairs, sizeof pairs - 1);
    stop_at = NULL;
}

/* ---- What cannot be written ------------------------------------------------------------------ */

/* What comes after it is not written either; once it can be, nothing is trained again. */
START_TEST(a_table_that_cannot_be_written_is_named) {
    static const char *const names[] = {"table.tex", "table.csv", "curves.csv", "bylength.csv"};
    char after[64];
    ck_assert_msg(compare((sa_compare_options){0}), "%s", error.text);
    for (int i = 0; i < 4; i++) {
        char path[192];
        for (int k = i; k < 4; k++) {
            snprintf(path, sizeof path, "%s/%s", out_path, names[k]);
            ck_assert_int_eq(unlink(path), 0);
        }
        make_folder(names[i]);
        ck_assert(!compare((sa_compare_options){.html = page_path}));
        snprintf(after, sizeof after, "/%s': Is a directory", names[i]);
        expect(SA_IO, "cannot write '", after);
        for (int k = i + 1; k < 4; k++) ck_assert(!there(names[k]));
        ck_assert_int_eq(access(page_path, F_OK), -1);
        remove_folder(names[i]);
        ck_assert_msg(compare((sa_compare_options){0}), "%s", error.text);
        ck_assert_ptr_nonnull(strstr(notes, "1 of 1 runs are done already"));
        for (int k = 0; k < 4; k++) ck_assert(there(names[k]));
    }
}
END_TEST

START_TEST(a_page_that_cannot_be_written_is_named) {
    char wanted[192];
    ck_assert_int_eq(mkdir(page_path, 0777), 0);
    ck_assert(!compare((sa_compare_options){.html = page_path}));
    snprintf(wanted, sizeof wanted, "cannot write '%s': Is a directory", page_path);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_IO);
    ck_assert(there("table.csv") && there("bylength.csv"));
}
END_TEST

START_TEST(a_title_needs_a_page) {
    ck_assert(!compare((sa_compare_options){.title = "Ours"}));
    ck_assert_str_eq(error.text, "--title, --notes and --open-at need --html FILE");
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert(!there(""));
    ck_assert_msg(compare((sa_compare_options){.title = "Ours", .html = page_path}), "%s",
                  error.text);
}
END_TEST

/* A film is of the models that attend: its pairs are checked before any other is trained. */
START_TEST(a_pair_too_long_for_a_film_is_found_first) {
    const char *path = scratch_path("long.tsv");
    sa_buffer text = {0};
    for (int i = 0; i <= SA_MAX_LEN; i++) sa_buffer_adds(&text, i ? " w1" : "w1");
    sa_buffer_adds(&text, "\tv1\n");
    scratch_write(path, text.text, text.size);
    sa_buffer_release(&text);
    ck_assert(!compare((sa_compare_options){.models = "fixed,luong", .snapshots = path}));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_msg(strstr(error.text, "the source has 1001 tokens, more than --max-len"), "%s",
                  error.text);
    ck_assert(!there("fixed-s1"));
}
END_TEST

/* The validation loss in the first row of a log. */
static double loss_of(const char *log) {
    const char *at = strchr(log, '\n') + 1;
    for (int i = 0; i < 9; i++) at = strchr(at, ',') + 1;
    return atof(at);
}

/* Models are validated on the pairs that are given for it. */
START_TEST(other_validation_pairs_give_another_loss) {
    const char *path = scratch_path("valid.tsv");
    char *log[2];
    size_t size;
    for (int i = 0; i < 2; i++) {
        scratch_write(path, i ? "w5 w2\tv2 v5\n" : "w1\tv0\n", i ? 12 : 6);
        ck_assert_msg(compare((sa_compare_options){.valid = path, .overwrite = true}), "%s",
                      error.text);
        log[i] = scratch_read(scratch_path("out/luong-s1/log.csv"), &size);
    }
    ck_assert_double_ne(loss_of(log[0]), loss_of(log[1]));
    free(log[0]), free(log[1]);
}
END_TEST

/* ---- What is lost ---------------------------------------------------------------------------- */

/* A run that is done needs its log for the curves, its model and its film for the page. */
START_TEST(a_file_of_a_run_that_is_lost_is_named) {
    static const char frame[] = "luong-s1/film/0001/00000001.csv";
    static const struct {
        const char *file, *text; /* NULL: there is none */
        bool page;
        int code;
        const char *before, *after;
    } cases[] = {
        {"luong-s1/log.csv", NULL, false, SA_OPEN, "cannot open '", "/luong-s1/log.csv': No such"},
        {"luong-s1/log.csv", "epoch,step\n", false, SA_DATA, "",
         "/luong-s1/log.csv:1: a column is missing"},
        {"luong-s1/best.safetensors", NULL, true, SA_OPEN, "cannot open '",
         "/luong-s1/best.safetensors': No such"},
        {frame, ",w1\nv0,x\n", true, SA_DATA, "", "/luong-s1/film/0001/00000001.csv"},
    };
    ck_assert_msg(compare((sa_compare_options){.snapshots = test_path}), "%s", error.text);
    ck_assert(there(frame));
    for (int i = 0; i < 4; i++) {
        char path[192];
        size_t size;
        snprintf(path, sizeof path, "%s/%s", out_path, cases[i].file);
        char *kept = scratch_read(path, &size);
        if (cases[i].text)
            scratch_write(path, cases[i].text, strlen(cases[i].text));
        else
            ck_assert_int_eq(unlink(path), 0);
        const sa_compare_options plain = {.snapshots = test_path},
                                 page = {.snapshots = test_path, .html = page_path};
        ck_assert_msg(compare(plain) == cases[i].page, "%d: %s", i, error.text);
        ck_assert(!compare(page));
        expect((sa_code)cases[i].code, cases[i].before, cases[i].after);
        ck_assert_int_eq(access(page_path, F_OK), -1);
        scratch_write(path, kept, size);
        free(kept);
    }
    ck_assert_msg(compare((sa_compare_options){.html = page_path}), "%s", error.text);
}
END_TEST

/* Other test pairs are scored with the model. */
START_TEST(a_run_without_its_model_is_not_scored) {
    ck_assert_msg(compare((sa_compare_options){0}), "%s", error.text);
    ck_assert_int_eq(unlink(scratch_path("out/luong-s1/best.safetensors")), 0);
    scratch_write(test_path, "w3 w1\tv1 v3\n", 12);
    ck_assert(!compare((sa_compare_options){0}));
    expect(SA_OPEN, "cannot open '", "/luong-s1/best.safetensors': No such file");
    ck_assert_ptr_null(strstr(notes, "trained: "));
}
END_TEST

/* ---- Records --------------------------------------------------------------------------------- */

/* With --overwrite, a damaged record does not count, and the run is trained; one that cannot be
 * read may be of any kind. */
START_TEST(a_damaged_record_is_overwritten_if_that_is_asked) {
    ck_assert_msg(compare((sa_compare_options){0}), "%s", error.text);
    put("luong-s1/run.json", "{");
    ck_assert(!compare((sa_compare_options){0}));
    expect(SA_DATA, "", "/luong-s1/run.json:");
    ck_assert_msg(compare((sa_compare_options){.overwrite = true}), "%s", error.text);
    ck_assert_ptr_nonnull(strstr(notes, "vocabulary"));
    ck_assert_ptr_null(strstr(notes, "resumed"));
    ck_assert_msg(compare((sa_compare_options){0}), "%s", error.text);
    ck_assert_ptr_nonnull(strstr(notes, "1 of 1 runs are done already"));
    make_folder("luong-s1/run.json");
    for (int overwrite = 0; overwrite < 2; overwrite++) {
        ck_assert(!compare((sa_compare_options){.overwrite = overwrite}));
        expect(SA_OPEN, "cannot open '", "/luong-s1/run.json': Is a directory");
    }
}
END_TEST

START_TEST(a_record_without_its_pairs_is_of_others) {
    static const char *const keys[] = {"train", "valid"};
    ck_assert_msg(compare((sa_compare_options){0}), "%s", error.text);
    for (int i = 0; i < 2; i++) {
        json_t *record = load_record(), *kept = json_deep_copy(record);
        char wanted[256];
        ck_assert_int_eq(json_object_del(record, keys[i]), 0);
        save_record(record);
        ck_assert(!compare((sa_compare_options){0}));
        snprintf(wanted, sizeof wanted, "--%s: '%s/luong-s1' was trained with other pairs", keys[i],
                 out_path);
        ck_assert_msg(strncmp(error.text, wanted, strlen(wanted)) == 0, "%s", error.text);
        ck_assert_int_eq(error.code, SA_BUSY);
        save_record(kept);
    }
}
END_TEST

/* Its state, and its log, from which its time is taken. */
START_TEST(a_run_that_cannot_go_on_ends_the_comparison) {
    static const struct {
        const char *file, *text, *after;
    } cases[] = {
        {"luong-s1/last.safetensors", "damaged", "/luong-s1/last.safetensors: "},
        {"luong-s1/log.csv", "epoch,step\n", "/luong-s1/log.csv:1: a column is missing"},
    };
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(compare((sa_compare_options){.overwrite = true, .models = "luong,fixed"}),
                      "%s", error.text);
        json_t *record = load_record();
        json_object_set_new(record, "trained", json_false());
        save_record(record);
        put(cases[i].file, cases[i].text);
        ck_assert(!compare((sa_compare_options){.models = "luong,fixed"}));
        expect(SA_DATA, "", cases[i].after);
        ck_assert_ptr_null(strstr(notes, "== fixed"));
        record = load_record(); /* as it was */
        ck_assert(json_is_false(json_object_get(record, "trained")));
        json_object_set_new(record, "trained", json_true());
        json_object_set_new(record, "train", json_string("1")); /* to be overwritten */
        save_record(record);
    }
}
END_TEST

/* The log of a run that is resumed may know of less time than its record, or of none. */
START_TEST(the_longest_time_that_is_known_counts) {
    static const char *const rows[] = {"1,1,3.5,2,1,0\n", "1,1,,2,1,0\n", "1,1,700,2,1,0\n"};
    static const double seconds[] = {600, 600, 700};
    for (int i = 0; i < 3; i++) {
        char log[160];
        ck_assert_msg(compare((sa_compare_options){.overwrite = i > 0}), "%s", error.text);
        json_t *record = load_record();
        json_object_set_new(record, "trained", json_false());
        json_object_set_new(record, "seconds", json_real(600));
        save_record(record);
        snprintf(log, sizeof log, "epoch,step,seconds,train_loss,valid_loss,valid_bleu\n%s",
                 rows[i]);
        put("luong-s1/log.csv", log);
        ck_assert(!compare((sa_compare_options){0})); /* its training lacks columns of this log */
        record = load_record();
        const double found = json_number_value(json_object_get(record, "seconds"));
        ck_assert_double_eq(found, seconds[i]);
        json_object_set_new(record, "train", json_string("1"));
        save_record(record);
    }
}
END_TEST

/* A name that is too long for a folder, and a file in its place. */
START_TEST(a_run_that_can_have_no_folder) {
    char models[400] = "luong";
    for (int i = 0; i < 30; i++) strcat(models, ":layers=1");
    ck_assert(!compare((sa_compare_options){.models = models}));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_msg(strstr(error.text, "File name too long"), "%s", error.text);
    put("luong-s1", "a file");
    ck_assert(!compare((sa_compare_options){0}));
    expect(SA_OPEN, "cannot open '", "/luong-s1': Not a directory");
}
END_TEST

/* ---- Who stops ------------------------------------------------------------------------------- */

/* Before the first update there is no speed to record; and the run is trained when it goes on. */
START_TEST(a_comparison_stopped_at_once_has_no_figures) {
    stop_at = "== luong";
    ck_assert_msg(compare((sa_compare_options){.models = "luong,fixed"}), "%s", error.text);
    ck_assert(stop && !there("table.csv") && !there("fixed-s1/run.json"));
    json_t *record = load_record();
    ck_assert(json_is_false(json_object_get(record, "trained")));
    ck_assert_int_eq(json_integer_value(json_object_get(record, "updates")), 0);
    const json_t *figures = json_object_get(record, "figures");
    ck_assert(json_is_null(json_object_get(figures, "words_per_second")));
    ck_assert(json_is_null(json_object_get(figures, "loss")));
    json_decref(record);
    stop_at = NULL;
    ck_assert_msg(compare((sa_compare_options){.models = "luong,fixed"}), "%s", error.text);
    ck_assert(there("table.csv") && there("fixed-s1/run.json"));
    record = load_record();
    ck_assert(json_is_true(json_object_get(record, "trained")));
    ck_assert_int_eq(json_integer_value(json_object_get(record, "updates")), 1);
    json_decref(record);
}
END_TEST

/* It is scored by the next call, which trains nothing. */
START_TEST(a_run_stopped_after_its_training_is_scored_later) {
    stop_at = "";
    ck_assert_msg(compare((sa_compare_options){0}), "%s", error.text);
    ck_assert(stop && !there("table.csv"));
    ck_assert_ptr_null(strstr(notes, "test loss"));
    stop_at = NULL;
    ck_assert_msg(compare((sa_compare_options){0}), "%s", error.text);
    ck_assert_ptr_null(strstr(notes, "vocabulary"));
    ck_assert_ptr_nonnull(strstr(notes, "trained: 1 updates"));
    ck_assert(there("table.csv"));
}
END_TEST

/* ---- Notes ----------------------------------------------------------------------------------- */

START_TEST(a_third_column_that_is_not_read_is_told_of) {
    static const char late[] = "w1 w0\tv0 v1\nw2 w1\tv1 v2\t0-0\n";
    char wanted[256];
    scratch_write(test_path, late, sizeof late - 1);
    ck_assert_msg(compare((sa_compare_options){0}), "%s", error.text);
    snprintf(wanted, sizeof wanted,
             "note: %s:1: no third column is read as an alignment: this line has none", test_path);
    ck_assert_msg(strstr(notes, wanted), "%s", notes);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("compared_files", &tests);
    tcase_add_checked_fixture(tests, make_pairs, scratch_remove);
    tcase_add_test(tests, a_table_that_cannot_be_written_is_named);
    tcase_add_test(tests, a_page_that_cannot_be_written_is_named);
    tcase_add_test(tests, a_title_needs_a_page);
    tcase_add_test(tests, a_pair_too_long_for_a_film_is_found_first);
    tcase_add_test(tests, other_validation_pairs_give_another_loss);
    tcase_add_test(tests, a_file_of_a_run_that_is_lost_is_named);
    tcase_add_test(tests, a_run_without_its_model_is_not_scored);
    tcase_add_test(tests, a_damaged_record_is_overwritten_if_that_is_asked);
    tcase_add_test(tests, a_record_without_its_pairs_is_of_others);
    tcase_add_test(tests, a_run_that_cannot_go_on_ends_the_comparison);
    tcase_add_test(tests, the_longest_time_that_is_known_counts);
    tcase_add_test(tests, a_run_that_can_have_no_folder);
    tcase_add_test(tests, a_comparison_stopped_at_once_has_no_figures);
    tcase_add_test(tests, a_run_stopped_after_its_training_is_scored_later);
    tcase_add_test(tests, a_third_column_that_is_not_read_is_told_of);
    return suite_run(suite);
}
