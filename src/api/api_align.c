/* aligning: sa_align of softalign.h. */
#include "config/settings.h"
#include "inference/encoding.h"
#include "inference/teacher_forcing.h"
#include "inference/token_words.h"

#include <stdlib.h>

typedef bool each_alignment(void *context, size_t index, const sa_alignment *alignment,
                            sa_error *error);

/* The words that enter the decoder: the start mark, then all but the end mark. */
static void shift_words(const char **words, int count) {
    for (int t = count - 1; t > 0; t--) words[t] = words[t - 1];
    words[0] = "<s>";
}

static bool report_alignment(sa_model *model, const sa_pair *pair, const sa_sentence *source,
                             const sa_sentence *target, const sa_forced_decoding *forced,
                             size_t index, each_alignment *each, void *context, sa_error *error) {
    const char **left = sa_surface_words(&model->source, pair->source, source, error);
    const char **right =
        left ? sa_surface_words(&model->target, pair->target, target, error) : NULL;
    const sa_attention_site place = model->view.place;
    const int heads = sa_seq2seq_heads(&model->w), layers = sa_seq2seq_layers(&model->w, place);
    const int rows = place == SA_SITE_ENCODER ? source->len : target->len;
    const int columns = place == SA_SITE_DECODER ? target->len : source->len;
    const size_t size = (size_t)rows * (size_t)columns;
    if (right && place == SA_SITE_DECODER) shift_words(right, target->len);
    const double *of_heads = forced->weights + (heads > 1 ? size : 0);
    const sa_alignment alignment = {
        .targets = rows,
        .sources = columns,
        .heads = heads,
        .layers = layers,
        .target = place == SA_SITE_ENCODER ? left : right,
        .source = place == SA_SITE_DECODER ? right : left,
        .weights = forced->weights,
        .head_weights = of_heads,
        .layer_weights =
            layers > 1 ? of_heads + (heads > 1 ? (size_t)heads * size : size) : of_heads,
        .log_probability = forced->log_p,
    };
    const bool good = right && each(context, index, &alignment, error);
    free(left);
    free(right);
    return good;
}

/* A part of the pairs small enough that all its matrices may be in memory. */
static bool align_part(sa_model *model, const sa_pair *pairs, size_t first, size_t count,
                       each_alignment *each, void *context, sa_error *error) {
    sa_sentence *source =
        sa_encode_texts(&model->source, &pairs[first].source, sizeof *pairs, count, error);
    sa_sentence *target =
        source ? sa_encode_texts(&model->target, &pairs[first].target, sizeof *pairs, count, error)
               : NULL;
    sa_forced_decoding *forced = target ? sa_new(count, sizeof *forced, error) : NULL;
    sa_gold_alignment *gold = NULL;
    bool good = forced && sa_override_links(model, pairs + first, count, &gold, error) &&
                sa_teacher_force(model, source, target, gold, count, &model->view, forced, error);
    for (size_t i = 0; good && i < count; i++)
        good = report_alignment(model, &pairs[first + i], &source[i], &target[i], &forced[i],
                                first + i, each, context, error);
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
    bool good = sa_settings_has_attention(&model->settings) ||
                sa_fail(error, SA_USAGE, "the model has no attention: its decoder is '%s'",
                        sa_decoder_kinds[model->settings.decoder].name);
    for (size_t first = 0; good && first < count; first += PART)
        good = align_part(model, pairs, first, count - first < PART ? count - first : PART, each,
                          context, error);
    return good;
}
