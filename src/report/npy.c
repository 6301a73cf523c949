#include "report/matrix.h"

#include <stdio.h>
#include <string.h>

/* ---- NumPy's format 1.0 ------------------------------------------------------------------------
 * A magic number, the length of a header that describes type and shape as a Python dictionary,
 * padded with spaces to a multiple of 64 bytes, then the numbers. */

static void add_double(double value, sa_buffer *out) {
    unsigned char bytes[sizeof value];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(bits >> 8 * i);
    sa_buffer_add(out, (const char *)bytes, sizeof bytes);
}

/* shape: the dimensions before the last two, as Python prints them: "4, 2, ". */
static void add_array(const char *shape, int rows, int columns, const double *x, size_t count,
                      sa_buffer *out) {
    enum { PREFIX = 10, ALIGN = 64 };
    sa_buffer header = {0};
    sa_buffer_addf(&header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%s%d, %d), }",
                   shape, rows, columns);
    while ((PREFIX + header.size + 1) % ALIGN && !header.failed) sa_buffer_adds(&header, " ");
    sa_buffer_adds(&header, "\n");
    sa_buffer_add(out, "\x93NUMPY\x01\x00", 8);
    const char length[] = {(char)(header.size & 0xff), (char)(header.size >> 8)};
    sa_buffer_add(out, length, sizeof length);
    if (header.text) sa_buffer_add(out, header.text, header.size);
    out->failed |= header.failed;
    sa_buffer_release(&header);
    for (size_t i = 0; i < count; i++) add_double(x[i], out);
}

enum { SHAPE = 32 };

void sa_matrix_npy(const sa_alignment *alignment, sa_buffer *out) {
    const size_t size = (size_t)alignment->targets * (size_t)alignment->sources;
    const int heads = alignment->heads;
    char shape[SHAPE] = "";
    if (heads > 1) snprintf(shape, sizeof shape, "%d, ", heads);
    add_array(shape, alignment->targets, alignment->sources, sa_alignment_weights(alignment, 0, 1),
              (size_t)heads * size, out);
}

void sa_matrix_npy_all(const sa_alignment *alignment, sa_buffer *out) {
    const size_t size = (size_t)alignment->targets * (size_t)alignment->sources;
    const int layers = alignment->layers, heads = alignment->heads;
    char shape[SHAPE];
    snprintf(shape, sizeof shape, "%d, %d, ", layers, heads);
    add_array(shape, alignment->targets, alignment->sources, sa_alignment_weights(alignment, 1, 1),
              (size_t)(layers * heads) * size, out);
}
