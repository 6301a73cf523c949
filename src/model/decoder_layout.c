/* decoder_layout: what a pass of model/decoder.h needs in its arena. */
#include "layers/linear.h"
#include "model/decoder.h"

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
        .c = sa_mat_alloc(arena, rows, sa_decoder_context_width(&w->sizes)),
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
    return w->sizes.normalized ? sa_mat_alloc(arena, gates.rows, sa_recurrent_da_width(cell))
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
        .c = sa_mat_alloc(arena, rows, sa_decoder_context_width(&w->sizes)),
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
    cache->drop = sa_state_dropout_layout(arena, w->sizes.state_dropout, M, B, w->sizes.n);
    cache->second_drop =
        sa_state_dropout_layout(arena, w->sizes.state_dropout, M, B, cache->rows.middle.s.cols);
    cache->dinput = sa_mat_alloc(arena, M, w->cell.W.mat.cols);
}

void sa_decoder_loop_layout(sa_arena *arena, const sa_batch *batch, const sa_decoder *w,
                            const sa_encoder_cache *encoder, bool training,
                            sa_decoder_cache *cache) {
    const int M = batch->target.words, B = batch->target.sentences, S = batch->source.steps;
    const int gates = w->sizes.normalized ? 0 : cache->rows.gates.cols;
    cache->products = sa_steps_layout(arena, w->steps, B);
    if (!training) return;
    cache->workspace = sa_mat_alloc(arena, B, w->sizes.n);
    cache->gates = sa_mat_alloc(arena, B, gates);
    cache->d = drows_layout(arena, w, &cache->rows, B, S, batch->gold || w->sizes.copies);
    sa_upper_drows_layout(arena, &w->upper, M, B, cache->dupper);
    cache->d.input = cache->dinput;
    sa_source_layout(arena, &w->source, &w->attention, B, encoder->first, encoder->dannotations,
                     &cache->dsource);
}
