/* earlier_weights: what the weights of the target words before do in a step of a decoder. They come
 * in the attention state, change the keys that the score reads, and the step's own join them for
 * the next one. The functions are for head k (from 0) in one row, over sentence b of the memory. */
#ifndef SA_ATTENTION_EARLIER_WEIGHTS_H
#define SA_ATTENTION_EARLIER_WEIGHTS_H

#include "attention/projection.h"

/* The keys as the score reads them: w_c C_{i-1,j} with coverage and W_f f_ij + b_a in
 * location-aware attention are added to k [S x a head's]; f [S x K] is filled for the backward
 * pass. */
void sa_earlier_keys_forward(const sa_attention *w, sa_attention_rows rows, int row, int k,
                             sa_mat f, sa_mat keys);
/* From the derivative dkeys of the sum: d.previous_state and dw are added to, df is overwritten. */
void sa_earlier_keys_backward(const sa_attention *w, sa_attention_rows rows, int row, int k,
                              sa_mat f, sa_mat dkeys, sa_mat df, sa_attention_rows d,
                              sa_attention *dw);

/* To the next step, the weights alpha as they are used, and what they cover; nothing where it does
 * not depend on them. */
void sa_earlier_weights_forward(const sa_attention *w, const sa_memory *memory, int b,
                                sa_attention_rows rows, int row, int k, sa_mat alpha);
/* From d.state and d.coverage_loss: dalpha, d.previous_state and dmemory's fertilities are added
 * to. */
void sa_earlier_weights_backward(const sa_attention *w, const sa_memory *memory, int b,
                                 sa_attention_rows rows, int row, int k, sa_mat alpha,
                                 sa_attention_rows d, sa_memory *dmemory, sa_mat dalpha);

#endif
