/* objective: what training adds to the likelihood. */
#pragma once

#include "model/pass.h"

/* The terms of the objective; all zero: none. */
typedef struct sa_regularizer {
    sa_dropout dropout;
    double smoothing;                        /* of labels */
    sa_rng *rng;                             /* of the dropout masks */
    double alignment_weight;                 /* of the alignment loss; needs batch->gold */
    int alignment_at;                        /* SA_ALIGN_... */
    double penalty_weight;                   /* of what parts of the attention add to the loss */
    double reinforce_weight, entropy_weight; /* lambda_r and lambda_e of hard attention */
    double baseline;                         /* b of hard attention, which the trainer keeps */
    double l2; /* of the squared weights; the caller adds it, once for all shards */
} sa_regularizer;

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
