/* tally: queries of the record. */
#include "torture/faults.h"

#include <string.h>
#include <zlib.h>

int tally_named(const tally *seen, long at, const char *path) {
    for (long i = at - 1; i >= 0; i--) {
        const op *entry = &seen->ops[i];
        if (entry->kind == OP_CREATE && strcmp(entry->path, path) == 0) return entry->file;
        if (entry->kind == OP_RENAME && strcmp(entry->to, path) == 0)
            return tally_named(seen, i, entry->path);
    }
    return -1;
}

uint32_t tally_sum(const tally *seen, int file, size_t *size) {
    uint32_t sum = 0;
    *size = 0;
    for (long i = 0; i < seen->files; i++) {
        const op *entry = &seen->ops[i];
        if (entry->kind != OP_WRITE || entry->file != file) continue;
        sum = (uint32_t)crc32_z(sum, (const unsigned char *)seen->data + entry->at, entry->size);
        *size += entry->size;
    }
    return sum;
}
