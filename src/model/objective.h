/* objective: the terms that training adds to the likelihood (objective.c), and copying (copying.c).
 */
#pragma once

#include "model/views.h"

sa_regularizer sa_regularizer_of(const sa_settings *settings, sa_rng *rng);

/* Subtract the loss of each from pass->objective. With batch->gold, the alignment term overwrites
 * d->alpha. */
void sa_alignment_term(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                       sa_pass *pass, const sa_output_gradients *d);
/* These leave the gradients in d->part, unless d is NULL. */
void sa_penalty_term(const sa_seq2seq *w, double weight, sa_real scale, sa_pass *pass,
                     const sa_output_gradients *d);
void sa_sampling_term(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                      sa_real scale, sa_pass *pass, const sa_output_gradients *d);

/* Fills the readout's mixtures for the references, after the forward pass of the attention. */
void sa_copying_forward(const sa_seq2seq *w, const sa_batch *batch, const sa_pass *pass);
/* Overwrites d->copy_gate and accumulates into d->alpha, from the mixtures after the readout's
 * loss, whose words have the factor `scale`. */
void sa_copying_backward(const sa_seq2seq *w, const sa_batch *batch, double scale,
                         const sa_pass *pass, const sa_output_gradients *d);
