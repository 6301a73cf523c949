/* more_invariances: what must hold besides the checks of sa_lab_prove. */
#ifndef TEST_MORE_INVARIANCES_H
#define TEST_MORE_INVARIANCES_H

#include "attention/parts.h"
#include "base/memory.h"
#include "lab/prove.h"
#include "support/neighbors.h"
#include "support/writing.h"

#include <math.h>
#include <stdlib.h>

/* ---- The encoder of a permuted source -------------------------------------------------------- */

static const sa_position_kind *positions_of(const sa_proof_setup *setup) {
    return &sa_position_kinds[setup->model.sizes.settings.positions];
}

static bool positioned(const sa_proof_setup *setup) {
    return positions_of(setup)->encoding || positions_of(setup)->part;
}

static bool encodes_positions(const sa_proof_setup *setup) {
    return positions_of(setup)->encoding;
}

static const char *encoder_order_matters(const sa_proof_setup *setup) {
    const sa_sizes *sizes = &setup->model.sizes;
    const sa_transformer *w = &setup->model.w.transformer;
    if (sizes->recurrent)
        return sizes->settings.encoder == SA_ENCODER_NONE ? NULL : "the encoder is recurrent";
    if (w->sizes.decoder_only && !w->sizes.full_prefix)
        return "a source word sees only those before it";
    const sa_stack *reader = w->sizes.decoder_only ? &w->decoder : &w->encoder;
    const sa_attention *self = &reader->layer[0].self.attention;
    const char *ordered = NULL;
    for (int p = 0; !positioned(setup) && !ordered && p < self->parts; p++)
        ordered = sa_rare_of(self->part[p].kind)->ordered;
    return ordered;
}

static sa_mat annotations_of(const sa_lab_pass *pass) {
    if (pass->w->recurrent) return pass->cache.encoder.annotations;
    if (!pass->w->transformer.sizes.decoder_only) return pass->cache.transformer.encoder.out;
    return sa_rows(pass->cache.transformer.decoder.out, 0, pass->batch.source.words);
}

/* How the annotations and the encoder's weights change, beyond being permuted, if the first word
 * but EOS becomes the last. Positions must break this. */
static bool measure_encoder_permutation(sa_proof_setup *setup, sa_lab_pass *alone,
                                        sa_error *error) {
    double *worst = &setup->worst;
    const int p = setup->p;
    enum { MOST = 128 };
    const sa_sentence *source = &setup->pairs.source[p];
    const int len = source->len;
    if (len < 3 || len > MOST) return true;
    int from[MOST];
    int32_t ids[MOST], extended[MOST];
    for (int j = 0; j < len; j++) {
        from[j] = j == len - 1 ? j : (j + 1) % (len - 1);
        ids[j] = source->ids[from[j]], extended[j] = sa_sentence_extended(source)[from[j]];
    }
    const sa_sentence moved = {ids, len, extended};
    sa_lab_pass other;
    const bool good = sa_lab_pass_open(&other, alone->w, &moved, setup->pairs.target + p, 1, error);
    if (good) {
        const sa_mat one = annotations_of(&other), both = annotations_of(alone);
        raise_worst(sa_lab_site_difference((sa_lab_view){&other, 0}, (sa_lab_view){alone, 0},
                                           SA_SITE_ENCODER, len, from, from),
                    worst);
        for (int j = 0; j < len; j++)
            raise_worst(sa_lab_max_difference(sa_row(one, j), sa_row(both, from[j]), one.cols),
                        worst);
    }
    sa_lab_pass_close(&other);
    return good;
}

/* ---- Positions: all words stand three later -------------------------------------------------- */

static const char *no_positions(const sa_proof_setup *setup) {
    if (setup->model.sizes.recurrent) return "the model has no self-attention";
    return positioned(setup) ? NULL : "the model has no positions";
}

static void begin_later(sa_stack *stack) {
    enum { LATER = 3 };
    stack->positions.first = LATER;
    for (int i = 0; i < stack->layers; i++) {
        sa_attention *self = &stack->layer[i].self.attention;
        const sa_attention_sizes sizes = {.score = self->score, .positions = &stack->positions};
        for (int p = 0; p < self->parts; p++)
            if (self->part[p].kind == &sa_rotation_part)
                sa_rotation_part.bind(NULL, NULL, &sizes, self, self->part[p].own);
    }
}

static bool measure_shift(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error) {
    double *worst = &setup->worst;
    const int p = setup->p;
    sa_seq2seq later = setup->model.w;
    sa_lab_pass other;
    const sa_lab_view one = {alone, 0}, moved = {&other, 0};
    begin_later(&later.transformer.encoder), begin_later(&later.transformer.decoder);
    const bool good = sa_lab_pass_open(&other, &later, setup->pairs.source + p,
                                       setup->pairs.target + p, 1, error);
    if (good)
        raise_worst(sa_lab_view_difference(moved, one, setup->pairs.target[p].len, NULL), worst);
    sa_lab_pass_close(&other);
    return good;
}

/* ---- Windows of an encoder ------------------------------------------------------------------- */

/* The words to each side on which an annotation may depend: layers x D; 0: there are no windows
 * around the words themselves in all layers, or the score is blind to words. */
static int reach_of(const sa_proof_setup *setup) {
    const sa_stack *encoder = &setup->model.w.transformer.encoder;
    const sa_attention *w = &encoder->layer[0].self.attention;
    if (!encoder->layers || encoder->hybrid || w->score->query == SA_QUERY_POSITIONS) return 0;
    const int window = setup->model.sizes.settings.window_size;
    return sa_part_find(w, &sa_window_part) < 0 ? 0 : encoder->layers * window;
}

static const char *no_encoder_window(const sa_proof_setup *setup) {
    return reach_of(setup) ? NULL : "the encoder has no windows around its words";
}

/* The gradient of annotation i with respect to every source word; sparse weights may make any of it
 * zero. */
static double count_unreached(sa_lab_pass *pass, int i, int left, int right,
                              sa_proof_setup *setup) {
    const sa_transformer *w = &pass->w->transformer;
    sa_stack_cache *encoder = &pass->cache.transformer.encoder;
    double count = 0;
    sa_zero(encoder->d);
    for (int k = 0; k < encoder->d.cols; k++)
        sa_row(encoder->d, i)[k] = 2 * sa_rng_uniform(&setup->rng) - 1;
    sa_transformer_encode_backward(w, (sa_dropout){0}, encoder, &setup->model.dw.transformer);
    const bool sparse = w->encoder.layer[0].self.attention.normalizer->sparse;
    for (int j = 0; j < encoder->d.rows; j++) {
        const bool zero = sa_lab_largest(sa_rows(encoder->d, j, 1)) == 0;
        count += j < i - left || j > i + right ? !zero : zero && !sparse;
    }
    return count;
}

/* In how many pairs of an annotation and a source word the gradient of one with respect to the
 * other is exactly zero within that reach, or is not beyond it. */
static bool measure_reach(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error) {
    double *worst = &setup->worst;
    const int p = setup->p;
    const sa_stack *encoder = &setup->model.w.transformer.encoder;
    const int reach = reach_of(setup);
    const bool smeared =
        sa_part_find(&encoder->layer[0].self.attention, &sa_smeared_keys_part) >= 0;
    const int further = smeared ? encoder->layers : 0; /* a key has the word before in it */
    *worst = fmax(*worst, 0);
    for (int i = 0; i < setup->pairs.source[p].len; i++)
        *worst += count_unreached(alone, i, reach + further, reach, setup);
    return true;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static const sa_invariance more_invariances[] = {
    {"writing", "", SA_LAB_ROUNDING, .measure = measure_writing},
    {"padding", "", SA_LAB_ROUNDING, .measure = measure_padding},
    {"padding-gradient", "", 0, .measure = measure_padding_gradient},
    {"encoder-permutation", "", SA_LAB_ROUNDING, positioned, SA_LAB_ROUNDING,
     .excuse = encoder_order_matters, .shown = true, .measure = measure_encoder_permutation},
    {"shift", "", SA_LAB_ROUNDING, encodes_positions, SA_LAB_ROUNDING, .excuse = no_positions,
     .measure = measure_shift},
    {"reach", "", 0, .excuse = no_encoder_window, .measure = measure_reach},
};
enum { MORE = sizeof more_invariances / sizeof *more_invariances };

/* Fills checks [MORE]. */
static inline bool prove_more(const sa_lab_prove_job *proof, sa_proof_check *checks,
                              sa_error *error) {
    sa_proof_setup *setup = sa_new(1, sizeof *setup, error);
    bool good = setup && sa_proof_open(setup, proof, error);
    for (int i = 0; good && i < MORE; i++)
        good = sa_proof_measure(setup, proof, &more_invariances[i], &checks[i], error);
    if (setup) sa_lab_model_close(&setup->model);
    free(setup);
    return good;
}

#endif
