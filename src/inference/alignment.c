/* alignment: sa_align of softalign.h. */
#include "base/error.h"
#include "config/settings.h"
#include "inference/encoding.h"
#include "inference/gold_links.h"
#include "inference/teacher_forcing.h"
#include "metrics/linking.h"

#include <stdlib.h>
#include <string.h>

typedef bool each_alignment(void *context, size_t index, const sa_alignment *alignment,
                            sa_error *error);

/* From the words that are predicted to those that the decoder reads: BOS first, without EOS. */
static void shift_words(const char **words, int count) {
    for (int t = count - 1; t > 0; t--) words[t] = words[t - 1];
    words[0] = "<s>";
}

/* Which tokens are <unk>; BOS and EOS are not. */
static bool *unknown_tokens(const sa_sentence *sentence, sa_error *error) {
    bool *unknown = sa_new((size_t)sentence->len, sizeof *unknown, error);
    for (int i = 0; unknown && i < sentence->len; i++) unknown[i] = sentence->ids[i] == SA_UNK;
    return unknown;
}

static void shift_unknown(bool *unknown, int count) {
    memmove(unknown + 1, unknown, (size_t)count - 1);
    unknown[0] = false;
}

static bool report(sa_model *model, const sa_align_options *options, const sa_pair *pair,
                   const sa_sentence *source, const sa_sentence *target,
                   const sa_alignment *weights, size_t index, each_alignment *each, void *context,
                   sa_error *error) {
    const char **left = sa_surface_words(&model->source, pair->source, source, error);
    const char **right =
        left ? sa_surface_words(&model->target, pair->target, target, error) : NULL;
    bool *left_unknown = right ? unknown_tokens(source, error) : NULL;
    bool *right_unknown = left_unknown ? unknown_tokens(target, error) : NULL;
    if (right_unknown && options->site == SA_SITE_DECODER) {
        shift_words(right, target->len);
        shift_unknown(right_unknown, target->len);
    }
    sa_alignment alignment = *weights;
    const bool encoder = options->site == SA_SITE_ENCODER,
               decoder = options->site == SA_SITE_DECODER;
    alignment.target = encoder ? left : right;
    alignment.source = decoder ? right : left;
    alignment.target_unknown = encoder ? left_unknown : right_unknown;
    alignment.source_unknown = decoder ? right_unknown : left_unknown;
    const bool good = right_unknown && each(context, index, &alignment, error);
    free(left), free(right);
    free(left_unknown), free(right_unknown);
    return good;
}

/* Pairs few enough that all their matrices may be in memory. */
static bool align_part(sa_model *model, const sa_align_options *options, const sa_pair *pairs,
                       size_t first, size_t count, each_alignment *each, void *context,
                       sa_error *error) {
    sa_sentence *source = sa_encode_texts(&model->source, model->max_len, &pairs[first].source,
                                          sizeof *pairs, count, error);
    sa_sentence *target = source
                              ? sa_encode_texts(&model->target, model->max_len,
                                                &pairs[first].target, sizeof *pairs, count, error)
                              : NULL;
    const bool extended =
        target && sa_extend_texts(model, &pairs[first].source, &pairs[first].target, sizeof *pairs,
                                  count, source, target, error);
    sa_alignment *weights = extended ? sa_new(count, sizeof *weights, error) : NULL;
    sa_override override = {0};
    bool good =
        weights &&
        sa_override_open(&override, options->override, model, pairs + first, count, error) &&
        sa_teacher_force(model, source, target, count, &override, options, weights, error);
    for (size_t i = 0; good && i < count; i++)
        good = report(model, options, &pairs[first + i], &source[i], &target[i], &weights[i],
                      first + i, each, context, error);
    for (size_t i = 0; weights && i < count; i++) sa_alignment_release(&weights[i]);
    free(weights);
    sa_override_close(&override, count);
    sa_sentences_release(source, count);
    sa_sentences_release(target, count);
    return good;
}

static bool check_options(const sa_model *model, const sa_align_options *options, sa_error *error) {
    static const char *const sites[] = {
        [SA_SITE_CROSS] = "cross", [SA_SITE_ENCODER] = "encoder", [SA_SITE_DECODER] = "decoder"};
    const size_t site = options->site;
    if (!sa_settings_has_attention(&model->settings)) return sa_fail_no_attention(model, error);
    if (site >= sizeof sites / sizeof *sites)
        return sa_fail(error, SA_USAGE, "there is no attention site %zu", site);
    const int layers = sa_seq2seq_layers(&model->w, options->site);
    if (!layers)
        return sa_fail(error, SA_USAGE, "{site} %s: the model has no attention there", sites[site]);
    if (options->layer < 0 || options->layer > layers)
        return sa_fail(error, SA_USAGE, "{layer} %d: the model has %d", options->layer, layers);
    return sa_override_check(options->override, error);
}

bool sa_align(sa_model *model, const sa_align_options *options, const sa_pair *pairs, size_t count,
              each_alignment *each, void *context, sa_error *error) {
    enum { PART = 512 };
    const sa_align_options usual = {0};
    if (!options) options = &usual;
    if (!sa_given(model, "model", error) || !sa_given_pairs(pairs, count, "pairs", error))
        return false;
    if (!each) return sa_fail(error, SA_USAGE, "'each' is NULL");
    bool good =
        check_options(model, options, error) && sa_check_lengths(model, NULL, pairs, count, error);
    for (size_t first = 0, part; good && first < count; first += part) {
        part = count - first < PART ? count - first : PART;
        part = sa_alignments_together(&pairs[first].source, &pairs[first].target, sizeof *pairs,
                                      part, model->max_len);
        good = align_part(model, options, pairs, first, part, each, context, error);
    }
    return good;
}
