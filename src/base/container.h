/* container: the safetensors format, read and written strictly.
 *
 * A file is the length of its header (8 bytes, little-endian), the header (JSON: name, type, shape
 * and offsets of every tensor, and metadata strings), and the data. Any safetensors reader opens
 * these files. Two additions: `__metadata__` names the program and version, and the last tensor,
 * `checksum`, U8[4], is the CRC-32 of all bytes before it. */
#pragma once

#include "base/error.h"
#include <stdint.h>

typedef enum sa_dtype { SA_F64, SA_I64, SA_F32, SA_I32, SA_U8, SA_DTYPES } sa_dtype;

/* A type; its name is as in the format: "F64" ... */
typedef struct sa_dtype_info {
    const char *name;
    size_t size; /* bytes of one number */
} sa_dtype_info;
extern const sa_dtype_info sa_dtypes[SA_DTYPES];

/* The metadata and the tensor that every file of this program has. */
#define SA_CONTAINER_FORMAT "softalign"
#define SA_CONTAINER_VERSION "1"
#define SA_CONTAINER_CHECKSUM "checksum"

enum {
    SA_TENSOR_MAX_RANK = 4,
    SA_CONTAINER_MAX_TENSORS = 4096,   /* including checksum, metadata */
    SA_CONTAINER_LENGTH_SIZE = 8,      /* bytes of the header's length */
    SA_CONTAINER_MAX_HEADER = 1 << 20, /* bytes */
    SA_CONTAINER_PIECE = 1 << 18,      /* bytes that stay in the cache until they are checked */
};

typedef struct sa_tensor {
    const char *name;
    sa_dtype type;
    int rank;                      /* 1 .. SA_TENSOR_MAX_RANK */
    int shape[SA_TENSOR_MAX_RANK]; /* all > 0 */
    const void *data;              /* in a file that was read: unaligned, in its memory */
    size_t size;                   /* bytes; ignored when writing: it follows from the shape */
} sa_tensor;

typedef struct sa_metadata {
    const char *key, *value;
} sa_metadata;

/* A trained model that the program holds: corpora/models, whose table says how each was made. */
typedef struct sa_builtin {
    const char *name, *task, *score, *made; /* made: the commands */
    const char *bytes;
    size_t size;
} sa_builtin;
extern const sa_builtin sa_builtins[]; /* ends with a NULL name */

#define SA_BUILTIN "builtin:" /* before its name, in place of a path */

typedef struct sa_container {
    const char *name;   /* for messages: usually the path */
    sa_tensor *tensors; /* in the order of their data, excluding the checksum */
    size_t count;
    uint32_t checksum; /* of an opened file; verified */
    void *header;      /* owns the names and strings */
    char *memory;      /* of an opened file; owns the data; the caller may take it over */
    size_t size;       /* size of an opened file in bytes */
    bool *odd; /* for each SA_CONTAINER_PIECE bytes of data: whether they failed the check of
                  sa_container_open; or NULL */
} sa_container;

/* Reads and checks the file at `path`, or the model that the program holds as "builtin:NAME"; the
 * string must outlive the container. A large file is read by `threads` threads (0: one per core).
 * SA_OPEN: it cannot be opened or is not a regular file; SA_LIMIT: too large, or out of memory;
 * SA_DATA: it is not a complete container of this program and version. Free the container with
 * sa_container_close.
 *
 * Also passes each piece of the data to `check`, unless that is NULL, while the piece is in the
 * cache; several threads do so at once. The first piece begins with the first tensor's data. */
typedef bool sa_container_check(const void *piece, size_t size);
bool sa_container_open(sa_container *container, const char *path, int threads,
                       sa_container_check *check, sa_error *error);

/* Reads a container from bytes in memory, which must outlive it. `name` is for messages. */
bool sa_container_read(sa_container *container, const char *name, const void *bytes, size_t size,
                       sa_error *error);

/* Reads a container from a copy of the bytes, which it owns as those of an opened file. */
bool sa_container_read_copy(sa_container *container, const char *name, const void *bytes,
                            size_t size, sa_error *error);

void sa_container_close(sa_container *container);

/* Returns the tensor with that name, or NULL. */
const sa_tensor *sa_container_find(const sa_container *container, const char *name);

/* Returns the metadata string with that key, or NULL. */
const char *sa_container_metadata(const sa_container *container, const char *key);

/* Replaces the file at `path` (see sa_save) by these tensors, metadata strings and a checksum.
 * Wider types come first, so that every tensor is aligned in the file; within a type the order is
 * kept. Names must be unique; "format", "version" and "checksum" are added here. SA_DATA: an empty
 * tensor; SA_LIMIT: too many tensors, too long a header, or a file above SA_FILE_LIMIT. */
bool sa_container_write(const char *path, const sa_tensor *tensors, size_t count,
                        const sa_metadata *texts, size_t text_count, sa_error *error);

/* ---- Steps of reading, for container_open.c ---- */

enum { SA_CONTAINER_START = 32 }; /* bytes that tell what a file is */

/* Reads the length of the header from the first SA_CONTAINER_START bytes of a file of `size` bytes.
 */
bool sa_container_read_length(const char *name, const unsigned char *start, size_t size,
                              size_t *length, sa_error *error);

/* Returns how many of the `chunk` bytes from `at` on, in a file of `size` bytes, the checksum
 * covers: all except the last four bytes of the file, which are the checksum itself. */
size_t sa_container_summed(size_t at, size_t chunk, size_t size);

/* Does the same as sa_container_read, given the checksum of the bytes. The container has its name
 * already; it is closed on failure. */
bool sa_container_parse(sa_container *container, const char *bytes, size_t size, uint32_t sum,
                        sa_error *error);
