/* gru: the gated recurrent unit, in the four forms that papers and toolkits use.
 *
 *   z, r = sigma(a + U s')
 *   s~ = tanh(a + U [r . s'])       reset before U: Bahdanau et al. 2015, A.1.1
 *   s~ = tanh(a + r . (U s' + a_u)) reset after U: dl4mt, cuDNN; with the context in a_u, Cho 2014
 *   s  = (1 - z) . s' + z . s~      z weights the new state: Bahdanau et al. 2015, A.1.1
 *   s  = z . s' + (1 - z) . s~      z weights the old state: Cho et al. 2014
 *
 * Blocks of a: [z | r | s~], and with the reset after U [u | z | r | s~]. Shapes, and what each
 * function writes or adds to: recurrent.h. */
#ifndef SA_LAYERS_GRU_H
#define SA_LAYERS_GRU_H

#include "layers/recurrent.h"

sa_cell_forward sa_gru_before_forward, sa_gru_after_forward;
sa_cell_backward sa_gru_before_backward, sa_gru_after_backward;
sa_cell_weights_backward sa_gru_before_weights_backward, sa_gru_after_weights_backward;

#endif
