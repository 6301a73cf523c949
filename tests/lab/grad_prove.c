/* The invariants hold for every model that options can build, or are skipped with a reason.
 * (grad_prove_faults.c plants faults for them to find.) */
#include "support/proof.h"
#include "support/suite.h"

/* ---- What is expected ------------------------------------------------------------------------ */

static void expect_excuse(const char *name, const char *part) {
    const sa_proof_check *check = check_of(name);
    ck_assert(check->skipped && check->ok);
    ck_assert_msg(strstr(check->note, part), "%s: %s", name, check->note);
}

static void expect_measured(const char *name, double least, double most) {
    const sa_proof_check *check = check_of(name);
    ck_assert_msg(!check->skipped && check->ok, "%s: %g", name, check->worst);
    ck_assert_msg(check->worst >= least && check->worst <= most, "%s: %g", name, check->worst);
}

static bool reads_in_order(const sa_settings *settings) {
    return settings->model == SA_MODEL_DECODER_ONLY && settings->prefix == SA_PREFIX_CAUSAL;
}

/* Why the part of a score reads words in their order, or NULL. */
static const char *ordered_by_score(const sa_settings *settings) {
    const sa_part *part = sa_scores[settings->attention].part;
    return sa_rare_of(part)->ordered;
}

/* Positions break the invariants of an encoder without recurrence. */
static void expect_encoder(const sa_settings *settings) {
    const bool transformer = settings->model != SA_MODEL_RECURRENT;
    const char *name = "encoder-permutation";
    if (!transformer && settings->encoder != SA_ENCODER_NONE)
        expect_excuse(name, "the encoder is recurrent");
    else if (reads_in_order(settings))
        expect_excuse(name, "only those before it");
    else if (settings->positions)
        expect_measured(name, 1e-4, 1e3);
    else if (transformer && ordered_by_score(settings))
        expect_excuse(name, ordered_by_score(settings));
    else if (transformer && settings->window)
        expect_excuse(name, "the window depends on positions");
    else if (transformer && settings->smeared_keys)
        expect_excuse(name, "mixed with that of the word before");
    else
        expect_measured(name, 0, 1e-12);
    if (check_of(name)->skipped) ck_assert_double_gt(check_of(name)->worst, 1e-4);
}

/* Positions in the embeddings are places, the others distances. */
static void expect_shift(const sa_settings *settings) {
    const sa_position_kind *kind = &sa_position_kinds[settings->positions];
    if (settings->model == SA_MODEL_RECURRENT)
        expect_excuse("shift", "no self-attention");
    else if (!settings->positions)
        expect_excuse("shift", "no positions");
    else if (kind->encoding)
        expect_measured("shift", 1e-4, 1e3);
    else
        expect_measured("shift", 0, 1e-12);
}

/* Only windows in all layers have a reach. */
static void expect_reach(const sa_settings *settings) {
    const bool around_words =
        settings->window == SA_WINDOW_LOCAL_M || settings->window == SA_WINDOW_SLIDING;
    if (settings->model != SA_MODEL_TRANSFORMER || !around_words || settings->hybrid ||
        sa_scores[settings->attention].query == SA_QUERY_POSITIONS)
        expect_excuse("reach", "no windows");
    else
        expect_measured("reach", 0, 0);
}

static void expect_proven(const sa_settings *settings) {
    sa_error error;
    ck_assert_msg(prove(settings, &error), "%s", error.text);
    ck_assert_int_eq(checks, CHECKS);
    for (int i = 0; i < PROOF_CHECKS; i++) {
        const char *meaning;
        ck_assert_str_eq(seen[i].name, sa_proof_check_name((size_t)i, &meaning));
        ck_assert_str_eq(seen[i].meaning, meaning);
    }
    for (int i = 0; i < checks; i++) ck_assert(seen[i].ok);
    expect_measured("batching", 0, 1e-11);
    expect_measured("padding", 0, 1e-12);
    expect_measured("padding-gradient", 0, 0);
    expect_measured("causality", 0, 1e-12);
    expect_shift(settings);
    expect_reach(settings);
    expect_measured("writing", 0, 1e-12);
    expect_encoder(settings);
    if (!sa_proof_check_name(PROOF_CHECKS - 1, NULL) || sa_proof_check_name(PROOF_CHECKS, NULL))
        ck_abort();
}

static void expect_attention(const sa_settings *settings) {
    if (!sa_settings_has_attention(settings)) {
        expect_excuse("row-sums", "no attention");
        expect_excuse("annotations", "no attention");
        ck_assert(isnan(check_of("row-sums")->worst) && isnan(check_of("annotations")->worst));
        return;
    }
    const bool blind = sa_scores[settings->attention].key == SA_KEY_NONE;
    const sa_part *part = sa_scores[settings->attention].part;
    const char *any_sum = sa_normalizers[settings->normalizer].any_sum;
    if (!any_sum) any_sum = sa_rare_of(part)->any_sum;
    if (!any_sum && settings->exclusive) any_sum = sa_exclusive_part.rare->any_sum;
    if (any_sum)
        expect_excuse("row-sums", any_sum);
    else
        expect_measured("row-sums", 0, 1e-14);
    expect_measured("annotations", blind ? 0 : 1e-4, blind ? 0 : 2);
    ck_assert_int_eq(blind, check_of("annotations")->note != NULL);
}

/* Under the sanitizers models of every kind are proved once, and of further ones a part. */
enum { FURTHER = TEST_SANITIZED ? 5 : 1 };

/* ---- Right models ---------------------------------------------------------------------------- */

/* Without positions the order of the source words must not matter. */
static void expect_permutation(const sa_settings *settings) {
    const bool transformer = settings->model != SA_MODEL_RECURRENT;
    const bool attends = sa_settings_has_attention(settings);
    if (!transformer && settings->encoder != SA_ENCODER_NONE)
        expect_excuse("permutation", "the encoder is recurrent");
    else if (reads_in_order(settings))
        expect_excuse("permutation", "only those before it");
    else if (settings->positions)
        expect_excuse("permutation", "positions");
    else if (attends && ordered_by_score(settings))
        expect_excuse("permutation", ordered_by_score(settings));
    else if (attends && settings->window)
        expect_excuse("permutation", "the window depends on positions");
    else if (attends && settings->smeared_keys)
        expect_excuse("permutation", "mixed with that of the word before");
    else
        expect_measured("permutation", 0, 1e-12);
}

START_TEST(holds_for_every_variant) {
    const sa_settings settings = variant_settings(_i);
    expect_proven(&settings);
    expect_attention(&settings);
    expect_permutation(&settings);
    if (check_of("permutation")->skipped)
        ck_assert_double_gt(check_of("permutation")->worst, 1e-4); /* measured nevertheless */
}
END_TEST

START_TEST(holds_without_recurrence) {
    sa_settings settings = variant_settings(_i * FURTHER);
    settings.encoder = SA_ENCODER_NONE;
    settings.embed = settings.hidden; /* for the score without projections */
    fit_together(&settings);
    settings.encoder = SA_ENCODER_NONE;
    expect_proven(&settings);
    expect_attention(&settings);
    expect_permutation(&settings);
}
END_TEST

/* The windows and scores of a transformer without positions. */
START_TEST(holds_without_positions) {
    sa_settings settings = variant_settings(count_variants() + 1 + _i * FURTHER);
    settings.positions = SA_POSITIONS_NONE;
    expect_proven(&settings);
    expect_attention(&settings);
    expect_permutation(&settings);
}
END_TEST

START_TEST(local_p_window_reduces_row_sums) {
    sa_settings settings = variant_settings(0);
    settings.window = SA_WINDOW_LOCAL_P;
    expect_proven(&settings);
    ck_assert_ptr_nonnull(strstr(check_of("row-sums")->note, "at most 1"));
}
END_TEST

/* The backward pass needs other weights than those that exclusive attention shows, which come back,
 * also where it reads the weights of one of two maps or those before a Gaussian. */
START_TEST(exclusive_weights_outlast_the_backward_pass) {
    sa_settings settings = small_of(SA_MODEL_TRANSFORMER);
    settings.exclusive = true;
    if (_i == 1) settings.window = SA_WINDOW_LOCAL_P;
    if (_i == 2) settings.attention = SA_ATTENTION_DIFFERENTIAL;
    expect_proven(&settings);
}
END_TEST

/* Each of the words before takes a share of what is left. */
START_TEST(sticks_are_broken_backwards) {
    sa_settings settings = small_of(SA_MODEL_DECODER_ONLY);
    settings.prefix = SA_PREFIX_CAUSAL, settings.normalizer = SA_NORMALIZER_STICK_BREAKING;
    settings.positions = _i ? SA_POSITIONS_FORGETTING : SA_POSITIONS_NONE;
    expect_proven(&settings);
    expect_attention(&settings);
    ck_assert_ptr_nonnull(strstr(check_of("row-sums")->note, "at most 1"));
}
END_TEST

/* Only the given pairs are used: those before that of two words are too short for permutations. */
START_TEST(pairs_may_be_too_short_to_show_anything) {
    static const int32_t ids[] = {3, 4, SA_EOS};
    const sa_sentence both[] = {{ids + 2, 1}, {ids + 1, 2}}, longer = {ids, 3};
    sa_settings settings = variant_settings(0);
    settings.encoder = SA_ENCODER_NONE;
    sa_error error;
    sa_lab_prove_job proof = {.pairs = {both, both, 2}};
    ck_assert_msg(prove_with(&settings, 1, proof, &error), "%s", error.text);
    expect_excuse("permutation", "long enough");
    expect_measured("annotations", 1e-4, 1);
    proof.pairs.count = 1;
    ck_assert_msg(prove_with(&settings, 1, proof, &error), "%s", error.text);
    expect_excuse("annotations", "long enough");
    ck_assert(isnan(check_of("annotations")->worst));
    proof.pairs = (sa_lab_pairs){&longer, &longer, 1};
    ck_assert_msg(prove_with(&settings, 1, proof, &error), "%s", error.text);
    expect_measured("permutation", 0, 1e-12);
}
END_TEST

/* Vocabularies without words, and with one. */
START_TEST(vocabularies_may_be_small) {
    const sa_settings settings = variant_settings(0);
    sa_error error;
    const sa_lab_prove_job proof = {
        .pairs = {.source_words = 3 + _i % 2, .target_words = 3 + _i / 2}};
    ck_assert_msg(prove_with(&settings, 1, proof, &error), "%s", error.text);
}
END_TEST

START_TEST(the_same_seed_gives_the_same_results) {
    const sa_settings settings = variant_settings(0);
    sa_proof_check first[CHECKS];
    sa_error error;
    ck_assert(prove(&settings, &error));
    memcpy(first, seen, sizeof first);
    numbers_close(), numbers_open();
    ck_assert(prove(&settings, &error));
    for (int i = 0; i < CHECKS; i++)
        ck_assert(first[i].worst == seen[i].worst ||
                  (isnan(first[i].worst) && isnan(seen[i].worst)));
}
END_TEST

/* ---- Extreme weights ------------------------------------------------------------------------- */

/* With weights of zero all scores are equal, whatever is attended to: other weights show it. */
START_TEST(zero_weights_hide_nothing) {
    const sa_settings settings = variant_settings(0);
    sa_error error;
    ck_assert_msg(prove_with(&settings, 0, (sa_lab_prove_job){0}, &error), "%s", error.text);
    expect_measured("annotations", 1e-4, 1);
}
END_TEST

/* Any weights give a result, not a crash. */
START_TEST(huge_weights) {
    const sa_settings settings = variant_settings(_i * FURTHER);
    sa_error error;
    if (!prove_with(&settings, 3e38, (sa_lab_prove_job){0}, &error))
        ck_assert_int_eq(error.code, SA_CHECK);
    ck_assert_int_eq(checks, CHECKS);
}
END_TEST

static int further(int count) {
    return (count + FURTHER - 1) / FURTHER;
}

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("prove", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    const int models = count_models(), recurrent = count_variants() + 1;
    tcase_add_loop_test(tests, holds_for_every_variant, 0, models);
    tcase_add_loop_test(tests, holds_without_recurrence, 0, further(recurrent));
    tcase_add_loop_test(tests, holds_without_positions, 0, further(models - recurrent));
    tcase_add_test(tests, local_p_window_reduces_row_sums);
    tcase_add_loop_test(tests, exclusive_weights_outlast_the_backward_pass, 0, 3);
    tcase_add_loop_test(tests, sticks_are_broken_backwards, 0, 2);
    tcase_add_test(tests, pairs_may_be_too_short_to_show_anything);
    tcase_add_loop_test(tests, vocabularies_may_be_small, 0, 4);
    tcase_add_test(tests, the_same_seed_gives_the_same_results);
    tcase_add_test(tests, zero_weights_hide_nothing);
    tcase_add_loop_test(tests, huge_weights, 0, further(models));
    return suite_run(suite);
}
