/* bf16: matrix products whose operands are rounded to bf16 and whose sums are float32 (Kalamkar et
 * al. 2019, "A study of BFLOAT16 for deep learning training").
 *
 * bf16(x) is the upper half of the float x, rounded to nearest even; denormals become 0 and NaN
 * stays NaN. A number of c is computed as the instruction vdpbf16ps of AVX512_BF16 does it: in
 * blocks of SA_BF16_BLOCK along k, each summed from 0 in pairs, the second product first,
 *
 *   s = fl(s + a_{k+1} b_{k+1}),  s = fl(s + a_k b_k)    k = 0, 2, 4 ..
 *
 * where fl rounds to float once, to nearest even, and makes denormals 0; a last product without a
 * partner is paired with 0. The sums of the blocks are added to c in order. So c has the same bits
 * on every processor, whatever rows or columns are computed together, packed or not. */
#pragma once

#include "tensor/packed.h"

enum { SA_BF16_BLOCK = 256 };

/* ---- Never in the double copy ---------------------------------------------------------------- */

/* Returns the buffer for sa_bf16_pack, in either order. */
sa_mat sa_bf16_layout(sa_arena *arena, sa_mat W);
/* Rounds and packs W into that buffer: one of `jobs` jobs, numbered from 0, which may run at the
 * same time. With 0 jobs it packs nothing yet. */
sa_packed sa_bf16_pack(sa_mat W, sa_mat buffer, bool transposed, int job, int jobs);
/* Returns rows first .. first+count-1 of a packed W that has `rows` rows; the result is not packed
 * if that would split a pair. */
sa_packed sa_bf16_rows(sa_packed W, int rows, int first, int count);

/* Returns how many numbers b takes when packed, for a' b with a b of `cols` columns; 0 if packing
 * would not pay. */
size_t sa_bf16_room(int cols);
/* Computes the products of sa_gemm. If `packed` is packed, it holds b and is read instead. packing:
 * scratch for b, one row that is overwritten, with which a' b is faster; NULL or a row that is too
 * small is not used. */
void sa_bf16_gemm(bool a_transposed, sa_mat a, bool b_transposed, sa_mat b, sa_packed packed,
                  const sa_mat *packing, sa_real beta, sa_mat c);
