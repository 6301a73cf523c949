#include "decoding/decode_state.h"
#include "layers/embedding.h"
#include "tensor/vec.h"

static bool is_transformer(const sa_voice *voice) {
    return voice->w->model == SA_MODEL_TRANSFORMER;
}

/* ---- The recurrent models -------------------------------------------------------------------- */

static void layout_recurrent(sa_arena *arena, sa_voice *voice, int count, int rows) {
    const sa_decoder *d = &voice->w->decoder;
    const int S = voice->batch.source.steps;
    sa_speaking *own = &voice->recurrent;
    sa_encoder_layout(arena, &voice->batch, &voice->w->encoder, false, &own->encoder);
    sa_source_layout(arena, d, count, own->encoder.first, own->encoder.annotations, &own->source);
    own->scratch = sa_attention_scratch_layout(arena, &d->attention, 1, S, false);
    own->rows = sa_decoder_rows_layout(arena, d, rows, S);
    own->state = sa_state_take(arena, rows, d->sizes.n, d->sizes.cell->memory);
    own->t = sa_mat_take(arena, rows, d->sizes.feeding ? d->sizes.l : 0);
    sa_readout_layout(arena, rows, &d->readout, false, &own->readout);
}

static void start_recurrent(sa_voice *voice) {
    sa_speaking *own = &voice->recurrent;
    sa_encoder_forward(&voice->w->encoder, &voice->batch, (sa_dropout){0}, NULL, &own->encoder);
    sa_source_forward(&voice->w->decoder, &own->encoder, &own->source);
    sa_state_copy(own->source.s0, sa_state_rows(own->state, 0, voice->batch.source.sentences));
    sa_zero(own->t); /* t_0 = 0 */
}

static void step_recurrent(sa_voice *voice, const sa_override *override, int i, int L,
                           const int *which, const int *from, const int32_t *ids) {
    sa_speaking *own = &voice->recurrent;
    const sa_decoder *d = &voice->w->decoder;
    const int m = d->sizes.m;
    const sa_step step = {.source = &own->source,
                          .which = which,
                          .i = i,
                          .scratch = own->scratch,
                          .override = override};
    sa_decoder_rows rows = sa_decoder_rows_slice(own->rows, 0, L);
    sa_readout_cache out = sa_readout_slice(&own->readout, 0, L);
    for (int l = 0; l < L; l++) {
        sa_state_copy(sa_state_rows(own->state, from[l], 1), sa_state_rows(rows.previous, l, 1));
        sa_copy_mat(sa_rows(own->t, from[l], 1),
                    sa_cols(sa_rows(rows.input, l, 1), m, rows.input.cols - m));
    }
    sa_embedding_forward(d->E, ids, sa_decoder_word(d, rows.input));
    sa_decoder_step_forward(d, &step, rows, (sa_dropout){0}, NULL, &out);
    sa_state_copy(rows.s, sa_state_rows(own->state, 0, L));
    if (own->t.cols) sa_copy_mat(out.t, sa_rows(own->t, 0, L));
}

/* ---- Either ---------------------------------------------------------------------------------- */

static const sa_readout *vocabulary_of(const sa_voice *voice) {
    return is_transformer(voice) ? &voice->w->transformer.vocabulary : &voice->w->decoder.readout;
}

void sa_voice_layout(sa_arena *arena, sa_voice *voice, const sa_sentence *sources, int count,
                     int rows, int steps) {
    voice->batch = sa_batch_make(arena, sources, NULL, count);
    voice->logits = sa_mat_take(arena, rows, sa_seq2seq_words(voice->w));
    voice->norm = sa_arena_take(arena, (size_t)rows, sizeof *voice->norm);
    if (is_transformer(voice))
        sa_writing_layout(arena, &voice->w->transformer, &voice->batch, rows, steps,
                          &voice->transformer);
    else
        layout_recurrent(arena, voice, count, rows);
}

void sa_voice_release(sa_voice *voice) {
    if (is_transformer(voice)) sa_writing_release(&voice->transformer);
}

void sa_voice_start(sa_voice *voice) {
    if (is_transformer(voice))
        sa_writing_start(&voice->w->transformer, &voice->transformer);
    else
        start_recurrent(voice);
}

bool sa_voice_step(sa_voice *voice, const sa_override *override, int i, int L, const int *which,
                   const int *from, const int32_t *ids, sa_error *error) {
    sa_override own = override ? *override : (sa_override){0};
    own.order = voice->batch.source.order;
    if (override) override = &own;
    if (!is_transformer(voice))
        step_recurrent(voice, override, i, L, which, from, ids);
    else if (!sa_writing_step(&voice->w->transformer, override, i, L, which, from, ids,
                              &voice->transformer, error))
        return false;
    const sa_mat t =
        is_transformer(voice) ? voice->transformer.readout.t : voice->recurrent.readout.t;
    sa_vocabulary_forward(vocabulary_of(voice), sa_rows(t, 0, L), sa_rows(voice->logits, 0, L),
                          voice->norm);
    return true;
}

void sa_voice_weights(const sa_voice *voice, int row, int S, sa_real share, sa_real *alpha) {
    const int heads = sa_seq2seq_heads(voice->w),
              layers = sa_seq2seq_layers(voice->w, SA_PLACE_CROSS);
    for (int layer = 0; layer < layers; layer++)
        for (int k = 0; k < heads; k++) {
            const sa_mat all = is_transformer(voice) ? voice->transformer.looked[layer].alpha
                                                     : voice->recurrent.rows.attention.alpha;
            sa_axpy(share / (sa_real)(heads * layers), sa_attention_head(all, row, heads, k, S).x,
                    alpha, S);
        }
}
