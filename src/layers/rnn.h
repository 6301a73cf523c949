/* rnn: the simple recurrent network (Elman 1990), s = tanh(a + U s'). Shapes, and what each
 * function writes or adds to: recurrent.h. */
#ifndef SA_LAYERS_RNN_H
#define SA_LAYERS_RNN_H

#include "layers/recurrent.h"

void sa_rnn_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                    sa_state state);
void sa_rnn_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                     sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                     sa_recurrent *dw);
void sa_rnn_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw);

#endif
