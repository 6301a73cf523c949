/* override: attention weights replaced by others while the model decodes, to measure how much the
 * translation depends on them (Jain and Wallace 2019, "Attention is not explanation"; Wiegreffe and
 * Pinter 2019). */
#include "attention/alignment_loss.h"
#include "attention/parts.h"
#include "base/error.h"
#include "base/number.h"
#include "base/option.h"

#include <limits.h>
#include <string.h>

/* Permutes the weights, in an order that depends on the seed and on their number. */
static void shuffle(uint64_t seed, sa_mat alpha) {
    sa_rng rng = sa_rng_seed(seed, (uint64_t)alpha.cols);
    for (int j = alpha.cols - 1; j > 0; j--) {
        const uint32_t other = sa_rng_below(&rng, (uint32_t)j + 1);
        const sa_real swap = alpha.x[j];
        alpha.x[j] = alpha.x[other];
        alpha.x[other] = swap;
    }
}

static void shift(int by, sa_mat alpha, sa_mat scratch) {
    const int S = alpha.cols, right = (by % S + S) % S;
    sa_copy_mat(alpha, scratch);
    for (int j = 0; j < S; j++) alpha.x[(j + right) % S] = scratch.x[j];
}

/* Replaces the weights of target position i (from 1) of sentence b. */
static void replace(const sa_override *override, int b, int i, sa_mat alpha, sa_mat scratch) {
    int best;
    switch (override->chosen.kind) {
    case SA_OVERRIDE_NONE:
    case SA_OVERRIDE_EXPECTED: /* the weights already are */
        break;
    case SA_OVERRIDE_UNIFORM:
        for (int j = 0; j < alpha.cols; j++) alpha.x[j] = 1 / (sa_real)alpha.cols;
        break;
    case SA_OVERRIDE_SHUFFLE:
        shuffle(override->seed, alpha); /* the same in all steps */
        break;
    case SA_OVERRIDE_SHIFT:
        shift(override->chosen.shift, alpha, scratch);
        break;
    case SA_OVERRIDE_ONE_HOT:
        best = sa_largest_at(alpha.x, alpha.cols);
        sa_zero(alpha);
        alpha.x[best] = 1;
        break;
    case SA_OVERRIDE_GOLD:
        if (override->gold &&
            sa_alignment_loss_target(&override->gold[override->order[b]], i - 1, scratch))
            sa_copy_mat(scratch, alpha);
        break;
    }
}

static void weights_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_override *override = *(const sa_override *const *)sa_part_own(w, part);
    const sa_mat scratch = sa_corner(head->scratch->soft, 1, head->alpha.cols);
    for (int l = 0; l < head->alpha.rows; l++)
        replace(override, head->sentence, head->i + l, sa_rows(head->alpha, l, 1), scratch);
}

const sa_part sa_override_part = {
    .name = "override",
    .formula = "other weights alpha",
    .citation = "Jain and Wallace 2019; Wiegreffe and Pinter 2019",
    .forward = {[SA_PLACE_WEIGHTS] = weights_forward},
};

/* Installs the override before any part that passes the weights on. */
void sa_override_install(sa_attention *w, const sa_override *override) {
    int p = 0;
    while (p < w->parts && !w->part[p].kind->carry_words) p++;
    if (override->chosen.kind == SA_OVERRIDE_EXPECTED)
        w->decoding = false;
    else if (override->chosen.kind != SA_OVERRIDE_NONE)
        *(const sa_override **)sa_part_add(w, &sa_override_part, p) = override;
}

/* ---- The names of overrides ------------------------------------------------------------------ */

const char *sa_attention_override_name(size_t i) {
    static const char *const names[] = {
        [SA_OVERRIDE_NONE] = "none",        [SA_OVERRIDE_UNIFORM] = "uniform",
        [SA_OVERRIDE_SHUFFLE] = "shuffle",  [SA_OVERRIDE_SHIFT] = "shift:1",
        [SA_OVERRIDE_ONE_HOT] = "one-hot",  [SA_OVERRIDE_GOLD] = "gold",
        [SA_OVERRIDE_EXPECTED] = "expected"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

bool sa_attention_override_parse(sa_attention_override *override, const char *text,
                                 sa_error *error) {
    int64_t shift;
    if (!sa_given(override, "override", error) || !sa_given(text, "text", error)) return false;
    if (strncmp(text, "shift:", 6) == 0 && sa_integer_parse(text + 6, &shift) &&
        shift >= -INT_MAX && shift <= INT_MAX) {
        *override = (sa_attention_override){SA_OVERRIDE_SHIFT, (int)shift};
        return true;
    }
    for (size_t i = 0; sa_attention_override_name(i); i++)
        if (strcmp(text, sa_attention_override_name(i)) == 0) {
            *override = (sa_attention_override){(sa_override_kind)i, 0};
            return true;
        }
    return sa_fail(error, SA_USAGE,
                   "--force-attention '%s': expected none, uniform, shuffle, shift:N, one-hot, "
                   "gold or expected%s",
                   text,
                   sa_nearest_hint_in(&(sa_nearest){.wanted = text}, sa_attention_override_name));
}

bool sa_override_check(sa_attention_override override, sa_error *error) {
    return sa_within((int64_t) override.kind, SA_OVERRIDE_NONE, SA_OVERRIDE_EXPECTED,
                     "override.kind", error);
}
