/* The loss and every gradient of some models, compared with an independent implementation
 * (scripts/dev/torch_reference.py --golden). */
#include "base/container.h"
#include "config/settings.h"
#include "model/seq2seq.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sa_container golden;

static const sa_tensor *find(const char *name) {
    const sa_tensor *tensor = sa_container_find(&golden, name);
    ck_assert_msg(tensor, "no tensor %s", name);
    return tensor;
}

/* Splits NAME.ids into sentences, which point into `ids`. */
static int read_side(const char *side, int32_t *ids, sa_sentence *sentences) {
    char name[32];
    snprintf(name, sizeof name, "%s.ids", side);
    memcpy(ids, find(name)->data, find(name)->size);
    snprintf(name, sizeof name, "%s.len", side);
    int count = find(name)->shape[0];
    for (int i = 0; i < count; i++) {
        int32_t len;
        memcpy(&len, (const char *)find(name)->data + 4 * i, sizeof len);
        sentences[i] = (sa_sentence){ids, len};
        ids += len;
    }
    return count;
}

/* ||a-b|| over the larger norm; infinite when one is zero, which no gradient of the file is. */
static double difference(const double *a, const double *b, size_t count) {
    double apart = 0, of_a = 0, of_b = 0;
    for (size_t i = 0; i < count; i++) {
        apart += (a[i] - b[i]) * (a[i] - b[i]);
        of_a += a[i] * a[i];
        of_b += b[i] * b[i];
    }
    return of_a > 0 && of_b > 0 ? sqrt(apart / fmax(of_a, of_b)) : HUGE_VAL;
}

static void load_values(const sa_params *plan, double *values) {
    for (int i = 0; i < plan->count; i++) {
        const sa_param *param = &plan->item[i];
        const sa_tensor *tensor = find(param->name);
        ck_assert_int_eq(tensor->type, SA_F64);
        ck_assert_int_eq(tensor->rank, param->rows ? 2 : 1);
        ck_assert_int_eq(tensor->shape[tensor->rank - 1], param->cols);
        ck_assert_uint_eq(tensor->size, sa_param_size(param) * sizeof *values);
        memcpy(values + param->offset, tensor->data, tensor->size);
    }
}

static void compare_gradients(const sa_params *plan, const double *gradients) {
    double wanted[256];
    for (int i = 0; i < plan->count; i++) {
        const sa_param *param = &plan->item[i];
        char name[64];
        snprintf(name, sizeof name, "gradient.%s", param->name);
        const sa_tensor *tensor = find(name);
        ck_assert_uint_le(tensor->size, sizeof wanted);
        memcpy(wanted, tensor->data, tensor->size);
        double apart = difference(gradients + param->offset, wanted, sa_param_size(param));
        ck_assert_msg(apart <= 1e-12, "%s: %.2e", param->name, apart);
    }
}

/* Together: every decoder, cell and encoder, both resets, heads, a window, input feeding; both
 * norms of the Transformer, both kinds of positions, both ways to tie, label smoothing. */
static const char *const names[] = {
    "rnnsearch-additive",
    "rnnsearch-scaled-dot",
    "cho2014-gru",
    "sutskever2014-lstm",
    "luong2015-local",
    "dl4mt-cgru",
    "heads-rnn",
    "transformer-post",
    "transformer-pre-learned-tied-smoothed",
    "transformer-additive",
};
enum { NAMES = sizeof names / sizeof *names };

START_TEST(loss_and_gradients_of_the_reference) {
    char path[512];
    snprintf(path, sizeof path, TEST_ROOT "/tests/golden/%s.safetensors", names[_i]);
    sa_error error;
    ck_assert_msg(sa_container_open(&golden, path, 1, NULL, &error), "%s", error.text);
    sa_settings settings;
    sa_settings_init(&settings);
    ck_assert_msg(
        sa_settings_read(&settings, sa_container_metadata(&golden, "settings"), path, &error), "%s",
        error.text);
    const char *source_E = settings.tie == SA_TIE_THREE ? "target.E" : "source.E";
    const sa_sizes sizes =
        sa_sizes_of(&settings, find(source_E)->shape[0], find("target.E")->shape[0]);
    static sa_params plan;
    sa_seq2seq_plan(&sizes, &plan);
    /* weights and gradients, loss, and the two sides' ids and lengths: nothing else is in the file
     */
    ck_assert_uint_eq(golden.count, 2 * (size_t)plan.count + 5);
    double *values = calloc(plan.size, sizeof *values),
           *gradients = calloc(plan.size, sizeof *values);
    load_values(&plan, values);
    sa_seq2seq w, dw;
    sa_seq2seq_bind_buffer(&sizes, values, &w);
    sa_seq2seq_bind_buffer(&sizes, gradients, &dw);

    int32_t source_ids[32], target_ids[32];
    sa_sentence source[8], target[8];
    int count = read_side("source", source_ids, source);
    ck_assert_int_eq(read_side("target", target_ids, target), count);
    sa_arena arena;
    ck_assert(sa_arena_init(&arena, 1 << 20, &error));
    sa_batch batch = sa_batch_build(&arena, source, target, count);
    sa_pass pass;
    sa_pass_layout(&arena, &w, &batch, true, &pass);
    const sa_regularizer regularizer = {.smoothing = settings.label_smoothing};
    sa_seq2seq_loss(&w, &batch, regularizer, &pass, &dw);
    double loss = 0, wanted;
    for (int i = 0; i < batch.target.words; i++) loss -= pass.objective[i] / count;
    memcpy(&wanted, find("loss")->data, sizeof wanted);
    ck_assert_double_le(difference(&loss, &wanted, 1), 1e-12);
    compare_gradients(&plan, gradients);

    sa_arena_release(&arena);
    free(values);
    free(gradients);
    sa_container_close(&golden);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("golden");
    TCase *tests = tcase_create("golden");
    tcase_add_loop_test(tests, loss_and_gradients_of_the_reference, 0, NAMES);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
