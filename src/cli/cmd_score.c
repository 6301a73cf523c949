#include "base/number.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/score_links.h"
#include "metrics/by_length.h"
#include "metrics/metric_tokenizer.h"
#include "metrics/symmetrize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCES = 16, WORDS = 1 + REFERENCES };

#define AT(field) offsetof(score_options, field)

static const sa_option rows[] = {
    CLI_SWITCH("sentence", AT(sentence),
               "one line per sentence: BLEU TAB chrF, with --effective-order"),
    CLI_TEXT("against", INPUT, AT(against), NULL, "FILE",
             "hypotheses of another system: score differences and p-values (paired bootstrap)"),
    CLI_SWITCH("confidence", AT(confidence), "95 % bootstrap confidence intervals of the scores"),
    CLI_SWITCH("by-length", AT(by_length),
               "also report scores by the length of the --source lines"),
    CLI_TEXT("source", INPUT, AT(source), NULL, "FILE", "source sentences"),
    CLI_SWITCH("json", AT(json), "print one JSON object"),
    {0},
};
enum { GROW_DIAG = 2 }; /* the row of sa_symmetrization_name */
static const sa_option link_rows[] = {
    CLI_SWITCH("alignments", AT(alignments), "score word alignments: LINKS GOLD instead of texts"),
    CLI_NUMBER("links-base", INT, AT(links_base), 0, 0, 1, "N",
               "index of the first position in LINKS"),
    CLI_NUMBER("gold-base", INT, AT(gold_base), 0, 0, 1, "N",
               "index of the first position in GOLD"),
    CLI_SWITCH("shift", AT(shift),
               "also report scores with every link moved to the previous and the next target word"),
    CLI_TEXT("reverse", INPUT, AT(reverse), NULL, "FILE",
             "alignments of the reverse direction (target-source), to be combined with LINKS"),
    CLI_CHOICE("combine", AT(combine), GROW_DIAG, sa_symmetrization_name,
               "symmetrization of the two directions"),
    CLI_TEXT("target", INPUT, AT(target), NULL, "FILE",
             "target sentences; links beyond them or beyond --source are errors"),
    {0},
};
static const cli_option_set sets[] = {
    {"Options", rows, 0},
    {"Metrics", sa_metrics_options, AT(metrics)},
    {"Samples", sa_resampling_options, AT(resampling)},
    {"Alignments", link_rows, 0},
    {0},
};

/* ---- Scores ---------------------------------------------------------------------------------- */

typedef struct score_system {
    const char *name;
    sa_metric_stats *each, sum;
    sa_confidence_interval interval[SA_METRIC_COUNT]; /* if resampled */
} score_system;

typedef struct score_work {
    const score_options *options;
    size_t count, references;
    bool resampled;                                     /* bootstrap samples were drawn */
    score_system ours, theirs;                          /* theirs.each is NULL without --against */
    double p_value[SA_METRIC_COUNT];                    /* of the difference between the two */
    sa_confidence_interval difference[SA_METRIC_COUNT]; /* of ours - theirs on the same samples */
    int *source_words;                                  /* [count], NULL: unknown */
} score_work;

/* ---- Counting -------------------------------------------------------------------------------- */

static bool compute_stats(score_system *system, const score_file *file,
                          const score_file *references, const score_work *work, sa_error *error) {
    const char *line[REFERENCES];
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

static double value_of(const score_work *work, const sa_metric_stats *stats, int metric) {
    return sa_metric_list[metric].score(stats, &work->options->metrics);
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
                                                value_of(work, &work->ours.sum, m) -
                                                    value_of(work, &work->theirs.sum, m));
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

static bool band_of(const score_work *work, const sa_length_band *band, sa_metric_stats *sum,
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

static void add_signature(const score_work *work, int metric, sa_buffer *out) {
    const sa_resampling *drawn = &work->options->resampling;
    char text[64] = "";
    if (work->resampled)
        snprintf(text, sizeof text, "bs:%d|seed:%lld|", drawn->samples, (long long)drawn->seed);
    sa_metric_signature(&sa_metric_list[metric], &work->options->metrics, work->references, text,
                        out);
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* " = 79.37", and its confidence interval. */
static void add_score(const score_work *work, int metric, sa_buffer *out) {
    const double whole = sa_metric_list[metric].whole;
    sa_buffer_addf(out, " = %.2f", whole * value_of(work, &work->ours.sum, metric));
    const sa_confidence_interval *interval = &work->ours.interval[metric];
    if (work->resampled)
        sa_buffer_addf(out, " (μ = %.2f ± %.2f)", whole * interval->mean,
                       whole * (interval->high - interval->low) / 2);
}

/* The parts of BLEU, as sacreBLEU shows them. */
static void add_parts(const score_work *work, sa_buffer *out) {
    const sa_bleu *bleu = &work->ours.sum.bleu;
    double precisions[SA_BLEU_ORDER];
    sa_bleu_precisions(bleu, &work->options->metrics, precisions);
    for (int n = 0; n < SA_BLEU_ORDER; n++)
        sa_buffer_addf(out, "%s%.1f", n ? "/" : " ", precisions[n]);
    sa_buffer_addf(out, " (BP = %.3f ratio = %.3f hyp_len = %lld ref_len = %lld)",
                   sa_bleu_brevity(bleu),
                   bleu->reference ? (double)bleu->hypothesis / (double)bleu->reference : 0,
                   (long long)bleu->hypothesis, (long long)bleu->reference);
}

static void add_lines(const score_work *work, sa_buffer *out) {
    for (int m = 0; m < SA_METRIC_COUNT; m++) {
        add_signature(work, m, out);
        add_score(work, m, out);
        if (m == SA_METRIC_BLEU) add_parts(work, out);
        sa_buffer_adds(out, sa_metric_list[m].whole > 1 ? " %\n" : "\n");
    }
}

static void add_against(const score_work *work, sa_buffer *out) {
    sa_buffer_addf(out, "\nagainst '%s':\n%-8s %8s %10s %18s %8s\n", work->theirs.name, "", "other",
                   "difference", "95 %", "p");
    for (int m = 0; m < SA_METRIC_COUNT; m++) {
        const double whole = sa_metric_list[m].whole, other = value_of(work, &work->theirs.sum, m);
        const double difference = value_of(work, &work->ours.sum, m) - other;
        sa_buffer_addf(out, "%-8s %8.2f %+10.2f %+8.2f to %+6.2f %8.4f\n", sa_metric_list[m].title,
                       whole * other, whole * difference, whole * work->difference[m].low,
                       whole * work->difference[m].high, work->p_value[m]);
    }
}

static void add_band(const score_work *work, const char *name, const sa_metric_stats *sum,
                     const sa_confidence_interval *bleu, sa_buffer *out) {
    sa_buffer_addf(out, "%-12s %9lld %7.2f", name, (long long)sum->sentences,
                   value_of(work, sum, SA_METRIC_BLEU));
    if (bleu) sa_buffer_addf(out, " %7.2f to %6.2f", bleu->low, bleu->high);
    for (int m = SA_METRIC_BLEU + 1; m < SA_METRIC_COUNT; m++)
        sa_buffer_addf(out, " %7.2f", sa_metric_list[m].whole * value_of(work, sum, m));
    sa_buffer_adds(out, "\n");
}

static bool add_bands(const score_work *work, sa_buffer *out, sa_error *error) {
    const bool confidence = work->options->confidence;
    sa_metric_stats sum;
    sa_confidence_interval intervals[SA_METRIC_COUNT];
    sa_buffer_addf(out, "\n%-12s %9s %7s%s", "source words", "sentences", "BLEU",
                   confidence ? "     95 % between" : "");
    for (int m = SA_METRIC_BLEU + 1; m < SA_METRIC_COUNT; m++)
        sa_buffer_addf(out, " %5s%s", sa_metric_list[m].title,
                       sa_metric_list[m].whole > 1 ? " %" : "  ");
    sa_buffer_adds(out, "\n");
    for (const sa_length_band *band = sa_length_bands; band->name; band++) {
        if (!band_of(work, band, &sum, intervals, error)) return false;
        if (sum.sentences)
            add_band(work, band->name, &sum, confidence ? &intervals[SA_METRIC_BLEU] : NULL, out);
    }
    add_band(work, "all", &work->ours.sum, confidence ? &work->ours.interval[SA_METRIC_BLEU] : NULL,
             out);
    return true;
}

static bool print_text(const score_work *work, sa_error *error) {
    sa_buffer out = {0};
    add_lines(work, &out);
    if (work->theirs.each) add_against(work, &out);
    if (!work->options->by_length || add_bands(work, &out, error)) return cli_print(&out, error);
    sa_buffer_release(&out);
    return false;
}

static bool print_sentences(const score_work *work, sa_error *error) {
    sa_buffer out = {0};
    for (size_t i = 0; i < work->count; i++) {
        sa_number_add(&out, value_of(work, &work->ours.each[i], SA_METRIC_BLEU));
        sa_buffer_adds(&out, "\t");
        sa_number_add(&out, value_of(work, &work->ours.each[i], SA_METRIC_CHRF));
        sa_buffer_adds(&out, "\n");
    }
    return cli_print(&out, error);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static void add_json_scores(const score_work *work, const sa_metric_stats *stats, json_t *object) {
    for (int m = 0; m < SA_METRIC_COUNT; m++)
        add(object, sa_metric_list[m].key, sa_json_number(value_of(work, stats, m)));
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
    add_json_scores(work, &work->theirs.sum, object);
    add(object, "intervals", json_intervals(work->theirs.interval));
    add(object, "difference", json_intervals(work->difference));
    add(object, "p", json_p_values(work));
    return object;
}

static bool add_json_bands(const score_work *work, json_t *object, sa_error *error) {
    json_t *bands = json_object();
    sa_metric_stats sum;
    sa_confidence_interval intervals[SA_METRIC_COUNT];
    add(object, "by_length", bands);
    for (const sa_length_band *band = sa_length_bands; band->name; band++) {
        if (!band_of(work, band, &sum, intervals, error)) return false;
        if (!sum.sentences) continue;
        json_t *one = json_pack("{s:I}", "sentences", (json_int_t)sum.sentences);
        add_json_scores(work, &sum, one);
        if (work->options->confidence) add(one, "intervals", json_intervals(intervals));
        add(bands, band->name, one);
    }
    return true;
}

static json_t *sentences(const score_work *work) {
    json_t *list = json_array();
    for (size_t i = 0; i < work->count; i++) {
        json_t *one = json_object();
        add_json_scores(work, &work->ours.each[i], one);
        json_array_append_new(list, one);
    }
    return list;
}

static void add_json_bleu(const score_work *work, json_t *object) {
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
        add_signature(work, m, &text);
        if (sa_metric_list[m].name)
            add(object, sa_metric_list[m].key, sa_json_buffer(&text, failed));
        else
            sa_buffer_release(&text);
    }
    return object;
}

static bool print_json(const score_work *work, sa_error *error) {
    bool failed = false;
    json_t *object = json_pack("{s:I, s:I}", "sentences", (json_int_t)work->count, "references",
                               (json_int_t)work->references);
    add_json_scores(work, &work->ours.sum, object);
    add_json_bleu(work, object);
    add(object, "signatures", signatures(work, &failed));
    if (work->resampled) add(object, "intervals", json_intervals(work->ours.interval));
    if (work->theirs.each) add(object, "against", json_against(work));
    if (work->options->sentence) add(object, "each", sentences(work));
    if (failed)
        sa_fail_memory(error, 0);
    else if (!work->options->by_length || add_json_bands(work, object, error))
        return cli_print_json(object, error);
    json_decref(object);
    return false;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Files that were not given have no lines. */
typedef struct text_inputs {
    score_file hypotheses, against, source, references[REFERENCES];
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

static bool score_texts(const score_options *options, const char *const *words, size_t count,
                        sa_error *error) {
    text_inputs all = {0};
    score_work work = {.options = options, .references = count - 1};
    bool good =
        read_inputs(&all, options, words, work.references, error) && count_all(&work, &all, error);
    if (good)
        good = (options->json       ? print_json
                : options->sentence ? print_sentences
                                    : print_text)(&work, error);
    score_file_release(&all.hypotheses), score_file_release(&all.against);
    score_file_release(&all.source);
    for (size_t r = 0; r < work.references; r++) score_file_release(&all.references[r]);
    free(work.ours.each), free(work.theirs.each), free(work.source_words);
    return good;
}

/* ---- Options that exclude each other --------------------------------------------------------- */

static bool refuse(bool wrong, const char *option, const char *why, sa_error *error) {
    return !wrong || sa_fail(error, SA_USAGE, "score: --%s %s", option, why);
}

static bool check_links(const score_options *options, size_t count, sa_error *error) {
    const char *why = "applies to texts, not --alignments";
    return (count == 2 ||
            sa_fail(error, SA_USAGE, "score: --alignments compares two files: LINKS GOLD")) &&
           refuse(options->sentence, "sentence", why, error) &&
           refuse(options->against, "against", why, error) &&
           refuse(options->confidence, "confidence", why, error) &&
           refuse(options->by_length, "by-length", why, error);
}

static bool check_texts(const score_options *options, sa_error *error) {
    const char *why = "needs --alignments", *alone = "needs --json with --sentence";
    const bool lines = options->sentence && !options->json;
    return refuse(options->reverse, "reverse", why, error) &&
           refuse(options->target, "target", why, error) &&
           refuse(options->shift, "shift", why, error) &&
           refuse(options->links_base, "links-base", why, error) &&
           refuse(options->gold_base, "gold-base", why, error) &&
           refuse(options->combine != GROW_DIAG, "combine", why, error) &&
           refuse(options->by_length && !options->source, "by-length", "needs --source FILE",
                  error) &&
           refuse(options->source && !options->by_length, "source",
                  "is read for --by-length or --alignments", error) &&
           refuse(lines && options->against, "against", alone, error) &&
           refuse(lines && options->confidence, "confidence", alone, error) &&
           refuse(lines && options->by_length, "by-length", alone, error);
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool run(cli_call *call, sa_error *error) {
    score_options *options = call->options;
    size_t given = 0;
    while (call->words[given]) given++;
    if (options->alignments)
        return check_links(options, given, error) && score_links(options, call->words, error);
    if (options->sentence) options->metrics.effective_order = true;
    return check_texts(options, error) && score_texts(options, call->words, given, error);
}

const cli_command cli_score = {
    .name = "score",
    .words = "HYPOTHESES REFERENCES...",
    .least = 2,
    .most = WORDS,
    .summary = "score the output of any system: BLEU, chrF, AER",
    .size = sizeof(score_options),
    .sets = sets,
    .run = run,
};
