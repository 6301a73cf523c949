/* head_weights: from the scores of a head to its weights, by --normalizer, or by the score's own
 * one, whose weights depend on those of the step before. */
#ifndef SA_ATTENTION_HEAD_WEIGHTS_H
#define SA_ATTENTION_HEAD_WEIGHTS_H

#include "attention/attention.h"
#include "attention/override.h"
#include "attention/projection.h"

/* The scores of head k in alpha [Q x S] become weights; row: the first of the Q in rows, and their
 * only one if the weights depend on those of the step before. */
void sa_head_weights_forward(const sa_attention *w, int k, int row, const sa_span *spans,
                             const sa_override *override, sa_attention_rows rows, sa_mat alpha);
/* dalpha becomes the derivative by the scores; head k's parts of dw->a and d.previous_state are
 * added to. */
void sa_head_weights_backward(const sa_attention *w, int k, int row, const sa_span *spans,
                              sa_attention_rows rows, sa_mat alpha, sa_mat dalpha,
                              sa_attention_rows d, sa_attention *dw);

#endif
