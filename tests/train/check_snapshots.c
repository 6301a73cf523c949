/* The frames that a training records of some pairs: which there are, and which a later run removes.
 */
#include "support/small_training.h"
#include "support/suite.h"

#include <sys/stat.h>
#include <unistd.h>

static const sa_pair filmed[] = {{.source = "w1 w2", .target = "v1 v2"},
                                 {.source = "w3", .target = "v4"}};

static void run(int steps, bool resume) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    settings.heads = 2, settings.steps = steps;
    const sa_train_options training = {.settings = &settings,
                                       .train = train_path,
                                       .out = out_path,
                                       .snapshot_pairs = filmed,
                                       .snapshot_count = 2,
                                       .resume = resume,
                                       .overwrite = !resume};
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
}

static const char *in_film(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/film/%s", out_path, name);
    return path;
}

static bool there(const char *name) {
    return access(in_film(name), F_OK) == 0;
}

static void put(const char *name) {
    scratch_write(in_film(name), "x", 1);
}

/* In every folder: the frames of updates 0, 3 and 6, and no other. */
static void expect_frames(void) {
    static const char *const folders[] = {"0001", "0001/head-1", "0001/head-2", "0002/head-2"};
    for (int i = 0; i < 4; i++)
        for (int step = 0; step < 12; step++) {
            char name[64];
            snprintf(name, sizeof name, "%s/%08d.csv", folders[i], step);
            ck_assert_msg(there(name) == (step % 3 == 0 && step <= 6), "%s", name);
        }
    ck_assert(!there("0001/head-3") && !there("0003"));
}

START_TEST(a_resumed_training_keeps_what_it_knows) {
    run(6, false);
    expect_frames();
    put("0001/00000007.csv"), put("0001/head-1/00000099.csv"), put("0002/00000100.csv");
    put("0001/note.txt"), put("0001/0000003.csv"), put("0001/00000003.csv.old");
    mkdir(in_film("0007"), 0777), put("0007/00000009.csv"); /* of another run */
    mkdir(in_film("007"), 0777), put("007/00000009.csv");   /* not of a film: too few digits */
    put("0008");                                            /* no folder */
    run(6, true);
    expect_frames();
    ck_assert(!there("0001/head-1/00000099.csv") && !there("0002/00000100.csv"));
    ck_assert(there("0001/note.txt") && there("0001/0000003.csv"));
    ck_assert(there("0001/00000003.csv.old") && there("007/00000009.csv") && there("0008"));
    ck_assert(!there("0007"));
}
END_TEST

START_TEST(a_new_training_keeps_no_frame) {
    run(6, false);
    put("0002/00000012.csv");
    mkdir(in_film("0003"), 0777), put("0003/00000000.csv");
    mkdir(in_film("0001/head-7"), 0777), put("0001/head-7/00000000.csv");
    run(6, false);
    expect_frames();
    ck_assert(!there("0003") && !there("0001/head-7") && !there("0002/00000012.csv"));
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("snapshots", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, a_resumed_training_keeps_what_it_knows);
    tcase_add_test(tests, a_new_training_keeps_no_frame);
    return suite_run(suite);
}
