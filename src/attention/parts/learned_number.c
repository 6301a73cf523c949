/* learned_number: each head learns the number of its normalizer.
 *
 *   entmax   alpha = 1 + sigma(a)   (Correia et al. 2019)
 *   sink     the score of a key that is no word   (OpenAI 2025, gpt-oss)
 *   ssmax    scores are multiplied by scale log n   (Nakanishi 2025)
 *   sigmoid  is added to the scores   (Ramapuram et al. 2024) */
#include "attention/parts.h"
#include "tensor/vec.h"

typedef struct learned_number { /* weights, or their gradients */
    sa_mat a;                   /* [1 x heads] */
} learned_number;

/* Where a is 0, alpha is 1.5. */
static void bind(sa_binder *binder, const char *name, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    const sa_normalizer *row = w->normalizer;
    ((learned_number *)own)->a =
        row->learned ? sa_bind_constant(binder, name, row->learned, sizes->heads, row->start)
                     : sa_bind_vector(binder, name, "a", sizes->heads, SA_INIT_ZERO);
}

static int scratch_width(const sa_attention *w, int part, int queries, int steps) {
    return 2; /* the number of the head at work, and the derivative by it */
}

static sa_real *own_of(const sa_attention *w, int part, const sa_head *at) {
    return &((const learned_number *)sa_part_own(w, part))->a.x[at->head];
}

static void put_number(const sa_attention *w, int part, sa_head *at, sa_real number) {
    sa_real *numbers = sa_part_scratch(w, part, at).x;
    numbers[0] = number, numbers[1] = 0;
    at->exponent = numbers, at->dexponent = numbers + 1;
}

static int show(const sa_attention *w, int part, const sa_head *at, sa_shown shown[SA_SHOWN_MAX]) {
    const char *name = w->normalizer->learned; /* alpha is of the options, not of the normalizer */
    sa_head again = *at;
    w->part[part].row->forward[SA_PLACE_KEYS](w, part, &again);
    shown[0] = (sa_shown){name ? name : "alpha", sa_cols(sa_part_scratch(w, part, at), 0, 1),
                          .place = name ? SA_PLACE_SCORES : SA_PLACE_QUERY};
    return 1;
}

/* ---- Entmax ---------------------------------------------------------------------------------- */

static bool alpha_chosen(const sa_attention_sizes *sizes) {
    return sizes->normalizer->exponent && sizes->settings.entmax_alpha == SA_ENTMAX_ALPHA_LEARNED;
}

/* Near alpha = 1 the derivative by alpha is a small difference of large numbers. */
static void alpha_forward(const sa_attention *w, int part, sa_head *at) {
    const sa_real share = sa_sigma(*own_of(w, part, at));
    put_number(w, part, at, 1 + (share > (sa_real)1e-3 ? share : (sa_real)1e-3));
}

static void alpha_backward(const sa_attention *w, int part, sa_head *at, sa_head *d) {
    const sa_real alpha = *at->exponent;
    *own_of(d->dw, part, at) +=
        *at->dexponent * (alpha - 1) * (2 - alpha); /* alpha = 1 + sigma(a) */
    *at->dexponent = 0;                             /* another map of the head may follow */
}

const sa_part sa_entmax_alpha_part = {
    .name = "learned entmax",
    .formula = "alpha = 1 + sigma(a), a learned for each head",
    .citation = "Correia et al. 2019",
    .chosen = alpha_chosen,
    .bind = bind,
    .order = 3,
    .scratch_width = scratch_width,
    .forward = {[SA_PLACE_KEYS] = alpha_forward},
    .backward = {[SA_PLACE_SCORES] = alpha_backward},
    .show = show,
};

/* ---- Numbers that the normalizer takes as they are ------------------------------------------- */

static void number_forward(const sa_attention *w, int part, sa_head *at) {
    put_number(w, part, at, *own_of(w, part, at));
}

static void number_backward(const sa_attention *w, int part, sa_head *at, sa_head *d) {
    *own_of(d->dw, part, at) += *at->dexponent;
    *at->dexponent = 0; /* another map of the head may follow */
}

const sa_part sa_learned_number_part = {
    .name = "number",
    .formula = "a number learned for each head",
    .citation = "of the normalizer",
    .bind = bind,
    .order = 3,
    .scratch_width = scratch_width,
    .forward = {[SA_PLACE_KEYS] = number_forward},
    .backward = {[SA_PLACE_SCORES] = number_backward},
    .show = show,
};
