#include "api/pair_statistics.h"
#include "analysis/attention_statistics.h"
#include "analysis/length_balance.h"
#include "attention/score.h"
#include "inference/encoding.h"
#include "inference/token_words.h"
#include "metrics/aer.h"
#include "metrics/linking.h"

#include <stdlib.h>

/* ---- Attention and words --------------------------------------------------------------------- */

static int unknown_words(const sa_sentence *sentence) {
    int unknown = 0;
    for (int i = 0; i < sentence->len; i++) unknown += sentence->ids[i] == SA_UNK;
    return unknown;
}

bool sa_pair_add_statistics(const sa_model *model, const sa_pair *pair, const sa_sentence *source,
                            const sa_sentence *target, const sa_alignment *forced,
                            const sa_translation *translation, sa_sentence_result *out,
                            sa_error *error) {
    const char **left = sa_surface_words(&model->source, pair->source, source, error);
    const char **right =
        left ? sa_surface_words(&model->target, pair->target, target, error) : NULL;
    if (right) {
        const sa_attended_text own = {translation->target, translation->words,
                                      translation->complete && translation->words,
                                      translation->weights},
                               reference = {right, target->len, true, forced->weights};
        out->balance = sa_length_balance_compute(&own, &reference, source->len);
        out->unknown_source = unknown_words(source), out->unknown_target = unknown_words(target);
        if (forced->weights) {
            const int T = target->len, S = source->len;
            sa_attention_stats_add(&out->attention, forced->weights,
                                   sa_alignment_weights(forced, 0, 1), forced->heads, T, S);
            const sa_normalizer *normalizer = sa_scores[model->settings.attention].normalizer;
            if (normalizer && normalizer->step_forward) /* it reads from left to right */
                sa_attention_stats_add_read(&out->attention, forced->weights, T, S);
            sa_attention_stats_add_identical(&out->attention, forced->weights, right, T, left, S);
        }
    }
    const bool good = right != NULL;
    free(left);
    free(right);
    return good;
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
    const bool good = links && sa_links_parse_gold(corpus, pair, sources - 1, targets - 1, &gold,
                                                   &gold_count, error);
    for (int shift = -1; good && shift <= 1; shift++) {
        const size_t count = sa_linking_extract(linking, weights, targets, sources, shift, links);
        sa_aer_add(&at[shift + 1], links, count, gold, gold_count);
    }
    out->before = at[0], out->links = at[1], out->after = at[2];
    free(links);
    free(gold);
    return good;
}

bool sa_pair_count_links(const sa_model *model, const sa_link_options *linking,
                         const sa_corpus *corpus, const sa_dataset *pairs, size_t i,
                         const double *weights, sa_sentence_result *out, sa_error *error) {
    const int sources = pairs->source[i].len, targets = pairs->target[i].len;
    const sa_pair *pair = &corpus->pairs[i];
    sa_token_words source, target;
    sa_link_options own = *linking;
    own.null_key = sa_settings_has_null_key(&model->settings);
    if (!model->source.tokenizer->subword)
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
