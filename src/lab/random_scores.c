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

typedef struct room {
    sa_params plan; /* W_a, U_a, v_a */
    sa_real *values;
    sa_mat W_a, U_a, v_a;
    sa_mat s, h;                       /* what is drawn */
    sa_mat q, k, e, alpha, scratch;    /* of one query */
    sa_mat repeated, identity, slopes; /* [KEYS x KEYS] */
    sa_arena arena;
} room;

/* ---- The room -------------------------------------------------------------------------------- */

static void bind(sa_binder binder, int d, room *at) {
    at->W_a = sa_bind_matrix(&binder, "attention", "W_a", d, d, SA_START_ALIGN);
    at->U_a = sa_bind_matrix(&binder, "attention", "U_a", d, d, SA_START_ALIGN);
    at->v_a = sa_bind_vector(&binder, "attention", "v_a", d, SA_START_ALIGN_LAST);
}

static void lay_out(sa_arena *arena, int d, room *at) {
    at->s = sa_mat_take(arena, 1, d);
    at->h = sa_mat_take(arena, KEYS, d);
    at->q = sa_mat_take(arena, 1, d);
    at->k = sa_mat_take(arena, KEYS, d);
    at->scratch = sa_mat_take(arena, KEYS, d);
    at->e = sa_mat_take(arena, 1, KEYS);
    at->alpha = sa_mat_take(arena, 1, KEYS);
    at->repeated = sa_mat_take(arena, KEYS, KEYS);
    at->identity = sa_mat_take(arena, KEYS, KEYS);
    at->slopes = sa_mat_take(arena, KEYS, KEYS);
}

static bool open_room(room *at, const sa_compat *compat, int d, sa_error *error) {
    *at = (room){.values = NULL};
    sa_blas_init();
    if (compat->vector) {
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

static void close_room(room *at) {
    sa_arena_release(&at->arena);
    free(at->values);
}

/* ---- Figures --------------------------------------------------------------------------------- */

static void draw(sa_mat x, sa_rng *rng) {
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) sa_row(x, i)[j] = sa_rng_normal(rng);
}

static void attend(const sa_compat *compat, room *at, sa_rng *rng) {
    static const sa_mat no_bias = {0};
    draw(at->s, rng);
    draw(at->h, rng);
    sa_copy_mat(at->s, at->q);
    sa_copy_mat(at->h, at->k);
    if (compat->vector) {
        sa_linear_forward(at->W_a, no_bias, at->s, at->q);
        sa_linear_forward(at->U_a, no_bias, at->h, at->k);
    }
    compat->forward(at->v_a, at->q, at->k, at->e, at->scratch);
    sa_attention_weights_forward(compat, at->v_a, at->q, at->k, NULL, at->alpha, at->scratch);
}

static double entropy(const sa_real *alpha) {
    double sum = 0;
    for (int j = 0; j < KEYS; j++)
        if (alpha[j] > 0) sum -= alpha[j] * log(alpha[j]);
    return sum;
}

/* The softmax's backward pass, given one direction after another. */
static double gradient_norm(room *at) {
    for (int j = 0; j < KEYS; j++) sa_copy_mat(at->alpha, sa_rows(at->repeated, j, 1));
    sa_softmax_backward(at->repeated, at->identity, at->slopes);
    return sqrt(sa_dot(at->slopes.x, at->slopes.x, KEYS * KEYS));
}

bool sa_lab_scores(int attention, int d, uint64_t seed, sa_lab_figures *figures, sa_error *error) {
    const sa_compat *compat = &sa_compats[attention];
    double sum = 0, squares = 0;
    room at;
    *figures = (sa_lab_figures){0};
    bool good = open_room(&at, compat, d, error);
    sa_rng rng = sa_rng_seed(seed, (uint64_t)d);
    for (uint64_t round = 0; good && round < ROUNDS; round++) {
        good =
            !compat->vector || sa_params_start(&at.plan, at.values, 0, sa_mix(seed) + round, error);
        for (int i = 0; good && i < QUERIES; i++) {
            attend(compat, &at, &rng);
            for (int j = 0; j < KEYS; j++) sum += at.e.x[j], squares += at.e.x[j] * at.e.x[j];
            figures->entropy += entropy(at.alpha.x) / (ROUNDS * QUERIES);
            figures->gradient += gradient_norm(&at) / (ROUNDS * QUERIES);
        }
    }
    const double count = (double)ROUNDS * QUERIES * KEYS, mean = sum / count;
    figures->variance = squares / count - mean * mean;
    close_room(&at);
    return good;
}
