/* Every fault planted in the forward or backward pass breaks exactly the invariants that it
 * should. The linker (--wrap) plants the faults around the functions of the numeric modules. */
#include "inference/ensemble.h"
#include "support/proof.h"
#include "support/suite.h"
#include "tensor/vec.h"

#include <stdio.h>

/* ---- Faults ---------------------------------------------------------------------------------- */

static enum fault {
    NONE,
    GROWING_WEIGHTS,
    GROWING_COPIES,
    NEGATIVE_WEIGHTS,
    SHARED_ANNOTATIONS,
    WRONG_ORDER,
    SHARED_GRADIENT,
    LOST_GRADIENT,
    BLIND_KEYS,
    PEEPING_SCORE,
    PEEPING_FIRST_SCORE,
    SMUGGLED_PLACES,
    FORESEEN_WORDS,
    LATE_WORDS,
    FORGOTTEN_WORD,
    SEEN_FUTURE,
    COUNTED_WORDS,
    NEIGHBORS,
    LOST_POSITIONS,
    COUNTED_POSITIONS,
    LEAKED_GRADIENT,
    CUT_GRADIENT,
    FAULTS
} planted;

/* The linker's names: __real_ is the library's function, __wrap_ is called instead. */
__typeof__(sa_softmax) __real_sa_softmax_f64, __wrap_sa_softmax_f64;
void __wrap_sa_softmax_f64(sa_mat x) {
    __real_sa_softmax_f64(x);
    const double growth = planted == GROWING_WEIGHTS ? 1e-9 : planted == GROWING_COPIES ? 1e-6 : 0;
    for (int j = 0; j < x.cols; j++) x.x[j] *= 1 + growth;
    if (planted == NEGATIVE_WEIGHTS && x.cols > 1) x.x[0] -= 1, x.x[1] += 1;
}

__typeof__(sa_batch_build) __real_sa_batch_build, __wrap_sa_batch_build;
sa_batch __wrap_sa_batch_build(sa_arena *arena, const sa_sentence *source,
                               const sa_sentence *target, int count) {
    sa_batch batch = __real_sa_batch_build(arena, source, target, count);
    if (planted == WRONG_ORDER) batch.source_of = batch.source.order;
    return batch;
}

__typeof__(sa_encoder_forward) __real_sa_encoder_forward_f64, __wrap_sa_encoder_forward_f64;
void __wrap_sa_encoder_forward_f64(const sa_encoder *w, const sa_batch *batch, sa_dropout dropout,
                                   sa_rng *rng, sa_encoder_cache *cache) {
    __real_sa_encoder_forward_f64(w, batch, dropout, rng, cache);
    const sa_mat h = cache->annotations;
    for (int i = 1; planted == SHARED_ANNOTATIONS && i < h.rows; i++)
        sa_axpy(1e-3, sa_row(h, i - 1), sa_row(h, i), h.cols);
    for (int b = 0; planted == SMUGGLED_PLACES && b < batch->source.sentences; b++)
        for (int i = cache->first[b]; i < cache->first[b + 1]; i++)
            *sa_row(h, i) += 1e-3 * (i - cache->first[b]);
}

__typeof__(sa_encoder_backward) __real_sa_encoder_backward_f64, __wrap_sa_encoder_backward_f64;
void __wrap_sa_encoder_backward_f64(const sa_encoder *w, const sa_batch *batch, sa_dropout dropout,
                                    sa_encoder_cache *cache, sa_encoder *dw) {
    const sa_mat dh = cache->dannotations;
    for (int i = 1; planted == SHARED_GRADIENT && i < dh.rows; i++)
        sa_axpy(1e-12, sa_row(dh, i), sa_row(dh, i - 1), dh.cols);
    if (planted == LOST_GRADIENT && batch->source.sentences > 1) sa_zero(sa_rows(dh, 0, 1));
    __real_sa_encoder_backward_f64(w, batch, dropout, cache, dw);
}

__typeof__(sa_memory_forward) __real_sa_memory_forward_f64, __wrap_sa_memory_forward_f64;
void __wrap_sa_memory_forward_f64(const sa_attention *w, sa_memory *memory) {
    __real_sa_memory_forward_f64(w, memory);
    if (planted == BLIND_KEYS) sa_zero(memory->keys);
}

/* In step i of a recurrent decoder. */
static void plant_in_step(const sa_memory *memory, int i, sa_attention_rows rows, sa_mat c) {
    const bool peeps = planted == PEEPING_SCORE || (planted == PEEPING_FIRST_SCORE && i == 1);
    for (int l = 0; l < c.rows; l++) {
        const int S = memory->first[l + 1] - memory->first[l];
        sa_real *alpha = sa_row(rows.alpha, l);
        if (!peeps || S < 2) continue;
        const double share = 1e-3 * alpha[0] * fabs(*sa_row(memory->annotations, memory->first[l]));
        alpha[0] -= share, alpha[1] += share;
    }
}

__typeof__(sa_recurrent_decoder_layout) __real_sa_recurrent_decoder_layout_f64,
    __wrap_sa_recurrent_decoder_layout_f64;
void __wrap_sa_recurrent_decoder_layout_f64(sa_arena *arena, const sa_batch *batch,
                                            const sa_recurrent_decoder *w,
                                            const sa_encoder_cache *encoder, bool training,
                                            sa_decoder_cache *cache) {
    __real_sa_recurrent_decoder_layout_f64(arena, batch, w, encoder, training, cache);
    if (planted == FORESEEN_WORDS) /* y_i, not y_{i-1} */
        cache->inputs = (int32_t *)(uintptr_t)batch->target.ids;
}

__typeof__(sa_attention_forward) __real_sa_attention_forward_f64, __wrap_sa_attention_forward_f64;
void __wrap_sa_attention_forward_f64(const sa_attention *w, const sa_memory *memory,
                                     const sa_queries *queries, sa_mat s, sa_attention_rows rows,
                                     sa_mat c, const sa_attention_scratch *scratch) {
    const bool encoder = !queries->causal && queries->first == memory->first;
    sa_queries asked = *queries;
    asked.causal = asked.causal && planted != SEEN_FUTURE;
    __real_sa_attention_forward_f64(w, memory, &asked, s, rows, c, scratch);
    if (!asked.first) plant_in_step(memory, asked.i, rows, c);
    for (int b = 0; planted == COUNTED_WORDS && encoder && b < asked.blocks; b++)
        for (int i = asked.first[b]; i < asked.first[b + 1]; i++)
            *sa_row(c, i) += 1e-3 * (i - asked.first[b]);
    for (int i = 1; planted == NEIGHBORS && encoder && i < c.rows; i++)
        sa_axpy(1e-3, sa_row(c, i - 1), sa_row(c, i), c.cols);
}

__typeof__(sa_heads_forward) __real_sa_heads_forward_f64, __wrap_sa_heads_forward_f64;
void __wrap_sa_heads_forward_f64(const sa_attention *w, const sa_memory *memory,
                                 sa_query_block block, sa_attention_rows rows, sa_mat o,
                                 const sa_attention_scratch *scratch) {
    const int first[] = {0, block.i > 1 ? block.i - 1 : 1}; /* instead of the previous word */
    sa_memory past = *memory;
    /* some linkers plant it in the calls of heads.c, too: of a cache it is the i-th word */
    const bool cached = block.count == 1 && !block.sentence && memory->first[1] == block.i;
    if (planted == FORGOTTEN_WORD && cached) past.first = first;
    __real_sa_heads_forward_f64(w, &past, block, rows, o, scratch);
}

__typeof__(sa_positions_table) __real_sa_positions_table_f64, __wrap_sa_positions_table_f64;
void __wrap_sa_positions_table_f64(const sa_positions *w, int first, sa_mat table) {
    __real_sa_positions_table_f64(w, first, table);
    if (planted == LOST_POSITIONS) sa_zero(table);
}

/* A rotation begins with the position of the first word. */
__typeof__(sa_parts_forward) __real_sa_parts_forward_f64, __wrap_sa_parts_forward_f64;
void __wrap_sa_parts_forward_f64(const sa_attention *w, sa_place place, sa_head *at) {
    const int part = sa_part_find(w, &sa_rotation_part);
    const sa_mat e = at->alpha;
    __real_sa_parts_forward_f64(w, place, at);
    if (planted != COUNTED_POSITIONS || place != SA_PLACE_SCORES || part < 0) return;
    for (int j = 0; j < e.cols; j++)
        sa_row(e, e.rows - 1)[j] += 0.1 * *(const int *)sa_part_own(w, part) * j;
}

__typeof__(sa_ensemble_set) __real_sa_ensemble_set_f64, __wrap_sa_ensemble_set_f64;
void __wrap_sa_ensemble_set_f64(sa_ensemble *ensemble, int l, sa_continuation row) {
    if (planted == LATE_WORDS) row.word = SA_BOS; /* not y_{i-1} */
    __real_sa_ensemble_set_f64(ensemble, l, row);
}

__typeof__(sa_transformer_encode_backward) __real_sa_transformer_encode_backward_f64,
    __wrap_sa_transformer_encode_backward_f64;
void __wrap_sa_transformer_encode_backward_f64(const sa_transformer *weights, sa_dropout dropout,
                                               sa_stack_cache *encoder, sa_transformer *dw) {
    __real_sa_transformer_encode_backward_f64(weights, dropout, encoder, dw);
    const sa_mat d = encoder->d;
    const bool alone = encoder->self.blocks == 1; /* as where windows are measured */
    for (int i = 1; planted == LEAKED_GRADIENT && alone && i < d.rows; i++)
        sa_axpy(1e-12, sa_row(d, i), sa_row(d, i - 1), d.cols);
    if (planted == CUT_GRADIENT) sa_zero(sa_rows(d, d.rows - 1, 1));
}

/* ---- Which checks notice them ---------------------------------------------------------------- */

static const struct {
    int model;
    const char *options[2], *noticed; /* the checks that find it, in order */
} faults[FAULTS] = {
    [NONE] = {SA_MODEL_RECURRENT, {NULL}, ""},
    [GROWING_WEIGHTS] = {SA_MODEL_RECURRENT, {NULL}, "row-sums "},
    [GROWING_COPIES] = {SA_MODEL_RECURRENT, {"copy", "yes"}, "row-sums writing "},
    [NEGATIVE_WEIGHTS] = {SA_MODEL_RECURRENT, {NULL}, "row-sums "},
    [SHARED_ANNOTATIONS] = {SA_MODEL_RECURRENT, {NULL}, "batching padding "},
    [WRONG_ORDER] = {SA_MODEL_RECURRENT, {NULL}, "batching padding "},
    [SHARED_GRADIENT] = {SA_MODEL_RECURRENT, {NULL}, "padding-gradient "},
    [LOST_GRADIENT] = {SA_MODEL_RECURRENT, {NULL}, "batching "},
    [BLIND_KEYS] = {SA_MODEL_RECURRENT, {NULL}, "annotations "},
    [PEEPING_SCORE] = {SA_MODEL_RECURRENT, {"attention", "location"}, "annotations "},
    [PEEPING_FIRST_SCORE] = {SA_MODEL_RECURRENT, {"attention", "location"}, "annotations "},
    [SMUGGLED_PLACES] = {SA_MODEL_RECURRENT,
                         {"encoder", "none"},
                         "permutation encoder-permutation "},
    [FORESEEN_WORDS] = {SA_MODEL_RECURRENT, {NULL}, "causality writing "},
    [LATE_WORDS] = {SA_MODEL_TRANSFORMER, {NULL}, "writing "},
    [FORGOTTEN_WORD] = {SA_MODEL_TRANSFORMER, {NULL}, "writing "},
    [SEEN_FUTURE] = {SA_MODEL_TRANSFORMER, {NULL}, "causality writing "},
    [COUNTED_WORDS] = {SA_MODEL_TRANSFORMER,
                       {"positions", "none"},
                       "permutation encoder-permutation "},
    [NEIGHBORS] = {SA_MODEL_TRANSFORMER, {NULL}, "batching padding "},
    [LOST_POSITIONS] = {SA_MODEL_TRANSFORMER, {NULL}, "encoder-permutation shift "},
    [COUNTED_POSITIONS] = {SA_MODEL_TRANSFORMER, {"positions", "rope"}, "shift "},
    [LEAKED_GRADIENT] = {SA_MODEL_TRANSFORMER, {"window", "sliding"}, "reach "},
    [CUT_GRADIENT] = {SA_MODEL_TRANSFORMER, {"window", "sliding"}, "reach "},
};

START_TEST(planted_fault_is_noticed) {
    if (TEST_SANITIZED && _i == WRONG_ORDER) return; /* it reads beyond rows of weights */
    sa_settings settings = small_of(faults[_i].model);
    sa_error error;
    char noticed[256] = "", wanted[512];
    if (faults[_i].options[0])
        ck_assert(sa_settings_set(&settings, faults[_i].options[0], faults[_i].options[1], &error));
    planted = (enum fault)_i;
    const bool good = prove(&settings, &error);
    planted = NONE;
    for (int i = 0; i < checks; i++)
        if (!seen[i].ok) strcat(noticed, seen[i].name), strcat(noticed, " ");
    ck_assert_str_eq(noticed, faults[_i].noticed);
    ck_assert_int_eq(good, _i == NONE);
    if (good) return;
    ck_assert_int_eq(error.code, SA_CHECK);
    int first = 0;
    while (seen[first].ok) first++;
    const sa_proof_check *check = &seen[first];
    const char *limit = _i == BLIND_KEYS                                   ? "must be above 1e-14"
                        : _i == PEEPING_SCORE || _i == PEEPING_FIRST_SCORE ? "allowed 0"
                        : strcmp(check->name, "row-sums") == 0             ? "allowed 1e-12"
                                                                           : "allowed 1e-08";
    snprintf(wanted, sizeof wanted, "%s does not hold: ", check->name);
    if (first < PROOF_CHECKS) /* of sa_prove */
        snprintf(wanted, sizeof wanted, "%s does not hold: %.3g, %s: %s", check->name, check->worst,
                 limit, check->meaning);
    ck_assert_msg(strncmp(error.text, wanted, strlen(wanted)) == 0, "%s\n%s", error.text, wanted);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("faults", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, planted_fault_is_noticed, 0, FAULTS);
    return suite_run(suite);
}
