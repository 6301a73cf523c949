/* packed: a copy of a matrix in the order in which a product reads it.
 *
 * OpenBLAS packs a factor anew for every product. Weights that many small products share, such as
 * those of a recurrent layer's steps, are packed once for all of them; tensor/weight.h holds the
 * matrix and its packed copy together. */
#pragma once

#include "tensor/mat.h"

/* The vectors of NEON and of WebAssembly have 128 bits. */
#if defined(__aarch64__) || defined(SA_PLAIN_LOOPS)
#define SA_SHORT_VECTORS
#endif

/* Kernels for pairs of rounded numbers exist. */
#if defined(__x86_64__) && !defined(SA_SHORT_VECTORS) && !defined(SA_DOUBLE)
#define SA_PAIRS
#endif

/* Columns of a panel. */
#ifdef SA_SHORT_VECTORS
enum { SA_PACKED_WIDTH = 32 / sizeof(sa_real) }; /* two vectors */
#else
enum { SA_PACKED_WIDTH = 32 };
#endif

/* An sa_packed has the columns of W, or of W', in panels of SA_PACKED_WIDTH columns. A slice begins
 * at column `offset`, and `panels` then points to its first row. */

/* Returns whether this processor has the vector instructions that the products need. */
bool sa_packed_supported(void);

/* Returns the buffer for sa_packed_of, in either order. It is empty if packing would not pay for
 * products of `rows` rows. */
enum { SA_PACKED_LEAST = 4 }; /* rows for which it pays */
sa_mat sa_packed_layout(sa_arena *arena, sa_mat W, int rows);
/* Packs W into that buffer; the result is not packed if either is empty. */
sa_packed sa_packed_of(sa_mat W, sa_mat buffer, bool transposed);

/* Returns how many numbers panels for `cols` columns, each `height` numbers high, need. */
size_t sa_packed_size(int height, int cols);

/* Packs one panel: columns first .. first+count-1 of W or, if `transposed`, those rows as columns,
 * padded with zeros. `to` holds SA_PACKED_WIDTH numbers for each of its rows. */
void sa_packed_panel(sa_mat W, int first, int count, bool transposed, sa_real *to);

/* c = beta c + a W', where W is packed transposed, or beta c + a W
 *
 *   a [M x K], or with `transposed` a' of a [K x M]; W [N x K] or [K x N]; c [M x N]
 *
 * beta is 0 or 1. A row of c does not depend on the other rows of a. With W.bf16, a is rounded,
 * too. */
void sa_packed_multiply(bool transposed, sa_mat a, sa_packed W, sa_real beta, sa_mat c);

/* Returns whether the kernel for rounded numbers takes two of them in each place, as vdpbf16ps
 * does. */
bool sa_packed_takes_pairs(void);
