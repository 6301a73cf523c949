/* loss: softmax and the negative log-probability of the right word. */
#ifndef SA_NN_LOSS_H
#define SA_NN_LOSS_H

#include "base/mat.h"
#include <stdint.h>

/* p(y) = softmax(logits + b); logits [R x K] become scale p; b [1 x K]. log_p[i] = log p(ids[i]),
 * exact even where p itself is too small for a float. */
void sa_loss_forward(sa_mat logits, sa_mat b, const int32_t *ids, sa_real scale, sa_real *log_p);

/* scale d(-log p(ids[i])) / dlogits = scale p - scale onehot(ids[i]), in place over scale p. */
void sa_loss_backward(sa_mat p, const int32_t *ids, sa_real scale);

#endif
