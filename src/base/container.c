#include "base/container.h"
#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "tensors are stored in native byte order");

enum { HEADER_DEPTH = 3 };

#define TENSOR "%s: tensor '%s': " /* how a message about a tensor begins */

/* Ordered from wide to narrow: tensors written in this order are aligned. */
const sa_dtype_info sa_dtypes[SA_DTYPES] = {
    [SA_F64] = {"F64", 8}, [SA_I64] = {"I64", 8}, [SA_F32] = {"F32", 4},
    [SA_I32] = {"I32", 4}, [SA_U8] = {"U8", 1},
};

static bool compute_size(sa_tensor *tensor, const char *file, sa_error *error) {
    size_t size = sa_dtypes[tensor->type].size;
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->shape[i] <= 0)
            return sa_fail(error, SA_DATA, TENSOR "shape: dimension %d is %d, must be at least 1",
                           file, tensor->name, i + 1, tensor->shape[i]);
        if (__builtin_mul_overflow(size, (size_t)tensor->shape[i], &size))
            return sa_fail(error, SA_DATA, TENSOR "shape: impossibly large", file, tensor->name);
    }
    tensor->size = size;
    return true;
}

/* ---- The header ------------------------------------------------------------------------------ */

/* Returns whether the bytes are white space, printable characters or bytes that occur in UTF-8. */
static bool is_text(const unsigned char *start, size_t size) {
    for (size_t i = 0; i < size; i++)
        if ((start[i] < ' ' && !memchr("\t\n\r", start[i], 3)) || start[i] == 0x7f ||
            start[i] > 0xf4)
            return false;
    return size > 0;
}

/* Fails with a message that names the format of a foreign file, guessed from its first bytes. size
 * > SA_CONTAINER_LENGTH_SIZE. */
static bool report_foreign_format(const char *name, const unsigned char *start, size_t size,
                                  sa_error *error) {
    const size_t available = size < SA_CONTAINER_START ? size : SA_CONTAINER_START;
    const char *command, *format = sa_file_format((const char *)start, available, false, &command);
    if (format) return sa_fail(error, SA_DATA, "%s: not a safetensors file but %s", name, format);
    uint64_t stored;
    memcpy(&stored, start, sizeof stored);
    if (start[SA_CONTAINER_LENGTH_SIZE] == '{')
        return sa_fail(error, SA_DATA, "%s: the header's length is %" PRIu64 "; expected 2 to %d",
                       name, stored, SA_CONTAINER_MAX_HEADER);
    return sa_fail(error, SA_DATA, "%s: not a safetensors file%s", name,
                   is_text(start, available) ? " but text" : "");
}

bool sa_container_read_length(const char *name, const unsigned char *start, size_t size,
                              size_t *length, sa_error *error) {
    if (size <= SA_CONTAINER_LENGTH_SIZE)
        return sa_fail(error, SA_DATA, "%s: truncated: the file has only %zu bytes", name, size);
    uint64_t stored;
    memcpy(&stored, start, sizeof stored);
    const bool brace = start[SA_CONTAINER_LENGTH_SIZE] == '{';
    if (brace && stored > SA_CONTAINER_MAX_HEADER &&
        __builtin_bswap64(stored) <= size - SA_CONTAINER_LENGTH_SIZE)
        return sa_fail(error, SA_DATA, "%s: the header's length looks byte-swapped", name);
    if (!brace || stored < 2 || stored > SA_CONTAINER_MAX_HEADER)
        return report_foreign_format(name, start, size, error);
    if (size - SA_CONTAINER_LENGTH_SIZE < stored)
        return sa_fail(error, SA_DATA,
                       "%s: truncated: the header needs %zu bytes, the file has %zu", name,
                       SA_CONTAINER_LENGTH_SIZE + (size_t)stored, size);
    *length = (size_t)stored;
    return true;
}

static bool parse_header(sa_container *container, const char *text, size_t size, sa_error *error) {
    json_t *header = sa_json_parse(text, size, HEADER_DEPTH, container->name, "header", error);
    if (!header) return false;
    container->header = header;
    if (json_object_size(header) > SA_CONTAINER_MAX_TENSORS)
        return sa_fail(error, SA_DATA, "%s: %zu tensors; at most %d are allowed", container->name,
                       json_object_size(header), SA_CONTAINER_MAX_TENSORS);
    return true;
}

static bool check_metadata(const sa_container *container, sa_error *error) {
    const char *key;
    json_t *value, *metadata = json_object_get(container->header, "__metadata__");
    json_object_foreach(metadata, key, value) {
        if (!json_is_string(value))
            return sa_fail(error, SA_DATA, "%s: metadata '%s': not a string", container->name, key);
    }
    const char *format = sa_container_metadata(container, "format");
    const char *version = sa_container_metadata(container, "version");
    if (!format || strcmp(format, SA_CONTAINER_FORMAT) != 0)
        return sa_fail(error, SA_DATA, "%s: a safetensors file, but not one of softalign's",
                       container->name);
    if (!version || strcmp(version, SA_CONTAINER_VERSION) != 0)
        return sa_fail(error, SA_DATA,
                       "%s: file version '%s'; this program reads version " SA_CONTAINER_VERSION
                       " (upgrade softalign?)",
                       container->name, version ? version : "");
    return true;
}

/* ---- The tensors ----------------------------------------------------------------------------- */

static bool read_type(const char *file, sa_tensor *tensor, const json_t *dtype, sa_error *error) {
    const char *text = json_string_value(dtype);
    for (int i = 0; text && i < SA_DTYPES; i++) {
        if (strcmp(text, sa_dtypes[i].name) != 0) continue;
        tensor->type = (sa_dtype)i;
        return true;
    }
    return sa_fail(error, SA_DATA, TENSOR "dtype: '%s' is not one of F64, I64, F32, I32, U8", file,
                   tensor->name, text ? text : "");
}

static bool read_shape(const char *file, sa_tensor *tensor, const json_t *shape, sa_error *error) {
    size_t rank = json_array_size(shape);
    if (rank < 1 || rank > SA_TENSOR_MAX_RANK)
        return sa_fail(error, SA_DATA, TENSOR "shape: must list 1 to %d dimensions", file,
                       tensor->name, SA_TENSOR_MAX_RANK);
    tensor->rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        json_t *dimension = json_array_get(shape, i);
        const json_int_t value = json_integer_value(dimension);
        if (!json_is_integer(dimension) || value < 0 || value > INT_MAX)
            return sa_fail(error, SA_DATA, TENSOR "shape: dimension %zu is not an integer up to %d",
                           file, tensor->name, i + 1, INT_MAX);
        tensor->shape[i] = (int)value;
    }
    return compute_size(tensor, file, error);
}

/* Checks that the tensor begins where the one before it ends, `at`, and fits into the `size` data
 * bytes: no overlap, no gap, nothing outside the file. */
static bool check_offsets(const char *file, const sa_tensor *tensor, const json_t *offsets,
                          size_t at, size_t size, sa_error *error) {
    json_t *begin = json_array_get(offsets, 0), *end = json_array_get(offsets, 1);
    if (json_array_size(offsets) != 2 || !json_is_integer(begin) || !json_is_integer(end))
        return sa_fail(error, SA_DATA, TENSOR "data_offsets: must be two plain integers", file,
                       tensor->name);
    json_int_t from = json_integer_value(begin), to = json_integer_value(end);
    if ((size_t)from != at)
        return sa_fail(error, SA_DATA,
                       TENSOR "data_offsets: begins at %" JSON_INTEGER_FORMAT
                              ", but the data before it ends at %zu",
                       file, tensor->name, from, at);
    if (to < from || (size_t)(to - from) != tensor->size)
        return sa_fail(error, SA_DATA,
                       TENSOR "data_offsets: from %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT
                              "; its shape needs %zu bytes",
                       file, tensor->name, from, to, tensor->size);
    if (tensor->size > size - at)
        return sa_fail(error, SA_DATA,
                       "%s: truncated: tensor '%s' needs %zu bytes of data, the file has %zu", file,
                       tensor->name, (size_t)to, size);
    return true;
}

static bool read_tensors(sa_container *container, const char *data, size_t size, sa_error *error) {
    container->tensors = sa_new(json_object_size(container->header), sizeof(sa_tensor), error);
    if (!container->tensors) return false;
    const char *name, *file = container->name;
    json_t *entry;
    size_t at = 0;
    json_object_foreach((json_t *)container->header, name, entry) {
        if (strcmp(name, "__metadata__") == 0) continue;
        sa_tensor *tensor = &container->tensors[container->count++];
        *tensor = (sa_tensor){.name = name, .data = data + at};
        if (json_object_size(entry) != 3)
            return sa_fail(error, SA_DATA, TENSOR "not an object of dtype, shape, data_offsets",
                           file, name);
        if (!read_type(file, tensor, json_object_get(entry, "dtype"), error) ||
            !read_shape(file, tensor, json_object_get(entry, "shape"), error) ||
            !check_offsets(file, tensor, json_object_get(entry, "data_offsets"), at, size, error))
            return false;
        at += tensor->size;
    }
    if (at != size)
        return sa_fail(error, SA_DATA, "%s: %zu bytes after the last tensor", file, size - at);
    return true;
}

/* Compares the last tensor with the checksum `found` and removes it from the list. */
static bool verify_checksum(sa_container *container, uint32_t found, sa_error *error) {
    const sa_tensor *last = container->count ? &container->tensors[container->count - 1] : NULL;
    uint32_t stored;
    if (!last || strcmp(last->name, SA_CONTAINER_CHECKSUM) != 0 || last->type != SA_U8 ||
        last->rank != 1 || last->size != sizeof stored)
        return sa_fail(error, SA_DATA,
                       "%s: the last tensor is not '" SA_CONTAINER_CHECKSUM "', U8 [4]",
                       container->name);
    memcpy(&stored, last->data, sizeof stored);
    if (stored != found)
        return sa_fail(error, SA_DATA, "%s: damaged: its bytes give checksum %08x, it says %08x",
                       container->name, found, stored);
    container->checksum = found;
    container->count--;
    return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

size_t sa_container_summed(size_t at, size_t chunk, size_t size) {
    const size_t end = size > sizeof(uint32_t) ? size - sizeof(uint32_t) : 0;
    if (at >= end) return 0;
    return chunk < end - at ? chunk : end - at;
}

bool sa_container_parse(sa_container *container, const char *bytes, size_t size, uint32_t sum,
                        sa_error *error) {
    const char *header = bytes + SA_CONTAINER_LENGTH_SIZE;
    size_t length = 0;
    const bool good =
        sa_container_read_length(container->name, (const unsigned char *)bytes, size, &length,
                                 error) &&
        parse_header(container, header, length, error) && check_metadata(container, error) &&
        read_tensors(container, header + length, size - SA_CONTAINER_LENGTH_SIZE - length, error) &&
        verify_checksum(container, sum, error);
    if (!good) sa_container_close(container);
    return good;
}

bool sa_container_read(sa_container *container, const char *name, const void *bytes, size_t size,
                       sa_error *error) {
    *container = (sa_container){.name = name};
    const uint32_t sum = libdeflate_crc32(0, bytes, sa_container_summed(0, size, size));
    return sa_container_parse(container, bytes, size, sum, error);
}

bool sa_container_read_copy(sa_container *container, const char *name, const void *bytes,
                            size_t size, sa_error *error) {
    char *copy = sa_copy(bytes, size, error);
    if (!copy) return false;
    const bool good = sa_container_read(container, name, copy, size, error);
    container->memory = copy, container->size = size;
    if (!good) sa_container_close(container);
    return good;
}

void sa_container_close(sa_container *container) {
    json_decref(container->header);
    free(container->tensors);
    free(container->memory);
    free(container->odd);
    *container = (sa_container){0};
}

const sa_tensor *sa_container_find(const sa_container *container, const char *name) {
    for (size_t i = 0; i < container->count; i++)
        if (strcmp(container->tensors[i].name, name) == 0) return &container->tensors[i];
    return NULL;
}

const char *sa_container_metadata(const sa_container *container, const char *key) {
    return json_string_value(
        json_object_get(json_object_get(container->header, "__metadata__"), key));
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void add_string(sa_buffer *header, const char *text) {
    json_t *string = json_string(text);
    char *quoted = json_dumps(string, JSON_ENCODE_ANY);
    if (quoted)
        sa_buffer_adds(header, quoted);
    else
        header->failed = true;
    free(quoted);
    json_decref(string);
}

static void add_metadata(sa_buffer *header, const sa_metadata *texts, size_t count) {
    sa_buffer_adds(header, "{\"__metadata__\":{\"format\":\"" SA_CONTAINER_FORMAT
                           "\",\"version\":\"" SA_CONTAINER_VERSION "\"");
    for (size_t i = 0; i < count; i++) {
        sa_buffer_adds(header, ",");
        add_string(header, texts[i].key);
        sa_buffer_adds(header, ":");
        add_string(header, texts[i].value);
    }
    sa_buffer_adds(header, "}");
}

static void add_tensor(sa_buffer *header, const sa_tensor *tensor, size_t begin) {
    sa_buffer_adds(header, ",");
    add_string(header, tensor->name);
    sa_buffer_addf(header, ":{\"dtype\":\"%s\",\"shape\":[%d", sa_dtypes[tensor->type].name,
                   tensor->shape[0]);
    for (int i = 1; i < tensor->rank; i++) sa_buffer_addf(header, ",%d", tensor->shape[i]);
    sa_buffer_addf(header, "],\"data_offsets\":[%zu,%zu]}", begin, begin + tensor->size);
}

/* Builds the header with its length in front, padded so that the data is aligned to 8 bytes, and
 * lists the file's chunks: the header, then the tensors in the order of the file. */
static bool build_header(sa_buffer *header, sa_chunk *chunks, const char *path,
                         const sa_tensor *tensors, size_t count, const sa_metadata *texts,
                         size_t text_count, sa_error *error) {
    sa_buffer_add(header, "\0\0\0\0\0\0\0", SA_CONTAINER_LENGTH_SIZE);
    add_metadata(header, texts, text_count);
    size_t at = 0, chunk = 1;
    for (int type = 0; type < SA_DTYPES; type++) {
        for (size_t i = 0; i < count; i++) {
            sa_tensor tensor = tensors[i];
            if (tensor.type != (sa_dtype)type) continue;
            if (!compute_size(&tensor, path, error)) return false;
            add_tensor(header, &tensor, at);
            chunks[chunk++] = (sa_chunk){tensor.data, tensor.size};
            at += tensor.size;
        }
    }
    add_tensor(header, &(sa_tensor){SA_CONTAINER_CHECKSUM, SA_U8, 1, {4}, NULL, 4}, at);
    sa_buffer_adds(header, "}");
    while (header->size % SA_CONTAINER_LENGTH_SIZE && !header->failed) sa_buffer_adds(header, " ");
    if (header->failed) return sa_fail_memory(error, header->size);
    uint64_t length = header->size - SA_CONTAINER_LENGTH_SIZE;
    memcpy(header->text, &length, SA_CONTAINER_LENGTH_SIZE);
    chunks[0] = (sa_chunk){header->text, header->size};
    if (length > SA_CONTAINER_MAX_HEADER || count + 2 > SA_CONTAINER_MAX_TENSORS)
        return sa_fail(error, SA_LIMIT, "%s: too many tensors or too much text for one file", path);
    if (at > SA_FILE_LIMIT - header->size)
        return sa_fail(error, SA_LIMIT, "%s: would be larger than %zu bytes", path, SA_FILE_LIMIT);
    return true;
}

bool sa_container_write(const char *path, const sa_tensor *tensors, size_t count,
                        const sa_metadata *texts, size_t text_count, sa_error *error) {
    sa_chunk *chunks = sa_new(count + 2, sizeof *chunks, error);
    if (!chunks) return false;
    sa_buffer header = {0};
    bool good = build_header(&header, chunks, path, tensors, count, texts, text_count, error);
    if (good) {
        uint32_t checksum = 0;
        for (size_t i = 0; i <= count; i++)
            checksum = libdeflate_crc32(checksum, chunks[i].data, chunks[i].size);
        chunks[count + 1] = (sa_chunk){&checksum, sizeof checksum};
        good = sa_save(path, chunks, count + 2, error);
    }
    sa_buffer_release(&header);
    free(chunks);
    return good;
}
