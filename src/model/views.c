/* The weights of a model, the memory of a pass, and the attention weights that the pass leaves
 * behind. */
#include "model/views.h"

/* ---- Attention weights ----------------------------------------------------------------------- */

sa_mat sa_pass_all_weights(const sa_seq2seq *w, const sa_pass *pass, const sa_batch *batch,
                           sa_attention_site site, int layer, int b, int t) {
    const sa_transformer_cache *cache = &pass->transformer;
    const sa_layer_cache *decoder = &cache->decoder.layer[layer];
    const bool one_stack = w->transformer.sizes.decoder_only, joins = sa_seq2seq_joins(w);
    if (w->recurrent)
        return sa_rows(pass->decoder.rows.attention.alpha, batch->target.start[t] + b, 1);
    if (site == SA_SITE_ENCODER && !one_stack)
        return sa_rows(cache->encoder.layer[layer].self.rows.alpha,
                       cache->encoder.self.first[b] + t, 1);
    /* What the decoder reads follows the source, whose EOS is its first word if one stack reads
     * both. */
    const int before = batch->source.len[sa_batch_source_index(batch, b)] - one_stack;
    const int first = one_stack && site != SA_SITE_ENCODER ? before : 0;
    sa_mat alpha = (joins || site != SA_SITE_CROSS ? &decoder->self : &decoder->cross)->rows.alpha;
    alpha = sa_rows(alpha, cache->decoder.self.first[b] + first + t, 1);
    if (joins && site == SA_SITE_DECODER) alpha.x += before;
    return alpha;
}

sa_mat sa_pass_weights(const sa_seq2seq *w, const sa_pass *pass, const sa_batch *batch,
                       sa_attention_site site, int layer, int head, int b, int t) {
    const int S = batch->source.len[sa_batch_source_index(batch, b)], T = batch->target.len[b];
    return sa_attention_head(sa_pass_all_weights(w, pass, batch, site, layer, b, t), 0,
                             sa_seq2seq_heads(w), head, site == SA_SITE_DECODER ? T : S);
}

/* ---- What a model has ------------------------------------------------------------------------ */

bool sa_seq2seq_attends(const sa_seq2seq *w) {
    return sa_seq2seq_layers(w, SA_SITE_CROSS) > 0;
}

int sa_seq2seq_layers(const sa_seq2seq *w, sa_attention_site site) {
    return w->recurrent ? site == SA_SITE_CROSS && w->decoder.attention.heads > 0
                        : w->transformer.sizes.layers;
}

int sa_seq2seq_heads(const sa_seq2seq *w) {
    return sa_seq2seq_attention(w)->heads;
}

int sa_seq2seq_sampling_part(const sa_seq2seq *w) {
    const sa_attention *attention = sa_seq2seq_attention(w);
    int p = attention->parts - 1;
    while (p >= 0 && !sa_rare_of(attention->part[p].kind)->samples) p--;
    return p;
}

/* ---- Weights --------------------------------------------------------------------------------- */

static void bind(sa_binder *binder, const sa_sizes *sizes, sa_seq2seq *w) {
    *w = (sa_seq2seq){.recurrent = sizes->recurrent};
    binder->precision = sizes->precision;
    if (sizes->recurrent) {
        sa_encoder_bind(binder, sizes, &w->encoder);
        sa_recurrent_decoder_bind(binder, sizes, &w->decoder);
        if (sizes->settings.tie == SA_TIE_THREE) w->encoder.E = w->decoder.E;
    } else {
        sa_transformer_bind(binder, sizes, &w->transformer);
    }
}

void sa_seq2seq_plan(const sa_sizes *sizes, sa_params *plan) {
    sa_seq2seq shape;
    *plan = (sa_params){0};
    bind(&(sa_binder){.plan = plan}, sizes, &shape);
}

const sa_param *sa_seq2seq_embedding(const sa_params *plan, int side) {
    const sa_param *source = sa_params_find(plan, "source.E");
    return side || !source ? sa_params_find(plan, "target.E") : source;
}

void sa_seq2seq_bind_buffer(const sa_sizes *sizes, sa_real *buffer, sa_seq2seq *w) {
    bind(&(sa_binder){.buffer = buffer}, sizes, w);
}

void sa_seq2seq_bind_stored(const sa_sizes *sizes, sa_real *buffer, sa_store *store,
                            sa_seq2seq *w) {
    store->memory.used = 0;
    bind(&(sa_binder){.buffer = buffer, .store = store}, sizes, w);
}

bool sa_seq2seq_open_stored(const sa_sizes *sizes, sa_real *buffer, sa_store *store, sa_seq2seq *w,
                            sa_error *error) {
    sa_seq2seq_bind_stored(sizes, buffer, store, w); /* counts */
    if (!sa_store_open(store, error)) return false;
    sa_seq2seq_bind_stored(sizes, buffer, store, w);
    return true;
}

void sa_seq2seq_set_decoding(sa_seq2seq *w, bool decoding) {
    w->decoder.attention.decoding = decoding;
}

void sa_seq2seq_override(sa_seq2seq *w, const sa_override *override) {
    if (!override->chosen.kind) return;
    if (w->decoder.attention.heads) sa_override_install(&w->decoder.attention, override);
    for (int k = 0; k < w->transformer.decoder.layers; k++)
        sa_override_install(&w->transformer.decoder.layer[k].cross.attention, override);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

/* The encoder's pass, the decoder's and the logits never use their buffers at the same time, so all
 * three share the memory after what lasts. */
static void layout_recurrent(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch,
                             bool training, sa_pass *pass) {
    sa_encoder_cache *encoder = &pass->encoder;
    sa_decoder_cache *decoder = &pass->decoder;
    sa_encoder_layout(arena, batch, &w->encoder, training, encoder);
    sa_recurrent_decoder_layout(arena, batch, &w->decoder, encoder, training, decoder);
    const size_t start = arena->used;
    sa_vocabulary_layout(arena, batch->target.words, &w->decoder.readout, &decoder->readout);
    const size_t logits = sa_arena_rewind(arena, start);
    sa_encoder_loop_layout(arena, batch, &w->encoder, training, encoder);
    const size_t encoded = sa_arena_rewind(arena, start);
    sa_recurrent_decoder_loop_layout(arena, batch, &w->decoder, encoder, training, decoder);
    sa_arena_advance(arena, logits);
    sa_arena_advance(arena, encoded);
}

void sa_pass_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                    sa_pass *pass) {
    const size_t words = (size_t)batch->target.words;
    const size_t sampled = sa_seq2seq_sampling_part(w) < 0 ? 0 : (size_t)batch->target.sentences;
    if (w->recurrent)
        layout_recurrent(arena, w, batch, training, pass);
    else
        sa_transformer_layout(arena, batch, &w->transformer, training, &pass->transformer);
    pass->log_p = sa_arena_alloc(arena, words, sizeof *pass->log_p);
    pass->objective = sa_arena_alloc(arena, words, sizeof *pass->objective);
    pass->advantages = sampled ? sa_arena_alloc(arena, sampled, sizeof *pass->advantages) : NULL;
    for (size_t b = 0; pass->advantages && b < sampled; b++) pass->advantages[b] = 0;
}

sa_output_gradients sa_pass_gradients(const sa_seq2seq *w, const sa_pass *pass) {
    const sa_readout_cache *readout = sa_pass_readout(w, pass);
    const sa_attention_rows *attention = &pass->decoder.d.attention;
    sa_output_gradients d = {readout->dt, readout->dcopy_gate,
                             w->recurrent ? attention->alpha : pass->transformer.dalpha};
    for (int p = 0; w->recurrent && p < w->decoder.attention.parts; p++)
        d.part[p] = attention->part[p];
    return d;
}
