/* prove: the table of invariances, and the models for which each must hold. */
#include "base/memory.h"
#include "lab/invariance.h"

#include <stdlib.h>

/* ---- Which invariance holds for which model -------------------------------------------------- */

static const char *no_attention(const sa_proof_setup *setup) {
    return sa_lab_attention(setup) ? NULL : "the decoder has no attention";
}

static bool content_based(const sa_proof_setup *setup) {
    const sa_attention *attention = sa_lab_attention(setup);
    return attention && attention->score->key != SA_KEY_NONE;
}

static const char *content_free_note(const sa_proof_setup *setup) {
    return !content_based(setup) ? "the score is content-free: no source word can change a weight"
                                 : NULL;
}

/* Returns the first claim of each kind that a part makes. */
static sa_rare_hooks claims_of(const sa_attention *attention) {
    sa_rare_hooks all = {.any_sum = attention ? attention->normalizer->any_sum : NULL};
    for (int p = 0; attention && p < attention->parts; p++) {
        const sa_rare_hooks *part = sa_rare_of(attention->part[p].kind);
        if (!all.any_sum) all.any_sum = part->any_sum;
        if (!all.lacks) all.lacks = part->lacks;
        if (!all.ordered) all.ordered = part->ordered;
    }
    return all;
}

static const char *unnormalized(const sa_proof_setup *setup) {
    const sa_seq2seq *w = &setup->model.w;
    const sa_attention *attention = sa_lab_attention(setup);
    if (!attention) return no_attention(setup);
    const char *own = claims_of(attention).any_sum;
    return own || w->recurrent ? own
                               : claims_of(&w->transformer.decoder.layer[0].self.attention).any_sum;
}

static const char *sum_note(const sa_proof_setup *setup) {
    const sa_attention *attention = sa_lab_attention(setup);
    const char *own = claims_of(attention).lacks;
    if (own || !attention || !attention->normalizer->null_key) return own;
    return "at most 1: the rest is that of no word, as of a null key";
}

static bool recurrent_encoder(const sa_proof_setup *setup) {
    const sa_sizes *sizes = &setup->model.sizes;
    return sizes->recurrent && sizes->settings.encoder != SA_ENCODER_NONE;
}

/* Returns why the order of the source's words matters to whatever reads them, or NULL. */
static const char *reading_order(const sa_proof_setup *setup) {
    const sa_transformer *w = &setup->model.w.transformer;
    if (recurrent_encoder(setup)) return "the encoder is recurrent";
    return w->sizes.decoder_only && !w->sizes.full_prefix
               ? "a source word sees only those before it"
               : NULL;
}

/* Returns the attention of a Transformer's encoder, or of a decoder-only model; NULL: it has
 * none. */
static const sa_attention *encoder_attention(const sa_proof_setup *setup) {
    const sa_transformer *w = &setup->model.w.transformer;
    const sa_stack *reader = w->sizes.decoder_only ? &w->decoder : &w->encoder;
    return reader->layers ? &reader->layer[0].self.attention : NULL;
}

static const char *order_matters(const sa_proof_setup *setup) {
    const sa_position_kind *positions = &sa_position_kinds[setup->model.sizes.settings.positions];
    if (reading_order(setup)) return reading_order(setup);
    if (positions->encoding) return "the embeddings contain positions";
    if (positions->part) return "the self-attention contains positions";
    const char *own = claims_of(encoder_attention(setup)).ordered;
    return own ? own : claims_of(sa_lab_attention(setup)).ordered;
}

/* ---- The table ------------------------------------------------------------------------------- */

static const sa_invariance invariances[] = {
    {"row-sums", "The weights of every head are not negative and sum to 1 for every target word.",
     1e-12, .excuse = unnormalized, .note = sum_note, .measure = sa_measure_row_sums},
    {"batching",
     "Pairs one by one have the same weights, log p and summed gradient as in one batch.",
     SA_LAB_ROUNDING, .measure = sa_measure_batching},
    {"annotations",
     "With the queries fixed, other annotations give other weights (except for content-free "
     "scores).",
     0, content_based, 1e-14, .excuse = no_attention, .note = content_free_note,
     .measure = sa_measure_annotations},
    {"permutation",
     "Without recurrence and positions, permuting the source words permutes their weights, also in "
     "the encoder's self-attention, and leaves log p.",
     SA_LAB_ROUNDING, .excuse = order_matters, .shown = true, .measure = sa_measure_permutation},
    {"causality",
     "Other target words from position t on change neither the weights nor p(y_i) up to t, for "
     "every t.",
     SA_LAB_ROUNDING, .measure = sa_measure_causality},
};

enum { COUNT = sizeof invariances / sizeof *invariances };

const char *sa_proof_check_name(size_t i, const char **meaning) {
    if (i >= COUNT) return NULL;
    if (meaning) *meaning = invariances[i].meaning;
    return invariances[i].name;
}

/* ---- Checking -------------------------------------------------------------------------------- */

bool sa_proof_measure(sa_proof_setup *setup, const sa_lab_prove_job *proof,
                      const sa_invariance *invariance, sa_proof_check *check, sa_error *error) {
    const char *excuse = invariance->excuse ? invariance->excuse(setup) : NULL;
    const bool above = invariance->above && invariance->above(setup);
    double worst = -INFINITY, allowed = above ? invariance->least : invariance->allowed;
    if (above && !excuse) sa_lab_model_draw(&setup->model, (uint64_t)proof->options->seed);
    if ((!excuse || invariance->shown) &&
        !sa_lab_measure(setup, invariance->measure, &worst, error))
        return false;
    sa_lab_model_load(&setup->model, proof->values);
    if (!above && allowed == SA_LAB_ROUNDING && worst > allowed) {
        if (!sa_lab_measure(setup, sa_measure_conditioning, &allowed, error)) return false;
        sa_lab_model_load(&setup->model, proof->values);
    }
    const bool measured = worst != -INFINITY;
    if (!excuse && !measured) excuse = "no source is long enough";
    *check = (sa_proof_check){.name = invariance->name,
                              .meaning = invariance->meaning,
                              .worst = measured ? worst : NAN,
                              .allowed = allowed,
                              .above = above,
                              .skipped = excuse,
                              .note = excuse             ? excuse
                                      : invariance->note ? invariance->note(setup)
                                                         : NULL};
    check->ok = excuse || (above ? worst > check->allowed : worst <= check->allowed);
    return true;
}

static bool check_all(const sa_lab_prove_job *proof, sa_proof_setup *setup, sa_error *error) {
    const sa_prove_options *options = proof->options;
    sa_proof_check failed = {0};
    for (int i = 0; i < COUNT; i++) {
        sa_proof_check check;
        if (!sa_proof_measure(setup, proof, &invariances[i], &check, error)) return false;
        if (options->each) options->each(options->context, &check);
        if (!check.ok && !failed.name) failed = check;
    }
    return !failed.name ||
           sa_fail(error, SA_CHECK, "%s does not hold: %.3g, %s %g: %s", failed.name, failed.worst,
                   failed.above ? "must be above" : "allowed", failed.allowed, failed.meaning);
}

/* ---- The job --------------------------------------------------------------------------------- */

bool sa_proof_open(sa_proof_setup *setup, const sa_lab_prove_job *proof, sa_error *error) {
    setup->rng = sa_rng_seed((uint64_t)proof->options->seed, 1);
    setup->pairs = proof->pairs;
    sa_lab_pairs first = setup->pairs;
    first.count = 1;
    if (!sa_lab_model_open(&setup->model, proof->settings, &first, error)) return false;
    setup->model.regularizer.dropout = (sa_dropout){0};
    sa_lab_model_load(&setup->model, proof->values);
    return sa_lab_pass_open(&setup->all, &setup->model.w, setup->pairs.source, setup->pairs.target,
                            setup->pairs.count, error);
}

void sa_proof_close(sa_proof_setup *setup) {
    sa_lab_pass_close(&setup->all);
    sa_lab_model_close(&setup->model);
}

bool sa_lab_prove(const sa_lab_prove_job *proof, sa_error *error) {
    sa_proof_setup *setup = sa_new(1, sizeof *setup, error); /* too large for the stack */
    if (!setup) return false;
    const bool good = sa_proof_open(setup, proof, error) && check_all(proof, setup, error);
    sa_proof_close(setup);
    free(setup);
    return good;
}
