/* position: where a word stands, as a vector (Vaswani et al. 2017, section 3.5). */
#ifndef SA_NN_POSITION_H
#define SA_NN_POSITION_H

#include "base/mat.h"

enum { SA_POSITIONS_NONE, SA_POSITIONS_SINUSOIDAL };

/* For the option rows: the name of a kind of position, NULL after the last. */
const char *sa_position_name(size_t row);

/* Adds the vector of position t (from 0) to every row of x [rows x m]:
 * sin(t / 10000^(2i/m)) to number 2i, cos of the same to number 2i+1. A constant: its backward pass
 * is nothing. */
void sa_position_add(int t, sa_mat x);

#endif
