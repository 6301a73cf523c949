/* api_gradcheck: sa_check_gradients of softalign.h. Builds the batch; the laboratory checks. */
#include "base/argument.h"
#include "config/settings.h"
#include "data/dataset.h"
#include "inference/gold_links.h"
#include "lab/lab.h"

#include <stdlib.h>

/* Checks a batch of the first settings->batch pairs that are not too long. */
static bool check_pairs(sa_lab_job *job, const char *path, sa_error *error) {
    sa_corpus corpus;
    sa_text_codec source = {0}, target = {0};
    sa_dataset pairs = {0};
    if (!sa_corpus_open(&corpus, path, error)) return false;
    bool good = sa_text_codecs_build(&source, &target, &corpus, NULL, job->settings, error) &&
                sa_dataset_build(&pairs, &corpus, NULL, &source, &target, job->settings->max_len,
                                 job->settings->copy, error);
    sa_gold_alignment *gold = NULL;
    if (good && job->settings->guided_alignment > 0) {
        good = corpus.gold || sa_fail_unaligned(&corpus, error);
        gold = good ? sa_gold_make(&source, &target, &corpus, corpus.pairs, pairs.pair, pairs.count,
                                   error)
                    : NULL;
        good = gold;
    }
    if (good) {
        job->gold = gold;
        job->source = pairs.source;
        job->target = pairs.target;
        job->count =
            pairs.count < (size_t)job->settings->batch ? (int)pairs.count : job->settings->batch;
        job->source_words = sa_vocab_size(&source.vocab);
        job->target_words = sa_vocab_size(&target.vocab);
        good = sa_lab_check(job, error);
    }
    sa_gold_release(gold, pairs.count);
    sa_dataset_release(&pairs);
    sa_text_codec_release(&source);
    sa_text_codec_release(&target);
    sa_corpus_close(&corpus);
    return good;
}

bool sa_check_gradients(const sa_gradcheck_options *check, sa_error *error) {
    if (!sa_given(check, "options", error) ||
        !sa_given(check->settings, "options->settings", error) ||
        !sa_settings_check(check->settings, error))
        return false;
    char *text = sa_settings_write(check->settings, error);
    if (!text) return false;
    sa_lab_job job = {.settings = check->settings,
                      .settings_text = text,
                      .fault = check->broken,
                      .dump = check->dump,
                      .each = check->each,
                      .context = check->context};
    const bool good =
        check->train ? check_pairs(&job, check->train, error) : sa_lab_check(&job, error);
    free(text);
    return good;
}

const char *sa_gradient_fault_name(size_t i, const char **dropped, const char **options) {
    return sa_lab_gradient_fault(i, dropped, options);
}
