/* The loss of a batch and its gradient, for any model: from source and target words through the
 * encoder and the decoder, or the Transformer, to log p(y_i), and back. The trainer uses it, and so
 * does everything that looks into a model. M is the number of target words; the other terms of the
 * loss are in objective.c. */
#include "model/seq2seq.h"
#include "base/thread.h"

/* ---- The loss -------------------------------------------------------------------------------- */

/* -sum_i log p(y_i), and its gradient. d has the gradients of t_i and alpha_ij: sa_pass_losses
 * fills it, and sa_pass_backward starts from it. pair_forward and pair_backward of
 * paper/rnnsearch.c, generalized */
double sa_seq2seq_loss(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                       sa_pass *pass, sa_seq2seq *dw) {
    const sa_output_gradients d = sa_pass_gradients(w, pass);
    const sa_real scale = 1 / (sa_real)batch->whole;
    double loss = 0;
    sa_pass_forward(w, batch, regularizer.dropout, regularizer.rng, pass); /* h_j, s_i, c_i, t_i */
    if (sa_stopping()) return loss; /* interrupted: the caller discards the result */
    sa_pass_losses(w, batch, regularizer, scale, pass, &d, dw); /* p(y_i), dt_i, dalpha_ij */
    for (int i = 0; i < batch->target.words; i++) loss -= (double)pass->log_p[i];
    if (dw && !sa_stopping()) sa_pass_backward(w, batch, regularizer.dropout, pass, &d, dw);
    return loss;
}

/* annotations h [N x A], states s [M x n], contexts c [M x A]; t [M x l] */
void sa_pass_forward(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout, sa_rng *rng,
                     sa_pass *pass) {
    if (w->recurrent) {
        sa_encoder_forward(&w->encoder, batch, dropout, rng, &pass->encoder);
        sa_recurrent_decoder_forward(&w->decoder, batch, &pass->encoder, dropout, rng,
                                     &pass->decoder);
    } else {
        sa_transformer_forward(&w->transformer, dropout, rng, &pass->transformer);
    }
}

void sa_pass_backward(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout, sa_pass *pass,
                      const sa_output_gradients *d, sa_seq2seq *dw) {
    if (w->fault) { /* planted by a check */
        w->fault->backward(w, batch, dropout, pass, d, dw);
    } else if (w->recurrent) {
        sa_recurrent_decoder_backward(&w->decoder, batch, dropout, &pass->decoder, d,
                                      &pass->encoder, &dw->decoder);
        sa_encoder_backward(&w->encoder, batch, dropout, &pass->encoder, &dw->encoder);
    } else {
        sa_transformer_backward(&w->transformer, dropout, &pass->transformer, d, &dw->transformer);
    }
}

/* log p(y_i) [M], and d->t [M x l] */
static void likelihood(const sa_seq2seq *w, const sa_batch *batch, double smoothing, sa_real scale,
                       sa_pass *pass, const sa_output_gradients *d, sa_seq2seq *dw) {
    const sa_batch_side *side = &batch->target;
    sa_transformer_cache *transformer = &pass->transformer;
    if (w->recurrent) {
        const sa_word_objectives words = {pass->log_p, pass->objective};
        if (w->decoder.sizes.kind->points)
            sa_pointer_loss(&pass->decoder.readout, words);
        else
            sa_vocabulary_loss(&w->decoder.readout, side->ids, smoothing, scale,
                               &pass->decoder.readout, words, d->t,
                               dw ? &dw->decoder.readout : NULL);
        return;
    }
    sa_vocabulary_loss(&w->transformer.vocabulary, transformer->targets, smoothing, scale,
                       &transformer->readout, transformer->words, d->t,
                       dw ? &dw->transformer.vocabulary : NULL);
    for (int b = 0; b < side->sentences; b++) /* from sentence by sentence to step by step */
        for (int t = 0; t < side->len[b]; t++) {
            const int row = side->first[b] + t;
            pass->log_p[side->start[t] + b] = transformer->words.log_p[row];
            pass->objective[side->start[t] + b] = transformer->words.objective[row];
        }
}

/* Fills d: likelihood d->t; copying also d->copy_gate and d->alpha; guided alignment d->alpha;
 * coverage and hard attention d->part. */
void sa_pass_losses(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                    sa_real scale, sa_pass *pass, const sa_output_gradients *d, sa_seq2seq *dw) {
    const bool copies = sa_seq2seq_readout(w)->copies;
    if (copies) sa_copying_forward(w, batch, pass);
    likelihood(w, batch, regularizer.smoothing, scale, pass, d, dw);
    if (d->alpha.cols) sa_zero(d->alpha); /* its memory held the logits until here */
    sa_alignment_term(w, batch, regularizer, pass, d);
    sa_penalty_term(w, regularizer.penalty_weight, scale, pass, dw ? d : NULL);
    sa_sampling_term(w, batch, regularizer, scale, pass, dw ? d : NULL);
    if (copies && dw)
        sa_copying_backward(w, batch, (1 - regularizer.smoothing) * (double)scale, pass, d);
}
