/* The proof that attention is attention: it holds for every model that options can build, and every
 * fault that is planted in the forward or backward pass is noticed by the right checks.
 *
 * The faults are planted by the linker (--wrap), around the functions of the numeric rooms, so that
 * no equation knows of them. */
#include "lab/lab.h"
#include "math/vec.h"
#include "model/voice.h"
#include "support/numbers.h"
#include "support/suite.h"
#include "support/variants.h"

#include <stdio.h>
#include <string.h>

enum { CHECKS = 8, K = 9 };

/* ---- Faults ---------------------------------------------------------------------------------- */

static enum fault {
    NONE,
    GROWING_WEIGHTS,
    NEGATIVE_WEIGHTS,
    SHARED_ANNOTATIONS,
    WRONG_ORDER,
    READ_PADDING,
    SHARED_GRADIENT,
    LOST_GRADIENT,
    BLIND_KEYS,
    PEEPING_SCORE,
    SMUGGLED_PLACES,
    FORESEEN_WORDS,
    LATE_WORDS,
    FAULTS
} planted;

/* The linker's names: real is the program's own function, wrap what is called instead. */
__typeof__(sa_softmax) __real_sa_softmax, __wrap_sa_softmax;
void __wrap_sa_softmax(sa_mat x) {
    __real_sa_softmax(x);
    for (int j = 0; planted == GROWING_WEIGHTS && j < x.cols; j++) x.x[j] *= 1 + 1e-9;
    if (planted == NEGATIVE_WEIGHTS && x.cols > 1) x.x[0] -= 1, x.x[1] += 1;
}

__typeof__(sa_batch_make) __real_sa_batch_make, __wrap_sa_batch_make;
sa_batch __wrap_sa_batch_make(sa_arena *arena, const sa_sentence *source, const sa_sentence *target,
                              int count) {
    sa_batch batch = __real_sa_batch_make(arena, source, target, count);
    if (planted == WRONG_ORDER) batch.source_of = batch.source.order;
    return batch;
}

__typeof__(sa_encoder_forward) __real_sa_encoder_forward, __wrap_sa_encoder_forward;
void __wrap_sa_encoder_forward(const sa_encoder *w, const sa_batch *batch, double dropout,
                               sa_rng *rng, sa_encoder_cache *cache) {
    __real_sa_encoder_forward(w, batch, dropout, rng, cache);
    const sa_mat h = cache->annotations;
    for (int i = 1; planted == SHARED_ANNOTATIONS && i < h.rows; i++)
        sa_axpy(1e-3, sa_row(h, i - 1), sa_row(h, i), h.cols);
    for (int b = 0; planted == SMUGGLED_PLACES && b < batch->source.sentences; b++)
        for (int i = cache->first[b]; i < cache->first[b + 1]; i++)
            *sa_row(h, i) += 1e-3 * (i - cache->first[b]);
}

__typeof__(sa_encoder_backward) __real_sa_encoder_backward, __wrap_sa_encoder_backward;
void __wrap_sa_encoder_backward(const sa_encoder *w, const sa_batch *batch, double dropout,
                                sa_encoder_cache *cache, sa_encoder *dw) {
    const sa_mat dh = cache->dannotations;
    for (int i = 1; planted == SHARED_GRADIENT && i < dh.rows; i++)
        sa_axpy(1e-12, sa_row(dh, i), sa_row(dh, i - 1), dh.cols);
    if (planted == LOST_GRADIENT && batch->source.sentences > 1) sa_zero(sa_rows(dh, 0, 1));
    __real_sa_encoder_backward(w, batch, dropout, cache, dw);
}

__typeof__(sa_memory_forward) __real_sa_memory_forward, __wrap_sa_memory_forward;
void __wrap_sa_memory_forward(const sa_attention *w, sa_memory *memory) {
    __real_sa_memory_forward(w, memory);
    if (planted == BLIND_KEYS) sa_zero(memory->keys);
}

__typeof__(sa_attention_step_forward) __real_sa_attention_step_forward,
    __wrap_sa_attention_step_forward;
void __wrap_sa_attention_step_forward(const sa_attention *w, const sa_memory *memory,
                                      const int *which, int i, sa_mat s,
                                      const sa_override *override, sa_attention_rows rows, sa_mat c,
                                      sa_attention_scratch scratch) {
    __real_sa_attention_step_forward(w, memory, which, i, s, override, rows, c, scratch);
    for (int l = 0; l < s.rows; l++) {
        const int S = memory->first[l + 1] - memory->first[l];
        sa_real *alpha = sa_row(rows.alpha, l);
        if (planted == READ_PADDING && S < rows.alpha.cols) *sa_row(c, l) += alpha[S];
        if (planted != PEEPING_SCORE || S < 2) continue;
        const double share = 1e-3 * alpha[0] * fabs(*sa_row(memory->annotations, memory->first[l]));
        alpha[0] -= share, alpha[1] += share;
    }
}

__typeof__(sa_decoder_layout) __real_sa_decoder_layout, __wrap_sa_decoder_layout;
void __wrap_sa_decoder_layout(sa_arena *arena, const sa_batch *batch, const sa_decoder *w,
                              const sa_encoder_cache *encoder, bool training,
                              sa_decoder_cache *cache) {
    __real_sa_decoder_layout(arena, batch, w, encoder, training, cache);
    if (planted == FORESEEN_WORDS) cache->inputs = batch->target.ids; /* y_i, not y_{i-1} */
}

__typeof__(sa_voice_step) __real_sa_voice_step, __wrap_sa_voice_step;
bool __wrap_sa_voice_step(sa_voice *voice, const sa_override *override, int i, int L,
                          const int *which, const int *from, const int32_t *ids, sa_error *error) {
    static const int32_t late[] = {SA_START}; /* not y_{i-1} */
    return __real_sa_voice_step(voice, override, i, L, which, from,
                                planted == LATE_WORDS ? late : ids, error);
}

/* ---- Proofs ---------------------------------------------------------------------------------- */

static sa_check seen[CHECKS];
static int checks;

static void keep(void *context, const sa_check *check) {
    ck_assert_ptr_eq(context, &checks);
    ck_assert_int_lt(checks, CHECKS);
    seen[checks++] = *check;
}

/* The proof of a model with random weights in +-bound. */
static bool prove_with(const sa_settings *settings, double bound, sa_lab_proof proof,
                       sa_error *error) {
    sa_params plan;
    proof.source_words = proof.source_words ? proof.source_words : K;
    proof.target_words = proof.target_words ? proof.target_words : K + 1;
    const sa_sizes sizes = sa_sizes_of(settings, proof.source_words, proof.target_words);
    sa_seq2seq_plan(&sizes, &plan);
    float *values = sa_arena_take(&numbers, plan.size, sizeof *values);
    for (size_t i = 0; i < plan.size; i++)
        values[i] = (float)(bound * (2 * sa_rng_uniform(&dice) - 1));
    proof.settings = settings, proof.values = values, proof.seed = 5;
    proof.each = keep, proof.context = &checks;
    checks = 0;
    *error = (sa_error){0};
    return sa_lab_prove(&proof, error);
}

static bool prove(const sa_settings *settings, sa_error *error) {
    return prove_with(settings, 1, (sa_lab_proof){0}, error);
}

static const sa_check *check_of(const char *name) {
    for (int i = 0; i < checks; i++)
        if (strcmp(seen[i].name, name) == 0) return &seen[i];
    ck_abort_msg("no check %s", name);
}

static void expect_excuse(const char *name, const char *part) {
    const sa_check *check = check_of(name);
    ck_assert(check->skipped && check->ok);
    ck_assert_msg(strstr(check->note, part), "%s: %s", name, check->note);
}

static void expect_measured(const char *name, double least, double most) {
    const sa_check *check = check_of(name);
    ck_assert_msg(!check->skipped && check->ok, "%s: %g", name, check->worst);
    ck_assert_msg(check->worst >= least && check->worst <= most, "%s: %g", name, check->worst);
}

static void expect_proven(const sa_settings *settings) {
    sa_error error;
    ck_assert_msg(prove(settings, &error), "%s", error.text);
    ck_assert_int_eq(checks, CHECKS);
    for (int i = 0; i < checks; i++) {
        const char *meaning;
        ck_assert_str_eq(seen[i].name, sa_lab_check_name((size_t)i, &meaning));
        ck_assert_str_eq(seen[i].meaning, meaning);
        ck_assert(seen[i].ok);
    }
    expect_measured("batching", 0, 1e-11);
    expect_measured("padding", 0, 1e-12);
    expect_measured("padding-gradient", 0, 0);
    expect_measured("causality", 0, 1e-12);
    expect_measured("writing", 0, 1e-12);
    if (!sa_lab_check_name(CHECKS - 1, NULL) || sa_lab_check_name(CHECKS, NULL)) ck_abort();
}

static void expect_attention(const sa_settings *settings) {
    if (!sa_settings_attends(settings)) {
        expect_excuse("row-sums", "no attention");
        expect_excuse("annotations", "no attention");
        ck_assert(isnan(check_of("row-sums")->worst) && isnan(check_of("annotations")->worst));
        return;
    }
    const bool blind = sa_compats[settings->attention].key == SA_KEY_NONE;
    expect_measured("row-sums", 0, 1e-14);
    expect_measured("annotations", blind ? 0 : 1e-4, blind ? 0 : 1);
    ck_assert_int_eq(blind, check_of("annotations")->note != NULL);
}

/* ---- Right models ---------------------------------------------------------------------------- */

/* Where nothing but the words is known of the source, their order must not matter. */
static void expect_permutation(const sa_settings *settings) {
    const bool transformer = settings->model == SA_MODEL_TRANSFORMER;
    const bool attends = sa_settings_attends(settings);
    if (!transformer && settings->encoder != SA_ENCODER_NONE)
        expect_excuse("permutation", "the encoder is recurrent");
    else if (settings->positions)
        expect_excuse("permutation", "positions");
    else if (attends && sa_compats[settings->attention].query == SA_QUERY_PLACES)
        expect_excuse("permutation", "the score is about places");
    else if (attends && settings->window)
        expect_excuse("permutation", "the window is about places");
    else
        expect_measured("permutation", 0, 1e-12);
}

START_TEST(holds_for_every_variant) {
    const sa_settings settings = variant_settings(_i);
    expect_proven(&settings);
    expect_attention(&settings);
    expect_permutation(&settings);
    if (check_of("permutation")->skipped)
        ck_assert_double_gt(check_of("permutation")->worst, 1e-4); /* shown all the same */
}
END_TEST

START_TEST(holds_without_recurrence) {
    sa_settings settings = variant_settings(_i);
    settings.encoder = SA_ENCODER_NONE;
    settings.embed = settings.hidden; /* for the score without maps */
    fit_together(&settings);
    settings.encoder = SA_ENCODER_NONE;
    expect_proven(&settings);
    expect_attention(&settings);
    expect_permutation(&settings);
}
END_TEST

START_TEST(predictive_window_takes_a_share) {
    sa_settings settings = variant_settings(0);
    settings.window = SA_WINDOW_PREDICTIVE;
    expect_proven(&settings);
    ck_assert_ptr_nonnull(strstr(check_of("row-sums")->note, "at most 1"));
}
END_TEST

/* The pairs given are those that are tried: here none can show what the order of words does. */
START_TEST(pairs_may_be_too_short_to_show_anything) {
    static const int32_t ids[] = {4, SA_END};
    const sa_sentence both[] = {{ids + 1, 1}, {ids, 2}};
    sa_settings settings = variant_settings(0);
    settings.encoder = SA_ENCODER_NONE;
    sa_error error;
    sa_lab_proof proof = {.source = both, .target = both, .count = 2};
    ck_assert_msg(prove_with(&settings, 1, proof, &error), "%s", error.text);
    expect_excuse("permutation", "long enough");
    expect_measured("annotations", 1e-4, 1);
    proof.count = 1;
    ck_assert_msg(prove_with(&settings, 1, proof, &error), "%s", error.text);
    expect_excuse("annotations", "long enough");
    ck_assert(isnan(check_of("annotations")->worst));
}
END_TEST

/* No word, one word. */
START_TEST(vocabularies_may_be_small) {
    const sa_settings settings = variant_settings(0);
    sa_error error;
    const sa_lab_proof proof = {.source_words = 3 + _i % 2, .target_words = 3 + _i / 2};
    ck_assert_msg(prove_with(&settings, 1, proof, &error), "%s", error.text);
}
END_TEST

START_TEST(the_same_seed_gives_the_same_figures) {
    const sa_settings settings = variant_settings(0);
    sa_check first[CHECKS];
    sa_error error;
    ck_assert(prove(&settings, &error));
    memcpy(first, seen, sizeof first);
    numbers_close(), numbers_open();
    ck_assert(prove(&settings, &error));
    for (int i = 0; i < CHECKS; i++) ck_assert_double_eq(first[i].worst, seen[i].worst);
}
END_TEST

/* ---- Wrong models ---------------------------------------------------------------------------- */

/* Zeros score all words alike: such a model looks nowhere. */
START_TEST(zeros_do_not_attend) {
    const sa_settings settings = variant_settings(0);
    sa_error error;
    ck_assert(!prove_with(&settings, 0, (sa_lab_proof){0}, &error));
    ck_assert_int_eq(error.code, SA_CHECK);
    ck_assert_int_eq(checks, CHECKS);
    ck_assert(!check_of("annotations")->ok);
    ck_assert_msg(strstr(error.text, "annotations does not hold: 0, must be above 1e-14"), "%s",
                  error.text);
}
END_TEST

/* Whatever numbers a file may hold: a verdict, not a crash. */
START_TEST(weights_beyond_all_measure) {
    const sa_settings settings = variant_settings(_i);
    sa_error error;
    if (!prove_with(&settings, 3e38, (sa_lab_proof){0}, &error))
        ck_assert_int_eq(error.code, SA_CHECK);
    ck_assert_int_eq(checks, CHECKS);
}
END_TEST

static const struct {
    const char *options[2], *noticed; /* by which checks, in their order */
} faults[FAULTS] = {
    [NONE] = {{NULL}, ""},
    [GROWING_WEIGHTS] = {{NULL}, "row-sums "},
    [NEGATIVE_WEIGHTS] = {{NULL}, "row-sums "},
    [SHARED_ANNOTATIONS] = {{NULL}, "batching padding causality "},
    [WRONG_ORDER] = {{NULL}, "batching padding "},
    [READ_PADDING] = {{NULL}, "row-sums batching padding padding-gradient "},
    [SHARED_GRADIENT] = {{NULL}, "padding-gradient "},
    [LOST_GRADIENT] = {{NULL}, "batching "},
    [BLIND_KEYS] = {{NULL}, "annotations "},
    [PEEPING_SCORE] = {{"attention", "location"}, "annotations "},
    [SMUGGLED_PLACES] = {{"encoder", "none"}, "permutation "},
    [FORESEEN_WORDS] = {{NULL}, "causality writing "},
    [LATE_WORDS] = {{"model", "transformer"}, "writing "},
};

START_TEST(planted_fault_is_noticed) {
    sa_settings settings = variant_settings(0);
    sa_error error;
    char noticed[256] = "", first[64];
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
    snprintf(first, sizeof first, "%.*s does not hold: ", (int)strcspn(noticed, " "), noticed);
    ck_assert_msg(strstr(error.text, first) == error.text, "%s", error.text);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("prove", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, holds_for_every_variant, 0, count_models());
    tcase_add_loop_test(tests, holds_without_recurrence, 0, count_variants() + 1);
    tcase_add_test(tests, predictive_window_takes_a_share);
    tcase_add_test(tests, pairs_may_be_too_short_to_show_anything);
    tcase_add_loop_test(tests, vocabularies_may_be_small, 0, 4);
    tcase_add_test(tests, the_same_seed_gives_the_same_figures);
    tcase_add_test(tests, zeros_do_not_attend);
    tcase_add_loop_test(tests, weights_beyond_all_measure, 0, count_models());
    tcase_add_loop_test(tests, planted_fault_is_noticed, 0, FAULTS);
    return suite_run(suite);
}
