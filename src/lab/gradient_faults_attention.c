/* gradient_faults_attention: the faults of the attention: of its score, its normalizer, its
 * projections, and its parts, whose results are rows of tables. */
#include "attention/alignment_loss.h"
#include "attention/heads.h"
#include "lab/gradient_faults.h"
#include "tensor/vec.h"

/* ---- Scores ---------------------------------------------------------------------------------- */

/* The rows that the running backward pass has in place of those of the attention. */
static _Thread_local const sa_score *score;
static _Thread_local const sa_normalizer *normalizer;

/* The columns of a result that a fault drops. */
static sa_mat dropped_columns(const sa_gradient_fault *fault, sa_mat result) {
    if (fault->third) return sa_head_slice(result, 3, fault->third - 1);
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
    const sa_mat results[] = {[SA_FAULT_Q] = dq, [SA_FAULT_K] = dk, [SA_FAULT_V_A] = dv_a};
    const sa_gradient_fault *fault = sa_injected_fault();
    if (!(fault->score && (score->backward == fault->score->backward ||
                           (fault->other && score->backward == fault->other->backward))))
        fault = NULL;
    if (score->backward == sa_additive_backward && sa_broken("additive.tanh")) {
        additive_without_slope(v_a, q, k, de, dq, dk, dv_a, scratch);
        return;
    }
    if (score->backward == sa_scores[SA_ATTENTION_SCALED_DOT].backward &&
        sa_broken("scaled-dot.scale"))
        sa_scale(sa_sqrt((sa_real)q.cols), de);
    if (!fault || !results[fault->result].cols || !sa_broken(fault->name)) {
        score->backward(v_a, q, k, de, dq, dk, dv_a, scratch);
        return;
    }
    const sa_mat kept = results[fault->result], lost = sa_unless_broken(fault->name, kept);
    score->backward(v_a, q, k, de, fault->result == SA_FAULT_Q ? lost : dq,
                    fault->result == SA_FAULT_K ? lost : dk,
                    fault->result == SA_FAULT_V_A ? lost : dv_a, scratch);
    sa_zero(dropped_columns(fault, lost));
    sa_add(lost, kept);
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

static void broken_scored(sa_real alpha, sa_mat z, sa_mat p, sa_mat dp, sa_real *dalpha) {
    if (!sa_broken("attention.normalizer")) normalizer->scored_backward(alpha, z, p, dp, dalpha);
}

/* ---- The core -------------------------------------------------------------------------------- */

SA_WRAPPED(sa_attend_backward);
void __wrap_sa_attend_backward(const sa_attention *w, sa_head *at, sa_head *d) {
    sa_attention own = *w;
    sa_score own_score = *w->score;
    sa_normalizer own_normalizer = *w->normalizer;
    const sa_mat dv = d->v;
    if (!sa_injected_fault()) {
        __real_sa_attend_backward(w, at, d);
        return;
    }
    if (w->score->backward != broken_score) score = w->score, normalizer = w->normalizer;
    own_score.backward = broken_score, own_normalizer.backward = broken_normalizer;
    if (own_normalizer.scored_backward) own_normalizer.scored_backward = broken_scored;
    own.score = &own_score, own.normalizer = &own_normalizer;
    if (!d->c.cols && sa_broken("differential.second")) return; /* a map without values */
    d->v = sa_unless_broken("attention.values", dv);
    __real_sa_attend_backward(&own, at, d);
    d->v = dv;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static const sa_gradient_fault *fault_of(const sa_part *part, sa_place place) {
    const sa_gradient_fault *fault = sa_injected_fault();
    const bool own = fault && fault->part == part && fault->place == place;
    return own && sa_broken(fault->name) ? fault : NULL;
}

static sa_mat *result_of(const sa_gradient_fault *fault, int part, sa_head *d) {
    return fault->result == SA_FAULT_WEIGHTS ? &d->alpha
           : fault->result == SA_FAULT_STATE ? &d->rows.previous_carry
           : fault->result == SA_FAULT_ROW   ? &d->rows.part[part]
                                             : (sa_mat *)d->dw->part[part].own + fault->matrix;
}

/* What hard attention's draws give to the scores. */
static void drop_draws(const sa_part *part, int p, sa_head *d) {
    if (part != &sa_hard_part) return;
    if (sa_broken("hard.estimate")) d->rows.part[p].x[0] = 0;
    if (sa_broken("hard.entropy")) d->rows.part[p].x[1] = 0;
}

SA_WRAPPED(sa_parts_backward);
void __wrap_sa_parts_backward(const sa_attention *w, sa_place place, sa_head *at, sa_head *d) {
    for (int p = w->parts - 1; p >= 0; p--) {
        sa_part_backward *hook = w->part[p].kind->backward[place];
        const sa_gradient_fault *fault = hook ? fault_of(w->part[p].kind, place) : NULL;
        if (hook) drop_draws(w->part[p].kind, p, d);
        if (hook && !fault) hook(w, p, at, d);
        if (!fault || fault->result == SA_FAULT_ALL) continue;
        sa_mat *result = result_of(fault, p, d), saved = *result;
        *result = sa_unless_broken(fault->name, saved);
        hook(w, p, at, d);
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
