#include "lab/masks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The list while it is made. */
typedef struct making {
    sa_lab_mask *list;
    int count;
} making;

/* One more, if the share dropped there is not 0; like: all but its name and numbers. */
static void add(making *all, double share, sa_mat mask, sa_lab_mask like, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static void add(making *all, double share, sa_mat mask, sa_lab_mask like, const char *format, ...) {
    if (share <= 0 || mask.cols == 0) return;
    sa_require(all->count < SA_LAB_MASKS);
    sa_lab_mask *own = &all->list[all->count++];
    *own = like;
    own->mask = mask;
    va_list values;
    va_start(values, format);
    vsnprintf(own->name, sizeof own->name, format, values);
    va_end(values);
}

static void add_recurrent(making *all, const sa_lab_run *run) {
    static const char *const ways[] = {"forward", "backward"};
    const sa_dropout share = run->regularizer.dropout;
    const sa_encoder_cache *encoder = &run->pass.encoder;
    const sa_decoder_cache *decoder = &run->pass.decoder;
    const sa_lab_mask source = {.target = false}, target = {.target = true};
    const sa_lab_mask sentences = {.whole = true}, targets = {.target = true, .whole = true};
    add(all, share.words, encoder->word_mask, source, "mask.source.words");
    add(all, share.embeddings, encoder->x_mask, source, "mask.source.E");
    for (int layer = 0; layer < run->w.encoder.layers; layer++)
        for (int d = 0; d < run->w.encoder.directions; d++) {
            sa_require(d < (int)(sizeof ways / sizeof *ways));
            const sa_mat mask = encoder->direction[layer][d].drop.mask;
            if (layer)
                add(all, share.state, mask, sentences, "mask.encoder.%d.%s", layer + 1, ways[d]);
            else
                add(all, share.state, mask, sentences, "mask.encoder.%s", ways[d]);
        }
    add(all, share.annotations, encoder->annotation_mask, (sa_lab_mask){.first = encoder->first},
        "mask.annotations");
    add(all, share.words, decoder->word_mask, target, "mask.target.words");
    add(all, share.embeddings, decoder->x_mask, target, "mask.target.E");
    add(all, share.state, decoder->drop.mask, targets, "mask.decoder");
    add(all, share.state, decoder->second_drop.mask, targets, "mask.decoder.second");
    add(all, share.readout, decoder->readout.t_mask, target, "mask.readout");
}

static void add_stack(making *all, sa_dropout share, const sa_stack_cache *stack, bool decoder) {
    const sa_lab_mask like = {.target = decoder, .first = stack->self.first};
    const char *side = decoder ? "target" : "source", *name = decoder ? "decoder" : "encoder";
    add(all, share.words, stack->word_mask, like, "mask.%s.words", side);
    add(all, share.embeddings, stack->x_mask, like, "mask.%s.E", side);
    for (int i = 0; i < SA_LAYERS; i++) {
        const sa_layer_cache *layer = &stack->layer[i];
        add(all, share.sublayers, layer->self.around.mask, like, "mask.%s.%d.self", name, i + 1);
        add(all, share.sublayers, layer->cross.around.mask, like, "mask.%s.%d.cross", name, i + 1);
        add(all, share.sublayers, layer->feed.around.mask, like, "mask.%s.%d.feedforward", name,
            i + 1);
    }
}

int sa_lab_masks_list(const sa_lab_run *run, sa_lab_mask list[SA_LAB_MASKS]) {
    making all = {.list = list};
    if (run->w.model == SA_MODEL_RECURRENT) {
        add_recurrent(&all, run);
        return all.count;
    }
    add_stack(&all, run->regularizer.dropout, &run->pass.transformer.encoder, false);
    add_stack(&all, run->regularizer.dropout, &run->pass.transformer.decoder, true);
    return all.count;
}

/* Where the sentence of a pair stands on a side. */
static int place_of(const sa_side *side, int pair) {
    int b = 0;
    while (side->order[b] != pair) b++;
    return b;
}

void sa_lab_mask_write(const sa_lab_run *run, const sa_lab_mask *mask, sa_real *to) {
    const sa_batch *batch = &run->batch;
    const sa_side *side = mask->target ? &batch->target : &batch->source;
    const size_t width = (size_t)mask->mask.cols;
    for (int pair = 0; pair < side->sentences; pair++) {
        const int b = place_of(side, pair), target = place_of(&batch->target, pair);
        const int rows = mask->whole ? 1 : side->len[b];
        for (int t = 0; t < rows; t++, to += width) {
            const int row = mask->whole   ? b
                            : mask->first ? mask->first[target] + t
                                          : side->start[t] + b;
            memcpy(to, sa_row(mask->mask, row), width * sizeof *to);
        }
    }
}
