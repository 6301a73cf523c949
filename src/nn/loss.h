/* loss: softmax and the negative log-probability of the right word. */
#ifndef SA_NN_LOSS_H
#define SA_NN_LOSS_H

#include "base/mat.h"
#include <stdint.h>

/* p(y) = softmax(logits); logits [R x K] become the probabilities, log_p[i] = log p(ids[i]), exact
 * even where p itself is too small for a float. */
void sa_loss_forward(sa_mat logits, const int32_t *ids, sa_real *log_p);

/* d(-log p(ids[i])) / dlogits = p - onehot(ids[i]), times scale; in place over the probabilities.
 */
void sa_loss_backward(sa_mat p, const int32_t *ids, sa_real scale);

#endif
