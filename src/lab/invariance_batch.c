/* invariance_batch: a pair's results do not depend on the other pairs in its batch. Batches are
 * packed without padding: where padding would stand are the words of other sentences. */
#include "base/memory.h"
#include "lab/invariance.h"

#include <stdlib.h>
#include <string.h>

/* ---- Neighbors ------------------------------------------------------------------------------- */

/* A pair between two random ones that are longer on both sides, source and target. */
enum { BEFORE, OWN, AFTER, PAIRS };
typedef struct neighbors {
    sa_sentence source[PAIRS], target[PAIRS];
    int32_t *ids[PAIRS][2];
} neighbors;

static void draw_neighbors(sa_proof_setup *setup, neighbors *all) {
    for (int i = BEFORE; i <= AFTER; i += AFTER - BEFORE) {
        const int lengths[] = {all->source[i].len, all->target[i].len};
        all->source[i] = sa_lab_draw_sentence(&setup->rng, all->ids[i][0], lengths[0],
                                              setup->pairs.source_words);
        all->target[i] = sa_lab_draw_sentence(&setup->rng, all->ids[i][1], lengths[1],
                                              setup->pairs.target_words);
    }
}

static bool neighbors_open(sa_proof_setup *setup, int p, neighbors *all, sa_error *error) {
    *all =
        (neighbors){.source[OWN] = setup->pairs.source[p], .target[OWN] = setup->pairs.target[p]};
    for (int i = BEFORE; i <= AFTER; i += AFTER - BEFORE) {
        all->source[i].len = all->source[OWN].len + 1 + (int)sa_rng_below(&setup->rng, 4);
        all->target[i].len = all->target[OWN].len + 1 + (int)sa_rng_below(&setup->rng, 4);
        all->ids[i][0] = sa_new((size_t)all->source[i].len, sizeof(int32_t), error);
        all->ids[i][1] = sa_new((size_t)all->target[i].len, sizeof(int32_t), error);
        if (!all->ids[i][0] || !all->ids[i][1]) return false;
    }
    draw_neighbors(setup, all);
    return true;
}

static void neighbors_close(neighbors *all) {
    for (int i = 0; i < PAIRS; i++) free(all->ids[i][0]), free(all->ids[i][1]);
}

static bool open_pass(const sa_proof_setup *setup, const neighbors *all, sa_lab_pass *pass,
                      sa_error *error) {
    return sa_lab_pass_open(pass, &setup->model.w, all->source, all->target, PAIRS, error);
}

/* ---- Gradients ------------------------------------------------------------------------------- */

static void zero_gradients(sa_lab_model *model) {
    memset(model->gradients, 0, model->plan->size * sizeof *model->gradients);
}

static double largest_gradient(const sa_lab_model *model) {
    double most = 0;
    for (size_t i = 0; i < model->plan->size; i++)
        most = sa_lab_nan_max(most, fabs(model->gradients[i]));
    return most;
}

/* Subtracts the gradient of every single pair from that of the batch: the largest remainder,
 * relative to the largest gradient of the batch. */
bool sa_measure_batching(sa_proof_setup *setup, double *worst, sa_error *error) {
    sa_lab_model *model = &setup->model;
    const double fraction = 1.0 / setup->pairs.count;
    double most = 0;
    sa_lab_pass all, alone;
    bool good = sa_lab_open_all(setup, &all, error);
    zero_gradients(model);
    if (good) {
        sa_lab_pass_gradient(&all, fraction, &model->dw);
        most = largest_gradient(model);
    }
    for (int p = 0; good && p < setup->pairs.count; p++) {
        good = sa_lab_open_single(setup, p, &alone, error);
        if (good) {
            const sa_lab_view one = {&alone, 0}, together = {&all, p};
            *worst = sa_lab_nan_max(
                *worst, sa_lab_view_difference(one, together, setup->pairs.target[p].len, NULL));
            sa_lab_pass_gradient(&alone, -fraction, &model->dw);
        }
        sa_lab_pass_close(&alone);
    }
    sa_lab_pass_close(&all);
    if (good) *worst = sa_lab_nan_max(*worst, largest_gradient(model) / (most > 0 ? most : 1));
    return good;
}

/* ---- Padding ---------------------------------------------------------------------------------
 */

/* Compares a pair alone, beside longer pairs, and beside others of the same lengths. */
static bool padding_of(sa_proof_setup *setup, int p, double *worst, sa_error *error) {
    const int steps = setup->pairs.target[p].len;
    neighbors all;
    sa_lab_pass alone = {0}, beside = {0}, others = {0};
    bool good = neighbors_open(setup, p, &all, error) &&
                sa_lab_open_single(setup, p, &alone, error) &&
                open_pass(setup, &all, &beside, error);
    if (good) draw_neighbors(setup, &all);
    good = good && open_pass(setup, &all, &others, error);
    if (good) {
        const sa_lab_view one = {&alone, 0}, first = {&beside, OWN}, second = {&others, OWN};
        *worst = sa_lab_nan_max(*worst, sa_lab_view_difference(first, one, steps, NULL));
        *worst = sa_lab_nan_max(*worst, sa_lab_view_difference(second, first, steps, NULL));
    }
    sa_lab_pass_close(&alone), sa_lab_pass_close(&beside), sa_lab_pass_close(&others);
    neighbors_close(&all);
    return good;
}

bool sa_measure_padding(sa_proof_setup *setup, double *worst, sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < setup->pairs.count; p++) good = padding_of(setup, p, worst, error);
    return good;
}

bool sa_measure_padding_gradient(sa_proof_setup *setup, double *worst, sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < setup->pairs.count; p++) {
        neighbors all;
        sa_lab_pass beside = {0};
        good = neighbors_open(setup, p, &all, error) && open_pass(setup, &all, &beside, error);
        if (good) {
            const sa_lab_view own = {&beside, OWN};
            sa_lab_pass_gradient_of(own, &setup->model.dw);
            *worst = sa_lab_nan_max(*worst, sa_lab_neighbor_gradient(own));
        }
        sa_lab_pass_close(&beside);
        neighbors_close(&all);
    }
    return good;
}
