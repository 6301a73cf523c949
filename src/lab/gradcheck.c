/* gradcheck: every hand-written gradient against central differences, in double.
 *
 * Fourth order: f'(w) = (f(w-2h) - 8 f(w-h) + 8 f(w+h) - f(w+2h)) / 12h. A maxout unit whose two
 * inputs are nearly equal has a kink within reach of h, and a window whose edge is near a position
 * a jump; there differences mean nothing: weights are drawn again until nothing of the kind is near
 * and no gradient drowns in rounding, and a step that still crosses one is made smaller. The
 * tolerance is never widened. */
#include "base/memory.h"
#include "lab/dump.h"
#include "lab/lab.h"
#include "lab/term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-6 /* relative, of a tensor and of an element */
#define STEP 1.5e-3
#define MARGIN 8e-3        /* the least distance from a maxout tie that drawn weights must have */
#define WINDOW_MARGIN 1e-3 /* and of a window's edges from a position, as a share of the source */
#define AVERAGED 40        /* steps whose mean settles what may be rounding, */
#define CLOSE 1e-4         /* when it is no farther off than this */
#define WEAK 1e-3 /* the least share of the largest gradient that a tensor's largest must have */

/* ---- Kinks and jumps -------------------------------------------------------------------------
 */

/* On which side of its kinks or jumps the loss stands, as one number, and how near the nearest is,
 * in units of MARGIN. */
typedef struct sides {
    uint64_t pattern;
    double nearest;
} sides;

/* Which input of every maxout unit is the larger. */
static void add_maxout(const sa_lab_run *run, sides *seen) {
    if (run->w.decoder.readout.output != &sa_output_maxout) return;
    const sa_mat sums = run->pass.decoder.readout.sums;
    for (int i = 0; i < sums.rows; i++)
        for (int k = 0; k < sums.cols; k += 2) {
            const double gap = sa_row(sums, i)[k] - sa_row(sums, i)[k + 1];
            seen->pattern = sa_mix(seen->pattern ^ (gap >= 0));
            seen->nearest = fmin(seen->nearest, fabs(gap) / MARGIN);
        }
}

/* Which positions every predicted window holds. */
static void add_windows(const sa_lab_run *run, sides *seen) {
    const sa_attention *w = &run->w.decoder.attention;
    const sa_attention_rows rows = run->pass.decoder.rows.attention;
    if (w->window != SA_WINDOW_PREDICTIVE) return;
    for (int t = 0; t < run->batch.target.steps; t++)
        for (int b = 0; b < run->batch.target.live[t]; b++) {
            const int S = run->batch.source.len[run->batch.source_of[b]];
            const double p = sa_attention_centre(w, t + 1, rows, run->batch.target.start[t] + b, S);
            const sa_span span = sa_window_span(p, w->reach, S);
            seen->pattern = sa_mix(seen->pattern ^ (uint64_t)(span.first * 65536 + span.count));
            seen->nearest = fmin(seen->nearest, fabs(p - round(p)) / (WINDOW_MARGIN * S));
        }
}

static sides sides_of(const sa_lab_run *run) {
    sides seen = {0, INFINITY};
    add_maxout(run, &seen);
    add_windows(run, &seen);
    return seen;
}

/* Random weights that make every unit work hard: v_a and the biases are not zero, words differ, and
 * gradients stay well above the rounding of the loss. */
static void draw_weights(sa_lab_run *run, uint64_t seed) {
    for (int i = 0; i < run->plan.count; i++) {
        const sa_param *param = &run->plan.item[i];
        sa_mat w = sa_param_mat(param, run->values);
        sa_rng rng = sa_rng_seed(seed, (uint64_t)i);
        const bool embedding = w.x == run->w.encoder.E.x || w.x == run->w.decoder.E.x;
        const double bound = embedding ? 1.5 : param->rows ? 2.5 / sqrt(w.cols) : 0.5;
        for (int r = 0; r < w.rows; r++)
            for (int c = 0; c < w.cols; c++)
                sa_row(w, r)[c] = bound * (2 * sa_rng_uniform(&rng) - 1);
    }
}

static double largest(const double *x, size_t size) {
    double most = 0;
    for (size_t i = 0; i < size; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Whether some tensor's gradient is so small beside the others that the rounding of the loss hides
 * it, as when units of a very small model saturate. */
static bool hidden_by_rounding(const sa_lab_run *run) {
    const double most = largest(run->gradients, run->plan.size);
    for (int i = 0; i < run->plan.count; i++) {
        const sa_param *param = &run->plan.item[i];
        const double own = largest(run->gradients + param->offset, sa_param_size(param));
        if (own > 0 && own < WEAK * most) return true;
    }
    return false;
}

/* Draws weights until the check can be trusted; returns the loss and leaves the gradients. */
static double draw_fit_weights(sa_lab_run *run, uint64_t seed) {
    double loss = 0;
    bool fit = false;
    for (uint64_t attempt = 0; attempt < 200 && !fit; attempt++) {
        draw_weights(run, seed + attempt);
        memset(run->gradients, 0, run->plan.size * sizeof *run->gradients);
        loss = sa_lab_run_loss(run, &run->dw);
        fit = sides_of(run).nearest >= 1 && !hidden_by_rounding(run);
    }
    return loss;
}

/* ---- Numbers against numbers ----------------------------------------------------------------- */

/* dL/dw by differences of step h, taken word by word before they are summed, so that what does not
 * change cancels exactly. False when a step crosses a kink. apart [M]. */
static bool difference(sa_lab_run *run, double *weight, double h, uint64_t pattern, double *apart,
                       double *slope) {
    static const double factor[] = {-2, -1, 1, 2}, share[] = {1, -8, 8, -1};
    const double kept = *weight;
    bool smooth = true;
    *slope = 0;
    for (int k = 0; k < 4; k++) {
        *weight = kept + factor[k] * h;
        sa_lab_run_loss(run, NULL);
        for (int i = 0; i < run->batch.target.words; i++)
            apart[i] = (k ? apart[i] : 0) - share[k] * run->pass.log_p[i];
        smooth = smooth && sides_of(run).pattern == pattern;
    }
    for (int i = 0; i < run->batch.target.words; i++) *slope += apart[i];
    *slope /= 12 * h * run->batch.whole;
    *weight = kept;
    return smooth;
}

/* With the usual step, made smaller while it crosses a kink. */
static double measure(sa_lab_run *run, double *weight, uint64_t pattern, double *apart) {
    double slope = 0;
    for (double h = STEP; h > 1e-6; h /= 4)
        if (difference(run, weight, h, pattern, apart, &slope)) break;
    return slope;
}

/* Two steps, h and h/2, made one estimate of sixth order (Richardson). */
static bool extrapolate(sa_lab_run *run, double *weight, double h, uint64_t pattern, double *apart,
                        double *slope) {
    double wide, narrow;
    const bool smooth = difference(run, weight, h, pattern, apart, &wide) &&
                        difference(run, weight, h / 2, pattern, apart, &narrow);
    if (smooth) *slope = (16 * narrow - wide) / 15;
    return smooth;
}

/* More finely, for a number that looks wrong because the loss bends within the step or rounding is
 * seen: estimates from large steps to small, and of them the one that agrees best with the one
 * before; then, so that rounding averages out, the mean of many steps near that one. What the
 * backward pass says plays no part in it. */
static double measure_finely(sa_lab_run *run, double *weight, uint64_t pattern, double *apart,
                             int steps) {
    double before = 0, best = 0, gap = INFINITY, at = STEP, sum = 0;
    int counted = 0;
    for (double h = 8 * STEP; h > STEP / 32; h /= 2) {
        double slope;
        if (!extrapolate(run, weight, h, pattern, apart, &slope)) continue;
        if (fabs(slope - before) < gap) gap = fabs(slope - before), best = slope, at = h;
        before = slope;
    }
    for (int i = 0; i < steps; i++) {
        double slope;
        if (!extrapolate(run, weight, at * (1 - 0.4 * i / steps), pattern, apart, &slope)) continue;
        sum += slope;
        counted++;
    }
    return counted ? sum / counted : best;
}

/* Judges one tensor by the two criteria; `most` is the largest gradient of the whole model. A
 * number that is not finite makes `apart` so, and nothing excuses it. */
static sa_gradient compare(const sa_param *param, const double *a, const double *n, double most) {
    sa_gradient result = {.name = param->name, .rows = param->rows, .cols = param->cols};
    const size_t size = sa_param_size(param);
    const double own = largest(a, size), floor = 1e-4 * own;
    double apart = 0, analytic = 0, numeric = 0;
    for (size_t i = 0; i < size; i++) {
        double error = fabs(a[i] - n[i]), scale = fmax(fmax(fabs(a[i]), fabs(n[i])), floor);
        if (error > 0) result.worst_element = fmax(result.worst_element, error / scale);
        apart += error * error, analytic += a[i] * a[i], numeric += n[i] * n[i];
    }
    result.zero = own == 0 && isfinite(apart) && largest(n, size) <= TOLERANCE * 1e-4 * most;
    if (result.zero)
        result.worst_element = 0;
    else if (isfinite(apart))
        result.worst = sqrt(apart) / sqrt(fmax(analytic, numeric));
    else
        result.worst = INFINITY;
    result.ok = result.worst <= TOLERANCE && result.worst_element <= TOLERANCE;
    return result;
}

/* numeric [largest tensor], apart [M] */
static bool check_all(const sa_lab_job *job, sa_lab_run *run, double *numeric, double *apart,
                      sa_error *error) {
    double most, worst = 0;
    const char *culprit = NULL;
    sa_lab_run_loss(run, NULL);
    const uint64_t pattern = sides_of(run).pattern;
    most = largest(run->gradients, run->plan.size);
    for (int i = 0; i < run->plan.count; i++) {
        const sa_param *param = &run->plan.item[i];
        const size_t size = sa_param_size(param);
        double *values = run->values + param->offset, *gradients = run->gradients + param->offset;
        for (size_t k = 0; k < size; k++) numeric[k] = measure(run, values + k, pattern, apart);
        sa_gradient result = compare(param, gradients, numeric, most);
        for (int steps = 0; !result.ok && steps <= AVERAGED; steps += AVERAGED) {
            if (steps && result.worst_element > CLOSE) break; /* that is no rounding */
            for (size_t k = 0; k < size; k++)
                numeric[k] = measure_finely(run, values + k, pattern, apart, steps);
            result = compare(param, gradients, numeric, most);
        }
        if (job->each) job->each(job->context, &result);
        double wrong = fmax(result.worst, result.worst_element);
        if (!result.ok && wrong > worst) worst = wrong, culprit = param->name;
    }
    return !culprit ||
           sa_fail(error, SA_CHECK, "gradient of '%s' is wrong: relative error %.3g, allowed %g",
                   culprit, worst, TOLERANCE);
}

/* ---- The job --------------------------------------------------------------------------------- */

/* Four pairs that no two share a length on both sides; words repeat, one is unknown. */
static void built_in(const sa_lab_job *job, sa_lab_job *own) {
    static const int32_t source_ids[] = {3,          4,      5, 6, SA_END, SA_END, 7,
                                         SA_UNKNOWN, SA_END, 8, 3, 9,      SA_END};
    static const int32_t target_ids[] = {3, SA_END, 4,          5, 6, SA_END, SA_END,
                                         7, 8,      SA_UNKNOWN, 9, 3, SA_END};
    static const sa_sentence source[] = {
        {source_ids, 5}, {source_ids + 5, 1}, {source_ids + 6, 3}, {source_ids + 9, 4}};
    static const sa_sentence target[] = {
        {target_ids, 2}, {target_ids + 2, 4}, {target_ids + 6, 1}, {target_ids + 7, 6}};
    *own = *job;
    if (job->source) return;
    own->source = source;
    own->target = target;
    own->count = 4;
    own->source_words = 11; /* one word more than occurs: its gradient must be zero */
    own->target_words = 12;
}

static bool fail_unmet(const char *broken, sa_error *error) {
    const char *options = "";
    for (size_t i = 0; sa_lab_term(i, NULL, NULL); i++)
        if (strcmp(sa_lab_term(i, NULL, NULL), broken) == 0) sa_lab_term(i, NULL, &options);
    return sa_fail(error, SA_USAGE, "this model has no term '%s'%s%s", broken,
                   *options ? "; one has it with " : "", options);
}

bool sa_lab_check(const sa_lab_job *job, sa_error *error) {
    sa_lab_job own;
    sa_lab_run run = {0};
    built_in(job, &own);
    if (!sa_term_break(job->broken))
        return sa_fail(error, SA_USAGE, "no backward term is called '%s'", job->broken);
    const sa_lab_pairs pairs = {own.source, own.target, own.count, own.source_words,
                                own.target_words};
    bool good = sa_lab_run_open(&run, own.settings, &pairs, error);
    double *numeric = good ? sa_new(run.plan.size, sizeof *numeric, error) : NULL;
    double *apart = good ? sa_new((size_t)run.batch.target.words, sizeof *apart, error) : NULL;
    good = numeric && apart;
    if (good) {
        const double loss = draw_fit_weights(&run, (uint64_t)job->settings->seed);
        good = !job->broken || sa_term_met() || fail_unmet(job->broken, error);
        if (good && job->dump) good = sa_lab_dump(job->dump, &run, &own, loss, error);
    }
    good = good && check_all(&own, &run, numeric, apart, error);
    free(numeric), free(apart);
    sa_lab_run_close(&run);
    sa_term_break(NULL);
    return good;
}
