#include "train/validation.h"
#include "base/utf8.h"
#include "inference/encoding.h"
#include "inference/teacher_forcing.h"
#include "metrics/metrics.h"

#include <stdlib.h>

static bool add_scores(const sa_model *model, const sa_corpus *corpus, const sa_dataset *pairs,
                       const sa_translation *translations, sa_validation *out, sa_error *error) {
    const sa_metrics *metrics = &model->settings.metrics;
    sa_metric_stats sum = {0}, one;
    bool good = true;
    for (size_t i = 0; good && i < pairs->count; i++) {
        char *reference =
            sa_reference_text(&model->target, corpus->pairs[pairs->pair[i]].target, error);
        good =
            reference && sa_metric_stats_compute(&one, metrics, sa_utf8_lower, translations[i].text,
                                                 (const char *const *)&reference, 1, error);
        if (good) sa_metric_stats_add(&sum, &one);
        free(reference);
    }
    out->bleu = sa_bleu_score(&sum.bleu, metrics);
    out->chrf = sa_chrf_score(&sum.chrf, metrics);
    return good;
}

bool sa_validation_better(int criterion, sa_validation one, sa_validation other) {
    switch (criterion) {
    case SA_CRITERION_BLEU:
        return one.bleu > other.bleu;
    case SA_CRITERION_CHRF:
        return one.chrf > other.chrf;
    default:
        return one.loss < other.loss;
    }
}

bool sa_validate(sa_model *model, const sa_corpus *corpus, const sa_dataset *pairs,
                 sa_validation *out, sa_error *error) {
    sa_alignment *forced = sa_new(pairs->count, sizeof *forced, error);
    const char **sources = forced ? sa_new(pairs->count, sizeof *sources, error) : NULL;
    sa_translation *translations =
        sources ? sa_new(pairs->count, sizeof *translations, error) : NULL;
    sa_search search;
    double log_p = 0;
    sa_search_init(&search);
    search.beam = 1;
    for (size_t i = 0; translations && i < pairs->count; i++)
        sources[i] = corpus->pairs[pairs->pair[i]].source;
    bool good = translations &&
                sa_teacher_force(model, pairs->source, pairs->target, pairs->count, NULL, NULL,
                                 forced, error) &&
                sa_translate(model, sources, pairs->count, &search, translations, error);
    for (size_t i = 0; good && i < pairs->count; i++) log_p += forced[i].log_probability;
    out->loss = -log_p / (double)pairs->target_words;
    good = good && add_scores(model, corpus, pairs, translations, out, error);
    if (translations) sa_translations_release(translations, pairs->count);
    free(translations);
    free(sources);
    free(forced);
    return good;
}
