/* proof: sa_lab_prove with random weights, and more_invariances.h; records every check. */
#ifndef TEST_PROOF_H
#define TEST_PROOF_H

#include "lab/lab.h"
#include "support/more_invariances.h"
#include "support/numbers.h"
#include "support/variants.h"

#include <string.h>

enum { PROOF_CHECKS = 5, CHECKS = PROOF_CHECKS + MORE, K = 9 };

static sa_proof_check seen[CHECKS];
static int checks;

static inline void record(void *context, const sa_proof_check *check) {
    ck_assert_ptr_eq(context, &checks);
    ck_assert_int_lt(checks, CHECKS);
    seen[checks++] = *check;
}

/* Draws pairs of ragged lengths. */
static inline void draw_pairs(sa_lab_pairs *pairs) {
    static const int lengths[][2] = {{3, 4}, {8, 1}, {1, 7}, {5, 4}, {3, 2}, {2, 6}};
    enum { DRAWN = sizeof lengths / sizeof *lengths, TOKENS = 46 };
    static sa_sentence drawn[2][DRAWN];
    static int32_t tokens[TOKENS];
    int32_t *ids = tokens;
    sa_rng rng = sa_rng_seed(5, 1);
    for (int p = 0; p < DRAWN; p++)
        for (int side = 0; side < 2; ids += lengths[p][side++])
            drawn[side][p] = draw_sentence(&rng, ids, lengths[p][side],
                                           side ? pairs->target_words : pairs->source_words);
    pairs->source = drawn[0], pairs->target = drawn[1], pairs->count = DRAWN;
}

/* The proof of a model with random weights in +-bound. */
static inline bool prove_with(const sa_settings *settings, double bound, sa_lab_prove_job proof,
                              sa_error *error) {
    sa_params plan;
    sa_lab_pairs *pairs = &proof.pairs;
    pairs->source_words = pairs->source_words ? pairs->source_words : K;
    pairs->target_words = pairs->target_words ? pairs->target_words : K + 1;
    if (!pairs->source) draw_pairs(pairs);
    const sa_sizes sizes = sa_sizes_of(settings, pairs->source_words, pairs->target_words);
    sa_seq2seq_plan(&sizes, &plan);
    float *values = sa_arena_alloc(&numbers, plan.size, sizeof *values);
    for (size_t i = 0; i < plan.size; i++)
        values[i] = (float)(bound * (2 * sa_rng_uniform(&dice) - 1));
    proof.settings = settings, proof.values = values;
    proof.options = &(sa_prove_options){.seed = 5, .each = record, .context = &checks};
    checks = 0;
    *error = (sa_error){0};
    bool good = sa_lab_prove(&proof, error);
    if (!good && error->code != SA_CHECK) return false;
    sa_error other;
    ck_assert_msg(prove_more(&proof, seen + checks, &other), "%s", other.text);
    for (int i = 0; i < MORE; i++) {
        const sa_proof_check *check = &seen[checks++];
        if (good && !check->ok)
            good = sa_fail(error, SA_CHECK, "%s does not hold: %g", check->name, check->worst);
    }
    return good;
}

static inline bool prove(const sa_settings *settings, sa_error *error) {
    return prove_with(settings, 1, (sa_lab_prove_job){0}, error);
}

static inline const sa_proof_check *check_of(const char *name) {
    for (int i = 0; i < checks; i++)
        if (strcmp(seen[i].name, name) == 0) return &seen[i];
    ck_abort_msg("no check %s", name);
}

#endif
