/* function_calls: one call of every public function, for check_arguments. */
#ifndef TEST_API_FUNCTION_CALLS_H
#define TEST_API_FUNCTION_CALLS_H

#include "support/arguments.h"

/* Calls the function; a[i] is argument i, or NULL. Returns what it returns, true if it cannot fail;
 * releases what it made. */
typedef bool call(void *const *a, sa_error *why);

#define CALL(name) static bool name(void *const *a, sa_error *why)
#define VOID_CALL(name, ...)                                                                       \
    CALL(name) {                                                                                   \
        (void)a, (void)why;                                                                        \
        __VA_ARGS__;                                                                               \
        return true;                                                                               \
    }

CALL(settings_set) {
    return sa_settings_set(a[0], a[1], a[2], why);
}
CALL(search_set) {
    return sa_search_set(a[0], a[1], a[2], why);
}
CALL(metrics_set) {
    return sa_metrics_set(a[0], a[1], a[2], why);
}
CALL(link_options_set) {
    return sa_link_options_set(a[0], a[1], a[2], why);
}
CALL(settings_preset) {
    return sa_settings_preset(a[0], a[1], why);
}
CALL(corpus_open) {
    const bool good = sa_corpus_open(a[0], a[1], why);
    if (good) sa_corpus_close(a[0]);
    return good;
}
CALL(corpus_open_columns) {
    const bool good = sa_corpus_open_columns(a[0], a[1], "1,2", why);
    if (good) sa_corpus_close(a[0]);
    return good;
}
CALL(corpus_generate) {
    return sa_corpus_generate("mono", NULL, 5, 1, 0, a[0], why);
}

CALL(corpus_read_alignments) {
    return sa_corpus_read_alignments(a[0], a[1], why);
}
CALL(train_model) {
    return sa_train(a[0], a[1], why);
}
CALL(model_open) {
    sa_model *one = sa_model_open(a[0], 1, why);
    sa_model_close(one);
    return one;
}
CALL(average_models) {
    return sa_average_models(a[0], 1, a[1], why);
}
CALL(override_parse) {
    return sa_attention_override_parse(a[0], a[1], why);
}
CALL(translate) {
    const bool good = sa_translate(a[0], a[1], 1, a[2], a[3], why);
    if (good) sa_translations_release(a[3], 1);
    return good;
}
CALL(translate_ensemble) {
    const bool good = sa_translate_ensemble(a[0], 1, a[1], 1, a[2], a[3], why);
    if (good) sa_translations_release(a[3], 1);
    return good;
}
CALL(align) {
    return sa_align(a[0], a[1], a[2], 1, a[3] ? each : NULL, NULL, why);
}
/* One iteration on a corpus; NULL: without. */
static sa_aligner *learned_from(const sa_corpus *from) {
    return from ? sa_aligner_train(from, NULL, &(sa_aligner_options){.iterations = 1}, NULL, NULL,
                                   NULL)
                : NULL;
}
CALL(aligner_train) {
    sa_aligner *const learned = sa_aligner_train(a[0], a[1], a[2], NULL, NULL, why);
    sa_aligner_free(learned);
    return learned;
}
static bool each_translation(void *context, const char *source, const char *target,
                             double probability, sa_error *why) {
    (void)context, (void)source, (void)target, (void)probability, (void)why;
    return true;
}
CALL(aligner_align) {
    sa_aligner *const learned = learned_from(a[0] ? &corpus : NULL);
    const bool good = sa_aligner_align(learned, a[1], 1, a[2] ? each : NULL, NULL, why);
    sa_aligner_free(learned);
    return good;
}
CALL(aligner_lexicon) {
    sa_aligner *const learned = learned_from(a[0] ? &corpus : NULL);
    const bool good =
        sa_aligner_lexicon_each(learned, 0, a[1] ? each_translation : NULL, NULL, why);
    sa_aligner_free(learned);
    return good;
}
CALL(aligner_options_set) {
    return sa_aligner_options_set(a[0], a[1], a[2], why);
}
VOID_CALL(aligner_options_init, sa_aligner_options_init(a[0]))
VOID_CALL(aligner_free, sa_aligner_free(learned_from(a[0] ? &corpus : NULL)))
CALL(alignment_merge) {
    const bool good = sa_alignment_merge(a[0], a[1], why);
    if (good) sa_alignment_release(a[1]);
    return good;
}
CALL(alignment_copy) {
    const bool good = sa_alignment_copy(a[0], a[1], why);
    if (good) sa_alignment_release(a[1]);
    return good;
}
CALL(compare_models) {
    const bool good = sa_compare(a[0], a[1], why);
    if (good) sa_compare_result_release(a[1]);
    return good;
}
CALL(page_open) {
    sa_page *one = sa_page_open(a[0], a[1], a[2], why);
    sa_page_close(one);
    return one;
}
CALL(page_add_alignment) {
    return sa_page_add_alignment(a[0], a[1], SA_SITE_CROSS, a[2], why);
}
CALL(alignment_save) {
    char path[200];
    return sa_alignment_save(a[0], SA_SITE_CROSS, a[1] ? strcat(strcpy(path, a[1]), ".csv") : NULL,
                             why);
}
CALL(page_add_training) {
    return sa_page_add_training(a[0], a[1], why);
}
CALL(page_html) {
    return sa_page_html(a[0], why);
}
VOID_CALL(page_close, sa_page_close(a[0] ? sa_page_open("title", "model", NULL, NULL) : NULL))
VOID_CALL(compare_release, sa_compare_result_release(a[0]))
VOID_CALL(settings_size, sa_settings_size())
VOID_CALL(settings_new, sa_settings_free(sa_settings_new(why)), sa_settings_free(NULL))
CALL(compute_metrics) {
    return sa_compute_metrics(a[0], a[1], a[2], 1, 1, a[3], why);
}
CALL(evaluate) {
    sa_sentence_result *again = a[4] ? calloc(corpus.count, sizeof *again) : NULL;
    const bool good = sa_evaluate(a[0], a[1], a[2], a[3], again, why);
    if (good) sa_sentence_results_release(again, corpus.count);
    free(again);
    return good;
}
CALL(eval_summarize) {
    return sa_eval_summarize(a[0], a[1], a[2], a[3], 1, a[4], why);
}
CALL(diagnose) {
    const bool good = sa_diagnose(a[0], a[1], a[2], a[3], a[4], why);
    if (good) sa_diagnosis_release(a[4]);
    return good;
}
CALL(score_heads) {
    const bool good = sa_score_heads(a[0], a[1], a[2], why);
    if (good) sa_head_scores_release(a[2]);
    return good;
}
CALL(explain) {
    return sa_explain(a[0], a[1], why);
}
CALL(attend) {
    const bool good = sa_attend(a[0], a[1], why);
    if (good) sa_attend_result_release(a[1]);
    return good;
}
CALL(check_gradients) {
    return sa_check_gradients(a[0], why);
}
CALL(prove) {
    return sa_prove(a[0], a[1], why);
}
VOID_CALL(versions, sa_version(), sa_version_number(), sa_blas_version(), sa_blas_library(),
          sa_blas_one_thread(), sa_bf16_emulated())
VOID_CALL(settings_init, sa_settings_init(a[0]))
VOID_CALL(take_shape, sa_settings_take_shape(a[0], a[1]))
VOID_CALL(has, sa_settings_has_attention(a[0]), sa_settings_has_null_key(a[0]),
          sa_settings_cache_size(a[0]))
VOID_CALL(preset_text, sa_preset_name(SIZE_MAX), sa_preset_text(a[0]))
VOID_CALL(rows, sa_settings_option(SIZE_MAX), sa_search_option(SIZE_MAX),
          sa_metrics_option(SIZE_MAX), sa_link_option(SIZE_MAX), sa_aligner_option(SIZE_MAX),
          sa_attention_override_name(SIZE_MAX), sa_attribution_name(SIZE_MAX),
          sa_option_choice(a[0], 0))
VOID_CALL(infos, sa_attention_info(0, a[0], a[1]), sa_decoder_info(0, a[0], a[1]),
          sa_cell_info(0, a[0], a[1]), sa_attention_info(SIZE_MAX, a[0], a[1]),
          sa_normalizer_info(0, a[0], a[1]), sa_normalizer_info(SIZE_MAX, a[0], a[1]),
          sa_coverage_info(0, a[0], a[1]), sa_coverage_info(SIZE_MAX, a[0], a[1]),
          sa_position_info(0, a[0], a[1]), sa_position_info(SIZE_MAX, a[0], a[1]),
          sa_decoder_info(SIZE_MAX, a[0], a[1]), sa_cell_info(SIZE_MAX, a[0], a[1]))
VOID_CALL(names, sa_gradient_fault_name(0, a[0], a[1]), sa_proof_check_name(0, a[0]),
          sa_gradient_fault_name(SIZE_MAX, a[0], a[1]), sa_proof_check_name(SIZE_MAX, a[0]))
VOID_CALL(diagnostic_name, sa_diagnostic_name(0, a[0], a[1]),
          sa_diagnostic_name(SIZE_MAX, a[0], a[1]))
VOID_CALL(corpus_close, sa_corpus_close(a[0]))
CALL(model_set_max_len) {
    return sa_model_set_max_len(a[0], SA_MAX_LEN, why);
}
CALL(model_set_precision) {
    return sa_model_set_precision(a[0], SA_PRECISION_BF16, why);
}
VOID_CALL(model_close, sa_model_close(a[0] ? sa_model_open(model_path, 1, NULL) : NULL))
VOID_CALL(model_facts, sa_model_settings(a[0]), sa_model_parameters(a[0]), sa_model_denormals(a[0]),
          sa_model_is_early(a[0]),
          sa_model_tensor(a[0], 0, &(const char *){0}, &(int){0}, &(int){0}))
VOID_CALL(search_init, sa_search_init(a[0]))
VOID_CALL(metrics_init, sa_metrics_init(a[0]))
VOID_CALL(link_options_init, sa_link_options_init(a[0]))
VOID_CALL(translations_release, sa_translations_release(a[0], 1))
VOID_CALL(alignment_weights, sa_alignment_weights(a[0], 1, 1))
VOID_CALL(alignment_release, sa_alignment_release(a[0]))
VOID_CALL(results_release, sa_sentence_results_release(a[0], 0))
VOID_CALL(diagnosis_release, sa_diagnosis_release(a[0]))
VOID_CALL(head_scores_release, sa_head_scores_release(a[0]))
VOID_CALL(attend_release, sa_attend_result_release(a[0]))

#endif
