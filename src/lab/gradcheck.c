/* gradcheck: every hand-written gradient against central differences, in double.
 *
 * Fourth order: f'(w) = (f(w-2h) - 8 f(w-h) + 8 f(w+h) - f(w+2h)) / 12h. A maxout unit whose two
 * inputs are nearly equal has a kink within reach of h, and a window whose edge is near a position
 * a jump; there differences mean nothing: weights are drawn again until nothing of the kind is near
 * and no gradient drowns in rounding, and a step that still crosses one is made smaller. The
 * tolerance is never widened. */
#include "base/memory.h"
#include "lab/dump.h"
#include "lab/gradient_faults.h"
#include "lab/lab.h"
#include "layers/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-6 /* relative, of a tensor and of an element */
#define STEP 1.5e-3
#define MARGIN 8e-3        /* the least distance from a maxout tie that drawn weights must have */
#define WINDOW_MARGIN 1e-3 /* and of a window's edges from a position, as a share of the source */
#define AVERAGED 40        /* steps whose mean settles what may be rounding, */
#define CLOSE 1e-4         /* when it is no farther off than this */
#define WEAK 1e-2 /* the least share of the largest gradient that a tensor's largest must have */

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
            seen->pattern = sa_hash_mix(seen->pattern ^ (gap >= 0));
            seen->nearest = fmin(seen->nearest, fabs(gap) / MARGIN);
        }
}

/* Which positions every predicted window holds. */
static void add_window(const sa_attention *w, sa_attention_rows rows, int row, int i, int S,
                       sides *seen) {
    const double p = sa_attention_center(w, i, rows, row, S);
    const sa_span span = sa_window_span(p, w->window_size, S);
    seen->pattern = sa_hash_mix(seen->pattern ^ (uint64_t)(span.first * 65536 + span.count));
    seen->nearest = fmin(seen->nearest, fabs(p - round(p)) / (WINDOW_MARGIN * S));
}

static void add_windows(const sa_lab_run *run, sides *seen) {
    const sa_attention *w = &run->w.decoder.attention;
    if (w->window != SA_WINDOW_LOCAL_P) return;
    for (int t = 0; t < run->batch.target.steps; t++)
        for (int b = 0; b < run->batch.target.active[t]; b++)
            add_window(w, run->pass.decoder.rows.attention, run->batch.target.start[t] + b, t + 1,
                       run->batch.source.len[run->batch.source_of[b]], seen);
}

/* The same of a sub-layer of a transformer. */
static void add_sublayer_windows(const sa_attention_sublayer *w, const sa_queries *queries,
                                 const sa_attention_sublayer_cache *cache, sides *seen) {
    if (w->attention.window != SA_WINDOW_LOCAL_P) return;
    for (int b = 0; b < queries->sentences; b++)
        for (int row = queries->first[b]; row < queries->first[b + 1]; row++) {
            const int i = row - queries->first[b] + 1;
            const int S = cache->memory.first[b + 1] - cache->memory.first[b];
            add_window(&w->attention, cache->rows, row, i, queries->causal ? i : S, seen);
        }
}

/* Which units of a feed-forward network are on. What they were before the rectifier is not kept: it
 * is made again. */
static void add_rectifiers(const sa_feedforward_sublayer *w,
                           const sa_feedforward_sublayer_cache *cache, sa_mat sums, sides *seen) {
    sums = sa_rows(sums, 0, cache->inner.rows);
    sa_linear_forward(w->network.W_1, w->network.b_1, cache->residual.in, sums);
    for (int i = 0; i < sums.rows; i++)
        for (int k = 0; k < sums.cols; k++) {
            const double sum = sa_row(sums, i)[k];
            seen->pattern = sa_hash_mix(seen->pattern ^ (sum > 0));
            seen->nearest = fmin(seen->nearest, fabs(sum) / MARGIN);
        }
}

static sides sides_of(const sa_lab_run *run) {
    sides seen = {0, INFINITY};
    if (run->w.model == SA_MODEL_RECURRENT) {
        add_maxout(run, &seen);
        add_windows(run, &seen);
        return seen;
    }
    const sa_transformer *w = &run->w.transformer;
    const sa_transformer_cache *cache = &run->pass.transformer;
    for (int i = 0; i < w->sizes.layers; i++) {
        const sa_layer_cache *encoder = &cache->encoder.layer[i],
                             *decoder = &cache->decoder.layer[i];
        add_sublayer_windows(&w->encoder.layer[i].self, &cache->encoder.self, &encoder->self,
                             &seen);
        add_sublayer_windows(&w->decoder.layer[i].self, &cache->decoder.self, &decoder->self,
                             &seen);
        add_sublayer_windows(&w->decoder.layer[i].cross, &cache->decoder.cross, &decoder->cross,
                             &seen);
        add_rectifiers(&w->encoder.layer[i].feed, &encoder->feed, cache->encoder.workspace.dinner,
                       &seen);
        add_rectifiers(&w->decoder.layer[i].feed, &decoder->feed, cache->decoder.workspace.dinner,
                       &seen);
    }
    return seen;
}

/* How large the drawn numbers of a tensor are. Units before a rectifier are kept from its kink by a
 * large bias of either sign and small weights; what a Transformer's attention adds is kept small,
 * or after some layers all words would be alike and no query matter. */
static void bounds_of(const sa_param *param, double *least, double *most) {
    const char *own = strrchr(param->name, '.');
    const bool rectified = strstr(param->name, ".feedforward.") != NULL;
    const bool sublayer = strstr(param->name, ".self.") || strstr(param->name, ".cross.");
    *least = 0;
    *most = param->rows ? 2.5 / sqrt(param->cols) : 0.5;
    if (strcmp(own, ".E") == 0) *most = 1.5;
    if (strcmp(own, ".g") == 0) *least = 0.7, *most = 1.3;
    if (sublayer && (strcmp(own, ".W_v") == 0 || strcmp(own, ".W_o") == 0)) *most /= 2;
    if (rectified && strcmp(own, ".W_1") == 0) *most = 0.8 / sqrt(param->cols);
    if (rectified && strcmp(own, ".b_1") == 0) *least = 0.7, *most = 2;
}

/* Random weights that make every unit work hard: v_a and the biases are not zero, words differ, and
 * gradients stay well above the rounding of the loss. */
static void draw_weights(sa_lab_run *run, uint64_t seed) {
    for (int i = 0; i < run->plan.count; i++) {
        const sa_param *param = &run->plan.item[i];
        sa_mat w = sa_param_mat(param, run->values);
        sa_rng rng = sa_rng_seed(seed, (uint64_t)i);
        double least, most;
        bounds_of(param, &least, &most);
        for (int r = 0; r < w.rows; r++)
            for (int c = 0; c < w.cols; c++) {
                const double x = 2 * sa_rng_uniform(&rng) - 1;
                sa_row(w, r)[c] = (x < 0 ? -least : least) + x * (most - least);
            }
    }
}

static double largest(const double *x, size_t size) {
    double most = 0;
    for (size_t i = 0; i < size; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* The largest number of the weakest tensor's gradient, as a share of the largest of all: when it is
 * small, as when units of a very small model saturate, the rounding of the loss hides it. Worse
 * still is a gradient of nothing but zeros, as of units that are all off. */
static double weakest(const sa_lab_run *run) {
    const double most = largest(run->gradients, run->plan.size);
    double factor_of = 1, zeros = 1;
    for (int i = 0; i < run->plan.count; i++) {
        const sa_param *param = &run->plan.item[i];
        const double own = largest(run->gradients + param->offset, sa_param_size(param));
        if (own > 0)
            factor_of = fmin(factor_of, own / most);
        else
            zeros *= 1e-3;
    }
    return factor_of * zeros;
}

/* Weights number `attempt`, their loss and gradients. */
static double try_weights(sa_lab_run *run, uint64_t attempt) {
    draw_weights(run, attempt);
    memset(run->gradients, 0, run->plan.size * sizeof *run->gradients);
    return sa_lab_run_loss(run, &run->dw);
}

/* Draws weights until the check can be trusted, or takes the best that were met; returns the loss
 * and leaves the gradients. */
static double draw_fit_weights(sa_lab_run *run, uint64_t seed) {
    uint64_t best = 0;
    double most = -1;
    for (uint64_t attempt = 0; attempt < 200; attempt++) {
        const double loss = try_weights(run, sa_hash_mix(seed) + attempt);
        const double nearest = sides_of(run).nearest;
        const double fitness = fmin(nearest, 1) * weakest(run);
        if (nearest >= 1 && fitness >= WEAK) return loss;
        if (fitness > most) most = fitness, best = attempt;
    }
    return try_weights(run, sa_hash_mix(seed) + best);
}

/* ---- Numbers against numbers ----------------------------------------------------------------- */

/* dL/dw by differences of step h, taken word by word before they are summed, so that what does not
 * change cancels exactly. False when a step crosses a kink. apart [M]. */
static bool difference(sa_lab_run *run, double *weight, double h, uint64_t pattern, double *apart,
                       double *slope) {
    static const double factor[] = {-2, -1, 1, 2}, factor_of[] = {1, -8, 8, -1};
    const double saved = *weight;
    bool smooth = true;
    *slope = 0;
    for (int k = 0; k < 4; k++) {
        *weight = saved + factor[k] * h;
        sa_lab_run_loss(run, NULL);
        for (int i = 0; i < run->batch.target.words; i++)
            apart[i] = (k ? apart[i] : 0) - factor_of[k] * run->pass.objective[i];
        smooth = smooth && sides_of(run).pattern == pattern;
    }
    for (int i = 0; i < run->batch.target.words; i++) *slope += apart[i];
    *slope /= 12 * h * run->batch.whole;
    *weight = saved;
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

/* How far two gradients of one number are apart, as a share of them; what is less than 1e-4 of its
 * tensor's largest counts as if it were that. */
static double element_error(double a, double n, double own) {
    const double error = fabs(a - n);
    return error == 0 ? 0 : error / fmax(fmax(fabs(a), fabs(n)), 1e-4 * own);
}

/* Judges one tensor by the two criteria; `most` is the largest gradient of the whole model. A
 * number that is not finite makes `apart` so, and nothing excuses it. */
static sa_gradient_result compare(const sa_param *param, const double *a, const double *n,
                                  double most) {
    sa_gradient_result result = {.name = param->name, .rows = param->rows, .cols = param->cols};
    const size_t size = sa_param_size(param);
    const double own = largest(a, size);
    double apart = 0, analytic = 0, numeric = 0;
    for (size_t i = 0; i < size; i++) {
        result.worst_element = fmax(result.worst_element, element_error(a[i], n[i], own));
        apart += (a[i] - n[i]) * (a[i] - n[i]), analytic += a[i] * a[i], numeric += n[i] * n[i];
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
        const double own = largest(gradients, size);
        sa_gradient_result result = compare(param, gradients, numeric, most);
        for (int steps = 0; !result.ok && steps <= AVERAGED; steps += AVERAGED) {
            if (steps && result.worst_element > CLOSE) break; /* that is no rounding */
            for (size_t k = 0; k < size; k++)
                if (!(element_error(gradients[k], numeric[k], own) <= TOLERANCE))
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
    static const int32_t source_ids[] = {3,      4,      5, 6, SA_EOS, SA_EOS, 7,
                                         SA_UNK, SA_EOS, 8, 3, 9,      SA_EOS};
    static const int32_t target_ids[] = {3, SA_EOS, 4,      5, 6, SA_EOS, SA_EOS,
                                         7, 8,      SA_UNK, 9, 3, SA_EOS};
    static const sa_sentence source[] = {
        {source_ids, 5}, {source_ids + 5, 1}, {source_ids + 6, 3}, {source_ids + 9, 4}};
    static const sa_sentence target[] = {
        {target_ids, 2}, {target_ids + 2, 4}, {target_ids + 6, 1}, {target_ids + 7, 6}};
    /* Of one word, of several, of none; a possible one beside a sure one, and one by itself. */
    static const sa_link first[] = {{0, 0}, {2, 0}}, second[] = {{0, 1}, {0, 2}},
                         fourth[] = {{2, 0}, {1, 0, true}, {3, 3, true}, {0, 4}, {1, 4}, {2, 4}};
    static const sa_gold_alignment gold[] = {{first, 2}, {second, 2}, {NULL, 0}, {fourth, 6}};
    *own = *job;
    if (job->source) return;
    own->source = source;
    own->target = target;
    own->gold = gold;
    own->count = 4;
    own->source_words = 11; /* one word more than occurs: its gradient must be zero */
    own->target_words = 12;
}

static bool fail_not_hit(const char *fault, sa_error *error) {
    const char *options = "";
    for (size_t i = 0; sa_lab_gradient_fault(i, NULL, NULL); i++)
        if (strcmp(sa_lab_gradient_fault(i, NULL, NULL), fault) == 0)
            sa_lab_gradient_fault(i, NULL, &options);
    return sa_fail(error, SA_USAGE, "this model has no term '%s'%s%s", fault,
                   *options ? "; one has it with " : "", options);
}

bool sa_lab_check(const sa_lab_job *job, sa_error *error) {
    sa_lab_job own;
    sa_lab_run run = {0};
    built_in(job, &own);
    if (!sa_gradient_fault_inject(job->fault))
        return sa_fail(error, SA_USAGE, "no backward term is called '%s'", job->fault);
    const sa_lab_pairs pairs = {own.source,       own.target,       own.count,
                                own.source_words, own.target_words, own.gold};
    bool good = sa_lab_run_open(&run, own.settings, &pairs, error);
    double *numeric = good ? sa_new(run.plan.size, sizeof *numeric, error) : NULL;
    double *apart = good ? sa_new((size_t)run.batch.target.words, sizeof *apart, error) : NULL;
    good = numeric && apart;
    if (good) {
        const double loss = draw_fit_weights(&run, (uint64_t)job->settings->seed);
        good = !job->fault || sa_gradient_fault_hit() || fail_not_hit(job->fault, error);
        if (good && job->dump) good = sa_lab_dump(job->dump, &run, &own, loss, error);
    }
    good = good && check_all(&own, &run, numeric, apart, error);
    free(numeric), free(apart);
    sa_lab_run_close(&run);
    sa_gradient_fault_inject(NULL);
    return good;
}
