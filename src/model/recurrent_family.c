#include "layers/basic.h"
#include "model/family.h"
#include "tensor/vec.h"

/* ---- Choices --------------------------------------------------------------------------------- */

/* ---- Sizes and weights ----------------------------------------------------------------------- */

static bool attends(const sa_settings *settings) {
    return sa_decoder_kinds[settings->decoder].query_state != SA_QUERY_STATE_NONE;
}

/* --decoder-init and --readout-state leave the choice to the decoder's own paper by default. */
static int initial_of(const sa_settings *settings, const sa_decoder_kind *kind) {
    const int initial =
        settings->decoder_init == SA_INITIAL_AUTO ? kind->initial : settings->decoder_init;
    const bool nothing_read = settings->encoder == SA_ENCODER_NONE;
    return nothing_read && initial != SA_INITIAL_CONTEXT ? SA_INITIAL_MEAN : initial;
}

static bool sees_previous(const sa_settings *settings, const sa_decoder_kind *kind) {
    return settings->readout_state == SA_READOUT_AUTO
               ? kind->sees_previous
               : settings->readout_state == SA_READOUT_PREVIOUS;
}

/* Of embeddings, annotations or the readout. */
static bool drops_out(const sa_settings *settings) {
    return settings->dropout > 0 || settings->dropout_embeddings > 0 ||
           settings->dropout_annotations > 0 || settings->dropout_readout > 0;
}

static sa_sizes sizes_of(const sa_settings *settings, int source_words, int target_words) {
    const sa_decoder_kind *kind = &sa_decoder_kinds[settings->decoder];
    const bool old = settings->update == SA_UPDATE_OLD;
    const sa_cell *cell = sa_cell_find(settings->cell, old, settings->reset != SA_RESET_BEFORE);
    const sa_encoder_sizes encoder = {
        .cell = sa_cell_find(settings->cell, old, settings->reset == SA_RESET_AFTER),
        .kind = settings->encoder,
        .layers = settings->layers,
        .words = source_words,
        .m = settings->embed,
        .n = settings->hidden,
        .settings = *settings,
        .dropout = drops_out(settings),
        .copied = initial_of(settings, kind) == SA_INITIAL_COPY && settings->decoder_layers > 1,
    };
    const sa_decoder_sizes decoder = {
        .kind = kind,
        .cell = cell,
        .settings = *settings,
        .sees_previous = sees_previous(settings, kind),
        .dropout = drops_out(settings),
        .layers = settings->decoder_layers,
        .words = target_words,
        .m = settings->embed,
        .n = settings->hidden,
        .l = settings->maxout,
        .attention = sa_attention_sizes_of(settings, settings->hidden, sa_encoder_width(&encoder)),
        .source =
            {
                .encoder = encoder,
                .initial = initial_of(settings, kind),
                .fixed = kind->context_in_cell && !attends(settings),
                .n = settings->hidden,
                .layers = settings->decoder_layers,
                .memory = cell->memory,
            },
    };
    return (sa_sizes){.family = &sa_recurrent_family, .encoder = encoder, .decoder = decoder};
}

/* What the layers of the decoder need. */
static const char *refuse_layers(const sa_settings *settings, const sa_sizes *sizes) {
    if (sizes->encoder.copied && settings->layers != settings->decoder_layers)
        return "{decoder_layers:}: {decoder_init:copy} gives each layer of the decoder the last "
               "state of the encoder's layer of the same number, so {layers} must be "
               "{:decoder_layers} too, or {decoder_init:last}";
    if (settings->decoder_residual && settings->decoder_layers < SA_LEAST_RESIDUAL_LAYERS)
        return "{decoder_residual} adds to the states from the third layer on: it needs "
               "{decoder_layers:3} or more";
    return settings->decoder_residual && sizes->decoder.sees_previous
               ? "{decoder_residual} adds to what the last layer passes on at the same step, but "
                 "the read-out of the decoder '{:decoder}' sees the state before: it needs "
                 "{readout_state:current}"
               : NULL;
}

static const char *refuse(const sa_settings *settings, const sa_sizes *sizes) {
    const char *reason = refuse_layers(settings, sizes);
    if (reason) return reason;
    if (sa_position_kinds[settings->positions].part)
        return "{positions:} is part of self-attention, which a recurrent model has none of: it "
               "needs {model:transformer}";
    if (settings->window == SA_WINDOW_SLIDING)
        return "{window:} is part of self-attention, which a recurrent model has none of: it needs "
               "{model:transformer}";
    if (settings->guided_at != SA_ALIGN_OUTPUT)
        return "{guided_at:} is of self-attention, which has a row for each word that was read: it "
               "needs {model:transformer}";
    if (attends(settings))
        reason = sa_attention_refuse(&sizes->decoder.attention, NULL);
    else if (settings->guided_alignment > 0)
        reason = "{guided_alignment}: the decoder '{:decoder}' has no attention";
    else if (settings->copy)
        reason = "{copy} copies source words by their attention weights: the decoder "
                 "'{:decoder}' has no attention";
    if (reason || settings->tie == SA_TIE_NONE || settings->maxout == settings->embed)
        return reason;
    return "{tie:} makes the embeddings the readout's last matrix: {maxout:} must be {embed:}";
}

static void bind(sa_binder *binder, const sa_sizes *sizes, sa_seq2seq *w) {
    sa_encoder_bind(binder, &sizes->encoder, &w->encoder);
    sa_decoder_bind(binder, &sizes->decoder, &w->decoder);
    if (sizes->encoder.settings.tie == SA_TIE_THREE) w->encoder.E = w->decoder.E;
}

static const sa_readout *readout(const sa_seq2seq *w) {
    return &w->decoder.readout;
}

static const sa_attention *attention(const sa_seq2seq *w) {
    return &w->decoder.attention;
}

static int layers(const sa_seq2seq *w, sa_attention_site site) {
    return site == SA_SITE_CROSS && w->decoder.attention.heads > 0;
}

/* ---- A pass over a batch --------------------------------------------------------------------- */

/* The encoder's pass, the decoder's and the logits never use their buffers at the same time, so all
 * three share the memory after what lasts. */
static void layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                   sa_pass *pass) {
    sa_encoder_cache *encoder = &pass->encoder;
    sa_decoder_cache *decoder = &pass->decoder;
    sa_encoder_layout(arena, batch, &w->encoder, training, encoder);
    sa_decoder_layout(arena, batch, &w->decoder, encoder, training, decoder);
    const size_t start = arena->used;
    sa_vocabulary_layout(arena, batch->target.words, &w->decoder.readout, &decoder->readout);
    const size_t logits = sa_arena_rewind(arena, start);
    sa_encoder_loop_layout(arena, batch, &w->encoder, training, encoder);
    const size_t encoded = sa_arena_rewind(arena, start);
    sa_decoder_loop_layout(arena, batch, &w->decoder, encoder, training, decoder);
    sa_arena_advance(arena, logits);
    sa_arena_advance(arena, encoded);
}

static void forward(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout, sa_rng *rng,
                    sa_pass *pass) {
    sa_encoder_forward(&w->encoder, batch, dropout, rng, &pass->encoder); /* h_j: A.2.1 */
    /* s_i, c_i, t_i: A.2.2 */
    sa_decoder_forward(&w->decoder, batch, &pass->encoder, dropout, rng, &pass->decoder);
}

static void predict(const sa_seq2seq *w, const sa_batch *batch, double smoothing, sa_real scale,
                    sa_pass *pass, sa_seq2seq *dw) {
    sa_vocabulary_loss(&w->decoder.readout, batch->target.ids, smoothing, scale,
                       &pass->decoder.readout, pass->log_p, pass->objective,
                       dw ? &dw->decoder.readout : NULL);
}

static void backward(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout, sa_pass *pass,
                     sa_seq2seq *dw) {
    sa_decoder_backward(&w->decoder, batch, dropout, &pass->decoder, &pass->encoder, &dw->decoder);
    sa_encoder_backward(&w->encoder, batch, dropout, &pass->encoder, &dw->encoder);
}

/* There is the decoder's attention alone. */
static sa_mat weights(const sa_pass *pass, const sa_batch *batch, sa_attention_site site, int layer,
                      int b, int t) {
    return sa_rows(pass->decoder.rows.attention.alpha, batch->target.start[t] + b, 1);
}

static sa_mat dalpha(const sa_seq2seq *w, const sa_pass *pass) {
    return pass->decoder.d.attention.alpha;
}

static const sa_attention_rows *attention_rows(const sa_pass *pass,
                                               const sa_attention_rows **derivative) {
    *derivative = &pass->decoder.d.attention;
    return &pass->decoder.rows.attention;
}

static const sa_readout_cache *read_out(const sa_pass *pass) {
    return &pass->decoder.readout;
}

/* ---- Decoding, word by word ------------------------------------------------------------------ */

static void decode_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, int rows,
                          int steps, sa_decode_cache *cache) {
    const sa_decoder *d = &w->decoder;
    const int B = batch->source.sentences, S = batch->source.steps;
    sa_recurrent_decode_state *state = &cache->recurrent;
    sa_encoder_layout(arena, batch, &w->encoder, false, &state->encoder);
    sa_encoder_loop_layout(arena, batch, &w->encoder, false, &state->encoder);
    sa_source_layout(arena, &d->source, &d->attention, B, state->encoder.first,
                     state->encoder.annotations, &state->source);
    state->scratch = sa_attention_scratch_layout(arena, &d->attention, 1, S, false);
    state->rows = sa_decoder_rows_layout(arena, d, rows, S, 0);
    for (int layer = 0; layer < d->sizes.layers; layer++)
        state->state[layer] = sa_state_take(arena, rows, d->sizes.n, d->sizes.cell->memory);
    state->t = sa_mat_alloc(arena, rows, d->sizes.settings.input_feeding ? d->sizes.l : 0);
    sa_readout_layout(arena, rows, &d->readout, false, &cache->readout);
}

static void decode_begin(const sa_seq2seq *w, const sa_batch *batch, sa_decode_cache *cache) {
    sa_recurrent_decode_state *state = &cache->recurrent;
    sa_encoder_forward(&w->encoder, batch, (sa_dropout){0}, NULL, &state->encoder);
    sa_source_forward(&w->decoder.source, &w->decoder.attention, &state->encoder, &state->source);
    for (int layer = 0; layer < w->decoder.sizes.layers; layer++)
        sa_state_copy(state->source.s0[layer],
                      sa_state_rows(state->state[layer], 0, batch->source.sentences));
    sa_zero(state->t); /* t_0 = 0 */
    sa_attention_carry_begin(&w->decoder.attention, state->rows.attention.carry);
}

static bool decode_step(const sa_seq2seq *w, const sa_decode_step *step, sa_decode_cache *cache,
                        sa_mat *t, sa_error *error) {
    sa_recurrent_decode_state *state = &cache->recurrent;
    const sa_decoder *d = &w->decoder;
    const int m = d->sizes.m, L = step->L;
    const sa_step own = {
        .source = &state->source, .which = step->which, .i = step->i, .scratch = state->scratch};
    sa_decoder_rows rows = sa_decoder_rows_slice(state->rows, 0, L);
    sa_readout_cache readout_rows = sa_readout_slice(&cache->readout, 0, L);
    for (int l = 0; l < L; l++) {
        const int from = step->from[l];
        for (int layer = 0; layer < d->sizes.layers; layer++)
            sa_state_copy(sa_state_rows(state->state[layer], from, 1),
                          sa_state_rows(sa_decoder_previous(rows, layer), l, 1));
        sa_copy_mat(sa_rows(state->rows.attention.carry, from, 1),
                    sa_rows(rows.attention.previous_carry, l, 1));
        sa_copy_mat(sa_rows(state->t, from, 1),
                    sa_cols(sa_rows(rows.input, l, 1), m, rows.input.cols - m));
    }
    sa_embedding_forward(d->E, step->ids, sa_decoder_word_input(d, rows.input));
    sa_decoder_step_forward(d, &own, rows, &readout_rows);
    for (int layer = 0; layer < d->sizes.layers; layer++)
        sa_state_copy(sa_decoder_state(rows, layer), sa_state_rows(state->state[layer], 0, L));
    if (state->t.cols) sa_copy_mat(readout_rows.t, sa_rows(state->t, 0, L));
    *t = readout_rows.t;
    return true;
}

static sa_cache_size cache_size(const sa_seq2seq *w) {
    const sa_decoder *d = &w->decoder;
    const sa_decoder_sizes *sizes = &d->sizes;
    const int state = sizes->layers * sizes->n * (1 + sizes->cell->memory) +
                      (sizes->settings.input_feeding ? sizes->l : 0) +
                      (sizes->source.fixed ? sizes->n : 0);
    const sa_attention *attention = &d->attention;
    const int A = sa_encoder_width(&w->encoder.sizes), own = sa_attention_carry_width(attention, 0);
    const size_t word = attention->heads ? sa_memory_width(attention, A) : 0;
    const int remembered = sa_attention_carry_width(attention, 1) - own; /* of a source word */
    return (sa_cache_size){.state = (size_t)(state + own) * sizeof(sa_real),
                           .source_word = (word + (size_t)remembered) * sizeof(sa_real)};
}

static sa_mat decode_weights(const sa_decode_cache *cache, int layer) {
    return cache->recurrent.rows.attention.alpha;
}

static void decode_release(sa_decode_cache *cache) {}

const sa_family sa_recurrent_family = {
    .name = "recurrent",
    .recurrent = true,
    .attends = attends,
    .sizes = sizes_of,
    .refuse = refuse,
    .bind = bind,
    .readout = readout,
    .attention = attention,
    .layers = layers,
    .layout = layout,
    .forward = forward,
    .predict = predict,
    .backward = backward,
    .weights = weights,
    .dalpha = dalpha,
    .attention_rows = attention_rows,
    .read_out = read_out,
    .decode_layout = decode_layout,
    .decode_begin = decode_begin,
    .decode_step = decode_step,
    .decode_weights = decode_weights,
    .decode_release = decode_release,
    .cache_size = cache_size,
};
