#include "cli/eval.h"
#include "cli/output.h"

bool eval_diagnoses(const eval_options *options) {
    return options->diagnose || options->json;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void add_case(const evaluation *work, const sa_diagnosis_case *one, sa_buffer *out) {
    const sa_sentence_result *result = &work->each[one->index];
    sa_buffer_addf(out, "    line %zu: %+.1f words", work->corpus.pairs[one->index].line,
                   one->words);
    if (one->source)
        sa_buffer_addf(out, "; '%s' receives weight %.2f, with the reference %.2f", one->source,
                       one->coverage.weight, one->coverage.expected);
    sa_buffer_addf(out, "\n      translation  %s\n      reference    %s\n", result->translation,
                   result->reference);
}

static void add_finding(const evaluation *work, const sa_finding *finding, sa_buffer *out) {
    sa_buffer_addf(out, "\n%s: %.3f (threshold %.3f)\n  ", finding->name, finding->figure,
                   finding->threshold);
    cli_wrap(out, finding->measure, 2);
    sa_buffer_adds(out, "    ");
    cli_wrap(out, finding->lesson, 4);
    for (size_t i = 0; i < finding->case_count; i++) add_case(work, &finding->cases[i], out);
}

void eval_add_diagnosis(const evaluation *work, sa_buffer *out) {
    const sa_diagnosis *diagnosis = &work->diagnosis;
    if (!sa_settings_has_attention(sa_model_settings(work->model)))
        sa_buffer_adds(out, "diagnosis: the model has no attention by design; only words and "
                            "translations were examined\n");
    if (!diagnosis->count) sa_buffer_adds(out, "diagnosis: no problems found\n");
    for (size_t i = 0; i < diagnosis->count; i++) add_finding(work, &diagnosis->findings[i], out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_case(const evaluation *work, const sa_diagnosis_case *one) {
    const sa_sentence_result *result = &work->each[one->index];
    json_t *object = json_pack("{s:I, s:f, s:s, s:s}", "line",
                               (json_int_t)work->corpus.pairs[one->index].line, "words", one->words,
                               "translation", result->translation, "reference", result->reference);
    if (!one->source) return object;
    json_object_set_new(object, "source", json_string(one->source));
    json_object_set_new(object, "position", json_integer(one->coverage.position));
    json_object_set_new(object, "weight", sa_json_number(one->coverage.weight));
    json_object_set_new(object, "due", sa_json_number(one->coverage.expected));
    return object;
}

json_t *eval_json_diagnosis(const evaluation *work) {
    json_t *list = json_array();
    for (size_t i = 0; i < work->diagnosis.count; i++) {
        const sa_finding *finding = &work->diagnosis.findings[i];
        json_t *object = json_pack("{s:s, s:s, s:o, s:f, s:s}", "name", finding->name, "measure",
                                   finding->measure, "figure", sa_json_number(finding->figure),
                                   "threshold", finding->threshold, "lesson", finding->lesson);
        json_t *cases = finding->case_count ? json_array() : NULL;
        for (size_t k = 0; k < finding->case_count; k++)
            json_array_append_new(cases, json_case(work, &finding->cases[k]));
        if (cases) json_object_set_new(object, "sentences", cases);
        json_array_append_new(list, object);
    }
    return list;
}
