/* alignment_loss: guided alignment, a loss that draws attention to given links.
 *
 *   H_t = - sum_s A_ts log alpha_ts
 *
 * (Chen et al. 2016, "Guided alignment training for topic-aware neural machine translation"), where
 * A_t divides 1 evenly among the links of target word t. A word without links has no loss, except
 * where weight may go to no word: H_t = - log (1 - sum_s alpha_ts). */
#pragma once

#include "base/batch.h"
#include "tensor/mat.h"

/* A_t [1 x S] from the sure links of target word t (from 0) or, if it has none, the possible ones.
 * False, and all zero, if it has none of either. */
bool sa_alignment_loss_target(const sa_gold_alignment *gold, int t, sa_mat A);

/* alpha [1 x S] -> H_t, and A. no_word: one without links is of no word. */
sa_real sa_alignment_loss_forward(const sa_gold_alignment *gold, int t, bool no_word, sa_mat alpha,
                                  sa_mat A);
/* A becomes the derivative of scale H_t by alpha. */
void sa_alignment_loss_backward(sa_mat alpha, sa_real scale, sa_mat A);
