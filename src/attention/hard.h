/* hard: attention to one source word, which is drawn (Xu et al. 2015, "Show, attend and tell",
 * section 4.1). What soft attention would weigh are the probabilities p_i of the words.
 *
 *   p_i = softmax(e_i),  s_i ~ p_i              alpha_i: 1 at s_i; c_i = h of that word
 *
 * Which word is drawn has no derivative. The gradient of the expected log p(y | s) is estimated
 * from the draw (REINFORCE, Williams 1992): of each sentence, the scores get the derivative of
 *
 *   lambda_r (log p(y | s) - b) sum_i log p_i(s_i) + lambda_e sum_i H(p_i)
 *
 * where the factor with the baseline b is a constant, H is the entropy, and b, the running mean of
 * log p(y | s) of the batches before, makes the estimate less noisy without changing its mean. In
 * half of the sentences the draws are replaced by their expectation, alpha_i = p_i, as if it were
 * constant, too: there the first term is 0. Decoding takes the most probable word. */
#ifndef SA_ATTENTION_HARD_H
#define SA_ATTENTION_HARD_H

#include "attention/normalizer.h"
#include "base/rng.h"

/* The score's own row in place of --normalizer's: p from e, and what its draw needs. */
extern const sa_normalizer sa_hard_normalizer;

/* Numbers u [rows x heads] for the draws: uniform, or 1 for no draw but its expectation. */
void sa_draws_take(bool drawn, sa_rng *rng, sa_mat u);

/* b_k = 0.9 b_{k-1} + 0.1 log p(y | s), the mean over the sentences of batch k. */
double sa_hard_baseline(double before, double log_p);

#endif
