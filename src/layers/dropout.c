#include "layers/dropout.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

static void draw(double p, sa_rng *rng, sa_mat mask) {
    const uint32_t threshold = (uint32_t)(p * 4294967296.0);
    const sa_real scale = (sa_real)(1 / (1 - p));
    for (int i = 0; i < mask.rows; i++)
        for (int k = 0; k < mask.cols; k++)
            sa_row(mask, i)[k] = sa_rng_next(rng) < threshold ? 0 : scale;
}

/* By the first rows of the mask. */
static void multiply(sa_mat mask, sa_mat x) {
    for (int i = 0; i < x.rows; i++) {
        const sa_real *keep = sa_row(mask, i);
        sa_real *xi = sa_row(x, i);
        for (int k = 0; k < x.cols; k++) xi[k] *= keep[k];
    }
}

void sa_dropout_forward(double p, sa_rng *rng, sa_mat mask, sa_mat x) {
    if (p <= 0) return;
    sa_require(mask.rows >= x.rows); /* the layout has one */
    draw(p, rng, mask);
    multiply(mask, x);
}

void sa_dropout_backward(double p, sa_mat mask, sa_mat dx) {
    if (p > 0 && sa_gradient_intact("dropout.mask")) multiply(mask, dx);
}

void sa_noise_draw(double deviation, sa_rng *rng, sa_mat noise) {
    if (deviation <= 0) sa_zero(noise);
    for (int i = 0; deviation > 0 && i < noise.rows; i++)
        for (int k = 0; k < noise.cols; k++)
            sa_row(noise, i)[k] = (sa_real)(deviation * sa_rng_normal(rng));
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void multiply_rows(sa_mat mask, sa_mat x) {
    for (int i = 0; i < x.rows; i++) sa_scale(*sa_row(mask, i), sa_rows(x, i, 1));
}

void sa_dropout_words_forward(double p, sa_rng *rng, sa_mat mask, sa_mat x) {
    if (p <= 0) return;
    draw(p, rng, mask);
    multiply_rows(mask, x);
}

void sa_dropout_words_backward(double p, sa_mat mask, sa_mat dx) {
    if (p > 0 && sa_gradient_intact("dropout.words")) multiply_rows(mask, dx);
}

/* ---- States ---------------------------------------------------------------------------------- */

sa_state_dropout sa_state_dropout_layout(sa_arena *arena, bool wanted, int rows, int sentences,
                                         int n) {
    return (sa_state_dropout){
        .mask = sa_mat_alloc(arena, wanted ? sentences : 0, n),
        .masked = sa_mat_alloc(arena, wanted ? rows : 0, n),
        .dmasked = sa_mat_alloc(arena, wanted ? sentences : 0, n),
    };
}

void sa_state_dropout_start(double p, sa_rng *rng, const sa_state_dropout *buffers,
                            sa_state *states) {
    states->masked = p > 0 ? buffers->masked : states->s;
    if (p > 0) draw(p, rng, buffers->mask);
}

void sa_state_dropout_return(double p, const sa_state_dropout *buffers, sa_state *dstate) {
    dstate->masked = p > 0 ? buffers->dmasked : dstate->s;
}

void sa_state_dropout_forward(sa_mat mask, sa_state previous) {
    if (!sa_state_masked(previous)) return;
    sa_copy_mat(previous.s, previous.masked);
    multiply(mask, previous.masked);
}

void sa_state_dropout_backward(sa_mat mask, sa_state dprevious) {
    if (!sa_state_masked(dprevious)) return;
    if (sa_gradient_intact("dropout.state")) multiply(mask, dprevious.masked);
    sa_add(dprevious.masked, dprevious.s);
}
