/* attend: attention on given numbers (sa_attend), in double precision. It runs the functions of a
 * model and hands out the steps. It can choose the width h of a kernel, and fit local lines. */
#include "attention/heads.h"
#include "attention/parts.h"
#include "base/memory.h"
#include "lab/lab.h"
#include "layers/basic.h"
#include "tensor/blas.h"
#include "tensor/weight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The inputs of the attention core, in the arena; and a reader of what it traces. */
typedef struct attention {
    sa_tracer tracer; /* the first member */
    const sa_attend_options *job;
    sa_attend_result *out;
    sa_arena *arena;
    sa_attention w;
    sa_memory memory; /* of one sentence */
    int first[2];     /* its rows */
    sa_attention_rows rows;
    sa_attention_scratch scratch;
    sa_mat c;
    sa_mat e;             /* [Q x S] scratch */
    sa_mat kernel, alpha; /* to fit h: the scores at h = 1 [S x S], and scratch [1 x S] */
    sa_mat line;          /* of local lines: scratch [d + 3 x d], or empty */
} attention;

/* ---- A mask ---------------------------------------------------------------------------------- */

/* Hides any keys, which no model can do: models have spans. The part owns the mask [Q x S]. */
static void mask_forward(const sa_attention *w, int part, sa_head *at) {
    const sa_mat *mask = sa_part_own(w, part);
    for (int i = 0; i < mask->rows; i++)
        for (int j = 0; j < mask->cols; j++)
            if (sa_row(*mask, i)[j] == 0) sa_row(at->alpha, i)[j] = -(sa_real)INFINITY;
}

static const sa_part mask_part = {.forward = {[SA_PLACE_SCORES] = mask_forward}};

/* ---- A local line ------------------------------------------------------------------------------
 * A sum of values by alpha is a local constant. A local line (Cleveland 1979; as attention, Zuo et
 * al. 2025) minimizes sum_j alpha_j |v_j - b - W (k_j - q)|^2, and its b is a sum of values by
 * other weights:
 *
 *   m = sum_j alpha_j k_j,  C = sum_j alpha_j (k_j - m)(k_j - m)',  r = C^-1 (m - q)
 *   alpha'_j = alpha_j (1 - r'(k_j - m)),  sum_j alpha'_j = 1,  sum_j alpha'_j k_j = q */

static const char *const line_formula =
    "alpha_j (1 - r'(k_j - m)), r = C^-1 (m - q), m and C the mean and the covariance of the keys "
    "by alpha: then the mean is q";

/* Solves C r = r in place by elimination. The next pivot is the number with the largest remaining
 * share of its variance; r is 0 where nothing remains but rounding. A variance below 1e-188 times
 * the square of the distance to cover counts as rounding, too. */
static void solve(sa_mat C, sa_real *r, sa_real *variance) {
    const int d = C.cols;
    for (int i = 0; i < d; i++) variance[i] = sa_row(C, i)[i] + (sa_real)1e-188 * r[i] * r[i];
    for (;;) {
        sa_real share = (sa_real)1e-12;
        int p = -1;
        for (int i = 0; i < d; i++)
            if (variance[i] > 0 && sa_row(C, i)[i] > share * variance[i])
                share = sa_row(C, i)[i] / variance[i], p = i;
        if (p < 0) break;
        for (int i = 0; i < d; i++) {
            const sa_real f = i == p ? 0 : sa_row(C, i)[p] / sa_row(C, p)[p];
            for (int l = 0; l < d; l++) sa_row(C, i)[l] -= f * sa_row(C, p)[l];
            r[i] -= f * r[p];
        }
        variance[p] = -1;
    }
    for (int i = 0; i < d; i++) r[i] = variance[i] < 0 ? r[i] / sa_row(C, i)[i] : 0;
}

/* Replaces alpha [S], which sums to 1, by the weights of a local line at q [d]. Numbers of the keys
 * that follow from the others (or are all equal) are left out: in them the keys have no slope.
 * Counts keys from the one with the largest weight: the others may have far less than its rounding.
 * scratch: [d + 3 x d] */
static void local_line(const sa_real *q, sa_mat k, sa_real *alpha, sa_mat scratch) {
    const int d = k.cols;
    const sa_mat C = sa_rows(scratch, 0, d);
    sa_real *m = sa_row(scratch, d), *r = sa_row(scratch, d + 1);
    const sa_real *at = sa_row(k, 0);
    for (int j = 0, top = 0; j < k.rows; j++)
        if (alpha[j] > alpha[top]) top = j, at = sa_row(k, j);
    sa_zero(scratch);
    for (int j = 0; j < k.rows; j++)
        for (int l = 0; l < d; l++) m[l] += alpha[j] * (sa_row(k, j)[l] - at[l]);
    for (int j = 0; j < k.rows; j++)
        for (int i = 0; i < d; i++)
            for (int l = 0; l < d; l++)
                sa_row(C, i)[l] +=
                    alpha[j] * (sa_row(k, j)[i] - at[i] - m[i]) * (sa_row(k, j)[l] - at[l] - m[l]);
    for (int l = 0; l < d; l++) r[l] = m[l] + at[l] - q[l];
    solve(C, r, sa_row(scratch, d + 2));
    for (int j = 0; j < k.rows; j++) {
        sa_real s = 0;
        for (int l = 0; l < d; l++) s += r[l] * (sa_row(k, j)[l] - at[l] - m[l]);
        alpha[j] *= 1 - s;
    }
}

/* Makes a local line of a local constant. The part owns the scratch of local_line. */
static void line_forward(const sa_attention *w, int part, sa_head *at) {
    const sa_mat *scratch = sa_part_own(w, part);
    for (int i = 0; i < at->q.rows; i++)
        local_line(sa_row(at->q, i), at->k, sa_row(at->alpha, i), *scratch);
}

static const sa_part line_part = {.forward = {[SA_PLACE_WEIGHTS] = line_forward}};

/* ---- Steps ----------------------------------------------------------------------------------- */

enum { QUERY, KEYS, VALUES, OUTPUT };

/* Names of x, W, b and their result, and its formula without W, without b, with both. */
static const char *const names[][7] = {
    [QUERY] = {"X", "W_q", "b_q", "Q", "X", "X W_q'", "X W_q' + b_q"},
    [KEYS] = {"X of keys", "W_k", "b_k", "K", "X", "X W_k'", "X W_k' + b_k"},
    [VALUES] = {"X of values", "W_v", "b_v", "V", "X", "X W_v'", "X W_v' + b_v"},
    [OUTPUT] = {"", "W_o", "b_o", "outputs", "C = weights V", "C W_o'", "C W_o' + b_o"},
};

static const sa_attend_about abouts[] = {SA_ATTEND_QUERIES, SA_ATTEND_KEYS, SA_ATTEND_KEYS,
                                         SA_ATTEND_OUTPUTS};

/* Scores that are built from another score, with this v_a. */
static const struct {
    int attention, other;
    sa_real v_a;
    const char *name, *formula;
} made_of[] = {
    {SA_ATTENTION_SCALED_DOT, SA_ATTENTION_DOT, 0, "QK'", "q_i' k_j"},
    {SA_ATTENTION_GAUSSIAN, SA_ATTENTION_GAUSSIAN, 0, "distances", "-|q_i - k_j|^2 / 2"},
    {SA_ATTENTION_COSINE, SA_ATTENTION_QK_NORM, 1, "cosines", "cos(q_i, k_j)"},
    {SA_ATTENTION_QK_NORM, SA_ATTENTION_QK_NORM, 1, "cosines", "cos(q_i, k_j)"},
};

/* Hands out a step of head h (from 1; 0: of all), but nothing while the arena only counts. */
static void tell(const attention *at, int h, sa_attend_about about, const char *name,
                 const char *formula, sa_mat x) {
    const sa_attend_options *job = at->job;
    const sa_attend_step step = {name, formula, h, about, x.rows, x.cols, x.ld, x.x};
    if (job->each && at->arena->base && x.x) job->each(job->context, &step);
}

/* Hands out what the scores are made from. */
static void tell_score(const attention *at, sa_head read, int h) {
    const sa_mat t = sa_cols(sa_rows(at->scratch.score, 0, read.k.rows), 0, read.k.cols);
    read.alpha = at->e;
    for (size_t i = 0; i < sizeof made_of / sizeof *made_of; i++) {
        sa_real v_a = made_of[i].v_a;
        if (made_of[i].attention != at->job->attention) continue;
        sa_scores[made_of[i].other].forward((sa_mat){&v_a, 1, 1, 1}, read.q, read.k, at->e, t);
        tell(at, h, SA_ATTEND_MAP, made_of[i].name, made_of[i].formula, at->e);
    }
    for (int i = 0; i < read.q.rows && at->w.score->forward == sa_additive_forward; i++) {
        sa_tanh_shifted(read.k, sa_row(read.q, i), t);
        tell(at, h, SA_ATTEND_KEYS, "hidden layer", "tanh(q_i + k_j), query by query", t);
    }
    sa_score_forward(&at->w, &read);
}

static void tell_weights(const attention *at, const char *formula, sa_mat alpha, int h) {
    tell(at, h, SA_ATTEND_RESULT, "weights", formula, alpha);
    for (int i = 0; i < alpha.rows; i++) *sa_row(at->e, i) = sa_sum(sa_row(alpha, i), alpha.cols);
    tell(at, h, SA_ATTEND_QUERIES, "row sums", "sum_j alpha_ij", sa_cols(at->e, 0, 1));
}

/* Hands out the scores e of a head, and the query and keys that the score reads. */
static void tell_scores(const attention *at, sa_head read, int h, sa_mat e) {
    const char *formula = at->w.score->formula;
    const int count = e.rows * e.cols;
    bool changed = false, masked = false;
    if (h || sa_part_find(&at->w, &sa_rotation_part) >= 0) {
        tell(at, h, SA_ATTEND_QUERIES, "Q", "as the score reads it", read.q);
        tell(at, h, SA_ATTEND_KEYS, "K", "as the score reads it", read.k);
        tell(at, h, SA_ATTEND_KEYS, "V", NULL, read.v);
    }
    tell_score(at, read, h);
    for (int i = 0; i < count; i++) changed = changed || at->e.x[i] != e.x[i];
    if (changed) tell(at, h, SA_ATTEND_MAP, "scores before bias and mask", formula, at->e);
    for (int i = 0; i < count; i++) {
        at->e.x[i] = e.x[i] > -(sa_real)INFINITY;
        masked = masked || at->e.x[i] == 0;
    }
    if (masked) tell(at, h, SA_ATTEND_MAP, "mask", "1 where query i sees key j", at->e);
    tell(at, h, SA_ATTEND_RESULT, "scores", changed ? NULL : formula, e);
    if (at->job->degree)
        tell(at, h, SA_ATTEND_MAP, "weights of degree 0", at->w.normalizer->formula, read.alpha);
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* Copies a table, but nothing while the arena only counts. */
static sa_mat copy_table(sa_arena *arena, sa_table table) {
    if (!table.numbers) return (sa_mat){0};
    const sa_mat x = sa_mat_alloc(arena, table.rows, table.cols);
    if (x.x) memcpy(x.x, table.numbers, (size_t)x.rows * (size_t)x.cols * sizeof *x.x);
    return x;
}

/* Returns a row or a column as a row. */
static sa_mat as_row(sa_mat x) {
    const int size = x.rows * x.cols;
    return (sa_mat){x.x, size ? 1 : 0, size, size};
}

/* Returns x W' + b, or x. */
static sa_mat project(const attention *at, int which, sa_mat x, const sa_projection *map) {
    const sa_mat W = copy_table(at->arena, map->W), b = as_row(copy_table(at->arena, map->b));
    const sa_mat y = W.rows ? sa_mat_alloc(at->arena, x.rows, W.rows) : x;
    if (W.x) sa_linear_forward((sa_weight){.mat = W}, b, x, y);
    tell(at, 0, SA_ATTEND_NUMBERS, names[which][1], NULL, W);
    tell(at, 0, SA_ATTEND_NUMBERS, names[which][2], NULL, b);
    tell(at, 0, abouts[which], names[which][3], names[which][4 + b.rows + (W.x != NULL)], y);
    return y;
}

static sa_mat input(const attention *at, int which, sa_table table, const sa_projection *map) {
    const sa_mat x = copy_table(at->arena, table);
    const sa_positions positions = {.kind = &sa_position_kinds[at->job->positions]};
    const sa_mat max_positions = sa_mat_alloc(at->arena, x.rows, x.cols);
    const char *added = positions.kind->encoding ? positions.kind->formula : NULL;
    if (x.x && added) {
        sa_positions_table(&positions, 0, max_positions);
        sa_add(max_positions, x);
    }
    if (which == QUERY || table.numbers != at->job->query.numbers)
        tell(at, 0, abouts[which], names[which][0], added, x);
    return table.numbers ? project(at, which, x, map) : (sa_mat){0};
}

/* Returns the score's own parameters for keys of this size: the given ones, those of a kernel's
 * width, or those where training starts, except v_a, which is all ones. */
static sa_mat parameters(const attention *at, int size) {
    const sa_attend_options *job = at->job;
    const sa_score *score = &sa_scores[job->attention];
    sa_params plan = {0};
    if (!score->bind) return (sa_mat){0};
    if (job->v_a.numbers) return as_row(copy_table(at->arena, job->v_a));
    score->bind(&(sa_binder){.plan = &plan}, "", size, job->heads, job->values.rows);
    const sa_param *own = plan.item;
    const sa_mat x = sa_mat_alloc(at->arena, 1, own->cols);
    for (int i = 0; x.x && i < own->cols; i++)
        x.x[i] = job->bandwidth > 0                ? (sa_real)log(job->bandwidth)
                 : own->init == SA_INIT_ALIGN_LAST ? 1
                 : own->init == SA_INIT_CONSTANT   ? own->start
                                                   : 0;
    return x;
}

/* Builds an attention from queries of this size and the keys, with the parts that need no
 * parameters. */
static void build(attention *at, int query_width) {
    const sa_attend_options *job = at->job;
    sa_attention *w = &at->w;
    const sa_score *score = &sa_scores[job->attention];
    sa_positions positions = {.kind = &sa_position_kinds[job->positions]};
    sa_attention_sizes sizes = {.score = score,
                                .normalizer = &sa_normalizers[job->normalizer],
                                .site = SA_SITE_ENCODER,
                                .positions = &positions,
                                .settings = {.entmax_alpha = job->entmax_alpha},
                                .heads = job->heads};
    const sa_part *list[SA_PARTS_CHOSEN];
    const int count = sa_parts_choose(&sizes, list);
    *w = (sa_attention){.score = score,
                        .normalizer = sizes.normalizer,
                        .heads = job->heads,
                        .kv_heads = job->heads,
                        .query_width = query_width,
                        .key_width = at->memory.keys.cols,
                        .exponent = (sa_real)job->entmax_alpha};
    for (int p = 0; p < count; p++) sa_part_add(w, list[p], p);
    for (int group = 0; group < SA_BIND_GROUPS; group++)
        sa_parts_bind(&(sa_binder){0}, "", &sizes, group, w);
}

/* ---- Attending ------------------------------------------------------------------------------- */

static sa_mat of_head(double *all, const sa_attend_result *shape, int h) {
    const int Q = shape->queries, S = shape->keys;
    return (sa_mat){all + (size_t)h * (size_t)Q * (size_t)S, Q, S, S};
}

static void take_head(sa_tracer *tracer, const sa_traced *one) {
    const attention *at = (const attention *)tracer;
    const sa_attend_options *job = at->job;
    const sa_head *head = one->head;
    if (!head || one->citation) return;
    const int h = job->heads > 1 ? head->index + 1 : 0;
    const sa_mat e = of_head(at->out->scores, at->out, head->index);
    if (strcmp(one->name, "e") == 0) {
        sa_copy_mat(one->x, e);
        for (int i = 0; head->spans && i < e.rows; i++)
            for (int j = 0; j < e.cols; j++)
                if (j < head->spans[i].first || j >= head->spans[i].first + head->spans[i].count)
                    sa_row(e, i)[j] = -(sa_real)INFINITY;
    } else if (strcmp(one->name, "pi(e)") == 0) {
        tell_scores(at, *head, h, e);
    } else if (strcmp(one->name, "c") == 0) {
        sa_copy_mat(head->alpha, of_head(at->out->weights, at->out, head->index));
        tell_weights(at, job->degree ? line_formula : at->w.normalizer->formula, head->alpha, h);
        if (h)
            tell(at, h, SA_ATTEND_QUERIES, "contexts", "weights V",
                 sa_head_slice(at->c, job->heads, head->index));
    }
}

/* Reads the inputs, but computes nothing while the arena only counts. */
static void read_inputs(attention *at) {
    const sa_attend_options *job = at->job;
    sa_arena *arena = at->arena;
    const int Q = job->query.rows, S = job->values.rows;
    const sa_mat mask = copy_table(arena, job->mask);
    const sa_mat q = input(at, QUERY, job->query, &job->query_projection);
    at->memory.keys = sa_mat_alloc(arena, S, 0);
    if (sa_scores[job->attention].key != SA_KEY_NONE)
        at->memory.keys = input(at, KEYS, job->keys, &job->keys_projection);
    at->memory.values = input(at, VALUES, job->values, &job->values_projection);
    if (job->weights.numbers) return;
    build(at, q.cols);
    if (mask.rows) *(sa_mat *)sa_part_add(&at->w, &mask_part, at->w.parts) = mask;
    const int d = at->memory.keys.cols / job->heads;
    if (job->degree)
        *(sa_mat *)sa_part_add(&at->w, &line_part, at->w.parts) = at->line =
            sa_mat_alloc(arena, d + 3, d);
    at->w.v_a = parameters(at, at->memory.keys.cols);
    at->rows = sa_attention_rows_layout(arena, &at->w, Q, S, false);
    at->scratch = sa_attention_scratch_layout(arena, &at->w, Q, S > Q ? S : Q, false);
    at->memory.first = at->first, at->first[1] = S;
    if (!arena->base) return;
    sa_copy_mat(q, at->rows.q);
    for (int p = 0; p < at->w.parts; p++)
        if (at->w.part[p].kind->memory.forward)
            at->w.part[p].kind->memory.forward(&at->w, p, &at->memory);
}

/* ---- The width of a kernel ---------------------------------------------------------------------
 * The width h in kernel regression (Nadaraya 1964, Watson 1964), chosen so that every value is
 * predicted best from the others:
 *
 *   f_h(k_i) = sum_{j /= i} alpha_ij v_j,  alpha_i = softmax_{j /= i}(-|k_i - k_j|^2 / (2 h^2))
 *   E(h) = 1/S sum_i |v_i - f_h(k_i)|^2
 *
 * If the sum included pair i itself, h = 0 would be best, with E = 0. */

/* Returns |v_i - f_h(k_i)|^2. */
static double error_of_pair(const attention *at, double h, int i) {
    const sa_mat k = at->memory.keys, v = at->memory.values;
    const int S = k.rows;
    sa_real *alpha = at->alpha.x;
    for (int j = 0; j < S - 1; j++)
        alpha[j] = (sa_real)((double)sa_row(at->kernel, i)[j < i ? j : j + 1] / h / h);
    at->w.normalizer->forward(at->w.exponent, (sa_mat){alpha, 1, S - 1, S - 1});
    memmove(alpha + i + 1, alpha + i, (size_t)(S - 1 - i) * sizeof *alpha);
    alpha[i] = 0;
    if (at->job->degree) local_line(sa_row(k, i), k, alpha, at->line);
    double sum = 0;
    for (int l = 0; l < v.cols; l++) {
        double f = 0;
        for (int j = 0; j < S; j++) f += (double)(alpha[j] * sa_row(v, j)[l]);
        sum += ((double)sa_row(v, i)[l] - f) * ((double)sa_row(v, i)[l] - f);
    }
    return sum;
}

/* Returns E(h). */
static double left_out(const attention *at, double log_h) {
    double sum = 0;
    for (int i = 0; i < at->kernel.rows; i++) sum += error_of_pair(at, exp(log_h), i);
    return sum / at->kernel.rows;
}

/* Sets the range of log h: from a tenth of the least distance between two keys to ten times the
 * greatest; for equal keys, where any h is the same, as if their distance were 1. */
static void range_of(const attention *at, double *from, double *to) {
    double least = INFINITY, most = 0; /* |k_i - k_j|^2 */
    for (int i = 0; i < at->kernel.rows; i++)
        for (int j = 0; j < i; j++) {
            const double distance = -2 * (double)sa_row(at->kernel, i)[j];
            if (distance > 0) least = fmin(least, distance);
            most = fmax(most, distance);
        }
    if (most == 0) least = most = 1;
    *from = log(fmin(fmax(sqrt(least) / 10, SA_BANDWIDTH_MIN), SA_BANDWIDTH_MAX));
    *to = log(fmin(fmax(sqrt(most) * 10, SA_BANDWIDTH_MIN), SA_BANDWIDTH_MAX));
}

/* Returns the h with the least E, the largest if several have it, and sets *least to that E(h).
 * Takes the lowest point of a grid in log h, then searches around it by golden section: E may have
 * several valleys. */
static double best_bandwidth(const attention *at, double *least) {
    enum { GRID = 64, SECTIONS = 40 };
    double from, to, best;
    range_of(at, &from, &to);
    const double step = (to - from) / GRID, golden = (sqrt(5) - 1) / 2;
    best = to, *least = left_out(at, to);
    for (int i = GRID - 1; i >= 0; i--) {
        const double E = left_out(at, from + i * step);
        if (E < *least) *least = E, best = from + i * step;
    }
    double low = fmax(best - step, from), high = fmin(best + step, to);
    for (int i = 0; i < SECTIONS; i++) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        const double E_left = left_out(at, left), E_right = left_out(at, right);
        if (fmin(E_left, E_right) < *least)
            *least = fmin(E_left, E_right), best = E_left < E_right ? left : right;
        if (E_left < E_right)
            high = right;
        else
            low = left;
    }
    return exp(best);
}

/* Sets h for a single head. */
static void fit_bandwidth(attention *at) {
    const sa_mat k = at->memory.keys;
    at->kernel = sa_mat_alloc(at->arena, k.rows, k.rows);
    at->alpha = sa_mat_alloc(at->arena, 1, k.rows);
    if (!at->arena->base) return;
    const sa_head all = {
        .v_a = at->w.v_a, .q = k, .k = k, .alpha = at->kernel, .scratch = &at->scratch};
    at->w.v_a.x[0] = 0; /* log h */
    sa_score_forward(&at->w, &all);
    double fitted[2];
    at->out->bandwidth = fitted[0] = best_bandwidth(at, &fitted[1]);
    at->out->left_out = fitted[1];
    tell(at, 0, SA_ATTEND_BANDWIDTH, "bandwidth", NULL, (sa_mat){fitted, 1, 2, 2});
    at->w.v_a.x[0] = (sa_real)log(fitted[0]);
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Computes the weights, or takes the given ones, and the contexts. */
static void attend(attention *at) {
    const sa_attend_options *job = at->job;
    sa_attend_result *out = at->out;
    const sa_mat first = of_head(out->weights, out, 0);
    if (job->weights.numbers) {
        memcpy(first.x, job->weights.numbers,
               (size_t)first.rows * (size_t)first.cols * sizeof *first.x);
        sa_gemm_nn(first, at->memory.values, 0, at->c);
        tell_weights(at, NULL, first, 0);
    } else {
        sa_tracing = &at->tracer; /* hands out e, alpha and c of all heads */
        sa_heads_forward(&at->w, &at->memory, (sa_query_block){0, out->queries, 0, 1, job->causal},
                         at->rows, at->c, &at->scratch);
        sa_tracing = NULL;
    }
    if (job->output_projection.W.numbers)
        tell(at, 0, SA_ATTEND_CONTEXTS, "contexts", "C = weights V, the heads side by side", at->c);
}

/* Does everything, but computes nothing while the arena only counts. */
static void run(sa_arena *arena, const sa_attend_options *job, sa_attend_result *out) {
    attention at = {.tracer = {take_head},
                    .job = job,
                    .out = out,
                    .arena = arena,
                    .c = {out->contexts, out->queries, out->context, out->context},
                    .e = sa_mat_alloc(arena, out->queries, out->keys)};
    read_inputs(&at);
    if (job->bandwidth == SA_BANDWIDTH_FIT) fit_bandwidth(&at);
    tell(&at, 0, SA_ATTEND_NUMBERS, "v_a", "or log h, b or g, for each head", at.w.v_a);
    if (arena->base) attend(&at);
    const sa_mat o = project(&at, OUTPUT, at.c, &job->output_projection);
    if (arena->base) sa_copy_mat(o, (sa_mat){out->outputs, o.rows, o.cols, o.cols});
}

static bool all_finite(const double *x, size_t count) {
    size_t i = 0;
    while (i < count && isfinite(x[i])) i++;
    return i == count;
}

bool sa_attend(const sa_attend_options *options, sa_attend_result *result, sa_error *error) {
    if (!sa_given(options, "options", error) || !sa_given(result, "result", error)) return false;
    *result = (sa_attend_result){0};
    if (!sa_operands_check(options, result, error)) return false;
    const size_t H = (size_t)options->heads, Q = (size_t)result->queries, size = sizeof(double);
    const bool scored = !options->weights.numbers;
    bool good = (result->weights = sa_new(H * Q, size * (size_t)result->keys, error)) &&
                (result->contexts = sa_new(Q, size * (size_t)result->context, error)) &&
                (result->outputs = sa_new(Q, size * (size_t)result->output, error)) &&
                (!scored || (result->scores = sa_new(H * Q, size * (size_t)result->keys, error)));
    sa_arena arena = {0};
    sa_blas_init();
    if (good) run(&arena, options, result); /* counts */
    good = good && sa_arena_init(&arena, arena.used, error) && sa_blas_check_memory(1, error);
    if (good) run(&arena, options, result);
    sa_arena_release(&arena);
    if (good && !(all_finite(result->weights, H * Q * (size_t)result->keys) &&
                  all_finite(result->outputs, Q * (size_t)result->output)))
        good = sa_fail(error, SA_DATA,
                       "the numbers are too large: sums of products leave the range of double "
                       "precision");
    if (!good) sa_attend_result_release(result);
    return good;
}

void sa_attend_result_release(sa_attend_result *attended) {
    if (!attended) return;
    free(attended->scores);
    free(attended->weights);
    free(attended->contexts);
    free(attended->outputs);
    *attended = (sa_attend_result){0};
}
