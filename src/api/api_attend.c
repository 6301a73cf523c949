/* attending: attention on numbers of one's own, sa_attend of softalign.h: do the tables fit? */
#include "attention/score.h"
#include "base/memory.h"
#include "config/settings.h"
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 512 };

/* ---- What messages call a table ---------------------------------------------------------------
 */

static bool is_given(sa_table table) {
    return table.numbers != NULL;
}

/* "--query q.csv is 2 x 4" */
static const char *shape_text(char *text, const char *option, sa_table table) {
    snprintf(text, TEXT, "%s%s%s is %d x %d", option, table.name ? " " : "",
             table.name ? table.name : "", table.rows, table.cols);
    return text;
}

static bool fail_shapes(const char *option, sa_table table, const char *other_option,
                        sa_table other, const char *why, sa_error *error) {
    char one[TEXT], two[TEXT];
    return sa_fail(error, SA_DATA, "%s, %s: %s", shape_text(one, option, table),
                   shape_text(two, other_option, other), why);
}

/* ---- One table and its projection -------------------------------------------------------------
 */

/* A table of the job with the names of its options, and the columns it has once projected. */
typedef struct operand {
    const char *option, *map_option, *bias_option;
    sa_table table;
    const sa_projection *map;
    int cols;
} operand;

static bool is_vector(sa_table table, int size) {
    return (table.rows == 1 || table.cols == 1) && table.rows * table.cols == size;
}

static bool check_table(const char *option, sa_table table, sa_error *error) {
    return (table.rows > 0 && table.cols > 0) ||
           sa_fail(error, SA_USAGE, "%s: a table has rows and columns", option);
}

static bool project(operand *one, sa_error *error) {
    const sa_table x = one->table, W = one->map->W, b = one->map->b;
    one->cols = x.cols;
    if (is_given(b) && !is_given(W))
        return sa_fail(error, SA_USAGE, "%s needs %s", one->bias_option, one->map_option);
    if (!is_given(W)) return true;
    if (!check_table(one->map_option, W, error)) return false;
    if (W.cols != x.cols)
        return fail_shapes(one->option, x, one->map_option, W,
                           "a projection has a row for every number that comes out and a column "
                           "for every number that goes in",
                           error);
    if (is_given(b) && !is_vector(b, W.rows))
        return fail_shapes(one->map_option, W, one->bias_option, b,
                           "a bias has one number for every row of the projection", error);
    one->cols = W.rows;
    return true;
}

static bool open_operand(operand *one, sa_error *error) {
    if (!is_given(one->table)) return sa_fail(error, SA_USAGE, "%s is missing", one->option);
    return check_table(one->option, one->table, error) && project(one, error);
}

/* Fails about two sides, as they are after their projections. */
static bool fail_operands(const operand *one, const operand *other, const char *why,
                          sa_error *error) {
    char texts[2][TEXT], after[2][TEXT] = {"", ""};
    const operand *both[] = {one, other};
    for (int i = 0; i < 2; i++) {
        shape_text(texts[i], both[i]->option, both[i]->table);
        if (is_given(both[i]->map->W))
            snprintf(after[i], TEXT, " (%d x %d by %s)", both[i]->table.rows, both[i]->cols,
                     both[i]->map_option);
    }
    return sa_fail(error, SA_DATA, "%s%s, %s%s: %s", texts[0], after[0], texts[1], after[1], why);
}

/* ---- All of them ------------------------------------------------------------------------------
 */

typedef struct operands {
    const sa_score *score;
    operand query, keys, values, output;
} operands;

static operands operands_of(const sa_attend_options *job) {
    const bool self =
        job->query.numbers == job->keys.numbers && job->keys.numbers == job->values.numbers;
    return (operands){
        &sa_scores[job->attention],
        {self ? "--self" : "--query", "--project-query", "--bias-query", job->query,
         &job->query_projection, 0},
        {self ? "--self" : "--keys", "--project-keys", "--bias-keys", job->keys,
         &job->keys_projection, 0},
        {self ? "--self" : "--values", "--project-values", "--bias-values", job->values,
         &job->values_projection, 0},
        {"the context", "--project-output", "--bias-output", {0}, &job->output_projection, 0},
    };
}

static bool divides_by_heads(const operand *one, int heads, sa_error *error) {
    char text[TEXT];
    if (one->cols % heads == 0) return true;
    return sa_fail(error, SA_USAGE, "--heads %d: %s; its %d columns%s cannot be shared out equally",
                   heads, shape_text(text, one->option, one->table), one->cols,
                   is_given(one->map->W) ? " once projected" : "");
}

static bool check_vector(const operands *all, sa_table v_a, sa_error *error) {
    if (!is_given(v_a)) return true;
    if (!all->score->vector)
        return sa_fail(error, SA_USAGE, "--vector: --attention %s has no v_a", all->score->name);
    const sa_projection map = {.W = {.numbers = NULL}};
    const operand vector = {.option = "--vector", .table = v_a, .map = &map, .cols = v_a.cols};
    return is_vector(v_a, all->keys.cols) ||
           fail_operands(&all->keys, &vector, "v_a has one number for every number of a key",
                         error);
}

static bool check_keys(operands *all, const sa_attend_options *job, sa_error *error) {
    const operand *query = &all->query, *keys = &all->keys;
    if (!open_operand(&all->keys, error) || !divides_by_heads(keys, job->heads, error))
        return false;
    if (keys->table.rows != all->values.table.rows)
        return fail_operands(keys, &all->values, "every key has one value: as many rows", error);
    const bool whole = all->score->query == SA_QUERY_IDENTITY;
    if (query->cols != (whole ? keys->cols / job->heads : keys->cols))
        return fail_operands(query, keys,
                             whole && job->heads > 1
                                 ? "each head compares the whole query with its share of a key"
                                 : "a query and a key are compared: as many columns",
                             error);
    return true;
}

static bool check_scores(operands *all, const sa_attend_options *job, sa_error *error) {
    if (!open_operand(&all->query, error)) return false;
    if (all->score->query != SA_QUERY_IDENTITY && !divides_by_heads(&all->query, job->heads, error))
        return false;
    if (all->score->key != SA_KEY_NONE && !check_keys(all, job, error)) return false;
    return check_vector(all, job->v_a, error);
}

static bool check_given(const sa_attend_options *job, sa_error *error) {
    if (is_given(job->query) || is_given(job->keys) || job->heads > 1 || job->causal)
        return sa_fail(error, SA_USAGE,
                       "--given-weights takes the place of query, keys, heads and --causal");
    return check_table("--given-weights", job->weights, error) &&
           (job->weights.cols == job->values.rows ||
            fail_shapes("--given-weights", job->weights, "--values", job->values,
                        "a row of weights has one for every value", error));
}

/* Whether everything fits; the sides then know their columns. */
static bool check(operands *all, const sa_attend_options *job, sa_error *error) {
    if (!open_operand(&all->values, error) || !divides_by_heads(&all->values, job->heads, error))
        return false;
    const bool given = is_given(job->weights);
    if (!(given ? check_given(job, error) : check_scores(all, job, error))) return false;
    all->output.table =
        (sa_table){NULL, given ? job->weights.rows : job->query.rows, all->values.cols, NULL};
    return project(&all->output, error);
}

/* ---- The door ---------------------------------------------------------------------------------
 */

static bool check_choices(const sa_attend_options *job, sa_error *error) {
    int known = 0;
    while (sa_score_name((size_t)known)) known++;
    if (job->attention < 0 || job->attention >= known)
        return sa_fail(error, SA_USAGE, "no compatibility function has number %d", job->attention);
    return job->heads > 0 || sa_fail(error, SA_USAGE, "--heads %d: at least 1", job->heads);
}

static double *allocate(size_t heads, int rows, int cols, sa_error *error) {
    size_t count;
    if (__builtin_mul_overflow(heads * (size_t)rows, (size_t)cols, &count)) {
        sa_fail_memory(error, SIZE_MAX);
        return NULL;
    }
    return sa_new(count, sizeof(double), error);
}

static bool all_finite(const double *x, size_t count) {
    size_t i = 0;
    while (i < count && isfinite(x[i])) i++;
    return i == count;
}

static bool check_results(const sa_attend_result *out, sa_error *error) {
    const size_t Q = (size_t)out->queries;
    return (all_finite(out->weights, (size_t)out->heads * Q * (size_t)out->keys) &&
            all_finite(out->outputs, Q * (size_t)out->output)) ||
           sa_fail(error, SA_DATA,
                   "the numbers are too large: sums of products leave the range of "
                   "double precision");
}

bool sa_attend(const sa_attend_options *job, sa_attend_result *out, sa_error *error) {
    *out = (sa_attend_result){0};
    if (!check_choices(job, error)) return false;
    operands all = operands_of(job);
    if (!check(&all, job, error)) return false;
    *out = (sa_attend_result){.queries = all.output.table.rows,
                              .keys = job->values.rows,
                              .heads = job->heads,
                              .context = all.values.cols,
                              .default_v_a = all.score->vector && !is_given(job->weights) &&
                                             !is_given(job->v_a),
                              .output = all.output.cols};
    const size_t H = (size_t)job->heads;
    out->weights = allocate(H, out->queries, out->keys, error);
    out->contexts = out->weights ? allocate(1, out->queries, out->context, error) : NULL;
    out->outputs = out->contexts ? allocate(1, out->queries, out->output, error) : NULL;
    bool good = out->outputs != NULL;
    if (good && !is_given(job->weights))
        good = (out->scores = allocate(H, out->queries, out->keys, error)) != NULL;
    good = good && sa_lab_attend(job, out, error) && check_results(out, error);
    if (!good) sa_attend_result_release(out);
    return good;
}

void sa_attend_result_release(sa_attend_result *attended) {
    free(attended->scores);
    free(attended->weights);
    free(attended->contexts);
    free(attended->outputs);
    *attended = (sa_attend_result){0};
}
