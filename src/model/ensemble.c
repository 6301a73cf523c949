#include "model/ensemble.h"
#include "math/vec.h"
#include "nn/embedding.h"
#include "nn/linear.h"

#include <math.h>

static void layout_voice(sa_arena *arena, sa_voice *voice, const sa_sentence *sources, int count,
                         int rows) {
    const sa_seq2seq *w = voice->w;
    const sa_decoder *d = &w->decoder;
    voice->batch = sa_batch_make(arena, sources, NULL, count);
    const int S = voice->batch.source.steps;
    sa_encoder_layout(arena, &voice->batch, &w->encoder, false, &voice->encoder);
    sa_source_layout(arena, d, count, voice->encoder.first, voice->encoder.annotations,
                     &voice->source);
    voice->turning = sa_decoder_turned_layout(arena, d, rows);
    voice->scratch = sa_attention_scratch_layout(arena, &d->attention, S, false);
    voice->rows = sa_decoder_rows_layout(arena, d, rows, S);
    voice->state = sa_state_take(arena, rows, d->sizes.n, d->sizes.cell->memory);
    voice->t = sa_mat_take(arena, rows, d->sizes.feeding ? d->sizes.l : 0);
    sa_readout_layout(arena, rows, &d->readout, false, rows, &voice->readout);
}

void sa_ensemble_layout(sa_arena *arena, sa_ensemble *ensemble, const sa_sentence *const *sources,
                        int count, int rows) {
    for (int m = 0; m < ensemble->count; m++)
        layout_voice(arena, &ensemble->voice[m], sources[m], count, rows);
}

void sa_ensemble_start(sa_ensemble *ensemble) {
    for (int m = 0; m < ensemble->count; m++) {
        sa_voice *voice = &ensemble->voice[m];
        sa_encoder_forward(&voice->w->encoder, &voice->batch, 0, NULL, &voice->encoder);
        sa_source_forward(&voice->w->decoder, &voice->encoder, &voice->source);
        voice->decoder = sa_decoder_turned(&voice->w->decoder, voice->turning);
        sa_state_copy(voice->source.s0,
                      sa_state_rows(voice->state, 0, voice->batch.source.sentences));
        sa_zero(voice->t); /* t_0 = 0 */
    }
}

/* One model's logits for L rows; their states stay for the next step. */
static sa_mat advance(sa_voice *voice, const sa_override *override, int i,
                      const sa_continued *continued, int L, const int32_t *ids, const int *which) {
    const sa_decoder *d = &voice->decoder;
    const int m = d->sizes.m;
    sa_override own = override ? *override : (sa_override){0};
    own.order = voice->batch.source.order;
    const sa_step step = {&voice->source, which, i, voice->scratch, {0}, override ? &own : NULL};
    sa_decoder_rows rows = sa_decoder_rows_slice(voice->rows, 0, L);
    sa_readout_cache out = sa_readout_slice(&voice->readout, 0, L);
    for (int l = 0; l < L; l++) {
        const int row = continued[l].row;
        sa_state_copy(sa_state_rows(voice->state, row, 1), sa_state_rows(rows.previous, l, 1));
        sa_copy_mat(sa_rows(voice->t, row, 1),
                    sa_cols(sa_rows(rows.input, l, 1), m, rows.input.cols - m));
    }
    sa_embedding_forward(d->E, ids, sa_decoder_word(d, rows.input));
    sa_decoder_step_forward(d, &step, rows, 0, NULL, &out);
    sa_state_copy(rows.s, sa_state_rows(voice->state, 0, L));
    if (voice->t.cols) sa_copy_mat(out.t, sa_rows(voice->t, 0, L));
    sa_mat logits = sa_rows(out.logits, 0, L);
    sa_linear_forward(d->readout.W_o, d->readout.b_y, out.t, logits);
    return logits;
}

/* Row l of all becomes log mean_m p_m(word), from the differences to the likeliest model's: so a
 * word that none can imagine keeps a finite number. */
static void average_row(sa_ensemble *ensemble, sa_mat all, int l) {
    double norm[SA_ENSEMBLE];
    for (int m = 0; m < ensemble->count; m++)
        norm[m] = sa_log_sum_exp(sa_row(ensemble->voice[m].readout.logits, l), all.cols);
    for (int word = 0; word < all.cols; word++) {
        double log_p[SA_ENSEMBLE], most = -INFINITY, sum = 0;
        for (int m = 0; m < ensemble->count; m++) {
            log_p[m] = (double)sa_row(ensemble->voice[m].readout.logits, l)[word] - norm[m];
            most = fmax(most, log_p[m]);
        }
        for (int m = 0; m < ensemble->count; m++) sum += exp(log_p[m] - most);
        sa_row(all, l)[word] = (sa_real)(most + log(sum / ensemble->count));
    }
}

sa_mat sa_ensemble_step(sa_ensemble *ensemble, int i, const sa_continued *rows, int L, int32_t *ids,
                        int *which, double *norm) {
    sa_mat logits = {0};
    for (int l = 0; l < L; l++) ids[l] = rows[l].word, which[l] = rows[l].sentence;
    for (int m = 0; m < ensemble->count; m++) {
        sa_mat own = advance(&ensemble->voice[m], ensemble->override, i, rows, L, ids, which);
        if (m == 0) logits = own;
    }
    for (int l = 0; l < L && ensemble->count > 1; l++) average_row(ensemble, logits, l);
    for (int l = 0; l < L; l++)
        norm[l] = ensemble->count > 1 ? 0 : sa_log_sum_exp(sa_row(logits, l), logits.cols);
    return logits;
}

void sa_ensemble_weights(const sa_ensemble *ensemble, int row, int S, sa_real *alpha) {
    int attending = 0;
    for (int m = 0; m < ensemble->count; m++)
        attending += ensemble->voice[m].w->decoder.attention.heads > 0;
    for (int m = 0; m < ensemble->count; m++) {
        const sa_voice *voice = &ensemble->voice[m];
        const int heads = voice->w->decoder.attention.heads;
        for (int k = 0; k < heads; k++) {
            sa_mat own = sa_attention_head(voice->rows.attention.alpha, row, heads, k, S);
            sa_axpy(1 / (sa_real)(heads * attending), own.x, alpha, S);
        }
    }
}
