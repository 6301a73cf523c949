/* diagnosing: sa_diagnose of softalign.h. */
#include "analysis/attention_statistics.h"
#include "analysis/diagnostics.h"
#include "analysis/length_balance.h"
#include "analysis/overlap.h"
#include "config/settings.h"
#include "inference/encoding.h"
#include "inference/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 5, KINDS = SA_CASES_UNDER + 1 }; /* pairs shown of each kind */

/* The worst pairs of each kind, and the words of their sources. */
typedef struct worst {
    sa_case cases[KINDS][WORST];
    const char **words[KINDS][WORST];
    size_t count[KINDS];
} worst;

/* What a diagnosis owns. */
typedef struct holding {
    sa_finding *findings;
    worst worst;
} holding;

/* ---- Pairs that show it ---------------------------------------------------------------------- */

/* Keeps a pair if it is among the worst; of equals the first stand before. */
static void keep(worst *all, sa_cases kind, sa_case one) {
    sa_case *list = all->cases[kind];
    size_t at = all->count[kind];
    while (at && fabs(list[at - 1].words) < fabs(one.words)) at--;
    if (at == WORST) return;
    if (all->count[kind] < WORST) all->count[kind]++;
    memmove(list + at + 1, list + at, (all->count[kind] - at - 1) * sizeof *list);
    list[at] = one;
}

static void look_at_pair(const sa_judgement *judged, size_t index, sa_symptoms *symptoms,
                         worst *all) {
    const sa_balance *balance = &judged->balance;
    const double over = sa_balance_over(balance), under = sa_balance_under(balance);
    if (sa_balance_off(over, balance->reference)) {
        symptoms->over++;
        keep(all, SA_CASES_OVER, (sa_case){index, over, balance->most, NULL});
    }
    if (sa_balance_off(under, balance->reference)) {
        symptoms->under++;
        keep(all, SA_CASES_UNDER, (sa_case){index, -under, balance->least, NULL});
    }
}

/* The user's own words for the source words of the cases. */
static bool name_words(const sa_model *model, const sa_corpus *corpus, worst *all,
                       sa_error *error) {
    for (int kind = SA_CASES_OVER; kind < KINDS; kind++)
        for (size_t i = 0; i < all->count[kind]; i++) {
            sa_case *one = &all->cases[kind][i];
            if (one->look.place < 0) continue;
            const char *const *text = &corpus->pairs[one->index].source;
            sa_sentence *read = sa_encode_all(&model->source, text, 0, 1, error);
            const char **words = read ? sa_own_words(&model->source, *text, read, error) : NULL;
            sa_sentences_release(read, 1);
            if (!words) return false;
            all->words[kind][i] = words;
            one->source = words[one->look.place];
        }
    return true;
}

/* ---- Everything that was counted ------------------------------------------------------------- */

static bool has_name(const char *name, const char *wanted) {
    return strcmp(name, wanted) == 0;
}

static void look(const sa_model *model, const sa_corpus *corpus, const sa_judgement *each,
                 sa_symptoms *symptoms, worst *all) {
    const sa_settings *settings = &model->settings;
    *symptoms = (sa_symptoms){
        .sentences = corpus->count,
        .uniform_chosen = has_name(sa_compats[settings->attention].name, "uniform"),
        /* letters are the same in many words */
        .twins_mean_links = !has_name(sa_tokenizers[settings->tokenizer].name, "char"),
    };
    for (size_t i = 0; i < corpus->count; i++) {
        sa_gaze_sum(&symptoms->gaze, &each[i].gaze);
        symptoms->source_words += (size_t)each[i].source_words;
        symptoms->target_words += (size_t)each[i].words - 1; /* without the end mark */
        symptoms->unknown_source += (size_t)each[i].unknown_source;
        symptoms->unknown_target += (size_t)each[i].unknown_target;
        look_at_pair(&each[i], i, symptoms, all);
    }
}

static bool list_findings(const sa_symptoms *symptoms, holding *held, sa_diagnosis *diagnosis,
                          sa_error *error) {
    size_t rows = 0;
    while (sa_illnesses[rows].name) rows++;
    held->findings = diagnosis->findings = sa_new(rows, sizeof *held->findings, error);
    if (!held->findings) return false;
    double figure;
    for (size_t row = 0; sa_illness_next(symptoms, &row, &figure); row++) {
        const sa_illness *illness = &sa_illnesses[row];
        held->findings[diagnosis->count++] =
            (sa_finding){.name = illness->name,
                         .measure = illness->measure,
                         .figure = figure,
                         .threshold = illness->threshold,
                         .lesson = illness->lesson,
                         .cases = held->worst.cases[illness->cases],
                         .case_count = held->worst.count[illness->cases]};
    }
    return true;
}

/* ---- The public part ------------------------------------------------------------------------- */

bool sa_diagnose(sa_model *model, const sa_corpus *corpus, const sa_judgement *each,
                 const sa_corpus *train, sa_diagnosis *diagnosis, sa_error *error) {
    sa_symptoms symptoms;
    sa_scores scores;
    *diagnosis = (sa_diagnosis){0};
    holding *held = diagnosis->owned = sa_new(1, sizeof *held, error);
    if (!held) return false;
    look(model, corpus, each, &symptoms, &held->worst);
    bool good = sa_summarise(corpus, each, NULL, corpus->count, &scores, error) &&
                name_words(model, corpus, &held->worst, error);
    if (good && train) {
        symptoms.train_pairs = train->count;
        good =
            sa_overlap_count(corpus, train, &symptoms.known_sources, &symptoms.known_pairs, error);
    }
    symptoms.aer = scores.aer;
    symptoms.aer_before = scores.aer_before, symptoms.aer_after = scores.aer_after;
    if (good && list_findings(&symptoms, held, diagnosis, error)) return true;
    sa_diagnosis_release(diagnosis);
    return false;
}

void sa_diagnosis_release(sa_diagnosis *diagnosis) {
    holding *held = diagnosis->owned;
    for (int kind = 0; held && kind < KINDS; kind++)
        for (size_t i = 0; i < WORST; i++) free(held->worst.words[kind][i]);
    if (held) free(held->findings);
    free(held);
    *diagnosis = (sa_diagnosis){0};
}

const char *sa_finding_row(size_t i, const char **measure, double *threshold) {
    size_t known = 0;
    while (sa_illnesses[known].name) known++;
    if (i >= known) return NULL;
    if (measure) *measure = sa_illnesses[i].measure;
    if (threshold) *threshold = sa_illnesses[i].threshold;
    return sa_illnesses[i].name;
}
