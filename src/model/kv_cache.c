/* The Transformer that generates word by word: the same layers as in transformer.c, but the keys
 * and values of the words so far come from a cache, so that a step computes only those of its own
 * words. kv_cache.h describes the cache. L is the number of hypotheses of a step, m the size of a
 * vector. */
#include "model/kv_cache.h"
#include "attention/parts.h"
#include "base/memory.h"
#include "tensor/vec.h"

#include <stdlib.h>
#include <string.h>

/* ---- The key/value cache --------------------------------------------------------------------- */

/* Appends an entry for each row of the step. */
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

/* The matrices with a row for each word: keys, values and what parts keep. */
enum { MATRICES = 2 + SA_PARTS_MAX };
static sa_mat *matrix_of(sa_memory *memory, int number) {
    return number == 0 ? &memory->keys : number == 1 ? &memory->values : &memory->part[number - 2];
}

/* Returns what the memory of one layer holds of the step's words, in the L newest entries. */
static sa_memory entries_of(const sa_transformer_decode_state *state, int layer, int L) {
    const sa_kv_cache *cache = &state->cache;
    const size_t first = cache->count - (size_t)L;
    sa_real *x = cache->entries + first * (size_t)cache->width + state->layer[layer].first;
    sa_memory own = state->layer[layer].words;
    own.positions = state->positions;
    for (int m = 0; m < MATRICES; m++) {
        sa_mat *matrix = matrix_of(&own, m);
        *matrix = (sa_mat){x, L, matrix->cols, cache->width};
        x += matrix->cols;
    }
    return own;
}

/* Copies what the memory holds of words `first` .. `end` - 1 (from 0); the last one has this
 * entry. */
static void gather_entries(const sa_kv_cache *cache, sa_self_decode_state *layer, int entry,
                           int first, int end) {
    for (int t = end - 1; t >= first; t--, entry = cache->before[entry]) {
        const sa_real *x = cache->entries + (size_t)entry * (size_t)cache->width + layer->first;
        for (int m = 0; m < MATRICES; m++) {
            const sa_mat *to = matrix_of(&layer->words, m);
            if (to->cols) memcpy(sa_row(*to, t), x, (size_t)to->cols * sizeof *x);
            x += to->cols;
        }
    }
}

/* ---- The source before the words of a decoder ------------------------------------------------ */

/* Returns the number of words of source b that self-attention sees before the first that a step
 * reads: with merged attention all, in a decoder-only model all but EOS, else 0. */
static int words_before(const sa_transformer_decode_state *state, int b) {
    const int *first = state->encoder.self.first + b;
    return state->joins ? first[1] - first[0] - (state->separator != NULL) : 0;
}

/* Copies what the memory holds of these words. */
static void gather_source(sa_transformer_decode_state *state, int layer, int b) {
    sa_memory *memory = &state->memory[layer];
    const int first = memory->first[b], words = words_before(state, b);
    for (int m = 0; m < MATRICES; m++) {
        const sa_mat *to = matrix_of(&state->layer[layer].words, m);
        if (to->cols)
            sa_copy_mat(sa_rows(*matrix_of(memory, m), first, words), sa_rows(*to, 0, words));
    }
}

/* Keeps the weights of row l, but only those of its source. */
static void keep_source_weights(const sa_transformer_decode_state *state, int heads, int layer,
                                int b, int l) {
    const sa_mat kept = state->cross_attention[layer].alpha;
    const int *first = state->encoder.self.first + b, S = first[1] - first[0];
    for (int k = 0; k < heads; k++)
        sa_copy_mat(sa_attention_head(state->layer[layer].one.alpha, 0, heads, k, S),
                    sa_attention_head(kept, l, heads, k, S));
}

/* ---- Running sums ---------------------------------------------------------------------------- */

/* Lets each row of the step continue with the sums of the row that it continues. */
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

/* Adds the words of all rows, given by their annotations, to the sums of this layer, and reads o
 * from these for the queries. */
static void attend_to_sums(const sa_attention *attention, int layer, sa_mat annotations,
                           sa_attention_rows rows, sa_mat o, sa_transformer_decode_state *state) {
    const sa_self_decode_state *self = &state->layer[layer];
    sa_memory own = self->words;
    own.annotations = annotations;
    for (int m = 0; m < MATRICES; m++)
        matrix_of(&own, m)->rows = matrix_of(&own, m)->cols ? o.rows : 0;
    sa_memory_forward(attention, &own);
    for (int l = 0; l < o.rows; l++)
        sa_running_step(attention, &own, l, sa_rows(rows.q, l, 1),
                        sa_cols(sa_rows(state->sums.now, l, 1), self->first, self->sums),
                        sa_rows(o, l, 1), sa_rows(self->scratch.score, 0, 1));
}

/* ---- Sublayers ------------------------------------------------------------------------------- */

/* Caches the keys and values of all rows' words, and lets each row attend to those before it. */
static void attend_to_cache(const sa_attention *attention, int layer, const sa_decode_step *step,
                            sa_mat annotations, sa_attention_rows rows, sa_mat o,
                            sa_transformer_decode_state *state) {
    sa_self_decode_state *self = &state->layer[layer];
    sa_memory own = entries_of(state, layer, o.rows);
    own.annotations = annotations;
    sa_memory_forward(attention, &own);
    if (attention->score->key == SA_KEY_IDENTITY) sa_copy_mat(annotations, own.keys);
    for (int l = 0; l < o.rows; l++) {
        const int b = step->which[l], words = words_before(state, b) + step->i;
        const int first[] = {0, words};
        sa_memory cache = self->words;
        cache.first = first;
        gather_entries(&state->cache, self, state->cache.last[l], words - step->i, words);
        if (state->joins) gather_source(state, layer, b);
        sa_attention_rows row = sa_attention_rows_slice(rows, l, 1);
        row.alpha = self->one.alpha;
        for (int p = 0; p < attention->parts; p++)
            if (row.part[p].cols < self->one.part[p].cols) { /* columns for each word */
                sa_copy_mat(row.part[p], sa_cols(self->one.part[p], 0, row.part[p].cols));
                row.part[p] = self->one.part[p];
            }
        sa_heads_forward(attention, &cache, (sa_query_block){0, 1, 0, words}, row, sa_rows(o, l, 1),
                         &self->scratch);
        if (state->joins) keep_source_weights(state, attention->heads, layer, b, l);
    }
}

/* MultiHead(x, x, x) over the words so far, with its residual connection: x [L x m] -> y [L x m] */
static sa_mat self_forward(const sa_attention_sublayer *w, int layer, const sa_decode_step *step,
                           sa_mat x, sa_transformer_decode_state *state) {
    const sa_attention *attention = &w->attention;
    sa_residual_cache residual = sa_residual_slice(state->self, x.rows);
    sa_attention_rows rows = sa_attention_rows_slice(state->layer[layer].rows, 0, x.rows);
    sa_mat o = sa_attention_head_output(attention, rows, residual.y);
    sa_residual_enter_forward(&w->residual, x, &residual);
    sa_attention_project_query(attention, residual.in, rows);
    if (state->layer[layer].sums)
        attend_to_sums(attention, layer, residual.in, rows, o, state);
    else
        attend_to_cache(attention, layer, step, residual.in, rows, o, state);
    sa_attention_project_output(attention, rows, residual.y);
    sa_residual_leave_forward(&w->residual, x, 0, NULL, &residual);
    return residual.y;
}

/* Does the same over the source: MultiHead(x, h, h)    x [L x m] -> y [L x m] */
static sa_mat cross_forward(const sa_attention_sublayer *w, int layer, const sa_decode_step *step,
                            sa_mat x, sa_transformer_decode_state *state) {
    sa_residual_cache residual = sa_residual_slice(state->cross, x.rows);
    sa_attention_rows rows = sa_attention_rows_slice(state->cross_attention[layer], 0, x.rows);
    sa_residual_enter_forward(&w->residual, x, &residual);
    const sa_queries queries = {.blocks = x.rows, .which = step->which, .i = step->i};
    sa_attention_forward(&w->attention, &state->memory[layer], &queries, residual.in, rows,
                         residual.y, &state->scratch);
    sa_residual_leave_forward(&w->residual, x, 0, NULL, &residual);
    return residual.y;
}

/* ---- One step -------------------------------------------------------------------------------- */

/* Sections 3.4 and 3.5 (Vaswani et al. 2017): x = sqrt(m) E y_{i-1} + PE */
static void embed(const sa_stack *stack, sa_mat E, const sa_decode_step *step, sa_mat x,
                  sa_transformer_decode_state *state) {
    const int *position = state->positions;
    const bool begins = state->separator && step->i == 1;
    sa_embedding_forward(E, begins ? state->separator : step->ids, x);
    sa_scale(sa_sqrt((sa_real)x.cols), x);
    for (int l = 0; l < x.rows; l++) {
        const int before = state->separator ? words_before(state, step->which[l]) : 0;
        state->positions[l] = before + step->i - 1;
        if (l == 0 || position[l] != position[l - 1])
            sa_positions_table(&stack->positions, position[l], state->position_vector);
        if (state->position_vector.rows) sa_add(state->position_vector, sa_rows(x, l, 1));
    }
}

/* y_{i-1} in step->ids -> t [L x m] */
bool sa_transformer_decode_step(const sa_transformer *w, const sa_decode_step *step,
                                sa_transformer_decode_state *state, sa_mat t, sa_error *error) {
    const sa_stack *stack = &w->decoder;
    const int L = step->L;
    sa_mat x = sa_rows(state->x, 0, L);
    if (!append_entries(&state->cache, step, error)) return false;
    continue_sums(&state->sums, step);
    embed(stack, w->target_E, step, x, state);
    sa_feedforward_sublayer_cache feed = {sa_residual_slice(state->feed, L),
                                          sa_rows(state->inner, 0, L)};
    for (int k = 0; k < stack->layers; k++) {
        const sa_transformer_layer *layer = &stack->layer[k];
        x = self_forward(&layer->self, k, step, x, state);
        if (stack->cross) x = cross_forward(&layer->cross, k, step, x, state);
        x = sa_feedforward_sublayer_forward(&layer->feed, x, 0, NULL, &feed);
    }
    if (stack->last.g.cols)
        sa_layernorm_forward(&stack->last, x, &state->last, 0, t);
    else
        sa_copy_mat(x, t);
    return true;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Returns the attention of a layer to the source. */
static const sa_attention *source_attention(const sa_stack *stack, int layer) {
    const sa_transformer_layer *own = &stack->layer[layer];
    return &(stack->cross ? &own->cross : &own->self)->attention;
}

/* Returns the width of the sums that take the place of keys and values in decoding. Self-attention
 * that joins the source keeps keys and values: the weights of the source are its alignment. */
static int sums_width(const sa_stack *stack, int layer) {
    const sa_attention *w = &stack->layer[layer].self.attention;
    return stack->cross ? sa_parts_widths(w, w->parts, 0, 0).running : 0;
}

sa_cache_size sa_transformer_cache_size(const sa_transformer *w) {
    const sa_stack *stack = &w->decoder;
    const int A = w->sizes.m;
    size_t sums = 0, source = 0, target = 0;
    for (int k = 0; k < stack->layers; k++) {
        const size_t self = sa_memory_width(&stack->layer[k].self.attention, A);
        const int own = sums_width(stack, k);
        sums += (size_t)own;
        target += own ? 0 : self;
        source += sa_memory_width(source_attention(stack, k), A);
    }
    return (sa_cache_size){.state = sums * sizeof(sa_real),
                           .source_word = source * sizeof(sa_real),
                           .target_word = target * sizeof(sa_real)};
}

/* Lays out the attention of a layer to sources of at most S words: their keys and values, which the
 * stack of a decoder-only model has made when it has read them, and the weights that remain. */
static void layout_source(sa_arena *arena, const sa_transformer *w, int k, int rows, int S,
                          sa_transformer_decode_state *state) {
    const sa_attention *attention = source_attention(&w->decoder, k);
    if (w->sizes.decoder_only)
        state->memory[k] = state->encoder.layer[k].self.memory;
    else
        sa_memory_layout(arena, attention, state->encoder.self.first, state->encoder.out,
                         &state->memory[k]);
    state->cross_attention[k] = sa_attention_rows_layout(arena, attention, rows, S, false);
}

/* Lays out self-attention of all layers for at most `words` words, and the scratch of
 * cross-attention; returns the width of the sums. */
static int layout_self(sa_arena *arena, const sa_stack *stack, int m, int rows, int words, int S,
                       sa_transformer_decode_state *state) {
    const size_t start = arena->used;
    const sa_attention *cross = &stack->layer[0].cross.attention;
    int sums = 0;
    if (stack->cross) state->scratch = sa_attention_scratch_layout(arena, cross, 1, S, false);
    for (int k = 0; k < stack->layers; k++) {
        const sa_attention *w = &stack->layer[k].self.attention;
        const int width = sums_width(stack, k), raw = w->score->key == SA_KEY_IDENTITY ? m : 0;
        sa_self_decode_state *own = &state->layer[k];
        const size_t end = sa_arena_rewind(arena, start);
        *own = (sa_self_decode_state){
            .sums = width,
            .first = width ? sums : state->cache.width,
            .rows = sa_attention_rows_layout(arena, w, rows, 0, false),
            .one = sa_attention_rows_layout(arena, w, 1, words, false),
            .scratch = sa_attention_scratch_layout(arena, w, 1, words, false),
        };
        sa_memory_layout(arena, w, NULL, sa_mat_alloc(arena, width ? rows : words, raw),
                         &own->words);
        sums += width;
        state->cache.width += width ? 0 : (int)sa_memory_width(w, m);
        sa_arena_advance(arena, end);
    }
    return sums;
}

void sa_transformer_decode_layout(sa_arena *arena, const sa_transformer *w, const sa_batch *batch,
                                  int rows, int steps, sa_transformer_decode_state *state) {
    const sa_stack *stack = &w->decoder;
    const sa_transformer_layer *layer = &stack->layer[0];
    const int m = w->sizes.m, S = batch->source.steps;
    *state = (sa_transformer_decode_state){
        .joins = !stack->cross,
        .position_vector = sa_mat_alloc(arena, stack->positions.kind->encoding ? 1 : 0, m),
        .x = sa_mat_alloc(arena, rows, m),
        .inner = sa_mat_alloc(arena, rows, w->sizes.settings.ffn),
        .last = sa_layernorm_layout(arena, stack->last.g.cols ? rows : 0, m),
    };
    const int sums = layout_self(arena, stack, m, rows, steps + (state->joins ? S : 0), S, state);
    state->sums.now = sa_mat_alloc(arena, rows, sums);
    state->sums.before = sa_mat_alloc(arena, rows, sums);
    state->cache.last = sa_arena_alloc(arena, (size_t)rows, sizeof *state->cache.last);
    state->cache.next = sa_arena_alloc(arena, (size_t)rows, sizeof *state->cache.next);
    state->positions = sa_arena_alloc(arena, (size_t)rows, sizeof *state->positions);
    sa_residual_layout(arena, &layer->self.residual, state->x, false, &state->self);
    sa_residual_layout(arena, &layer->cross.residual, state->x, false, &state->cross);
    sa_residual_layout(arena, &layer->feed.residual, state->x, false, &state->feed);
    sa_transformer_encoder_layout(arena, batch, w, false, &state->encoder);
    if (w->sizes.decoder_only)
        state->separator = sa_arena_alloc(arena, (size_t)rows, sizeof *state->separator);
    for (int l = 0; arena->base && state->separator && l < rows; l++) state->separator[l] = SA_EOS;
    for (int k = 0; k < stack->layers; k++) layout_source(arena, w, k, rows, S, state);
}

void sa_transformer_decode_begin(const sa_transformer *w, sa_transformer_decode_state *state) {
    sa_transformer_encode_forward(w, (sa_dropout){0}, NULL, &state->encoder);
    for (int k = 0; k < w->decoder.layers && !w->sizes.decoder_only; k++)
        sa_memory_forward(source_attention(&w->decoder, k), &state->memory[k]);
    state->cache.count = 0;
}

void sa_transformer_decode_release(sa_transformer_decode_state *state) {
    sa_kv_cache *entries = &state->cache;
    free(entries->entries);
    free(entries->before);
    *entries = (sa_kv_cache){0};
}
