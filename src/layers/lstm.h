/* lstm: long short-term memory (Hochreiter and Schmidhuber 1997) with a forget gate (Gers et al.
 * 2000), the cell of Sutskever et al. 2014 and Luong et al. 2015.
 *
 *   i, f, o = sigma(a + U s')      input, forget and output gate
 *   g = tanh(a + U s')             candidate
 *   m = f . m' + i . g             memory cell
 *   s = o . tanh(m)                with layer normalization o . tanh(LN(m)): recurrent.h
 *
 * Blocks of a: [i | f | o | g]. Shapes, and what each function writes or adds to: recurrent.h. */
#ifndef SA_LAYERS_LSTM_H
#define SA_LAYERS_LSTM_H

#include "layers/recurrent.h"

/* cache receives tanh(m), or tanh(LN(m)). */
sa_cell_forward sa_lstm_forward;
sa_cell_backward sa_lstm_backward;
sa_cell_weights_backward sa_lstm_weights_backward;

#endif
