/* Pages, pictures and weights of other programs while calls for memory fail, each alone and with
 * all later ones: no block is lost, the error names memory, and what is made has all that was
 * added. */
#include "config/settings.h"
#include "report/matrix_file.h"
#include "support/memory_failures.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <softalign/report.h>

static const char *const source[] = {"ä", "\"b\"", "</s>"}, *const target[] = {"c", "</s>"};
static double weights[] = {0, .5, .5, 0, 0, 1, 1, 0, 0, 0, .25, .75, 0, .25, .75, 1, 0, 0};
static const sa_alignment alignment = {.targets = 2,
                                       .sources = 3,
                                       .heads = 2,
                                       .layers = 1,
                                       .target = target,
                                       .source = source,
                                       .weights = weights};

/* ---- Pages ----------------------------------------------------------------------------------- */

static void put(const char *name, const char *text) {
    scratch_write(scratch_path(name), text, strlen(text));
}

/* The list and its entries come from the system, and are freed here. */
WRAP(int, scandir,
     (const char *folder, struct dirent ***list, int (*wanted)(const struct dirent *),
      int (*order)(const struct dirent **, const struct dirent **))) {
    const int count = __real_scandir(folder, list, wanted, order);
    atomic_fetch_add(&memory_blocks, count < 0 ? 0 : count + 1);
    return count;
}

static void make_training(void) {
    static const char *const folders[] = {"film", "film/0001", "film/0001/head-1"};
    scratch_make();
    put("log.csv", "step,seconds,train_loss,valid_loss,valid_bleu\n0,0,,2.5,\n3,1,1,0.5,9\n");
    for (int i = 0; i < 3; i++) mkdir(scratch_path(folders[i]), 0777);
    for (int i = 1; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/0.csv", folders[i]);
        put(name, ",a,b\nx,0.5,0.5\n");
        snprintf(name, sizeof name, "%s/3.csv", folders[i]);
        put(name, ",a,b\nx,1,0\n");
    }
}

static bool is_whole; /* all that is made */

static bool make_page(sa_error *why) {
    sa_settings settings;
    sa_settings_init(&settings);
    sa_page *page = sa_page_open("title", "model", &settings, why);
    const char *html = NULL;
    if (page && sa_page_add_alignment(page, &alignment, SA_SITE_CROSS, "0-0 1p0", why) &&
        sa_page_add_training(page, scratch, why))
        html = sa_page_html(page, why);
    static const char *const parts[] = {"\"gold\":[[0,0,false],[1,0,true]]", "\"steps\":[0,3]",
                                        "update 3: validation loss 0.500, BLEU 9.00", "log.csv"};
    for (int i = 0; html && i < 4; i++) is_whole = is_whole && strstr(html, parts[i]);
    const bool good = html;
    sa_page_close(page);
    return good;
}

START_TEST(pages_without_memory) {
    is_whole = true;
    ck_assert_int_eq(fail_allocations(make_page), 0);
    ck_assert(is_whole);
}
END_TEST

/* ---- Pictures -------------------------------------------------------------------------------- */

static const char *picture;

static bool save_picture(sa_error *why) {
    return sa_alignment_save(&alignment, SA_SITE_CROSS, scratch_path(picture), why);
}

START_TEST(pictures_without_memory) {
    static const char *const pictures[] = {"a.csv", "a.svg"};
    picture = pictures[_i];
    ck_assert_int_eq(fail_allocations(save_picture), 0);
}
END_TEST

/* ---- Weights of other programs ----------------------------------------------------------------
 */

static const char header[] = "{\"a\":{\"dtype\":\"U8\",\"shape\":[1,2],\"data_offsets\":[0,2]}}";
static const struct {
    const char *name, *text;
    size_t size;
} files[] = {
    {"m.npy", "\x93NUMPY\1\0\x3a\0{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}\n\1\0",
     70},
    {"m.jsonl",
     "{\"weights\":[[1,0]],\"source\":[\"a\",\"b\"],\"target\":[\"c\"],\"gold\":\"0-0\"}\n", 0},
    {"m.csv", ",a,b\nc,1,0\n", 0},
    {"m.safetensors:a", NULL, 0},
};
static const char *path;

static bool read_weights(sa_error *why) {
    sa_matrix_file file = {0};
    const bool good =
        sa_matrix_file_open(&file, scratch_path(path), why) && sa_matrix_file_next(&file, why);
    const sa_alignment *found = &file.alignment;
    if (good)
        is_whole = is_whole && found->targets == 1 && found->sources == 2 &&
                   found->weights[0] == 1 && found->weights[1] == 0;
    sa_matrix_file_close(&file);
    return good;
}

START_TEST(weights_without_memory) {
    char bytes[128] = {sizeof header - 1};
    memcpy(bytes + 8, header, sizeof header - 1);
    bytes[8 + sizeof header - 1] = 1;
    path = files[_i].name;
    if (files[_i].text)
        scratch_write(scratch_path(path), files[_i].text,
                      files[_i].size ? files[_i].size : strlen(files[_i].text));
    else
        scratch_write(scratch_path("m.safetensors"), bytes, 8 + sizeof header - 1 + 2);
    is_whole = true;
    ck_assert_int_eq(fail_allocations(read_weights), 0);
    ck_assert(is_whole);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("report_memory", &tests);
    tcase_add_checked_fixture(tests, make_training, scratch_remove);
    tcase_set_timeout(tests, 20);
    tcase_add_test(tests, pages_without_memory);
    tcase_add_loop_test(tests, pictures_without_memory, 0, 2);
    tcase_add_loop_test(tests, weights_without_memory, 0, sizeof files / sizeof *files);
    return suite_run(suite);
}
