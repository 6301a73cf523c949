/* alignment_loss: guided alignment, a loss that draws attention to given links.
 *
 *   H_t = - sum_s A_ts log alpha_ts
 *
 * (Chen et al. 2016, "Guided alignment training for topic-aware neural machine translation"), where
 * A_t divides 1 evenly among the links of target word t. A word without links has no loss, unless
 * weight may go to a null key: then H_t = - log (1 - sum_s alpha_ts). Merged attention, whose
 * alpha_t has only a share g of the weight, is to be right about the source and not to look there
 * more: then alpha_ts / g takes the place of alpha_ts. */
#pragma once

#include "base/batch.h"
#include "tensor/mat.h"

/* Fills A_t [1 x S] from the sure links of target word t (from 0) or, if it has none, the possible
 * ones. Returns false, with A_t = 0, if it has no links. */
bool sa_alignment_loss_target(const sa_gold_alignment *gold, int t, sa_mat A);

/* Fills A [1 x S] for alpha [1 x S]; returns H_t. no_word: the weight of a word without links
 * belongs to the null key. share: alpha is divided by g. */
sa_real sa_alignment_loss_forward(const sa_gold_alignment *gold, int t, bool no_word, bool share,
                                  sa_mat alpha, sa_mat A);
/* Turns A into the gradient of scale H_t with respect to alpha. */
void sa_alignment_loss_backward(sa_mat alpha, sa_real scale, sa_mat A);
