/* recurrence: linear attention as a recurrent network (Katharopoulos et al. 2020, section 3.4).
 * With weights in proportion to phi(q_i)' phi(k_j), causal attention needs no keys and values of
 * the words before, only their sums for every key/value head:
 *
 *   S_i = S_{i-1} + phi(k_i) v_i'
 *   z_i = z_{i-1} + phi(k_i)
 *   o_i = S_i' phi(q_i) / z_i' phi(q_i)
 *
 * so that a step takes the same time and memory, however long the sentence is. */
#ifndef SA_ATTENTION_RECURRENCE_H
#define SA_ATTENTION_RECURRENCE_H

#include "attention/projection.h"

/* Whether the weights of this attention are such products: a softmax of their logarithms, without
 * windows and biases. */
bool sa_recurrence_applies(const sa_attention *w);

/* Numbers of S and z of all key/value heads; 0: it does not apply. */
int sa_recurrence_width(const sa_attention *w);

/* One word: from S_{i-1} and z_{i-1} in state [1 x width] to S_i and z_i; q [1 x query_width],
 * k [1 x key_width], v [1 x value_width] -> o [1 x output_width]. phi [1 x key_width] is scratch.
 */
void sa_recurrence_step(const sa_attention *w, sa_mat q, sa_mat k, sa_mat v, sa_mat state, sa_mat o,
                        sa_mat phi);

#endif
