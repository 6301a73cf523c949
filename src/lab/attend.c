/* attend: the attention core on given numbers, in double. */
#include "attention/multihead.h"
#include "lab/bandwidth.h"
#include "lab/lab.h"
#include "layers/linear.h"
#include "layers/position.h"
#include "tensor/blas.h"
#include "tensor/vec.h"

#include <math.h>
#include <string.h>

/* The inputs of the attention core, in the arena. */
typedef struct attention {
    const sa_normalizer *normalizer;
    sa_real exponent;
    sa_positions positions;
    sa_mat q, k, v, v_a, c, scratch;
    sa_span *spans; /* [Q] */
} attention;

static const sa_mat none = {0};

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* While the arena only counts, nothing is copied. */
static sa_mat copy_table(sa_arena *arena, sa_table table) {
    if (!table.numbers) return none;
    const sa_mat x = sa_mat_alloc(arena, table.rows, table.cols);
    if (x.x) memcpy(x.x, table.numbers, (size_t)x.rows * (size_t)x.cols * sizeof *x.x);
    return x;
}

/* A row or a column of numbers as a row. */
static sa_mat as_row(sa_mat x) {
    const int size = x.rows * x.cols;
    return (sa_mat){x.x, size ? 1 : 0, size, size};
}

/* x W' + b, or x */
static sa_mat project(sa_arena *arena, sa_mat x, const sa_projection *map) {
    const sa_mat W = copy_table(arena, map->W), b = as_row(copy_table(arena, map->b));
    if (!map->W.numbers) return x;
    const sa_mat y = sa_mat_alloc(arena, x.rows, W.rows);
    if (arena->base) sa_linear_forward(sa_weight_of(W), b, x, y);
    return y;
}

static sa_mat input(sa_arena *arena, const sa_attend_options *job, sa_table table,
                    const sa_projection *map) {
    const sa_mat x = copy_table(arena, table);
    const sa_positions positions = {.kind = &sa_position_kinds[job->positions]};
    const sa_mat max_positions = sa_mat_alloc(arena, x.rows, x.cols);
    if (x.x && positions.kind->encoding) {
        sa_positions_table(&positions, 0, max_positions);
        sa_add(max_positions, x);
    }
    return table.numbers ? project(arena, x, map) : none;
}

/* The score's own parameters for keys of `size` numbers: given, a kernel's width, or where training
 * starts, but v_a ones. */
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

static int least(int a, int b) {
    return a < b ? a : b;
}

/* The keys that each query sees: causal attention ends at the query's own position, the location
 * score at its last number. */
static sa_span *spans_of(sa_arena *arena, const sa_attend_options *job, const sa_score *score,
                         int max_positions) {
    const int Q = job->query.rows, S = job->values.rows;
    const int seen = score->query == SA_QUERY_POSITIONS ? least(max_positions, S) : S;
    sa_span *spans = sa_arena_alloc(arena, (size_t)Q, sizeof *spans);
    for (int i = 0; spans && i < Q; i++)
        spans[i] = (sa_span){0, job->causal ? least(i + 1, seen) : seen};
    return spans;
}

/* ---- Attending ------------------------------------------------------------------------------- */

static sa_mat of_head(double *all, const sa_attend_result *shape, int h) {
    const int Q = shape->queries, S = shape->keys;
    return (sa_mat){all + (size_t)h * (size_t)Q * (size_t)S, Q, S, S};
}

static void blank_outside(sa_mat e, const sa_span *spans) {
    sa_require(spans); /* NULL only while the arena counts */
    for (int i = 0; i < e.rows; i++)
        for (int j = spans[i].count; j < e.cols; j++) sa_row(e, i)[j] = (sa_real)NAN;
}

/* e, alpha and c of one head */
static void attend_head(const sa_score *score, const attention *at, int h, sa_attend_result *out) {
    const int H = out->heads;
    const sa_mat q = score->query == SA_QUERY_IDENTITY ? at->q : sa_head_part(at->q, H, h);
    const sa_mat k = sa_head_part(at->k, H, h), v_a = sa_head_part(at->v_a, H, h);
    const sa_mat scratch = sa_head_part(at->scratch, H, h);
    const sa_mat e = of_head(out->scores, out, h), alpha = of_head(out->weights, out, h);
    score->forward(v_a, q, k, e, scratch);
    sa_positions_bias(&at->positions, h, 0, e);
    sa_copy_mat(e, alpha);
    sa_attention_weights_forward(at->normalizer, at->exponent, at->spans, alpha);
    blank_outside(e, at->spans);
    sa_attention_sum_forward(alpha, sa_head_part(at->v, H, h), sa_head_part(at->c, H, h));
}

static attention read_inputs(sa_arena *arena, const sa_attend_options *job,
                             const sa_attend_result *out) {
    const sa_score *score = &sa_scores[job->attention];
    attention at = {.normalizer = &sa_normalizers[job->normalizer],
                    .exponent = (sa_real)job->entmax_alpha,
                    .positions = {.kind = &sa_position_kinds[job->positions], .heads = out->heads},
                    .v = input(arena, job, job->values, &job->values_projection)};
    if (job->weights.numbers) return at;
    at.q = input(arena, job, job->query, &job->query_projection);
    if (score->key != SA_KEY_NONE) at.k = input(arena, job, job->keys, &job->keys_projection);
    at.v_a = parameters(arena, job, at.k.cols);
    if (arena->base) {
        const bool whole = score->query == SA_QUERY_IDENTITY;
        sa_positions_rotate(&at.positions, whole ? 1 : out->heads, 0, false, at.q);
        sa_positions_rotate(&at.positions, out->heads, 0, false, at.k);
    }
    at.scratch = sa_mat_alloc(arena, at.k.rows, at.k.cols);
    at.spans = spans_of(arena, job, score, at.q.cols / out->heads);
    return at;
}

/* The width of the kernel that predicts every value best from the others, for keys and values of
 * one head. */
static void fit_bandwidth(sa_arena *arena, const sa_score *score, const attention *at,
                          sa_attend_result *out) {
    sa_bandwidth_data data = {.normalizer = at->normalizer,
                              .exponent = at->exponent,
                              .e = sa_mat_alloc(arena, at->k.rows, at->k.rows),
                              .v = at->v,
                              .alpha = sa_mat_alloc(arena, 1, at->k.rows)};
    if (!arena->base) return;
    at->v_a.x[0] = 0; /* log h */
    score->forward(at->v_a, at->k, at->k, data.e, at->scratch);
    out->bandwidth = sa_bandwidth_fit(&data, &out->left_out);
    at->v_a.x[0] = (sa_real)log(out->bandwidth);
}

static void copy_out(sa_mat x, double *out) {
    for (int i = 0; i < x.rows; i++)
        memcpy(out + (size_t)i * (size_t)x.cols, sa_row(x, i), (size_t)x.cols * sizeof *out);
}

/* While the arena only counts, nothing is computed. */
static void attend(sa_arena *arena, const sa_attend_options *job, sa_attend_result *out) {
    attention at = read_inputs(arena, job, out);
    at.c = (sa_mat){out->contexts, out->queries, out->context, out->context};
    if (job->bandwidth == SA_BANDWIDTH_FIT)
        fit_bandwidth(arena, &sa_scores[job->attention], &at, out);
    if (arena->base && job->weights.numbers) {
        memcpy(out->weights, job->weights.numbers,
               (size_t)out->queries * (size_t)out->keys * sizeof *out->weights);
        sa_attention_sum_forward(of_head(out->weights, out, 0), at.v, at.c);
    } else if (arena->base) {
        for (int h = 0; h < out->heads; h++) attend_head(&sa_scores[job->attention], &at, h, out);
    }
    const sa_mat o = project(arena, at.c, &job->output_projection);
    if (arena->base) copy_out(o, out->outputs);
}

bool sa_lab_attend(const sa_attend_options *job, sa_attend_result *out, sa_error *error) {
    sa_blas_init();
    sa_arena arena = {0};
    attend(&arena, job, out); /* counts */
    if (!sa_arena_init(&arena, arena.used, error)) return false;
    const bool good = sa_blas_check_memory(1, error);
    if (good) attend(&arena, job, out);
    sa_arena_release(&arena);
    return good;
}
