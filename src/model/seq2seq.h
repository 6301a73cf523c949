/* seq2seq: the loss of a batch and its gradient, for any kind of model. */
#pragma once

#include "model/objective.h"

/* Returns the sum over target words, EOS included, of -log p; with batch->gold, fills
 * pass->alignment_loss too (the pass must then be laid out for training). With dw, accumulates into
 * it the gradient of the sum of -objective divided by batch->whole. */
double sa_seq2seq_loss(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                       sa_pass *pass, sa_seq2seq *dw);

/* The three steps of sa_seq2seq_loss. Without dropout, rng may be NULL. */
void sa_pass_forward(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout, sa_rng *rng,
                     sa_pass *pass);
/* Computes log_p and objective from t; with dw, fills d, for the loss scale * sum -objective, and
 * accumulates into dw's softmax layer. */
void sa_pass_losses(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                    sa_real scale, sa_pass *pass, const sa_output_gradients *d, sa_seq2seq *dw);
/* Runs the backward pass from d, which it may overwrite. */
sa_backward_function sa_pass_backward;
