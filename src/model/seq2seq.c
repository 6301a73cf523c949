#include "model/seq2seq.h"
#include "attention/alignment_loss.h"
#include "base/error.h"

const char *sa_model_name(size_t row) {
    static const char *const names[] = {
        [SA_MODEL_RECURRENT] = "recurrent", [SA_MODEL_TRANSFORMER] = "transformer"};
    return row < sizeof names / sizeof *names ? names[row] : NULL;
}

/* Where z's share, the reset gate and the context stand in each cell. */
enum { RESET_BEFORE, RESET_AFTER, RESET_SUM, RESETS };
enum { UPDATE_NEW, UPDATE_OLD, UPDATES };

const char *sa_reset_name(size_t row) {
    static const char *const names[] = {"before", "after", "sum"};
    return row < RESETS ? names[row] : NULL;
}

const char *sa_update_name(size_t row) {
    static const char *const names[] = {"new", "old"};
    return row < UPDATES ? names[row] : NULL;
}

enum { READOUT_AUTO, READOUT_PREVIOUS, READOUT_CURRENT, READOUTS };

const char *sa_readout_name(size_t row) {
    static const char *const names[] = {"auto", "previous", "current"};
    return row < READOUTS ? names[row] : NULL;
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

static sa_encoder_sizes encoder_sizes(const sa_settings *settings, int words) {
    const bool old = settings->update == UPDATE_OLD, after = settings->reset == RESET_AFTER;
    return (sa_encoder_sizes){
        .cell = sa_cell_find(settings->cell, old, after),
        .kind = settings->encoder,
        .layers = settings->layers,
        .words = words,
        .m = settings->embed,
        .n = settings->hidden,
        .positions = settings->positions,
        .max_positions = settings->max_len + 1,
        .reversed = settings->reverse_source,
        .shared = settings->tie == SA_TIE_THREE,
        .normalized = settings->cell_norm,
        .state_dropout = settings->dropout_state > 0,
    };
}

/* From states to annotations of so many numbers. */
static sa_attention_sizes attention_sizes(const sa_settings *settings, int state, int annotation) {
    const int heads = settings->heads, shared = annotation / heads;
    return (sa_attention_sizes){
        .score = &sa_scores[settings->attention],
        .state = state,
        .annotation = annotation,
        .size = settings->attn,
        .max_positions = settings->max_len + 1, /* the end mark is a position too */
        .heads = heads,
        .value = settings->value_size ? settings->value_size
                 : shared             ? shared
                                      : 1,
        .window = settings->window,
        .window_size = settings->window_size,
        .transformer = settings->model == SA_MODEL_TRANSFORMER,
    };
}

/* The choices that --decoder-init and --readout-state leave to the decoder's own paper. */
static int initial_of(const sa_settings *settings, const sa_decoder_kind *kind) {
    const int initial =
        settings->decoder_init == SA_INITIAL_AUTO ? kind->initial : settings->decoder_init;
    const bool nothing_read = settings->encoder == SA_ENCODER_NONE;
    return nothing_read && initial != SA_INITIAL_CONTEXT ? SA_INITIAL_MEAN : initial;
}

static bool sees_previous(const sa_settings *settings, const sa_decoder_kind *kind) {
    return settings->readout_state == READOUT_AUTO ? kind->sees_previous
                                                   : settings->readout_state == READOUT_PREVIOUS;
}

static sa_transformer_sizes transformer_sizes(const sa_settings *settings, int source_words,
                                              int target_words) {
    return (sa_transformer_sizes){
        .layers = settings->layers,
        .m = settings->embed,
        .ffn = settings->ffn,
        .norm = settings->norm,
        .positions = settings->positions,
        .max_positions = settings->max_len + 1,
        .tie = settings->tie,
        .source_words = source_words,
        .target_words = target_words,
        .attention = attention_sizes(settings, settings->embed, settings->embed),
    };
}

sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words) {
    if (settings->model == SA_MODEL_TRANSFORMER)
        return (sa_sizes){.model = settings->model,
                          .transformer = transformer_sizes(settings, source_words, target_words)};
    const sa_decoder_kind *kind = &sa_decoder_kinds[settings->decoder];
    const bool old = settings->update == UPDATE_OLD;
    sa_sizes sizes = {.encoder = encoder_sizes(settings, source_words)};
    sizes.decoder = (sa_decoder_sizes){
        .kind = kind,
        .cell = sa_cell_find(settings->cell, old, settings->reset != RESET_BEFORE),
        .context_in_reset = settings->reset == RESET_SUM,
        .sees_previous = sees_previous(settings, kind),
        .input_feeding = settings->input_feeding,
        .normalized = settings->cell_norm,
        .state_dropout = settings->dropout_state > 0,
        .tied = settings->tie != SA_TIE_NONE,
        .initial = initial_of(settings, kind),
        .words = target_words,
        .m = settings->embed,
        .n = settings->hidden,
        .l = settings->maxout,
        .attention = attention_sizes(settings, settings->hidden, sa_encoder_width(&sizes.encoder)),
        .encoder = sizes.encoder,
    };
    return sizes;
}

/* A score without maps compares states and annotations as they are. */
static bool check_raw(const sa_attention_sizes *attention, sa_error *error) {
    if (attention->heads > 1)
        return sa_fail(error, SA_USAGE, "--attention %s has no maps, so it cannot have %d heads",
                       attention->score->name, attention->heads);
    return attention->annotation == attention->state ||
           sa_fail(error, SA_USAGE,
                   "--attention %s compares annotations of %d numbers with states of %d: it wants "
                   "--encoder uni",
                   attention->score->name, attention->annotation, attention->state);
}

bool sa_settings_check_sizes(const sa_settings *settings, sa_error *error) {
    const sa_sizes sizes = sa_sizes_of(settings, SA_SPECIAL_TOKENS, SA_SPECIAL_TOKENS);
    const bool transformer = sizes.model == SA_MODEL_TRANSFORMER;
    const sa_attention_sizes *attention =
        transformer ? &sizes.transformer.attention : &sizes.decoder.attention;
    const bool attends = transformer || sizes.decoder.kind->query_state != SA_QUERY_STATE_NONE;
    if (attends && attention->score->key == SA_KEY_IDENTITY && !check_raw(attention, error))
        return false;
    if (!attends && settings->guided_alignment > 0)
        return sa_fail(error, SA_USAGE, "--guided-alignment: the decoder '%s' has no attention",
                       sizes.decoder.kind->name);
    return transformer || settings->tie == SA_TIE_NONE || settings->maxout == settings->embed ||
           sa_fail(error, SA_USAGE,
                   "--tie %s makes the embeddings the read-out's last matrix: --maxout %d must be "
                   "--embed %d",
                   sa_tie_name((size_t)settings->tie), settings->maxout, settings->embed);
}

/* ---- Weights and rooms ----------------------------------------------------------------------- */

void sa_seq2seq_bind(sa_binder *binder, const sa_sizes *sizes, sa_seq2seq *w) {
    *w = (sa_seq2seq){.model = sizes->model};
    if (sizes->model == SA_MODEL_TRANSFORMER) {
        sa_transformer_bind(binder, &sizes->transformer, &w->transformer);
        return;
    }
    sa_encoder_bind(binder, &sizes->encoder, &w->encoder);
    sa_decoder_bind(binder, &sizes->decoder, &w->decoder);
    if (sizes->encoder.shared) w->encoder.E = w->decoder.E;
}

void sa_seq2seq_plan(const sa_sizes *sizes, sa_params *plan) {
    sa_seq2seq shape;
    *plan = (sa_params){0};
    sa_seq2seq_bind(&(sa_binder){.plan = plan}, sizes, &shape);
}

void sa_seq2seq_bind_buffer(const sa_sizes *sizes, sa_real *buffer, sa_seq2seq *w) {
    sa_seq2seq_bind(&(sa_binder){.buffer = buffer}, sizes, w);
}

void sa_seq2seq_pack(sa_arena *arena, const sa_sizes *sizes, sa_real *values, int rows,
                     sa_seq2seq *w) {
    sa_seq2seq_bind(&(sa_binder){.buffer = values, .packed = arena, .rows = rows}, sizes, w);
}

/* The logits, the decoder's way back and the encoder's: each begins when the one before has done,
 * and all three lie in the same place. */
static void recurrent_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch,
                             bool training, sa_pass *pass) {
    sa_encoder_cache *encoder = &pass->encoder;
    sa_decoder_cache *decoder = &pass->decoder;
    sa_encoder_layout(arena, batch, &w->encoder, training, encoder);
    sa_decoder_layout(arena, batch, &w->decoder, encoder, training, decoder);
    const size_t start = arena->used;
    sa_vocabulary_layout(arena, batch->target.words, &w->decoder.readout, &decoder->readout);
    if (!training) return;
    const size_t loss = sa_arena_rewind(arena, start);
    sa_decoder_backward_layout(arena, batch, &w->decoder, encoder, decoder);
    const size_t decoded = sa_arena_rewind(arena, start);
    sa_encoder_backward_layout(arena, batch, &w->encoder, encoder);
    sa_arena_advance(arena, loss);
    sa_arena_advance(arena, decoded);
}

void sa_pass_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                    sa_pass *pass) {
    const size_t words = (size_t)batch->target.words;
    if (w->model == SA_MODEL_TRANSFORMER) {
        sa_transformer_layout(arena, batch, &w->transformer, training, &pass->transformer);
    } else {
        recurrent_layout(arena, w, batch, training, pass);
    }
    pass->log_p = sa_arena_alloc(arena, words, sizeof *pass->log_p);
    pass->objective = sa_arena_alloc(arena, words, sizeof *pass->objective);
    pass->profile = NULL;
}

int sa_seq2seq_words(const sa_seq2seq *w) {
    return (w->model == SA_MODEL_TRANSFORMER ? &w->transformer.vocabulary : &w->decoder.readout)
        ->W_o.mat.rows;
}

/* ---- Dropout --------------------------------------------------------------------------------- */

sa_regularizer sa_regularizer_of(const sa_settings *settings, sa_rng *rng) {
    const double all = settings->dropout, embeddings = settings->dropout_embeddings;
    const double annotations = settings->dropout_annotations, readout = settings->dropout_readout;
    return (sa_regularizer){
        .dropout = {.words = settings->word_dropout,
                    .embeddings = embeddings < 0 ? all : embeddings,
                    .annotations = annotations < 0 ? all : annotations,
                    .readout = readout < 0 ? all : readout,
                    .state = settings->dropout_state,
                    .sublayers = all},
        .smoothing = settings->label_smoothing,
        .alignment_weight = settings->guided_alignment,
        .rng = rng,
    };
}

/* ---- The loss -------------------------------------------------------------------------------- */

static void recurrent_forward(const sa_seq2seq *w, const sa_batch *batch,
                              sa_regularizer regularizer, sa_pass *pass, sa_seq2seq *dw) {
    const sa_real scale = 1 / (sa_real)batch->whole;
    sa_encoder_cache *encoder = &pass->encoder;
    sa_decoder_cache *decoder = &pass->decoder;
    decoder->profile = pass->profile;
    sa_encoder_forward(&w->encoder, batch, regularizer.dropout, regularizer.rng,
                       encoder); /* h_j: A.2.1 */
    sa_profile_end(pass->profile, SA_PROFILE_ENCODER);
    sa_decoder_forward(&w->decoder, batch, encoder, regularizer.dropout, regularizer.rng,
                       decoder); /* s_i, c_i, t_i */
    sa_vocabulary_loss(&w->decoder.readout, batch->target.ids, regularizer.smoothing, scale,
                       &decoder->readout, pass->log_p,
                       pass->objective, /* p(y_i), and its backward */
                       dw ? &dw->decoder.readout : NULL);
    sa_profile_end(pass->profile, SA_PROFILE_READOUT);
}

/* Its rows stand sentence by sentence; the pass has the words step by step. */
static void transformer_forward(const sa_seq2seq *w, const sa_batch *batch,
                                sa_regularizer regularizer, sa_pass *pass, sa_seq2seq *dw) {
    const sa_real scale = 1 / (sa_real)batch->whole;
    sa_transformer_cache *cache = &pass->transformer;
    cache->profile = pass->profile;
    sa_transformer_forward(&w->transformer, regularizer.dropout, regularizer.rng, cache);
    sa_vocabulary_loss(&w->transformer.vocabulary, cache->targets, regularizer.smoothing, scale,
                       &cache->readout, cache->log_p, cache->objective,
                       dw ? &dw->transformer.vocabulary : NULL);
    const sa_batch_side *side = &batch->target;
    for (int b = 0; b < side->sentences; b++)
        for (int t = 0; t < side->len[b]; t++) {
            pass->log_p[side->start[t] + b] = cache->log_p[side->first[b] + t];
            pass->objective[side->start[t] + b] = cache->objective[side->first[b] + t];
        }
    sa_profile_end(pass->profile, SA_PROFILE_READOUT);
}

void sa_seq2seq_backward(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout,
                         sa_pass *pass, sa_seq2seq *dw) {
    if (w->model == SA_MODEL_TRANSFORMER) {
        sa_transformer_backward(&w->transformer, dropout, &pass->transformer, &dw->transformer);
        return;
    }
    sa_decoder_backward(&w->decoder, batch, dropout, &pass->decoder, &pass->encoder, &dw->decoder);
    sa_profile_end(pass->profile, SA_PROFILE_DECODER_BACKWARD);
    sa_encoder_backward(&w->encoder, batch, dropout, &pass->encoder, &dw->encoder);
    sa_profile_end(pass->profile, SA_PROFILE_ENCODER_BACKWARD);
}

/* Of the last layer that attends the first head is guided: where several look, one is enough to
 * tell the alignment (Garg et al. 2019, "Jointly learning to align and translate with Transformer
 * models"). The derivatives by its weights are left for the backward pass. */
static void guide_attention(const sa_seq2seq *w, const sa_batch *batch, double alignment_weight,
                            sa_pass *pass) {
    const sa_batch_side *side = &batch->target;
    const int layer = sa_seq2seq_layers(w, SA_SITE_CROSS) - 1;
    const bool recurrent = w->model == SA_MODEL_RECURRENT;
    const sa_mat all = recurrent ? pass->decoder.d.attention.alpha
                                 : pass->transformer.decoder.layer[layer].cross.dalpha;
    const sa_real weight = (sa_real)alignment_weight;
    pass->alignment_loss = 0;
    for (int b = 0; batch->gold && b < side->sentences; b++)
        for (int t = 0; t < side->len[b]; t++) {
            const int step = side->start[t] + b, row = recurrent ? step : side->first[b] + t;
            sa_mat alpha = sa_pass_weights(w, pass, batch, SA_SITE_CROSS, layer, 0, b, t);
            sa_mat A = sa_cols(sa_rows(all, row, 1), 0, alpha.cols);
            const sa_real loss =
                sa_alignment_loss_forward(&batch->gold[side->order[b]], t, alpha, A);
            sa_alignment_loss_backward(alpha, weight / (sa_real)batch->whole, A);
            pass->objective[step] -= weight * loss;
            pass->alignment_loss += (double)loss;
        }
}

double sa_seq2seq_loss(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                       sa_pass *pass, sa_seq2seq *dw) {
    if (w->model == SA_MODEL_TRANSFORMER)
        transformer_forward(w, batch, regularizer, pass, dw);
    else
        recurrent_forward(w, batch, regularizer, pass, dw);
    guide_attention(w, batch, regularizer.alignment_weight, pass);
    double loss = 0;
    for (int i = 0; i < batch->target.words; i++) loss -= (double)pass->log_p[i];
    if (dw) sa_seq2seq_backward(w, batch, regularizer.dropout, pass, dw);
    return loss;
}

/* ---- Where it looked ------------------------------------------------------------------------- */

bool sa_seq2seq_attends(const sa_seq2seq *w) {
    return sa_seq2seq_layers(w, SA_SITE_CROSS) > 0;
}

int sa_seq2seq_layers(const sa_seq2seq *w, sa_attention_site site) {
    if (w->model == SA_MODEL_TRANSFORMER)
        return (site == SA_SITE_ENCODER ? w->transformer.encoder : w->transformer.decoder).layers;
    return site == SA_SITE_CROSS && w->decoder.attention.heads > 0;
}

int sa_seq2seq_heads(const sa_seq2seq *w) {
    return w->model == SA_MODEL_TRANSFORMER ? w->transformer.sizes.attention.heads
                                            : w->decoder.attention.heads;
}

sa_mat sa_pass_weights(const sa_seq2seq *w, const sa_pass *pass, const sa_batch *batch,
                       sa_attention_site site, int layer, int head, int b, int t) {
    const int heads = sa_seq2seq_heads(w), S = batch->source.len[sa_batch_source_index(batch, b)];
    const int T = batch->target.len[b];
    if (w->model == SA_MODEL_RECURRENT)
        return sa_attention_head(pass->decoder.rows.attention.alpha, batch->target.start[t] + b,
                                 heads, head, S);
    const sa_transformer_cache *cache = &pass->transformer;
    if (site == SA_SITE_ENCODER)
        return sa_attention_head(cache->encoder.layer[layer].self.rows.alpha,
                                 cache->encoder.self.first[b] + t, heads, head, S);
    const sa_layer_cache *own = &cache->decoder.layer[layer];
    return site == SA_SITE_CROSS ? sa_attention_head(own->cross.rows.alpha,
                                                     batch->target.first[b] + t, heads, head, S)
                                 : sa_attention_head(own->self.rows.alpha,
                                                     batch->target.first[b] + t, heads, head, T);
}

void sa_pass_override(const sa_seq2seq *w, sa_pass *pass, const sa_override *override) {
    if (w->model == SA_MODEL_TRANSFORMER)
        pass->transformer.override = override;
    else
        pass->decoder.override = override;
}
