#include "model/seq2seq.h"

sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words) {
    return (sa_sizes){
        .source_words = source_words,
        .target_words = target_words,
        .m = settings->embed,
        .n = settings->hidden,
        .size = settings->attn,
        .l = settings->maxout,
        .places = settings->max_len + 1, /* the end mark is a position too */
        .compat = &sa_compats[settings->attention],
    };
}

void sa_seq2seq_bind(sa_binder *binder, const sa_sizes *sizes, sa_seq2seq *w) {
    sa_encoder_bind(binder, sizes->source_words, sizes->m, sizes->n, &w->encoder);
    const sa_attention_sizes attention = {sizes->n, 2 * sizes->n, sizes->size, sizes->places};
    sa_decoder_bind(binder, sizes->compat, attention, sizes->target_words, sizes->m, &w->decoder);
    sa_readout_bind(binder, sizes->target_words, sizes->m, sizes->n, sizes->l, &w->readout);
}

void sa_seq2seq_plan(const sa_sizes *sizes, sa_params *plan) {
    sa_seq2seq shape;
    *plan = (sa_params){0};
    sa_seq2seq_bind(&(sa_binder){.plan = plan}, sizes, &shape);
}

void sa_seq2seq_point(const sa_sizes *sizes, sa_real *buffer, sa_seq2seq *w) {
    sa_seq2seq_bind(&(sa_binder){.buffer = buffer}, sizes, w);
}

void sa_pass_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                    sa_pass *pass) {
    const sa_encoder *encoder = &w->encoder;
    sa_encoder_layout(arena, batch, encoder->E.cols, encoder->forward.U.rows, training,
                      &pass->encoder);
    sa_decoder_layout(arena, batch, &w->decoder, training, &pass->decoder);
    sa_readout_layout(arena, batch->target.words, &w->readout, training, &pass->readout);
    pass->log_p = sa_arena_take(arena, (size_t)batch->target.words, sizeof *pass->log_p);
    pass->decoder.memory.first = pass->encoder.first;
    pass->decoder.memory.annotations = pass->encoder.annotations;
}

double sa_seq2seq_loss(const sa_seq2seq *w, const sa_batch *batch, double dropout, sa_rng *rng,
                       sa_pass *pass, sa_seq2seq *dw) {
    sa_decoder_cache *d = &pass->decoder;
    const sa_decoder_rows *rows = &d->rows;
    const sa_real scale = 1 / (sa_real)batch->whole;

    sa_encoder_forward(&w->encoder, batch, dropout, rng, &pass->encoder); /* h_j: A.2.1 */
    sa_decoder_forward(&w->decoder, batch, dropout, rng, d); /* s_i, alpha_i, c_i: A.2.2, A.1.2 */
    sa_readout_forward(&w->readout, rows->previous, rows->x, rows->c, dropout, rng, &pass->readout);
    sa_vocabulary_loss(&w->readout, batch->target.ids, scale, &pass->readout, pass->log_p,
                       dw ? &dw->readout : NULL); /* p(y_i), and its backward */

    double loss = 0;
    for (int i = 0; i < batch->target.words; i++) loss -= (double)pass->log_p[i];
    if (!dw) return loss;

    sa_readout_backward(&w->readout, rows->previous, rows->x, rows->c, dropout, &pass->readout,
                        d->dprevious, d->dx, d->dc, &dw->readout);
    sa_decoder_backward(&w->decoder, batch, dropout, d, pass->encoder.dannotations, &dw->decoder);
    sa_encoder_backward(&w->encoder, batch, dropout, &pass->encoder, &dw->encoder);
    return loss;
}
