/* aligning: sa_align of softalign.h. */
#include "base/settings.h"
#include "forced.h"
#include "wording.h"

#include <stdlib.h>

typedef bool each_alignment(void *context, size_t index, const sa_alignment *alignment,
                            sa_error *error);

static bool hand_out(sa_model *model, const sa_pair *pair, const sa_sentence *source,
                     const sa_sentence *target, const sa_forced *forced, size_t index,
                     each_alignment *each, void *context, sa_error *error) {
    const char **left = sa_own_words(&model->source, pair->source, source, error);
    const char **right = left ? sa_own_words(&model->target, pair->target, target, error) : NULL;
    const int heads = model->settings.heads;
    const size_t size = (size_t)target->len * (size_t)source->len;
    const sa_alignment alignment = {.targets = target->len,
                                    .sources = source->len,
                                    .heads = heads,
                                    .target = right,
                                    .source = left,
                                    .weights = forced->weights,
                                    .head_weights = forced->weights + (heads > 1 ? size : 0),
                                    .log_probability = forced->log_p};
    const bool good = right && each(context, index, &alignment, error);
    free(left);
    free(right);
    return good;
}

/* A part of the pairs small enough that all its matrices may be in memory. */
static bool align_part(sa_model *model, const sa_pair *pairs, size_t first, size_t count,
                       each_alignment *each, void *context, sa_error *error) {
    sa_sentence *source =
        sa_encode_all(&model->source, &pairs[first].source, sizeof *pairs, count, error);
    sa_sentence *target =
        source ? sa_encode_all(&model->target, &pairs[first].target, sizeof *pairs, count, error)
               : NULL;
    sa_forced *forced = target ? sa_new(count, sizeof *forced, error) : NULL;
    sa_gold *gold = NULL;
    bool good = forced && sa_gold_read(model, pairs + first, count, &gold, error) &&
                sa_force(model, source, target, gold, count, true, forced, error);
    for (size_t i = 0; good && i < count; i++)
        good = hand_out(model, &pairs[first + i], &source[i], &target[i], &forced[i], first + i,
                        each, context, error);
    for (size_t i = 0; forced && i < count; i++) free(forced[i].weights);
    free(forced);
    sa_gold_release(gold, count);
    sa_sentences_release(source, count);
    sa_sentences_release(target, count);
    return good;
}

bool sa_align(sa_model *model, const sa_pair *pairs, size_t count, each_alignment *each,
              void *context, sa_error *error) {
    enum { PART = 512 };
    bool good = sa_settings_attends(&model->settings) ||
                sa_fail(error, SA_USAGE, "the model has no attention: its decoder is '%s'",
                        sa_decoder_kinds[model->settings.decoder].name);
    for (size_t first = 0; good && first < count; first += PART)
        good = align_part(model, pairs, first, count - first < PART ? count - first : PART, each,
                          context, error);
    return good;
}
