/* sa_attend against PyTorch's attention (scripts/dev/reference/attend_golden.py), against sums by
 * hand; its messages when tables do not fit. */
#include "support/suite.h"

#include <jansson.h>
#include <math.h>
#include <softalign/lab.h>
#include <string.h>

static sa_error error;
static sa_attend_result out;

static int choice(const char *wanted) {
    for (size_t i = 0; sa_attention_info(i, NULL, NULL); i++)
        if (strcmp(sa_attention_info(i, NULL, NULL), wanted) == 0) return (int)i;
    ck_abort_msg("no attention %s", wanted);
}

#define TABLE(rows, cols, ...)                                                                     \
    (sa_table) {                                                                                   \
        NULL, rows, cols, (const double[]) {                                                       \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static void attend(const sa_attend_options *job) {
    ck_assert_msg(sa_attend(job, &out, &error), "%s", error.text);
}

static void near(const double *got, const double *wanted, int count) {
    for (int i = 0; i < count; i++)
        ck_assert_msg(fabs(got[i] - wanted[i]) <= 1e-15 * fmax(1, fabs(wanted[i])),
                      "number %d: %.17g, expected %.17g", i, got[i], wanted[i]);
}

/* ---- Golden numbers -------------------------------------------------------------------------- */

/* Appends the numbers of nested lists, one after another. */
static void flatten(const json_t *list, double *to, size_t *count) {
    if (json_is_number(list)) {
        to[(*count)++] = json_number_value(list);
        return;
    }
    for (size_t i = 0; i < json_array_size(list); i++) flatten(json_array_get(list, i), to, count);
}

/* Buffers for the tables of one case. */
static double numbers[16][1024];
static int used;

/* A matrix, or a vector as a row. */
static sa_table table(const json_t *object, const char *name) {
    const json_t *list = json_object_get(object, name);
    if (!list) return (sa_table){0};
    size_t count = 0;
    ck_assert_int_lt(used, 16);
    flatten(list, numbers[used], &count);
    const bool matrix = json_is_array(json_array_get(list, 0));
    const int rows = matrix ? (int)json_array_size(list) : 1;
    return (sa_table){name, rows, (int)count / rows, numbers[used++]};
}

static sa_attend_options read_case(const json_t *one) {
    const json_t *tables = json_object_get(one, "tables");
    used = 0;
    const bool self = json_object_get(tables, "self");
    const sa_table all = table(tables, "self");
    return (sa_attend_options){
        .attention = choice(json_string_value(json_object_get(one, "attention"))),
        .heads = (int)json_integer_value(json_object_get(one, "heads")),
        .causal = json_is_true(json_object_get(one, "causal")),
        .positions = strcmp(json_string_value(json_object_get(one, "positions")), "none") != 0,
        .query = self ? all : table(tables, "query"),
        .keys = self ? all : table(tables, "keys"),
        .values = self ? all : table(tables, "values"),
        .query_projection = {table(tables, "project-query"), table(tables, "bias-query")},
        .keys_projection = {table(tables, "project-keys"), table(tables, "bias-keys")},
        .values_projection = {table(tables, "project-values"), table(tables, "bias-values")},
        .output_projection = {table(tables, "project-output"), table(tables, "bias-output")},
        .v_a = table(tables, "vector"),
    };
}

static void compare(const char *name, const json_t *golden, const double *got, int size) {
    double wanted[1024];
    size_t count = 0;
    flatten(golden, wanted, &count);
    ck_assert_int_eq((int)count, size);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(fabs(got[i] - wanted[i]) <= 1e-12, "%s, number %zu: %.17g, PyTorch has %.17g",
                      name, i, got[i], wanted[i]);
}

START_TEST(finds_what_pytorch_finds) {
    json_t *cases = json_load_file(TEST_ROOT "/tests/golden/attend.json", 0, NULL);
    ck_assert_uint_ge(json_array_size(cases), 18);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        const char *name = json_string_value(json_object_get(one, "name"));
        const sa_attend_options job = read_case(one);
        ck_assert_msg(sa_attend(&job, &out, &error), "%s: %s", name, error.text);
        compare(name, json_object_get(one, "weights"), out.weights,
                out.heads * out.queries * out.keys);
        compare(name, json_object_get(one, "outputs"), out.outputs, out.queries * out.output);
        ck_assert(out.default_v_a == (strstr(name, "additive, 4 heads") != NULL));
        sa_attend_result_release(&out);
    }
    json_decref(cases);
}
END_TEST

/* ---- By hand --------------------------------------------------------------------------------- */

START_TEST(looks_up_exactly) {
    /* a query that is one of the keys, and scores so far apart that exp(-1000) is 0 */
    const sa_attend_options job = {
        .attention = choice("dot"),
        .heads = 1,
        .query = TABLE(1, 3, 0, 1000, 0),
        .keys = TABLE(3, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1),
        .values = TABLE(3, 2, 1, 2, 30, 40, 500, 600),
    };
    attend(&job);
    near(out.scores, (const double[]){0, 1000, 0}, 3);
    ck_assert_mem_eq(out.weights, ((const double[]){0, 1, 0}), 3 * sizeof(double));
    ck_assert_mem_eq(out.outputs, ((const double[]){30, 40}), 2 * sizeof(double));
    sa_attend_result_release(&out);
}
END_TEST

START_TEST(mixes_by_given_weights) {
    const sa_attend_options job = {.heads = 1,
                                   .values = TABLE(3, 1, 1000, 2000, 3000),
                                   .weights = TABLE(2, 3, 0.9, 0.1, 0, 0, 0, 1)};
    attend(&job);
    ck_assert_ptr_null(out.scores);
    ck_assert_int_eq(out.queries, 2);
    ck_assert_mem_eq(out.outputs, ((const double[]){1100, 3000}), 2 * sizeof(double));
    sa_attend_result_release(&out);
}
END_TEST

START_TEST(softens_the_same_by_scores) {
    /* ln 9 and 0: weights 0.9 and 0.1 */
    const sa_attend_options job = {.attention = choice("location"),
                                   .heads = 1,
                                   .query = TABLE(1, 3, log(9), 0, -1000),
                                   .values = TABLE(3, 1, 1000, 2000, 3000)};
    attend(&job);
    near(out.weights, (const double[]){0.9, 0.1, 0}, 3);
    near(out.outputs, (const double[]){1100}, 1);
    sa_attend_result_release(&out);
}
END_TEST

START_TEST(does_not_look_ahead) {
    const sa_table x = TABLE(3, 2, 1, 0, 0, 2, 1, 1);
    const sa_attend_options job = {.attention = choice("scaled-dot"),
                                   .heads = 2,
                                   .causal = true,
                                   .query = x,
                                   .keys = x,
                                   .values = x};
    attend(&job);
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const int at = 9 * h + 3 * i + j;
                ck_assert(j > i ? out.scores[at] == -INFINITY && out.weights[at] == 0
                                : isfinite(out.scores[at]) && out.weights[at] > 0);
            }
    near(out.outputs, (const double[]){1, 0}, 2);
    near(out.contexts, out.outputs, 6);
    sa_attend_result_release(&out);
}
END_TEST

/* ---- A mask ---------------------------------------------------------------------------------- */

static bool learned(size_t normalizer) { /* or causal */
    return normalizer == SA_NORMALIZER_STICK_BREAKING || normalizer == SA_NORMALIZER_NULL_KEY ||
           normalizer == SA_NORMALIZER_SINK || normalizer == SA_NORMALIZER_SSMAX ||
           normalizer == SA_NORMALIZER_SIGMOID || normalizer == SA_NORMALIZER_SELECTIVE;
}

/* A query that sees keys 0 and 2 scores and normalizes as if there were only these two. */
START_TEST(sees_what_the_mask_allows) {
    const double mask[] = {1, 0, 1};
    static const char *const scores[] = {"scaled-dot", "dot",     "additive", "general", "gaussian",
                                         "cosine",     "qk-norm", "linear",   "uniform"};
    for (size_t n = 0; sa_normalizer_info(n, NULL, NULL); n++)
        for (size_t k = 0; !learned(n) && k < sizeof scores / sizeof *scores; k++) {
            sa_attend_options job = {.attention = choice(scores[k]),
                                     .normalizer = (int)n,
                                     .entmax_alpha = 1.5,
                                     .heads = 1,
                                     .query = TABLE(1, 2, 0.5, -1),
                                     .v_a = {0},
                                     .keys = TABLE(3, 2, 1, 2, 3, -4, 0.5, 0.25),
                                     .values = TABLE(3, 1, 1, 20, 300),
                                     .mask = {NULL, 1, 3, mask}};
            const sa_table scale = TABLE(1, 1, 2); /* of qk-norm; else log2(S^2 - S) */
            if (strcmp(scores[k], "qk-norm") == 0) job.v_a = scale;
            attend(&job);
            const double weights[] = {out.weights[0], out.weights[1], out.weights[2]},
                         c = *out.outputs;
            ck_assert_msg(weights[1] == 0 && out.scores[1] == -INFINITY, "%s", scores[k]);
            sa_attend_result_release(&out);
            job.keys = TABLE(2, 2, 1, 2, 0.5, 0.25), job.values = TABLE(2, 1, 1, 300);
            job.mask = (sa_table){0};
            attend(&job);
            near(out.weights, (const double[]){weights[0], weights[2]}, 2);
            near(out.outputs, &c, 1);
            sa_attend_result_release(&out);
        }
}
END_TEST

/* Only the query's own key gets nothing, also if the mask hides it (Tan et al. 2024). */
START_TEST(breaks_sticks_from_the_key_before) {
    const double mask[] = {1, 1, 1, 1, 1, 1, 1, 1, 0}, first = 1 / (1 + exp(1)),
                 second = 1 / (1 + exp(2));
    const sa_table x = TABLE(3, 1, 1, 2, -1);
    sa_attend_options job = {.attention = choice("dot"),
                             .normalizer = SA_NORMALIZER_STICK_BREAKING,
                             .heads = 1,
                             .causal = true,
                             .query = x,
                             .keys = x,
                             .values = x,
                             .mask = {NULL, 3, 3, mask}};
    attend(&job);
    near(out.weights + 6, (const double[]){(1 - second) * first, second, 0}, 3);
    sa_attend_result_release(&out);
    job.attention = choice("location"), job.query = TABLE(3, 2, 1, 2, 3, 4, 5, 6);
    ck_assert(!sa_attend(&job, &out, &error));
    ck_assert_msg(strstr(error.text, "a key for every query"), "%s", error.text);
    job.attention = choice("dot"), job.query = x, job.causal = false;
    ck_assert(!sa_attend(&job, &out, &error));
    ck_assert_msg(strstr(error.text, "needs --causal"), "%s", error.text);
}
END_TEST

/* The numbers of a key that no query sees make no difference. */
START_TEST(hides_whatever_is_there) {
    sa_attend_options job = {.attention = choice("location"),
                             .heads = 1,
                             .query = TABLE(2, 3, 1, -INFINITY, 2, 0, 0, -INFINITY),
                             .values = TABLE(3, 1, 1, 2, 3)};
    attend(&job);
    near(out.weights, (const double[]){1 / (1 + exp(1)), 0, 1 / (1 + exp(-1)), 0.5, 0.5, 0}, 6);
    sa_attend_result_release(&out);
}
END_TEST

static sa_attend_options fitting(void) {
    static const double query[] = {1, 2};
    static const double keys[] = {1, 2, 3, 4, 5, 6}, values[] = {1, 2, 3, 4, 5, 6};
    return (sa_attend_options){.attention = choice("scaled-dot"),
                               .heads = 1,
                               .query = {.rows = 1, .cols = 2, .numbers = query},
                               .keys = {.rows = 3, .cols = 2, .numbers = keys},
                               .values = {.rows = 3, .cols = 2, .numbers = values}};
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void add_name(void *context, const sa_attend_step *step) {
    ck_assert(step->rows > 0 && step->cols > 0 && step->stride >= step->cols);
    ck_assert(isfinite(step->numbers[0]));
    strcat(strcat(context, step->name), step->head == 2 ? "2|" : "|");
}

START_TEST(tells_every_step) {
    const sa_table x = TABLE(2, 2, 1, 0, 0, 2);
    char names[512] = "";
    const sa_attend_options job = {.attention = choice("scaled-dot"),
                                   .heads = 2,
                                   .causal = true,
                                   .query = x,
                                   .keys = x,
                                   .values = x,
                                   .output_projection = {x, {0}},
                                   .each = add_name,
                                   .context = names};
    attend(&job);
    sa_attend_result_release(&out);
    ck_assert_str_eq(names,
                     "X|Q|K|V|Q|K|V|QK'|scores before bias and mask|mask|scores|weights|row "
                     "sums|contexts|Q2|K2|V2|QK'2|scores before bias and mask2|mask2|scores2|"
                     "weights2|row sums2|contexts2|contexts|W_o|outputs|");
    sa_attend_options additive = fitting();
    additive.attention = choice("additive"), additive.v_a = TABLE(1, 2, 1, 1);
    additive.each = add_name, additive.context = strcpy(names, "");
    attend(&additive);
    sa_attend_result_release(&out);
    ck_assert_msg(strstr(names, "v_a|"), "%s", names);
}
END_TEST

static void add_formula(void *context, const sa_attend_step *step) {
    if (step->about != SA_ATTEND_NUMBERS && step->formula)
        strcat(strcat(strcat(strcat(context, step->name), " = "), step->formula), "|");
}

/* A formula has W and b if they are given. */
START_TEST(formulas_have_what_is_given) {
    const sa_table x = TABLE(2, 2, 1, 0, 0, 2), b = TABLE(1, 2, 3, 4), column = TABLE(2, 1, 3, 4);
    static const char *const wanted[] = {
        "Q = X|K = X|V = X|outputs = C = weights V|",
        "Q = X W_q'|K = X W_k'|V = X W_v'|outputs = C W_o'|",
        "Q = X W_q' + b_q|K = X W_k' + b_k|V = X W_v' + b_v|outputs = C W_o' + b_o|"};
    char formulas[512];
    for (int i = 0; i < 4; i++) {
        const sa_projection maps[] = {{{0}, {0}}, {x, {0}}, {x, b}, {x, column}}, map = maps[i];
        const sa_attend_options job = {.attention = choice("dot"),
                                       .heads = 1,
                                       .query = x,
                                       .keys = x,
                                       .values = x,
                                       .query_projection = map,
                                       .keys_projection = map,
                                       .values_projection = map,
                                       .output_projection = map,
                                       .each = add_formula,
                                       .context = strcpy(formulas, "")};
        attend(&job);
        sa_attend_result_release(&out);
        char projections[512] = "", *rest = formulas;
        for (char *one; (one = strsep(&rest, "|")) && *one;)
            if (strchr("QKVo", *one) && one[1] != 'K') strcat(strcat(projections, one), "|");
        ck_assert_str_eq(projections, wanted[i < 3 ? i : 2]);
    }
}
END_TEST

/* ---- What does not fit ----------------------------------------------------------------------- */

static void refused(sa_attend_options job, sa_code code, const char *message) {
    ck_assert_msg(!sa_attend(&job, &out, &error), "expected: %s", message);
    ck_assert_int_eq(error.code, code);
    ck_assert_str_eq(error.text, message);
    ck_assert_ptr_null(out.weights);
}

START_TEST(names_what_does_not_fit) {
    const sa_table wide = {"wide.csv", 2, 4, (const double[8]){0}};
    sa_attend_options job = fitting();
    job.query = wide;
    refused(job, SA_DATA,
            "--query wide.csv is 2 x 4, --keys is 3 x 2: a query and a key are compared: as many "
            "columns");
    job.keys_projection.W = wide;
    refused(job, SA_DATA,
            "--keys is 3 x 2, --project-keys wide.csv is 2 x 4: a projection has a row for every "
            "number that comes out and a column for every number that goes in");
    job = fitting();
    job.values = wide;
    refused(job, SA_DATA,
            "--keys is 3 x 2, --values wide.csv is 2 x 4: every key has one value: as many rows");
    job = fitting();
    job.query = wide;
    job.query_projection.W = (sa_table){"W.csv", 3, 4, (const double[12]){0}};
    refused(job, SA_DATA,
            "--query wide.csv is 2 x 4 (2 x 3 by --project-query), --keys is 3 x 2: a query and a "
            "key are compared: as many columns");
    job.query_projection.b = wide;
    refused(job, SA_DATA,
            "--project-query W.csv is 3 x 4, --bias-query wide.csv is 2 x 4: a bias has one number "
            "for every row of the projection");
    job = fitting();
    job.output_projection.W = wide;
    refused(job, SA_DATA,
            "the context is 1 x 2, --project-output wide.csv is 2 x 4: a projection has a row for "
            "every number that comes out and a column for every number that goes in");
    job = (sa_attend_options){.heads = 1, .values = fitting().values, .weights = wide};
    refused(job, SA_DATA,
            "--given-weights wide.csv is 2 x 4, --values is 3 x 2: a row of weights has one for "
            "every value");
    job = fitting();
    job.attention = choice("additive");
    job.v_a = wide;
    refused(job, SA_DATA,
            "--keys is 3 x 2, --vector wide.csv is 2 x 4: v_a has one number for every number of a "
            "key");
}
END_TEST

/* A bias is a row or a column, of one number for each row of the projection. */
START_TEST(a_bias_is_a_row_or_a_column) {
    sa_attend_options job = fitting();
    double weights[2][3];
    job.keys_projection.W = TABLE(2, 2, 1, 2, 3, 4);
    for (int way = 0; way < 2; way++) {
        job.keys_projection.b = way ? TABLE(2, 1, 5, -6) : TABLE(1, 2, 5, -6);
        attend(&job);
        memcpy(weights[way], out.weights, sizeof *weights);
        sa_attend_result_release(&out);
    }
    ck_assert_mem_eq(weights[0], weights[1], sizeof *weights);
    static const int wrong[][2] = {{1, 1}, {1, 3}, {3, 1}, {2, 2}};
    for (int i = 0; i < 4; i++) {
        char message[160];
        job.keys_projection.b = TABLE(1, 4, 1, 2, 3, 4);
        job.keys_projection.b.rows = wrong[i][0], job.keys_projection.b.cols = wrong[i][1];
        snprintf(message, sizeof message,
                 "--project-keys is 2 x 2, --bias-keys is %d x %d: a bias has one number for every "
                 "row of the projection",
                 wrong[i][0], wrong[i][1]);
        refused(job, SA_DATA, message);
    }
}
END_TEST

START_TEST(rotations_turn_pairs_of_products) {
    sa_attend_options job = fitting();
    job.positions = SA_POSITIONS_ROPE;
    job.query = TABLE(1, 3, 1, 2, 3), job.keys = TABLE(3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    refused(job, SA_DATA, "--positions rope rotates pairs of numbers, but a key has 3");
    job.heads = 2, job.query = TABLE(1, 6, 1, 2, 3, 4, 5, 6),
    job.keys = TABLE(3, 6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18);
    refused(job, SA_DATA, "--positions rope rotates pairs of numbers, but a key has 3");
    job.heads = 1, job.query = TABLE(1, 3, 1, 2, 3),
    job.keys = TABLE(3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    job.attention = choice("additive"), job.v_a = TABLE(1, 3, 1, 1, 1);
    refused(job, SA_USAGE,
            "--positions rope rotates queries and keys, but --attention additive is not a product "
            "of theirs");
    job = fitting(), job.positions = SA_POSITIONS_ROPE;
    double weights[3];
    attend(&job);
    memcpy(weights, out.weights, sizeof weights);
    sa_attend_result_release(&out);
    /* without 1 / sqrt(2), of a query that is shorter by as much */
    const double *q = job.query.numbers;
    job.attention = choice("dot"), job.query = TABLE(1, 2, q[0] / sqrt(2), q[1] / sqrt(2));
    attend(&job);
    near(out.weights, weights, 3);
    sa_attend_result_release(&out);
}
END_TEST

START_TEST(names_what_has_no_numbers) {
    sa_attend_options job = fitting();
    job.keys_projection.W = TABLE(1, 2, 1, 2);
    job.keys_projection.W.rows = 0;
    refused(job, SA_USAGE, "--project-keys: a table has rows and columns");
    job = (sa_attend_options){.heads = 1, .values = fitting().values};
    job.weights = TABLE(1, 3, 1, 0, 0);
    job.weights.rows = 0;
    refused(job, SA_USAGE, "--given-weights: a table has rows and columns");
    job = fitting(), job.heads = 2, job.query = TABLE(1, 3, 1, 2, 3);
    refused(job, SA_USAGE, "--heads 2: --query is 1 x 3; its 3 columns are not divisible by 2");
    job.query = TABLE(1, 2, 1, 2), job.keys = TABLE(3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    refused(job, SA_USAGE, "--heads 2: --keys is 3 x 3; its 3 columns are not divisible by 2");
    job = fitting(), job.mask = TABLE(2, 3, 1, 1, 1, 1, 1, 1);
    refused(job, SA_DATA,
            "--mask is 2 x 3, the map of queries and keys is 1 x 3: a mask has a row for every "
            "query and a column for every key");
}
END_TEST

START_TEST(given_weights_break_no_stick) {
    sa_attend_options job = {.heads = 1, .values = fitting().values};
    job.weights = TABLE(1, 3, 1, 0, 0), job.normalizer = SA_NORMALIZER_STICK_BREAKING;
    attend(&job);
    near(out.contexts, job.values.numbers, 2);
    sa_attend_result_release(&out);
}
END_TEST

START_TEST(names_what_is_missing) {
    sa_attend_options job = fitting();
    job.heads = 3;
    refused(job, SA_USAGE, "--heads 3: --values is 3 x 2; its 2 columns are not divisible by 3");
    job.heads = 2, job.attention = choice("general");
    refused(job, SA_DATA,
            "--query is 1 x 2, --keys is 3 x 2: each head compares the whole query with its share "
            "of a key");
    job = fitting(), job.mask = TABLE(1, 3, 0, 0, 0);
    refused(job, SA_DATA, "query 1 sees no key");
    job.mask = TABLE(1, 3, 1, 2, 0);
    refused(job, SA_DATA, "--mask: row 1 has a 2: it may have 1 and 0");
    job.mask = TABLE(1, 2, 1, 0);
    refused(job, SA_DATA,
            "--mask is 1 x 2, the map of queries and keys is 1 x 3: a mask has a row for every "
            "query and a column for every key");
    job = fitting(), job.heads = 0;
    refused(job, SA_USAGE, "--heads 0: at least 1");
    job = fitting(), job.attention = 99;
    refused(job, SA_USAGE, "there is no attention score 99");
    job = fitting(), job.keys.numbers = NULL;
    refused(job, SA_USAGE, "--keys is missing");
    job = fitting(), job.values.rows = 0;
    refused(job, SA_USAGE, "--values: a table has rows and columns");
    job = fitting(), job.values_projection.b = TABLE(1, 2, 1, 1);
    refused(job, SA_USAGE, "--bias-values needs --project-values");
    job = fitting(), job.v_a = TABLE(1, 2, 1, 1);
    refused(job, SA_USAGE, "--vector: --attention scaled-dot has no v_a");
    job = fitting(), job.weights = TABLE(1, 3, 1, 0, 0);
    refused(job, SA_USAGE,
            "--given-weights takes the place of query, keys and their projections, heads, "
            "--positions, --causal, --mask, --bandwidth and --degree");
    job = fitting(), job.weights = TABLE(1, 3, 1, 0, 0);
    job.query = job.keys = (sa_table){0}, job.positions = SA_POSITIONS_SINUSOIDAL;
    refused(job, SA_USAGE,
            "--given-weights takes the place of query, keys and their projections, heads, "
            "--positions, --causal, --mask, --bandwidth and --degree");
    job = fitting(), job.normalizer = SA_NORMALIZER_ENTMAX, job.entmax_alpha = 2.5;
    refused(job, SA_USAGE, "--entmax-alpha 2.5: above 1 and at most 2");
    job = fitting(), job.bandwidth = 0.5;
    refused(job, SA_USAGE, "--bandwidth is the width of a kernel: it needs --attention gaussian");
    job.attention = choice("gaussian"), job.v_a = TABLE(1, 1, 0);
    refused(job, SA_USAGE, "--bandwidth and --vector are both the width: give one of them");
    job = fitting(), job.query = TABLE(1, 2, 1e300, 1e300);
    job.keys = TABLE(3, 2, 1e300, 1e300, 0, 0, 0, 0);
    refused(job, SA_DATA,
            "the numbers are too large: sums of products leave the range of double precision");
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("attend", &tests);
    tcase_add_test(tests, finds_what_pytorch_finds);
    tcase_add_test(tests, looks_up_exactly);
    tcase_add_test(tests, mixes_by_given_weights);
    tcase_add_test(tests, softens_the_same_by_scores);
    tcase_add_test(tests, does_not_look_ahead);
    tcase_add_test(tests, sees_what_the_mask_allows);
    tcase_add_test(tests, breaks_sticks_from_the_key_before);
    tcase_add_test(tests, hides_whatever_is_there);
    tcase_add_test(tests, tells_every_step);
    tcase_add_test(tests, formulas_have_what_is_given);
    tcase_add_test(tests, names_what_does_not_fit);
    tcase_add_test(tests, rotations_turn_pairs_of_products);
    tcase_add_test(tests, a_bias_is_a_row_or_a_column);
    tcase_add_test(tests, names_what_has_no_numbers);
    tcase_add_test(tests, given_weights_break_no_stick);
    tcase_add_test(tests, names_what_is_missing);
    return suite_run(suite);
}
