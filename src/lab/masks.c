#include "lab/masks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct mask_list {
    sa_lab_mask *list;
    int count;
} mask_list;

/* Adds a mask unless its dropout probability is 0; like: all but its name and its rows. */
static void add(mask_list *all, double probability, sa_mat mask, sa_lab_mask like,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
static void add(mask_list *all, double probability, sa_mat mask, sa_lab_mask like,
                const char *format, ...) {
    if (probability <= 0 || mask.cols == 0) return;
    sa_require(all->count < SA_LAB_MASKS);
    sa_lab_mask *own = &all->list[all->count++];
    *own = like;
    own->mask = mask;
    va_list values;
    va_start(values, format);
    vsnprintf(own->name, sizeof own->name, format, values);
    va_end(values);
}

static void add_recurrent(mask_list *all, const sa_lab_model *model) {
    static const char *const ways[] = {"forward", "backward"};
    const sa_dropout probability = model->regularizer.dropout;
    const sa_encoder_cache *encoder = &model->pass.encoder;
    const sa_decoder_cache *decoder = &model->pass.decoder;
    const sa_lab_mask source = {.target = false}, target = {.target = true};
    const sa_lab_mask sentences = {.whole = true}, targets = {.target = true, .whole = true};
    add(all, probability.words, encoder->word_mask, source, "mask.source.words");
    add(all, probability.embeddings, encoder->x_mask, source, "mask.source.E");
    for (int layer = 0; layer < model->w.encoder.layers; layer++)
        for (int d = 0; d < model->w.encoder.directions; d++) {
            sa_require(d < (int)(sizeof ways / sizeof *ways));
            const sa_mat mask = encoder->direction[layer][d].drop.mask;
            if (layer)
                add(all, probability.state, mask, sentences, "mask.encoder.%d.%s", layer + 1,
                    ways[d]);
            else
                add(all, probability.state, mask, sentences, "mask.encoder.%s", ways[d]);
        }
    for (int layer = 1; layer < model->w.encoder.layers; layer++)
        add(all, probability.layers, encoder->h_mask[layer - 1], source, "mask.encoder.%d.x",
            layer + 1);
    add(all, probability.annotations, encoder->annotation_mask,
        (sa_lab_mask){.first = encoder->first}, "mask.annotations");
    add(all, probability.words, decoder->word_mask, target, "mask.target.words");
    add(all, probability.embeddings, decoder->x_mask, target, "mask.target.E");
    add(all, probability.noise, decoder->rows.attention.noise, target, "mask.attention");
    add(all, probability.state, decoder->drop.mask, targets, "mask.decoder");
    add(all, probability.state, decoder->second_drop.mask, targets, "mask.decoder.second");
    for (int k = 0; k < model->w.decoder.upper.sizes.count; k++) {
        const sa_upper_layer_rows *layer = &decoder->rows.upper.layer[k];
        add(all, probability.state, layer->drop.mask, targets, "mask.decoder.%d", k + 2);
        add(all, probability.layers, layer->mask, target, "mask.decoder.%d.x", k + 2);
    }
    add(all, probability.readout, decoder->readout.t_mask, target, "mask.readout");
}

static void add_stack(mask_list *all, sa_dropout probability, const sa_stack_cache *stack,
                      bool decoder) {
    const sa_lab_mask like = {.target = decoder, .first = stack->self.first};
    const char *side = decoder ? "target" : "source", *name = decoder ? "decoder" : "encoder";
    add(all, probability.words, stack->word_mask, like, "mask.%s.words", side);
    add(all, probability.embeddings, stack->x_mask, like, "mask.%s.E", side);
    for (int i = 0; i < SA_MAX_LAYERS; i++) {
        const sa_layer_cache *layer = &stack->layer[i];
        add(all, probability.sublayers, layer->self.residual.mask, like, "mask.%s.%d.self", name,
            i + 1);
        add(all, probability.sublayers, layer->cross.residual.mask, like, "mask.%s.%d.cross", name,
            i + 1);
        add(all, probability.sublayers, layer->feed.residual.mask, like, "mask.%s.%d.feedforward",
            name, i + 1);
    }
}

int sa_lab_masks_list(const sa_lab_model *model, sa_lab_mask list[SA_LAB_MASKS]) {
    mask_list all = {.list = list};
    if (model->w.family->recurrent) {
        add_recurrent(&all, model);
        return all.count;
    }
    add_stack(&all, model->regularizer.dropout, &model->pass.transformer.encoder, false);
    add_stack(&all, model->regularizer.dropout, &model->pass.transformer.decoder, true);
    return all.count;
}

/* The place of a pair's sentence on a side of the batch. */
static int batch_index(const sa_batch_side *side, int pair) {
    int b = 0;
    while (side->order[b] != pair) b++;
    return b;
}

void sa_lab_mask_write(const sa_lab_model *model, const sa_lab_mask *mask, sa_real *to) {
    const sa_batch *batch = &model->batch;
    const sa_batch_side *side = mask->target ? &batch->target : &batch->source;
    const size_t width = (size_t)mask->mask.cols;
    for (int pair = 0; pair < side->sentences; pair++) {
        const int b = batch_index(side, pair), target = batch_index(&batch->target, pair);
        const int rows = mask->whole ? 1 : side->len[b];
        for (int t = 0; t < rows; t++, to += width) {
            const int row = mask->whole   ? b
                            : mask->first ? mask->first[target] + t
                                          : side->start[t] + b;
            memcpy(to, sa_row(mask->mask, row), width * sizeof *to);
        }
    }
}
