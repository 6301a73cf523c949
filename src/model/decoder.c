#include "model/decoder.h"
#include "base/thread.h"
#include "tensor/vec.h"

static bool attends(const sa_decoder_sizes *sizes) {
    return sizes->kind->query_state != SA_QUERY_STATE_NONE;
}

/* The numbers of c_i; 0: there is no context. */
static int context_width(const sa_decoder_sizes *sizes) {
    return attends(sizes)        ? sa_encoder_width(&sizes->source.encoder)
           : sizes->source.fixed ? sizes->n
                                 : 0;
}

/* The weights by which every step multiplies. With input feeding it reads its word and makes the
 * readout, too. */
static void add_steps(sa_decoder *w) {
    const bool whole = w->sizes.settings.input_feeding;
    const bool query = w->attention.heads && w->attention.score->query != SA_QUERY_IDENTITY;
    sa_recurrent_add_steps(&w->cell, whole, &w->steps);
    sa_recurrent_add_steps(&w->second, false, &w->steps);
    if (query) sa_steps_add(&w->steps, &w->attention.W_a);
    if (whole) sa_readout_add_steps(&w->readout, &w->steps);
    sa_upper_add_steps(&w->upper, &w->steps);
}

void sa_decoder_bind(sa_binder *binder, const sa_decoder_sizes *sizes, sa_decoder *w) {
    const int n = sizes->n, context = context_width(sizes), m = sizes->m;
    *w = (sa_decoder){.sizes = *sizes};
    if (attends(sizes)) sa_attention_bind(binder, "attention", &sizes->attention, &w->attention);
    sa_source_bind(binder, &sizes->source, &w->source);
    w->E = sa_bind_table(binder, "target", "E", sizes->words, m, SA_INIT_INPUT);
    sa_recurrent_sizes cell = {.in = m + (sizes->settings.input_feeding ? sizes->l : 0),
                               .n = n,
                               .context = sizes->kind->context_in_cell ? context : 0,
                               .inner_context = sizes->settings.reset == SA_RESET_SUM,
                               .normalized = sizes->settings.cell_norm};
    sa_recurrent_bind(binder, "decoder", sizes->cell, cell, &w->cell);
    if (sizes->kind->second) {
        sa_recurrent_sizes second = {.n = n,
                                     .context = context,
                                     .inner_bias = true,
                                     .inner_context = sizes->settings.reset == SA_RESET_SUM,
                                     .normalized = sizes->settings.cell_norm};
        sa_recurrent_bind(binder, "decoder.second", sizes->cell, second, &w->second);
    }
    const sa_upper_sizes upper = {.cell = sizes->cell,
                                  .count = sizes->layers - 1,
                                  .n = n,
                                  .context = sizes->kind->context_in_cell ? context : 0,
                                  .inner_context = sizes->settings.reset == SA_RESET_SUM,
                                  .residual = sizes->settings.decoder_residual,
                                  .normalized = sizes->settings.cell_norm,
                                  .state_dropout = sizes->settings.dropout_state > 0,
                                  .layer_dropout = sizes->settings.dropout_layers > 0};
    sa_upper_bind(binder, &upper, &w->upper);
    sa_readout_sizes readout = {.output = sizes->kind->output,
                                .words = sizes->words,
                                .n = n,
                                .l = sizes->l,
                                .m = sizes->kind->sees_word ? m : 0,
                                .context = context,
                                .dropout = sizes->dropout,
                                .tied = sizes->settings.tie != SA_TIE_NONE ? w->E : (sa_mat){0}};
    sa_readout_bind(binder, readout, &w->readout);
    if (sizes->settings.copy) sa_gate_bind(binder, context, n, m, &w->readout.gate);
    add_steps(w);
}

/* ---- Slices ---------------------------------------------------------------------------------- */

sa_decoder_rows sa_decoder_rows_slice(sa_decoder_rows all, int first, int count) {
    return (sa_decoder_rows){
        .input = sa_rows(all.input, first, count),
        .previous = sa_state_rows(all.previous, first, count),
        .middle = sa_state_rows(all.middle, first, count),
        .s = sa_state_rows(all.s, first, count),
        .attention = sa_attention_rows_slice(all.attention, first, count),
        .c = sa_rows(all.c, first, count),
        .gates = sa_rows(all.gates, first, count),
        .cell_cache = sa_rows(all.cell_cache, first, count),
        .second_gates = sa_rows(all.second_gates, first, count),
        .second_cell_cache = sa_rows(all.second_cell_cache, first, count),
        .upper = {all.upper.layer, all.upper.first + first},
    };
}

sa_state sa_decoder_previous(sa_decoder_rows rows, int layer) {
    return layer ? sa_upper_layer(rows.upper, layer - 1, rows.s.s.rows).previous : rows.previous;
}

sa_state sa_decoder_state(sa_decoder_rows rows, int layer) {
    return layer ? sa_upper_layer(rows.upper, layer - 1, rows.s.s.rows).s : rows.s;
}

static sa_decoder_drows drows_slice(sa_decoder_drows all, int first, int count) {
    return (sa_decoder_drows){
        .input = sa_rows(all.input, first, count),
        .readout_state = sa_rows(all.readout_state, first, count),
        .c = sa_rows(all.c, first, count),
        .a = sa_rows(all.a, first, count),
        .second_a = sa_rows(all.second_a, first, count),
        .attention = sa_attention_rows_slice(all.attention, first, count),
        .s = sa_state_rows(all.s, 0, count),
        .middle = sa_state_rows(all.middle, 0, count),
        .previous = sa_state_rows(all.previous, 0, count),
        .upper = all.upper,
    };
}

/* What the last layer passes on. */
static sa_mat output_of(const sa_decoder *w, sa_decoder_rows rows) {
    const int count = w->upper.sizes.count, L = rows.s.s.rows;
    return count ? sa_upper_layer(rows.upper, count - 1, L).y : rows.s.s;
}

sa_mat sa_decoder_readout_state(const sa_decoder *w, sa_decoder_rows rows) {
    return w->sizes.sees_previous ? sa_decoder_previous(rows, w->upper.sizes.count).s
                                  : output_of(w, rows);
}

/* In the backward pass, the derivative by what the last layer passes on. */
static sa_mat output_derivative(const sa_decoder *w, sa_decoder_drows d) {
    const int count = w->upper.sizes.count;
    return count ? sa_rows(d.upper[count - 1].y, 0, d.s.s.rows) : d.s.s;
}

sa_mat sa_decoder_query(const sa_decoder *w, sa_decoder_rows rows) {
    const sa_query_state query_state = w->sizes.kind->query_state;
    return query_state == SA_QUERY_STATE_PREVIOUS ? rows.previous.s
           : query_state == SA_QUERY_STATE_MIDDLE ? rows.middle.s
                                                  : output_of(w, rows);
}

sa_mat sa_decoder_word_input(const sa_decoder *w, sa_mat input) {
    return sa_cols(input, 0, w->sizes.m);
}

/* The columns of the input that hold t_{i-1}; none without input feeding. */
static sa_mat fed_input(const sa_decoder *w, sa_mat input) {
    return sa_cols(input, w->sizes.m, input.cols - w->sizes.m);
}

/* ---- Parts of a step -----------------------------------------------------------------------
 * On entry, gates hold W x + b and second_gates hold b. */

static void attend_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                            sa_decoder_drows d, sa_source *dsource, sa_mat ds, sa_decoder *dw) {
    const sa_attention_pass pass = {&step->source->memory, rows.attention, d.attention,
                                    &dsource->memory, &step->scratch};
    sa_attention_step_backward(&w->attention, &pass, step->i, d.c, ds, &dw->attention);
}

static void cell(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows, sa_state to) {
    sa_state_dropout_forward(step->mask, rows.previous);
    w->cell.cell->forward(&w->cell, rows.previous, rows.gates, rows.cell_cache, to);
}

/* The gates of a step: where d.a takes their place, a copy. */
static sa_mat gates_of(const sa_step *step, sa_mat gates) {
    if (!step->gates.cols) return gates;
    sa_copy_mat(gates, step->gates);
    return step->gates;
}

static void cell_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                          sa_decoder_drows d, sa_state dto, sa_decoder *dw) {
    w->cell.cell->backward(&w->cell, rows.previous, gates_of(step, rows.gates), rows.cell_cache,
                           dto, d.a, d.previous, step->workspace, &dw->cell);
    sa_state_dropout_backward(step->mask, d.previous);
}

/* The layers above the first, from its state s_i; those of some decoders read c_i, too. */
static void layers_above(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    sa_upper_forward(&w->upper, rows.s.s, rows.c, step->dropout.layers, step->rng, rows.upper);
}

static void layers_above_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                                  sa_decoder_drows d, sa_decoder *dw) {
    sa_upper_backward(&w->upper, rows.upper, step->dropout.layers, d.upper, d.s.s, d.c,
                      step->workspace, &dw->upper);
}

/* ---- The decoders ---------------------------------------------------------------------------- */

/* A.2.2 (Bahdanau et al. 2015): c_i from the query s_{i-1}; s_i from y_{i-1}, c_i and s_{i-1};
 * step_forward of paper/rnnsearch.c, generalized */
static void bahdanau_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    sa_attention_step_forward(&w->attention, &step->source->memory, step->which, step->i,
                              rows.previous.s, rows.attention, rows.c, &step->scratch);
    sa_product_forward(sa_C_of(&w->cell), rows.c, rows.gates, rows.cell_cache); /* a += C c_i */
    cell(w, step, rows, rows.s);
    layers_above(w, step, rows);
}

static void bahdanau_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                              sa_decoder_drows d, sa_source *dsource, sa_decoder *dw) {
    layers_above_backward(w, step, rows, d, dw);
    cell_backward(w, step, rows, d, d.s, dw);
    sa_product_backward(sa_C_of(&w->cell), rows.cell_cache, d.a, 1, d.c, &dw->cell); /* C c_i */
    attend_backward(w, step, rows, d, dsource, d.previous.s, dw);
}

/* Section 2.2 (Cho et al. 2014): the same c at every step, in every gate */
static void fixed_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    for (int l = 0; l < rows.c.rows; l++) /* c_i = c */
        sa_copy_mat(sa_rows(step->source->c, step->which ? step->which[l] : l, 1),
                    sa_rows(rows.c, l, 1));
    sa_product_forward(sa_C_of(&w->cell), rows.c, rows.gates, rows.cell_cache); /* a += C c */
    cell(w, step, rows, rows.s);
    layers_above(w, step, rows);
}

static void fixed_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                           sa_decoder_drows d, sa_source *dsource, sa_decoder *dw) {
    layers_above_backward(w, step, rows, d, dw);
    cell_backward(w, step, rows, d, d.s, dw);
    sa_product_backward(sa_C_of(&w->cell), rows.cell_cache, d.a, 1, d.c, &dw->cell); /* a += C c */
    sa_add(d.c, sa_rows(dsource->c, 0, d.c.rows));                                   /* c_i = c */
}

/* Sutskever et al. 2014: only s_0 depends on the source */
static void fixed_init_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    cell(w, step, rows, rows.s);
    layers_above(w, step, rows);
}

static void fixed_init_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                                sa_decoder_drows d, sa_source *dsource, sa_decoder *dw) {
    layers_above_backward(w, step, rows, d, dw);
    cell_backward(w, step, rows, d, d.s, dw);
}

/* Section 3 (Luong et al. 2015): s_i from y_{i-1} and s_{i-1}; c_i from the query s_i */
static void luong_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    cell(w, step, rows, rows.s);
    layers_above(w, step, rows);
    sa_attention_step_forward(&w->attention, &step->source->memory, step->which, step->i,
                              sa_decoder_query(w, rows), rows.attention, rows.c, &step->scratch);
}

static void luong_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                           sa_decoder_drows d, sa_source *dsource, sa_decoder *dw) {
    attend_backward(w, step, rows, d, dsource, output_derivative(w, d), dw);
    layers_above_backward(w, step, rows, d, dw);
    cell_backward(w, step, rows, d, d.s, dw);
}

/* dl4mt: s'_i from y_{i-1} and s_{i-1}; c_i from the query s'_i; s_i from c_i and s'_i */
static void cgru_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    cell(w, step, rows, rows.middle);
    sa_attention_step_forward(&w->attention, &step->source->memory, step->which, step->i,
                              rows.middle.s, rows.attention, rows.c, &step->scratch);
    sa_product_forward(sa_C_of(&w->second), rows.c, rows.second_gates, rows.second_cell_cache);
    sa_state_dropout_forward(step->second_mask, rows.middle);
    w->second.cell->forward(&w->second, rows.middle, rows.second_gates, rows.second_cell_cache,
                            rows.s);
    layers_above(w, step, rows);
}

static void cgru_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                          sa_decoder_drows d, sa_source *dsource, sa_decoder *dw) {
    layers_above_backward(w, step, rows, d, dw);
    sa_state_zero(d.middle);
    w->second.cell->backward(&w->second, rows.middle, gates_of(step, rows.second_gates),
                             rows.second_cell_cache, d.s, d.second_a, d.middle, step->workspace,
                             &dw->second);
    sa_state_dropout_backward(step->second_mask, d.middle);
    sa_product_backward(sa_C_of(&w->second), rows.second_cell_cache, d.second_a, 1, d.c,
                        &dw->second);
    attend_backward(w, step, rows, d, dsource, d.middle.s, dw);
    cell_backward(w, step, rows, d, d.middle, dw);
}

/* ---- The table ------------------------------------------------------------------------------- */

const sa_decoder_kind sa_decoder_kinds[] = {
    [SA_DECODER_BAHDANAU] = {"bahdanau",
                             "c_i from s_{i-1}, s_i = f(y_{i-1}, c_i, s_{i-1}), maxout readout",
                             "Bahdanau et al. 2015, A.2.2", SA_QUERY_STATE_PREVIOUS,
                             .context_in_cell = true, .output = &sa_output_maxout,
                             .sees_word = true, .sees_previous = true,
                             .initial = SA_INITIAL_BACKWARD, .forward = bahdanau_forward,
                             .backward = bahdanau_backward},
    [SA_DECODER_FIXED] = {"fixed",
                          "one c for all words, s_i = f(y_{i-1}, c, s_{i-1}), maxout readout",
                          "Cho et al. 2014, section 2.2", SA_QUERY_STATE_NONE,
                          .context_in_cell = true, .output = &sa_output_maxout, .sees_word = true,
                          .initial = SA_INITIAL_CONTEXT, .forward = fixed_forward,
                          .backward = fixed_backward},
    [SA_DECODER_FIXED_INIT] = {"fixed-init",
                               "the source only in s_0, s_i = f(y_{i-1}, s_{i-1}), maxout readout",
                               "Sutskever et al. 2014", SA_QUERY_STATE_NONE,
                               .output = &sa_output_maxout, .sees_word = true,
                               .initial = SA_INITIAL_LAST, .forward = fixed_init_forward,
                               .backward = fixed_init_backward},
    [SA_DECODER_LUONG] =
        {"luong", "s_i = f(y_{i-1}, s_{i-1}), c_i from s_i, readout tanh(C_o c_i + U_o s_i)",
         "Luong et al. 2015, section 3", SA_QUERY_STATE_CURRENT, .output = &sa_output_tanh,
         .initial = SA_INITIAL_COPY, .forward = luong_forward, .backward = luong_backward},
    [SA_DECODER_CGRU] =
        {"cgru", "s'_i = f(y_{i-1}, s_{i-1}), c_i from s'_i, s_i = g(c_i, s'_i), tanh readout",
         "dl4mt; Nematus (Sennrich et al. 2017)", SA_QUERY_STATE_MIDDLE, .second = true,
         .output = &sa_output_tanh, .sees_word = true, .initial = SA_INITIAL_MEAN,
         .forward = cgru_forward, .backward = cgru_backward},
    {.name = NULL},
};

/* ---- All steps ------------------------------------------------------------------------------- */

/* W x + b of both cells, for any number of rows. */
static void input_forward(const sa_decoder *w, sa_decoder_rows rows) {
    sa_recurrent_input_forward(&w->cell, rows.input, rows.gates, rows.cell_cache);
    if (w->sizes.kind->second)
        sa_recurrent_input_forward(&w->second, (sa_mat){0}, rows.second_gates,
                                   rows.second_cell_cache);
}

void sa_decoder_step_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                             sa_readout_cache *readout) {
    input_forward(w, rows);
    w->sizes.kind->forward(w, step, rows);
    sa_readout_forward(&w->readout, sa_decoder_readout_state(w, rows),
                       sa_decoder_word_input(w, rows.input), rows.c, step->dropout.readout,
                       step->rng, readout);
}

void sa_decoder_forward(const sa_decoder *w, const sa_batch *batch, const sa_encoder_cache *encoder,
                        sa_dropout dropout, sa_rng *rng, sa_decoder_cache *cache) {
    const sa_batch_side *side = &batch->target;
    sa_decoder_rows *all = &cache->rows;
    sa_mat x = sa_decoder_word_input(w, all->input);
    sa_source_forward(&w->source, &w->attention, encoder, &cache->source);
    sa_embedding_forward(w->E, cache->inputs, x);
    sa_dropout_words_forward(dropout.words, rng, cache->word_mask, x);
    sa_dropout_forward(dropout.embeddings, rng, cache->x_mask, x);
    sa_state_dropout_start(dropout.state, rng, &cache->drop, &all->previous);
    sa_state_dropout_start(dropout.state, rng, &cache->second_drop, &all->middle);
    sa_attention_draw_noise(&w->attention, dropout.noise, rng, side, all->attention.noise);
    sa_upper_dropout_start(&w->upper, dropout.state, rng, all->upper);
    if (!w->sizes.settings.input_feeding) input_forward(w, *all);
    sa_steps_begin(cache->products);
    for (int t = 0; t < side->steps && !sa_stopping(); t++) {
        const int active = side->active[t];
        const sa_step step = {.source = &cache->source,
                              .i = t + 1,
                              .scratch = cache->scratch,
                              .mask = cache->drop.mask,
                              .second_mask = cache->second_drop.mask,
                              .dropout = dropout,
                              .rng = rng};
        sa_decoder_rows rows = sa_decoder_rows_slice(*all, side->start[t], active);
        for (int layer = 0; layer < w->sizes.layers; layer++)
            sa_state_copy(
                t ? sa_state_rows(sa_decoder_state(*all, layer), side->start[t - 1], active)
                  : cache->source.s0[layer],
                sa_decoder_previous(rows, layer));
        const sa_mat carry = rows.attention.previous_carry;
        if (!t) sa_attention_carry_begin(&w->attention, carry);
        if (t) sa_copy_mat(sa_rows(all->attention.carry, side->start[t - 1], active), carry);
        if (!w->sizes.settings.input_feeding) {
            w->sizes.kind->forward(w, &step, rows);
            continue;
        }
        if (t)
            sa_copy_mat(sa_rows(cache->readout.t, side->start[t - 1], active),
                        fed_input(w, rows.input));
        else
            sa_zero(fed_input(w, rows.input)); /* t_0 = 0 */
        sa_readout_cache readout = sa_readout_slice(&cache->readout, side->start[t], active);
        sa_decoder_step_forward(w, &step, rows, &readout);
    }
    sa_steps_end();
    if (!w->sizes.settings.input_feeding)
        sa_readout_forward(&w->readout, sa_decoder_readout_state(w, *all), x, all->c,
                           dropout.readout, rng, &cache->readout);
}

static sa_state previous_of(const sa_decoder_drows *d, int layer) {
    return layer ? d->upper[layer - 1].previous : d->previous;
}

/* From d.s, to which step t + 1 has contributed, to d.previous. */
static void step_backward(const sa_decoder *w, const sa_batch_side *side, int t, sa_dropout dropout,
                          sa_decoder_cache *cache, sa_decoder *dw) {
    const int start = side->start[t], active = side->active[t];
    const sa_step step = {.source = &cache->source,
                          .i = t + 1,
                          .scratch = cache->scratch,
                          .workspace = sa_rows(cache->workspace, 0, active),
                          .gates = sa_rows(cache->gates, 0, active),
                          .mask = cache->drop.mask,
                          .second_mask = cache->second_drop.mask,
                          .dropout = dropout};
    sa_decoder_rows rows = sa_decoder_rows_slice(cache->rows, start, active);
    sa_decoder_drows d = drows_slice(cache->d, start, active);
    sa_state_zero(d.previous);
    sa_upper_zero(&w->upper, active, d.upper);
    if (w->sizes.settings.input_feeding) {
        sa_readout_cache readout = sa_readout_slice(&cache->readout, start, active);
        sa_readout_backward(&w->readout, dropout.readout, &readout, d.readout_state,
                            sa_decoder_word_input(w, d.input), d.c);
        sa_zero(fed_input(w, d.input));
    }
    sa_add(d.readout_state, w->sizes.sees_previous
                                ? sa_rows(previous_of(&d, w->upper.sizes.count).s, 0, active)
                                : output_derivative(w, d));
    w->sizes.kind->backward(w, &step, rows, d, &cache->dsource, dw);
    if (t) /* carry_{i-1} was read by this step alone */
        sa_copy_mat(d.attention.previous_carry,
                    sa_rows(cache->d.attention.carry, side->start[t - 1], active));
    if (!w->sizes.settings.input_feeding) return;
    sa_product_backward(sa_W_of(&w->cell), rows.cell_cache, d.a, 1, d.input, &dw->cell);
    if (t) /* input = [E y_{i-1} ; t_{i-1}] */
        sa_add(fed_input(w, d.input), sa_rows(cache->readout.dt, side->start[t - 1], active));
}

/* All weights but the readout's, for all steps at once. */
static void weights_backward(const sa_decoder *w, const sa_decoder_cache *cache, sa_decoder *dw) {
    const sa_decoder_rows *rows = &cache->rows;
    const sa_decoder_drows *d = &cache->d;
    w->cell.cell->weights_backward(rows->previous, rows->cell_cache, d->a, &dw->cell);
    sa_recurrent_input_weights_backward(rows->input, d->a, &dw->cell);
    if (w->cell.C.mat.x) sa_product_weights_backward(sa_C_of(&dw->cell), rows->c, d->a);
    if (w->sizes.kind->second) {
        w->second.cell->weights_backward(rows->middle, rows->second_cell_cache, d->second_a,
                                         &dw->second);
        sa_recurrent_input_weights_backward((sa_mat){0}, d->second_a, &dw->second);
        sa_product_weights_backward(sa_C_of(&dw->second), rows->c, d->second_a);
    }
    sa_upper_weights_backward(&w->upper, rows->upper, rows->c, d->upper, &dw->upper);
    if (attends(&w->sizes))
        sa_attention_projections_backward(sa_decoder_query(w, *rows), rows->attention, d->c,
                                          d->attention, &dw->attention);
}

void sa_decoder_backward(const sa_decoder *w, const sa_batch *batch, sa_dropout dropout,
                         sa_decoder_cache *cache, sa_encoder_cache *encoder, sa_decoder *dw) {
    const sa_batch_side *side = &batch->target;
    const sa_decoder_rows *rows = &cache->rows;
    sa_decoder_drows *d = &cache->d;
    sa_mat dx = sa_decoder_word_input(w, d->input);
    d->upper = cache->dupper;
    sa_state_dropout_return(dropout.state, &cache->drop, &d->previous);
    sa_state_dropout_return(dropout.state, &cache->second_drop, &d->middle);
    sa_upper_dropout_return(&w->upper, dropout.state, rows->upper, d->upper);
    if (!w->sizes.settings.input_feeding)
        sa_readout_backward(&w->readout, dropout.readout, &cache->readout, d->readout_state, dx,
                            d->c);
    sa_source_zero(&w->attention, &cache->dsource, encoder);
    sa_zero(d->attention.carry);
    sa_steps_begin(cache->products);
    for (int t = side->steps - 1; t >= 0 && !sa_stopping(); t--) {
        const int active = side->active[t], next = side->active[t + 1];
        for (int layer = 0; layer < w->sizes.layers; layer++) {
            const sa_state dprevious = previous_of(d, layer),
                           ds = layer ? d->upper[layer - 1].s : d->s;
            if (next) /* s_i was the previous state of t + 1 */
                sa_state_copy(sa_state_rows(dprevious, 0, next), sa_state_rows(ds, 0, next));
            sa_state_zero(sa_state_rows(ds, next, active - next));
        }
        step_backward(w, side, t, dropout, cache, dw);
    }
    sa_steps_end();
    if (sa_stopping()) return;
    for (int layer = 0; layer < w->sizes.layers; layer++)
        sa_state_copy(previous_of(d, layer), cache->dsource.s0[layer]);
    sa_readout_weights_backward(sa_decoder_readout_state(w, *rows),
                                sa_decoder_word_input(w, rows->input), rows->c, &cache->readout,
                                &dw->readout);
    if (!w->sizes.settings.input_feeding)
        sa_product_backward(sa_W_of(&w->cell), rows->cell_cache, d->a, 1, d->input, &dw->cell);
    weights_backward(w, cache, dw);
    sa_dropout_backward(dropout.embeddings, cache->x_mask, dx);
    sa_dropout_words_backward(dropout.words, cache->word_mask, dx);
    sa_embedding_backward(cache->inputs, dx, dw->E);
    sa_source_backward(&w->source, &w->attention, &cache->source, &cache->dsource, encoder,
                       &dw->source, &dw->attention);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

sa_decoder_rows sa_decoder_rows_layout(sa_arena *arena, const sa_decoder *w, int rows, int steps,
                                       int sentences) {
    const sa_cell *cell = w->sizes.cell;
    const int n = w->sizes.n, second = w->sizes.kind->second ? n : 0;
    return (sa_decoder_rows){
        .input = sa_mat_alloc(arena, rows, w->cell.W.mat.cols),
        .previous = sa_state_take(arena, rows, n, cell->memory),
        .middle = sa_state_take(arena, rows, second, cell->memory),
        .s = sa_state_take(arena, rows, n, cell->memory),
        .attention = sa_attention_rows_layout(arena, &w->attention, rows, steps, false),
        .c = sa_mat_alloc(arena, rows, context_width(&w->sizes)),
        .gates = sa_mat_alloc(arena, rows, cell->blocks * n),
        .cell_cache = sa_mat_alloc(arena, rows, sa_recurrent_cache_width(&w->cell)),
        .second_gates = sa_mat_alloc(arena, rows, cell->blocks * second),
        .second_cell_cache = sa_mat_alloc(arena, rows, sa_recurrent_cache_width(&w->second)),
        .upper = sa_upper_rows_layout(arena, &w->upper, rows, sentences),
    };
}

/* The derivatives by the pre-activations take the place of the gates where there are as many. */
static sa_mat over_gates(sa_arena *arena, const sa_decoder *w, const sa_recurrent *cell,
                         sa_mat gates) {
    return w->sizes.settings.cell_norm
               ? sa_mat_alloc(arena, gates.rows, sa_recurrent_da_width(cell))
               : gates;
}

static sa_decoder_drows drows_layout(sa_arena *arena, const sa_decoder *w,
                                     const sa_decoder_rows *forward, int sentences, int steps,
                                     bool weighed) {
    const int rows = forward->gates.rows;
    const sa_cell *cell = w->sizes.cell;
    const int n = w->sizes.n, second = w->sizes.kind->second ? n : 0;
    sa_decoder_drows d = {
        .readout_state = sa_mat_alloc(arena, rows, n),
        .c = sa_mat_alloc(arena, rows, context_width(&w->sizes)),
        .a = over_gates(arena, w, &w->cell, forward->gates),
        .second_a = over_gates(arena, w, &w->second, forward->second_gates),
        .attention = sa_attention_rows_layout(arena, &w->attention, rows, steps, true),
        .s = sa_state_take(arena, sentences, n, cell->memory),
        .middle = sa_state_take(arena, sentences, second, cell->memory),
        .previous = sa_state_take(arena, sentences, n, cell->memory),
    };
    if (weighed) d.attention.alpha = sa_mat_alloc(arena, rows, w->attention.heads * steps);
    return d;
}

void sa_decoder_layout(sa_arena *arena, const sa_batch *batch, const sa_decoder *w,
                       const sa_encoder_cache *encoder, bool training, sa_decoder_cache *cache) {
    const int M = batch->target.words, B = batch->target.sentences, S = batch->source.steps;
    *cache = (sa_decoder_cache){.rows = sa_decoder_rows_layout(arena, w, M, S, training ? B : 0)};
    sa_source_layout(arena, &w->source, &w->attention, B, encoder->first, encoder->annotations,
                     &cache->source);
    cache->inputs = sa_embedding_inputs(arena, &batch->target);
    sa_readout_layout(arena, M, &w->readout, training, &cache->readout);
    cache->scratch = sa_attention_scratch_layout(arena, &w->attention, 1, S, training);
    if (!training) return;
    cache->word_mask = sa_mat_alloc(arena, M, 1);
    cache->x_mask = sa_mat_alloc(arena, w->sizes.dropout ? M : 0, w->sizes.m);
    cache->rows.attention.noise =
        sa_mat_alloc(arena, M, sa_attention_noise_width(&w->attention, S));
    cache->drop =
        sa_state_dropout_layout(arena, w->sizes.settings.dropout_state > 0, M, B, w->sizes.n);
    cache->second_drop = sa_state_dropout_layout(arena, w->sizes.settings.dropout_state > 0, M, B,
                                                 cache->rows.middle.s.cols);
    cache->dinput = sa_mat_alloc(arena, M, w->cell.W.mat.cols);
}

void sa_decoder_loop_layout(sa_arena *arena, const sa_batch *batch, const sa_decoder *w,
                            const sa_encoder_cache *encoder, bool training,
                            sa_decoder_cache *cache) {
    const int M = batch->target.words, B = batch->target.sentences, S = batch->source.steps;
    const int gates = w->sizes.settings.cell_norm ? 0 : cache->rows.gates.cols;
    cache->products = sa_steps_layout(arena, w->steps, B);
    if (!training) return;
    cache->workspace = sa_mat_alloc(arena, B, w->sizes.n);
    cache->gates = sa_mat_alloc(arena, B, gates);
    cache->d = drows_layout(arena, w, &cache->rows, B, S, batch->gold || w->sizes.settings.copy);
    sa_upper_drows_layout(arena, &w->upper, M, B, cache->dupper);
    cache->d.input = cache->dinput;
    sa_source_layout(arena, &w->source, &w->attention, B, encoder->first, encoder->dannotations,
                     &cache->dsource);
}
