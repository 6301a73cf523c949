/* entmax_alpha: each head learns the alpha of its entmax (Correia et al. 2019): 1 + sigma(a). */
#include "attention/parts.h"

typedef struct entmax_alpha { /* weights, or their gradients */
    sa_mat a;                 /* [1 x heads] */
} entmax_alpha;

static bool chosen(const sa_attention_sizes *sizes) {
    return sizes->normalizer->exponent && sizes->settings.entmax_alpha == SA_ENTMAX_ALPHA_LEARNED;
}

static void bind(sa_binder *binder, const char *name, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    (void)w;
    /* alpha = 1.5 */
    ((entmax_alpha *)own)->a = sa_bind_vector(binder, name, "a", sizes->heads, SA_INIT_ZERO);
}

static int scratch_width(const sa_attention *w, int part, int queries, int steps) {
    (void)w, (void)part, (void)queries, (void)steps;
    return 2; /* alpha of the head at work, and the derivative by it */
}

/* Near alpha = 1 the derivative by alpha is a small difference of large numbers. */
static sa_real alpha_of(sa_real a) {
    const sa_real share = (sa_real)(1 / (1 + exp(-(double)a)));
    return 1 + (share > (sa_real)1e-3 ? share : (sa_real)1e-3);
}

static void keys_forward(const sa_attention *w, int part, sa_head *at) {
    const entmax_alpha *own = sa_part_own(w, part);
    sa_real *numbers = sa_part_scratch(w, part, at).x;
    numbers[0] = alpha_of(own->a.x[at->head]);
    at->exponent = numbers;
    numbers[1] = 0;
    at->dexponent = numbers + 1;
}

static void scores_backward(const sa_attention *w, int part, sa_head *at, sa_head *d,
                            sa_attention *dw) {
    const sa_real alpha = *at->exponent;
    (void)w, (void)d;
    ((const entmax_alpha *)sa_part_own(dw, part))->a.x[at->head] +=
        *at->dexponent * (alpha - 1) * (2 - alpha); /* alpha = 1 + sigma(a) */
    *at->dexponent = 0;                             /* another map of the head may follow */
}

static int show(const sa_attention *w, int part, const sa_head *at, sa_shown shown[SA_SHOWN_MAX]) {
    const entmax_alpha *own = sa_part_own(w, part);
    const sa_mat alpha = sa_cols(sa_part_scratch(w, part, at), 0, 1);
    *alpha.x = alpha_of(own->a.x[at->head]);
    shown[0] = (sa_shown){"alpha", alpha};
    return 1;
}

const sa_part sa_entmax_alpha_part = {
    .name = "learned entmax",
    .formula = "alpha = 1 + sigma(a), a learned for each head",
    .citation = "Correia et al. 2019",
    .chosen = chosen,
    .bind = bind,
    .order = 3,
    .scratch_width = scratch_width,
    .forward = {[SA_PLACE_KEYS] = keys_forward},
    .backward = {[SA_PLACE_SCORES] = scores_backward},
    .show = show,
};
