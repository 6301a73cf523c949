/* loss: cross-entropy of the softmax with label smoothing (Szegedy et al. 2016, section 7; Vaswani
 * et al. 2017, section 5.4): the target distribution gives the reference token 1 - epsilon and
 * divides epsilon evenly among all K words.
 *
 *   objective_i = (1 - epsilon) log p(y_i) + epsilon / K sum_k log p(k)      to be maximized */
#ifndef SA_LAYERS_LOSS_H
#define SA_LAYERS_LOSS_H

#include "layers/pointer_generator.h"
#include <stdint.h>

/* p = softmax(logits + b); logits [R x K] become scale p; b [1 x K]. log_p[i] = log p(ids[i]),
 * exact even where p is too small for a float. Without smoothing objective[i] is log_p[i]. */
void sa_loss_forward(sa_mat logits, sa_mat b, const int32_t *ids, double smoothing, sa_real scale,
                     sa_real *log_p, sa_real *objective);

/* scale d(-objective[i]) / dlogits = scale (p - (1 - epsilon) onehot(ids[i]) - epsilon / K), in
 * place over scale p. mixtures (NULL: all words are generated): of a word that may be copied, the
 * factor of 1 - epsilon is how much of its probability is generated. */
void sa_loss_backward(sa_mat p, const int32_t *ids, double smoothing, sa_real scale,
                      const sa_mixture *mixtures);

/* With copying, between the two: log_p becomes log P, and so it does in the objective, where it has
 * the factor 1 - epsilon; what is smoothed is the vocabulary's softmax. */
void sa_loss_mix(sa_mixture *mixtures, int count, double smoothing, sa_real *log_p,
                 sa_real *objective);

#endif
