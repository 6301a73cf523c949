/* operands: the tables of an attention on given numbers, and checks that they fit together. */
#include "attention/parts.h"
#include "base/option.h"
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 512 };

/* ---- A table and its projection -------------------------------------------------------------- */

/* A table, the names of its options, and its columns after the projection. */
typedef struct operand {
    const char *option;
    sa_table table;
    const char *map_option, *bias_option;
    const sa_projection *map; /* NULL: none */
    int cols;
} operand;

static bool is_given(sa_table table) {
    return table.numbers != NULL;
}

/* Writes "--query q.csv is 2 x 4" to `text`. */
static const char *shape_text(char *text, const operand *one) {
    const char *name = one->table.name;
    snprintf(text, TEXT, "%s%s%s is %d x %d", one->option, name ? " " : "", name ? name : "",
             one->table.rows, one->table.cols);
    return text;
}

/* Fails with the shapes of two tables, and those after their projections. */
static bool fail_shapes(const operand *one, operand other, const char *why, sa_error *error) {
    char texts[2][TEXT], after[2][TEXT] = {"", ""};
    const operand *both[] = {one, &other};
    for (int i = 0; i < 2; i++) {
        shape_text(texts[i], both[i]);
        if (both[i]->map && is_given(both[i]->map->W) && both[i]->cols)
            snprintf(after[i], TEXT, " (%d x %d by %s)", both[i]->table.rows, both[i]->cols,
                     both[i]->map_option);
    }
    return sa_fail(error, SA_DATA, "%s%s, %s%s: %s", texts[0], after[0], texts[1], after[1], why);
}

static bool is_vector(sa_table table, int size) {
    return (table.rows == 1 && table.cols == size) || (table.cols == 1 && table.rows == size);
}

static bool check_table(const char *option, sa_table table, sa_error *error) {
    return (table.rows > 0 && table.cols > 0) ||
           sa_fail(error, SA_USAGE, "%s: a table has rows and columns", option);
}

static bool check_projection(operand *one, sa_error *error) {
    const operand W = {one->map_option, one->map->W}, b = {one->bias_option, one->map->b};
    if (is_given(b.table) && !is_given(W.table))
        return sa_fail(error, SA_USAGE, "%s needs %s", b.option, W.option);
    if (is_given(W.table)) {
        if (!check_table(W.option, W.table, error)) return false;
        if (W.table.cols != one->table.cols)
            return fail_shapes(one, W,
                               "a projection has a row for every number that comes out and a "
                               "column for every number that goes in",
                               error);
        if (is_given(b.table) && !is_vector(b.table, W.table.rows))
            return fail_shapes(&W, b, "a bias has one number for every row of the projection",
                               error);
    }
    one->cols = is_given(W.table) ? W.table.rows : one->table.cols;
    return true;
}

static bool open_operand(operand *one, sa_error *error) {
    if (!is_given(one->table)) return sa_fail(error, SA_USAGE, "%s is missing", one->option);
    return check_table(one->option, one->table, error) && check_projection(one, error);
}

/* ---- All tables ------------------------------------------------------------------------------ */

typedef struct operands {
    const sa_score *score;
    operand query, keys, values, output;
    sa_params own; /* the plan of the score's own parameters */
} operands;

static operands operands_of(const sa_attend_options *options) {
    const bool self = options->query.numbers == options->keys.numbers &&
                      options->keys.numbers == options->values.numbers;
    return (operands){
        &sa_scores[options->attention],
        {self ? "--self" : "--query", options->query, "--project-query", "--bias-query",
         &options->query_projection},
        {self ? "--self" : "--keys", options->keys, "--project-keys", "--bias-keys",
         &options->keys_projection},
        {self ? "--self" : "--values", options->values, "--project-values", "--bias-values",
         &options->values_projection},
        {"the context", {0}, "--project-output", "--bias-output", &options->output_projection},
    };
}

static bool divides_by_heads(const operand *one, int heads, sa_error *error) {
    char text[TEXT];
    if (one->cols % heads == 0) return true;
    return sa_fail(error, SA_USAGE, "--heads %d: %s; its %d columns%s are not divisible by %d",
                   heads, shape_text(text, one), one->cols,
                   is_given(one->map->W) ? " once projected" : "", heads);
}

static bool check_vector(const operands *all, sa_table v_a, sa_error *error) {
    const int size = (int)all->own.size;
    if (!is_given(v_a) || (size && is_vector(v_a, size))) return true;
    if (!size)
        return sa_fail(error, SA_USAGE, "--vector: --attention %s has no v_a", all->score->name);
    return fail_shapes(&all->keys, (operand){"--vector", v_a},
                       size == all->keys.cols ? "v_a has one number for every number of a key"
                                              : "this score has one number for every head",
                       error);
}

static bool check_keys(operands *all, const sa_attend_options *options, sa_error *error) {
    const operand *query = &all->query, *keys = &all->keys;
    if (!open_operand(&all->keys, error) || !divides_by_heads(keys, options->heads, error))
        return false;
    if (keys->table.rows != all->values.table.rows)
        return fail_shapes(keys, all->values, "every key has one value: as many rows", error);
    const bool whole = all->score->query == SA_QUERY_IDENTITY;
    if (query->cols != (whole ? keys->cols / options->heads : keys->cols))
        return fail_shapes(query, *keys,
                           whole && options->heads > 1
                               ? "each head compares the whole query with its share of a key"
                               : "a query and a key are compared: as many columns",
                           error);
    return true;
}

/* Checks that rotations turn pairs of numbers, in queries and keys that the score multiplies. */
static bool check_rotation(const operands *all, const sa_attend_options *options, sa_error *error) {
    const char *name = SA_NAME(sa_position_kinds, (size_t)options->positions);
    if (sa_position_kinds[options->positions].part != &sa_rotation_part) return true;
    if (!sa_score_rotates(all->score) && all->score->key != SA_KEY_IDENTITY)
        return sa_fail(error, SA_USAGE,
                       "--positions %s rotates queries and keys, but --attention "
                       "%s is not a product of theirs",
                       name, all->score->name);
    const int width = all->keys.cols / options->heads;
    return width % 2 == 0 ||
           sa_fail(error, SA_DATA, "--positions %s rotates pairs of numbers, but a key has %d",
                   name, width);
}

/* Checks the width of a kernel. */
static bool check_bandwidth(const operands *all, const sa_attend_options *options,
                            sa_error *error) {
    const double h = options->bandwidth;
    if (h == 0) return true;
    if (!all->own.count || strcmp(all->own.item[0].name, ".log_h") != 0)
        return sa_fail(error, SA_USAGE,
                       "--bandwidth is the width of a kernel: it needs --attention gaussian");
    if (is_given(options->v_a))
        return sa_fail(error, SA_USAGE,
                       "--bandwidth and --vector are both the width: give one of them");
    if (h != SA_BANDWIDTH_FIT)
        return (h >= SA_BANDWIDTH_MIN && h <= SA_BANDWIDTH_MAX) ||
               sa_fail(error, SA_USAGE, "--bandwidth %g: a number from %g to %g", h,
                       SA_BANDWIDTH_MIN, SA_BANDWIDTH_MAX);
    if (options->heads > 1 || options->causal || is_given(options->mask) ||
        options->positions != SA_POSITIONS_NONE)
        return sa_fail(error, SA_USAGE,
                       "--bandwidth fit predicts every value from all others by one kernel: "
                       "without --heads, --causal, --mask and --positions");
    return all->keys.table.rows > 2 ||
           sa_fail(error, SA_DATA,
                   "--bandwidth fit leaves one pair out and compares distances to the others: it "
                   "needs at least 3 keys");
}

/* Checks that a local line has weights that sum to 1 and keys to fit it to. */
static bool check_degree(const operands *all, const sa_attend_options *options, sa_error *error) {
    const sa_normalizer *normalizer = &sa_normalizers[options->normalizer];
    if (options->degree < 0 || options->degree > 1)
        return sa_fail(error, SA_USAGE, "--degree %d: 0 or 1", options->degree);
    if (!options->degree) return true;
    if (all->score->key == SA_KEY_NONE)
        return sa_fail(error, SA_USAGE, "--degree 1 fits lines to keys; --attention %s has none",
                       all->score->name);
    if (normalizer->any_sum || normalizer->null_key)
        return sa_fail(error, SA_USAGE,
                       "--degree 1 needs weights that sum to 1; those of --normalizer %s may not",
                       normalizer->name);
    return true;
}

/* Checks that a mask, or given scores of one head, leave every query a key. */
static bool check_mask(const sa_attend_options *options, sa_error *error) {
    const sa_table mask = options->mask, query = options->query;
    const int Q = query.rows, S = options->values.rows;
    const bool given = options->attention == SA_ATTENTION_LOCATION && query.cols == S;
    if (is_given(mask) && (mask.rows != Q || mask.cols != S))
        return fail_shapes(&(operand){"--mask", mask},
                           (operand){"the map of queries and keys", {NULL, Q, S, NULL}},
                           "a mask has a row for every query and a column for every key", error);
    for (int i = 0; i < Q; i++) {
        const ptrdiff_t row = (ptrdiff_t)i * S;
        bool seen = false;
        for (int j = 0; j < S; j++) {
            const double m = is_given(mask) ? mask.numbers[row + j] : 1;
            if (m != 0 && m != 1)
                return sa_fail(error, SA_DATA, "--mask: row %d has a %g: it may have 1 and 0",
                               i + 1, m);
            seen = seen || (m == 1 && (!options->causal || j <= i) &&
                            (!given || query.numbers[row + j] > -INFINITY));
        }
        if (!seen) return sa_fail(error, SA_DATA, "query %d sees no key", i + 1);
    }
    return true;
}

static bool check_scores(operands *all, const sa_attend_options *options, sa_error *error) {
    if (!open_operand(&all->query, error)) return false;
    if (all->score->query != SA_QUERY_IDENTITY &&
        !divides_by_heads(&all->query, options->heads, error))
        return false;
    if (all->score->key != SA_KEY_NONE && !check_keys(all, options, error)) return false;
    if (all->score->bind)
        all->score->bind(&(sa_binder){.plan = &all->own}, "", all->keys.cols, options->heads, 1);
    return check_degree(all, options, error) && check_rotation(all, options, error) &&
           check_bandwidth(all, options, error) && check_vector(all, options->v_a, error) &&
           check_mask(options, error);
}

static bool check_given(const sa_attend_options *options, sa_error *error) {
    if (is_given(options->query) || is_given(options->keys) || options->heads > 1 ||
        options->causal || is_given(options->mask) || options->bandwidth != 0 || options->degree ||
        options->positions != SA_POSITIONS_NONE || is_given(options->query_projection.W) ||
        is_given(options->keys_projection.W))
        return sa_fail(error, SA_USAGE,
                       "--given-weights takes the place of query, keys and their projections, "
                       "heads, --positions, --causal, --mask, --bandwidth and --degree");
    return check_table("--given-weights", options->weights, error) &&
           (options->weights.cols == options->values.rows ||
            fail_shapes(&(operand){"--given-weights", options->weights},
                        (operand){"--values", options->values},
                        "a row of weights has one for every value", error));
}

static bool check_choices(const sa_attend_options *options, sa_error *error) {
    if (!SA_NAME(sa_scores, options->attention))
        return sa_fail(error, SA_USAGE, "there is no attention score %d", options->attention);
    const sa_score *score = &sa_scores[options->attention];
    const sa_part *part = score->part;
    if (part && (part->carry || (part->with && part->with->carry_words) || part->bind ||
                 part->project.forward || sa_rare_of(part)->samples))
        return sa_fail(error, SA_USAGE,
                       "--attention %s needs a model: it has parameters that are learned, reads "
                       "what came before, or draws words",
                       score->name);
    if (!SA_NAME(sa_normalizers, options->normalizer))
        return sa_fail(error, SA_USAGE, "there is no normalizer %d", options->normalizer);
    const sa_normalizer *normalizer = &sa_normalizers[options->normalizer];
    const char *learns = normalizer->part ? normalizer->part->name : normalizer->learned;
    if (learns)
        return sa_fail(error, SA_USAGE, "--normalizer %s: there is no model that learned its %s",
                       normalizer->name, learns);
    if (normalizer->exponent && !(options->entmax_alpha > 1 && options->entmax_alpha <= 2))
        return sa_fail(error, SA_USAGE, "--entmax-alpha %g: above 1 and at most 2",
                       options->entmax_alpha);
    const bool short_scores =
        options->attention == SA_ATTENTION_LOCATION && options->query.cols < options->values.rows;
    if (options->normalizer == SA_NORMALIZER_STICK_BREAKING && !is_given(options->weights) &&
        (!options->causal || options->query.rows > options->values.rows || short_scores))
        return sa_fail(error, SA_USAGE,
                       "--normalizer stick-breaking gives the query's own key no weight: it needs "
                       "--causal and a key for every query");
    if (!sa_within(options->positions, SA_POSITIONS_NONE, SA_POSITIONS_FORGETTING, "positions",
                   error))
        return false;
    const sa_position_kind *positions = &sa_position_kinds[options->positions];
    if (positions->bind || (positions->part && sa_part_learns(positions->part)))
        return sa_fail(error, SA_USAGE, "--positions %s: there is no model that learned them",
                       positions->name);
    return options->heads > 0 || sa_fail(error, SA_USAGE, "--heads %d: at least 1", options->heads);
}

bool sa_operands_check(const sa_attend_options *options, sa_attend_result *sizes, sa_error *error) {
    if (!check_choices(options, error)) return false;
    operands all = operands_of(options);
    const bool given = is_given(options->weights);
    if (!open_operand(&all.values, error) ||
        !divides_by_heads(&all.values, options->heads, error) ||
        !(given ? check_given(options, error) : check_scores(&all, options, error)))
        return false;
    all.output.table = (sa_table){NULL, given ? options->weights.rows : options->query.rows,
                                  all.values.cols, NULL};
    if (!check_projection(&all.output, error)) return false;
    const bool has_v_a = all.own.count && all.own.item[0].init == SA_INIT_ALIGN_LAST;
    *sizes = (sa_attend_result){.queries = all.output.table.rows,
                                .keys = options->values.rows,
                                .heads = options->heads,
                                .context = all.values.cols,
                                .default_v_a = has_v_a && !is_given(options->v_a),
                                .output = all.output.cols};
    return true;
}
