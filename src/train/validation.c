#include "train/validation.h"
#include "data/encoding.h"
#include "metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

/* ---- Figures --------------------------------------------------------------------------------- */

bool sa_validation_better(int criterion, sa_validation one, sa_validation other) {
    if (criterion == SA_CRITERION_BLEU) return one.bleu > other.bleu;
    if (criterion == SA_CRITERION_CHRF) return one.chrf > other.chrf;
    return one.loss < other.loss;
}

static bool add_scores(const sa_model *model, const sa_corpus *corpus, const sa_dataset *pairs,
                       const sa_translation *translations, sa_validation *out, sa_error *error) {
    const sa_metrics *metrics = &model->settings.metrics;
    sa_metric_stats sum = {0}, one;
    bool good = true;
    for (size_t i = 0; good && i < pairs->count; i++) {
        char *reference =
            sa_reference_text(&model->target, corpus->pairs[pairs->pair[i]].target, error);
        good = reference && sa_metric_stats_compute(&one, metrics, translations[i].text,
                                                    (const char *const *)&reference, 1, error);
        if (good) sa_metric_stats_add(&sum, &one);
        free(reference);
    }
    out->bleu = sa_bleu_value(&sum.bleu, metrics);
    out->chrf = sa_chrf_value(&sum.chrf, metrics);
    return good;
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
    sa_translations_release(translations, pairs->count);
    free(translations);
    free(sources);
    free(forced);
    return good;
}

/* ---- Mean weights ---------------------------------------------------------------------------- */

bool sa_averaging_open(sa_averaging *averaging, const sa_settings *settings, size_t size,
                       sa_error *error) {
    const size_t capacity = (size_t)settings->average;
    size_t all;
    *averaging = (sa_averaging){.capacity = capacity, .size = size};
    if (!capacity) return true;
    if (__builtin_mul_overflow(capacity, size, &all)) return sa_fail_memory(error, SIZE_MAX);
    return (averaging->weights = sa_new(all, sizeof *averaging->weights, error)) &&
           (averaging->validations = sa_new(capacity, sizeof *averaging->validations, error));
}

void sa_averaging_close(sa_averaging *averaging) {
    free(averaging->weights);
    free(averaging->validations);
    *averaging = (sa_averaging){0};
}

size_t sa_averaging_count(const sa_averaging *averaging, int64_t rows) {
    return (size_t)rows < averaging->capacity ? (size_t)rows : averaging->capacity;
}

void sa_averaging_add(sa_averaging *averaging, const sa_settings *settings, int64_t row,
                      sa_validation figures, const sa_real *weights) {
    const sa_validation *known = averaging->validations;
    const size_t capacity = averaging->capacity;
    if (!capacity) return;
    size_t slot = (size_t)row % capacity;
    if (settings->average_of == SA_AVERAGE_BEST && (size_t)row >= capacity) {
        slot = 0; /* of the worst; among equals, of the first */
        for (size_t i = 1; i < capacity; i++)
            if (sa_validation_better(settings->criterion, known[slot], known[i])) slot = i;
        if (!sa_validation_better(settings->criterion, figures, known[slot])) return;
    }
    averaging->validations[slot] = figures;
    memcpy(averaging->weights + slot * averaging->size, weights, averaging->size * sizeof *weights);
}

void sa_averaging_mean(const sa_averaging *averaging, size_t count, sa_real *mean) {
    for (size_t i = 0; i < averaging->size; i++) {
        double sum = 0;
        for (size_t k = 0; k < count; k++)
            sum += (double)averaging->weights[k * averaging->size + i];
        mean[i] = (sa_real)(sum / (double)count);
    }
}
