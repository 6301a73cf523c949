/* dump: writes weights, batch, loss, gradients and dropout masks of a gradient check to a file for
 * other programs. */
#include "config/settings.h"
#include "lab/lab_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct dump {
    const sa_lab_model *model;
    const sa_lab_job *job;
    sa_arena arena;
    sa_tensor *tensors; /* [count]; NULL while the arena only counts */
    size_t count;
} dump;

/* Adds an empty tensor (rows 0: a vector), whose name joins two parts, and returns its data; NULL
 * while the arena only counts. */
static void *add(dump *out, sa_dtype type, int rows, int cols, const char *prefix,
                 const char *rest) {
    enum { NAME = 64 };
    const size_t size = (size_t)(rows ? rows : 1) * (size_t)cols, at = out->count++;
    char *name = sa_arena_alloc(&out->arena, NAME, 1);
    void *data = sa_arena_alloc(&out->arena, size, sa_dtypes[type].size);
    if (!out->tensors) return NULL;
    snprintf(name, NAME, "%s%s", prefix, rest);
    out->tensors[at] = (sa_tensor){.name = name, .type = type, .rank = rows ? 2 : 1, .data = data};
    out->tensors[at].shape[0] = rows ? rows : cols;
    out->tensors[at].shape[1] = rows ? cols : 0;
    return data;
}

/* ---- Weights and the batch ------------------------------------------------------------------- */

static void add_parameter(dump *out, const sa_param *param, const char *prefix,
                          const sa_real *buffer) {
    sa_real *numbers = add(out, SA_F64, param->rows, param->cols, prefix, param->name);
    if (numbers) memcpy(numbers, buffer + param->offset, sa_param_size(param) * sizeof *numbers);
}

/* Adds token ids, or extended ids, sentence after sentence. */
static void add_ids(dump *out, const char *side, const sa_sentence *sentences, int words,
                    bool extended) {
    int32_t *ids = add(out, SA_I32, 0, words, side, extended ? ".extended" : ".ids");
    for (int i = 0; ids && i < out->job->pairs.count; ids += sentences[i++].len)
        memcpy(ids, extended ? sa_sentence_extended(&sentences[i]) : sentences[i].ids,
               sizeof *ids * (size_t)sentences[i].len);
}

static void add_links(dump *out) {
    enum { LINK = 4 };
    const sa_gold_alignment *gold = out->model->pass.batch.gold ? out->job->pairs.gold : NULL;
    size_t links = 0;
    for (int i = 0; gold && i < out->job->pairs.count; i++) links += gold[i].count;
    int32_t *row = links ? add(out, SA_I32, (int)links, LINK, "links", "") : NULL;
    for (int i = 0; row && i < out->job->pairs.count; i++)
        for (size_t k = 0; k < gold[i].count; k++, row += LINK) {
            const sa_link *link = &gold[i].links[k];
            row[0] = i, row[1] = link->target, row[2] = link->source, row[3] = link->possible;
        }
}

/* ---- Dropout masks --------------------------------------------------------------------------- */

/* The rows that a mask has. */
typedef struct mask_rows {
    bool target;      /* of target words or sentences; false: of source ones */
    bool whole;       /* one row per sentence, not per word */
    const int *first; /* rows sentence by sentence: first row of each; NULL: step by step */
} mask_rows;

/* Adds a mask, unless its dropout probability is 0. Its rows are in the order of the pairs and,
 * within a pair, in the order of its words in the pass: in a recurrent encoder, the order of
 * reading. */
__attribute__((format(printf, 5, 6))) static void
add_mask(dump *out, double probability, sa_mat mask, mask_rows of, const char *format, ...) {
    const sa_batch *batch = &out->model->pass.batch;
    const sa_batch_side *side = of.target ? &batch->target : &batch->source;
    const size_t width = (size_t)mask.cols;
    char name[48];
    if (probability <= 0 || !width) return;
    va_list values;
    va_start(values, format);
    vsnprintf(name, sizeof name, format, values);
    va_end(values);
    sa_real *to = add(out, SA_F64, mask.rows, mask.cols, "mask.", name);
    for (int pair = 0; to && pair < side->sentences; pair++) {
        const int b = sa_batch_index(side, pair), target = sa_batch_index(&batch->target, pair);
        const int rows = of.whole   ? 1
                         : of.first ? of.first[target + 1] - of.first[target]
                                    : side->len[b];
        for (int t = 0; t < rows; t++, to += width) {
            const int row = of.whole ? b : of.first ? of.first[target] + t : side->start[t] + b;
            memcpy(to, sa_row(mask, row), width * sizeof *to);
        }
    }
}

static void add_recurrent_masks(dump *out) {
    static const char *const ways[] = {"forward", "backward"};
    const sa_lab_model *model = out->model;
    const sa_dropout p = model->regularizer.dropout;
    const sa_encoder_cache *encoder = &model->pass.cache.encoder;
    const sa_decoder_cache *decoder = &model->pass.cache.decoder;
    const mask_rows source = {0}, target = {.target = true}, sentences = {.whole = true},
                    targets = {.target = true, .whole = true};
    add_mask(out, p.words, encoder->word_mask, source, "source.words");
    add_mask(out, p.all, encoder->x_mask, source, "source.E");
    for (int layer = 0; layer < model->w.encoder.layers; layer++)
        for (int d = 0; d < model->w.encoder.directions; d++) {
            char number[16] = "";
            if (layer) snprintf(number, sizeof number, "%d.", layer + 1);
            add_mask(out, p.state, encoder->direction[layer][d].cell.dropout.mask, sentences,
                     "encoder.%s%s", number, ways[d]);
        }
    for (int layer = 1; layer < model->w.encoder.layers; layer++)
        add_mask(out, p.layers, encoder->h_mask[layer - 1], source, "encoder.%d.x", layer + 1);
    add_mask(out, p.all, encoder->annotation_mask, (mask_rows){.first = encoder->first},
             "annotations");
    add_mask(out, p.words, decoder->word_mask, target, "target.words");
    add_mask(out, p.all, decoder->x_mask, target, "target.E");
    add_mask(out, p.noise, decoder->rows.attention.noise, target, "attention");
    add_mask(out, p.state, decoder->rows.layer[0].cell.dropout.mask, targets, "decoder");
    add_mask(out, p.state, decoder->rows.context_cell.dropout.mask, targets, "decoder.second");
    for (int k = 1; k < model->w.decoder.sizes.layers; k++) {
        const sa_decoder_layer_rows *layer = &decoder->rows.layer[k];
        add_mask(out, p.state, layer->cell.dropout.mask, targets, "decoder.%d", k + 1);
        add_mask(out, p.layers, layer->mask, target, "decoder.%d.x", k + 1);
    }
    add_mask(out, p.all, decoder->readout.t_mask, target, "readout");
}

static void add_stack_masks(dump *out, const sa_stack_cache *stack, bool decoder) {
    const sa_dropout p = out->model->regularizer.dropout;
    const mask_rows rows = {.target = decoder, .first = stack->self.first};
    const char *side = decoder ? "target" : "source", *name = decoder ? "decoder" : "encoder";
    add_mask(out, p.words, stack->word_mask, rows, "%s.words", side);
    add_mask(out, p.all, stack->x_mask, rows, "%s.E", side);
    for (int i = 0; i < SA_MAX_LAYERS; i++) {
        const sa_layer_cache *layer = &stack->layer[i];
        add_mask(out, p.all, layer->self.residual.mask, rows, "%s.%d.self", name, i + 1);
        add_mask(out, p.all, layer->cross.residual.mask, rows, "%s.%d.cross", name, i + 1);
        add_mask(out, p.all, layer->feed.residual.mask, rows, "%s.%d.feedforward", name, i + 1);
    }
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void add_all(dump *out, double loss) {
    const sa_lab_model *model = out->model;
    const sa_lab_job *job = out->job;
    const char *const names[] = {"source", "target"};
    const sa_sentence *const sentences[] = {job->pairs.source, job->pairs.target};
    const int words[] = {model->pass.batch.source.words, model->pass.batch.target.words};
    for (int i = 0; i < model->plan->count; i++) {
        add_parameter(out, &model->plan->item[i], "", model->values);
        add_parameter(out, &model->plan->item[i], "gradient.", model->gradients);
    }
    double *number = add(out, SA_F64, 0, 1, "loss", "");
    if (number) *number = loss;
    for (int side = 0; side < 2; side++) {
        int32_t *lengths = add(out, SA_I32, 0, job->pairs.count, names[side], ".len");
        for (int i = 0; lengths && i < job->pairs.count; i++) lengths[i] = sentences[side][i].len;
        add_ids(out, names[side], sentences[side], words[side], false);
    }
    for (int side = 0; job->options.settings->copy && side < 2; side++)
        add_ids(out, names[side], sentences[side], words[side], true);
    if (model->w.recurrent) {
        add_recurrent_masks(out);
    } else {
        add_stack_masks(out, &model->pass.cache.transformer.encoder, false);
        add_stack_masks(out, &model->pass.cache.transformer.decoder, true);
    }
    add_links(out);
}

bool sa_lab_dump(const char *path, const sa_lab_model *model, const sa_lab_job *job, double loss,
                 sa_error *error) {
    char *text = sa_settings_write(job->options.settings, error);
    const sa_metadata settings = {"settings", text};
    dump out = {.model = model, .job = job};
    add_all(&out, loss); /* counts */
    const size_t count = out.count, size = out.arena.used;
    out = (dump){.model = model, .job = job, .tensors = sa_new(count, sizeof *out.tensors, error)};
    bool good = text && out.tensors && sa_arena_init(&out.arena, size, error);
    if (good) add_all(&out, loss);
    good = good && sa_container_write(path, out.tensors, count, &settings, 1, error);
    sa_arena_release(&out.arena);
    free(out.tensors), free(text);
    return good;
}
