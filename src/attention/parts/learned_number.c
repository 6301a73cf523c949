/* learned_number: each head learns the number of its normalizer.
 *
 *   entmax   alpha = 1 + sigma(a)   (Correia et al. 2019)
 *   sink     the score of a key that is no word   (OpenAI 2025, gpt-oss)
 *   ssmax    scores are multiplied by scale log n   (Nakanishi 2025)
 *   sigmoid  is added to the scores   (Ramapuram et al. 2024) */
#include "attention/parts.h"
#include "tensor/vec.h"

/* a [1 x heads] is all that it owns. Where it is 0, alpha is 1.5. */
static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    const sa_normalizer *normalizer = w->normalizer;
    *(sa_mat *)own =
        sa_bind_constant(binder, prefix, normalizer->learned ? normalizer->learned : "a",
                         sizes->heads, normalizer->start);
}

static bool chosen(const sa_attention_sizes *sizes) {
    const sa_normalizer *normalizer = sizes->normalizer;
    return normalizer->learned ||
           (normalizer->exponent && sizes->settings.entmax_alpha == SA_ENTMAX_ALPHA_LEARNED);
}

static int scratch_width(const sa_attention *w, int part, int queries, int steps) {
    return 2; /* the number of the head at work, and the derivative by it */
}

static sa_real *own_of(const sa_attention *w, int part, const sa_head *head) {
    return &((const sa_mat *)sa_part_own(w, part))->x[head->index];
}

/* The number is a, or alpha = 1 + sigma(a), near whose 1 the derivative by it is a small difference
 * of large numbers. */
static void number_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_real a = *own_of(w, part, head), share = sa_sigma(a), least = (sa_real)1e-3;
    sa_real *numbers = sa_part_scratch(w, part, head).x;
    numbers[0] = w->normalizer->exponent ? 1 + (share > least ? share : least) : a;
    numbers[1] = 0;
    head->exponent = numbers, head->dexponent = numbers + 1;
}

static void number_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_real alpha = *head->exponent;
    *own_of(d->dw, part, head) +=
        *head->dexponent * (w->normalizer->exponent ? (alpha - 1) * (2 - alpha) : 1);
    *head->dexponent = 0; /* another map of the head may follow */
}

static int show(const sa_attention *w, int part, const sa_head *head,
                sa_shown shown[SA_SHOWN_MAX]) {
    const char *name = w->normalizer->learned; /* alpha is of the options, not of the normalizer */
    sa_head again = *head;
    number_forward(w, part, &again);
    shown[0] = (sa_shown){name ? name : "alpha", sa_cols(sa_part_scratch(w, part, head), 0, 1),
                          .place = name ? SA_PLACE_SCORES : SA_PLACE_QUERY};
    return 1;
}

const sa_part sa_learned_number_part = {
    .name = "number",
    .formula = "a number learned for each head; alpha = 1 + sigma(a)",
    .citation = "of the normalizer; alpha: Correia et al. 2019",
    .chosen = chosen,
    .bind = bind,
    .order = 3,
    .scratch_width = scratch_width,
    .forward = {[SA_PLACE_KEYS] = number_forward},
    .backward = {[SA_PLACE_SCORES] = number_backward},
    .show = show,
};
