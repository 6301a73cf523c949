/* rnn: the simple recurrent network (Elman 1990), s = tanh(a + U s'). Shapes, and what each
 * function writes or adds to: recurrent.h. */
#ifndef SA_LAYERS_RNN_H
#define SA_LAYERS_RNN_H

#include "layers/recurrent.h"

sa_cell_forward sa_rnn_forward;
sa_cell_backward sa_rnn_backward;
sa_cell_weights_backward sa_rnn_weights_backward;

#endif
