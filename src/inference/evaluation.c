/* evaluation: measures a model on pairs whose reference is known. sa_evaluate translates every
 * source, predicts every reference by teacher forcing and free-running, and compares;
 * sa_eval_summarize adds up the results of the pairs. */
#include "config/settings.h"
#include "data/corpus.h"
#include "data/encoding.h"
#include "inference/model.h"
#include "metrics/attention_statistics.h"
#include "metrics/length_balance.h"
#include "metrics/linking.h"
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pairs whose matrices are in memory together, and the model's results on them. */
typedef struct work {
    sa_model *model;
    const sa_corpus *corpus;
    const sa_link_options *linking;
    sa_dataset pairs;
    sa_alignment *forced;         /* [corpus->count] */
    sa_translation *translations; /* [corpus->count] */
} work;

/* ---- Attention and words --------------------------------------------------------------------- */

/* Sets the attention statistics, length balance and unknown words of pair i. */
static bool add_statistics(const work *all, size_t i, sa_sentence_result *out, sa_error *error) {
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

/* Counts the links that the weights make between words, and the same links moved to the target word
 * before and to the one after. */
static bool count_shifted_links(const sa_link_options *linking, const sa_corpus *corpus,
                                const sa_pair *pair, const double *weights, int targets,
                                int sources, sa_sentence_result *out, sa_error *error) {
    sa_aer at[3] = {{0}, {0}, {0}};
    size_t count, gold_count = 0;
    sa_link *gold = NULL,
            *links = sa_linking_extract(linking, weights, targets, sources, &count, error);
    const bool good =
        links &&
        sa_links_parse_gold(corpus, pair, sources - 1, targets - 1, &gold, &gold_count, error) &&
        sa_aer_add_shifted(at, links, count, targets - 1, gold, gold_count, error);
    out->details->before = at[0], out->details->links = at[1], out->details->after = at[2];
    free(links);
    free(gold);
    return good;
}

/* Counts the links between words that the teacher-forced weights of pair i make, even if the model
 * has subwords. SA_DATA: a gold link lies outside the sentences. */
static bool count_links(const work *all, size_t i, sa_sentence_result *out, sa_error *error) {
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

/* Splits a text into tokens and joins them again, so that texts that differ only in white space
 * become equal. */
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

/* Fills in the result of pair i. */
static bool evaluate_pair(work *all, size_t i, sa_sentence_result *out, sa_error *error) {
    const sa_text_codec *codec = &all->model->target;
    sa_translation *translation = &all->translations[i];
    *out = (sa_sentence_result){.log_probability = all->forced[i].log_probability,
                                .words = all->pairs.target[i].len,
                                .source_words = all->pairs.source[i].len - 1,
                                .translation = translation->text,
                                .complete = translation->complete};
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

static bool evaluate_together(sa_model *model, const sa_corpus *corpus, const sa_search *search,
                              const sa_link_options *linking, sa_sentence_result *results,
                              sa_error *error) {
    const size_t count = corpus->count;
    work all = {.model = model, .corpus = corpus, .linking = linking};
    const char **sources = sa_new(count, sizeof *sources, error);
    int *lengths = sources ? sa_new(count, sizeof *lengths, error) : NULL;
    if (lengths) all.forced = sa_new(count, sizeof *all.forced, error);
    if (all.forced) all.translations = sa_new(count, sizeof *all.translations, error);
    sa_search best = *search;
    sa_override override = {0};
    const bool attends = sa_settings_has_attention(&model->settings);
    const sa_align_options view = {.at = linking->at};
    best.nbest = 1;
    best.weights = true;
    bool good = all.translations && sa_dataset_build(&all.pairs, corpus, NULL, &model->source,
                                                     &model->target, 0, &model->settings, error);
    const sa_sentence *source = all.pairs.source, *target = all.pairs.target;
    for (size_t i = 0; good && i < count; i++)
        sources[i] = corpus->pairs[i].source, lengths[i] = target[i].len;
    good = good &&
           sa_override_open(&override, search->override, model, corpus->pairs, count, error) &&
           sa_teacher_force(model, source, target, count, &override, attends ? &view : NULL,
                            all.forced, error) &&
           sa_translate_sources(
               &model, 1, sources,
               (sa_references){override.gold, search->reference_length ? lengths : NULL}, count,
               &best, all.translations, error);
    for (size_t i = 0; good && i < count; i++) good = evaluate_pair(&all, i, &results[i], error);
    if (all.translations) sa_translations_release(all.translations, count);
    for (size_t i = 0; all.forced && i < count; i++) sa_alignment_release(&all.forced[i]);
    free(all.translations), free(all.forced), free(sources), free(lengths);
    sa_override_close(&override, count);
    sa_dataset_release(&all.pairs);
    return good;
}

bool sa_evaluate(sa_model *model, const sa_corpus *corpus, const sa_search *search,
                 const sa_link_options *linking, sa_sentence_result *each, sa_error *error) {
    enum { TOGETHER = 2048 }; /* most pairs whose matrices are in memory together */
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
    sa_corpus some = *corpus;
    sa_search own = *search;
    for (size_t first = 0; good && first < corpus->count; first += some.count) {
        some.pairs = corpus->pairs + first, some.count = corpus->count - first;
        if (some.count > TOGETHER) some.count = TOGETHER;
        some.count = sa_alignments_together(&some.pairs->source, &some.pairs->target,
                                            sizeof *some.pairs, some.count, model->max_len);
        if (search->target_prefix) own.target_prefix = search->target_prefix + first;
        good = evaluate_together(model, &some, &own, linking, each + first, error);
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
    double log_p = 0, exact = 0, repetitions = 0, dropped = 0, reference = 0;
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
    if (isinf(scores->perplexity)) return sa_fail_diverged(error);
    scores->bleu = figures.bleu, scores->chrf = figures.chrf, scores->tokens = figures.tokens;
    scores->exact = count ? exact / (double)count : NAN;
    scores->wer = 100 - 100 * scores->exact, scores->per = figures.per;
    if (!corpus->gold) aer = before = after = (sa_aer){0};
    scores->aer = sa_aer_rate(&aer); /* NaN when nothing was counted */
    scores->precision = sa_aer_precision(&aer), scores->recall = sa_aer_recall(&aer);
    scores->aer_before = sa_aer_rate(&before), scores->aer_after = sa_aer_rate(&after);
    sa_attention_figures(&attention, scores);
    scores->rep = reference > 0 ? 100 * repetitions / reference : NAN;
    scores->drop = attention.sources ? 100 * dropped / (double)attention.sources : NAN;
    return true;
}
