/* Trainings and models with --precision bf16 (tensor/bf16.h): the same bits with any number of
 * threads, after a resume, beside another precision in the same process, and in any batch. */
#include "support/small_training.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdlib.h>

/* An odd number of units: the gates' blocks begin and end within pairs. */
static sa_settings settings_of(int precision, bool transformer) {
    sa_settings settings = small_settings();
    settings.precision = precision;
    settings.batch = 20, settings.shards = 2, settings.steps = 12;
    if (transformer)
        settings.model = SA_MODEL_TRANSFORMER, settings.ffn = 7;
    else
        settings.hidden = settings.attn = 5;
    return settings;
}

typedef struct training {
    sa_settings settings;
    const char *name; /* of the folder */
    bool resume, good;
    double loss;
    char *bytes; /* of its last.safetensors */
    size_t size;
} training;

static void *run(void *context) {
    training *own = context;
    char folder[160], path[200];
    sa_train_result outcome;
    snprintf(folder, sizeof folder, "%s-%s", out_path, own->name);
    snprintf(path, sizeof path, "%s/last.safetensors", folder);
    const sa_train_options options = {.settings = &own->settings,
                                      .train = train_path,
                                      .valid = train_path,
                                      .out = folder,
                                      .resume = own->resume};
    own->good = sa_train(&options, &outcome, NULL);
    own->loss = outcome.best_loss;
    own->bytes = scratch_read(path, &own->size);
    return NULL;
}

static training trained(const char *name, sa_settings settings) {
    training own = {.settings = settings, .name = name};
    run(&own);
    ck_assert(own.good);
    return own;
}

static bool same(const training *a, const training *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

START_TEST(threads_and_resuming_change_no_bit) {
    sa_settings settings = settings_of(SA_PRECISION_BF16, _i);
    training one = trained("one", settings), two, parts;
    settings.threads = 2;
    two = trained("two", settings);
    ck_assert(same(&one, &two));
    settings.steps = 5;
    parts = trained("parts", settings);
    ck_assert(!same(&one, &parts));
    free(parts.bytes);
    parts.resume = true, parts.settings = settings_of(SA_PRECISION_BF16, _i);
    run(&parts);
    ck_assert(parts.good && same(&one, &parts));
    free(one.bytes), free(two.bytes), free(parts.bytes);
}
END_TEST

START_TEST(two_precisions_in_one_process) {
    training alone[2], beside[2];
    pthread_t thread[2];
    for (int p = 0; p < 2; p++) {
        alone[p] = trained(p ? "bf16" : "float32", settings_of(p, _i));
        beside[p] = (training){.settings = settings_of(p, _i), .name = p ? "bf16b" : "float32b"};
    }
    ck_assert(!same(&alone[0], &alone[1]));
    for (int p = 0; p < 2; p++)
        ck_assert_int_eq(pthread_create(&thread[p], NULL, run, &beside[p]), 0);
    for (int p = 0; p < 2; p++) {
        pthread_join(thread[p], NULL);
        ck_assert(beside[p].good && same(&alone[p], &beside[p]));
        free(alone[p].bytes), free(beside[p].bytes);
    }
}
END_TEST

START_TEST(a_toy_is_learned) {
    sa_settings settings = settings_of(SA_PRECISION_BF16, _i);
    settings.steps = 300, settings.valid_every = 100, settings.lr = 0.01;
    settings.embed = settings.hidden = settings.attn = settings.maxout = settings.ffn = 32;
    training own = trained("toy", settings);
    ck_assert_double_lt(own.loss, 0.2);
    free(own.bytes);
}
END_TEST

/* ---- Models ---------------------------------------------------------------------------------- */

enum { SENTENCES = 7 };
static const char *const sources[SENTENCES] = {"w1 w0", "w5 w2", "w9 w4",   "w20 w10",
                                               "w8 w4", "w7",    "w3 w3 w3"};

static void translate(sa_model *model, int batch, double log_p[SENTENCES]) {
    sa_search search;
    sa_translation *out = calloc(SENTENCES, sizeof *out);
    sa_search_init(&search);
    search.batch = batch;
    ck_assert_msg(sa_translate(model, sources, SENTENCES, &search, out, &error), "%s", error.text);
    for (int i = 0; i < SENTENCES; i++) log_p[i] = out[i].log_probability;
    sa_translations_release(out, SENTENCES);
    free(out);
}

/* A model is used in float32, also after a training in bf16; a batch of one is one of many. */
START_TEST(a_model_has_the_precision_it_is_given) {
    char path[200];
    double at_first[SENTENCES], in_bf16[SENTENCES], alone[SENTENCES], again[SENTENCES];
    training own = trained("model", settings_of(SA_PRECISION_BF16, _i));
    snprintf(path, sizeof path, "%s-model/last.safetensors", out_path);
    sa_model *model = sa_model_open(path, 1, &error), *beside = sa_model_open(path, 2, &error);
    ck_assert(model && beside);
    translate(model, SENTENCES, at_first);
    ck_assert(sa_model_set_precision(model, SA_PRECISION_BF16, &error));
    translate(model, SENTENCES, in_bf16), translate(model, 1, alone);
    translate(beside, SENTENCES, again);
    ck_assert_mem_eq(in_bf16, alone, sizeof alone);
    ck_assert_mem_eq(at_first, again, sizeof again);
    ck_assert(memcmp(at_first, in_bf16, sizeof at_first) != 0);
    for (int i = 0; i < SENTENCES; i++)
        ck_assert_double_eq_tol(at_first[i], in_bf16[i], -at_first[i] / 50);
    ck_assert(sa_model_set_precision(model, SA_PRECISION_FLOAT32, &error));
    translate(model, SENTENCES, again);
    ck_assert_mem_eq(at_first, again, sizeof again);
    sa_model_close(model), sa_model_close(beside);
    free(own.bytes);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("precision", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_loop_test(tests, threads_and_resuming_change_no_bit, 0, 2);
    tcase_add_loop_test(tests, two_precisions_in_one_process, 0, 2);
    if (!TEST_SANITIZED) tcase_add_loop_test(tests, a_toy_is_learned, 0, 2);
    tcase_add_loop_test(tests, a_model_has_the_precision_it_is_given, 0, 2);
    return suite_run(suite);
}
