#include "base/memory.h"
#include "model/family.h"
#include "tensor/vec.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- Layout ---------------------------------------------------------------------------------- */

static void decode_layout(sa_arena *arena, const sa_seq2seq *all, const sa_batch *batch, int rows,
                          int steps, sa_decode_cache *cache) {
    const sa_transformer *w = &all->transformer;
    sa_transformer_decode_state *state = &cache->transformer;
    const sa_stack *stack = &w->decoder;
    const sa_transformer_layer *layer = &stack->layer[0];
    const sa_attention *attention = &layer->self.attention;
    const int m = w->sizes.m, S = batch->source.steps, longest = steps > S ? steps : S;
    const int sums = sa_running_width(attention), kept = sums ? rows : steps;
    *state = (sa_transformer_decode_state){
        .position_vector = sa_mat_alloc(arena, stack->positions.kind->encoding ? 1 : 0, m),
        .x = sa_mat_alloc(arena, rows, m),
        .inner = sa_mat_alloc(arena, rows, w->sizes.ffn),
        .self_attention = sa_attention_rows_layout(arena, attention, rows, 0, false),
        .one = sa_attention_rows_layout(arena, attention, 1, steps, false),
        .keys = sa_mat_alloc(arena, kept, attention->key_width),
        .values = sa_mat_alloc(arena, kept, attention->value_width),
        .sums = {sa_mat_alloc(arena, rows, stack->layers * sums),
                 sa_mat_alloc(arena, rows, stack->layers * sums)},
        .last = sa_layernorm_layout(arena, stack->last.g.cols ? rows : 0, m),
        .scratch = sa_attention_scratch_layout(arena, attention, 1, longest, false),
    };
    state->cache.width = sums ? 0 : stack->layers * (attention->key_width + attention->value_width);
    state->cache.last = sa_arena_alloc(arena, (size_t)rows, sizeof *state->cache.last);
    state->cache.next = sa_arena_alloc(arena, (size_t)rows, sizeof *state->cache.next);
    sa_residual_layout(arena, &layer->self.residual, state->x, false, &state->self);
    sa_residual_layout(arena, &layer->cross.residual, state->x, false, &state->cross);
    sa_residual_layout(arena, &layer->feed.residual, state->x, false, &state->feed);
    sa_readout_layout(arena, rows, &w->vocabulary, false, &state->readout);
    sa_transformer_encoder_layout(arena, batch, w, false, &state->encoder);
    for (int k = 0; k < stack->layers; k++) {
        const sa_attention *cross = &stack->layer[k].cross.attention;
        sa_memory_layout(arena, cross, state->encoder.self.first, state->encoder.out,
                         &state->memory[k]);
        state->cross_attention[k] = sa_attention_rows_layout(arena, cross, rows, S, false);
    }
}

static void decode_release(sa_decode_cache *cache) {
    sa_kv_cache *entries = &cache->transformer.cache;
    free(entries->entries);
    free(entries->before);
    *entries = (sa_kv_cache){0};
}

static void decode_begin(const sa_seq2seq *all, const sa_batch *batch, sa_decode_cache *cache) {
    const sa_transformer *w = &all->transformer;
    sa_transformer_decode_state *state = &cache->transformer;
    (void)batch;
    sa_transformer_encode(w, (sa_dropout){0}, NULL, &state->encoder);
    for (int k = 0; k < w->decoder.layers; k++)
        sa_memory_forward(&w->decoder.layer[k].cross.attention, &state->memory[k]);
    state->cache.count = 0;
}

/* ---- The key/value cache --------------------------------------------------------------------- */

/* A new entry for each row of the step. */
static bool append_entries(sa_kv_cache *cache, const sa_decode_step *step, sa_error *error) {
    if (!cache->width) return true;
    const size_t count = cache->count + (size_t)step->L;
    if (!sa_reserve(&cache->entries, &cache->entries_capacity, count * (size_t)cache->width,
                    sizeof *cache->entries, error) ||
        !sa_reserve(&cache->before, &cache->before_capacity, count, sizeof *cache->before, error))
        return false;
    for (int l = 0; l < step->L; l++) {
        cache->next[l] = (int)cache->count + l;
        cache->before[cache->next[l]] = step->i == 1 ? -1 : cache->last[step->from[l]];
    }
    cache->count = count;
    int *swap = cache->last;
    cache->last = cache->next, cache->next = swap;
    return true;
}

/* The keys and values of one layer in the L newest entries, which are words of position i. */
static sa_memory entries_of(const sa_kv_cache *cache, const sa_attention *w, int layer, int i,
                            int L) {
    const int key = w->key_width, value = w->value_width;
    const size_t first = cache->count - (size_t)L;
    sa_real *x = cache->entries + first * (size_t)cache->width + (ptrdiff_t)layer * (key + value);
    return (sa_memory){.position = i - 1,
                       .keys = {x, L, key, cache->width},
                       .values = {x + key, L, value, cache->width}};
}

/* The keys and values of the i words that end with this entry. */
static sa_memory gather_entries(const sa_transformer_decode_state *state, const sa_attention *w,
                                int layer, int entry, int i, int *first) {
    const sa_kv_cache *cache = &state->cache;
    const size_t key = (size_t)w->key_width, value = (size_t)w->value_width;
    const size_t at = (size_t)layer * (key + value);
    for (int t = i - 1; t >= 0; t--, entry = cache->before[entry]) {
        const sa_real *x = cache->entries + (size_t)entry * (size_t)cache->width + at;
        memcpy(sa_row(state->keys, t), x, key * sizeof *x);
        memcpy(sa_row(state->values, t), x + key, value * sizeof *x);
    }
    first[0] = 0, first[1] = i;
    return (sa_memory){.first = first, .keys = state->keys, .values = state->values};
}

/* ---- Running sums ---------------------------------------------------------------------------- */

/* Each row of the step goes on with the sums of the row that it continues. */
static void continue_sums(sa_attention_sums *sums, const sa_decode_step *step) {
    const sa_mat swap = sums->before;
    sums->before = sums->now, sums->now = swap;
    for (int l = 0; l < step->L && swap.cols; l++) {
        const sa_mat now = sa_rows(sums->now, l, 1);
        if (step->i == 1)
            sa_zero(now);
        else
            sa_copy_mat(sa_rows(sums->before, step->from[l], 1), now);
    }
}

/* From the queries and annotations of all rows: their words are added to the sums of this layer,
 * and o is read from them. */
static void attend_to_sums(const sa_attention *attention, int layer, sa_mat annotations,
                           sa_attention_rows rows, sa_mat o, sa_transformer_decode_state *state) {
    const int width = sa_running_width(attention);
    sa_memory own = {.annotations = annotations,
                     .keys = sa_rows(state->keys, 0, o.rows),
                     .values = sa_rows(state->values, 0, o.rows)};
    sa_memory_forward(attention, &own);
    for (int l = 0; l < o.rows; l++)
        sa_running_step(attention, sa_rows(rows.q, l, 1), sa_rows(own.keys, l, 1),
                        sa_rows(own.values, l, 1),
                        sa_cols(sa_rows(state->sums.now, l, 1), layer * width, width),
                        sa_rows(o, l, 1), sa_rows(state->scratch.keys, 0, 1));
}

/* ---- Sublayers ------------------------------------------------------------------------------- */

/* The keys and values of all rows' words are cached, and each row attends to those before it. */
static void attend_to_cache(const sa_attention *attention, int layer, int i, sa_mat annotations,
                            sa_attention_rows rows, sa_mat o, sa_transformer_decode_state *state) {
    sa_memory own = entries_of(&state->cache, attention, layer, i, o.rows);
    own.annotations = annotations;
    sa_memory_forward(attention, &own);
    if (attention->score->key == SA_KEY_IDENTITY) sa_copy_mat(annotations, own.keys);
    for (int l = 0; l < o.rows; l++) {
        int first[2];
        const sa_memory cache =
            gather_entries(state, attention, layer, state->cache.last[l], i, first);
        sa_attention_rows row = sa_attention_rows_slice(rows, l, 1);
        row.alpha = state->one.alpha;
        for (int p = 0; p < attention->parts; p++)
            if (!row.part[p].cols) row.part[p] = state->one.part[p];
        sa_heads_forward(attention, &cache, (sa_query_block){0, 1, 0, i}, row, sa_rows(o, l, 1),
                         &state->scratch);
    }
}

static sa_mat self_forward(const sa_attention_sublayer *w, int layer, int i, sa_mat x,
                           sa_transformer_decode_state *state) {
    const sa_attention *attention = &w->attention;
    sa_residual_cache residual = sa_residual_slice(&state->self, x.rows);
    sa_attention_rows rows = sa_attention_rows_slice(state->self_attention, 0, x.rows);
    sa_mat o = sa_attention_head_output(attention, rows, residual.y);
    sa_residual_enter_forward(&w->residual, x, &residual);
    sa_attention_project_query(attention, residual.in, rows);
    if (state->sums.now.cols)
        attend_to_sums(attention, layer, residual.in, rows, o, state);
    else
        attend_to_cache(attention, layer, i, residual.in, rows, o, state);
    sa_attention_project_output(attention, rows, residual.y);
    sa_residual_leave_forward(&w->residual, x, 0, NULL, &residual);
    return residual.y;
}

static sa_mat cross_forward(const sa_attention_sublayer *w, int layer, const sa_decode_step *step,
                            sa_mat x, sa_transformer_decode_state *state) {
    sa_residual_cache residual = sa_residual_slice(&state->cross, x.rows);
    sa_attention_rows rows = sa_attention_rows_slice(state->cross_attention[layer], 0, x.rows);
    sa_residual_enter_forward(&w->residual, x, &residual);
    sa_attention_step_forward(&w->attention, &state->memory[layer], step->which, step->i,
                              residual.in, rows, residual.y, &state->scratch);
    sa_residual_leave_forward(&w->residual, x, 0, NULL, &residual);
    return residual.y;
}

/* ---- One step -------------------------------------------------------------------------------- */

static bool decode_step(const sa_seq2seq *all, const sa_decode_step *step, sa_decode_cache *cache,
                        sa_mat *t, sa_error *error) {
    const sa_transformer *w = &all->transformer;
    const sa_stack *stack = &w->decoder;
    sa_transformer_decode_state *state = &cache->transformer;
    const int L = step->L;
    sa_mat x = sa_rows(state->x, 0, L);
    if (!append_entries(&state->cache, step, error)) return false;
    continue_sums(&state->sums, step);
    sa_embedding_forward(w->target_E, step->ids, x);
    sa_scale(sa_sqrt((sa_real)x.cols), x);
    sa_positions_table(&stack->positions, step->i - 1, state->position_vector);
    for (int l = 0; state->position_vector.rows && l < L; l++)
        sa_add(state->position_vector, sa_rows(x, l, 1));
    sa_feedforward_sublayer_cache feed = {sa_residual_slice(&state->feed, L),
                                          sa_rows(state->inner, 0, L)};
    for (int k = 0; k < stack->layers; k++) {
        const sa_transformer_layer *layer = &stack->layer[k];
        x = self_forward(&layer->self, k, step->i, x, state);
        x = cross_forward(&layer->cross, k, step, x, state);
        x = sa_feedforward_sublayer_forward(&layer->feed, x, 0, NULL, &feed);
    }
    *t = sa_rows(state->readout.t, 0, L);
    if (stack->last.g.cols)
        sa_layernorm_forward(&stack->last, x, &state->last, *t);
    else
        sa_copy_mat(x, *t);
    sa_gate_forward(&w->vocabulary.gate, (sa_mat){0}, *t, (sa_mat){0},
                    sa_rows(state->readout.gate, 0, L));
    return true;
}

/* ---- The table ------------------------------------------------------------------------------- */

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
