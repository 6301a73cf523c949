/* api_prove: sa_prove of softalign.h. */
#include "base/argument.h"
#include "inference/model.h"
#include "lab/lab.h"

#include <limits.h>

static void prove_pairs(sa_lab_prove_job *proof, const sa_dataset *pairs, int limit) {
    proof->source = pairs->source;
    proof->target = pairs->target;
    proof->count = pairs->count < (size_t)limit ? (int)pairs->count : limit;
}

bool sa_prove(const sa_model *model, const sa_prove_options *proving, sa_error *error) {
    sa_dataset pairs = {0};
    if (!sa_given(model, "model", error) || !sa_given(proving, "options", error) ||
        (proving->corpus && (!sa_given_corpus(proving->corpus, "options->corpus", error) ||
                             !sa_within(proving->limit, 1, INT_MAX, "options->limit", error))))
        return false;
    sa_lab_prove_job proof = {.settings = &model->settings,
                              .values = model->values,
                              .source_words = sa_vocab_size(&model->source.vocab),
                              .target_words = sa_vocab_size(&model->target.vocab),
                              .seed = (uint64_t)proving->seed,
                              .each = proving->each,
                              .context = proving->context};
    if (proving->corpus) {
        if (!sa_dataset_build(&pairs, proving->corpus, NULL, &model->source, &model->target,
                              model->settings.max_len, model->settings.copy, error))
            return false;
        prove_pairs(&proof, &pairs, proving->limit);
    }
    const bool good = sa_lab_prove(&proof, error);
    sa_dataset_release(&pairs);
    return good;
}

const char *sa_proof_check_name(size_t i, const char **meaning) {
    return sa_lab_check_name(i, meaning);
}
