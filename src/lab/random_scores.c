/* scores: random queries and keys through a score and the softmax, in double. */
#include "attention/attention.h"
#include "base/memory.h"
#include "lab/lab.h"
#include "layers/linear.h"
#include "layers/params.h"
#include "tensor/blas.h"
#include "tensor/vec.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 50, QUERIES = 40, KEYS = 16 }; /* a round has weights of its own */

typedef struct workspace {
    sa_params plan; /* W_a, U_a, v_a */
    sa_real *values;
    sa_mat W_a, U_a, v_a;
    sa_mat s, h;                       /* what is drawn */
    sa_mat q, k, e, alpha, scratch;    /* of one query */
    sa_mat repeated, identity, slopes; /* [KEYS x KEYS] */
    sa_arena arena;
} workspace;

/* ---- The room -------------------------------------------------------------------------------- */

static void bind(sa_binder binder, int d, workspace *at) {
    at->W_a = sa_bind_matrix(&binder, "attention", "W_a", d, d, SA_INIT_ALIGN);
    at->U_a = sa_bind_matrix(&binder, "attention", "U_a", d, d, SA_INIT_ALIGN);
    at->v_a = sa_bind_vector(&binder, "attention", "v_a", d, SA_INIT_ALIGN_LAST);
}

static void lay_out(sa_arena *arena, int d, workspace *at) {
    at->s = sa_mat_alloc(arena, 1, d);
    at->h = sa_mat_alloc(arena, KEYS, d);
    at->q = sa_mat_alloc(arena, 1, d);
    at->k = sa_mat_alloc(arena, KEYS, d);
    at->scratch = sa_mat_alloc(arena, KEYS, d);
    at->e = sa_mat_alloc(arena, 1, KEYS);
    at->alpha = sa_mat_alloc(arena, 1, KEYS);
    at->repeated = sa_mat_alloc(arena, KEYS, KEYS);
    at->identity = sa_mat_alloc(arena, KEYS, KEYS);
    at->slopes = sa_mat_alloc(arena, KEYS, KEYS);
}

static bool open_workspace(workspace *at, const sa_score *score, int d, sa_error *error) {
    *at = (workspace){.values = NULL};
    sa_blas_init();
    if (score->vector) {
        bind((sa_binder){.plan = &at->plan}, d, at);
        at->values = sa_new(at->plan.size, sizeof *at->values, error);
        if (!at->values) return false;
        bind((sa_binder){.buffer = at->values}, d, at);
    }
    sa_arena dry = {0};
    lay_out(&dry, d, at);
    if (!sa_arena_init(&at->arena, dry.used, error)) return false;
    lay_out(&at->arena, d, at);
    sa_zero(at->identity);
    for (int j = 0; j < KEYS; j++) sa_row(at->identity, j)[j] = 1;
    return true;
}

static void close_workspace(workspace *at) {
    sa_arena_release(&at->arena);
    free(at->values);
}

/* ---- Figures --------------------------------------------------------------------------------- */

static void draw(sa_mat x, sa_rng *rng) {
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) sa_row(x, i)[j] = sa_rng_normal(rng);
}

static void attend(const sa_score *score, workspace *at, sa_rng *rng) {
    static const sa_mat no_bias = {0};
    draw(at->s, rng);
    draw(at->h, rng);
    sa_copy_mat(at->s, at->q);
    sa_copy_mat(at->h, at->k);
    if (score->vector) {
        sa_linear_forward(at->W_a, no_bias, at->s, at->q);
        sa_linear_forward(at->U_a, no_bias, at->h, at->k);
    }
    score->forward(at->v_a, at->q, at->k, at->e, at->scratch);
    sa_attention_weights_forward(score, at->v_a, at->q, at->k, NULL, at->alpha, at->scratch);
}

static double entropy(const sa_real *alpha) {
    double sum = 0;
    for (int j = 0; j < KEYS; j++)
        if (alpha[j] > 0) sum -= alpha[j] * log(alpha[j]);
    return sum;
}

/* The softmax's backward pass, given one direction after another. */
static double gradient_norm(workspace *at) {
    for (int j = 0; j < KEYS; j++) sa_copy_mat(at->alpha, sa_rows(at->repeated, j, 1));
    sa_softmax_backward(at->repeated, at->identity, at->slopes);
    return sqrt(sa_dot(at->slopes.x, at->slopes.x, KEYS * KEYS));
}

bool sa_lab_random_scores(int attention, int d, uint64_t seed, sa_lab_score_statistics *figures,
                          sa_error *error) {
    const sa_score *score = &sa_scores[attention];
    double sum = 0, squares = 0;
    workspace at;
    *figures = (sa_lab_score_statistics){0};
    bool good = open_workspace(&at, score, d, error);
    sa_rng rng = sa_rng_seed(seed, (uint64_t)d);
    for (uint64_t round = 0; good && round < ROUNDS; round++) {
        good = !score->vector ||
               sa_params_init(&at.plan, at.values, 0, sa_hash_mix(seed) + round, error);
        for (int i = 0; good && i < QUERIES; i++) {
            attend(score, &at, &rng);
            for (int j = 0; j < KEYS; j++) sum += at.e.x[j], squares += at.e.x[j] * at.e.x[j];
            figures->entropy += entropy(at.alpha.x) / (ROUNDS * QUERIES);
            figures->gradient += gradient_norm(&at) / (ROUNDS * QUERIES);
        }
    }
    const double count = (double)ROUNDS * QUERIES * KEYS, mean = sum / count;
    figures->variance = squares / count - mean * mean;
    close_workspace(&at);
    return good;
}
