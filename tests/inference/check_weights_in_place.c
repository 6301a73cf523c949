/* The weights of an opened model: in the bytes of the file, or copied. The numbers are the same. */
#include "inference/model.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <zlib.h>

static char best_path[160];

static void train_once(void) {
    sa_settings settings = small_settings();
    settings.hidden = 20; /* more than half of the file are weights */
    set_up();
    snprintf(best_path, sizeof best_path, "%s/best.safetensors", out_path);
    ck_assert_msg(train(&settings, false), "%s", error.text);
}

/* The weights as they stand in a file, one tensor after the other. */
static void expect_weights_of(const sa_container *file, const sa_model *model) {
    for (int i = 0; i < model->plan.count; i++) {
        const sa_param *param = &model->plan.item[i];
        const sa_tensor *tensor = sa_container_find(file, param->name);
        ck_assert_uint_eq(tensor->size, sa_param_size(param) * sizeof(float));
        ck_assert_mem_eq(model->values + param->offset, tensor->data, tensor->size);
    }
}

/* Opens a file and says whether the model uses the bytes that were read. */
static bool is_used_in_place(const char *path) {
    sa_container file;
    ck_assert_msg(sa_container_open(&file, path, 1, NULL, &error), "%s", error.text);
    const char *memory = file.memory, *end = memory + file.size;
    sa_model model;
    ck_assert_msg(sa_model_read(&model, &file, 1, &error), "%s", error.text);
    const char *values = (const char *)model.values;
    const bool in_place = model.memory == memory;
    ck_assert_int_eq(in_place, file.memory == NULL);
    ck_assert_int_eq(in_place, values > memory && values < end);
    expect_weights_of(&file, &model);
    sa_container_close(&file);
    sa_model_release(&model);
    return in_place;
}

START_TEST(a_file_of_weights_becomes_the_model) {
    ck_assert(is_used_in_place(best_path));
    sa_container file;
    ck_assert_msg(sa_container_open(&file, best_path, 1, NULL, &error), "%s", error.text);
    ck_assert_uint_eq((uintptr_t)file.tensors[0].data % 64, 0);
    sa_container_close(&file);
}
END_TEST

/* Adam's two memories are twice the weights: nobody wants to keep them only to translate. */
START_TEST(the_state_of_a_training_is_not_kept) {
    ck_assert(!is_used_in_place(last_path));
}
END_TEST

/* A file that somebody else wrote, its tensors in the opposite order. */
START_TEST(weights_in_another_order_are_copied) {
    sa_container file;
    ck_assert_msg(sa_container_open(&file, best_path, 1, NULL, &error), "%s", error.text);
    sa_tensor *tensors = sa_new(file.count, sizeof *tensors, NULL);
    for (size_t i = 0; i < file.count; i++) tensors[i] = file.tensors[file.count - 1 - i];
    const char *keys[] = {"settings", "spaced_marks", "core", "program"};
    sa_metadata texts[4];
    for (size_t i = 0; i < 4; i++)
        texts[i] = (sa_metadata){keys[i], sa_container_metadata(&file, keys[i])};
    ck_assert_msg(sa_container_write(scratch_path("turned"), tensors, file.count, texts, 4, &error),
                  "%s", error.text);
    ck_assert(!is_used_in_place(scratch_path("turned")));
    free(tensors);
    sa_container_close(&file);
}
END_TEST

/* Bytes in memory are their owner's. */
START_TEST(a_container_in_memory_keeps_its_bytes) {
    size_t size;
    sa_container file;
    sa_model model;
    char *bytes = scratch_read(best_path, &size);
    ck_assert_msg(sa_container_read(&file, "m", bytes, size, &error), "%s", error.text);
    ck_assert_msg(sa_model_read(&model, &file, 1, &error), "%s", error.text);
    expect_weights_of(&file, &model);
    sa_container_close(&file);
    memset(bytes, 0xff, size); /* whatever becomes of them, the model has weights of its own */
    free(bytes);
    ck_assert_msg(sa_container_open(&file, best_path, 1, NULL, &error), "%s", error.text);
    expect_weights_of(&file, &model);
    sa_container_close(&file);
    sa_model_release(&model);
}
END_TEST

/* ---- Numbers that are not finite, or denormal ------------------------------------------------ */

/* Trains a model whose file is checked in several pieces. */
static void train_large(void) {
    sa_settings settings = small_settings();
    settings.hidden = 120, settings.steps = 1;
    set_up();
    snprintf(best_path, sizeof best_path, "%s/best.safetensors", out_path);
    ck_assert_msg(train(&settings, false), "%s", error.text);
}

/* Writes a copy of the file with another number at this byte of its data, and a right checksum. */
static void change(size_t at, float number) {
    size_t size;
    uint64_t header;
    char *bytes = scratch_read(best_path, &size);
    memcpy(&header, bytes, sizeof header);
    memcpy(bytes + sizeof header + header + at, &number, sizeof number);
    const uint32_t sum = (uint32_t)crc32(0, (unsigned char *)bytes, (uInt)size - 4);
    memcpy(bytes + size - 4, &sum, sizeof sum);
    scratch_write("changed", bytes, size);
    free(bytes);
}

static void expect_changed(const sa_container *file, size_t at) {
    char message[160] = "";
    for (size_t i = 0; i < file->count; i++) {
        const sa_tensor *tensor = &file->tensors[i];
        const size_t begin =
            (size_t)((const char *)tensor->data - (const char *)file->tensors[0].data);
        if (at >= begin && at < begin + tensor->size)
            snprintf(message, sizeof message, "changed: tensor '%s' is not finite at number %zu",
                     tensor->name, (at - begin) / sizeof(float));
    }
    change(at, NAN);
    ck_assert(!sa_model_open("changed", 1, &error));
    ck_assert_str_eq(error.text, message);
    ck_assert_int_eq(error.code, SA_DATA);
    change(at, 1e-40f);
    sa_model *model = sa_model_open("changed", 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    ck_assert_uint_eq(sa_model_denormals(model), 1);
    sa_model_close(model);
}

/* The first and the last number of the first, the second and the last piece. */
START_TEST(every_piece_is_checked) {
    enum { PIECE = SA_CONTAINER_PIECE, NUMBER = sizeof(float) };
    sa_container file;
    ck_assert_int_eq(chdir(scratch), 0);
    ck_assert_msg(sa_container_open(&file, best_path, 1, NULL, &error), "%s", error.text);
    size_t size = 0; /* of the weights, which the vocabularies follow */
    for (size_t i = 0; i < file.count && file.tensors[i].type == SA_F32; i++)
        size += file.tensors[i].size;
    ck_assert_uint_gt(size, 2 * PIECE + NUMBER);
    const size_t places[] = {0,
                             PIECE - NUMBER,
                             PIECE,
                             2 * PIECE - NUMBER,
                             2 * PIECE,
                             (size - 1) / PIECE * PIECE,
                             size - NUMBER};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) expect_changed(&file, places[i]);
    sa_container_close(&file);
}
END_TEST

int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

/* Threads of its own would compete with those of the pool. */
START_TEST(a_model_makes_products_single_threaded) {
    openblas_set_num_threads(2);
    sa_model *model = sa_model_open(best_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    ck_assert_int_eq(openblas_get_num_threads(), 1);
    sa_model_close(model);
}
END_TEST

/* The least and the greatest normal numbers are normal. */
START_TEST(normal_numbers_are_told_from_others) {
    static const struct {
        float number;
        bool normal;
    } cases[] = {{0, true},       {-0.0F, true},        {FLT_MIN, true},   {-FLT_MIN, true},
                 {FLT_MAX, true}, {-FLT_MAX, true},     {INFINITY, false}, {NAN, false},
                 {1e-40F, false}, {FLT_TRUE_MIN, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const float numbers[] = {1, cases[i].number, -2};
        ck_assert_int_eq(sa_model_numbers_normal(numbers, sizeof numbers), cases[i].normal);
    }
}
END_TEST

/* A vocabulary's text is counted with 31 bits in a file. */
START_TEST(a_vocabulary_is_as_large_as_a_file_holds) {
    for (int side = 0; side < 2; side++)
        for (size_t more = 0; more < 2; more++) {
            sa_model model = {.plan.size = 1};
            (side ? &model.target : &model.source)->vocab.text.size = INT_MAX + more;
            ck_assert_int_eq(sa_model_fits_in_file(&model, 0, &error), !more);
            ck_assert(!more || error.code == SA_LIMIT);
        }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("opened", &tests);
    tcase_add_checked_fixture(tests, train_once, scratch_remove);
    tcase_add_test(tests, a_file_of_weights_becomes_the_model);
    tcase_add_test(tests, the_state_of_a_training_is_not_kept);
    tcase_add_test(tests, weights_in_another_order_are_copied);
    tcase_add_test(tests, a_container_in_memory_keeps_its_bytes);
    tcase_add_test(tests, a_model_makes_products_single_threaded);
    TCase *plain = tcase_create("plain");
    tcase_add_test(plain, normal_numbers_are_told_from_others);
    tcase_add_test(plain, a_vocabulary_is_as_large_as_a_file_holds);
    suite_add_tcase(suite, plain);
    TCase *large = tcase_create("large");
    tcase_add_checked_fixture(large, train_large, scratch_remove);
    tcase_add_test(large, every_piece_is_checked);
    suite_add_tcase(suite, large);
    return suite_run(suite);
}
