/* api_evaluate: sa_evaluate, sa_eval_summarize and sa_diagnose of softalign.h. */
#include "attention/attention.h"
#include "config/settings.h"
#include "data/corpus.h"
#include "inference/encoding.h"
#include "inference/forcing.h"
#include "inference/model.h"
#include "inference/translation.h"
#include "metrics/attention_statistics.h"
#include "metrics/diagnostics.h"
#include "metrics/length_balance.h"
#include "metrics/linking.h"
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pairs whose matrices are in memory at once, and what the model makes of them. */
typedef struct part_results {
    sa_model *model;
    const sa_corpus *corpus;
    const sa_link_options *linking;
    sa_dataset pairs;
    sa_alignment *forced;         /* [corpus->count] */
    sa_translation *translations; /* [corpus->count] */
    double *free_log_p;           /* [corpus->count] */
} part_results;

/* ---- Attention and words --------------------------------------------------------------------- */

/* Sets attention statistics, length balance and unknown words of pair i. */
static bool add_statistics(const part_results *all, size_t i, sa_sentence_result *out,
                           sa_error *error) {
    const sa_model *model = all->model;
    const sa_pair *pair = &all->corpus->pairs[i];
    const sa_sentence *source = &all->pairs.source[i], *target = &all->pairs.target[i];
    const sa_alignment *forced = &all->forced[i];
    const sa_translation *translation = &all->translations[i];
    const int T = target->len, S = source->len;
    const char **left = sa_surface_words(&model->source, pair->source, source, error);
    const char **right =
        left ? sa_surface_words(&model->target, pair->target, target, error) : NULL;
    if (right) {
        const sa_attended_text own = {translation->target, translation->words,
                                      translation->complete && translation->words,
                                      translation->weights},
                               reference = {right, T, true, forced->weights};
        out->details->balance = sa_length_balance_compute(&own, &reference, S);
        for (int j = 0; j < S; j++) out->unknown_source += source->ids[j] == SA_UNK;
        for (int t = 0; t < T; t++) out->unknown_target += target->ids[t] == SA_UNK;
    }
    if (right && forced->weights) {
        sa_attention_stats *stats = &out->details->attention;
        sa_attention_stats_add(stats, forced->weights, sa_alignment_weights(forced, 0, 1),
                               forced->heads, T, S);
        if (sa_scores[model->settings.attention].part == &sa_monotonic_part) /* it reads */
            sa_attention_stats_add_read(stats, forced->weights, T, S);
        sa_attention_stats_add_identical(stats, forced->weights, right, T, left, S);
    }
    free(left), free(right);
    return right != NULL;
}

/* ---- Links ----------------------------------------------------------------------------------- */

/* Counts the links of weights between words, also moved to the word before and after. */
static bool count_shifted_links(const sa_link_options *linking, const sa_corpus *corpus,
                                const sa_pair *pair, const double *weights, int targets,
                                int sources, sa_sentence_result *out, sa_error *error) {
    sa_aer at[3] = {{0}, {0}, {0}};
    sa_link *gold = NULL,
            *links = sa_new(sa_linking_capacity(targets, sources), sizeof *links, error);
    size_t gold_count = 0;
    const bool good =
        links &&
        sa_links_parse_gold(corpus, pair, sources - 1, targets - 1, &gold, &gold_count, error) &&
        sa_aer_add_shifted(at, links, sa_linking_extract(linking, weights, targets, sources, links),
                           targets - 1, gold, gold_count, error);
    out->details->before = at[0], out->details->links = at[1], out->details->after = at[2];
    free(links);
    free(gold);
    return good;
}

/* Counts the links of pair i that the weights (teacher-forced) make; between words also if the
 * model has subwords. SA_DATA: a gold link lies outside the sentences. */
static bool count_links(const part_results *all, size_t i, sa_sentence_result *out,
                        sa_error *error) {
    const sa_model *model = all->model;
    const sa_corpus *corpus = all->corpus;
    const sa_pair *pair = &corpus->pairs[i];
    const double *weights = all->forced[i].weights;
    const int sources = all->pairs.source[i].len, targets = all->pairs.target[i].len;
    sa_token_words source, target;
    sa_link_options own = *all->linking;
    own.null_key = sa_settings_has_null_key(&model->settings);
    if (!model->source.tokenizer->subword && !model->target.tokenizer->subword)
        return count_shifted_links(&own, corpus, pair, weights, targets, sources, out, error);
    if (!sa_token_words_make(&model->source, &model->target, pair, &source, &target, error))
        return false;
    sa_require(source.tokens == sources && target.tokens == targets);
    double *merged = sa_new((size_t)target.words * (size_t)source.words, sizeof *merged, error);
    if (merged) sa_merge_weights(weights, targets, sources, target.word, source.word, merged);
    const bool good = merged && count_shifted_links(&own, corpus, pair, merged, target.words,
                                                    source.words, out, error);
    free(merged);
    sa_token_words_release(&source), sa_token_words_release(&target);
    return good;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* The tokens of a text joined again: texts that differ in white space only become equal. */
static char *rejoin_tokens(const sa_text_codec *codec, const char *text, sa_error *error) {
    sa_tokens tokens = {0};
    sa_buffer out = {0};
    const bool good = sa_text_codec_split(codec, NULL, text, codec->lowercase, &tokens, error);
    if (good)
        sa_tokenizer_join(codec->tokenizer, tokens.token, tokens.count, &codec->spacing, &out);
    sa_tokens_release(&tokens);
    if (good) return sa_buffer_take(&out, error);
    sa_buffer_release(&out);
    return NULL;
}

/* The result of one pair. */
static bool evaluate_pair(part_results *all, size_t i, sa_sentence_result *out, sa_error *error) {
    const sa_text_codec *codec = &all->model->target;
    sa_translation *translation = &all->translations[i];
    *out = (sa_sentence_result){.log_probability = all->forced[i].log_probability,
                                .free_log_probability = all->free_log_p[i],
                                .words = all->pairs.target[i].len,
                                .source_words = all->pairs.source[i].len - 1,
                                .translation = translation->text};
    translation->text = NULL;
    out->details = sa_new(1, sizeof *out->details, error);
    if (out->details)
        out->reference = sa_reference_text(codec, all->corpus->pairs[i].target, error);
    if (!out->reference) return false;
    char *ours = rejoin_tokens(codec, out->translation, error);
    char *theirs = ours ? rejoin_tokens(codec, out->reference, error) : NULL;
    const bool good = theirs;
    out->exact = good && strcmp(ours, theirs) == 0;
    free(ours), free(theirs);
    return good && add_statistics(all, i, out, error) &&
           (!all->corpus->gold || !all->forced[i].weights || count_links(all, i, out, error));
}

static bool evaluate_part(sa_model *model, const sa_corpus *corpus, const sa_search *search,
                          const sa_link_options *linking, sa_sentence_result *results,
                          sa_error *error) {
    const size_t count = corpus->count;
    part_results all = {.model = model, .corpus = corpus, .linking = linking};
    const char **sources = sa_new(count, sizeof *sources, error);
    int *lengths = sources ? sa_new(count, sizeof *lengths, error) : NULL;
    if (lengths) all.forced = sa_new(count, sizeof *all.forced, error);
    if (all.forced) all.translations = sa_new(count, sizeof *all.translations, error);
    if (all.translations) all.free_log_p = sa_new(count, sizeof *all.free_log_p, error);
    sa_search best = *search;
    sa_override override = {0};
    const bool attends = sa_settings_has_attention(&model->settings);
    const sa_align_options view = {.at = linking->at};
    best.nbest = 1;
    best.weights = true;
    bool good = all.free_log_p && sa_dataset_build(&all.pairs, corpus, NULL, &model->source,
                                                   &model->target, 0, model->settings.copy, error);
    const sa_sentence *source = all.pairs.source, *target = all.pairs.target;
    for (size_t i = 0; good && i < count; i++)
        sources[i] = corpus->pairs[i].source, lengths[i] = target[i].len;
    good = good &&
           sa_override_open(&override, search->override, model, corpus->pairs, count, error) &&
           sa_teacher_force(model, source, target, count, &override, attends ? &view : NULL,
                            all.forced, error) &&
           sa_free_running_log_p(model, source, target, count, &override, all.free_log_p, error) &&
           sa_translate_sources(
               &model, 1, sources,
               (sa_references){override.gold, search->reference_length ? lengths : NULL}, count,
               &best, all.translations, error);
    for (size_t i = 0; good && i < count; i++) good = evaluate_pair(&all, i, &results[i], error);
    if (all.translations) sa_translations_release(all.translations, count);
    for (size_t i = 0; all.forced && i < count; i++) sa_alignment_release(&all.forced[i]);
    free(all.translations), free(all.forced), free(all.free_log_p), free(sources), free(lengths);
    sa_override_close(&override, count);
    sa_dataset_release(&all.pairs);
    return good;
}

bool sa_evaluate(sa_model *model, const sa_corpus *corpus, const sa_search *search,
                 const sa_link_options *linking, sa_sentence_result *each, sa_error *error) {
    enum { PART = 2048 }; /* pairs whose matrices are in memory at once */
    sa_link_options usual;
    sa_link_options_init(&usual);
    if (!linking) linking = &usual;
    if (!sa_given(model, "model", error) || !sa_given_corpus(corpus, "corpus", error) ||
        !sa_given_array(each, corpus->count, "results", error) ||
        !sa_given(search, "search", error) || !sa_options_check(sa_search_options, search, error) ||
        !sa_override_check(search->override, error) ||
        !sa_options_check(sa_linking_options, linking, error) ||
        !sa_align_at_check(model, linking->at, error))
        return false;
    bool good = sa_check_lengths(model, corpus->name, corpus->pairs, corpus->count, error);
    if (corpus->count) memset(each, 0, sizeof *each * corpus->count);
    sa_corpus part = *corpus;
    for (size_t first = 0; good && first < corpus->count; first += part.count) {
        part.pairs = corpus->pairs + first, part.count = corpus->count - first;
        if (part.count > PART) part.count = PART;
        part.count = sa_alignments_together(&part.pairs->source, &part.pairs->target,
                                            sizeof *part.pairs, part.count, model->max_len);
        good = evaluate_part(model, &part, search, linking, each + first, error);
    }
    if (!good) sa_sentence_results_release(each, corpus->count);
    return good;
}

void sa_sentence_results_release(sa_sentence_result *each, size_t count) {
    for (size_t i = 0; each && i < count; i++) {
        free(each[i].translation), free(each[i].reference), free(each[i].details);
        each[i].translation = each[i].reference = NULL, each[i].details = NULL;
    }
}

static bool check_results(const sa_corpus *corpus, const sa_sentence_result *each,
                          const size_t *chosen, size_t count, const sa_eval_result *scores,
                          sa_error *error) {
    if (!sa_given_corpus(corpus, "corpus", error) ||
        !sa_given_array(each, count, "results", error) || !sa_given(scores, "summary", error))
        return false;
    for (size_t i = 0; i < count; i++) {
        const size_t at = chosen ? chosen[i] : i;
        if (at >= corpus->count)
            return sa_fail(error, SA_USAGE, "'chosen': there is no pair %zu, only %zu", at,
                           corpus->count);
        if (!each[at].translation || !each[at].reference || !each[at].details)
            return sa_fail(error, SA_USAGE, "'results[%zu]' is empty: sa_evaluate fills it in", at);
    }
    return true;
}

bool sa_eval_summarize(const sa_metrics *metrics, const sa_corpus *corpus,
                       const sa_sentence_result *each, const size_t *chosen, size_t count,
                       sa_eval_result *scores, sa_error *error) {
    sa_metric_stats sum = {0}, tally;
    sa_aer aer = {0}, before = {0}, after = {0};
    sa_attention_stats attention = {0};
    double log_p = 0, free_log_p = 0, exact = 0, repetitions = 0, dropped = 0, reference = 0;
    sa_metrics usual;
    sa_metrics_init(&usual);
    if (!metrics) metrics = &usual;
    if (!sa_options_check(sa_metrics_options, metrics, error) ||
        !check_results(corpus, each, chosen, count, scores, error))
        return false;
    *scores = (sa_eval_result){.sentences = count};
    for (size_t i = 0; i < count; i++) {
        const sa_sentence_result *one = &each[chosen ? chosen[i] : i];
        if (!sa_metric_stats_compute(&tally, metrics, one->translation,
                                     (const char *const *)&one->reference, 1, error))
            return false;
        sa_metric_stats_add(&sum, &tally);
        log_p += one->log_probability;
        free_log_p += one->free_log_probability;
        exact += one->exact;
        scores->target_words += one->words;
        const sa_sentence_details *details = one->details;
        repetitions += details->balance.repetitions, dropped += details->balance.dropped;
        reference += details->balance.reference;
        sa_aer_sum(&before, &details->before), sa_aer_sum(&after, &details->after);
        sa_aer_sum(&aer, &details->links);
        sa_attention_stats_sum(&attention, &details->attention);
    }
    const sa_metric_values figures = sa_metric_values_of(&sum, metrics);
    scores->loss = (0 - log_p) / (double)scores->target_words; /* never -0 */
    scores->perplexity = exp(scores->loss);
    scores->free_perplexity = exp(-free_log_p / (double)scores->target_words);
    if (isinf(scores->perplexity) || isinf(scores->free_perplexity)) return sa_fail_diverged(error);
    scores->bleu = figures.bleu, scores->chrf = figures.chrf, scores->tokens = figures.tokens;
    scores->exact = count ? exact / (double)count : NAN;
    scores->wer = 100 - 100 * scores->exact, scores->per = figures.per;
    if (!corpus->gold) aer = before = after = (sa_aer){0};
    scores->aer = sa_aer_rate(&aer); /* NaN when nothing was counted */
    scores->precision = sa_aer_precision(&aer), scores->recall = sa_aer_recall(&aer);
    scores->aer_before = sa_aer_rate(&before), scores->aer_after = sa_aer_rate(&after);
    const sa_attention_figures attended = sa_attention_figures_of(&attention);
    scores->entropy = attended.entropy, scores->coverage = attended.coverage;
    scores->end_weight = attended.eos_weight, scores->row_sum = attended.row_sum;
    scores->zeros = attended.zeros, scores->monotonicity = attended.monotonicity;
    scores->latency = attended.latency, scores->source_length = attended.source_length;
    scores->rep = reference > 0 ? 100 * repetitions / reference : NAN;
    scores->drop = attention.sources ? 100 * dropped / (double)attention.sources : NAN;
    return true;
}

/* ---- Diagnosis ------------------------------------------------------------------------------- */

enum { WORST = 5, KINDS = SA_CASE_UNDER + 1 }; /* cases of each kind */

/* What a diagnosis owns: the worst pairs of each kind, and the words of their sources. */
typedef struct diagnosis_data {
    sa_finding *findings;
    sa_diagnosis_case cases[KINDS][WORST];
    const char **words[KINDS][WORST];
    size_t count[KINDS];
} diagnosis_data;

/* ---- Cases ----------------------------------------------------------------------------------- */

/* Inserts a pair that is among the worst, behind its equals. */
static void insert_case(diagnosis_data *all, sa_case_kind kind, sa_diagnosis_case one) {
    sa_diagnosis_case *list = all->cases[kind];
    size_t at = all->count[kind];
    while (at && fabs(list[at - 1].words) < fabs(one.words)) at--;
    if (at == WORST) return;
    if (all->count[kind] < WORST) all->count[kind]++;
    memmove(list + at + 1, list + at, (all->count[kind] - at - 1) * sizeof *list);
    list[at] = one;
}

static void add_pair_statistics(const sa_sentence_result *result, size_t index,
                                sa_diagnostic_stats *stats, diagnosis_data *all) {
    const sa_length_balance *balance = &result->details->balance;
    const double over = sa_length_balance_over(balance), under = sa_length_balance_under(balance);
    if (sa_length_balance_is_off(over, balance->reference)) {
        stats->over++;
        insert_case(all, SA_CASE_OVER, (sa_diagnosis_case){index, over, balance->over, NULL});
    }
    if (sa_length_balance_is_off(under, balance->reference)) {
        stats->under++;
        insert_case(all, SA_CASE_UNDER, (sa_diagnosis_case){index, -under, balance->under, NULL});
    }
}

/* The source words of the cases, as in the text. */
static bool fill_source_words(const sa_model *model, const sa_corpus *corpus, diagnosis_data *all,
                              sa_error *error) {
    for (int kind = SA_CASE_OVER; kind < KINDS; kind++)
        for (size_t i = 0; i < all->count[kind]; i++) {
            sa_diagnosis_case *one = &all->cases[kind][i];
            if (one->coverage.position < 0) continue;
            const char *const *text = &corpus->pairs[one->index].source;
            sa_sentence *read = sa_encode_texts(&model->source, model->max_len, text, 0, 1, error);
            const char **words =
                read && read->ids ? sa_surface_words(&model->source, *text, read, error) : NULL;
            const int count = read ? read->len : 0;
            sa_sentences_release(read, 1);
            if (!words) return false;
            all->words[kind][i] = words;
            if (!sa_within(one->coverage.position, 0, count - 1, "position", error)) return false;
            one->source = words[one->coverage.position];
        }
    return true;
}

/* ---- Statistics ------------------------------------------------------------------------------ */

static void collect_statistics(const sa_model *model, const sa_corpus *corpus,
                               const sa_sentence_result *each, sa_diagnostic_stats *stats,
                               diagnosis_data *all) {
    const sa_settings *settings = &model->settings;
    *stats = (sa_diagnostic_stats){
        .sentences = corpus->count,
        .uniform_by_design = strcmp(sa_scores[settings->attention].name, "uniform") == 0,
        /* the same characters occur in many words */
        .identical_tokens_align = model->target.tokenizer != &sa_tokenizers[SA_TOKENIZER_CHAR],
    };
    for (size_t i = 0; i < corpus->count; i++) {
        sa_attention_stats_sum(&stats->attention, &each[i].details->attention);
        stats->source_words += (size_t)each[i].source_words;
        stats->target_words += (size_t)each[i].words - 1; /* without EOS */
        stats->unknown_source += (size_t)each[i].unknown_source;
        stats->unknown_target += (size_t)each[i].unknown_target;
        add_pair_statistics(&each[i], i, stats, all);
    }
}

static bool list_findings(const sa_diagnostic_stats *stats, diagnosis_data *data,
                          sa_diagnosis *diagnosis, sa_error *error) {
    data->findings = diagnosis->findings = sa_new(SA_DIAGNOSTICS, sizeof *data->findings, error);
    if (!data->findings) return false;
    for (size_t row = 0; row < SA_DIAGNOSTICS; row++) {
        double figure;
        if (!sa_diagnostic_applies(stats, row, &figure)) continue;
        const sa_diagnostic *diagnostic = &sa_diagnostics[row];
        data->findings[diagnosis->count++] =
            (sa_finding){.name = diagnostic->name,
                         .measure = diagnostic->measure,
                         .figure = figure,
                         .threshold = diagnostic->threshold,
                         .brief = diagnostic->brief,
                         .lesson = diagnostic->lesson,
                         .cases = data->cases[diagnostic->cases],
                         .case_count = data->count[diagnostic->cases]};
    }
    return true;
}

bool sa_diagnose(sa_model *model, const sa_corpus *corpus, const sa_sentence_result *each,
                 const sa_corpus *train, sa_diagnosis *diagnosis, sa_error *error) {
    sa_diagnostic_stats stats;
    sa_eval_result scores;
    if (!sa_given(model, "model", error) || !sa_given_corpus(corpus, "corpus", error) ||
        !sa_given_array(each, corpus->count, "results", error) ||
        (train && !sa_given_corpus(train, "train", error)) ||
        !sa_given(diagnosis, "diagnosis", error))
        return false;
    *diagnosis = (sa_diagnosis){0};
    diagnosis_data *data = diagnosis->owned = sa_new(1, sizeof *data, error);
    if (!data) return false;
    bool good = sa_eval_summarize(NULL, corpus, each, NULL, corpus->count, &scores, error);
    if (good) collect_statistics(model, corpus, each, &stats, data);
    good = good && fill_source_words(model, corpus, data, error);
    if (good && train) {
        stats.train_pairs = train->count;
        good = sa_corpus_overlap(corpus, train, &stats.known_sources, &stats.known_pairs, error);
    }
    stats.aer = scores.aer;
    stats.aer_before = scores.aer_before, stats.aer_after = scores.aer_after;
    if (good && list_findings(&stats, data, diagnosis, error)) return true;
    sa_diagnosis_release(diagnosis);
    return false;
}

void sa_diagnosis_release(sa_diagnosis *diagnosis) {
    if (!diagnosis) return;
    diagnosis_data *data = diagnosis->owned;
    for (int kind = 0; data && kind < KINDS; kind++)
        for (size_t i = 0; i < WORST; i++) free(data->words[kind][i]);
    if (data) free(data->findings);
    free(data);
    *diagnosis = (sa_diagnosis){0};
}

const char *sa_diagnostic_name(size_t i, const char **measure, double *threshold) {
    if (i >= SA_DIAGNOSTICS) return NULL;
    if (measure) *measure = sa_diagnostics[i].measure;
    if (threshold) *threshold = sa_diagnostics[i].threshold;
    return sa_diagnostics[i].name;
}
