#include "cli/attend_output.h"
#include "cli/command.h"
#include "cli/output.h"
#include "config/settings.h"
#include "data/number_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { /* the tables, in the order of the first option rows */
       QUERY,
       KEYS,
       VALUES,
       SELF,
       GIVEN,
       MAP_QUERY,
       MAP_KEYS,
       MAP_VALUES,
       MAP_OUTPUT,
       BIAS_QUERY,
       BIAS_KEYS,
       BIAS_VALUES,
       BIAS_OUTPUT,
       VECTOR,
       TABLES
};

typedef struct attend_options {
    const char *path[TABLES], *bandwidth, *weights, *html;
    int attention, normalizer, heads, positions, head;
    double entmax_alpha;
    bool causal, json;
    sa_page_text page;
} attend_options;

static const char *attention_name(size_t row) {
    return sa_attention_info(row, NULL, NULL);
}

static const char *normalizer_name(size_t row) {
    return sa_normalizer_info(row, NULL, NULL);
}

static const char *positions_name(size_t row) {
    return sa_option_find(sa_settings_options, "positions")->choice(row);
}

static const char *bandwidth_name(size_t row) {
    return row == 0 ? "fit" : NULL;
}

/* What --bandwidth says if it is given. */
static const sa_option bandwidth_row = {
    "bandwidth",      SA_OPTION_REAL,   SA_SCOPE_RUN,   0,   1,
    SA_BANDWIDTH_MIN, SA_BANDWIDTH_MAX, bandwidth_name, "H", NULL};

#define AT(field) offsetof(attend_options, field)
#define TABLE(name, which, help)                                                                   \
    { name, SA_OPTION_INPUT, SA_SCOPE_RUN, AT(path[which]), 0, 0, 0, NULL, "CSV", help }

static const sa_option rows[] = {
    TABLE("query", QUERY, "query matrix: one row per query"),
    TABLE("keys", KEYS, "key matrix: one row per key"),
    TABLE("values", VALUES, "value matrix: one row per key"),
    TABLE("self", SELF, "one matrix as query, keys and values: self-attention"),
    TABLE("given-weights", GIVEN, "attention weights, instead of query and keys"),
    TABLE("project-query", MAP_QUERY, "query projection W^Q (or W_a), [out x in]"),
    TABLE("project-keys", MAP_KEYS, "key projection W^K (or U_a; W_a of general)"),
    TABLE("project-values", MAP_VALUES, "value projection W^V"),
    TABLE("project-output", MAP_OUTPUT, "output projection W^O, applied to the concatenated heads"),
    TABLE("bias-query", BIAS_QUERY, "bias of the query projection: a row or a column"),
    TABLE("bias-keys", BIAS_KEYS, "bias of the key projection"),
    TABLE("bias-values", BIAS_VALUES, "bias of the value projection"),
    TABLE("bias-output", BIAS_OUTPUT, "bias of the output projection"),
    TABLE("vector", VECTOR, "v_a of additive and concat: a row or a column; default: all ones"),
    {"attention", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(attention), 1, 0, 0, attention_name, "NAME",
     "attention score function"},
    {"normalizer", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(normalizer), 0, 0, 0, normalizer_name, "NAME",
     "function that turns scores into weights"},
    {"entmax-alpha", SA_OPTION_REAL, SA_SCOPE_RUN, AT(entmax_alpha), 1.5, 1.01, 2, NULL, "X",
     "alpha of entmax, from near softmax (1) to sparsemax (2)"},
    {"bandwidth", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(bandwidth), 0, 0, 0, bandwidth_name, "H",
     "gaussian: kernel width h, above 0; fit: the width that best predicts every value from the "
     "others; default: n'^(1/4), where training starts"},
    {"heads", SA_OPTION_INT, SA_SCOPE_RUN, AT(heads), 1, 1, 8192, NULL, "N",
     "number of heads; the columns are split among them"},
    {"causal", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(causal), 0, 0, 1, NULL, NULL,
     "causal mask: query i sees keys up to row i"},
    {"positions", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(positions), 0, 0, 0, positions_name, "NAME",
     "positions: sinusoidal is added to query, keys and values, alibi to the scores; rope rotates "
     "queries and keys"},
    {"weights", SA_OPTION_OUTPUT, SA_SCOPE_RUN, AT(weights), 0, 0, 0, NULL, "FILE",
     "write the attention weights as a heatmap CSV"},
    {"head", SA_OPTION_INT, SA_SCOPE_RUN, AT(head), 0, 0, 8192, NULL, "N",
     "head written to --weights; 0: mean over heads"},
    {"html", SA_OPTION_OUTPUT, SA_SCOPE_RUN, AT(html), 0, 0, 0, NULL, "FILE",
     "write an HTML page of the attention weights"},
    {"json", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(json), 0, 0, 1, NULL, NULL,
     "print one JSON object"},
    {0},
};
static const cli_option_set sets[] = {
    {"Options", rows, 0}, {"Page", sa_page_text_options, AT(page)}, {0}};

/* ---- Tables ---------------------------------------------------------------------------------- */

typedef struct attend_work {
    const attend_options *options;
    sa_number_table csv[TABLES];
    cli_attend_output attended;
} attend_work;

static sa_table table(const attend_work *work, int which) {
    const sa_number_table *csv = &work->csv[which];
    return (sa_table){work->options->path[which], csv->rows, csv->cols, csv->numbers};
}

static int table_of_role(const attend_work *work, int which) {
    return work->options->path[SELF] ? SELF : which;
}

static sa_projection projection(const attend_work *work, int which) {
    return (sa_projection){table(work, MAP_QUERY + which), table(work, BIAS_QUERY + which)};
}

static bool read_tables(attend_work *work, sa_error *error) {
    const char *const *path = work->options->path;
    bool good = true;
    for (int i = 0; good && i < TABLES; i++)
        if (path[i]) good = sa_number_table_open(&work->csv[i], path[i], error);
    return good;
}

/* h, 0 without --bandwidth */
static bool bandwidth_of(const char *text, double *h, sa_error *error) {
    *h = 0;
    if (!text) return true;
    if (!sa_option_set(&bandwidth_row, h, text, error)) return false;
    if (*h == 0) *h = SA_BANDWIDTH_FIT;
    return true;
}

static bool attend(attend_work *work, sa_error *error) {
    const attend_options *options = work->options;
    double bandwidth;
    if (!bandwidth_of(options->bandwidth, &bandwidth, error)) return false;
    const sa_attend_options job = {
        .attention = options->attention,
        .normalizer = options->normalizer,
        .entmax_alpha = options->entmax_alpha,
        .heads = options->heads,
        .positions = options->positions,
        .causal = options->causal,
        .bandwidth = bandwidth,
        .query = table(work, table_of_role(work, QUERY)),
        .keys = table(work, table_of_role(work, KEYS)),
        .values = table(work, table_of_role(work, VALUES)),
        .query_projection = projection(work, 0),
        .keys_projection = projection(work, 1),
        .values_projection = projection(work, 2),
        .output_projection = projection(work, 3),
        .v_a = table(work, VECTOR),
        .weights = table(work, GIVEN),
    };
    return sa_attend(&job, &work->attended.result, error);
}

/* The labels of the results: those of the tables; the rows of a projection label its outputs. */
static void find_labels(attend_work *work) {
    const sa_number_table *csv = work->csv, *keys = &csv[table_of_role(work, KEYS)];
    const sa_number_table *values = &csv[table_of_role(work, VALUES)];
    const sa_number_table *map = &csv[MAP_VALUES], *output = &csv[MAP_OUTPUT];
    cli_attend_output *found = &work->attended;
    found->query = csv[work->options->path[GIVEN] ? GIVEN : table_of_role(work, QUERY)].row;
    found->key = keys->row ? keys->row : values->row ? values->row : csv[GIVEN].column;
    found->context = map->numbers ? map->row : values->column;
    found->output = output->numbers ? output->row : found->context;
    found->projected = output->numbers;
}

/* ---- The command ----------------------------------------------------------------------------- */

static void print_notes(const attend_work *work) {
    const sa_number_table *given = &work->csv[GIVEN];
    if (work->attended.result.default_v_a) cli_note("note: without --vector, v_a is all ones");
    for (int i = 0; i < given->rows; i++) {
        double sum = 0;
        for (int j = 0; j < given->cols; j++)
            sum += given->numbers[(size_t)i * (size_t)given->cols + (size_t)j];
        if (!(fabs(sum - 1) <= 1e-9))
            cli_note("note: row %d of the given weights does not sum to 1", i + 1);
    }
}

static bool check_options(const attend_options *options, sa_error *error) {
    const char *const *path = options->path;
    for (int i = QUERY; path[SELF] && i <= GIVEN; i++)
        if (i != SELF && path[i])
            return sa_fail(error, SA_USAGE, "attend: --self excludes --%s", rows[i].name);
    if (!path[SELF] && !path[VALUES])
        return sa_fail(error, SA_USAGE, "attend: --values CSV is missing (or --self CSV)");
    if (options->head > options->heads)
        return sa_fail(error, SA_USAGE, "--head %d: there are %d", options->head, options->heads);
    return sa_page_text_check(&options->page, options->html, error);
}

static bool show(attend_work *work, sa_error *error) {
    const attend_options *options = work->options;
    find_labels(work);
    print_notes(work);
    return (options->json ? cli_attend_print_json : cli_attend_print)(&work->attended, error) &&
           (!options->weights ||
            cli_attend_save(&work->attended, options->head, options->weights, error)) &&
           (!options->html ||
            cli_attend_save_page(&work->attended, &options->page, options->html, error));
}

static bool run(int count, char **arguments, sa_error *error) {
    attend_options options;
    sa_options_init(rows, &options);
    sa_options_init(sa_page_text_options, &options.page);
    if (!cli_read(&cli_attend, count, arguments, &options, NULL, error) ||
        !check_options(&options, error))
        return false;
    attend_work work = {.options = &options};
    bool good = read_tables(&work, error) && attend(&work, error) && show(&work, error);
    for (int i = 0; i < TABLES; i++) sa_number_table_close(&work.csv[i]);
    sa_attend_result_release(&work.attended.result);
    return good;
}

static const char *score(size_t row, const char **formula) {
    return sa_attention_info(row, formula, NULL);
}

const cli_command cli_attend = {
    .name = "attend",
    .words = "--query CSV --keys CSV --values CSV",
    .summary = "compute attention on your own numbers",
    .details =
        "Computes scores e, weights alpha = softmax(e) and outputs, the sums of the values "
        "weighted by alpha, in double precision with the code that trains. A CSV has one row "
        "per query, key or value; its first row and first column may hold words. Projections "
        "are CSVs with one row per output and one column per input; without them the numbers "
        "are used as they are. Several heads split the columns of the projected queries, keys "
        "and values (and v_a).\n"
        "In the formulas s is a row of the query and h_j a row of the keys. Location takes "
        "the (projected) query as the scores, so it computes the softmax of given numbers; "
        "general compares the whole query in every head.\n"
        "--attention gaussian is kernel regression (Nadaraya 1964, Watson 1964): the output for "
        "the query x is sum_j alpha_j y_j, alpha = softmax(-|x - x_j|^2 / (2 h^2)), from keys x_j "
        "and values y_j. As h falls it becomes the value of the nearest key, as h grows the mean "
        "of all values. --bandwidth fit takes the h with the smallest leave-one-out error, sum_i "
        "|y_i - f_i|^2 / S, where f_i is the output for x_i without the pair i.\n"
        "Standard output has blocks of CSV: with --bandwidth fit the bandwidth h and its error, "
        "scores, weights and outputs (scores and weights "
        "of every head, and the concatenated contexts before --project-output). Masked scores "
        "are empty cells.\n",
    .example = "  printf '1000\\n2000\\n3000\\n' > values.csv\n"
               "  printf '0.9,0.1,0\\n' > weights.csv\n"
               "  softalign attend --given-weights weights.csv --values values.csv\n"
               "  printf ',x,y\\nthe,1,0\\ncat,0,2\\nsat,1,1\\n' > words.csv\n"
               "  softalign attend --self words.csv --causal\n",
    .sets = sets,
    .items = "Scores (--attention)",
    .item = score,
    .run = run,
};
