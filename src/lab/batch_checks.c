/* What must hold of a sentence among others: batches are packed without padding, so what stands
 * where padding would stand are the words of other sentences. */
#include "base/memory.h"
#include "lab/invariance.h"

#include <stdlib.h>
#include <string.h>

/* ---- Company --------------------------------------------------------------------------------- */

/* A pair between two random ones that are longer on both sides. */
enum { BEFORE, OWN, AFTER, PAIRS };
typedef struct neighbors {
    sa_sentence source[PAIRS], target[PAIRS];
    int32_t *ids[PAIRS][2];
} neighbors;

static void draw_neighbors(sa_lab_subject *subject, neighbors *all) {
    for (int i = BEFORE; i <= AFTER; i += AFTER - BEFORE) {
        const int lengths[] = {all->source[i].len, all->target[i].len};
        all->source[i] = sa_lab_draw_sentence(&subject->rng, all->ids[i][0], lengths[0],
                                              subject->pairs.source_words);
        all->target[i] = sa_lab_draw_sentence(&subject->rng, all->ids[i][1], lengths[1],
                                              subject->pairs.target_words);
    }
}

static bool neighbors_open(sa_lab_subject *subject, int p, neighbors *all, sa_error *error) {
    *all = (neighbors){.source[OWN] = subject->pairs.source[p],
                       .target[OWN] = subject->pairs.target[p]};
    for (int i = BEFORE; i <= AFTER; i += AFTER - BEFORE) {
        all->source[i].len = all->source[OWN].len + 1 + (int)sa_rng_below(&subject->rng, 4);
        all->target[i].len = all->target[OWN].len + 1 + (int)sa_rng_below(&subject->rng, 4);
        all->ids[i][0] = sa_new((size_t)all->source[i].len, sizeof(int32_t), error);
        all->ids[i][1] = sa_new((size_t)all->target[i].len, sizeof(int32_t), error);
        if (!all->ids[i][0] || !all->ids[i][1]) return false;
    }
    draw_neighbors(subject, all);
    return true;
}

static void neighbors_close(neighbors *all) {
    for (int i = 0; i < PAIRS; i++) free(all->ids[i][0]), free(all->ids[i][1]);
}

static bool open_trial(const sa_lab_subject *subject, const neighbors *all, sa_lab_trial *trial,
                       sa_error *error) {
    return sa_lab_trial_open(trial, &subject->run.w, all->source, all->target, PAIRS, error);
}

/* ---- Gradients ------------------------------------------------------------------------------- */

static void zero_gradients(sa_lab_run *run) {
    memset(run->gradients, 0, run->plan.size * sizeof *run->gradients);
}

static double largest_gradient(const sa_lab_run *run) {
    double most = 0;
    for (size_t i = 0; i < run->plan.size; i++)
        most = sa_lab_nan_max(most, fabs(run->gradients[i]));
    return most;
}

/* From the gradient of all pairs together that of every single one is taken away again: what is
 * left is measured by the largest there was. */
bool sa_measure_batching(sa_lab_subject *subject, double *worst, sa_error *error) {
    sa_lab_run *run = &subject->run;
    const double share = 1.0 / subject->pairs.count;
    double most = 0;
    sa_lab_trial all, alone;
    bool good = sa_lab_open_all(subject, &all, error);
    zero_gradients(run);
    if (good) {
        sa_lab_trial_gradient(&all, share, &run->dw);
        most = largest_gradient(run);
    }
    for (int p = 0; good && p < subject->pairs.count; p++) {
        good = sa_lab_open_single(subject, p, &alone, error);
        if (good) {
            const sa_lab_view one = {&alone, 0}, together = {&all, p};
            *worst = sa_lab_nan_max(
                *worst, sa_lab_view_difference(one, together, subject->pairs.target[p].len, NULL));
            sa_lab_trial_gradient(&alone, -share, &run->dw);
        }
        sa_lab_trial_close(&alone);
    }
    sa_lab_trial_close(&all);
    if (good) *worst = sa_lab_nan_max(*worst, largest_gradient(run) / (most > 0 ? most : 1));
    return good;
}

/* ---- Padding ---------------------------------------------------------------------------------
 */

/* A pair alone, beside longer ones, and beside others of the same lengths. */
static bool padding_of(sa_lab_subject *subject, int p, double *worst, sa_error *error) {
    const int steps = subject->pairs.target[p].len;
    neighbors all;
    sa_lab_trial alone = {0}, beside = {0}, others = {0};
    bool good = neighbors_open(subject, p, &all, error) &&
                sa_lab_open_single(subject, p, &alone, error) &&
                open_trial(subject, &all, &beside, error);
    if (good) draw_neighbors(subject, &all);
    good = good && open_trial(subject, &all, &others, error);
    if (good) {
        const sa_lab_view one = {&alone, 0}, first = {&beside, OWN}, second = {&others, OWN};
        *worst = sa_lab_nan_max(*worst, sa_lab_view_difference(first, one, steps, NULL));
        *worst = sa_lab_nan_max(*worst, sa_lab_view_difference(second, first, steps, NULL));
    }
    sa_lab_trial_close(&alone), sa_lab_trial_close(&beside), sa_lab_trial_close(&others);
    neighbors_close(&all);
    return good;
}

bool sa_measure_padding(sa_lab_subject *subject, double *worst, sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < subject->pairs.count; p++)
        good = padding_of(subject, p, worst, error);
    return good;
}

bool sa_measure_padding_gradient(sa_lab_subject *subject, double *worst, sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < subject->pairs.count; p++) {
        neighbors all;
        sa_lab_trial beside = {0};
        good = neighbors_open(subject, p, &all, error) && open_trial(subject, &all, &beside, error);
        if (good) {
            const sa_lab_view own = {&beside, OWN};
            sa_lab_trial_gradient_of(own, &subject->run.dw);
            *worst = sa_lab_nan_max(*worst, sa_lab_neighbor_gradient(own));
        }
        sa_lab_trial_close(&beside);
        neighbors_close(&all);
    }
    return good;
}
