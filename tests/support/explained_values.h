/* explained_values: the values of sa_lab_explain for one pair, by name, and the weights of the
 * model, for tests that compute the values again. */
#ifndef TEST_EXPLAINED_VALUES_H
#define TEST_EXPLAINED_VALUES_H

#include "lab/lab.h"
#include "layers/params.h"
#include "support/numbers.h"
#include "support/variants.h"

#include <stdio.h>
#include <stdlib.h>

enum { S = 6, T = 4, K = 9, LINES = 2048, WIDE = 64 };

static const int32_t source_ids[S] = {3, 7, SA_UNK, 5, 3, SA_EOS};
static const int32_t target_ids[T] = {4, 8, SA_UNK, SA_EOS};

static struct line {
    sa_explain_value head;
    char name[48], letters[64], equation[256], section[48], citation[96];
    double *number;
} lines[LINES];
static int count;

static sa_params plan;
static float *values;
static sa_settings settings;
static float enlarge = 1; /* factor of all weights */

static inline void *copy_of(const void *from, size_t size) {
    void *copy = malloc(size + 1);
    ck_assert_ptr_nonnull(copy);
    return size ? memcpy(copy, from, size) : copy;
}

static inline void collect(void *context, const sa_explain_pair *pair,
                           const sa_explain_value *line) {
    struct line *to = &lines[count++];
    const size_t size = (size_t)line->rows * (size_t)line->cols;
    (void)context, (void)pair;
    ck_assert_int_lt(count, LINES);
    to->head = *line;
    snprintf(to->name, sizeof to->name, "%s", line->name);
    snprintf(to->letters, sizeof to->letters, "%s", line->letters);
    snprintf(to->equation, sizeof to->equation, "%s", line->equation ? line->equation : "");
    snprintf(to->section, sizeof to->section, "%s", line->section ? line->section : "");
    snprintf(to->citation, sizeof to->citation, "%s", line->citation ? line->citation : "");
    to->number = copy_of(line->numbers, size * sizeof(double));
    ck_assert_ptr_null(line->row);
    ck_assert(line->equation || !line->citation);
}

/* The line of that name, step (0: of the source) and head, or NULL. */
static inline const struct line *find(int step, int head, const char *name) {
    for (int i = 0; i < count; i++)
        if (lines[i].head.step == step && lines[i].head.head == head &&
            strcmp(lines[i].name, name) == 0)
            return &lines[i];
    return NULL;
}

static inline const double *get(int step, int head, const char *name) {
    const struct line *line = find(step, head, name);
    ck_assert_msg(line, "no %s in step %d", name, step);
    return line->number;
}

/* ---- Weights --------------------------------------------------------------------------------- */

static inline const sa_param *param(const char *part, const char *name) {
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", part, name);
    for (int i = 0; i < plan.count; i++)
        if (strcmp(plan.item[i].name, whole) == 0) return &plan.item[i];
    return NULL;
}

static inline double weight(const sa_param *p, int row, int col) {
    return (double)values[p->offset + (size_t)row * (size_t)p->cols + (size_t)col];
}

/* out += W x with rows first .. of W, if the model has it. */
static void add_rows(const char *part, const char *name, int first, int rows, const double *x,
                     double *out) {
    const sa_param *p = param(part, name);
    for (int i = 0; p && i < rows; i++)
        for (int k = 0; k < p->cols; k++) out[i] += weight(p, first + i, k) * x[k];
}

static inline void add_bias(const char *part, const char *name, double *out) {
    const sa_param *p = param(part, name);
    for (int i = 0; p && i < p->cols; i++) out[i] += weight(p, 0, i);
}

static inline void add_product(const char *part, const char *name, const double *x, double *out) {
    const sa_param *p = param(part, name);
    if (p) add_rows(part, name, 0, p->rows, x, out);
}

static inline void same(const char *what, int step, const double *a, const double *b, int size) {
    for (int k = 0; k < size; k++)
        ck_assert_msg(fabs(a[k] - b[k]) <= 1e-12 * fmax(1, fabs(b[k])),
                      "%s[%d] of step %d: %g, not %g", what, k, step, a[k], b[k]);
}

static inline double sigma(double a) {
    return 1 / (1 + exp(-a));
}

/* ---- The explanation ------------------------------------------------------------------------- */

static inline void draw_weights(void) {
    const sa_sizes sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    values = malloc(plan.size * sizeof *values);
    for (size_t k = 0; k < plan.size; k++)
        values[k] = enlarge * (float)(2 * sa_rng_uniform(&dice) - 1);
}

static inline bool explain_drawn(const sa_explain_options *options, sa_error *error) {
    const sa_sentence source = {source_ids, S}, target = {target_ids, T};
    sa_explain_options own = *options;
    own.each = collect;
    const sa_lab_explain_job job = {.settings = &settings,
                                    .values = values,
                                    .pair = {&source, &target, 1, K, K},
                                    .options = &own};
    return sa_lab_explain(&job, error);
}

static inline bool explain_with(const sa_explain_options *options, sa_error *error) {
    draw_weights();
    return explain_drawn(options, error);
}

static inline bool explain(int step, sa_error *error) {
    return explain_with(&(sa_explain_options){.step = step}, error);
}

static inline void release(void) {
    for (int i = 0; i < count; i++) free(lines[i].number);
    free(values), values = NULL;
    count = 0;
    numbers_close();
}

#endif
