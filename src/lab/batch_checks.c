/* What must hold of a sentence among others: batches are packed without padding, so what stands
 * where padding would stand are the words of other sentences. */
#include "base/memory.h"
#include "lab/invariance.h"

#include <stdlib.h>
#include <string.h>

/* ---- Company --------------------------------------------------------------------------------- */

/* A pair between two random ones that are longer on both sides. */
enum { BEFORE, OWN, AFTER, COMPANY };
typedef struct company {
    sa_sentence source[COMPANY], target[COMPANY];
    int32_t *ids[COMPANY][2];
} company;

static void draw_strangers(sa_lab_subject *subject, company *all) {
    for (int i = BEFORE; i <= AFTER; i += AFTER - BEFORE) {
        const int lengths[] = {all->source[i].len, all->target[i].len};
        all->source[i] =
            sa_lab_draw(&subject->rng, all->ids[i][0], lengths[0], subject->pairs.source_words);
        all->target[i] =
            sa_lab_draw(&subject->rng, all->ids[i][1], lengths[1], subject->pairs.target_words);
    }
}

static bool company_open(sa_lab_subject *subject, int p, company *all, sa_error *error) {
    *all =
        (company){.source[OWN] = subject->pairs.source[p], .target[OWN] = subject->pairs.target[p]};
    for (int i = BEFORE; i <= AFTER; i += AFTER - BEFORE) {
        all->source[i].len = all->source[OWN].len + 1 + (int)sa_rng_below(&subject->rng, 4);
        all->target[i].len = all->target[OWN].len + 1 + (int)sa_rng_below(&subject->rng, 4);
        all->ids[i][0] = sa_new((size_t)all->source[i].len, sizeof(int32_t), error);
        all->ids[i][1] = sa_new((size_t)all->target[i].len, sizeof(int32_t), error);
        if (!all->ids[i][0] || !all->ids[i][1]) return false;
    }
    draw_strangers(subject, all);
    return true;
}

static void company_close(company *all) {
    for (int i = 0; i < COMPANY; i++) free(all->ids[i][0]), free(all->ids[i][1]);
}

static bool open_company(const sa_lab_subject *subject, const company *all, sa_lab_trial *trial,
                         sa_error *error) {
    return sa_lab_trial_open(trial, &subject->run.w, all->source, all->target, COMPANY, error);
}

/* ---- Gradients ------------------------------------------------------------------------------- */

static void forget_gradients(sa_lab_run *run) {
    memset(run->gradients, 0, run->plan.size * sizeof *run->gradients);
}

static double largest_gradient(const sa_lab_run *run) {
    double most = 0;
    for (size_t i = 0; i < run->plan.size; i++) most = sa_lab_worse(most, fabs(run->gradients[i]));
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
    forget_gradients(run);
    if (good) {
        sa_lab_trial_gradient(&all, share, &run->dw);
        most = largest_gradient(run);
    }
    for (int p = 0; good && p < subject->pairs.count; p++) {
        good = sa_lab_open_alone(subject, p, &alone, error);
        if (good) {
            const sa_lab_view one = {&alone, 0}, together = {&all, p};
            *worst = sa_lab_worse(
                *worst, sa_lab_views_apart(one, together, subject->pairs.target[p].len, NULL));
            sa_lab_trial_gradient(&alone, -share, &run->dw);
        }
        sa_lab_trial_close(&alone);
    }
    sa_lab_trial_close(&all);
    if (good) *worst = sa_lab_worse(*worst, largest_gradient(run) / (most > 0 ? most : 1));
    return good;
}

/* ---- Padding ---------------------------------------------------------------------------------
 */

/* A pair alone, beside longer ones, and beside others of the same lengths. */
static bool padding_of(sa_lab_subject *subject, int p, double *worst, sa_error *error) {
    const int steps = subject->pairs.target[p].len;
    company all;
    sa_lab_trial alone = {0}, beside = {0}, others = {0};
    bool good = company_open(subject, p, &all, error) &&
                sa_lab_open_alone(subject, p, &alone, error) &&
                open_company(subject, &all, &beside, error);
    if (good) draw_strangers(subject, &all);
    good = good && open_company(subject, &all, &others, error);
    if (good) {
        const sa_lab_view one = {&alone, 0}, first = {&beside, OWN}, second = {&others, OWN};
        *worst = sa_lab_worse(*worst, sa_lab_views_apart(first, one, steps, NULL));
        *worst = sa_lab_worse(*worst, sa_lab_views_apart(second, first, steps, NULL));
    }
    sa_lab_trial_close(&alone), sa_lab_trial_close(&beside), sa_lab_trial_close(&others);
    company_close(&all);
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
        company all;
        sa_lab_trial beside = {0};
        good = company_open(subject, p, &all, error) && open_company(subject, &all, &beside, error);
        if (good) {
            const sa_lab_view own = {&beside, OWN};
            sa_lab_trial_gradient_of(own, &subject->run.dw);
            *worst = sa_lab_worse(*worst, sa_lab_strangers_gradient(own));
        }
        sa_lab_trial_close(&beside);
        company_close(&all);
    }
    return good;
}
