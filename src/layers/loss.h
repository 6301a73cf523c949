/* loss: softmax and the negative log-probability of the right word, with label smoothing (Szegedy
 * et al. 2016, section 7; Vaswani et al. 2017, section 5.4): the right word is to get 1 - epsilon,
 * and epsilon is shared out among all K words.
 *
 *   aim_i = (1 - epsilon) log p(y_i) + epsilon / K sum_k log p(k)      -aim is what is minimised */
#ifndef SA_NN_LOSS_H
#define SA_NN_LOSS_H

#include "tensor/mat.h"
#include <stdint.h>

/* p(y) = softmax(logits + b); logits [R x K] become scale p; b [1 x K]. log_p[i] = log p(ids[i]),
 * exact even where p itself is too small for a float; aim[i] as above (without smoothing:
 * log_p[i]).
 */
void sa_loss_forward(sa_mat logits, sa_mat b, const int32_t *ids, double smoothing, sa_real scale,
                     sa_real *log_p, sa_real *objective);

/* scale d(-aim[i]) / dlogits = scale (p - (1 - epsilon) onehot(ids[i]) - epsilon / K), in place
 * over scale p. */
void sa_loss_backward(sa_mat p, const int32_t *ids, double smoothing, sa_real scale);

#endif
