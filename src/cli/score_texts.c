#include "base/utf8.h"
#include "cli/score_command.h"
#include "metrics/metric_tokenizer.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Counting -------------------------------------------------------------------------------- */

static bool compute_stats(score_system *system, const score_file *file,
                          const score_file *references, const score_work *work, sa_error *error) {
    const char *line[SCORE_REFERENCES];
    system->name = file->name;
    system->each = sa_new(work->count, sizeof *system->each, error);
    if (!system->each) return false;
    for (size_t i = 0; i < work->count; i++) {
        for (size_t r = 0; r < work->references; r++) line[r] = references[r].line[i];
        if (!sa_metric_stats_compute(&system->each[i], &work->options->metrics, sa_utf8_lower,
                                     file->line[i], line, work->references, error))
            return false;
        sa_metric_stats_add(&system->sum, &system->each[i]);
    }
    return true;
}

static bool count_words(score_work *work, const score_file *source, sa_error *error) {
    work->source_words = sa_new(work->count, sizeof *work->source_words, error);
    for (size_t i = 0; work->source_words && i < work->count; i++) {
        const char *text = source->line[i];
        for (size_t size; sa_metric_next_word(&text, &size);) work->source_words[i]++;
    }
    return work->source_words != NULL;
}

/* ---- Bootstrap ------------------------------------------------------------------------------- */

static double *resample(const score_work *work, const sa_metric_stats *each, size_t count,
                        sa_error *error) {
    const score_options *options = work->options;
    return sa_bootstrap_scores(each, count, &options->metrics, &options->resampling, error);
}

static void compute_intervals(const score_work *work, double *samples,
                              sa_confidence_interval *intervals) {
    const int count = work->options->resampling.samples;
    for (int m = 0; m < SA_METRIC_COUNT; m++)
        intervals[m] = sa_confidence_interval_of(samples + m * count, count);
}

/* p and the interval of the differences, sample by sample. */
static bool compare_samples(score_work *work, const double *ours, const double *theirs,
                            sa_error *error) {
    const int count = work->options->resampling.samples;
    const size_t all = SA_METRIC_COUNT * (size_t)count;
    double *differences = sa_new(all, sizeof *differences, error);
    if (!differences) return false;
    for (size_t i = 0; i < all; i++) differences[i] = ours[i] - theirs[i];
    compute_intervals(work, differences, work->difference);
    for (int m = 0; m < SA_METRIC_COUNT; m++)
        work->p_value[m] = sa_bootstrap_p_value(ours + m * count, theirs + m * count, count,
                                                score_value(work, &work->ours.sum, m) -
                                                    score_value(work, &work->theirs.sum, m));
    free(differences);
    return true;
}

static bool resample_all(score_work *work, sa_error *error) {
    double *ours = resample(work, work->ours.each, work->count, error), *theirs = NULL;
    if (ours && work->theirs.each) theirs = resample(work, work->theirs.each, work->count, error);
    work->resampled = ours && (theirs || !work->theirs.each) &&
                      (!theirs || compare_samples(work, ours, theirs, error));
    if (work->resampled) compute_intervals(work, ours, work->ours.interval);
    if (work->resampled && theirs) compute_intervals(work, theirs, work->theirs.interval);
    free(ours), free(theirs);
    return work->resampled;
}

/* ---- Values ---------------------------------------------------------------------------------- */

double score_value(const score_work *work, const sa_metric_stats *stats, int metric) {
    return sa_metric_list[metric].score(stats, &work->options->metrics);
}

bool score_band(const score_work *work, const sa_length_band *band, sa_metric_stats *sum,
                sa_confidence_interval *intervals, sa_error *error) {
    sa_metric_stats *chosen = sa_new(work->count, sizeof *chosen, error);
    size_t count = 0;
    bool good = chosen != NULL;
    *sum = (sa_metric_stats){0};
    for (size_t i = 0; good && i < work->count; i++) {
        if (!sa_length_band_contains(band, work->source_words[i])) continue;
        chosen[count++] = work->ours.each[i];
        sa_metric_stats_add(sum, &work->ours.each[i]);
    }
    if (good && count && work->options->confidence) {
        double *samples = resample(work, chosen, count, error);
        good = samples != NULL;
        if (good) compute_intervals(work, samples, intervals);
        free(samples);
    }
    free(chosen);
    return good;
}

void score_add_signature(const score_work *work, int metric, sa_buffer *out) {
    const sa_resampling *drawn = &work->options->resampling;
    char text[64] = "";
    if (work->resampled)
        snprintf(text, sizeof text, "bs:%d|seed:%lld|", drawn->samples, (long long)drawn->seed);
    sa_metric_signature(&sa_metric_list[metric], &work->options->metrics, work->references, text,
                        out);
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Files that were not given have no lines. */
typedef struct text_inputs {
    score_file hypotheses, against, source, references[SCORE_REFERENCES];
} text_inputs;

static bool read_inputs(text_inputs *all, const score_options *options, const char *const *words,
                        size_t references, sa_error *error) {
    bool good = score_file_read(&all->hypotheses, words[0], error);
    for (size_t r = 0; good && r < references; r++)
        good = score_file_read_beside(&all->references[r], words[r + 1], &all->hypotheses, error);
    return good &&
           score_file_read_beside(&all->against, options->against, &all->hypotheses, error) &&
           score_file_read_beside(&all->source, options->source, &all->hypotheses, error);
}

static bool count_all(score_work *work, const text_inputs *all, sa_error *error) {
    const score_options *options = work->options;
    work->count = all->hypotheses.count;
    return compute_stats(&work->ours, &all->hypotheses, all->references, work, error) &&
           (!options->against ||
            compute_stats(&work->theirs, &all->against, all->references, work, error)) &&
           (!options->source || count_words(work, &all->source, error)) &&
           ((!options->confidence && !options->against) || resample_all(work, error));
}

bool score_texts(const score_options *options, const char *const *words, size_t count,
                 sa_error *error) {
    text_inputs all = {0};
    score_work work = {.options = options, .references = count - 1};
    bool good =
        read_inputs(&all, options, words, work.references, error) && count_all(&work, &all, error);
    if (good)
        good = (options->json       ? score_print_json
                : options->sentence ? score_print_sentences
                                    : score_print_text)(&work, error);
    score_file_release(&all.hypotheses), score_file_release(&all.against);
    score_file_release(&all.source);
    for (size_t r = 0; r < work.references; r++) score_file_release(&all.references[r]);
    free(work.ours.each), free(work.theirs.each), free(work.source_words);
    return good;
}
