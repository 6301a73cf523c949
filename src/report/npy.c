#include "report/matrix.h"

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

void sa_matrix_npy(const sa_alignment *alignment, sa_buffer *out) {
    enum { PREFIX = 10, ALIGN = 64 };
    const size_t size = (size_t)alignment->targets * (size_t)alignment->sources;
    const bool several = alignment->heads > 1;
    sa_buffer header = {0};
    sa_buffer_adds(&header, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    if (several) sa_buffer_addf(&header, "%d, ", alignment->heads);
    sa_buffer_addf(&header, "%d, %d), }", alignment->targets, alignment->sources);
    while ((PREFIX + header.size + 1) % ALIGN && !header.failed) sa_buffer_adds(&header, " ");
    sa_buffer_adds(&header, "\n");
    sa_buffer_add(out, "\x93NUMPY\x01\x00", 8);
    const char length[] = {(char)(header.size & 0xff), (char)(header.size >> 8)};
    sa_buffer_add(out, length, sizeof length);
    if (header.text) sa_buffer_add(out, header.text, header.size);
    out->failed |= header.failed;
    sa_buffer_release(&header);
    const double *weight = several ? alignment->head_weights : alignment->weights;
    for (size_t i = 0; i < size * (size_t)(several ? alignment->heads : 1); i++)
        add_double(weight[i], out);
}
