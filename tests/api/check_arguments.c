/* Every public function with every pointer NULL in turn: where NULL is not allowed, a function that
 * can fail answers SA_USAGE and names the argument, any other returns. A row for each function; one
 * that is missing is noticed. */
#include "api/function_calls.h"
#include "base/file.h"

/* ---- The functions --------------------------------------------------------------------------- */

static sa_corpus read_corpus;
static sa_alignment merged;
static sa_compare_result no_comparison;
static char fact[] = "fact", gold[] = "0-0";
static sa_attention_override override;
static sa_settings set;
static sa_search set_search;
static sa_metrics set_metrics;
static sa_link_options set_linking;
static sa_aligner_options set_aligning;
static const char *formula, *citation;
static double threshold;
static sa_translation no_translation;
static sa_corpus no_corpus;
static sa_alignment no_alignment;
static sa_diagnosis no_diagnosis;
static sa_head_scores heads;
static sa_attend_result no_result;
static char choice_name[] = "hidden", choice_value[] = "8", preset[] = "bahdanau2015";
static char search_name[] = "beam", search_value[] = "5";
static char metrics_name[] = "smooth", metrics_value[] = "floor";
static char aligner_name[] = "model", aligner_value[] = "hmm";
static char link_name[] = "threshold", link_value[] = "0.5";

enum { ARGUMENTS = 6 };

static const struct row {
    const char *functions; /* that the row calls */
    call *call;
    void *given[ARGUMENTS];
    const char *names[ARGUMENTS]; /* in the message; NULL: the argument may be NULL, or the function
                                     cannot fail */
    bool fails;                   /* with these arguments as they are, for another reason */
} rows_of_functions[] = {
    {"sa_version sa_version_number sa_blas_version sa_blas_library sa_blas_one_thread "
     "sa_bf16_emulated",
     versions},
    {"sa_settings_init", settings_init, {&set}},
    {"sa_settings_new sa_settings_free", settings_new},
    {"sa_settings_take_shape", take_shape, {&set, &settings}},
    {"sa_settings_size", settings_size},
    {"sa_settings_set",
     settings_set,
     {&set, choice_name, choice_value},
     {"settings", "name", "value"}},
    {"sa_search_set",
     search_set,
     {&set_search, search_name, search_value},
     {"search", "name", "value"}},
    {"sa_metrics_set",
     metrics_set,
     {&set_metrics, metrics_name, metrics_value},
     {"metrics", "name", "value"}},
    {"sa_link_options_set",
     link_options_set,
     {&set_linking, link_name, link_value},
     {"options", "name", "value"}},
    {"sa_settings_has_attention sa_settings_has_null_key sa_settings_cache_size", has, {&settings}},
    {"sa_settings_preset", settings_preset, {&set, preset}, {"settings", "name"}},
    {"sa_preset_name sa_preset_text", preset_text, {preset}},
    {"sa_settings_option sa_search_option sa_metrics_option sa_link_option sa_aligner_option "
     "sa_option_choice sa_attention_override_name sa_attribution_name",
     rows},
    {"sa_attention_info sa_normalizer_info sa_coverage_info sa_position_info sa_decoder_info "
     "sa_cell_info",
     infos,
     {&formula, &citation}},
    {"sa_gradient_fault_name sa_proof_check_name", names, {&formula, &citation}},
    {"sa_diagnostic_name", diagnostic_name, {&formula, &threshold}},
    {"sa_corpus_open", corpus_open, {&read_corpus, train_path}, {"corpus", "path"}},
    {"sa_corpus_open_columns", corpus_open_columns, {&read_corpus, train_path}, {"corpus", "path"}},
    {"sa_corpus_close", corpus_close, {&no_corpus}},
    {"sa_corpus_read_alignments",
     corpus_read_alignments,
     {&corpus, train_path},
     {"corpus", "path"},
     true},
    {"sa_corpus_generate", corpus_generate, {new_path}, {"path"}},
    {"sa_train", train_model, {&training, &trained}, {"options", "result"}},
    {"sa_model_open", model_open, {model_path}, {"path"}},
    {"sa_model_close", model_close, {model_path}},
    {"sa_model_settings sa_model_parameters sa_model_denormals sa_model_is_early sa_model_tensor",
     model_facts,
     {&model}},
    {"sa_model_set_max_len", model_set_max_len, {&model}, {"model"}},
    {"sa_model_set_precision", model_set_precision, {&model}, {"model"}},
    {"sa_average_models", average_models, {paths, new_path}, {"models", "path"}},
    {"sa_attention_override_parse",
     override_parse,
     {&override, (void *)(uintptr_t) "gold"},
     {"override", "text"}},
    {"sa_search_init", search_init, {&search}},
    {"sa_translate",
     translate,
     {&model, texts, &search, &translation},
     {"model", "sources", "search", "translations"}},
    {"sa_translate_ensemble",
     translate_ensemble,
     {models, texts, &search, &translation},
     {"models", "sources", "search", "translations"}},
    {"sa_translations_release", translations_release, {&no_translation}},
    {"sa_alignment_weights", alignment_weights, {&alignment}},
    {"sa_align", align, {&model, &aligning, &corpus, &each}, {"model", NULL, "pairs", "each"}},
    {"sa_aligner_train", aligner_train, {&corpus, &settings, &set_aligning}, {"corpus"}},
    {"sa_aligner_align", aligner_align, {&each, &corpus, &each}, {"aligner", "pairs", "each"}},
    {"sa_aligner_lexicon_each", aligner_lexicon, {&each, &each}, {"aligner", "each"}},
    {"sa_aligner_options_init", aligner_options_init, {&set_aligning}},
    {"sa_aligner_options_set",
     aligner_options_set,
     {&set_aligning, aligner_name, aligner_value},
     {"options", "name", "value"}},
    {"sa_aligner_free", aligner_free, {&each}},
    {"sa_alignment_merge", alignment_merge, {&alignment, &merged}, {"subwords", "words"}},
    {"sa_alignment_copy", alignment_copy, {&alignment, &merged}, {"alignment", "copy"}},
    {"sa_alignment_save", alignment_save, {&alignment, new_path}, {"alignment", "path"}},
    {"sa_alignment_release", alignment_release, {&no_alignment}},
    {"sa_metrics_init", metrics_init, {&metrics}},
    {"sa_compute_metrics",
     compute_metrics,
     {&metrics, texts, references, &values},
     {"metrics", "hypotheses", "references", "values"}},
    {"sa_link_options_init", link_options_init, {&linking}},
    {"sa_evaluate",
     evaluate,
     {&model, &corpus, &search, &linking, &results},
     {"model", "corpus", "search", NULL, "results"}},
    {"sa_sentence_results_release", results_release, {&summary}},
    {"sa_eval_summarize",
     eval_summarize,
     {&metrics, &corpus, &results, chosen, &summary},
     {NULL, "corpus", "results", NULL, "summary"}},
    {"sa_diagnose",
     diagnose,
     {&model, &corpus, &results, &corpus, &diagnosis},
     {"model", "corpus", "results", NULL, "diagnosis"}},
    {"sa_diagnosis_release", diagnosis_release, {&no_diagnosis}},
    {"sa_score_heads", /* the model is recurrent: only what is missing is refused before */
     score_heads,
     {&model, &corpus, &heads},
     {"model", "corpus", "scores"},
     .fails = true},
    {"sa_head_scores_release", head_scores_release, {&heads}},
    {"sa_compare", compare_models, {&comparing, &compared}, {"options", "result"}},
    {"sa_compare_result_release", compare_release, {&no_comparison}},
    {"sa_page_open", page_open, {fact, fact, &settings}, {"title", "model", NULL}},
    {"sa_page_close", page_close, {fact}},
    {"sa_page_add_alignment",
     page_add_alignment,
     {&page, &alignment, gold},
     {"page", "alignment", NULL}},
    {"sa_page_add_training", page_add_training, {&page, out_path}, {"page", "folder"}},
    {"sa_page_html", page_html, {&page}, {"page"}},
    {"sa_explain", explain, {&model, &explaining}, {"model", "options"}},
    {"sa_attend", attend, {&attending, &attended}, {"options", "result"}},
    {"sa_attend_result_release", attend_release, {&no_result}},
    {"sa_check_gradients", check_gradients, {&checking}, {"options"}},
    {"sa_prove", prove, {&model, &proving}, {"model", "options"}},
};
enum { ROWS = sizeof rows_of_functions / sizeof *rows_of_functions };

/* The table holds the addresses of what is made before each test. */
static void resolve(const struct row *row, void *arguments[ARGUMENTS]) {
    for (int i = 0; i < ARGUMENTS; i++) {
        void *given = row->given[i];
        arguments[i] = given == &model     ? (void *)model
                       : given == &results ? (void *)results
                       : given == &page    ? (void *)page
                                           : given;
    }
    if (row->call == align) arguments[2] = corpus.pairs;
    if (row->call == aligner_align) arguments[1] = corpus.pairs;
}

START_TEST(null_is_answered) {
    const struct row *row = &rows_of_functions[_i];
    void *arguments[ARGUMENTS];
    resolve(row, arguments);
    ck_assert_msg(row->call(arguments, &error) != row->fails, "%s: %s", row->functions, error.text);
    row->call(arguments, NULL);
    for (int i = 0; i < ARGUMENTS; i++) {
        if (!arguments[i]) continue;
        void *const saved = arguments[i];
        arguments[i] = NULL;
        error = (sa_error){0};
        const bool good = row->call(arguments, &error);
        if (row->names[i]) expect_usage(good, row->names[i], row->functions);
        ck_assert_msg(row->names[i] || good, "%s: argument %d: %s", row->functions, i, error.text);
        arguments[i] = saved;
    }
}
END_TEST

static const struct {
    const char *path;
    int functions; /* at least */
} headers[] = {{TEST_ROOT "/include/softalign.h", 30},
               {TEST_ROOT "/include/softalign/lab.h", 10},
               {TEST_ROOT "/include/softalign/report.h", 30}};
enum { HEADERS = sizeof headers / sizeof *headers };

START_TEST(every_function_has_its_row) {
    sa_file header;
    ck_assert(sa_file_read(&header, headers[_i].path, SA_FILE_LIMIT, &error));
    char *text = sa_copy(header.data, header.size, &error);
    int functions = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *name = strstr(line, "sa_"), *end;
        if (*line < 'a' || *line > 'z' || strncmp(line, "typedef", 7) == 0) continue;
        for (; name && (end = name + strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")) &&
               *end != '(';
             name = strstr(end, "sa_"))
            continue;
        if (!name || line[strlen(line) - 1] == '{') continue;
        *end = 0;
        bool found = false;
        for (int i = 0; i < ROWS; i++) {
            const char *at = strstr(rows_of_functions[i].functions, name);
            found = found || (at && (at[strlen(name)] == 0 || at[strlen(name)] == ' '));
        }
        ck_assert_msg(found, "no row calls %s", name);
        functions++;
    }
    ck_assert_int_gt(functions, headers[_i].functions);
    free(text);
    sa_file_release(&header);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("arguments", &tests);
    tcase_add_unchecked_fixture(tests, train_once, scratch_remove);
    tcase_add_checked_fixture(tests, prepare, finish);
    tcase_set_timeout(tests, 20);
    tcase_add_loop_test(tests, null_is_answered, 0, ROWS);
    tcase_add_loop_test(tests, every_function_has_its_row, 0, HEADERS);
    return suite_run(suite);
}
