/* gradient_faults_attention: the faults of the attention: of its score, its normalizer, its
 * projections, and its parts, whose results are rows of tables. */
#include "attention/alignment_loss.h"
#include "attention/heads.h"
#include "attention/parts.h"
#include "lab/gradient_faults.h"
#include "tensor/vec.h"

/* ---- Scores ---------------------------------------------------------------------------------- */

typedef enum score_result { BY_Q, BY_K, BY_V_A } score_result;

/* What a score's backward function adds to: all of it, one of `thirds`, or the last columns. */
static const struct score_fault {
    const char *term;
    int row, same; /* of sa_scores; rows with the same function are meant, too */
    score_result result;
    int third, last; /* from 1; 0: all columns */
} score_faults[] = {
    {"additive.query", SA_ATTENTION_ADDITIVE, SA_ATTENTION_ADDITIVE, BY_Q},
    {"additive.key", SA_ATTENTION_ADDITIVE, SA_ATTENTION_ADDITIVE, BY_K},
    {"additive.v_a", SA_ATTENTION_ADDITIVE, SA_ATTENTION_ADDITIVE, BY_V_A},
    {"dot.query", SA_ATTENTION_DOT, SA_ATTENTION_SCALED_DOT, BY_Q},
    {"dot.key", SA_ATTENTION_DOT, SA_ATTENTION_SCALED_DOT, BY_K},
    {"gaussian.query", SA_ATTENTION_GAUSSIAN, SA_ATTENTION_GAUSSIAN, BY_Q},
    {"gaussian.key", SA_ATTENTION_GAUSSIAN, SA_ATTENTION_GAUSSIAN, BY_K},
    {"gaussian.width", SA_ATTENTION_GAUSSIAN, SA_ATTENTION_GAUSSIAN, BY_V_A},
    {"cosine.query", SA_ATTENTION_COSINE, SA_ATTENTION_QK_NORM, BY_Q},
    {"cosine.key", SA_ATTENTION_COSINE, SA_ATTENTION_QK_NORM, BY_K},
    {"cosine.sharpness", SA_ATTENTION_COSINE, SA_ATTENTION_QK_NORM, BY_V_A},
    {"features.query", SA_ATTENTION_LINEAR, SA_ATTENTION_LINEAR, BY_Q},
    {"features.key", SA_ATTENTION_LINEAR, SA_ATTENTION_LINEAR, BY_K},
    {"location.query", SA_ATTENTION_LOCATION, SA_ATTENTION_LOCATION, BY_Q},
    {"graves.height", SA_ATTENTION_GRAVES, SA_ATTENTION_GRAVES, BY_Q, .third = 1},
    {"graves.width", SA_ATTENTION_GRAVES, SA_ATTENTION_GRAVES, BY_Q, .third = 2},
    {"graves.center", SA_ATTENTION_GRAVES, SA_ATTENTION_GRAVES, BY_Q, .third = 3},
    {"graves.bias", SA_ATTENTION_GRAVES, SA_ATTENTION_GRAVES, BY_V_A},
    {"monotonic.query", SA_ATTENTION_MONOTONIC, SA_ATTENTION_MONOTONIC, BY_Q},
    {"monotonic.key", SA_ATTENTION_MONOTONIC, SA_ATTENTION_MONOTONIC, BY_K},
    {"monotonic.gain", SA_ATTENTION_MONOTONIC, SA_ATTENTION_MONOTONIC, BY_V_A, .last = 2},
    {"monotonic.offset", SA_ATTENTION_MONOTONIC, SA_ATTENTION_MONOTONIC, BY_V_A, .last = 1},
};

/* The rows that the running backward pass has in place of those of the attention. */
static _Thread_local const sa_score *score;
static _Thread_local const sa_normalizer *normalizer;

/* The columns of a result that a fault drops. */
static sa_mat dropped_columns(const struct score_fault *fault, sa_mat result) {
    if (fault->third) return sa_head_part(result, 3, fault->third - 1);
    return fault->last ? sa_cols(result, result.cols - fault->last, 1) : result;
}

/* Without the slope of tanh. */
static void additive_without_slope(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                                   sa_mat dv_a, sa_mat scratch) {
    for (int i = 0; i < q.rows; i++) {
        sa_tanh_shifted(k, sa_row(q, i), scratch);
        for (int j = 0; j < k.rows; j++) {
            sa_axpy(sa_row(de, i)[j], sa_row(scratch, j), dv_a.x, k.cols);
            sa_axpy(sa_row(de, i)[j], v_a.x, sa_row(dq, i), k.cols);
            sa_axpy(sa_row(de, i)[j], v_a.x, sa_row(dk, j), k.cols);
        }
    }
}

static void broken_score(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                         sa_mat dv_a, sa_mat scratch) {
    sa_mat result[] = {[BY_Q] = dq, [BY_K] = dk, [BY_V_A] = dv_a}, lost = {0};
    const struct score_fault *fault = NULL;
    for (size_t i = 0; i < sizeof score_faults / sizeof *score_faults && !fault; i++) {
        const struct score_fault *one = &score_faults[i];
        if ((score->backward == sa_scores[one->row].backward ||
             score->backward == sa_scores[one->same].backward) &&
            sa_broken(one->term))
            fault = one;
    }
    if (score->backward == sa_additive_backward && sa_broken("additive.tanh")) {
        additive_without_slope(v_a, q, k, de, dq, dk, dv_a, scratch);
        return;
    }
    if (score->backward == sa_scores[SA_ATTENTION_SCALED_DOT].backward &&
        sa_broken("scaled-dot.scale"))
        sa_scale(sa_sqrt((sa_real)q.cols), de);
    if (fault) lost = result[fault->result] = sa_unless_broken(fault->term, result[fault->result]);
    score->backward(v_a, q, k, de, result[BY_Q], result[BY_K], result[BY_V_A], scratch);
    if (!fault) return;
    sa_zero(dropped_columns(fault, lost));
    sa_add(lost, (const sa_mat[]){dq, dk, dv_a}[fault->result]);
}

/* ---- Normalizers ----------------------------------------------------------------------------- */

static void broken_normalizer(sa_real alpha, sa_mat p, sa_mat dp, sa_real *dalpha) {
    const bool entmax = normalizer->kinks != NULL;
    if (sa_broken("attention.normalizer")) return;
    if (!entmax || !sa_broken("entmax.mean")) {
        normalizer->backward(alpha, p, dp, dalpha);
        return;
    }
    for (int i = 0; i < p.rows; i++)
        for (int j = 0; j < p.cols; j++) {
            const double weight = sa_row(p, i)[j], exponent = normalizer->exponent ? alpha : 2;
            sa_row(dp, i)[j] *= weight > 0 ? (sa_real)pow(weight, 2 - exponent) : 0;
        }
}

/* ---- The core -------------------------------------------------------------------------------- */

SA_WRAPPED(sa_attend_backward);
void __wrap_sa_attend_backward(const sa_attention *w, sa_head *at, sa_head *d, sa_attention *dw) {
    sa_attention own = *w;
    sa_score own_score = *w->score;
    sa_normalizer own_normalizer = *w->normalizer;
    const sa_mat dv = d->v;
    if (!sa_any_broken()) {
        __real_sa_attend_backward(w, at, d, dw);
        return;
    }
    if (w->score->backward != broken_score) score = w->score, normalizer = w->normalizer;
    own_score.backward = broken_score, own_normalizer.backward = broken_normalizer;
    own.score = &own_score, own.normalizer = &own_normalizer;
    if (!d->c.cols && sa_broken("differential.second")) return; /* a map without values */
    d->v = sa_unless_broken("attention.values", dv);
    __real_sa_attend_backward(&own, at, d, dw);
    d->v = dv;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* What a hook adds to: nothing is left of it, or one of its results is lost. */
typedef enum hook_result {
    ALL,
    WEIGHTS, /* d->alpha */
    STATE,   /* the derivative by the step before */
    ROW,     /* what the part has of each query */
    MATRIX,  /* number `matrix` of its gradients, with which its struct begins */
} hook_result;

static const struct hook_fault {
    const char *term;
    const sa_part *part;
    sa_place place;
    hook_result result;
    int matrix;
} hook_faults[] = {
    {"attention.state", &sa_earlier_weights_part, SA_PLACE_WEIGHTS, ALL},
    {"coverage.carry", &sa_coverage_part, SA_PLACE_WEIGHTS, STATE},
    {"coverage.score", &sa_coverage_part, SA_PLACE_KEYS, STATE},
    {"coverage.sum", &sa_coverage_part, SA_PLACE_WEIGHTS, WEIGHTS},
    {"coverage.weights", &sa_coverage_part, SA_PLACE_KEYS, MATRIX, 0},
    {"differential.gain", &sa_head_norm_part, SA_PLACE_OUTPUT, MATRIX, 0},
    {"differential.lambda", &sa_two_maps_part, SA_PLACE_QUERY, ALL},
    {"differential.norm", &sa_head_norm_part, SA_PLACE_OUTPUT, ALL},
    {"entmax.alpha", &sa_entmax_alpha_part, SA_PLACE_SCORES, ALL},
    {"graves.carry", &sa_graves_part, SA_PLACE_KEYS, STATE},
    {"graves.step", &sa_graves_part, SA_PLACE_KEYS, ALL},
    {"location-aware.bias", &sa_location_aware_part, SA_PLACE_KEYS, MATRIX, 2},
    {"location-aware.filters", &sa_location_aware_part, SA_PLACE_KEYS, MATRIX, 0},
    {"location-aware.previous", &sa_location_aware_part, SA_PLACE_KEYS, STATE},
    {"location-aware.weights", &sa_location_aware_part, SA_PLACE_KEYS, MATRIX, 1},
    {"monotonic.previous", &sa_monotonic_part, SA_PLACE_WEIGHTS, STATE},
    {"null-key.score", &sa_null_key_part, SA_PLACE_SCORES, ALL},
    {"rope.query", &sa_rotation_part, SA_PLACE_QUERY, ALL},
    {"shaw.keys", &sa_relative_vectors_part, SA_PLACE_SCORES, MATRIX, 0},
    {"shaw.values", &sa_relative_vectors_part, SA_PLACE_OUTPUT, MATRIX, 1},
    {"shaw.weights", &sa_relative_vectors_part, SA_PLACE_OUTPUT, WEIGHTS},
    {"t5.bias", &sa_t5_part, SA_PLACE_SCORES, ALL},
    {"window.center", &sa_predicted_window_part, SA_PLACE_WEIGHTS, ROW},
    {"window.gauss", &sa_predicted_window_part, SA_PLACE_WEIGHTS, ALL},
};

static const struct hook_fault *fault_of(const sa_part *part, sa_place place) {
    for (size_t i = 0; i < sizeof hook_faults / sizeof *hook_faults; i++)
        if (hook_faults[i].part == part && hook_faults[i].place == place &&
            sa_broken(hook_faults[i].term))
            return &hook_faults[i];
    return NULL;
}

static sa_mat *result_of(const struct hook_fault *fault, int part, sa_head *d, sa_attention *dw) {
    return fault->result == WEIGHTS ? &d->alpha
           : fault->result == STATE ? &d->rows.previous_state
           : fault->result == ROW   ? &d->rows.part[part]
                                    : (sa_mat *)dw->part[part].own + fault->matrix;
}

/* What hard attention's draws give to the scores. */
static void drop_draws(const sa_part *part, int p, sa_head *d) {
    if (part != &sa_hard_part) return;
    if (sa_broken("hard.estimate")) d->rows.part[p].x[0] = 0;
    if (sa_broken("hard.entropy")) d->rows.part[p].x[1] = 0;
}

SA_WRAPPED(sa_parts_backward);
void __wrap_sa_parts_backward(const sa_attention *w, sa_place place, sa_head *at, sa_head *d,
                              sa_attention *dw) {
    for (int p = w->parts - 1; p >= 0; p--) {
        sa_part_backward *hook = w->part[p].row->backward[place];
        const struct hook_fault *fault = hook ? fault_of(w->part[p].row, place) : NULL;
        if (hook) drop_draws(w->part[p].row, p, d);
        if (hook && !fault) hook(w, p, at, d, dw);
        if (!fault || fault->result == ALL) continue;
        sa_mat *result = result_of(fault, p, d, dw), saved = *result;
        *result = sa_unless_broken(fault->term, saved);
        hook(w, p, at, d, dw);
        *result = saved;
    }
}

/* ---- From states to queries, from annotations to keys and values ----------------------------- */

SA_WRAPPED(sa_memory_backward);
void __wrap_sa_memory_backward(const sa_attention *w, const sa_memory *memory, sa_memory *d,
                               sa_attention *dw) {
    const int coverage = sa_part_find(w, &sa_coverage_part),
              rotation = sa_part_find(w, &sa_rotation_part);
    if (coverage >= 0 && d->part[coverage].cols && sa_broken("coverage.fertility"))
        sa_zero(d->part[coverage]);
    if (rotation >= 0 && sa_broken("rope.key")) /* what the rotation back undoes */
        sa_rotation_part.memory_forward(w, rotation, d);
    if (d->keys.cols && d->keys.x != d->annotations.x && sa_broken("attention.keys"))
        sa_zero(d->keys);
    if (w->value_width && sa_broken("attention.value-projection")) sa_zero(d->values);
    __real_sa_memory_backward(w, memory, d, dw);
}

SA_WRAPPED(sa_attention_step_backward);
void __wrap_sa_attention_step_backward(const sa_attention *w, const sa_attention_pass *pass, int i,
                                       sa_mat dc, sa_mat ds, sa_attention *dw) {
    if (w->value_width) dc = sa_unless_broken("attention.output", dc);
    __real_sa_attention_step_backward(w, pass, i, dc, sa_unless_broken("attention.query", ds), dw);
}

SA_WRAPPED(sa_attention_all_backward);
void __wrap_sa_attention_all_backward(const sa_attention *w, const sa_attention_pass *pass,
                                      const sa_queries *queries, sa_mat s, sa_mat dc, sa_mat ds,
                                      sa_attention *dw) {
    if (w->value_width) dc = sa_unless_broken("attention.output", dc);
    __real_sa_attention_all_backward(w, pass, queries, s, dc,
                                     sa_unless_broken("attention.query", ds), dw);
}

SA_WRAPPED(sa_alignment_loss_backward);
void __wrap_sa_alignment_loss_backward(sa_mat alpha, sa_real scale, sa_mat A) {
    __real_sa_alignment_loss_backward(alpha, sa_broken("guided.alpha") ? 0 : scale, A);
}
