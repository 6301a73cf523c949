/* The film of a training's folder: its frames, heads and captions, and what is refused. */
#include "report/film.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <sys/stat.h>

static sa_error error;
static sa_html_report report;

/* A file of the training's folder. */
static void put(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    for (char *slash = path + strlen(scratch) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        mkdir(path, 0777);
    }
    scratch_write(path, text, strlen(text));
}

#define FRAME(x, y) ",a,b\nx," x "\ny," y "\n"

static void make_film(void) {
    scratch_make();
    put("log.csv", "step,seconds,train_loss,valid_loss,valid_bleu\n"
                   "3,0.1,2,1.2346,45.678\n0,0,,2.5,\n12,1,1,0.5,\n");
    put("film/0001/00000012.csv", FRAME("0.5,0.5", "1,0"));
    put("film/0001/00000003.csv", FRAME("0.25,0.75", "0,1"));
    put("film/0001/00000000.csv", FRAME("1,0", "1,0"));
    put("film/0001/note.txt", "no frame");
    put("film/0001/00000012.csv.old", "no frame");
    put("film/0002/00000000.csv", ",c\nz,1\n");
    put("film/0002/00000003.csv", ",c\nz,1\n");
    put("film/0002/00000012.csv", ",c\nz,1\n");
    put("film/0004/00000000.csv", "after a gap: not read");
}

static bool read_film(void) {
    sa_html_report_init(&report, "film", "title", 1);
    sa_html_report_model(&report, "model", NULL, 0);
    return sa_html_report_film(&report, scratch, &error);
}

static json_t *film(void) {
    return json_array_get(json_object_get(report.data, "film"), 0);
}

static void expect_json(json_t *value, const char *wanted) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    ck_assert_str_eq(text, wanted);
    free(text);
}

static json_t *scene(int number) {
    return json_array_get(json_object_get(film(), "scenes"), (size_t)number);
}

START_TEST(frames_come_in_order_with_their_captions) {
    ck_assert_msg(read_film(), "%s", error.text);
    expect_json(json_object_get(film(), "steps"), "[0,3,12]");
    expect_json(json_object_get(film(), "heads"), "0");
    expect_json(json_object_get(film(), "captions"),
                "[\"update 0: validation loss 2.500\",\"update 3: validation loss 1.235, BLEU "
                "45.68\",\"update 12: validation loss 0.500\"]");
    ck_assert_uint_eq(json_array_size(json_object_get(film(), "scenes")), 2);
    expect_json(json_object_get(scene(0), "source"), "[\"a\",\"b\"]");
    expect_json(json_object_get(scene(0), "target"), "[\"x\",\"y\"]");
    expect_json(json_object_get(scene(0), "heads"), "[]");
    /* thousandths as two digits of base64: 1000 Po, 250 D6, 750 Lu, 500 H0; QB: one zero */
    expect_json(json_object_get(scene(0), "weights"), "[\"PoQBPoQB\",\"D6LuQBPo\",\"H0H0PoQB\"]");
    expect_json(json_object_get(scene(1), "source"), "[\"c\"]");
    sa_html_report_release(&report);
}
END_TEST

START_TEST(heads_follow_the_mean) {
    put("film/0002/00000000.csv", ",c\nz,1\n");
    static const char *const frames[] = {"00000000", "00000003", "00000012"};
    for (int i = 0; i < 3; i++)
        for (int head = 1; head < 3; head++) {
            char name[64];
            snprintf(name, sizeof name, "film/0001/head-%d/%s.csv", head, frames[i]);
            put(name, head == 1 ? FRAME("1,0", "1,0") : FRAME("0,1", "0,1"));
        }
    ck_assert_msg(read_film(), "%s", error.text);
    ck_assert_uint_eq(report.heads, (3 + 2) * 2 * 2 * (4 + 1)); /* two bytes a weight, at most */
    expect_json(json_object_get(film(), "heads"), "2");
    ck_assert_uint_eq(json_array_size(json_object_get(film(), "scenes")), 1); /* 2 has no heads */
    expect_json(json_object_get(scene(0), "heads"),
                "[\"PoQBPoQCPoQBPo\",\"PoQBPoQCPoQBPo\",\"PoQBPoQCPoQBPo\"]");
    sa_html_report_release(&report);
}
END_TEST

/* Both pairs have 5 weights in a frame, of two bytes each. */
START_TEST(large_films_leave_out_frames_and_heads) {
    static const char *const steps[] = {"[0,3,12]", "[0,12]"};
    for (int more = 0; more < 2; more++) {
        sa_html_report_init(&report, "film", "title", SA_PAGE_FILM / 30 + (size_t)more);
        sa_html_report_model(&report, "model", NULL, 0);
        ck_assert_msg(sa_html_report_film(&report, scratch, &error), "%s", error.text);
        expect_json(json_object_get(film(), "steps"), steps[more]);
        ck_assert_uint_eq(json_array_size(json_object_get(scene(0), "weights")), 3 - (size_t)more);
        sa_html_report_release(&report);
    }
    put("film/0001/head-1/00000000.csv", FRAME("1,0", "1,0"));
    put("film/0001/head-1/00000003.csv", FRAME("1,0", "1,0"));
    put("film/0001/head-1/00000012.csv", FRAME("1,0", "1,0"));
    for (size_t more = 0; more < 2; more++) {
        sa_html_report_init(&report, "film", "title", 1);
        sa_html_report_model(&report, "model", NULL, 0);
        report.head_budget = (3 + 2) * 10 - 1 + more;
        ck_assert_msg(sa_html_report_film(&report, scratch, &error), "%s", error.text);
        expect_json(json_object_get(film(), "heads"), more ? "1" : "0");
        ck_assert_uint_eq(report.heads, more * (3 + 2) * 10);
        sa_html_report_release(&report);
    }
}
END_TEST

/* With every second frame shown, the last of four is shown beside the third. */
START_TEST(the_last_frame_is_shown) {
    put("film/0001/00000015.csv", FRAME("1,0", "0,1"));
    sa_html_report_init(&report, "film", "title", SA_PAGE_FILM / 40);
    sa_html_report_model(&report, "model", NULL, 0);
    ck_assert_msg(sa_html_report_film(&report, scratch, &error), "%s", error.text);
    expect_json(json_object_get(film(), "steps"), "[0,12,15]");
    expect_json(json_object_get(scene(0), "weights"), "[\"PoQBPoQB\",\"H0H0PoQB\",\"PoQCPo\"]");
    sa_html_report_release(&report);
}
END_TEST

/* Such as one recorded by an earlier training. */
START_TEST(a_pair_with_fewer_frames_is_left_out) {
    put("film/0003/00000000.csv", ",d\nz,1\n");
    put("film/0003/00000003.csv", ",d\nz,1\n");
    ck_assert_int_eq(unlink(scratch_path("film/0002/00000003.csv")), 0);
    put("film/0004/00000000.csv", ",e\nz,1\n");
    put("film/0004/00000003.csv", ",e\nz,1\n");
    put("film/0004/00000012.csv", ",e\nz,1\n");
    ck_assert_msg(read_film(), "%s", error.text);
    ck_assert_uint_eq(json_array_size(json_object_get(film(), "scenes")), 2);
    expect_json(json_object_get(scene(1), "source"), "[\"e\"]"); /* the next one is shown */
    sa_html_report_release(&report);
}
END_TEST

/* Its columns are found by their names; a row may be short, or of no update. */
START_TEST(a_log_of_other_columns_is_read) {
    put("log.csv", "valid_loss,step,seconds,train_loss,valid_bleu\n"
                   "0.5,12,1,1,30\n2.5,x,1,1,20\n1.5,3\n");
    ck_assert_msg(read_film(), "%s", error.text);
    expect_json(json_object_get(film(), "captions"),
                "[\"before the first update\",\"update 3: validation loss 1.500\",\"update 12: "
                "validation loss 0.500, BLEU 30.00\"]");
    sa_html_report_release(&report);
}
END_TEST

START_TEST(twenty_pairs_are_shown) {
    static const char *const frames[] = {"00000000", "00000003", "00000012"};
    for (int pair = 3; pair <= 21; pair++)
        for (int i = 0; i < 3; i++) {
            char name[64];
            snprintf(name, sizeof name, "film/%04d/%s.csv", pair, frames[i]);
            put(name, ",c\nz,1\n");
        }
    ck_assert_msg(read_film(), "%s", error.text);
    ck_assert_uint_eq(json_array_size(json_object_get(film(), "scenes")), 20);
    sa_html_report_release(&report);
}
END_TEST

START_TEST(without_a_log_updates_are_counted) {
    ck_assert_int_eq(unlink(scratch_path("log.csv")), 0);
    ck_assert_msg(read_film(), "%s", error.text);
    expect_json(json_object_get(film(), "captions"),
                "[\"before the first update\",\"update 3\",\"update 12\"]");
    sa_html_report_release(&report);
}
END_TEST

static const struct {
    const char *name, *text, *message; /* ends so */
} broken[] = {
    {"film/0001/00000003.csv", FRAME("1,0", "0,1") "z,1,0\n",
     "00000003.csv: its tokens differ from those of '"},
    {"film/0001/00000003.csv", ",a,c\nx,1,0\ny,0,1\n", "00000003.csv: its tokens differ"},
    {"film/0001/00000003.csv", ",a,b\nx,1,0\nz,0,1\n", "00000003.csv: its tokens differ"},
    {"film/0001/00000003.csv", ",a\nx,1\ny,0\n", "00000003.csv: its tokens differ"},
    {"film/0001/00000003.csv", ",a,b,c\nx,1,0,0\ny,0,1,0\n", "00000003.csv: its tokens differ"},
    {"film/0001/00000003.csv", FRAME("1,0", "0,z"), "00000003.csv:3:3: 'z' is not a finite number"},
    {"film/0001/00000000.csv", FRAME("1,0", "0,z"), "00000000.csv:3:3: 'z' is not a finite number"},
    {"film/0002/00000000.csv", ",c\nz,w\n", "0002/00000000.csv:2:2: 'w' is not a finite number"},
    {"film/0001/00000003.csv", "x,1,0\ny,0,1\n", "00000003.csv: not a heatmap: tokens are missing"},
    {"film/0001/00000003.csv", "a,b\n1,0\n0,1\n",
     "00000003.csv: not a heatmap: tokens are missing"},
    {"film/0001/00000003.csv", "1,0\n0,1\n", "00000003.csv: not a heatmap: tokens are missing"},
    {"log.csv", "step,seconds,train_loss,valid_loss\n", "log.csv:1: a column is missing"},
    {"log.csv", "step,sec\xff\n", "log.csv:1: not UTF-8"},
    {"log.csv", "step,seconds,train_loss,valid_loss,valid_bleu\n0,1,\xff\n",
     "log.csv:2: not UTF-8"},
};

START_TEST(damage_is_named) {
    put(broken[_i].name, broken[_i].text);
    ck_assert(!read_film());
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_msg(strstr(error.text, broken[_i].message) != NULL, "%s", error.text);
    sa_html_report_release(&report);
}
END_TEST

/* No folder of frames, and no log, can be where a file is or a folder is. */
START_TEST(a_folder_that_cannot_be_opened_is_named) {
    put("film/0003", "a file");
    ck_assert(!read_film());
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_ptr_nonnull(strstr(error.text, "/film/0003': Not a directory"));
    sa_html_report_release(&report);
    ck_assert_int_eq(unlink(scratch_path("film/0003")), 0);
    ck_assert_int_eq(unlink(scratch_path("log.csv")), 0);
    ck_assert(!sa_training_log_read(scratch, true, NULL, NULL, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_ptr_nonnull(strstr(error.text, "/log.csv': No such file or directory"));
}
END_TEST

static bool stop_at_second(void *context, const char *const *cells, sa_error *why) {
    (void)cells;
    return ++*(int *)context < 2 || sa_fail(why, SA_DATA, "enough");
}

START_TEST(a_row_may_be_the_last) {
    int rows = 0;
    ck_assert(!sa_training_log_read(scratch, true, stop_at_second, &rows, &error));
    ck_assert_int_eq(rows, 2);
    ck_assert_str_eq(error.text, "enough");
}
END_TEST

START_TEST(a_folder_without_frames_adds_nothing) {
    char path[256];
    snprintf(path, sizeof path, "%s/none", scratch);
    sa_html_report_init(&report, "film", "title", 1);
    sa_html_report_model(&report, "model", NULL, 0);
    ck_assert_msg(sa_html_report_film(&report, path, &error), "%s", error.text);
    ck_assert(json_is_null(film()));
    sa_html_report_release(&report);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("film", &tests);
    tcase_add_checked_fixture(tests, make_film, scratch_remove);
    tcase_add_test(tests, frames_come_in_order_with_their_captions);
    tcase_add_test(tests, heads_follow_the_mean);
    tcase_add_test(tests, large_films_leave_out_frames_and_heads);
    tcase_add_test(tests, the_last_frame_is_shown);
    tcase_add_test(tests, a_pair_with_fewer_frames_is_left_out);
    tcase_add_test(tests, a_log_of_other_columns_is_read);
    tcase_add_test(tests, twenty_pairs_are_shown);
    tcase_add_test(tests, without_a_log_updates_are_counted);
    tcase_add_loop_test(tests, damage_is_named, 0, sizeof broken / sizeof *broken);
    tcase_add_test(tests, a_folder_that_cannot_be_opened_is_named);
    tcase_add_test(tests, a_row_may_be_the_last);
    tcase_add_test(tests, a_folder_without_frames_adds_nothing);
    return suite_run(suite);
}
