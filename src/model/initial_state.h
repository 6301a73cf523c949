/* initial: what a decoder is told of the whole source before it writes: its first state s_0, and
 * the fixed context vector.
 *
 *   backward  s_0 = tanh(W_s backward_1 + b_s)                    Bahdanau et al. 2015, A.2.2
 *   last      s_0 = tanh(W_s [forward_S ; backward_1] + b_s)      the last state of each direction
 *   mean      s_0 = tanh(W_s mean_j h_j + b_s)                    dl4mt
 *   copy      s_0 = forward_S                                     Sutskever et al. 2014, Luong et
 * al. 2015
 *
 * An encoder of one direction has only forward_S to offer; without one, the mean serves all. */
#ifndef SA_MODEL_INITIAL_H
#define SA_MODEL_INITIAL_H

#include "model/encoder.h"

enum {
    SA_INITIAL_AUTO, /* as the decoder's own paper has it */
    SA_INITIAL_BACKWARD,
    SA_INITIAL_LAST,
    SA_INITIAL_MEAN,
    SA_INITIAL_COPY,
    SA_INITIAL_CONTEXT, /* from the fixed context: no name, that decoder's own */
};

/* For the option rows: the name of a way to start, NULL after the last. */
const char *sa_initial_name(size_t row);

/* Numbers of a summary of that kind. */
int sa_encoder_summary_width(int kind, const sa_encoder_sizes *encoder);

/* out [B x width]: the states or the mean, from the encoder's annotations. */
void sa_encoder_summary_forward(int kind, const sa_encoder_sizes *sizes,
                                const sa_encoder_cache *encoder, sa_mat out);
/* dannotations are added to. */
void sa_encoder_summary_backward(int kind, const sa_encoder_sizes *sizes,
                                 const sa_encoder_cache *encoder, sa_mat dout, sa_mat dannotations);

#endif
