#include "model/transformer_family.h"
#include "attention/heads.h"

/* ---- Sizes and weights ----------------------------------------------------------------------- */

static bool attends(const sa_settings *settings) {
    (void)settings;
    return true;
}

static sa_sizes sizes_of(const sa_settings *settings, int source_words, int target_words) {
    sa_attention_sizes attention =
        sa_attention_sizes_of(settings, settings->embed, settings->embed);
    attention.transformer = true;
    return (sa_sizes){
        .family = &sa_transformer_family,
        .transformer =
            {
                .layers = settings->layers,
                .m = settings->embed,
                .ffn = settings->ffn,
                .norm = settings->norm,
                .positions = settings->positions,
                .max_positions = settings->max_len + 1,
                .shaw_distance = settings->shaw_distance,
                .tie = settings->tie,
                .copies = settings->copy,
                .source_words = source_words,
                .target_words = target_words,
                .attention = attention,
            },
    };
}

static const char *refuse(const sa_settings *settings, const sa_sizes *sizes) {
    return sa_attention_refuse(&sizes->transformer.attention,
                               &sa_position_kinds[settings->positions]);
}

static void bind(sa_binder *binder, const sa_sizes *sizes, sa_seq2seq *w) {
    sa_transformer_bind(binder, &sizes->transformer, &w->transformer);
}

static const sa_readout *readout(const sa_seq2seq *w) {
    return &w->transformer.vocabulary;
}

static const sa_attention *attention(const sa_seq2seq *w) {
    return &w->transformer.decoder.layer[0].cross.attention;
}

static int layers(const sa_seq2seq *w, sa_attention_site site) {
    (void)site; /* both stacks are equally deep */
    return w->transformer.sizes.layers;
}

/* ---- A pass over a batch --------------------------------------------------------------------- */

static void layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                   sa_pass *pass) {
    sa_transformer_layout(arena, batch, &w->transformer, training, &pass->transformer);
}

static void forward(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout, sa_rng *rng,
                    sa_pass *pass) {
    (void)batch;
    sa_transformer_cache *cache = &pass->transformer;
    sa_transformer_forward(&w->transformer, dropout, rng, cache);
}

static void predict(const sa_seq2seq *w, const sa_batch *batch, double smoothing, sa_real scale,
                    sa_pass *pass, sa_seq2seq *dw) {
    const sa_batch_side *side = &batch->target;
    sa_transformer_cache *cache = &pass->transformer;
    sa_vocabulary_loss(&w->transformer.vocabulary, cache->targets, smoothing, scale,
                       &cache->readout, cache->log_p, cache->objective,
                       dw ? &dw->transformer.vocabulary : NULL);
    for (int b = 0; b < side->sentences; b++) /* from sentence by sentence to step by step */
        for (int t = 0; t < side->len[b]; t++) {
            pass->log_p[side->start[t] + b] = cache->log_p[side->first[b] + t];
            pass->objective[side->start[t] + b] = cache->objective[side->first[b] + t];
        }
}

static void backward(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout, sa_pass *pass,
                     sa_seq2seq *dw) {
    (void)batch;
    sa_transformer_backward(&w->transformer, dropout, &pass->transformer, &dw->transformer);
}

static sa_mat weights(const sa_pass *pass, const sa_batch *batch, sa_attention_site site, int layer,
                      int b, int t) {
    const sa_stack_cache *encoder = &pass->transformer.encoder;
    const sa_layer_cache *decoder = &pass->transformer.decoder.layer[layer];
    if (site == SA_SITE_ENCODER)
        return sa_rows(encoder->layer[layer].self.rows.alpha, encoder->self.first[b] + t, 1);
    return sa_rows((site == SA_SITE_CROSS ? decoder->cross : decoder->self).rows.alpha,
                   batch->target.first[b] + t, 1);
}

static sa_mat dalpha(const sa_pass *pass, int layer) {
    return pass->transformer.decoder.layer[layer].cross.dalpha;
}

static const sa_readout_cache *read_out(const sa_pass *pass) {
    return &pass->transformer.readout;
}

/* ---- Decoding, word by word ------------------------------------------------------------------ */

static void decode_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, int rows,
                          int steps, sa_decode_cache *cache) {
    sa_transformer_decode_layout(arena, &w->transformer, batch, rows, steps, &cache->transformer);
}

static void decode_begin(const sa_seq2seq *w, const sa_batch *batch, sa_decode_cache *cache) {
    (void)batch;
    sa_transformer_decode_begin(&w->transformer, &cache->transformer);
}

static bool decode_step(const sa_seq2seq *w, const sa_decode_step *step, sa_decode_cache *cache,
                        sa_mat *t, sa_error *error) {
    *t = sa_rows(cache->transformer.readout.t, 0, step->L);
    return sa_transformer_decode_step(&w->transformer, step, &cache->transformer, error);
}

static sa_mat decode_weights(const sa_decode_cache *cache, int layer) {
    return cache->transformer.cross_attention[layer].alpha;
}

static sa_cache_size cache_size(const sa_seq2seq *w) {
    const sa_stack *stack = &w->transformer.decoder;
    const sa_transformer_layer *layer = &stack->layer[0];
    const size_t layers = (size_t)stack->layers, A = (size_t)w->transformer.sizes.m;
    const size_t sums = layers * (size_t)sa_running_width(&layer->self.attention);
    return (sa_cache_size){
        .state = sums * sizeof(sa_real),
        .source_word = layers * sa_memory_width(&layer->cross.attention, (int)A) * sizeof(sa_real),
        .target_word =
            sums ? 0 : layers * sa_memory_width(&layer->self.attention, (int)A) * sizeof(sa_real)};
}

static const sa_readout_cache *decode_read_out(const sa_decode_cache *cache) {
    return &cache->transformer.readout;
}

static void decode_release(sa_decode_cache *cache) {
    sa_transformer_decode_release(&cache->transformer);
}

const sa_family sa_transformer_family = {
    .name = "transformer",
    .preset = "vaswani2017-toy",
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
    .read_out = read_out,
    .decode_layout = decode_layout,
    .decode_begin = decode_begin,
    .decode_step = decode_step,
    .decode_weights = decode_weights,
    .decode_read_out = decode_read_out,
    .decode_release = decode_release,
    .cache_size = cache_size,
};
