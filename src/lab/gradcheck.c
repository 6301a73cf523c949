/* gradcheck: compares every hand-written gradient with central differences, in double.
 *
 * Fourth order: f'(w) = (f(w-2h) - 8 f(w-h) + 8 f(w+h) - f(w+2h)) / 12h. Differences mean nothing
 * across a kink or a jump. So weights are drawn again until none is near and no gradient
 * drowns in rounding, and a step that still crosses one is made smaller. The tolerance is never
 * widened. */
#include "base/option.h"
#include "lab/gradient_faults.h"
#include "lab/lab_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-6 /* relative, of a tensor and of an element */
#define STEP 1.5e-3
#define AVERAGED 40 /* estimates that are averaged where rounding may be the cause, */
#define CLOSE 1e-4  /* that is, where the error is at most this */
#define WEAK 1e-2   /* least ratio of a tensor's largest gradient to the largest of all */

/* ---- Kinks ------------------------------------------------------------------------------------
 * Where the loss of a model has no derivative, or a jump: two equal inputs of a maxout unit, a
 * rectifier's input of 0, a weight of sparsemax that becomes 0, a position at a window's edge. */

/* A reader of the trace. */
typedef struct kinks_tracer {
    sa_tracer tracer; /* the first member */
    bool maxout;      /* the readout has maxout units */
    sa_mat e;         /* scratch */
    sa_kinks found;
} kinks_tracer;

/* Adds for every key of every query which side of its kink the weight is on: 0 or above. */
static void add_normalizer(kinks_tracer *own, const sa_attention *w, const sa_head *head) {
    for (int l = 0; w->normalizer->kinks && l < head->alpha.rows; l++) {
        const sa_span span = head->spans ? head->spans[l] : (sa_span){0, head->alpha.cols};
        const sa_mat e = sa_cols(own->e, 0, span.count);
        sa_copy_mat(sa_cols(sa_rows(head->alpha, l, 1), span.first, span.count), e);
        w->normalizer->kinks(*head->exponent, e);
        for (int j = 0; j < e.cols; j++) sa_kinks_add(&own->found, (double)e.x[j], SA_KINK_MARGIN);
    }
}

/* Adds the kinks of parts, query by query. */
static void add_parts(kinks_tracer *own, const sa_attention *w, const sa_head *head) {
    for (int l = 0; l < head->alpha.rows; l++) {
        sa_head query = *head;
        query.i += l;
        query.q = sa_rows(head->q, l, 1), query.alpha = sa_rows(head->alpha, l, 1);
        query.rows = sa_attention_rows_slice(head->rows, l, 1);
        query.spans = head->spans ? head->spans + l : NULL;
        sa_parts_kinks(w, &query, &own->found);
    }
}

/* Adds which input of every maxout unit is the larger, which rectified units are on, and the kinks
 * of attention. */
static void take_kinks(sa_tracer *tracer, const sa_traced *one) {
    kinks_tracer *own = (kinks_tracer *)tracer;
    const sa_head *head = one->head;
    const sa_mat x = one->x;
    if (one->citation) return;
    if (head && strcmp(one->name, "e") == 0) add_normalizer(own, one->attention, head);
    if (head && strcmp(one->name, "c") == 0 && !head->unit) add_parts(own, one->attention, head);
    const bool maxout = own->maxout && strcmp(one->name, "t~") == 0;
    if (!maxout && strcmp(one->name, "inside max") != 0) return;
    for (int i = 0; i < x.rows; i++)
        for (int k = 0; k < x.cols; k += 1 + maxout)
            sa_kinks_add(&own->found, sa_row(x, i)[k] - (maxout ? sa_row(x, i)[k + 1] : 0),
                         SA_KINK_MARGIN);
}

/* Computes the loss, and returns the kinks of the pass. */
static sa_kinks kinks_of_loss(sa_lab_model *model) {
    kinks_tracer reader = {
        {take_kinks}, model->w.decoder.readout.maxout, model->pass.watched, {0, INFINITY}};
    sa_tracing = &reader.tracer;
    sa_lab_model_loss(model, false);
    sa_tracing = NULL;
    return reader.found;
}

/* ---- Weights --------------------------------------------------------------------------------- */

static double largest(const double *x, size_t size) {
    double most = 0;
    for (size_t i = 0; i < size; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Returns the ratio of the weakest tensor's largest gradient to the largest of all. If it is small,
 * as when the units of a very small model saturate, rounding hides the gradient. A gradient of
 * zeros only, as when all units are off, is worse still. */
static double weakest(const sa_lab_model *model) {
    const double most = largest(model->gradients, model->plan->size);
    double ratio = 1, penalty = 1;
    for (int i = 0; i < model->plan->count; i++) {
        const sa_param *param = &model->plan->item[i];
        const double own = largest(model->gradients + param->offset, sa_param_size(param));
        if (own > 0)
            ratio = fmin(ratio, own / most);
        else
            penalty *= 1e-3;
    }
    return ratio * penalty;
}

/* Draws weights number `attempt`, computes their loss and gradients, and measures how far the
 * nearest kink is: it does that before the backward pass, which overwrites the sums of the maxout
 * units. */
static double try_weights(sa_lab_model *model, uint64_t attempt, double *nearest) {
    sa_lab_model_draw(model, attempt);
    *nearest = kinks_of_loss(model).nearest;
    memset(model->gradients, 0, model->plan->size * sizeof *model->gradients);
    return sa_lab_model_loss(model, true);
}

/* Draws weights until the check can be trusted, or takes the best ones found; computes the
 * gradients and returns the loss. */
static double draw_fit_weights(sa_lab_model *model, uint64_t seed) {
    uint64_t best = 0;
    double most = -1, nearest;
    for (uint64_t attempt = 0; attempt < 50; attempt++) {
        const double loss = try_weights(model, sa_hash_mix(seed) + attempt, &nearest);
        const double fitness = fmin(nearest, 1) * weakest(model);
        if (nearest >= 1 && fitness >= WEAK) return loss;
        if (fitness > most) most = fitness, best = attempt;
    }
    return try_weights(model, sa_hash_mix(seed) + best, &nearest);
}

/* ---- Differences ----------------------------------------------------------------------------- */

/* Measures dL/dw by differences of step h, taken term by term before the sum, so that terms that do
 * not change cancel exactly. Returns false if a step crosses a kink. terms: [M],
 * workspace. */
static bool difference(sa_lab_model *model, double *weight, double h, uint64_t pattern,
                       double *terms, double *slope) {
    static const double offset[] = {-2, -1, 1, 2}, factor[] = {1, -8, 8, -1};
    const double saved = *weight;
    const int count = model->pass.batch.target.words;
    bool smooth = true;
    *slope = 0;
    for (int k = 0; k < 4; k++) {
        *weight = saved + offset[k] * h;
        const bool same = kinks_of_loss(model).pattern == pattern;
        for (int i = 0; i < count; i++)
            terms[i] = (k ? terms[i] : 0) + factor[k] * sa_lab_model_term(model, i);
        smooth = smooth && same;
    }
    for (int i = 0; i < count; i++) *slope += terms[i];
    *slope /= 12 * h;
    *weight = saved;
    return smooth;
}

/* Measures dL/dw with the usual step, which it makes smaller while it crosses a kink. */
static double measure(sa_lab_model *model, double *weight, uint64_t pattern, double *terms) {
    double slope = 0;
    for (double h = STEP; h > 1e-6; h /= 4)
        if (difference(model, weight, h, pattern, terms, &slope)) break;
    return slope;
}

/* Makes one estimate of sixth order from two steps, h and h/2 (Richardson). */
static bool extrapolate(sa_lab_model *model, double *weight, double h, uint64_t pattern,
                        double *terms, double *slope) {
    double wide, narrow;
    const bool smooth = difference(model, weight, h, pattern, terms, &wide) &&
                        difference(model, weight, h / 2, pattern, terms, &narrow);
    if (smooth) *slope = (16 * narrow - wide) / 15;
    return smooth;
}

/* Measures more precisely, for a weight whose gradient looks wrong because the loss bends within
 * the step or because of rounding. Makes estimates from large steps to small ones and takes the one
 * closest to its predecessor (with very small steps only while no two estimates agree); then
 * returns the mean of `steps` estimates around it, in which rounding averages out. The analytic
 * gradient has no influence. */
static double measure_finely(sa_lab_model *model, double *weight, uint64_t pattern, double *terms,
                             int steps) {
    double before = 0, best = 0, gap = INFINITY, at = STEP, sum = 0, slope;
    int counted = 0;
    for (double h = 8 * STEP; h > STEP / 32 || (h > STEP / 2048 && gap > CLOSE * fabs(best));
         h /= 2) {
        if (!extrapolate(model, weight, h, pattern, terms, &slope)) continue;
        if (fabs(slope - before) < gap) gap = fabs(slope - before), best = slope, at = h;
        before = slope;
    }
    for (int i = 0; i < steps; i++) {
        if (!extrapolate(model, weight, at * (1 - 0.4 * i / steps), pattern, terms, &slope))
            continue;
        sum += slope;
        counted++;
    }
    return counted ? sum / counted : best;
}

/* Returns an error relative to the larger of the sizes a and n of a gradient, or to 1e-4 of `most`,
 * the largest gradient of the model, if that is larger: the rounding of the loss hides smaller
 * gradients. */
static double relative_error(double error, double a, double n, double most) {
    return error == 0 ? 0 : error / fmax(fmax(a, n), 1e-4 * most);
}

static double element_error(double a, double n, double most) {
    return relative_error(fabs(a - n), fabs(a), fabs(n), most);
}

/* Checks one tensor, as a whole and element by element; `most` is the largest gradient of the
 * model. If a number is not finite, neither is `squares`, and the check fails. */
static sa_gradient_result compare(const sa_param *param, const double *a, const double *n,
                                  double most) {
    sa_gradient_result result = {.name = param->name, .rows = param->rows, .cols = param->cols};
    const size_t size = sa_param_size(param);
    const double own = largest(a, size);
    double squares = 0, analytic = 0, numeric = 0;
    for (size_t i = 0; i < size; i++) {
        result.worst_element = fmax(result.worst_element, element_error(a[i], n[i], most));
        squares += (a[i] - n[i]) * (a[i] - n[i]), analytic += a[i] * a[i], numeric += n[i] * n[i];
    }
    /* terms that cancel may leave their rounding */
    result.zero = isfinite(squares) && fmax(own, largest(n, size)) <= TOLERANCE * 1e-4 * most;
    if (result.zero)
        result.worst_element = 0;
    else if (isfinite(squares))
        result.worst = relative_error(sqrt(squares), sqrt(analytic), sqrt(numeric), most);
    else
        result.worst = INFINITY;
    result.ok = result.worst <= TOLERANCE && result.worst_element <= TOLERANCE;
    return result;
}

static bool fail_wrong(const sa_gradient_result *wrong, int count, sa_error *error) {
    const bool whole = !(wrong->worst <= TOLERANCE);
    const char *meaning = !isfinite(wrong->worst) ? "it has a number that is NaN or infinite"
                          : fabs(wrong->worst - 1) < 0.01 ? "it is missing, or should be zero"
                          : fabs(wrong->worst - 2) < 0.01
                              ? "its sign is wrong"
                              : "a factor is wrong, or a term is missing";
    return sa_fail(error, SA_CHECK,
                   "gradient of '%s' is wrong: relative error %.3g, allowed %g: %s (of %d wrong "
                   "ones it is nearest to the fault)",
                   wrong->name, whole ? wrong->worst : wrong->worst_element, TOLERANCE, meaning,
                   count);
}

/* Checks all tensors. Workspace: numeric [parameters of the model], terms [M]. */
static bool check_all(const sa_lab_job *job, sa_lab_model *model, double *numeric, double *terms,
                      sa_error *error) {
    double worst = 0, most = largest(model->gradients, model->plan->size);
    int wrong = 0;
    sa_gradient_result culprit;
    const uint64_t pattern = kinks_of_loss(model).pattern;
    for (int i = 0; i < model->plan->count; i++) {
        const sa_param *param = &model->plan->item[i];
        const size_t size = sa_param_size(param);
        double *values = model->values + param->offset,
               *gradients = model->gradients + param->offset;
        const double own = largest(gradients, size);
        for (size_t k = 0; k < size; k++) {
            const bool left_out =
                job->sample && k % (size_t)job->sample && fabs(gradients[k]) < own;
            numeric[k] = left_out ? gradients[k] : measure(model, values + k, pattern, terms);
        }
        sa_gradient_result result = compare(param, gradients, numeric, most);
        for (int steps = 0; !result.ok && steps <= AVERAGED; steps += AVERAGED) {
            if (steps && result.worst_element > CLOSE) break; /* too much for rounding */
            for (size_t k = 0; k < size; k++) {
                if (element_error(gradients[k], numeric[k], most) <= TOLERANCE) continue;
                numeric[k] = measure_finely(model, values + k, pattern, terms, steps);
                if (!(element_error(gradients[k], numeric[k], most) <= CLOSE))
                    break; /* wrong, whatever the others are */
            }
            result = compare(param, gradients, numeric, most);
        }
        if (job->options.each) job->options.each(job->options.context, &result);
        if (result.ok) continue;
        wrong++;
        worst = fmax(worst, result.worst);
        /* A fault spreads to most other tensors, but is weaker there. The backward pass visits them
         * from the last to the first. */
        if (result.worst >= worst / 2) culprit = result;
    }
    return !wrong || fail_wrong(&culprit, wrong, error);
}

/* ---- The job --------------------------------------------------------------------------------- */

/* Copies the job; if it has no pairs, adds four of ragged lengths, in which words repeat and one is
 * unknown. */
static void add_pairs(const sa_lab_job *job, sa_lab_job *own) {
    static const int32_t source_ids[] = {3,      4,      5, 6, SA_EOS, SA_EOS, 7,
                                         SA_UNK, SA_EOS, 8, 3, 9,      SA_EOS};
    static const int32_t target_ids[] = {3, SA_EOS, 4,      5, 6, SA_EOS, SA_EOS,
                                         7, 8,      SA_UNK, 9, 3, SA_EOS};
    /* Target words: known and in the source, only known, only copied (once from two places), and
     * neither. */
    static const int32_t source_extended[] = {3,  12,     12, 13, SA_EOS, SA_EOS, 7,
                                              12, SA_EOS, 12, 3,  9,      SA_EOS};
    static const int32_t target_extended[] = {12, SA_EOS, 4,      5, 6, SA_EOS, SA_EOS,
                                              7,  12,     SA_UNK, 9, 3, SA_EOS};
    static const sa_sentence source[] = {{source_ids, 5, source_extended},
                                         {source_ids + 5, 1, source_extended + 5},
                                         {source_ids + 6, 3, source_extended + 6},
                                         {source_ids + 9, 4, source_extended + 9}};
    static const sa_sentence target[] = {{target_ids, 2, target_extended},
                                         {target_ids + 2, 4, target_extended + 2},
                                         {target_ids + 6, 1, target_extended + 6},
                                         {target_ids + 7, 6, target_extended + 7}};
    /* Target words with one link, with several and with none; possible links next to a sure one and
     * alone. */
    static const sa_link first[] = {{0, 0}, {2, 0}}, second[] = {{0, 1}, {0, 2}},
                         fourth[] = {{2, 0}, {1, 0, true}, {3, 3, true}, {0, 4}, {1, 4}, {2, 4}};
    static const sa_gold_alignment gold[] = {{first, 2}, {second, 2}, {NULL, 0}, {fourth, 6}};
    *own = *job;
    /* The vocabulary holds one source word that never occurs in the pairs; its gradient must be
     * zero. */
    if (!job->pairs.source) own->pairs = (sa_lab_pairs){source, target, 4, 11, 12, gold};
}

static const char *fault_name(size_t i) {
    return sa_gradient_faults[i].name;
}

bool sa_lab_check(const sa_lab_job *job, sa_error *error) {
    const sa_gradcheck_options *options = &job->options;
    sa_lab_job own;
    sa_lab_model model = {0};
    add_pairs(job, &own);
    const sa_gradient_fault *fault =
        options->broken ? sa_gradient_fault_find(options->broken) : NULL;
    sa_planted_fault *planted = NULL;
    if (options->broken && !fault)
        return sa_fail(error, SA_USAGE, "no backward term is called '%s'%s", options->broken,
                       sa_nearest_hint_in(&(sa_nearest){.wanted = options->broken}, fault_name));
    bool good = sa_lab_model_open(&model, options->settings, &own.pairs, error);
    if (good && fault) {
        planted = sa_gradient_fault_plant(fault, &model.sizes, error);
        good = planted;
        if (planted) model.w.fault = &planted->instead;
    }
    double *numeric = good ? sa_new(model.plan->size, sizeof *numeric, error) : NULL;
    double *terms =
        good ? sa_new((size_t)model.pass.batch.target.words, sizeof *terms, error) : NULL;
    good = numeric && terms;
    if (good) {
        model.regularizer.dropout.noise = 2; /* of all sentences: the expectation is not constant */
        const double loss = draw_fit_weights(&model, (uint64_t)options->settings->seed);
        if (options->dump) good = sa_lab_dump(options->dump, &model, &own, loss, error);
    }
    good = good && check_all(&own, &model, numeric, terms, error);
    free(numeric), free(terms);
    sa_lab_model_close(&model);
    sa_planted_fault_free(planted);
    return good;
}
