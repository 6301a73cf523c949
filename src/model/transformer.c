/* The Transformer (Vaswani et al. 2017): computes the memory h_j from the source words and, from
 * that and the target words before, the vectors t_i that predict the next ones, for sa_seq2seq_loss
 * and for decoding (kv_cache.c). It may also be decoder-only: one stack that reads source and
 * target. Rows are in the order of the sentences: R words with vectors of m numbers; N words of the
 * memory. */
#include "model/transformer.h"
#include "attention/parts.h"
#include "base/thread.h"
#include "model/buffers.h"
#include "tensor/vec.h"

#include <stdio.h>

/* ---- Sublayers ------------------------------------------------------------------------------- */

/* Section 3.1 (Vaswani et al. 2017): the residual connection around MultiHead(x, h, h).
 * x [R x m] -> y [R x m], which is cache->residual.y; h [N x m] is in cache->memory */
static sa_mat attention_forward(const sa_attention_sublayer *w, sa_mat x, double dropout,
                                sa_rng *rng, sa_attention_sublayer_cache *cache,
                                const sa_attention_workspace *own) {
    sa_residual_enter_forward(&w->residual, x, &cache->residual);
    sa_merged_forward(&own->merged, cache->residual.in, cache->memory.annotations);
    sa_memory_forward(&w->attention, &cache->memory);
    sa_attention_forward(&w->attention, &cache->memory, &cache->queries, cache->residual.in,
                         cache->rows, cache->residual.y, &own->scratch);
    sa_residual_leave_forward(&w->residual, x, dropout, rng, &cache->residual);
    return cache->residual.y;
}

/* Turns d [R x m], the gradient with respect to y, into the gradient with respect to x. dalpha [R x
 * H S] is what the loss adds to the gradient of the weights themselves, or empty. Accumulates into
 * own->dmemory.annotations and dw. */
static void attention_backward(const sa_attention_sublayer *w, double dropout,
                               const sa_attention_sublayer_cache *cache, sa_mat d, sa_mat dalpha,
                               const sa_sublayer_workspace *workspace, sa_attention_workspace *own,
                               sa_attention_sublayer *dw) {
    sa_residual_leave_backward(&w->residual, &cache->residual, dropout, d, workspace->df,
                               workspace->din, &dw->residual);
    sa_memory_zero(&w->attention, &own->dmemory);
    sa_zero(own->merged.d);
    own->drows.alpha = dalpha;
    const sa_attention_pass pass = {&cache->memory, cache->rows, own->drows, &own->dmemory,
                                    &own->scratch};
    sa_attention_backward(&w->attention, &pass, &cache->queries, workspace->df, workspace->din,
                          &dw->attention);
    sa_attention_projections_backward(cache->residual.in, cache->rows, workspace->df, own->drows,
                                      &dw->attention);
    sa_memory_backward(&w->attention, &cache->memory, &own->dmemory, &dw->attention);
    sa_merged_backward(&own->merged, workspace->din);
    sa_residual_enter_backward(&w->residual, &cache->residual, workspace->din, d, &dw->residual);
}

/* Section 3.3: the residual connection around FFN(x). x [R x m] -> y [R x m] */
sa_mat sa_feedforward_sublayer_forward(const sa_feedforward_sublayer *w, sa_mat x, double dropout,
                                       sa_rng *rng, sa_feedforward_sublayer_cache *cache) {
    sa_residual_enter_forward(&w->residual, x, &cache->residual);
    sa_feedforward_forward(&w->network, cache->residual.in, cache->inner, cache->residual.y);
    sa_residual_leave_forward(&w->residual, x, dropout, rng, &cache->residual);
    return cache->residual.y;
}

static void feedforward_backward(const sa_feedforward_sublayer *w, double dropout,
                                 const sa_feedforward_sublayer_cache *cache, sa_mat d,
                                 const sa_sublayer_workspace *workspace,
                                 sa_feedforward_sublayer *dw) {
    sa_residual_leave_backward(&w->residual, &cache->residual, dropout, d, workspace->df,
                               workspace->din, &dw->residual);
    sa_feedforward_backward(&w->network, cache->residual.in, cache->inner, workspace->df,
                            workspace->dinner, workspace->din, &dw->network);
    sa_residual_enter_backward(&w->residual, &cache->residual, workspace->din, d, &dw->residual);
}

/* ---- Words and positions --------------------------------------------------------------------- */

/* Sections 3.4 and 3.5 (Vaswani et al. 2017): x_t = sqrt(m) E y + PE(t), [R x m] */
static void embed_forward(const sa_stack *w, sa_mat E, sa_dropout dropout, sa_rng *rng,
                          sa_stack_cache *cache) {
    const sa_queries *queries = &cache->self;
    sa_embedding_forward(E, cache->ids, cache->x);
    sa_scale(sa_sqrt((sa_real)E.cols), cache->x);
    sa_dropout_forward(dropout.words, rng, cache->word_mask, cache->x);
    sa_positions_table(&w->positions, 0, cache->position_vectors);
    for (int b = 0; cache->position_vectors.rows && b < queries->blocks; b++) {
        const int first = queries->first[b], len = queries->first[b + 1] - first;
        sa_add(sa_rows(cache->position_vectors, 0, len), sa_rows(cache->x, first, len));
    }
    sa_dropout_forward(dropout.all, rng, cache->x_mask, cache->x);
}

/* Overwrites d [R x m]. */
static void embed_backward(sa_dropout dropout, const sa_stack_cache *cache, sa_mat d, sa_stack *dw,
                           sa_mat dE) {
    const sa_queries *queries = &cache->self;
    sa_dropout_backward(dropout.all, cache->x_mask, d);
    for (int b = 0; cache->position_vectors.rows && b < queries->blocks; b++) /* .. + PE(t) */
        for (int row = queries->first[b]; row < queries->first[b + 1]; row++)
            sa_positions_backward(row - queries->first[b], sa_rows(d, row, 1), &dw->positions);
    sa_dropout_backward(dropout.words, cache->word_mask, d);
    sa_scale(sa_sqrt((sa_real)d.cols), d); /* sqrt(m) E y */
    sa_embedding_backward(cache->ids, d, dE);
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* Section 3.1 (Vaswani et al. 2017): runs self-attention in every layer, then in the decoder
 * attention to the encoder's output h (the memory), and then the feed-forward network. With
 * SA_NORM_PRE the sum of all layers is normalized at the end. cache->out [R x m] */
static void stack_forward(const sa_stack *w, sa_mat E, sa_dropout dropout, sa_rng *rng,
                          sa_stack_cache *cache) {
    embed_forward(w, E, dropout, rng, cache);
    const double p = dropout.all;
    sa_mat x = cache->x;
    for (int i = 0; i < w->layers && !sa_stopping(); i++) {
        const sa_transformer_layer *layer = &w->layer[i];
        sa_layer_cache *own = &cache->layer[i];
        /* LN(x + MultiHead(x, x, x)), LN(x + MultiHead(x, h, h)), LN(x + FFN(x)) */
        x = attention_forward(&layer->self, x, p, rng, &own->self,
                              &cache->attention[sa_stack_workspace(w, i, false)]);
        if (w->cross)
            x = attention_forward(&layer->cross, x, p, rng, &own->cross,
                                  &cache->attention[sa_stack_workspace(w, i, true)]);
        x = sa_feedforward_sublayer_forward(&layer->feed, x, p, rng, &own->feed);
    }
    if (w->last.g.cols) sa_layernorm_forward(&w->last, x, &cache->last, 0, cache->out);
}

/* Runs the backward pass from d, the gradient with respect to out, which it overwrites, and dalpha,
 * what the loss adds to the gradient of the last layer's attention weights to the source, or
 * empty. */
static void stack_backward(const sa_stack *w, sa_dropout dropout, sa_stack_cache *cache, sa_mat d,
                           sa_mat dalpha, sa_stack *dw, sa_mat dE) {
    sa_sublayer_workspace *workspace = &cache->workspace;
    const double p = dropout.all;
    const sa_mat none = {0};
    if (w->last.g.cols) sa_layernorm_backward(&w->last, &cache->last, d, &dw->last);
    for (int i = w->layers - 1; i >= 0 && !sa_stopping(); i--) {
        const sa_transformer_layer *layer = &w->layer[i];
        const sa_layer_cache *own = &cache->layer[i];
        sa_transformer_layer *dlayer = &dw->layer[i];
        const sa_mat dweights = i == w->layers - 1 ? dalpha : none;
        feedforward_backward(&layer->feed, p, &own->feed, d, workspace, &dlayer->feed);
        if (w->cross)
            attention_backward(&layer->cross, p, &own->cross, d, dweights, workspace,
                               &cache->attention[sa_stack_workspace(w, i, true)], &dlayer->cross);
        attention_backward(&layer->self, p, &own->self, d, w->cross ? none : dweights, workspace,
                           &cache->attention[sa_stack_workspace(w, i, false)], &dlayer->self);
    }
    embed_backward(dropout, cache, d, dw, dE);
}

/* Returns the stack that reads the source. */
static const sa_stack *reader(const sa_transformer *w) {
    return w->sizes.decoder_only ? &w->decoder : &w->encoder;
}

void sa_transformer_encode_forward(const sa_transformer *w, sa_dropout dropout, sa_rng *rng,
                                   sa_stack_cache *cache) {
    stack_forward(reader(w), w->source_E, dropout, rng, cache);
}

void sa_transformer_encode_backward(const sa_transformer *w, sa_dropout dropout,
                                    sa_stack_cache *cache, sa_transformer *dw) {
    stack_backward(&w->encoder, dropout, cache, cache->d, (sa_mat){0}, &dw->encoder, dw->source_E);
}

/* ---- Encoder and decoder --------------------------------------------------------------------- */

/* h [N x m] from the encoder, t [M x m] from the decoder */
static void both_forward(const sa_transformer *w, sa_dropout dropout, sa_rng *rng,
                         sa_transformer_cache *cache) {
    sa_stack_cache *decoder = &cache->decoder;
    sa_transformer_encode_forward(w, dropout, rng, &cache->encoder);
    stack_forward(&w->decoder, w->target_E, dropout, rng, decoder);
    sa_copy_gate_forward(&w->vocabulary.copy_gate, (sa_mat){0}, decoder->out, (sa_mat){0},
                         cache->readout.copy_gate);
}

static void both_backward(const sa_transformer *w, sa_dropout dropout, sa_transformer_cache *cache,
                          const sa_output_gradients *dout, sa_transformer *dw) {
    sa_stack_cache *decoder = &cache->decoder;
    const sa_mat none = {0};
    sa_copy_gate_backward(&w->vocabulary.copy_gate, dout->copy_gate, none, dout->t, none);
    sa_copy_gate_weights_backward(none, decoder->out, none, dout->copy_gate,
                                  &dw->vocabulary.copy_gate);
    sa_zero(cache->encoder.d); /* into which every layer accumulates */
    stack_backward(&w->decoder, dropout, decoder, dout->t, dout->alpha, &dw->decoder, dw->target_E);
    sa_transformer_encode_backward(w, dropout, &cache->encoder, dw);
}

/* ---- One stack for both sides ---------------------------------------------------------------- */

/* Returns the rows of `all` [R x ..] that predict the target words of sentence b. */
static sa_mat predicting_rows(const sa_transformer_cache *cache, int b, sa_mat all) {
    const int T = cache->first[b + 1] - cache->first[b];
    return sa_rows(all, cache->decoder.self.first[b] + cache->prefix[b] - 1, T);
}

/* Copies to the rows of `all` that predict, and zeroes the others. */
static void spread(const sa_transformer_cache *cache, sa_mat rows, sa_mat all) {
    sa_zero(all);
    for (int b = 0; b < cache->decoder.self.blocks; b++)
        sa_copy_mat(sa_sentence_rows(rows, cache->first, b), predicting_rows(cache, b, all));
}

/* t [M x m] from the rows of the stack [R x m] that predict a target word */
static void joint_forward(const sa_transformer *w, sa_dropout dropout, sa_rng *rng,
                          sa_transformer_cache *cache) {
    stack_forward(&w->decoder, w->target_E, dropout, rng, &cache->decoder);
    for (int b = 0; b < cache->decoder.self.blocks; b++)
        sa_copy_mat(predicting_rows(cache, b, cache->decoder.out),
                    sa_sentence_rows(cache->readout.t, cache->first, b));
}

static void joint_backward(const sa_transformer *w, sa_dropout dropout, sa_transformer_cache *cache,
                           const sa_output_gradients *dout, sa_transformer *dw) {
    sa_stack_cache *stack = &cache->decoder;
    spread(cache, dout->t, stack->d);
    if (dout->alpha.cols) spread(cache, dout->alpha, cache->joint_dalpha);
    stack_backward(&w->decoder, dropout, stack, stack->d, cache->joint_dalpha, &dw->decoder,
                   dw->target_E);
}

/* ---- Either model ---------------------------------------------------------------------------- */

void sa_transformer_forward(const sa_transformer *w, sa_dropout dropout, sa_rng *rng,
                            sa_transformer_cache *cache) {
    (w->sizes.decoder_only ? joint_forward : both_forward)(w, dropout, rng, cache);
}

void sa_transformer_backward(const sa_transformer *w, sa_dropout dropout,
                             sa_transformer_cache *cache, const sa_output_gradients *dout,
                             sa_transformer *dw) {
    (w->sizes.decoder_only ? joint_backward : both_backward)(w, dropout, cache, dout, dw);
}

/* ---- Weights --------------------------------------------------------------------------------- */

static void bind_attention(sa_binder *binder, const char *prefix, sa_attention_sizes sizes,
                           int norm, sa_attention_sublayer *w) {
    sa_attention_bind(binder, prefix, &sizes, &w->attention);
    sa_residual_bind(binder, prefix, sizes.state_width, norm, &w->residual);
    sa_parts_bind(binder, prefix, &sizes, SA_BIND_AFTER_NORM, &w->attention);
}

static void bind_stack(sa_binder *binder, const char *name, const char *side, const sa_sizes *sizes,
                       bool cross, bool causal, sa_stack *w) {
    *w = (sa_stack){.layers = sizes->layers, .hybrid = sizes->settings.hybrid, .cross = cross};
    sa_position_sizes positions = {.kind = &sa_position_kinds[sizes->settings.positions],
                                   .max_positions = sizes->attention.max_positions,
                                   .m = sizes->m,
                                   .heads = sizes->attention.heads,
                                   .causal = causal};
    sa_positions_bind(binder, side, &positions, &w->positions);
    for (int i = 0; i < w->layers; i++) {
        sa_transformer_layer *layer = &w->layer[i];
        char prefix[32];
        sa_attention_sizes attention = sa_attention_sizes_at(
            sizes->attention, causal ? SA_SITE_DECODER : SA_SITE_ENCODER, i + 1);
        attention.positions = &w->positions;
        snprintf(prefix, sizeof prefix, "%s.%d.self", name, i + 1);
        bind_attention(binder, prefix, attention, sizes->settings.norm, &layer->self);
        attention = sa_attention_sizes_at(sizes->attention, SA_SITE_CROSS, i + 1);
        snprintf(prefix, sizeof prefix, "%s.%d.cross", name, i + 1);
        if (cross) bind_attention(binder, prefix, attention, sizes->settings.norm, &layer->cross);
        snprintf(prefix, sizeof prefix, "%s.%d.feedforward", name, i + 1);
        sa_feedforward_bind(binder, prefix, sizes->m, sizes->settings.ffn, &layer->feed.network);
        sa_residual_bind(binder, prefix, sizes->m, sizes->settings.norm, &layer->feed.residual);
    }
    char prefix[32];
    snprintf(prefix, sizeof prefix, "%s.norm", name);
    if (sizes->settings.norm == SA_NORM_PRE) sa_layernorm_bind(binder, prefix, sizes->m, &w->last);
}

void sa_transformer_bind(sa_binder *binder, const sa_sizes *sizes, sa_transformer *w) {
    const int m = sizes->m;
    const sa_mat own = {0};
    *w = (sa_transformer){.sizes = *sizes};
    w->target_E = sa_bind_table(binder, "target", "E", sizes->target_words, m, SA_INIT_INPUT);
    w->source_E = sizes->settings.tie == SA_TIE_THREE
                      ? w->target_E
                      : sa_bind_table(binder, "source", "E", sizes->source_words, m, SA_INIT_INPUT);
    if (!sizes->decoder_only)
        bind_stack(binder, "encoder", "source", sizes, false, false, &w->encoder);
    bind_stack(binder, "decoder", "target", sizes, !sizes->decoder_only && !sizes->settings.merged,
               !sizes->full_prefix, &w->decoder);
    sa_vocabulary_bind(binder, sizes->target_words, m,
                       sizes->settings.tie == SA_TIE_NONE ? own : w->target_E, &w->vocabulary);
    w->vocabulary.copies = sizes->settings.copy;
    if (sizes->settings.copy)
        sa_copy_gate_bind(binder, 0, m, 0, &w->vocabulary.copy_gate); /* t has seen the rest */
}

/* ---- Layout ---------------------------------------------------------------------------------- */

/* Lays out attention for the rows x [R x m]. They attend to `memory` [N x m], sentence b in rows
 * first[b] .. first[b+1]-1, of at most `steps` words, or to themselves if it has no rows. */
static void layout_attention(sa_arena *arena, const sa_attention_sublayer *w, sa_mat x,
                             sa_mat memory, const int *first, int steps, bool training,
                             sa_attention_sublayer_cache *cache) {
    sa_residual_layout(arena, &w->residual, x, training, &cache->residual);
    sa_memory_layout(arena, &w->attention, first, memory.rows ? memory : cache->residual.in,
                     &cache->memory);
    cache->rows = sa_attention_rows_layout(arena, &w->attention, x.rows, steps, false);
}

/* Returns the words of a side in the order of the targets (shift 0), or the word before each,
 * beginning with BOS (shift 1). */
static int32_t *words_of(sa_arena *arena, const sa_batch *batch, bool source, int shift) {
    const sa_batch_side *side = source ? &batch->source : &batch->target;
    int32_t *ids = sa_arena_alloc(arena, (size_t)side->words, sizeof *ids), *next = ids;
    for (int b = 0; arena->base && b < side->sentences; b++) {
        const int own = source ? sa_batch_source_index(batch, b) : b;
        for (int t = 0; t < side->len[own]; t++)
            *next++ = t < shift ? SA_BOS : side->ids[side->start[t - shift] + own];
    }
    return ids;
}

typedef struct stack_shape {
    int rows, steps; /* words of all sentences, and of the longest */
    sa_mat memory;   /* [N x m] what cross-attention attends to, and its gradient; decoder only */
    sa_mat dmemory;  /* merged: [N + M x m] that of what self-attention attends to */
    const int *memory_first; /* first row of each sentence */
    int memory_steps;
    sa_merged merged;
    bool training;
} stack_shape;

static void layout_attention_workspaces(sa_arena *arena, const sa_stack *w,
                                        const stack_shape *shape, int longest,
                                        sa_stack_cache *cache) {
    const size_t start = arena->used;
    for (int i = 0; i < 2 * w->layers; i++) {
        const bool cross = i % 2, other = cross || shape->merged.sentences;
        const sa_transformer_layer *layer = &w->layer[i / 2];
        const sa_attention *attention = &(cross ? &layer->cross : &layer->self)->attention;
        sa_attention_workspace *own = &cache->attention[sa_stack_workspace(w, i / 2, cross)];
        if (cross && !w->cross) continue;
        const size_t end = sa_arena_rewind(arena, start);
        own->scratch =
            sa_attention_scratch_layout(arena, attention, shape->steps, longest, shape->training);
        if (shape->training) {
            own->drows = sa_attention_rows_layout(arena, attention, shape->rows, longest, true);
            sa_memory_layout(arena, attention, other ? shape->memory_first : cache->self.first,
                             other ? shape->dmemory : cache->workspace.din, &own->dmemory);
        }
        own->merged = shape->merged;
        sa_arena_advance(arena, end);
    }
}

static void layout_workspace(sa_arena *arena, const sa_stack *w, const stack_shape *shape,
                             sa_stack_cache *cache) {
    const int m = cache->x.cols;
    sa_sublayer_workspace *workspace = &cache->workspace;
    cache->word_mask = sa_mat_alloc(arena, shape->rows, 1);
    cache->x_mask = sa_mat_alloc(arena, shape->rows, m);
    workspace->df = sa_mat_alloc(arena, shape->rows, m);
    workspace->din = sa_mat_alloc(arena, shape->rows, m);
    workspace->dinner = sa_mat_alloc(arena, shape->rows, w->layer[0].feed.network.W_1.mat.rows);
}

static void layout_stack(sa_arena *arena, const sa_stack *w, int m, const stack_shape *shape,
                         sa_stack_cache *cache) {
    const int longest = shape->memory_steps > shape->steps ? shape->memory_steps : shape->steps;
    const bool normalized = w->last.g.cols, merges = shape->merged.sentences;
    const int words = merges ? shape->memory.rows + shape->rows : 0;
    cache->position_vectors =
        sa_mat_alloc(arena, w->positions.kind->encoding ? shape->steps : 0, m);
    cache->x = cache->out = sa_mat_alloc(arena, shape->rows, m);
    for (int i = 0; i < w->layers; i++) {
        const sa_transformer_layer *layer = &w->layer[i];
        sa_layer_cache *own = &cache->layer[i];
        layout_attention(arena, &layer->self, cache->out, sa_mat_alloc(arena, words, m),
                         merges ? shape->memory_first : cache->self.first,
                         merges ? shape->memory_steps : shape->steps, shape->training, &own->self);
        own->self.queries = cache->self;
        cache->out = own->self.residual.y;
        if (w->cross) {
            layout_attention(arena, &layer->cross, cache->out, shape->memory, shape->memory_first,
                             shape->memory_steps, shape->training, &own->cross);
            own->cross.queries = cache->cross;
            cache->out = own->cross.residual.y;
        }
        sa_residual_layout(arena, &layer->feed.residual, cache->out, shape->training,
                           &own->feed.residual);
        own->feed.inner = sa_mat_alloc(arena, shape->rows, layer->feed.network.W_1.mat.rows);
        cache->out = own->feed.residual.y;
    }
    if (normalized) cache->out = sa_mat_alloc(arena, shape->rows, m);
    cache->last = sa_layernorm_layout(arena, normalized ? shape->rows : 0, m);
    if (shape->training) layout_workspace(arena, w, shape, cache);
    layout_attention_workspaces(arena, w, shape, longest, cache);
}

void sa_transformer_encoder_layout(sa_arena *arena, const sa_batch *batch, const sa_transformer *w,
                                   bool training, sa_stack_cache *encoder) {
    const sa_batch_side *side = &batch->source;
    const bool causal = reader(w)->positions.causal;
    *encoder = (sa_stack_cache){.self = {side->sentences, sa_source_rows(arena, batch), causal}};
    encoder->ids = words_of(arena, batch, true, 0);
    encoder->d = sa_mat_alloc(arena, training ? side->words : 0, w->sizes.m);
    const stack_shape shape = {.rows = side->words, .steps = side->steps, .training = training};
    layout_stack(arena, reader(w), w->sizes.m, &shape, encoder);
}

static void layout_readout(sa_arena *arena, int words, const sa_transformer *w, bool training,
                           sa_transformer_cache *cache) {
    sa_readout_layout(arena, words, &w->vocabulary, training, &cache->readout);
    sa_vocabulary_layout(arena, words, &w->vocabulary, &cache->readout);
    cache->words.log_p = sa_arena_alloc(arena, (size_t)words, sizeof(sa_real));
    cache->words.objective = sa_arena_alloc(arena, (size_t)words, sizeof(sa_real));
}

static void layout_both(sa_arena *arena, const sa_batch *batch, const sa_transformer *w,
                        bool training, sa_transformer_cache *cache) {
    const sa_batch_side *side = &batch->target;
    sa_stack_cache *encoder = &cache->encoder, *decoder = &cache->decoder;
    *cache = (sa_transformer_cache){.targets = NULL};
    sa_transformer_encoder_layout(arena, batch, w, training, encoder);
    decoder->self = (sa_queries){side->sentences, side->first, .causal = true};
    decoder->cross = (sa_queries){side->sentences, side->first};
    decoder->ids = words_of(arena, batch, false, 1);
    cache->targets = words_of(arena, batch, false, 0);
    stack_shape shape = {.rows = side->words,
                         .steps = side->steps,
                         .memory = encoder->out,
                         .dmemory = encoder->d,
                         .memory_first = encoder->self.first,
                         .memory_steps = batch->source.steps,
                         .training = training};
    if (w->sizes.settings.merged) {
        shape.merged =
            sa_merged_layout(arena, side, shape.memory_first, shape.memory, shape.dmemory);
        shape.dmemory = shape.merged.d, shape.memory_first = shape.merged.first;
        shape.memory_steps += side->steps;
    }
    layout_stack(arena, &w->decoder, w->sizes.m, &shape, decoder);
    if (training && (batch->gold || w->sizes.settings.copy))
        cache->dalpha =
            sa_mat_alloc(arena, side->words, w->sizes.attention.heads * shape.memory_steps);
    layout_readout(arena, side->words, w, training, cache);
    cache->readout.t = decoder->out;
    decoder->d = cache->readout.dt;
}

/* ---- Layout: one stack for both sides -------------------------------------------------------- */

/* Joins the words of all sentences, and finds where each begins. */
static void join_words(const sa_batch *batch, int *first, int *prefix, int32_t *ids) {
    const sa_batch_side *source = &batch->source, *target = &batch->target;
    first[0] = 0;
    for (int b = 0; b < target->sentences; b++) {
        const int other = sa_batch_source_index(batch, b), S = source->len[other];
        for (int t = 0; t < S; t++) *ids++ = source->ids[source->start[t] + other];
        for (int t = 0; t < target->len[b] - 1; t++) *ids++ = target->ids[target->start[t] + b];
        prefix[b] = S;
        first[b + 1] = first[b] + S + target->len[b] - 1;
    }
}

static void layout_joint(sa_arena *arena, const sa_batch *batch, const sa_transformer *w,
                         bool training, sa_transformer_cache *cache) {
    const sa_batch_side *source = &batch->source, *target = &batch->target;
    sa_stack_cache *stack = &cache->decoder;
    const int B = target->sentences, m = w->sizes.m;
    const stack_shape shape = {.rows = source->words + target->words - B,
                               .steps = source->steps + target->steps - 1,
                               .training = training};
    int *first = sa_arena_alloc(arena, (size_t)B + 1, sizeof *first);
    int *prefix = sa_arena_alloc(arena, (size_t)B, sizeof *prefix);
    int32_t *ids = sa_arena_alloc(arena, (size_t)shape.rows, sizeof *ids);
    if (arena->base) join_words(batch, first, prefix, ids);
    *cache = (sa_transformer_cache){
        .targets = words_of(arena, batch, false, 0), .first = target->first, .prefix = prefix};
    stack->self = (sa_queries){B, first, true, w->sizes.full_prefix ? prefix : NULL};
    stack->ids = ids;
    stack->d = sa_mat_alloc(arena, training ? shape.rows : 0, m);
    layout_stack(arena, &w->decoder, m, &shape, stack);
    if (training && batch->gold) {
        const int width = w->sizes.attention.heads * shape.steps;
        cache->joint_dalpha = sa_mat_alloc(arena, shape.rows, width);
        cache->dalpha = sa_mat_alloc(arena, target->words, width);
    }
    layout_readout(arena, target->words, w, training, cache);
}

void sa_transformer_layout(sa_arena *arena, const sa_batch *batch, const sa_transformer *w,
                           bool training, sa_transformer_cache *cache) {
    (w->sizes.decoder_only ? layout_joint : layout_both)(arena, batch, w, training, cache);
}
