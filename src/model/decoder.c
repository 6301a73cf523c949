/* The recurrent decoder: computes a state s_i and a context c_i for each target word from the
 * annotations h_j and the target words before, and from these the vector t_i that predicts the
 * word, for sa_seq2seq_loss and for decoding. decoder.h has its structs; L is the number of
 * sentences in a step, n the size of a state. */
#include "model/decoder.h"
#include "base/thread.h"

static void first_cell_forward(const sa_recurrent_decoder *w, const sa_step *step);
static void first_cell_backward(const sa_recurrent_decoder *w, const sa_step *step, sa_state dstate,
                                sa_recurrent_decoder *dw);
static void layers_above_forward(const sa_recurrent_decoder *w, const sa_step *step);
static void layers_above_backward(const sa_recurrent_decoder *w, const sa_step *step,
                                  sa_recurrent_decoder *dw);
static void query_attention_forward(const sa_recurrent_decoder *w, const sa_step *step, sa_mat s);
static void query_attention_backward(const sa_recurrent_decoder *w, const sa_step *step, sa_mat ds,
                                     sa_recurrent_decoder *dw);
static void context_forward(const sa_recurrent_decoder *w, const sa_step *step);
static void context_backward(const sa_recurrent_decoder *w, const sa_step *step,
                             sa_recurrent_decoder *dw);

/* ---- The decoders ---------------------------------------------------------------------------- */

/* A.2.2 (Bahdanau et al. 2015): c_i from the query s_{i-1}; s_i from y_{i-1}, c_i and s_{i-1};
 * step_forward of paper/rnnsearch.c, generalized. s [L x n], c [L x A] */
static void bahdanau_forward(const sa_recurrent_decoder *w, const sa_step *step) {
    query_attention_forward(w, step, step->rows.layer[0].cell.previous.s);
    context_forward(w, step);
    first_cell_forward(w, step);
    layers_above_forward(w, step);
}

static void bahdanau_backward(const sa_recurrent_decoder *w, const sa_step *step,
                              sa_recurrent_decoder *dw) {
    layers_above_backward(w, step, dw);
    first_cell_backward(w, step, step->d.layer[0].s, dw);
    context_backward(w, step, dw);
    query_attention_backward(w, step, step->d.layer[0].previous.s, dw);
}

/* Section 2.2 (Cho et al. 2014): the same c at every step, in every gate. s [L x n], c [L x n] */
static void fixed_forward(const sa_recurrent_decoder *w, const sa_step *step) {
    const sa_mat c = step->rows.c;
    for (int l = 0; l < c.rows; l++) /* c_i = c */
        sa_copy_mat(sa_rows(step->source->c, step->which ? step->which[l] : l, 1),
                    sa_rows(c, l, 1));
    context_forward(w, step);
    first_cell_forward(w, step);
    layers_above_forward(w, step);
}

static void fixed_backward(const sa_recurrent_decoder *w, const sa_step *step,
                           sa_recurrent_decoder *dw) {
    layers_above_backward(w, step, dw);
    first_cell_backward(w, step, step->d.layer[0].s, dw);
    context_backward(w, step, dw);
    sa_add(step->d.c, sa_rows(step->dsource->c, 0, step->d.c.rows)); /* c_i = c */
}

/* Sutskever et al. 2014: only s_0 depends on the source. s [L x n] */
static void fixed_init_forward(const sa_recurrent_decoder *w, const sa_step *step) {
    first_cell_forward(w, step);
    layers_above_forward(w, step);
}

static void fixed_init_backward(const sa_recurrent_decoder *w, const sa_step *step,
                                sa_recurrent_decoder *dw) {
    layers_above_backward(w, step, dw);
    first_cell_backward(w, step, step->d.layer[0].s, dw);
}

/* Section 3 (Luong et al. 2015): s_i from y_{i-1} and s_{i-1}; c_i from the query s_i, of the last
 * layer. s [L x n], c [L x A] */
static void luong_forward(const sa_recurrent_decoder *w, const sa_step *step) {
    first_cell_forward(w, step);
    layers_above_forward(w, step);
    query_attention_forward(w, step, step->rows.layer[w->sizes.layers - 1].s.s);
}

static void luong_backward(const sa_recurrent_decoder *w, const sa_step *step,
                           sa_recurrent_decoder *dw) {
    query_attention_backward(w, step, step->d.layer[w->sizes.layers - 1].y, dw);
    layers_above_backward(w, step, dw);
    first_cell_backward(w, step, step->d.layer[0].s, dw);
}

/* dl4mt: u_i [L x n] from y_{i-1} and s_{i-1}; c_i from the query u_i; s_i from c_i and u_i */
static void cgru_forward(const sa_recurrent_decoder *w, const sa_step *step) {
    const sa_recurrent_rows *cell = &step->rows.context_cell;
    first_cell_forward(w, step);
    query_attention_forward(w, step, cell->previous.s);
    sa_recurrent_input_forward(&w->context_cell, (sa_mat){0}, cell->gates, cell->cache); /* a = b */
    sa_product_forward(sa_C_of(&w->context_cell), step->rows.c, cell->gates, cell->cache);
    sa_recurrent_step_forward(&w->context_cell, *cell, step->rows.layer[0].s);
    layers_above_forward(w, step);
}

static void cgru_backward(const sa_recurrent_decoder *w, const sa_step *step,
                          sa_recurrent_decoder *dw) {
    const sa_recurrent_rows *cell = &step->rows.context_cell;
    const sa_decoder_gradients *d = &step->d;
    layers_above_backward(w, step, dw);
    sa_state_zero(d->proposal);
    sa_recurrent_step_backward(&w->context_cell, *cell, d->layer[0].s, d->context_a, d->proposal,
                               step->workspace, &dw->context_cell);
    sa_product_backward(sa_C_of(&w->context_cell), cell->cache, d->context_a, 1, d->c,
                        &dw->context_cell); /* a += C c_i */
    query_attention_backward(w, step, d->proposal.s, dw);
    first_cell_backward(w, step, d->proposal, dw);
}

/* ---- The pieces of a step -------------------------------------------------------------------- */

/* Computes s_i = f(a, s_{i-1}) [L x n] of the first layer, or u_i where a second cell makes s_i. */
static void first_cell_forward(const sa_recurrent_decoder *w, const sa_step *step) {
    const sa_decoder_rows *rows = &step->rows;
    sa_recurrent_step_forward(&w->layer[0], rows->layer[0].cell,
                              w->sizes.kind->context_cell ? rows->context_cell.previous
                                                          : rows->layer[0].s);
}

static void first_cell_backward(const sa_recurrent_decoder *w, const sa_step *step, sa_state dstate,
                                sa_recurrent_decoder *dw) {
    const sa_decoder_gradients *d = &step->d;
    sa_recurrent_step_backward(&w->layer[0], step->rows.layer[0].cell, dstate, d->layer[0].a,
                               d->layer[0].previous, step->workspace, &dw->layer[0]);
}

/* Runs the layers above the first, each of which reads the one below at the same step:
 *
 *   x^l_i = y^{l-1}_i, in training with dropout      Zaremba et al. 2014
 *   s^l_i = f(x^l_i, s^l_{i-1})                      Sutskever et al. 2014; Luong et al. 2015
 *   s^l_i = f(x^l_i, c_i, s^l_{i-1})                 where the context enters every layer
 *
 *   y^l_i = s^l_i [L x n] */
static void layers_above_forward(const sa_recurrent_decoder *w, const sa_step *step) {
    const sa_decoder_rows *rows = &step->rows;
    for (int k = 1; k < w->sizes.layers; k++) {
        const sa_decoder_layer_rows *own = &rows->layer[k];
        sa_copy_mat(rows->layer[k - 1].s.s, own->x);
        sa_dropout_forward(step->dropout.layers, step->rng, own->mask, own->x);
        sa_recurrent_input_forward(&w->layer[k], own->x, own->cell.gates, own->cell.cache);
        if (w->layer[k].C.mat.x)
            sa_product_forward(sa_C_of(&w->layer[k]), rows->c, own->cell.gates, own->cell.cache);
        sa_recurrent_step_forward(&w->layer[k], own->cell, own->s);
    }
}

static void layers_above_backward(const sa_recurrent_decoder *w, const sa_step *step,
                                  sa_recurrent_decoder *dw) {
    const sa_decoder_rows *rows = &step->rows;
    const sa_decoder_gradients *d = &step->d;
    for (int k = w->sizes.layers - 1; k > 0; k--) {
        const sa_decoder_layer_rows *own = &rows->layer[k];
        const sa_decoder_layer_gradients *dlayer = &d->layer[k];
        const sa_mat dbelow = d->layer[k - 1].y;
        sa_add(dlayer->y, dlayer->s.s);
        sa_recurrent_step_backward(&w->layer[k], own->cell, dlayer->s, dlayer->a, dlayer->previous,
                                   step->workspace, &dw->layer[k]);
        if (w->layer[k].C.mat.x)
            sa_product_backward(sa_C_of(&w->layer[k]), own->cell.cache, dlayer->a, 1, d->c,
                                &dw->layer[k]);
        sa_zero(d->x);
        sa_product_backward(sa_W_of(&w->layer[k]), own->cell.cache, dlayer->a, 1, d->x,
                            &dw->layer[k]);
        sa_dropout_backward(step->dropout.layers, own->mask, d->x);
        sa_add(d->x, dbelow); /* x^l = y^{l-1} */
    }
}

/* Computes c_i from the query s [L x n]. */
static void query_attention_forward(const sa_recurrent_decoder *w, const sa_step *step, sa_mat s) {
    const sa_queries queries = {.blocks = s.rows, .which = step->which, .i = step->i};
    sa_attention_forward(&w->attention, &step->source->memory, &queries, s, step->rows.attention,
                         step->rows.c, &step->scratch);
}

static void query_attention_backward(const sa_recurrent_decoder *w, const sa_step *step, sa_mat ds,
                                     sa_recurrent_decoder *dw) {
    const sa_attention_pass pass = {&step->source->memory, step->rows.attention, step->d.attention,
                                    &step->dsource->memory, &step->scratch};
    const sa_queries queries = {.blocks = ds.rows, .i = step->i};
    sa_attention_backward(&w->attention, &pass, &queries, step->d.c, ds, &dw->attention);
}

/* Adds the context in the first layer: a += C c_i    c [L x A], a [L x blocks n] */
static void context_forward(const sa_recurrent_decoder *w, const sa_step *step) {
    const sa_recurrent_rows *cell = &step->rows.layer[0].cell;
    sa_product_forward(sa_C_of(&w->layer[0]), step->rows.c, cell->gates, cell->cache);
}

static void context_backward(const sa_recurrent_decoder *w, const sa_step *step,
                             sa_recurrent_decoder *dw) {
    sa_product_backward(sa_C_of(&w->layer[0]), step->rows.layer[0].cell.cache, step->d.layer[0].a,
                        1, step->d.c, &dw->layer[0]);
}

/* Returns the state that the readout sees. */
static sa_mat readout_state(const sa_recurrent_decoder *w, const sa_decoder_rows *rows) {
    const sa_decoder_layer_rows *last = &rows->layer[w->sizes.layers - 1];
    return w->sizes.sees_previous ? last->cell.previous.s : last->s.s;
}

/* ---- All steps ------------------------------------------------------------------------------- */

/* x and t_{i-1} in rows->input [L x m (+ l)], s_{i-1} [L x n] -> readout->t [L x l] */
void sa_recurrent_decoder_step_forward(const sa_recurrent_decoder *w, const sa_step *step,
                                       sa_readout_cache *readout) {
    const sa_decoder_rows *rows = &step->rows;
    sa_recurrent_input_forward(&w->layer[0], rows->input, rows->layer[0].cell.gates,
                               rows->layer[0].cell.cache); /* W x + b */
    w->sizes.kind->forward(w, step);
    sa_readout_forward(&w->readout, readout_state(w, rows), sa_decoder_word_input(w, rows->input),
                       rows->c, step->dropout.all, step->rng, readout);
}

/* Copies what step i reads from step i - 1: states, carry and, with input feeding, t_{i-1}; before
 * the first step s_0, the first carry and 0. */
static void continue_states(const sa_recurrent_decoder *w, const sa_batch_side *side, int t,
                            const sa_decoder_rows *rows, const sa_decoder_cache *cache) {
    const int active = side->active[t], before = t ? side->start[t - 1] : 0;
    const sa_mat carry = rows->attention.previous_carry, fed = sa_decoder_fed_input(w, rows->input);
    for (int k = 0; k < w->sizes.layers; k++)
        sa_state_copy(t ? sa_state_rows(cache->rows.layer[k].s, before, active)
                        : cache->source.s0[k],
                      rows->layer[k].cell.previous);
    if (t) {
        sa_copy_mat(sa_rows(cache->rows.attention.carry, before, active), carry);
        if (fed.cols) sa_copy_mat(sa_rows(cache->readout.t, before, active), fed);
    } else {
        sa_attention_carry_begin(&w->attention, carry);
        sa_zero(fed);
    }
}

/* Drops words and numbers of x [M x m], and draws the masks of all previous states and the noise.
 */
static void dropout_forward(const sa_recurrent_decoder *w, const sa_batch_side *side,
                            sa_dropout dropout, sa_rng *rng, sa_decoder_cache *cache, sa_mat x) {
    sa_decoder_rows *all = &cache->rows;
    sa_dropout_forward(dropout.words, rng, cache->word_mask, x);
    sa_dropout_forward(dropout.all, rng, cache->x_mask, x);
    sa_state_dropout_start(dropout.state, rng, &all->layer[0].cell.dropout,
                           &all->layer[0].cell.previous);
    sa_state_dropout_start(dropout.state, rng, &all->context_cell.dropout,
                           &all->context_cell.previous);
    sa_attention_draw_noise(&w->attention, dropout.noise, rng, side, all->attention.noise);
    for (int k = 1; k < w->sizes.layers; k++)
        sa_state_dropout_start(dropout.state, rng, &all->layer[k].cell.dropout,
                               &all->layer[k].cell.previous);
}

/* All matrices have M rows, one for each target word, step by step. t [M x l] */
void sa_recurrent_decoder_forward(const sa_recurrent_decoder *w, const sa_batch *batch,
                                  const sa_encoder_cache *encoder, sa_dropout dropout, sa_rng *rng,
                                  sa_decoder_cache *cache) {
    const sa_batch_side *side = &batch->target;
    const bool feeding = w->sizes.settings.input_feeding;
    sa_decoder_rows *all = &cache->rows;
    sa_mat x = sa_decoder_word_input(w, all->input);
    sa_source_forward(&w->source, &w->attention, encoder, &cache->source); /* k_j, v_j, s_0 */
    sa_embedding_forward(w->E, cache->inputs, x);
    dropout_forward(w, side, dropout, rng, cache, x);
    if (!feeding) /* W x + b of all steps at once */
        sa_recurrent_input_forward(&w->layer[0], all->input, all->layer[0].cell.gates,
                                   all->layer[0].cell.cache);
    sa_steps_begin(cache->products); /* copies U and W_a once for the whole loop */
    for (int t = 0; t < side->steps && !sa_stopping(); t++) {
        const int start = side->start[t], active = side->active[t];
        const sa_step step = {.source = &cache->source,
                              .i = t + 1,
                              .scratch = cache->scratch,
                              .rows = sa_decoder_rows_slice(all, start, active),
                              .dropout = dropout,
                              .rng = rng};
        continue_states(w, side, t, &step.rows, cache);
        if (feeding) {
            sa_readout_cache readout = sa_readout_slice(&cache->readout, start, active);
            sa_recurrent_decoder_step_forward(w, &step, &readout);
        } else {
            w->sizes.kind->forward(w, &step); /* s_i, c_i */
        }
    }
    sa_steps_end();
    if (!feeding)
        sa_readout_forward(&w->readout, readout_state(w, all), x, all->c, dropout.all, rng,
                           &cache->readout); /* t_i */
}

/* Goes back one step: what step i + 1 left in `previous` is the gradient of s_i. That step had the
 * first `next` sentences; the others ended with step i, so theirs is 0. `previous` and y start at 0
 * again. */
static void continue_gradients(const sa_decoder_gradients *d, int layers, int next) {
    for (int k = 0; k < layers; k++) {
        const sa_decoder_layer_gradients *own = &d->layer[k];
        sa_state_copy(sa_state_rows(own->previous, 0, next), sa_state_rows(own->s, 0, next));
        sa_state_zero(sa_state_rows(own->s, next, own->s.s.rows - next));
        sa_state_zero(own->previous);
        if (k) sa_zero(own->y);
    }
}

/* Computes the gradient of s_{i-1} and, with input feeding, of the readout's t_{i-1}, from that of
 * s_i; i = t + 1. */
static void back_through_step(const sa_recurrent_decoder *w, const sa_batch_side *side, int t,
                              sa_dropout dropout, sa_decoder_cache *cache,
                              const sa_output_gradients *dout, sa_recurrent_decoder *dw) {
    const int start = side->start[t], active = side->active[t], layers = w->sizes.layers;
    const int before = t ? side->start[t - 1] : 0;
    const bool feeding = w->sizes.settings.input_feeding;
    sa_step step = {.source = &cache->source,
                    .i = t + 1,
                    .scratch = cache->scratch,
                    .rows = sa_decoder_rows_slice(&cache->rows, start, active),
                    .dropout = dropout,
                    .workspace = sa_rows(cache->workspace, 0, active),
                    .d = cache->d,
                    .dsource = &cache->dsource};
    sa_slice_mats(&step.d, sizeof step.d, step.d.input.rows, start,
                  active); /* states: from row 0 */
    const sa_decoder_gradients *d = &step.d;
    const sa_mat fed = sa_decoder_fed_input(w, d->input);
    continue_gradients(d, layers, side->active[t + 1]);
    if (feeding) { /* the loss and step i + 1 have read t_i */
        sa_readout_cache readout = sa_readout_slice(&cache->readout, start, active);
        sa_readout_backward(&w->readout, dropout.all, &readout, sa_rows(dout->t, start, active),
                            sa_rows(dout->copy_gate, start, active), d->readout_state,
                            sa_decoder_word_input(w, d->input), d->c);
        sa_zero(fed);
    }
    sa_add(d->readout_state, /* Bahdanau's readout saw s_{i-1} */
           w->sizes.sees_previous ? d->layer[layers - 1].previous.s : d->layer[layers - 1].y);
    w->sizes.kind->backward(w, &step, dw);
    if (t) /* only this step read carry_{i-1} */
        sa_copy_mat(d->attention.previous_carry, sa_rows(cache->d.attention.carry, before, active));
    if (!feeding) return;
    sa_product_backward(sa_W_of(&w->layer[0]), step.rows.layer[0].cell.cache, d->layer[0].a, 1,
                        d->input, &dw->layer[0]);
    if (t) sa_add(fed, sa_rows(dout->t, before, active)); /* input = [E y_{i-1} ; t_{i-1}] */
}

/* Accumulates the gradients of all weights but the readout's, for all steps at once. */
static void weights_backward(const sa_recurrent_decoder *w, const sa_decoder_cache *cache,
                             sa_recurrent_decoder *dw) {
    const sa_decoder_rows *rows = &cache->rows;
    const sa_decoder_gradients *d = &cache->d;
    for (int k = 0; k < w->sizes.layers; k++)
        sa_recurrent_weights_backward(&w->layer[k], rows->layer[k].cell,
                                      k ? rows->layer[k].x : rows->input, rows->c, d->layer[k].a,
                                      &dw->layer[k]);
    if (w->sizes.kind->context_cell)
        sa_recurrent_weights_backward(&w->context_cell, rows->context_cell, (sa_mat){0}, rows->c,
                                      d->context_a, &dw->context_cell);
    if (w->attention.heads)
        sa_attention_projections_backward(sa_decoder_query(w, rows), rows->attention, d->c,
                                          d->attention, &dw->attention);
}

void sa_recurrent_decoder_backward(const sa_recurrent_decoder *w, const sa_batch *batch,
                                   sa_dropout dropout, sa_decoder_cache *cache,
                                   const sa_output_gradients *dout, sa_encoder_cache *encoder,
                                   sa_recurrent_decoder *dw) {
    const sa_batch_side *side = &batch->target;
    const sa_decoder_rows *rows = &cache->rows;
    const bool feeding = w->sizes.settings.input_feeding;
    sa_decoder_gradients *d = &cache->d;
    sa_mat dx = sa_decoder_word_input(w, d->input);
    for (int k = 0; k < w->sizes.layers; k++)
        sa_state_dropout_return(dropout.state, &rows->layer[k].cell.dropout, &d->layer[k].previous);
    sa_state_dropout_return(dropout.state, &rows->context_cell.dropout, &d->proposal);
    if (!feeding)
        sa_readout_backward(&w->readout, dropout.all, &cache->readout, dout->t, dout->copy_gate,
                            d->readout_state, dx, d->c); /* t_i: ds_{i-1}, dx and dc of all steps */
    sa_source_zero(&w->attention, &cache->dsource, encoder);
    sa_zero(d->attention.carry);
    sa_steps_begin(cache->products);
    for (int t = side->steps - 1; t >= 0 && !sa_stopping(); t--)
        back_through_step(w, side, t, dropout, cache, dout, dw);
    sa_steps_end();
    if (sa_stopping()) return;
    for (int k = 0; k < w->sizes.layers; k++) /* s_0 was the previous state of step 1 */
        sa_state_copy(d->layer[k].previous, cache->dsource.s0[k]);
    sa_readout_weights_backward(readout_state(w, rows), sa_decoder_word_input(w, rows->input),
                                rows->c, &cache->readout, dout->copy_gate, &dw->readout);
    if (!feeding)
        sa_product_backward(sa_W_of(&w->layer[0]), rows->layer[0].cell.cache, d->layer[0].a, 1,
                            d->input, &dw->layer[0]); /* dx of W x + b, for all steps at once */
    weights_backward(w, cache, dw);
    sa_dropout_backward(dropout.all, cache->x_mask, dx);
    sa_dropout_backward(dropout.words, cache->word_mask, dx);
    sa_embedding_backward(cache->inputs, dx, dw->E);
    sa_source_backward(&w->source, &w->attention, &cache->source, &cache->dsource, encoder,
                       &dw->source, &dw->attention);
}

/* ---- Views ----------------------------------------------------------------------------------- */

sa_decoder_rows sa_decoder_rows_slice(const sa_decoder_rows *all, int first, int count) {
    sa_decoder_rows rows = *all;
    sa_slice_mats(&rows, sizeof rows, all->input.rows, first, count);
    return rows;
}

sa_mat sa_decoder_query(const sa_recurrent_decoder *w, const sa_decoder_rows *rows) {
    const sa_query_state query_state = w->sizes.kind->query_state;
    return query_state == SA_QUERY_STATE_PREVIOUS   ? rows->layer[0].cell.previous.s
           : query_state == SA_QUERY_STATE_PROPOSAL ? rows->context_cell.previous.s
                                                    : rows->layer[w->sizes.layers - 1].s.s;
}

sa_mat sa_decoder_word_input(const sa_recurrent_decoder *w, sa_mat input) {
    return sa_cols(input, 0, w->sizes.m);
}

sa_mat sa_decoder_fed_input(const sa_recurrent_decoder *w, sa_mat input) {
    return sa_cols(input, w->sizes.m, input.cols - w->sizes.m);
}

/* ---- The table ------------------------------------------------------------------------------- */

const sa_decoder_kind sa_decoder_kinds[] = {
    [SA_DECODER_BAHDANAU] = {"bahdanau",
                             "c_i from s_{i-1}, s_i = f(y_{i-1}, c_i, s_{i-1}), maxout readout",
                             "Bahdanau et al. 2015, A.2.2", SA_QUERY_STATE_PREVIOUS,
                             .context_in_cell = true, .maxout = true, .sees_word = true,
                             .sees_previous = true, .initial = SA_INITIAL_BACKWARD,
                             .forward = bahdanau_forward, .backward = bahdanau_backward},
    [SA_DECODER_FIXED] = {"fixed",
                          "one c for all words, s_i = f(y_{i-1}, c, s_{i-1}), maxout readout",
                          "Cho et al. 2014, section 2.2", SA_QUERY_STATE_NONE,
                          .context_in_cell = true, .maxout = true, .sees_word = true,
                          .initial = SA_INITIAL_CONTEXT, .forward = fixed_forward,
                          .backward = fixed_backward},
    [SA_DECODER_FIXED_INIT] = {"fixed-init",
                               "the source only in s_0, s_i = f(y_{i-1}, s_{i-1}), maxout readout",
                               "Sutskever et al. 2014", SA_QUERY_STATE_NONE, .maxout = true,
                               .sees_word = true, .initial = SA_INITIAL_LAST,
                               .forward = fixed_init_forward, .backward = fixed_init_backward},
    [SA_DECODER_LUONG] =
        {"luong", "s_i = f(y_{i-1}, s_{i-1}), c_i from s_i, readout tanh(C_o c_i + U_o s_i)",
         "Luong et al. 2015, section 3", SA_QUERY_STATE_CURRENT, .initial = SA_INITIAL_COPY,
         .forward = luong_forward, .backward = luong_backward},
    [SA_DECODER_CGRU] =
        {"cgru", "s'_i = f(y_{i-1}, s_{i-1}), c_i from s'_i, s_i = g(c_i, s'_i), tanh readout",
         "dl4mt; Nematus (Sennrich et al. 2017)", SA_QUERY_STATE_PROPOSAL, .context_cell = true,
         .sees_word = true, .initial = SA_INITIAL_MEAN, .forward = cgru_forward,
         .backward = cgru_backward},
    [SA_DECODER_POINTER] =
        {"pointer",
         "s_i = f(y_{i-1}, s_{i-1}), P(y_i) = sum of alpha_ij over x_j = y_i, no readout",
         "Vinyals et al. 2015, section 2.3", SA_QUERY_STATE_CURRENT, .points = true,
         .initial = SA_INITIAL_COPY, .forward = luong_forward, .backward = luong_backward},
    {.name = NULL},
};
