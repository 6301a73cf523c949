#include "train/end_diagnosis.h"
#include "base/memory.h"
#include "train/session.h"

#include <stdlib.h>

/* How far a figure is on the way from its threshold to 1. Translations that are too long or too
 * short are symptoms, which matter only where no cause is found. */
static double severity(const sa_finding *finding) {
    return (finding->figure - finding->threshold) / (1 - finding->threshold) -
           (finding->case_count > 0);
}

static void take_worst(const sa_diagnosis *diagnosis, sa_train_result *result) {
    const sa_finding *worst = NULL;
    for (size_t i = 0; i < diagnosis->count; i++) {
        const sa_finding *one = &diagnosis->findings[i];
        if (one->brief && (!worst || severity(one) > severity(worst))) worst = one;
    }
    if (!worst) return;
    result->worst = worst->brief;
    result->worst_figure = worst->figure;
}

static bool diagnose_pairs(const sa_session *session, const sa_corpus *pairs,
                           sa_train_result *result, sa_error *error) {
    sa_search search;
    sa_diagnosis diagnosis;
    sa_search_init(&search);
    sa_model *model = sa_model_open(session->best_path.text, session->settings.threads, error);
    sa_sentence_result *each = model ? sa_new(pairs->count, sizeof *each, error) : NULL;
    bool good = each && sa_evaluate(model, pairs, &search, NULL, each, error);
    if (good) {
        good = sa_diagnose(model, pairs, each, NULL, &diagnosis, error);
        sa_sentence_results_release(each, pairs->count);
    }
    if (good) {
        take_worst(&diagnosis, result);
        sa_diagnosis_release(&diagnosis);
    }
    free(each);
    sa_model_close(model);
    return good;
}

void sa_session_diagnose(sa_session *session, sa_train_result *result) {
    enum { PAIRS = 200 };
    const sa_dataset *data = &session->valid_data;
    sa_error error = {0};
    sa_corpus pairs = session->valid;
    pairs.count = data->count < PAIRS ? data->count : PAIRS;
    pairs.pairs = sa_new(pairs.count, sizeof *pairs.pairs, &error);
    for (size_t i = 0; pairs.pairs && i < pairs.count; i++)
        pairs.pairs[i] = session->valid.pairs[data->pair[i]];
    sa_trainer_close(&session->trainer); /* its memory is needed for the best model */
    if (!pairs.pairs || !diagnose_pairs(session, &pairs, result, &error))
        sa_session_note(session, "note: the best model is not diagnosed: %s", error.text);
    free(pairs.pairs);
}
