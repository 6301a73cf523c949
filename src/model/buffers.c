/* Binds the weights of an encoder, a recurrent decoder and a readout, and lays out what their
 * passes keep; no equations. */
#include "model/buffers.h"
#include "tensor/vec.h"

#include <stdio.h>

/* ---- The encoder: orders of words ----------------------------------------------------------- */

static const int32_t *reading_order(sa_arena *arena, const sa_batch *batch, const sa_encoder *w) {
    const sa_batch_side *side = &batch->source;
    if (!w->sizes.settings.reverse_source) return side->ids;
    int32_t *ids = sa_arena_alloc(arena, (size_t)side->words, sizeof *ids);
    if (!arena->base) return ids;
    for (int t = 0; t < side->steps; t++)
        for (int b = 0; b < side->active[t]; b++)
            ids[side->start[t] + b] =
                side->ids[side->start[sa_encoder_read_position(&w->sizes, side->len[b], t)] + b];
    return ids;
}

const int *sa_source_rows(sa_arena *arena, const sa_batch *batch) {
    const int B = batch->source.sentences;
    int *first = sa_arena_alloc(arena, (size_t)B + 1, sizeof *first);
    if (!arena->base) return first;
    first[0] = 0;
    for (int b = 0; b < B; b++)
        first[b + 1] = first[b] + batch->source.len[sa_batch_source_index(batch, b)];
    return first;
}

/* ---- The encoder: weights ------------------------------------------------------------------- */

void sa_encoder_bind(sa_binder *binder, const sa_sizes *sizes, sa_encoder *w) {
    static const char *const names[] = {"forward", "backward"};
    const int directions =
        sizes->settings.encoder == SA_ENCODER_NONE ? 0 : sa_encoder_width(sizes) / sizes->n;
    *w = (sa_encoder){.sizes = *sizes,
                      .layers = directions ? sizes->settings.layers : 0,
                      .directions = directions};
    if (sizes->settings.tie != SA_TIE_THREE)
        w->E = sa_bind_table(binder, "source", "E", sizes->source_words, sizes->m, SA_INIT_INPUT);
    const sa_position_sizes positions = {.kind = &sa_position_kinds[sizes->settings.positions],
                                         .max_positions = sizes->attention.max_positions,
                                         .m = sizes->m};
    sa_positions_bind(binder, "source", &positions, &w->positions);
    for (int layer = 0; layer < w->layers; layer++)
        for (int d = 0; d < directions; d++) {
            char prefix[32];
            if (layer)
                snprintf(prefix, sizeof prefix, "encoder.%d.%s", layer + 1, names[d]);
            else
                snprintf(prefix, sizeof prefix, "encoder.%s", names[d]);
            sa_recurrent_sizes own = {.in = layer ? directions * sizes->n : sizes->m,
                                      .n = sizes->n,
                                      .normalized = sizes->settings.cell_norm};
            sa_recurrent_bind(binder, prefix, sizes->encoder_cell, own, &w->layer[layer][d]);
            w->steps = (sa_steps){0};
            sa_recurrent_add_steps(&w->layer[layer][d], false, &w->steps);
        }
}

/* ---- The encoder: layout -------------------------------------------------------------------- */

void sa_encoder_layout(sa_arena *arena, const sa_batch *batch, const sa_encoder *w, bool training,
                       sa_encoder_cache *cache) {
    const int N = batch->source.words, B = batch->source.sentences, m = w->sizes.m, n = w->sizes.n;
    const int A = sa_encoder_width(&w->sizes), has_m = w->layers ? w->sizes.encoder_cell->has_m : 0;
    const int masked = training && w->sizes.settings.dropout_state > 0 ? B : 0;
    *cache = (sa_encoder_cache){.x = sa_mat_alloc(arena, N, m)};
    cache->position_vectors =
        sa_mat_alloc(arena, w->positions.kind->encoding ? batch->source.steps : 0, m);
    cache->ids = reading_order(arena, batch, w);
    for (int layer = 0; layer < w->layers; layer++) {
        if (layer < w->layers - 1 || !training) cache->h[layer] = sa_mat_alloc(arena, N, A);
        for (int d = 0; d < w->directions; d++)
            cache->direction[layer][d] = (sa_direction){
                d == 1, sa_recurrent_rows_layout(arena, &w->layer[layer][d], N, masked),
                sa_mat_alloc(arena, N, has_m * n)};
        if (w->sizes.copied && layer < w->layers - 1)
            cache->last[layer] = sa_state_take(arena, B, n, has_m);
    }
    cache->annotations = sa_mat_alloc(arena, N, A);
    cache->last_m = sa_mat_alloc(arena, B, has_m * n);
    cache->first = sa_source_rows(arena, batch);
    if (!training) return;
    cache->word_mask = sa_mat_alloc(arena, N, 1);
    cache->x_mask = sa_mat_alloc(arena, w->sizes.settings.dropout > 0 ? N : 0, m);
    cache->annotation_mask = sa_mat_alloc(arena, w->sizes.settings.dropout > 0 ? N : 0, A);
    cache->dannotations = sa_mat_alloc(arena, N, A);
    cache->dlast_m = sa_mat_alloc(arena, B, has_m * n);
    for (int layer = 0; layer < w->layers - 1; layer++) {
        cache->h_mask[layer] = sa_mat_alloc(arena, w->sizes.settings.dropout_layers > 0 ? N : 0, A);
        if (w->sizes.copied) cache->dlast[layer] = sa_state_take(arena, B, n, has_m);
    }
    /* The last layer's states use the memory of dannotations: reorder() copies them to annotations,
     * and until the backward pass dannotations is free. */
    if (w->layers) cache->h[w->layers - 1] = cache->dannotations;
}

void sa_encoder_loop_layout(sa_arena *arena, const sa_batch *batch, const sa_encoder *w,
                            bool training, sa_encoder_cache *cache) {
    const int N = batch->source.words, B = batch->source.sentences, n = w->sizes.n;
    const int A = sa_encoder_width(&w->sizes), has_m = w->layers ? w->sizes.encoder_cell->has_m : 0;
    cache->products = sa_steps_layout(arena, w->steps, B);
    if (!training) return;
    cache->dx = sa_mat_alloc(arena, N, w->sizes.m);
    for (int layer = 0; layer < w->layers; layer++) cache->dh[layer] = sa_mat_alloc(arena, N, A);
    if (!w->layers) return;
    cache->da = sa_mat_alloc(arena, N, sa_recurrent_da_width(&w->layer[0][0]));
    cache->dm = sa_mat_alloc(arena, N, has_m * n);
    cache->dprevious = sa_state_take(arena, B, n, has_m);
    cache->scratch = sa_mat_alloc(arena, B, n);
}

/* ---- What the decoder starts from ------------------------------------------------------------ */

static int context_input_width(const sa_sizes *sizes) {
    return sizes->fixed ? sa_summary_width(SA_INITIAL_LAST, sizes) : 0;
}

/* Returns the width of the summary that makes s_0, or 0 if the fixed context makes it. */
static int initial_input_width(const sa_sizes *sizes) {
    return sizes->initial == SA_INITIAL_CONTEXT ? 0 : sa_summary_width(sizes->initial, sizes);
}

static void bind_source(sa_binder *binder, const sa_sizes *sizes, sa_source_weights *w) {
    const int n = sizes->n, in = initial_input_width(sizes) ? initial_input_width(sizes) : n;
    *w = (sa_source_weights){.sizes = *sizes};
    if (sizes->fixed) {
        w->V = sa_bind_matrix(binder, "decoder", "V", n, context_input_width(sizes), SA_INIT_INPUT);
        w->b_V = sa_bind_vector(binder, "decoder", "b_V", n, SA_INIT_ZERO);
    }
    if (sizes->initial == SA_INITIAL_COPY) return;
    for (int layer = 0; layer < sizes->layers; layer++) {
        char prefix[32] = "decoder";
        if (layer) snprintf(prefix, sizeof prefix, "decoder.%d", layer + 1);
        w->W_s[layer] = sa_bind_matrix(binder, prefix, "W_s", n, in, SA_INIT_INPUT);
        w->b_s[layer] = sa_bind_vector(binder, prefix, "b_s", n, SA_INIT_ZERO);
    }
}

void sa_source_layout(sa_arena *arena, const sa_source_weights *w, const sa_attention *attention,
                      int B, const int *first, sa_mat annotations, sa_source *source) {
    const sa_sizes *sizes = &w->sizes;
    *source = (sa_source){0};
    if (attention->heads) sa_memory_layout(arena, attention, first, annotations, &source->memory);
    source->context_input = sa_mat_alloc(arena, B, context_input_width(sizes));
    source->c = sa_mat_alloc(arena, B, sizes->fixed ? sizes->n : 0);
    source->encoder_summary = sa_mat_alloc(arena, B, initial_input_width(sizes));
    for (int layer = 0; layer < sizes->layers; layer++)
        source->s0[layer] = sa_state_take(arena, B, sizes->n, sizes->cell->has_m);
}

/* ---- The decoder: weights ------------------------------------------------------------------- */

/* Returns the size of c_i, or 0 if there is no context. */
static int context_width(const sa_sizes *sizes) {
    const bool attends = sizes->kind->query_state != SA_QUERY_STATE_NONE;
    return attends ? sa_encoder_width(sizes) : sizes->fixed ? sizes->n : 0;
}

/* Registers the weights used at every step. With input feeding a step reads its word and makes the
 * readout, too. */
static void add_steps(sa_recurrent_decoder *w) {
    const bool feeding = w->sizes.settings.input_feeding;
    const bool query = w->attention.heads && w->attention.score->query != SA_QUERY_IDENTITY;
    sa_recurrent_add_steps(&w->layer[0], feeding, &w->steps);
    sa_recurrent_add_steps(&w->context_cell, false, &w->steps);
    if (query) sa_steps_add(&w->steps, &w->attention.W_a);
    sa_weight *const readout[] = {&w->readout.U_o, &w->readout.V_o, &w->readout.C_o};
    for (int k = 0; feeding && k < 3; k++) sa_steps_add(&w->steps, readout[k]);
    for (int k = 1; k < w->sizes.layers; k++) sa_recurrent_add_steps(&w->layer[k], true, &w->steps);
}

static void bind_cells(sa_binder *binder, const sa_sizes *sizes, sa_recurrent_decoder *w) {
    const int n = sizes->n, context = context_width(sizes);
    sa_recurrent_sizes cell = {.in = sizes->m + (sizes->settings.input_feeding ? sizes->l : 0),
                               .n = n,
                               .context = sizes->kind->context_in_cell ? context : 0,
                               .inner_context = sizes->settings.reset == SA_RESET_SUM,
                               .normalized = sizes->settings.cell_norm};
    sa_recurrent_sizes context_cell = cell;
    context_cell.in = 0, context_cell.context = context, context_cell.inner_bias = true;
    sa_recurrent_bind(binder, "decoder", sizes->cell, cell, &w->layer[0]);
    if (sizes->kind->context_cell)
        sa_recurrent_bind(binder, "decoder.second", sizes->cell, context_cell, &w->context_cell);
    cell.in = n;
    for (int k = 1; k < sizes->layers; k++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "decoder.%d", k + 1);
        sa_recurrent_bind(binder, prefix, sizes->cell, cell, &w->layer[k]);
    }
}

/* Binds the readout of a decoder whose embedding is E. */
static void bind_readout(sa_binder *binder, const sa_sizes *sizes, sa_mat E, sa_readout *w) {
    const bool maxout = sizes->kind->maxout, tied = sizes->settings.tie != SA_TIE_NONE;
    const int units = (maxout ? 2 : 1) * sizes->l, context = context_width(sizes);
    *w = (sa_readout){.maxout = maxout,
                      .copies = sizes->settings.copy || sizes->kind->points,
                      .dropout = sizes->settings.dropout > 0,
                      .U_o.mat.cols = sizes->n}; /* [0 x n] */
    if (sizes->kind->points) return;
    w->U_o = sa_bind_matrix(binder, "readout", "U_o", units, sizes->n, SA_INIT_INPUT);
    if (sizes->kind->sees_word)
        w->V_o = sa_bind_matrix(binder, "readout", "V_o", units, sizes->m, SA_INIT_INPUT);
    if (context) w->C_o = sa_bind_matrix(binder, "readout", "C_o", units, context, SA_INIT_INPUT);
    w->b_o = sa_bind_vector(binder, "readout", "b_o", units, SA_INIT_ZERO);
    sa_vocabulary_bind(binder, sizes->target_words, sizes->l, tied ? E : (sa_mat){0}, w);
    if (sizes->settings.copy) sa_copy_gate_bind(binder, context, sizes->n, sizes->m, &w->copy_gate);
}

void sa_recurrent_decoder_bind(sa_binder *binder, const sa_sizes *sizes, sa_recurrent_decoder *w) {
    *w = (sa_recurrent_decoder){.sizes = *sizes};
    if (sizes->kind->query_state != SA_QUERY_STATE_NONE)
        sa_attention_bind(binder, "attention", &sizes->attention, &w->attention);
    bind_source(binder, sizes, &w->source);
    w->E = sa_bind_table(binder, "target", "E", sizes->target_words, sizes->m, SA_INIT_INPUT);
    bind_cells(binder, sizes, w);
    bind_readout(binder, sizes, w->E, &w->readout);
    add_steps(w);
}

/* ---- The decoder: layout -------------------------------------------------------------------- */

sa_decoder_rows sa_decoder_rows_layout(sa_arena *arena, const sa_recurrent_decoder *w, int rows,
                                       int steps, int sentences) {
    const sa_settings *settings = &w->sizes.settings;
    const int n = w->sizes.n, masked = settings->dropout_state > 0 ? sentences : 0;
    sa_decoder_rows all = {
        .input = sa_mat_alloc(arena, rows, w->layer[0].W.mat.cols),
        .context_cell = sa_recurrent_rows_layout(arena, &w->context_cell, rows, masked),
        .attention = sa_attention_rows_layout(arena, &w->attention, rows, steps, false),
        .c = sa_mat_alloc(arena, rows, context_width(&w->sizes)),
    };
    for (int k = 0; k < w->sizes.layers; k++) {
        sa_decoder_layer_rows *own = &all.layer[k];
        own->x = sa_mat_alloc(arena, rows, k ? n : 0);
        own->mask =
            sa_mat_alloc(arena, k && settings->dropout_layers > 0 && sentences ? rows : 0, n);
        own->cell = sa_recurrent_rows_layout(arena, &w->layer[k], rows, masked);
        own->s = sa_state_take(arena, rows, n, w->sizes.cell->has_m);
    }
    return all;
}

static sa_decoder_gradients gradients_layout(sa_arena *arena, const sa_recurrent_decoder *w,
                                             int rows, int sentences, int steps) {
    const int n = w->sizes.n, has_m = w->sizes.cell->has_m;
    sa_decoder_gradients d = {
        .readout_state = sa_mat_alloc(arena, rows, n),
        .context_a = sa_mat_alloc(arena, rows, sa_recurrent_da_width(&w->context_cell)),
        .proposal = sa_state_take(arena, sentences, w->context_cell.n, has_m),
        .x = sa_mat_alloc(arena, sentences, n),
        .attention = sa_attention_rows_layout(arena, &w->attention, rows, steps, true),
        .c = sa_mat_alloc(arena, rows, context_width(&w->sizes)),
    };
    for (int k = 0; k < w->sizes.layers; k++) {
        sa_decoder_layer_gradients *own = &d.layer[k];
        own->a = sa_mat_alloc(arena, rows, sa_recurrent_da_width(&w->layer[k]));
        own->previous = sa_state_take(arena, sentences, n, has_m);
        own->s = sa_state_take(arena, sentences, n, has_m);
        own->y = k ? sa_mat_alloc(arena, sentences, n) : own->s.s;
    }
    return d;
}

/* Returns y_{i-1} for every row: BOS, then the reference tokens. */
static int32_t *input_words(sa_arena *arena, const sa_batch_side *side) {
    int32_t *inputs = sa_arena_alloc(arena, (size_t)side->words, sizeof *inputs);
    if (!arena->base) return inputs;
    for (int t = 0; t < side->steps; t++)
        for (int b = 0; b < side->active[t]; b++)
            inputs[side->start[t] + b] = t ? side->ids[side->start[t - 1] + b] : SA_BOS;
    return inputs;
}

void sa_recurrent_decoder_layout(sa_arena *arena, const sa_batch *batch,
                                 const sa_recurrent_decoder *w, const sa_encoder_cache *encoder,
                                 bool training, sa_decoder_cache *cache) {
    const int M = batch->target.words, B = batch->target.sentences, S = batch->source.steps;
    *cache = (sa_decoder_cache){.rows = sa_decoder_rows_layout(arena, w, M, S, training ? B : 0)};
    sa_source_layout(arena, &w->source, &w->attention, B, encoder->first, encoder->annotations,
                     &cache->source);
    cache->inputs = input_words(arena, &batch->target);
    sa_readout_layout(arena, M, &w->readout, training, &cache->readout);
    cache->scratch = sa_attention_scratch_layout(arena, &w->attention, 1, S, training);
    if (!training) return;
    cache->word_mask = sa_mat_alloc(arena, M, 1);
    cache->x_mask = sa_mat_alloc(arena, w->sizes.settings.dropout > 0 ? M : 0, w->sizes.m);
    cache->rows.attention.noise =
        sa_mat_alloc(arena, M, sa_parts_widths(&w->attention, w->attention.parts, 0, S).noise);
    cache->dinput = sa_mat_alloc(arena, M, w->layer[0].W.mat.cols);
}

void sa_recurrent_decoder_loop_layout(sa_arena *arena, const sa_batch *batch,
                                      const sa_recurrent_decoder *w,
                                      const sa_encoder_cache *encoder, bool training,
                                      sa_decoder_cache *cache) {
    const int M = batch->target.words, B = batch->target.sentences, S = batch->source.steps;
    cache->products = sa_steps_layout(arena, w->steps, B);
    if (!training) return;
    cache->workspace = sa_mat_alloc(arena, B, w->sizes.n);
    cache->d = gradients_layout(arena, w, M, B, S);
    cache->d.input = cache->dinput;
    if (batch->gold || w->readout.copies)
        cache->d.attention.alpha = sa_mat_alloc(arena, M, w->attention.heads * S);
    sa_source_layout(arena, &w->source, &w->attention, B, encoder->first, encoder->dannotations,
                     &cache->dsource);
}

/* ---- The readout ----------------------------------------------------------------------------- */

void sa_vocabulary_bind(sa_binder *binder, int words, int l, sa_mat tied, sa_readout *w) {
    w->W_o = tied.cols ? sa_bind_tied(binder, tied)
                       : sa_bind_matrix(binder, "readout", "W_o", words, l, SA_INIT_INPUT);
    w->b_y = sa_bind_vector(binder, "readout", "b_y", words, SA_INIT_ZERO);
}

/* Returns the rows of about a megabyte of logits, but enough to repay what reading W_o costs their
 * product, which is more with a wider t. */
static int block_rows(int rows, int words, int l) {
    int block = (1 << 18) / words, least = l < 32 ? 64 : l > 128 ? 256 : 2 * l;
    if (block < least) block = least;
    return block < rows ? block : rows;
}

void sa_vocabulary_layout(sa_arena *arena, int rows, const sa_readout *w, sa_readout_cache *cache) {
    const int l = w->W_o.mat.cols, words = w->W_o.mat.rows;
    if (!words) return;
    cache->logits = sa_mat_alloc(arena, block_rows(rows, words, l), words);
    cache->loss = sa_arena_alloc(arena, (size_t)rows, sizeof *cache->loss);
    cache->max = sa_mat_alloc(arena, (words + SA_VOCABULARY_SLICE - 1) / SA_VOCABULARY_SLICE, rows);
}

void sa_readout_layout(sa_arena *arena, int rows, const sa_readout *w, bool training,
                       sa_readout_cache *cache) {
    const int l = w->W_o.mat.cols, units = w->U_o.mat.rows;
    *cache = (sa_readout_cache){
        .sums = sa_mat_alloc(arena, rows, units),
        .t = sa_mat_alloc(arena, rows, l),
        .copy_gate = sa_mat_alloc(arena, rows, w->copy_gate.b.cols),
        .dcopy_gate = sa_mat_alloc(arena, training ? rows : 0, w->copy_gate.b.cols),
    };
    if (w->copies) cache->mixtures = sa_arena_alloc(arena, (size_t)rows, sizeof *cache->mixtures);
    if (!training) return;
    cache->t_mask = sa_mat_alloc(arena, w->dropout ? rows : 0, l);
    cache->dsums = cache->sums; /* the backward functions overwrite element by element */
    cache->dt = sa_mat_alloc(arena, rows, l);
}

/* A.2.2: p(y_i) = softmax(W_o t_i + b_y). t [R x l] -> logits [R x K] */
void sa_vocabulary_forward(const sa_readout *w, sa_mat t, sa_mat logits, sa_mat most,
                           double *log_sum_exp) {
    sa_weight_nt_most(t, w->W_o, w->b_y.x, SA_VOCABULARY_STRETCH, logits, most);
    for (int i = 0; i < t.rows; i++)
        log_sum_exp[i] = sa_log_sum_exp_below(sa_row(logits, i), sa_max(sa_row(most, i), most.cols),
                                              logits.cols);
}
