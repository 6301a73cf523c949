#include "cli/output.h"
#include "cli/score_command.h"

static void add(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static void add_scores(const score_work *work, const sa_metric_stats *stats, json_t *object) {
    for (int m = 0; m < SA_METRIC_COUNT; m++)
        add(object, sa_metric_list[m].key, sa_json_number(score_value(work, stats, m)));
}

static json_t *json_intervals(const sa_confidence_interval *intervals) {
    json_t *object = json_object();
    for (int m = 0; m < SA_METRIC_COUNT; m++)
        add(object, sa_metric_list[m].key, cli_json_interval(&intervals[m]));
    return object;
}

static json_t *json_p_values(const score_work *work) {
    json_t *object = json_object();
    for (int m = 0; m < SA_METRIC_COUNT; m++)
        add(object, sa_metric_list[m].key, sa_json_number(work->p_value[m]));
    return object;
}

static json_t *json_against(const score_work *work) {
    json_t *object = json_object();
    add_scores(work, &work->theirs.sum, object);
    add(object, "intervals", json_intervals(work->theirs.interval));
    add(object, "difference", json_intervals(work->difference));
    add(object, "p", json_p_values(work));
    return object;
}

static bool add_bands(const score_work *work, json_t *object, sa_error *error) {
    json_t *bands = json_object();
    sa_metric_stats sum;
    sa_confidence_interval intervals[SA_METRIC_COUNT];
    add(object, "by_length", bands);
    for (const sa_length_band *band = sa_length_bands; band->name; band++) {
        if (!score_band(work, band, &sum, intervals, error)) return false;
        if (!sum.sentences) continue;
        json_t *one = json_pack("{s:I}", "sentences", (json_int_t)sum.sentences);
        add_scores(work, &sum, one);
        if (work->options->confidence) add(one, "intervals", json_intervals(intervals));
        add(bands, band->name, one);
    }
    return true;
}

static json_t *sentences(const score_work *work) {
    json_t *list = json_array();
    for (size_t i = 0; i < work->count; i++) {
        json_t *one = json_object();
        add_scores(work, &work->ours.each[i], one);
        json_array_append_new(list, one);
    }
    return list;
}

static void add_bleu(const score_work *work, json_t *object) {
    const sa_bleu *bleu = &work->ours.sum.bleu;
    double precisions[SA_BLEU_ORDER];
    json_t *list = json_array();
    sa_bleu_precisions(bleu, &work->options->metrics, precisions);
    for (int n = 0; n < SA_BLEU_ORDER; n++)
        json_array_append_new(list, sa_json_number(precisions[n]));
    add(object, "precisions", list);
    add(object, "brevity", sa_json_number(sa_bleu_brevity(bleu)));
    add(object, "hypothesis_tokens", json_integer(bleu->hypothesis));
    add(object, "reference_tokens", json_integer(bleu->reference));
}

static json_t *signatures(const score_work *work, bool *failed) {
    json_t *object = json_object();
    for (int m = 0; m < SA_METRIC_COUNT; m++) {
        sa_buffer text = {0};
        score_add_signature(work, m, &text);
        if (sa_metric_list[m].name)
            add(object, sa_metric_list[m].key, sa_json_buffer(&text, failed));
        else
            sa_buffer_release(&text);
    }
    return object;
}

bool score_print_json(const score_work *work, sa_error *error) {
    bool failed = false;
    json_t *object = json_pack("{s:I, s:I}", "sentences", (json_int_t)work->count, "references",
                               (json_int_t)work->references);
    add_scores(work, &work->ours.sum, object);
    add_bleu(work, object);
    add(object, "signatures", signatures(work, &failed));
    if (work->resampled) add(object, "intervals", json_intervals(work->ours.interval));
    if (work->theirs.each) add(object, "against", json_against(work));
    if (work->options->sentence) add(object, "each", sentences(work));
    if (failed)
        sa_fail_memory(error, 0);
    else if (!work->options->by_length || add_bands(work, object, error))
        return cli_print_json(object, error);
    json_decref(object);
    return false;
}
