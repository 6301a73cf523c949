#include "base/number.h"
#include "cli/cli.h"
#include "report/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct command_options {
    sa_attend_options job; /* tables have the names of their files, then the numbers in these */
    sa_table self;
    const char *words, *model, *bandwidth, *weights, *html;
    bool json, steps;
    sa_page_text page;
} command_options;

static const char *attention_name(size_t row) {
    return sa_attention_info(row, NULL, NULL);
}

static const char *normalizer_name(size_t row) {
    return sa_normalizer_info(row, NULL, NULL);
}

static const char *positions_name(size_t row) {
    return sa_option_choice(sa_option_find(sa_settings_options, "positions"), row);
}

/* Reads --bandwidth if it is given. */
static const sa_option bandwidth_row = {
    "bandwidth",      SA_OPTION_REAL, SA_SCOPE_RUN,   0,   1,   SA_BANDWIDTH_MIN,
    SA_BANDWIDTH_MAX, NULL,           SA_LIST("fit"), "H", NULL};

#define TABLE(option, field, help)                                                                 \
    { option, CLI_TEXT(INPUT, RUN(field.name), NULL, "CSV"), help }

static const sa_option rows[] = {
    TABLE("query", job.query, "query matrix: one row per query; of location: scores, also -inf"),
    TABLE("keys", job.keys, "key matrix: one row per key"),
    TABLE("values", job.values, "value matrix: one row per key"),
    TABLE("self", self, "one matrix as query, keys and values: self-attention"),
    TABLE("given-weights", job.weights, "attention weights, instead of query and keys"),
    {"words", CLI_TEXT(TEXT, RUN(words), NULL, "TEXT"),
     "self-attention of the words of a source sentence, as --model embeds them"},
    {"model", CLI_TEXT(INPUT, RUN(model), NULL, "MODEL"), "model whose embeddings --words takes"},
    TABLE("project-query", job.query_projection.W, "query projection W^Q (or W_a), [out x in]"),
    TABLE("project-keys", job.keys_projection.W, "key projection W^K (or U_a; W_a of general)"),
    TABLE("project-values", job.values_projection.W, "value projection W^V"),
    TABLE("project-output", job.output_projection.W,
          "output projection W^O, applied to the concatenated heads"),
    TABLE("bias-query", job.query_projection.b, "bias of the query projection: a row or a column"),
    TABLE("bias-keys", job.keys_projection.b, "bias of the key projection"),
    TABLE("bias-values", job.values_projection.b, "bias of the value projection"),
    TABLE("bias-output", job.output_projection.b, "bias of the output projection"),
    TABLE("vector", job.v_a, "v_a of additive and concat: a row or a column; default: all ones"),
    TABLE("mask", job.mask,
          "mask, queries x keys: 1 where a query sees a key, 0 where it does not"),
    {"attention", SA_CHOICE_BY(RUN(job.attention), 1, attention_name), "attention score function"},
    {"normalizer", SA_CHOICE_BY(RUN(job.normalizer), 0, normalizer_name),
     "function that turns scores into weights"},
    {"entmax-alpha", SA_REAL(RUN(job.entmax_alpha), 1.5, 1.01, 2, "X"),
     "alpha of entmax, from near softmax (1) to sparsemax (2)"},
    {"bandwidth", SA_OPTION_TEXT, RUN(bandwidth), 0, 0, 0, NULL, SA_LIST("fit"), "H",
     "gaussian: kernel width h, above 0; fit: the width that best predicts every value from the "
     "others; default: n'^(1/4), where training starts"},
    {"degree", SA_INT(RUN(job.degree), 0, 0, 1, "N"),
     "0: the weighted mean of the values; 1: a line through them at every query (weights may be "
     "negative)"},
    {"heads", SA_INT(RUN(job.heads), 1, 1, 8192, "N"),
     "number of heads; the columns are split among them"},
    {"causal", SA_SWITCH(RUN(job.causal)), "causal mask: query i sees keys up to row i"},
    {"positions", SA_CHOICE_BY(RUN(job.positions), 0, positions_name),
     "positions: sinusoidal is added to query, keys and values, alibi to the scores; rope rotates "
     "queries and keys"},
    {"weights", CLI_TEXT(OUTPUT, RUN(weights), NULL, "FILE"),
     "write the attention weights as a heatmap CSV, the mean over heads"},
    {"html", CLI_TEXT(OUTPUT, RUN(html), NULL, "FILE"),
     "write an HTML page of the attention weights"},
    {"steps", SA_SWITCH(RUN(steps)),
     "print every matrix on the way to the outputs, with its size and formula"},
    {"json", SA_SWITCH(RUN(json)), "print one JSON object"},
    {0},
};

/* Indexes of options that are tables. */
enum { QUERY, KEYS, VALUES, SELF, GIVEN, MAP_VALUES = GIVEN + 5, MAP_OUTPUT };
enum { MASK = MAP_OUTPUT + 6, TABLES };

typedef struct attend_work {
    command_options *options;
    sa_number_table csv[TABLES]; /* by the index of the option; of other options, empty */
    const char *const *words;    /* of --words, or NULL */
    sa_attend_result result;
    /* Labels of queries, keys, and columns of contexts and outputs; any may be NULL. */
    const char *const *query, *const *key, *const *context, *const *output;
    sa_buffer blocks; /* in CSV */
    json_t *steps;
    bool good; /* the words were attended to; otherwise why not: */
    sa_error *error;
} attend_work;

/* ---- CSV ------------------------------------------------------------------------------------- */

enum { SMALL = 1 << 12 }; /* numbers of a matrix that a page draws */

static void add_step(void *context, const sa_attend_step *step) {
    attend_work *work = context;
    const bool small = step->rows <= SMALL / step->cols;
    sa_buffer *out = &work->blocks;
    static const char *const fitted[] = {"h", "leave-one-out error"};
    const char *const *const labels[][2] = {[SA_ATTEND_QUERIES] = {work->query},
                                            [SA_ATTEND_KEYS] = {work->key},
                                            [SA_ATTEND_MAP] = {work->query, work->key},
                                            [SA_ATTEND_BANDWIDTH] = {NULL, fitted},
                                            [SA_ATTEND_RESULT] = {work->query, work->key},
                                            [SA_ATTEND_CONTEXTS] = {work->query, work->context},
                                            [SA_ATTEND_OUTPUTS] = {work->query, work->output}};
    const char *const *const *of = labels[step->about];
    const sa_grid grid = {step->rows, step->cols, step->numbers, of[0], of[1], true, step->stride};
    if (work->steps && (small || work->options->json))
        json_array_append_new(work->steps, sa_page_step(step));
    if (!work->options->steps && step->about < SA_ATTEND_BANDWIDTH) return;
    sa_buffer_addf(out, "%s# %s", out->size ? "\n" : "", step->name);
    if (step->head) sa_buffer_addf(out, ", head %d", step->head);
    if (work->options->steps && step->formula) sa_buffer_addf(out, ": %s", step->formula);
    if (work->options->steps) sa_buffer_addf(out, " (%d x %d)", step->rows, step->cols);
    sa_buffer_adds(out, "\n");
    sa_grid_csv(&grid, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static bool print_json(const attend_work *work, sa_error *error) {
    const sa_attend_result *result = &work->result;
    const int Q = result->queries, S = result->keys, heads = result->heads;
    const bool fitted = result->bandwidth > 0;
    json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o*, s:o*, s:O*}", "queries",
                               sa_json_words(work->query, Q), "keys", sa_json_words(work->key, S),
                               "scores", sa_json_matrices(result->scores, heads, Q, S), "weights",
                               sa_json_matrices(result->weights, heads, Q, S), "contexts",
                               sa_json_matrix(result->contexts, Q, result->context), "outputs",
                               sa_json_matrix(result->outputs, Q, result->output), "bandwidth",
                               fitted ? json_real(result->bandwidth) : NULL, "leave_one_out",
                               fitted ? json_real(result->left_out) : NULL, "steps",
                               work->options->steps ? work->steps : NULL);
    return cli_print_json(object, error);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Returns the mean over the heads and the weights of every head; the caller frees them. */
static double *mean_and_heads(const sa_attend_result *result, sa_error *error) {
    const size_t size = (size_t)result->queries * (size_t)result->keys;
    const size_t heads = (size_t)result->heads;
    double *all = sa_new((1 + heads) * size, sizeof *all, error);
    if (!all) return NULL;
    memcpy(all + size, result->weights, heads * size * sizeof *all);
    for (size_t i = 0; i < size; i++) {
        for (size_t h = 0; h < heads; h++) all[i] += result->weights[h * size + i];
        all[i] /= (double)heads;
    }
    return all;
}

static bool save_weights(const attend_work *work, const char *path, sa_error *error) {
    const int Q = work->result.queries, S = work->result.keys;
    double *all = mean_and_heads(&work->result, error);
    if (!all) return false;
    sa_buffer out = {0};
    sa_grid_csv(&(sa_grid){Q, S, all, work->query, work->key, true, 0}, &out);
    free(all);
    return cli_save(path, &out, error);
}

/* Adds the weights, with the labels of queries and keys, or their numbers, and after a query its
 * output if that is a single number. */
static bool add_matrix(const attend_work *work, sa_html_report *report, sa_error *error) {
    const sa_attend_result *result = &work->result;
    const int Q = result->queries, count = Q + result->keys;
    char **labels = sa_new((size_t)count, sizeof *labels, error);
    double *weights = labels ? mean_and_heads(result, error) : NULL;
    bool good = weights != NULL;
    for (int i = 0; good && i < count; i++) {
        const char *const *given = i < Q ? work->query : work->key;
        const int row = i < Q ? i : i - Q;
        sa_buffer text = {0};
        if (given)
            sa_buffer_adds(&text, given[row]);
        else
            sa_buffer_addf(&text, "%d", row + 1);
        if (i < Q && result->output == 1) {
            sa_buffer_adds(&text, " \u2192 ");
            sa_number_add_fixed(&text, result->outputs[i], 2);
        }
        good = (labels[i] = sa_buffer_take(&text, error)) != NULL;
    }
    if (good)
        sa_html_report_matrix(report, 0,
                              &(sa_alignment){.targets = Q,
                                              .sources = result->keys,
                                              .layers = 1,
                                              .heads = result->heads,
                                              .target = (const char *const *)labels,
                                              .source = (const char *const *)labels + Q,
                                              .weights = weights},
                              NULL, 0);
    for (int i = 0; labels && i < count; i++) free(labels[i]);
    free(labels), free(weights);
    return good;
}

static bool save_page(const attend_work *work, const char *path, sa_error *error) {
    sa_html_report report;
    sa_html_report_init(&report, "attend", "Attention of queries on keys", 1);
    sa_html_report_model(&report, "weights", NULL, 0);
    json_object_set_new(report.data, "site", json_string("numbers"));
    json_object_set(report.data, "steps", work->steps);
    return cli_end_page(&report, add_matrix(work, &report, error), &work->options->page, path,
                        error);
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Finds the labels of the results, which are those of the tables; the rows of a projection label
 * its outputs. */
static void find_labels(attend_work *work) {
    const bool self = work->options->self.name;
    const sa_number_table *csv = work->csv, *keys = &csv[self ? SELF : KEYS];
    const sa_number_table *values = &csv[self ? SELF : VALUES];
    const sa_number_table *map = &csv[MAP_VALUES], *output = &csv[MAP_OUTPUT];
    work->query = csv[csv[GIVEN].numbers ? GIVEN : self ? SELF : QUERY].row;
    work->key = keys->row ? keys->row : values->row ? values->row : csv[GIVEN].column;
    work->context = map->numbers ? map->row : values->column;
    work->output = output->numbers ? output->row : work->context;
    if (work->words) work->query = work->key = work->words;
}

static void note_sums(const sa_number_table *given) {
    const double *row = given->numbers;
    for (int i = 0; i < given->rows; i++, row += given->cols) {
        double sum = 0;
        for (int j = 0; j < given->cols; j++) sum += row[j];
        if (!(fabs(sum - 1) <= 1e-9))
            cli_note("note: row %d of the given weights does not sum to 1", i + 1);
    }
}

/* Turns a mask that is added to scores, of 0 and -inf, into one of 1 and 0. */
static void read_mask(sa_number_table *mask) {
    const size_t size = (size_t)mask->rows * (size_t)mask->cols;
    bool added = false;
    for (size_t i = 0; i < size; i++) {
        if (mask->numbers[i] != 0 && mask->numbers[i] != -INFINITY) return;
        added = added || mask->numbers[i] != 0;
    }
    for (size_t i = 0; added && i < size; i++) mask->numbers[i] = mask->numbers[i] == 0;
}

/* Opens the tables: so far they only have names. */
static bool open_tables(attend_work *work, sa_error *error) {
    const sa_attend_options *job = &work->options->job;
    const bool scores = job->attention == SA_ATTENTION_LOCATION && !job->query_projection.W.name;
    for (int i = 0; i < TABLES; i++) {
        void *field = (char *)work->options + rows[i].offset; /* the name comes first */
        sa_number_table *csv = &work->csv[i];
        sa_table *table = field;
        if (strcmp(rows[i].value, "CSV") != 0 || !table->name) continue;
        if (!sa_number_table_open(csv, table->name, i == MASK || (scores && i == QUERY), error))
            return false;
        *table = (sa_table){table->name, csv->rows, csv->cols, csv->numbers};
    }
    read_mask(&work->csv[MASK]);
    return true;
}

static bool check_options(const command_options *options, sa_error *error) {
    const sa_attend_options *job = &options->job;
    const char *const path[] = {job->query.name, job->keys.name, job->values.name,
                                options->self.name, job->weights.name};
    if (!options->words != !options->model)
        return sa_fail(error, SA_USAGE, "attend: --words and --model need each other");
    for (int i = QUERY; (path[SELF] || options->words) && i <= GIVEN; i++)
        if (path[i] && (i != SELF || options->words))
            return sa_fail(error, SA_USAGE, "attend: --%s excludes --%s",
                           options->words ? "words" : "self", rows[i].name);
    if (!path[SELF] && !options->words && !path[VALUES])
        return sa_fail(error, SA_USAGE, "attend: --values CSV is missing (or --self CSV)");
    return sa_page_text_check(&options->page, options->html, error);
}

static bool show(attend_work *work, sa_error *error) {
    command_options *options = work->options;
    sa_attend_options *job = &options->job;
    const char *bandwidth = options->bandwidth;
    if (options->html || (options->json && options->steps)) work->steps = json_array();
    if (bandwidth && !sa_option_set(&bandwidth_row, &job->bandwidth, bandwidth, error))
        return false;
    if (bandwidth && job->bandwidth == 0) job->bandwidth = SA_BANDWIDTH_FIT;
    if (options->self.name) job->query = job->keys = job->values = options->self;
    find_labels(work);
    job->each = add_step, job->context = work;
    if (!sa_attend(job, &work->result, error)) return false;
    if (work->result.default_v_a) cli_note("note: without --vector, v_a is all ones");
    note_sums(&work->csv[GIVEN]);
    return (options->json ? print_json(work, error) : cli_print(&work->blocks, error)) &&
           (!options->weights || save_weights(work, options->weights, error)) &&
           (!options->html || save_page(work, options->html, error));
}

/* Attends to the words before the first layer, which exist only during the call. */
static void take_words(void *context, const sa_explain_pair *pair, const sa_explain_value *value) {
    attend_work *work = context;
    if (work->words) return;
    work->words = value->row;
    work->options->self = (sa_table){"(--words)", value->rows, value->cols, value->numbers};
    work->good = show(work, work->error);
}

static bool show_words(attend_work *work, sa_error *error) {
    const sa_explain_options job = {.source = work->options->words,
                                    .target = "",
                                    .site = SA_SITE_ENCODER,
                                    .annotations = true,
                                    .each = take_words,
                                    .context = work};
    sa_model *model = cli_model_open_alone(work->options->model, SA_MAX_LEN, error);
    work->error = error;
    const bool good = model && sa_explain(model, &job, error) && work->good;
    sa_model_close(model);
    return good;
}

static bool run(cli_call *call, sa_error *error) {
    attend_work work = {.options = call->options};
    const bool good = check_options(work.options, error) && open_tables(&work, error) &&
                      (work.options->words ? show_words : show)(&work, error);
    for (int i = 0; i < TABLES; i++) sa_number_table_close(&work.csv[i]);
    sa_attend_result_release(&work.result);
    sa_buffer_release(&work.blocks);
    json_decref(work.steps);
    return good;
}

const cli_command cli_attend = {
    .name = "attend",
    .words = "--query CSV --keys CSV --values CSV",
    .summary = "compute attention on your own numbers",
    .size = sizeof(command_options),
    .sets = {{"Options", rows, 0}, {"Page", sa_page_text_options, AT(page)}},
    .items = "Scores (--attention)",
    .item = sa_attention_info,
    .run = run,
};
