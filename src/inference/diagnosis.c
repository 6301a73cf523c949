/* diagnosis: sa_diagnose counts what the diagnostics need in the results of sa_evaluate, and keeps
 * the worst pairs as cases. */
#include "data/encoding.h"
#include "data/overlap.h"
#include "inference/model.h"
#include "metrics/attention_statistics.h"
#include "metrics/diagnostics.h"
#include "metrics/length_balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 5, KINDS = SA_CASE_UNDER + 1 }; /* cases of each kind */

/* What a diagnosis owns: the worst pairs of each kind, and the words of their sources. */
typedef struct diagnosis_data {
    sa_finding *findings;
    sa_diagnosis_case cases[KINDS][WORST];
    const char **words[KINDS][WORST];
    size_t count[KINDS];
} diagnosis_data;

/* ---- Cases ----------------------------------------------------------------------------------- */

/* Inserts a pair, after its equals, if it is among the worst. */
static void insert_case(diagnosis_data *all, sa_case_kind kind, sa_diagnosis_case one) {
    sa_diagnosis_case *list = all->cases[kind];
    size_t at = all->count[kind];
    while (at && fabs(list[at - 1].words) < fabs(one.words)) at--;
    if (at == WORST) return;
    if (all->count[kind] < WORST) all->count[kind]++;
    memmove(list + at + 1, list + at, (all->count[kind] - at - 1) * sizeof *list);
    list[at] = one;
}

/* Fills in the source words of the cases as the text has them. */
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
        const sa_length_balance *balance = &each[i].details->balance;
        const double over = sa_length_balance_over(balance),
                     under = sa_length_balance_under(balance);
        if (sa_length_balance_is_off(over, balance->reference)) {
            stats->over++;
            insert_case(all, SA_CASE_OVER, (sa_diagnosis_case){i, over, balance->over, NULL});
        }
        if (sa_length_balance_is_off(under, balance->reference)) {
            stats->under++;
            insert_case(all, SA_CASE_UNDER, (sa_diagnosis_case){i, -under, balance->under, NULL});
        }
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
        good = sa_corpus_overlap(&model->settings, corpus, train, &stats.known_sources,
                                 &stats.known_pairs, error);
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
