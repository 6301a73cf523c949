/* A relative error of 1e-5 in one element of one tensor's gradient is found, in every tensor of
 * four kinds of models, and no other tensor is reported; what is said of a tensor that is wrong as
 * a whole. The linker (--wrap) adds the error after the backward pass. */
#include "lab/lab.h"
#include "lab/lab_model.h"
#include "support/suite.h"
#include "support/variants.h"

#include <math.h>
#include <stdio.h>

static int altered;       /* the tensor; -1: none */
static double factor;     /* of the whole tensor; 1: of its largest element alone, 1 + 1e-5 */
static double next = 1;   /* factor of the tensor after it */
static int found;         /* tensors reported as wrong */
static char wrong[2][48]; /* the first of them */
static bool right;        /* the wrong one is among them, with the right error */
static int tensor;        /* the next one to be checked */

__typeof__(sa_lab_model_loss) __real_sa_lab_model_loss, __wrap_sa_lab_model_loss;
double __wrap_sa_lab_model_loss(sa_lab_model *model, bool backward) {
    const double loss = __real_sa_lab_model_loss(model, backward);
    if (!backward || altered < 0) return loss;
    const sa_param *param = &model->plan->item[altered];
    double *largest = model->gradients + param->offset;
    for (size_t k = 0; k < sa_param_size(param); k++)
        if (fabs(model->gradients[param->offset + k]) > fabs(*largest))
            largest = model->gradients + param->offset + k;
    for (size_t k = 0; factor != 1 && k < sa_param_size(param); k++)
        model->gradients[param->offset + k] *= factor;
    for (size_t k = 0; next != 1 && k < sa_param_size(param + 1); k++)
        model->gradients[param[1].offset + k] *= next;
    if (factor == 1) *largest *= 1 + 1e-5;
    return loss;
}

static void judge(void *context, const sa_gradient_result *gradient) {
    (void)context;
    if (!gradient->ok && found < 2) snprintf(wrong[found], sizeof *wrong, "%s", gradient->name);
    found += !gradient->ok;
    if (tensor++ == altered) right = !gradient->ok && fabs(gradient->worst_element - 1e-5) < 1e-6;
}

static const struct {
    int model;
    const char *options[8]; /* names and values */
} kinds[] = {
    {SA_MODEL_RECURRENT, {NULL}},
    {SA_MODEL_RECURRENT, {"decoder", "luong", "attention", "general", "cell", "lstm"}},
    {SA_MODEL_RECURRENT, {"decoder", "cgru", "attention", "additive"}},
    {SA_MODEL_TRANSFORMER, {NULL}},
};

static sa_settings settings_of(int kind) {
    sa_settings settings = small_of(kinds[kind].model);
    sa_error error;
    for (const char *const *at = kinds[kind].options; *at; at += 2)
        ck_assert_msg(sa_settings_set(&settings, at[0], at[1], &error), "%s", error.text);
    fit_together(&settings);
    return settings;
}

/* The largest element is not zero, so that a relative error changes it. It is in every sample; that
 * all others are right is shown once. */
START_TEST(every_altered_tensor_is_found) {
    const sa_settings settings = settings_of(_i);
    sa_lab_job job = {.options.settings = &settings, .options.each = judge};
    sa_error error;
    int good = 0, tensors = 1;
    altered = -1, tensor = found = 0, factor = 1;
    ck_assert_msg(sa_lab_check(&job, &error), "%s", error.text);
    job.sample = 8;
    for (altered = 0, tensors = tensor; altered < tensors; altered++) {
        tensor = found = 0, right = false;
        const bool passed = sa_lab_check(&job, &error);
        good += !passed && right && found == 1;
        if (passed || !right || found != 1) printf("tensor %d: %d found\n", altered, found);
    }
    printf("altered gradients found: %d/%d\n", good, tensors);
    ck_assert_int_eq(good, tensors);
}
END_TEST

/* The error relative to the larger of both: |a - n| / max(|a|, |n|) of a = factor n. */
START_TEST(the_kind_of_error_is_told) {
    static const struct {
        double factor;
        const char *error, *meaning;
    } cases[] = {
        {0, "1", "it is missing, or should be zero"},
        {-1, "2", "its sign is wrong"},
        {1.5, "0.333", "a factor is wrong, or a term is missing"},
        {-0.5, "1.5", "a factor is wrong, or a term is missing"},
        {NAN, "inf", "it has a number that is NaN or infinite"},
    };
    const sa_settings settings = settings_of(0);
    const sa_lab_job job = {.options.settings = &settings, .options.each = judge};
    char wanted[256];
    sa_error error;
    for (int i = 0; i < 5; i++) {
        altered = 3, tensor = found = 0, factor = cases[i].factor;
        ck_assert(!sa_lab_check(&job, &error));
        ck_assert_int_eq(error.code, SA_CHECK);
        const char *name = strchr(error.text, '\'') + 1;
        snprintf(wanted, sizeof wanted,
                 "gradient of '%.*s' is wrong: relative error %s, allowed 1e-06: %s (of 1 wrong "
                 "ones it is nearest to the fault)",
                 (int)strcspn(name, "'"), name, cases[i].error, cases[i].meaning);
        ck_assert_str_eq(error.text, wanted);
        ck_assert_int_eq(found, 1);
    }
    altered = 3, tensor = found = 0, factor = 1; /* of one element */
    ck_assert(!sa_lab_check(&job, &error));
    ck_assert_msg(strstr(error.text, ": a factor is wrong, or a term is missing"), "%s",
                  error.text);
}
END_TEST

/* Of two tensors that of the larger error, unless the error of the later one, which the backward
 * pass has visited before, is at least half as large. */
START_TEST(the_nearest_to_the_fault_is_told) {
    static const struct {
        double next;
        int named;
        const char *error, *meaning;
    } cases[] = {{0.1, 0, "2", "its sign is wrong"}, /* 0.9 beside 2 */
                 {-0.1, 1, "1.1", "a factor is wrong, or a term is missing"}};
    const sa_settings settings = settings_of(0);
    const sa_lab_job job = {.options.settings = &settings, .options.each = judge};
    char wanted[256];
    sa_error error;
    for (int i = 0; i < 2; i++) {
        altered = 3, tensor = found = 0, factor = -1, next = cases[i].next;
        const bool good = sa_lab_check(&job, &error);
        next = 1;
        ck_assert(!good);
        ck_assert_int_eq(found, 2);
        snprintf(wanted, sizeof wanted,
                 "gradient of '%s' is wrong: relative error %s, allowed 1e-06: %s (of 2 wrong ones "
                 "it is nearest to the fault)",
                 wrong[cases[i].named], cases[i].error, cases[i].meaning);
        ck_assert_str_eq(error.text, wanted);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("altered gradients", &tests);
    tcase_add_loop_test(tests, every_altered_tensor_is_found, 0, sizeof kinds / sizeof *kinds);
    tcase_add_test(tests, the_kind_of_error_is_told);
    tcase_add_test(tests, the_nearest_to_the_fault_is_told);
    return suite_run(suite);
}
