/* attend: attention on given numbers (sa_attend), in double precision. It runs the functions of a
 * model and hands out the steps. */
#include "attention/heads.h"
#include "attention/parts.h"
#include "base/error.h"
#include "base/memory.h"
#include "lab/bandwidth.h"
#include "lab/operands.h"
#include "layers/basic.h"
#include "softalign/lab.h"
#include "tensor/blas.h"
#include "tensor/trace.h"
#include "tensor/weight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The inputs of the attention core, in the arena. */
typedef struct attention {
    sa_attention w;
    sa_memory memory; /* of one sentence */
    int *first;       /* [2] its rows */
    sa_attention_rows rows;
    sa_attention_scratch scratch;
    sa_mat c;
    sa_mat e; /* [Q x S] scratch */
} attention;

static const sa_mat none = {0};

/* ---- A mask ---------------------------------------------------------------------------------- */

/* Hides any keys, which no model can do: models have spans. The part owns the mask [Q x S]. */
static void mask_forward(const sa_attention *w, int part, sa_head *at) {
    const sa_mat *mask = sa_part_own(w, part);
    for (int i = 0; i < mask->rows; i++)
        for (int j = 0; j < mask->cols; j++)
            if (sa_row(*mask, i)[j] == 0) sa_row(at->alpha, i)[j] = -(sa_real)INFINITY;
}

static const sa_part mask_part = {.forward = {[SA_PLACE_SCORES] = mask_forward}};

/* ---- A local line ---------------------------------------------------------------------------- */

static const char *const line_formula =
    "alpha_j (1 - r'(k_j - m)), r = C^-1 (m - q), m and C the mean and the covariance of the keys "
    "by alpha: then the mean is q";

/* Makes a local line of a local constant. The part owns the scratch of sa_local_line. */
static void line_forward(const sa_attention *w, int part, sa_head *at) {
    const sa_mat *scratch = sa_part_own(w, part);
    for (int i = 0; i < at->q.rows; i++)
        sa_local_line(sa_row(at->q, i), at->k, sa_row(at->alpha, i), *scratch);
}

static const sa_part line_part = {.forward = {[SA_PLACE_WEIGHTS] = line_forward}};

/* Returns the scratch of sa_local_line for a head's keys, or nothing for degree 0. */
static sa_mat line_scratch(sa_arena *arena, const sa_attend_options *job, sa_mat k) {
    const int d = k.cols / job->heads;
    return job->degree ? sa_mat_alloc(arena, d + 3, d) : (sa_mat){0};
}

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

/* Hands out a step of head h (from 1; 0: of all). */
static void tell(const sa_attend_options *job, int h, sa_attend_about about, const char *name,
                 const char *formula, sa_mat x) {
    const sa_attend_step step = {name, formula, h, about, x.rows, x.cols, x.ld, x.x};
    if (job->each && x.x) job->each(job->context, &step);
}

/* Hands out what the scores are made from. */
static void tell_score(const sa_attend_options *job, const attention *at, sa_head read, int h) {
    const sa_mat t = sa_cols(sa_rows(at->scratch.score, 0, read.k.rows), 0, read.k.cols);
    read.alpha = at->e;
    for (size_t i = 0; i < sizeof made_of / sizeof *made_of; i++) {
        sa_real v_a = made_of[i].v_a;
        if (made_of[i].attention != job->attention) continue;
        sa_scores[made_of[i].other].forward((sa_mat){&v_a, 1, 1, 1}, read.q, read.k, at->e, t);
        tell(job, h, SA_ATTEND_MAP, made_of[i].name, made_of[i].formula, at->e);
    }
    for (int i = 0; i < read.q.rows && at->w.score->forward == sa_additive_forward; i++) {
        sa_tanh_shifted(read.k, sa_row(read.q, i), t);
        tell(job, h, SA_ATTEND_KEYS, "hidden layer", "tanh(q_i + k_j), query by query", t);
    }
    sa_score_forward(&at->w, &read);
}

static void tell_weights(const sa_attend_options *job, const attention *at, const char *formula,
                         sa_mat alpha, int h) {
    tell(job, h, SA_ATTEND_RESULT, "weights", formula, alpha);
    for (int i = 0; i < alpha.rows; i++) *sa_row(at->e, i) = sa_sum(sa_row(alpha, i), alpha.cols);
    tell(job, h, SA_ATTEND_QUERIES, "row sums", "sum_j alpha_ij", sa_cols(at->e, 0, 1));
}

/* Hands out the scores e of a head, and the query and keys that the score reads. */
static void tell_scores(const sa_attend_options *job, const attention *at, sa_head read, int h,
                        sa_mat e) {
    const char *formula = at->w.score->formula;
    const int count = e.rows * e.cols;
    bool changed = false, masked = false;
    if (h || sa_part_find(&at->w, &sa_rotation_part) >= 0) {
        tell(job, h, SA_ATTEND_QUERIES, "Q", "as the score reads it", read.q);
        tell(job, h, SA_ATTEND_KEYS, "K", "as the score reads it", read.k);
        tell(job, h, SA_ATTEND_KEYS, "V", NULL, read.v);
    }
    tell_score(job, at, read, h);
    for (int i = 0; i < count; i++) changed = changed || at->e.x[i] != e.x[i];
    if (changed) tell(job, h, SA_ATTEND_MAP, "scores before bias and mask", formula, at->e);
    for (int i = 0; i < count; i++) {
        at->e.x[i] = e.x[i] > -(sa_real)INFINITY;
        masked = masked || at->e.x[i] == 0;
    }
    if (masked) tell(job, h, SA_ATTEND_MAP, "mask", "1 where query i sees key j", at->e);
    tell(job, h, SA_ATTEND_RESULT, "scores", changed ? NULL : formula, e);
    if (job->degree)
        tell(job, h, SA_ATTEND_MAP, "weights of degree 0", at->w.normalizer->formula, read.alpha);
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* Copies a table, but nothing while the arena only counts. */
static sa_mat copy_table(sa_arena *arena, sa_table table) {
    if (!table.numbers) return none;
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
static sa_mat project(sa_arena *arena, const sa_attend_options *job, int which, sa_mat x,
                      const sa_projection *map) {
    const sa_mat W = copy_table(arena, map->W), b = as_row(copy_table(arena, map->b));
    const sa_mat y = W.rows ? sa_mat_alloc(arena, x.rows, W.rows) : x;
    if (!arena->base) return y;
    if (W.x) sa_linear_forward(sa_weight_of(W), b, x, y);
    tell(job, 0, SA_ATTEND_NUMBERS, names[which][1], NULL, W);
    tell(job, 0, SA_ATTEND_NUMBERS, names[which][2], NULL, b);
    tell(job, 0, abouts[which], names[which][3], names[which][4 + b.rows + (W.x != NULL)], y);
    return y;
}

static sa_mat input(sa_arena *arena, const sa_attend_options *job, int which, sa_table table,
                    const sa_projection *map) {
    const sa_mat x = copy_table(arena, table);
    const sa_positions positions = {.kind = &sa_position_kinds[job->positions]};
    const sa_mat max_positions = sa_mat_alloc(arena, x.rows, x.cols);
    const char *added = positions.kind->encoding ? positions.kind->formula : NULL;
    if (x.x && added) {
        sa_positions_table(&positions, 0, max_positions);
        sa_add(max_positions, x);
    }
    if (which == QUERY || table.numbers != job->query.numbers)
        tell(job, 0, abouts[which], names[which][0], added, x);
    return table.numbers ? project(arena, job, which, x, map) : none;
}

/* Returns the score's own parameters for keys of this size: the given ones, those of a kernel's
 * width, or those where training starts, except v_a, which is all ones. */
static sa_mat parameters(sa_arena *arena, const sa_attend_options *job, int size) {
    const sa_score *score = &sa_scores[job->attention];
    sa_params plan = {0};
    if (!score->bind) return none;
    if (job->v_a.numbers) return as_row(copy_table(arena, job->v_a));
    score->bind(&(sa_binder){.plan = &plan}, "", size, job->heads, job->values.rows);
    const sa_param *own = plan.item;
    const sa_mat x = sa_mat_alloc(arena, 1, own->cols);
    for (int i = 0; x.x && i < own->cols; i++)
        x.x[i] = job->bandwidth > 0                ? (sa_real)log(job->bandwidth)
                 : own->init == SA_INIT_ALIGN_LAST ? 1
                 : own->init == SA_INIT_CONSTANT   ? own->start
                                                   : 0;
    return x;
}

/* Builds an attention from these queries and keys, with the parts that need no parameters. */
static void build(const sa_attend_options *job, const sa_attend_result *out, sa_mat q, sa_mat k,
                  sa_attention *w) {
    const sa_score *score = &sa_scores[job->attention];
    sa_positions positions = {.kind = &sa_position_kinds[job->positions]};
    sa_attention_sizes sizes = {.score = score,
                                .normalizer = &sa_normalizers[job->normalizer],
                                .site = SA_SITE_ENCODER,
                                .positions = &positions,
                                .settings = {.entmax_alpha = job->entmax_alpha},
                                .heads = out->heads};
    const sa_part *list[SA_PARTS_MAX];
    const int count = sa_parts_choose(&sizes, list);
    *w = (sa_attention){.score = score,
                        .normalizer = sizes.normalizer,
                        .heads = out->heads,
                        .kv_heads = out->heads,
                        .query_width = q.cols,
                        .key_width = k.cols,
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

/* A reader of the trace of the heads. */
typedef struct heads_tracer {
    sa_tracer tracer; /* the first member */
    const sa_attend_options *job;
    const attention *at;
    sa_attend_result *out;
} heads_tracer;

static void take_head(sa_tracer *tracer, const sa_traced *one) {
    const heads_tracer *own = (const heads_tracer *)tracer;
    const sa_attend_options *job = own->job;
    const attention *at = own->at;
    const sa_head *head = one->head;
    if (!head || one->citation) return;
    const int h = job->heads > 1 ? head->index + 1 : 0;
    const sa_mat e = of_head(own->out->scores, own->out, head->index);
    if (strcmp(one->name, "e") == 0) {
        sa_copy_mat(one->x, e);
        for (int i = 0; head->spans && i < e.rows; i++)
            for (int j = 0; j < e.cols; j++)
                if (j < head->spans[i].first || j >= head->spans[i].first + head->spans[i].count)
                    sa_row(e, i)[j] = -(sa_real)INFINITY;
    } else if (strcmp(one->name, "pi(e)") == 0) {
        tell_scores(job, at, *head, h, e);
    } else if (strcmp(one->name, "c") == 0) {
        sa_copy_mat(head->alpha, of_head(own->out->weights, own->out, head->index));
        tell_weights(job, at, job->degree ? line_formula : at->w.normalizer->formula, head->alpha,
                     h);
        if (h)
            tell(job, h, SA_ATTEND_QUERIES, "contexts", "weights V",
                 sa_head_slice(at->c, job->heads, head->index));
    }
}

/* Reads the inputs, but computes nothing while the arena only counts. */
static attention read_inputs(sa_arena *arena, const sa_attend_options *job,
                             const sa_attend_result *out) {
    const sa_score *score = &sa_scores[job->attention];
    const int Q = job->query.rows, S = job->values.rows;
    attention at = {.e = sa_mat_alloc(arena, out->queries, S)};
    const sa_mat mask = copy_table(arena, job->mask);
    const sa_mat q = input(arena, job, QUERY, job->query, &job->query_projection);
    at.memory.keys = sa_mat_alloc(arena, S, 0);
    if (score->key != SA_KEY_NONE)
        at.memory.keys = input(arena, job, KEYS, job->keys, &job->keys_projection);
    at.memory.values = input(arena, job, VALUES, job->values, &job->values_projection);
    if (job->weights.numbers) return at;
    build(job, out, q, at.memory.keys, &at.w);
    if (mask.rows) *(sa_mat *)sa_part_add(&at.w, &mask_part, at.w.parts) = mask;
    if (job->degree)
        *(sa_mat *)sa_part_add(&at.w, &line_part, at.w.parts) =
            line_scratch(arena, job, at.memory.keys);
    at.w.v_a = parameters(arena, job, at.memory.keys.cols);
    at.first = sa_arena_alloc(arena, 2, sizeof *at.first);
    at.rows = sa_attention_rows_layout(arena, &at.w, Q, S, false);
    at.scratch = sa_attention_scratch_layout(arena, &at.w, Q, S > Q ? S : Q, false);
    at.memory.first = at.first;
    if (!arena->base) return at;
    at.first[0] = 0, at.first[1] = S;
    sa_copy_mat(q, at.rows.q);
    for (int p = 0; p < at.w.parts; p++)
        if (at.w.part[p].kind->memory.forward)
            at.w.part[p].kind->memory.forward(&at.w, p, &at.memory);
    return at;
}

/* Chooses the width of the kernel that predicts every value best from the others, for a single
 * head. */
static void fit_bandwidth(sa_arena *arena, const sa_attend_options *job, const attention *at,
                          sa_attend_result *out) {
    const sa_mat k = at->memory.keys;
    const sa_bandwidth_data data = {.normalizer = at->w.normalizer,
                                    .exponent = at->w.exponent,
                                    .e = sa_mat_alloc(arena, k.rows, k.rows),
                                    .v = at->memory.values,
                                    .k = job->degree ? k : none,
                                    .line = line_scratch(arena, job, k),
                                    .alpha = sa_mat_alloc(arena, 1, k.rows)};
    const sa_head all = {
        .v_a = at->w.v_a, .q = k, .k = k, .alpha = data.e, .scratch = &at->scratch};
    if (!arena->base) return;
    at->w.v_a.x[0] = 0; /* log h */
    sa_score_forward(&at->w, &all);
    out->bandwidth = sa_bandwidth_best(&data, &out->left_out);
    double fitted[] = {out->bandwidth, out->left_out};
    tell(job, 0, SA_ATTEND_BANDWIDTH, "bandwidth", NULL, (sa_mat){fitted, 1, 2, 2});
    at->w.v_a.x[0] = (sa_real)log(out->bandwidth);
}

static void attend(sa_arena *arena, const sa_attend_options *job, sa_attend_result *out) {
    attention at = read_inputs(arena, job, out);
    at.c = (sa_mat){out->contexts, out->queries, out->context, out->context};
    if (job->bandwidth == SA_BANDWIDTH_FIT) fit_bandwidth(arena, job, &at, out);
    tell(job, 0, SA_ATTEND_NUMBERS, "v_a", "or log h, b or g, for each head", at.w.v_a);
    if (arena->base && job->weights.numbers) {
        memcpy(out->weights, job->weights.numbers,
               (size_t)out->queries * (size_t)out->keys * sizeof *out->weights);
        sa_gemm_nn(of_head(out->weights, out, 0), at.memory.values, 0, at.c);
        tell_weights(job, &at, NULL, of_head(out->weights, out, 0), 0);
    } else if (arena->base) {
        heads_tracer reader = {{take_head}, job, &at, out};
        sa_tracing = &reader.tracer; /* hands out e, alpha and c of all heads */
        sa_heads_forward(&at.w, &at.memory, (sa_query_block){0, out->queries, 0, 1, job->causal},
                         at.rows, at.c, &at.scratch);
        sa_tracing = NULL;
    }
    if (arena->base && job->output_projection.W.numbers)
        tell(job, 0, SA_ATTEND_CONTEXTS, "contexts", "C = weights V, the heads side by side", at.c);
    const sa_mat o = project(arena, job, OUTPUT, at.c, &job->output_projection);
    if (arena->base) sa_copy_mat(o, (sa_mat){out->outputs, o.rows, o.cols, o.cols});
}

/* ---- All of it ------------------------------------------------------------------------------- */

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
    if (good) attend(&arena, options, result); /* counts */
    good = good && sa_arena_init(&arena, arena.used, error) && sa_blas_check_memory(1, error);
    if (good) attend(&arena, options, result);
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
